"""The card of a speaker as a picture: one row per measure, a dot with its interval, a ring for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from referee.errors import CannotWrite
from referee.files import write_atomically
from referee.hearers.speaker_card import make_speaker_cards
from referee.show.pages import render
from referee.show.reports.material import Material
from referee.show.reports.section import Section

WIDTH, LINE, LEFT, RIGHT = 720, 26, 230, 470
LONGEST = 30  # letters of a label
MANY = 50_000  # outputs of which a report does not work the cards out itself, for that takes as long as all the rest
INK, DOT, FAINT = "#222", "#d9480f", "#ddd"


def draw_speaker(card: Mapping[str, Any]) -> str:
    """Return the picture of one speaker's card as SVG; missing values are marked."""
    cells = list(card["cells"].items())
    height = 70 + LINE * len(cells) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" font-family="sans-serif" font-size="13" fill="{INK}">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        _draw_text(16, 28, str(card["speaker"]), size=18),
        _draw_text(
            16,
            48,
            f"language {card['language']}, {card['trials']} trials, {card['samples']} sample{'s' * (card['samples'] > 1)}",
        ),
        *(
            [_draw_ring(1.0, 44), _draw_text(RIGHT + 20, 48, "people")]
            if any(c.get("people") is not None for _, c in cells)
            else []
        ),
        *(_draw_line(name, cell, 78 + LINE * i) for i, (name, cell) in enumerate(cells)),
        "</svg>",
    ]
    return "\n".join(parts)


def _draw_line(name: str, cell: Mapping[str, Any], y: float) -> str:
    """Return one line of the card: label, value, interval and bar."""
    label = _draw_text(16, y, _shorten_label(name))
    tip = f"<title>{escape(str(cell['signed']))}</title>"
    if cell["value"] is None:
        return f"<g>{tip}{label}{_draw_text(RIGHT + 20, y, 'no value (n = 0)')}</g>"
    shown = _draw_text(RIGHT + 20, y, _format_number(cell))
    if not _is_share(name, cell):
        return f"<g>{tip}{label}{shown}</g>"
    low, high = (cell["low"], cell["high"]) if cell["low"] is not None else (cell["value"], cell["value"])
    axis = f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y - 4}" y2="{y - 4}" stroke="{FAINT}"/>'
    bar = f'<line x1="{_scale_x(low):.1f}" x2="{_scale_x(high):.1f}" y1="{y - 4}" y2="{y - 4}" stroke="{DOT}" stroke-width="2"/>'
    dot = f'<circle cx="{_scale_x(cell["value"]):.1f}" cy="{y - 4}" r="4.5" fill="{DOT}"/>'
    return f"<g>{tip}{label}{axis}{bar}{dot}{_draw_ring(cell.get('people'), y - 4)}{shown}</g>"


def _draw_ring(share: float | None, y: float) -> str:
    """Return a ring at people's value of the same measure."""
    return "" if share is None else f'<circle cx="{_scale_x(share):.1f}" cy="{y}" r="6.5" fill="none" stroke="{INK}"/>'


def _shorten_label(name: str) -> str:
    """Return a name that fits before the axis; of a hearer's switches only the model."""
    first, *switches = name.replace("_", " ").split("|")
    model = [value for key, _, value in (s.partition(":") for s in switches) if key == "model"]
    words = " ".join([first, *model])
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def _is_share(name: str, cell: Mapping[str, Any]) -> bool:
    return name not in ("words", "tokens", "cost") and 0 <= cell["value"] <= 1


def _scale_x(share: float) -> float:
    return LEFT + (RIGHT - LEFT) * min(1.0, max(0.0, share))


def _format_number(cell: Mapping[str, Any]) -> str:
    """Return a value with its interval, people's value and n."""
    # Rounded first, so that residues of rounding print as 0.
    # Rounded first: what is nought but for the last bit is nought.
    low, high = (None, None) if cell["low"] is None else (round(cell["low"], 6), round(cell["high"], 6))
    interval = "" if low is None else f" [{low:.2g}, {high:.2g}]"
    people = "" if cell.get("people") is None else f" (people {cell['people']:.3g})"
    return f"{cell['value']:.3g}{interval}{people}, n = {cell['n']}"


def _draw_text(x: float, y: float, words: str, size: int = 13) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}">{escape(words)}</text>'


def save_pictures(cards: Iterable[Mapping[str, Any]], folder: Path) -> list[Path]:
    """Write one picture file per speaker and language, and return their paths."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"cannot make the folder ({error.strerror})", where=folder) from None
    paths = []
    for card in cards:
        name = re.sub(r"[^\w.-]+", "-", f"{card['speaker']}-{card['language']}")
        paths.append(folder / f"{name}.svg")
        write_atomically(paths[-1], [draw_speaker(card)])
    return paths


def build_speakers_section(material: Material) -> Section | None:
    """Return a chapter with the cards of all speakers; None if the runs have no outputs of speakers."""
    card = material.facts.card
    sampled = card.sampled if card is not None and card.sampled else None
    cards: list[dict[str, Any]] = []
    left_out: list[str] = []
    for scored in material.scored:
        run, manifest = scored.run, scored.run.manifest
        if not manifest.get("systems") or not (run.folder / "outputs.jsonl").is_file():
            continue
        # No further than is needed to see that there are too many.
        outputs = {(o.system, o.trial): o.description for o in islice(run.outputs(), MANY + 1)}
        if len(outputs) > MANY:
            left_out.append(scored.name)
            continue
        cards += make_speaker_cards(list(run.trials()), outputs, material.heard_in(scored), manifest, sampled=sampled)
    if not cards and not left_out:
        return None
    notes = [f"{name} has very many outputs: its cards are made by `referee card speaker`." for name in left_out]
    return Section(
        name="speakers",
        title="Cards of speakers",
        texts=(
            "One card for each speaker and language; hold the pointer over a number to see its basis.",
            *notes,
        ),
        html=render("report/speakers.html", cards=[draw_speaker(made) for made in cards]),
        data={"speakers": [_flatten_cell(made, name, cell) for made in cards for name, cell in made["cells"].items()]},
    )


def _flatten_cell(card: Mapping[str, Any], name: str, cell: Mapping[str, Any]) -> dict[str, Any]:
    return {"speaker": card["speaker"], "language": card["language"], "measure": name, **cell}
