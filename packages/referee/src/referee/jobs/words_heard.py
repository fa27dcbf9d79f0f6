"""Compares the words of a description with the chosen properties and with the scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from referee.meaning import (
    EVERYTHING,
    Meaning,
    atoms,
    conjunction,
    conjuncts,
    flatten,
    has_true_numbers,
    is_contextual,
    parts_of,
)
from referee.realisation.annotation import UNSAYABLE
from referee.realisation.language import Language
from referee.realisation.reading_back import ReadBack
from referee.realisation.wording import Wording, language_of
from referee.records import LANDMARKS, Description, Property, SpeakerView


class WordsHeard(NamedTuple):
    """The properties in the words, the chosen ones they lack, those false of a target, and the entities they denote (a
    bit set).

    `meaning` is the form of the words, if known; `is_counted_right` whether their numbers are correct; `unread` words
    were not understood.
    """

    expressed: tuple[Property, ...] = ()
    dropped: tuple[Property, ...] = ()
    false: tuple[Property, ...] = ()
    denotes: int = 0
    meaning: Meaning | None = None
    is_counted_right: bool = True
    added: tuple[Property, ...] = ()
    unread: tuple[str, ...] = ()


def phrase_plainly(view: SpeakerView, content: Description) -> tuple[WordsHeard, str]:
    """Return the plainest words for a content without words, and what these words mean."""
    chosen = content.properties or ()
    form = content.meaning
    worded = Wording(language_of(view), view.scene).phrase(view.targets, chosen if form is None else form)
    if form is None:
        dropped = [p for p in chosen if p not in worded.expressed and p.value not in UNSAYABLE]
        false = _find_untrue((*chosen, *worded.expressed), view, worded.added)
        expressed = worded.expressed
    else:
        dropped, false = list(worded.dropped), _find_untrue_conjuncts(form, view)
        expressed_choices = [p for p in chosen if p not in dropped]
        expressed = (*expressed_choices, *(p for p in worded.expressed if p.name not in {c.name for c in chosen}))
    heard = WordsHeard(
        tuple(dict.fromkeys(expressed)),
        tuple(dict.fromkeys(dropped)),
        tuple(dict.fromkeys(false)),
        view.scene.denotation(worded.meaning),
        worded.meaning,
        has_true_numbers(worded.meaning, view.scene),
        worded.added,
    )
    return heard, worded.text


def read_back(description: Description, view: SpeakerView, reader: ReadBack | None = None) -> WordsHeard:
    """Interpret the words of a description; part by part if several targets have separate parts."""
    reader = reader or ReadBack(language_of(view))
    parts = description.spans if description.meaning is not None and description.meaning[0] == "parts" else ()
    if len(parts) != len(view.targets) or len(parts) < 2:
        return _interpret(description.text or "", description.properties or (), view, reader)
    heard = [
        _interpret(span.text, span.properties, replace(view, targets=(target,)), reader)
        for span, target in zip(parts, view.targets, strict=True)
    ]
    form: Meaning = ("parts", *((1, h.meaning or EVERYTHING) for h in heard))
    expressed, dropped, false = (
        tuple(dict.fromkeys(p for properties in column for p in properties))
        for column in zip(*((h.expressed, h.dropped, h.false) for h in heard), strict=True)
    )
    return WordsHeard(expressed, dropped, false, view.scene.denotation(form), form, has_true_numbers(form, view.scene))


def _interpret(text: str, properties: Sequence[Property], view: SpeakerView, reader: ReadBack) -> WordsHeard:
    """Return the interpretation of words, with dropped and false properties."""
    reading = reader.read(text, view.scene)
    form = reading.meaning
    relations = {p.name for p in view.scene.extensions if not p.value}
    said = {Property(p.name, "") if p.name in relations else p for p in flatten(form)}
    # Superlatives and ordinals say the number of the attribute that they compare.
    ranked = {atom[1] for atom in atoms(form) if atom[0] in ("least", "most", "nth", "<", ">")}
    dropped = [
        p
        for p in dict.fromkeys(properties)
        if (Property(p.name, "") if p.name in relations else p) not in said
        and p.name not in ranked
        and p.value not in UNSAYABLE
    ]
    false = tuple(dict.fromkeys([*_find_untrue(properties, view), *_find_untrue_conjuncts(form, view)]))
    denotes = view.scene.denotation(form)
    expressed = tuple(
        p for p in dict.fromkeys([*(p for p in properties if p not in dropped), *flatten(form)]) if p.value
    )
    return WordsHeard(
        expressed, tuple(dropped), false, denotes, form, has_true_numbers(form, view.scene), unread=reading.unread
    )


def find_language(speaker: Any, view: SpeakerView) -> Language:
    """Return the language of a speaker's words: that of its realiser, which may differ from the trial's (Portuguese
    words for an English corpus).
    """
    language = getattr(getattr(speaker, "realiser", speaker), "language", None)
    return language if isinstance(language, Language) else language_of(view)


def _find_untrue(properties: Sequence[Property], view: SpeakerView, added: Sequence[Property] = ()) -> list[Property]:
    """Return the properties that are not true of all targets.

    Those of landmarks are judged with the whole.
    """
    entities = [view.scene.entity(i) for i in view.targets]
    checked = (p for p in properties if p not in added and p.value not in UNSAYABLE and not LANDMARKS.match(p.name))
    return [
        p
        for p in checked
        if not all(e.has(p) or (not p.value and p.name in {r.name for r in e.relations}) for e in entities)
        and view.target_mask & ~view.scene.denotation([p])
    ]


def _find_untrue_conjuncts(form: Meaning, view: SpeakerView) -> list[Property]:
    """Return the conjuncts that are not true of all targets of their part.

    For a form in parts, those true of no target.
    """
    scene, targets = view.scene, view.target_mask
    false: list[Property] = []
    for number, part in parts_of(form):
        pieces = sorted(conjuncts(part), key=is_contextual)
        for i, piece in enumerate(pieces):
            context = pieces[:i] if is_contextual(piece) else []
            true = scene.denotation(conjunction([*context, piece])) & targets
            if not true if number is not None else true != targets:
                false += flatten(piece)
    return false
