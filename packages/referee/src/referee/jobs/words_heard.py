"""What a description's words say of a scene: held against what was chosen, and against what is true of the targets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from referee.capabilities import HasFormula, HasFragments
from referee.realisation.annotation import UNSAYABLE
from referee.realisation.language import Language
from referee.realisation.reading_back import ReadBack
from referee.realisation.wording import Worded, Wording, language_of
from referee.records import LANDMARKS, Property, SpeakerView

__all__ = ["WordsHeard", "heard_in", "plainly", "spoken_language"]


class WordsHeard(NamedTuple):
    """What the words say, what was chosen and they do not say, what is not true of a target, and whom they are true of (a bit set)."""

    said: tuple[Property, ...] = ()
    dropped: tuple[Property, ...] = ()
    false: tuple[Property, ...] = ()
    denotes: int = 0


def plainly(selector: Any, view: SpeakerView, properties: Sequence[Property]) -> tuple[WordsHeard, str]:
    """The plainest words for what a selector chose: in parts where it describes in parts, with "or" and "not" where it needs them."""
    wording = Wording(language_of(view), view.scene)
    formula = selector.formula(view) if isinstance(selector, HasFormula) else None
    if formula is not None:
        worded, denotes = wording.formula(view.targets, formula.clauses), formula.denotation(view.scene)
        # A union need not be true part by part.
        wrong = () if not view.target_mask & ~denotes else worded.said
        return _held(worded, properties, wrong, denotes), worded.text
    parts = [(view.targets, properties)]
    if isinstance(selector, HasFragments):
        parts = [(f.referents, f.properties) for f in selector.fragments(view)]
    said = [(of, chosen, wording.phrase(of, chosen)) for of, chosen in parts]
    denotes = reduce(or_, (view.scene.mask(of) if w.added else wording.denotes(w.said) for of, _, w in said), 0)
    wrong = tuple(p for of, chosen, w in said for p in _untrue((*chosen, *w.said), of, view, w.added))
    text = wording.language.enumerate([w.text for _, _, w in said])
    whole = Worded(text, tuple(dict.fromkeys(p for _, _, w in said for p in w.said)))
    return _held(whole, properties, wrong, denotes), text


def heard_in(
    text: str, properties: Sequence[Property], view: SpeakerView, reader: ReadBack | None = None
) -> WordsHeard:
    """What somebody's words say, read back."""
    reader, targets = reader or ReadBack(language_of(view)), [view.scene.entity(t) for t in view.targets]
    said = reader.read(text, properties, view.scene, targets)
    wrong = _untrue((*properties, *said), view.targets, view)
    return _held(Worded(text, said), properties, wrong, Wording(reader.language, view.scene).denotes(said))


def spoken_language(speaker: Any, view: SpeakerView) -> Language:
    """The language that a speaker's words are in: that of its realiser, which may not be the trial's (Portuguese words for an English corpus)."""
    found = getattr(getattr(speaker, "realiser", speaker), "language", None)
    return found if isinstance(found, Language) else language_of(view)


def _held(worded: Worded, chosen: Sequence[Property], wrong: Sequence[Property], denotes: int) -> WordsHeard:
    dropped = tuple(p for p in dict.fromkeys(chosen) if p not in worded.said and p.value not in UNSAYABLE)
    return WordsHeard(worded.said, dropped, tuple(dict.fromkeys(wrong)), denotes)


def _untrue(
    properties: Sequence[Property], ids: Sequence[str], view: SpeakerView, added: Sequence[Property] = ()
) -> list[Property]:
    """What is not true of all of these; what is said of landmarks is judged with the whole."""
    entities = [view.scene.entity(i) for i in ids]
    checked = (p for p in properties if p not in added and p.value not in UNSAYABLE and not LANDMARKS.match(p.name))
    return [
        p
        for p in checked
        if not all(e.has(p) or (not p.value and p.name in {r.name for r in e.relations}) for e in entities)
    ]
