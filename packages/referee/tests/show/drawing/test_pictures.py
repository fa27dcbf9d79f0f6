"""What can be seen: every value of every attribute changes the picture, and colours stay apart for colour-blind eyes."""

from __future__ import annotations

import io
from itertools import combinations, product

import numpy as np
import pytest
from lxml import etree
from PIL import Image

from referee.corpora.synthetic.invented_scenes import DOMAINS
from referee.records import Entity, Property, Scene
from referee.show.drawing import SHEETS, can_draw, draw_entity, draw_sheet, to_png
from referee.show.drawing.colours import NAMED, get_colour, mix
from referee.show.drawing.silhouettes import FIGURES, PENTOMINOES

# Machado, Oliveira & Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency", severity 1.0, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]


def thing(**values: str) -> Entity:
    return Entity(id="a", attributes=tuple(Property(name, value) for name, value in values.items()))


def lab(colour: str, blindness: object) -> np.ndarray:
    """CIELAB (D65) of a colour as seen with a kind of colour blindness."""
    srgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.array(XYZ) @ np.clip(np.array(blindness) @ linear, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(seen > 216 / 24389, np.cbrt(seen), (24389 / 27 * seen + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_every_piece_of_furniture_looks_different() -> None:
    values = DOMAINS["furniture"].values
    looks = [dict(zip(values, look, strict=True)) for look in product(*values.values())]
    assert len(looks) == 128
    assert len({draw_entity(thing(**look)) for look in looks}) == 128
    assert all(can_draw(Scene(entities=(thing(**look),))) for look in looks)


def test_every_person_looks_different() -> None:
    values = {**DOMAINS["people"].values, "hairColour": ("dark", "light", "other")}
    looks = [dict(zip(values, look, strict=True)) for look in product(*values.values())]
    assert len(looks) == 2 * 3 * 3 * 2**6
    assert len({draw_entity(thing(**look)) for look in looks}) == len(looks)


def test_nobody_without_a_beard_or_a_tie_is_drawn_with_one() -> None:
    plain = {"type": "person", "age": "young", "hasHair": "1", "hairColour": "light"}
    absent = dict.fromkeys(("hasBeard", "hasGlasses", "hasTie", "hasSuit", "hasShirt"), "0")
    assert draw_entity(thing(**plain)) == draw_entity(thing(**plain, **absent))


def test_a_beard_can_have_a_colour_of_its_own() -> None:
    person = {"type": "person", "hairColour": "dark"}
    beards = [draw_entity(thing(**person, hasBeard=b)) for b in ("1", "dark", "light", "other", "0")]
    assert beards[0] == beards[1]
    assert len(set(beards)) == 4


def test_right_is_the_mirror_image_of_left() -> None:
    left, right = (draw_entity(thing(type="person", orientation=way)) for way in ("left", "right"))
    inside = left[left.index(">") + 1 : -len("</svg>")]
    assert f'<g transform="matrix(-1 0 0 1 100 0)">{inside}</g>' in right


def _margins(svg: str) -> list[float]:
    """What is left free on the left, above, on the right and below, where the picture is drawn with room around its box."""
    with_room = svg.replace('viewBox="0 0 100 100"', 'viewBox="-20 -20 140 140"')
    ink = np.asarray(Image.open(io.BytesIO(to_png(with_room, 2))).convert("RGBA"))[..., 3] > 8
    unit = len(ink) / 140
    columns, rows = (np.flatnonzero(ink.any(axis)) / unit - 20 for axis in (0, 1))
    return [columns[0], rows[0], 100 - columns[-1] - 1 / unit, 100 - rows[-1] - 1 / unit]


@pytest.mark.parametrize("kind", ["chair", "sofa", "desk", "fan"])
def test_no_furniture_is_cut_at_the_edge_of_its_picture(kind: str) -> None:
    for way in ("front", "back", "left", "right"):
        assert min(_margins(draw_entity(thing(type=kind, orientation=way, size="large")))) >= 1, way


@pytest.mark.parametrize("way", ["front", "left", "right"])
def test_nobody_is_cut_but_below_the_shoulders(way: str) -> None:
    for looks in ({}, {"hasHair": "0"}, {"age": "old", "hasBeard": "1"}, {"hasSuit": "1", "hasTie": "1"}):
        margins = _margins(draw_entity(thing(type="person", orientation=way, **looks)))
        assert min(margins[:3]) >= 1
        assert margins[3] < 0  # the bust stands on the edge


@pytest.mark.parametrize("words", [("red", "blue", "green", "grey"), ("red", "blue", "green", "yellow")])
@pytest.mark.parametrize("kind", BLINDNESS)
def test_colours_stay_apart_for_colour_blind_eyes(kind: str, words: tuple[str, ...]) -> None:
    seen = {word: lab(NAMED[word], BLINDNESS[kind]) for word in words}
    # a difference of 20 in CIELAB is about ten times what is just noticeable
    assert min(np.linalg.norm(seen[a] - seen[b]) for a, b in combinations(words, 2)) > 20


def test_numbers_become_the_colours_they_stand_for() -> None:
    # CSS Color 4: hsl(120 100% 25%) is #008000, hsl(330 100% 71%) is nearly hotpink
    assert get_colour({"h": "120", "s": "100", "l": "25"}) == ("#008000", ("h", "s", "l"))
    assert get_colour({"h": "360", "s": "100", "l": "50"}) == ("#ff0000", ("h", "s", "l"))
    assert get_colour({"rgb": "255,154,0"}) == ("#ff9a00", ("rgb",))
    assert get_colour({"colour": "#12ab34"}) == ("#12ab34", ("colour",))
    assert get_colour({"h": "120", "s": "101", "l": "25"}) is None
    assert get_colour({"rgb": "256,0,0"}) is None
    assert get_colour({"colour": "beige"}) is None
    assert mix("#000000", "#ffffff", 0.2) == "#333333"


def test_patches_differ_wherever_their_numbers_make_another_colour() -> None:
    patches = {draw_entity(thing(h=str(h), s=str(s), l="50")) for h in range(0, 360, 5) for s in (20, 60, 100)}
    assert len(patches) == 72 * 3


def test_figures_have_the_edges_that_the_corpus_counts() -> None:
    # kth-tangrams, attribute `edges` of each shape
    edges = {
        6: "barn chevron lozenge wedge",
        7: "mountain rock",
        8: "arrow monitor",
        9: "boat giraffe",
        10: "crown head",
        12: "bridge chicken goose",
        13: "spikes",
        16: "temple",
    }
    assert {name: len(points) for name, points in FIGURES.items()} == {
        n: e for e, ns in edges.items() for n in ns.split()
    }


def test_pentominoes_are_twelve_connected_pieces_of_five_and_no_two_alike() -> None:
    def turned(cells: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        moved = [(y, -x) for x, y in cells]
        left, top = (min(c[i] for c in moved) for i in (0, 1))
        return frozenset((x - left, y - top) for x, y in moved)

    def form(cells: frozenset[tuple[int, int]]) -> frozenset[frozenset[tuple[int, int]]]:
        forms = []
        for start in (cells, turned(frozenset((-x, y) for x, y in cells))):
            for _ in range(4):
                start = turned(start)
                forms.append(start)
        return frozenset(forms)

    for cells in PENTOMINOES.values():
        assert len(set(cells)) == 5
        joined = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in combinations(cells, 2))
        assert joined >= 4
    assert len({form(frozenset(cells)) for cells in PENTOMINOES.values()}) == 12


def test_creatures_and_solids_differ() -> None:
    creatures = {draw_entity(thing(species=s, accessory=v)) for s in ("s1", "s2", "sx") for v in ("v1", "v2", "vx")}
    assert len(creatures) == 9
    kinds, colours, sizes = ("ball", "cube", "cone", "star", "box", "circle"), ("red", "white"), ("large", "small")
    solids = {draw_entity(thing(type=t, colour=c, size=s)) for t, c, s in product(kinds, colours, sizes)}
    assert len(solids) == 24


@pytest.mark.parametrize("name", SHEETS)
def test_contact_sheets_are_well_formed(name: str) -> None:
    assert etree.fromstring(draw_sheet(name).encode()).get("aria-label") == "contact sheet"
