"""Balls, blocks and cylinders on a table, ray-traced, with the solid that every pixel shows.

Small on purpose (numpy alone): pictures that look like photographs of toys, with regions that are exact because the same rays make both.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians, sin, tan

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
SHAPES = ("ball", "block", "drum")
TABLE = (0.74, 0.70, 0.64)
LIGHT = np.array([-0.45, 0.75, -0.48])
FAR = 1e9
NEAR = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """A solid on the table: x (right), z (away from the camera), half width, shape, colour (RGB)."""

    shape: str
    x: float
    z: float
    size: float
    colour: tuple[float, float, float]
    shine: float = 0.3


@dataclass(frozen=True, slots=True)
class Traced:
    """A picture (height, width, 3) in bytes, and for every pixel the index of its solid.

    The index -1 is table or wall.
    """

    pixels: npt.NDArray[np.uint8]
    shown: npt.NDArray[np.int64]


def find_visible_solids(solids: Sequence[Solid], width: int = 480, height: int = 320) -> npt.NDArray[np.int64]:
    """Return for every pixel the index of the solid it shows, without colours; -1 is table or wall."""
    _, shown, _ = _find_nearest_hits(*_make_rays(width, height), solids)
    return np.where(shown < len(solids), shown, -1).reshape(height, width)


def mask_runs(pixels: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Return pixels as run lengths down the columns, as COCO writes masks."""
    flat = pixels.T.ravel()
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flat, [False]]).astype(np.int8)))
    return tuple(int(n) for n in np.diff(np.concatenate([[0], edges, [len(flat)]])))


def trace(solids: Sequence[Solid], width: int = 480, height: int = 320) -> Traced:
    """Return the ray-traced picture of some solids."""
    eye, rays = _make_rays(width, height)
    distance, shown, normal = _find_nearest_hits(eye, rays, solids)
    points = eye + rays * distance[:, None]
    colours = np.array([s.colour for s in solids] + [TABLE])[shown]
    light = LIGHT / np.linalg.norm(LIGHT)
    facing = np.clip(normal @ light, 0, None)
    shaded = _find_shadow(points + normal * 1e-3, light, solids)
    bright = 0.34 + 0.66 * facing * ~shaded
    half = light - rays
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    gloss = (
        np.array([s.shine for s in solids] + [0.0])[shown]
        * np.clip((normal * half).sum(axis=1), 0, None) ** 40
        * ~shaded
    )
    seen = colours * bright[:, None] + gloss[:, None]
    seen[distance >= FAR] = (0.86, 0.87, 0.89)
    # Screens are not linear: without this everything would look as by night.
    pixels = (np.clip(seen, 0, 1) ** (1 / 1.6) * 255).round().astype(np.uint8)
    numbers = np.where(shown < len(solids), shown, -1)
    return Traced(pixels.reshape(height, width, 3), numbers.reshape(height, width))


def _make_rays(width: int, height: int) -> tuple[Floats, Floats]:
    """Return the eye, and one ray of length 1 through the middle of every pixel, row by row."""
    reach = tan(radians(24))
    across, down = np.meshgrid((np.arange(width) + 0.5) / width * 2 - 1, 1 - (np.arange(height) + 0.5) / height * 2)
    rays = np.stack([across * reach * width / height, down * reach, np.ones_like(across)], axis=-1).reshape(-1, 3)
    pitch = radians(-24)
    turn = np.array([[1, 0, 0], [0, cos(pitch), sin(pitch)], [0, -sin(pitch), cos(pitch)]])
    rays = rays @ turn.T
    return np.array([0.0, 5.4, -9.5]), rays / np.linalg.norm(rays, axis=1, keepdims=True)


def _find_nearest_hits(
    eye: Floats, rays: Floats, solids: Sequence[Solid]
) -> tuple[Floats, npt.NDArray[np.int64], Floats]:
    """Return distance, solid and normal of the nearest hit of each ray."""
    distance, normal = _hit_floor(eye, rays)
    shown = np.full(len(rays), len(solids), dtype=np.int64)
    for number, solid in enumerate(solids):
        hit, facing = _MEET[solid.shape](np.broadcast_to(eye, rays.shape), rays, solid)
        nearer = hit < distance
        distance = np.where(nearer, hit, distance)
        shown[nearer] = number
        normal = np.where(nearer[:, None], facing, normal)
    return distance, shown, normal


