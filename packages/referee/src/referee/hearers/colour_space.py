"""The appearance of a colour patch: its coordinates in colour space, and comparisons with the other patches.

Hue is circular, so it has Fourier features (Monroe et al. 2016), at three degrees of saturation; CIE Lab and RGB add
perceived brightness. In context, a patch may have an extreme value, or a large distance from the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, nan

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.hearers.choice import Places
from referee.records import Entity, Scene, SceneNotes

Patches = list[tuple[float, float, float]]

COORDINATES: SceneNotes[None, Patches | None] = SceneNotes("colour coordinates")
AXES = frozenset("hsl")
WAVES = 4
SLACK = 0.05
# sRGB (IEC 61966-2-1) to XYZ under D65, and that white
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def read_colours(scene: Scene) -> Patches | None:
    """Return hue (degrees), saturation and lightness (0 to 100) of each entity.

    None where a scene does not show colours.

    Read once a scene: a passport lets hearers learn from the same scenes many times.
    """
    notes = COORDINATES.of(scene)
    if None not in notes:
        notes[None] = _read_coordinates(scene)
    return notes[None]


def _read_coordinates(scene: Scene) -> Patches | None:
    """Return the colours of a scene; None if an entity has none."""
    colours: Patches = []
    for entity in scene.entities:
        values = dict(entity.attributes)
        if not values.keys() >= AXES:
            return None
        colours.append(_read_hsl(entity, values))
    return colours or None


def _read_hsl(entity: Entity, values: Mapping[str, str]) -> tuple[float, float, float]:
    """Return an entity's h, s and l. Raises InputError if they are no numbers."""
    try:
        colour = float(values["h"]), float(values["s"]), float(values["l"])
    except ValueError:
        colour = (nan, nan, nan)
    if not isfinite(sum(colour)):
        raise InputError(
            f"entity {entity.id!r} is not a colour patch: h, s and l must be numbers",
            remedy="give every entity the attributes h (0-360), s and l (0-100), or take the hearer `learned`",
        )
    return colour


def make_appearance_features(hsl: FloatArray, starts: Places) -> FloatArray:
    """Return one row per patch: its coordinates in colour space, then its comparison with the patches of its scene."""
    hue, saturation, lightness = np.deg2rad(hsl[:, 0]), hsl[:, 1] / 100, hsl[:, 2] / 100
    rgb = convert_hsl_to_rgb(hsl)
    lab = convert_rgb_to_lab(rgb)
    waves = [
        wave(k * hue) * saturation**power
        for k in range(1, WAVES + 1)
        for power in range(3)
        for wave in (np.cos, np.sin)
    ]
    powers = [saturation, saturation**2, saturation**3, lightness, lightness**2]
    features = np.column_stack([*waves, *powers, lab, rgb])
    distance = np.linalg.norm(
        lab - _repeat_per_entity(np.add.reduceat(lab, starts[:-1]) / np.diff(starts)[:, None], starts), axis=1
    )
    compared = np.column_stack([saturation, lightness, lab, rgb, distance])
    return np.column_stack([features, distance, *_compare_with_scene(compared, starts)])


def _compare_with_scene(values: FloatArray, starts: Places) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each value beside its scene's: distance from the mean as a share of the range, most minus least, most or least."""
    low = _repeat_per_entity(np.minimum.reduceat(values, starts[:-1]), starts)
    high = _repeat_per_entity(np.maximum.reduceat(values, starts[:-1]), starts)
    mean = _repeat_per_entity(np.add.reduceat(values, starts[:-1]) / np.diff(starts)[:, None], starts)
    most, least = (values >= high).astype(float), (values <= low).astype(float)
    # The slack keeps patches that hardly differ from looking like extremes of a wide range.
    return (values - mean) / (high - low + SLACK), most - least, most + least


def _repeat_per_entity(per_scene: FloatArray, starts: Places) -> FloatArray:
    rows: FloatArray = np.repeat(per_scene, np.diff(starts), axis=0)
    return rows


def convert_hsl_to_rgb(hsl: FloatArray) -> FloatArray:
    """Return red, green and blue between 0 and 1 for hue in degrees, saturation and lightness in percent."""
    hue, saturation, lightness = hsl[:, :1] / 30, hsl[:, 1:2] / 100, hsl[:, 2:] / 100
    # The closed form of CSS Color 4: red, green and blue are one curve at three phases, without cases by sextant.
    turn = (np.array([0.0, 8.0, 4.0]) + hue) % 12
    depth = saturation * np.minimum(lightness, 1 - lightness)
    rgb: FloatArray = lightness - depth * np.clip(np.minimum(turn - 3, 9 - turn), -1, 1)
    return rgb


def convert_rgb_to_lab(rgb: FloatArray) -> FloatArray:
    """Return CIE Lab under D65 from sRGB, divided by 100 so that white is (1, 0, 0)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    ratio = linear @ XYZ.T / WHITE
    # The exact fractions of the CIE: 216/24389 is (6/29)³ and 24389/27 is (29/3)³.
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.column_stack([1.16 * f[:, 1] - 0.16, 5 * (f[:, 0] - f[:, 1]), 2 * (f[:, 1] - f[:, 2])])
