"""Window sizes in which people see a study, and the size of a scene in each, as in the style sheet browser/src/pages/participant.css."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from referee.records import Trial
from referee.show.drawing import Layout, place
from referee_lab.study.folder.hit_areas import measure_press_areas

DEVICES = ("computer", "tablet", "phone")
# Around a scene: its page's padding, border and frame, in CSS pixels (2.6rem).
SIDES_PX = 41.6
SMALLEST_CELL_PX = 8.0
# The same limits as the media queries of the style sheet.
LOW_PX, MIDDLE_PX = 520, 700


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A window size in CSS pixels, the device that has it, and the least side of an area that is pressed there (WCAG 2.2: 24, and 44 for fingers)."""

    name: str
    device: str
    width: int
    height: int
    least_px: float
    touch: bool = False
    scale: float = 1.0


SCREENS = (
    Screen(name="desktop", device="computer", width=1280, height=720, least_px=24),
    Screen(name="200 % zoom", device="computer", width=640, height=360, least_px=24, scale=2.0),
    Screen(name="tablet", device="tablet", width=768, height=1024, least_px=44, touch=True),
    Screen(name="phone", device="phone", width=375, height=667, least_px=44, touch=True),
)


def list_screens(devices: tuple[str, ...], least_width: int = 0) -> list[Screen]:
    """Return the windows of the devices that a study admits, at least `least_width` pixels wide."""
    return [s for s in SCREENS if s.device in devices and s.width * s.scale >= least_width]


def compute_overhang(layout: Layout) -> float:
    """Return the distance by which the outermost objects reach beyond the grid, in cells."""
    at = [(p.column + p.dx, p.row + p.dy) for p in layout.values()]
    return max([0.0, *(d for x, y in at for d in (-x, x - layout.columns + 1, -y, y - layout.rows + 1))])


def compute_cell_px(layout: Layout, screen: Screen, plugin: str) -> float:
    """Return the side of a cell in CSS pixels."""
    judged = plugin == "judge"
    around, largest = (545.0, 130.0) if judged else (330.0, 168.0)
    if judged and screen.height <= MIDDLE_PX:
        around = 260.0
    if screen.height <= LOW_PX:
        around, largest = 150.0, 168.0
    beyond = 2 * compute_overhang(layout)
    across = (screen.width - SIDES_PX) / (layout.columns + beyond)
    down = (screen.height - around) / (layout.rows + beyond)
    return max(min(across, down, largest), SMALLEST_CELL_PX)


def compute_smallest_px(trial: Trial, layout: Layout, screen: Screen, plugin: str) -> float:
    """Return the shorter side of the smallest object of a scene, in CSS pixels.

    Measured is its clickable area, or its picture if nothing is clickable.
    """
    shares = measure_press_areas(trial.scene, trial.domain, layout).values() if plugin == "identify" else (1.0,)
    return compute_cell_px(layout, screen, plugin) * min(shares, default=1.0)


def list_fitting_devices(trials: Iterable[Trial], plugin: str) -> list[str]:
    """Return the devices on which every scene can be answered; computers are always included."""
    seen = {id(t.scene): t for t in trials if any(e.attributes or e.image for e in t.scene.entities)}.values()
    layouts = [(trial, place(trial.scene)) for trial in seen]
    small = {
        screen.device
        for screen in SCREENS
        if any(compute_smallest_px(trial, layout, screen, plugin) < screen.least_px for trial, layout in layouts)
    }
    return [device for device in DEVICES if device == DEVICES[0] or device not in small]