def _find_shadow(points: Floats, light: Floats, solids: Sequence[Solid]) -> npt.NDArray[np.bool_]:
    """Return which points are in shadow."""
    dark = np.zeros(len(points), dtype=bool)
    towards = np.broadcast_to(light, points.shape)
    for solid in solids:
        dark |= _MEET[solid.shape](points, towards, solid)[0] < FAR
    return dark


def _hit_floor(eye: Floats, rays: Floats) -> tuple[Floats, Floats]:
    """Return the hits of rays with the table."""
    with np.errstate(divide="ignore"):
        hit = np.where(rays[:, 1] < 0, -eye[1] / rays[:, 1], FAR)
    # Beyond the table there is the wall.
    hit = np.where(hit > 40, FAR, hit)
    return hit, np.broadcast_to(np.array([0.0, 1.0, 0.0]), rays.shape)


def _hit_ball(start: Floats, rays: Floats, solid: Solid) -> tuple[Floats, Floats]:
    """Return the hits of rays with a ball."""
    centre = np.array([solid.x, solid.size, solid.z])
    away = start - centre
    b, c = (away * rays).sum(axis=1), (away * away).sum(axis=1) - solid.size**2
    inside = b * b - c
    with np.errstate(invalid="ignore"):
        hit = -b - np.sqrt(inside)
    hit = np.where((inside > 0) & (hit > NEAR), hit, FAR)
    return hit, (start + rays * hit[:, None] - centre) / solid.size


def _trace_cube(start: Floats, rays: Floats, solid: Solid) -> tuple[Floats, Floats]:
    """Return the hits of rays with a cube."""
    low = np.array([solid.x - solid.size, 0.0, solid.z - solid.size])
    high = np.array([solid.x + solid.size, 2 * solid.size, solid.z + solid.size])
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low, to_high = (low - start) / rays, (high - start) / rays
    first, last = np.fmin(to_low, to_high), np.fmax(to_low, to_high)
    enter, leave = first.max(axis=1), last.min(axis=1)
    hit = np.where((enter < leave) & (enter > NEAR), enter, FAR)
    axis = first.argmax(axis=1)
    normal = np.zeros_like(first)
    normal[np.arange(len(axis)), axis] = -np.sign(np.take_along_axis(rays, axis[:, None], axis=1)[:, 0])
    return hit, normal


def _hit_drum(start: Floats, rays: Floats, solid: Solid) -> tuple[Floats, Floats]:
    """Return the hits of rays with an upright cylinder: its side and its lid."""
    radius, top = solid.size * 0.9, 2 * solid.size
    x, z = start[:, 0] - solid.x, start[:, 2] - solid.z
    a = rays[:, 0] ** 2 + rays[:, 2] ** 2
    b, c = x * rays[:, 0] + z * rays[:, 2], x * x + z * z - radius**2
    with np.errstate(divide="ignore", invalid="ignore"):
        side = (-b - np.sqrt(b * b - a * c)) / a
        height = start[:, 1] + rays[:, 1] * side
        lid = (top - start[:, 1]) / rays[:, 1]
        out = (x + rays[:, 0] * lid) ** 2 + (z + rays[:, 2] * lid) ** 2
    side = np.where((b * b > a * c) & (side > NEAR) & (height >= 0) & (height <= top), side, FAR)
    lid = np.where((lid > NEAR) & (out <= radius**2), lid, FAR)
    hit = np.minimum(side, lid)
    around = np.stack([(x + rays[:, 0] * hit) / radius, np.zeros_like(x), (z + rays[:, 2] * hit) / radius], axis=1)
    return hit, np.where((lid < side)[:, None], np.array([0.0, 1.0, 0.0]), around)


_MEET = {"ball": _hit_ball, "block": _trace_cube, "drum": _hit_drum}


def as_png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return a picture (height, width, 3) as a PNG file."""
    height, width, _ = pixels.shape

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(lines.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
