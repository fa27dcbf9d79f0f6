"""Incremental entries of the 2007 and 2008 challenges: learned lists of attributes, each with a special rule.

Kelleher & Mac Namee (2008; DIT-FBI, DIT-TVAS), Di Fabbrizio, Stent & Bangalore (2008; ATT-DR), de Lucena & Paraboni
(2008; USP-EACH-FREQ), and the groups of attributes of Hervás & Gervás (2007; NIL).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import Contrast
from referee.selection.frequencies import Frequencies, GroupedFrequencies, count_by_group
from referee.selection.incremental import Incremental
from referee.selection.reasons import Note, Reasoned

# Five columns and three rows, so 3 and 2 are the middles.
X, Y = "x-dimension", "y-dimension"


class CentreRule(Incremental):
    """DIT-FBI: the type, then attributes by falling count.

    The middle of one axis is not named without the other axis.
    """

    def __init__(
        self,
        by: tuple[str, ...] = ("domain", "condition"),
        centres: tuple[tuple[Property, str], ...] = ((Property(X, 3), Y), (Property(Y, 2), X)),
        late: tuple[str, ...] = (),
        printed: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(order="frequency", head="first", by=by, late=late, printed=printed)
        self.centres = centres

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the type, then attributes by falling count, with the rule for middles."""
        chosen: dict[Property, str] = {}
        left = contrast.distractors
        if contrast.head is not None:
            chosen[contrast.head] = "the type comes first"
            left &= contrast.extensions[contrast.head]
        for prop in self.preferences(contrast, view):
            if not left:
                break
            if prop in chosen or not left & contrast.ruled_out(prop):
                continue
            chosen[prop] = "the most mentioned remaining attribute that rules out a distractor"
            for other in self._find_partner(prop, contrast):
                chosen.setdefault(other, "goes with a place in the middle of the other axis")
            left = contrast.remaining(chosen)
        for prop, reason in chosen.items():
            if note:
                note(prop, reason)
        return tuple(chosen)

    def _find_partner(self, prop: Property, contrast: Contrast) -> tuple[Property, ...]:
        return contrast.select_by_name(tuple(other for centre, other in self.centres if prop == centre))


class _Counting(Reasoned):
    """The base of selectors that count mentions, by groups of trials."""

    by: tuple[str, ...]

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count how often each pair is mentioned where it could be, per group of trials."""
        self.frequencies_: GroupedFrequencies = count_by_group(trials, self.by)
        return self

    def seen(self, view: SpeakerView) -> Frequencies:
        """Return the counts of a view's group."""
        if not hasattr(self, "frequencies_"):
            raise NotTrained(self)
        return self.frequencies_.of(view)


@dataclass(eq=False, repr=False)
class PriorsWithinReach(_Counting):
    """DIT-TVAS: of the pairs whose prior comes within `reach` of the highest, the one that rules out most is tried next.

    `reach` is a difference of priors, or a share of the highest one where `relative`.
    """

    reach: float = 0.05
    relative: bool = False
    by: tuple[str, ...] = ("domain",)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return properties by falling prior, with discriminating ones among nearly equal priors first."""
        seen = self.seen(view)
        priors = {p: seen.prior(p) or 0.0 for p in contrast.properties if p != contrast.head}
        untested = sorted(priors, key=lambda p: -priors[p])
        # Not in the paper for TVAS, only for FBI; without it the people scores cannot be reached.
        chosen = [] if contrast.head is None else [contrast.head]
        if note and chosen:
            note(chosen[0], "the type comes first")
        left = contrast.remaining(chosen)
        while left and untested:
            near = self._select_near_best(untested, priors)
            # Of equals the first, which has the higher prior.
            best = max(near, key=lambda p: (left & contrast.ruled_out(p)).bit_count())
            untested.remove(best)
            if gone := left & contrast.ruled_out(best):
                chosen.append(best)
                left &= ~gone
                if note:
                    note(best, f"prior {priors[best]:.2f}, and rules out most of the {len(near)} pairs within reach")
        return tuple(chosen)

    def _select_near_best(self, untested: Sequence[Property], priors: Mapping[Property, float]) -> list[Property]:
        """Return the pair with the highest prior and those within a margin of it, by falling prior."""
        highest = priors[untested[0]]
        least = highest * (1 - self.reach) if self.relative else highest - self.reach
        # A difference of exactly the reach is within it, whatever rounding makes of it.
        return [p for p in untested if priors[p] >= least - 1e-12]


class BackedOffOrder(Incremental):
    """ATT-DR: attributes by frequency under the item's condition.

    Those unseen there by frequency over all conditions. With `personal` a known speaker's own order comes first.
    """

    def __init__(self, personal: bool = False) -> None:
        super().__init__(order="frequency", head="last")
        self.personal = personal

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count per domain and condition, and per domain and speaker."""
        trials = list(trials)
        self.conditions_ = count_by_group(trials, ("domain", "condition"))
        self.speakers_ = count_by_group(trials, ("domain", "speaker"))
        return self

    def preferences(self, contrast: Contrast, view: SpeakerView) -> Sequence[Property]:
        """Return the properties in the order of preference."""
        if not hasattr(self, "conditions_"):
            raise NotTrained(self)
        return contrast.select_by_name(
            tuple(dict.fromkeys((*self._get_personal_order(view), *self._get_common_order(view), *contrast.by_name)))
        )

    def _get_personal_order(self, view: SpeakerView) -> Iterable[str]:
        """Return the speaker's own order, if it is known and used."""
        personal_table = self.speakers_.tables.get((view.domain, view.speaker)) if self.personal else None
        return (
            []
            if personal_table is None
            else [name for name in personal_table.order if personal_table.mentions.get(name)]
        )

    def _get_common_order(self, view: SpeakerView) -> list[str]:
        """Return the common order under the condition."""
        here = self.conditions_.of(view)
        everywhere: Frequencies = self.conditions_.tables.get((view.domain,), here)
        lacking = {name: n for name, n in everywhere.mentions.items() if name not in here.mentions}
        # Counts over one condition and over both in one list: so the paper merges them.
        mentions = {**here.mentions, **lacking}
        return sorted(mentions, key=lambda name: -mentions[name])


class FrequentFirst(_Counting):
    """USP-EACH-FREQ: attributes in more than a share `threshold` of descriptions are always mentioned.

    After that the most frequent attribute that distinguishes alone; while there is none, the most frequent useful one.
    """

    def __init__(self, threshold: float = 0.8, by: tuple[str, ...] = ("domain",)) -> None:
        self.threshold = threshold
        self.by = by

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the frequent attributes, then those needed."""
        seen = self.seen(view)
        ordered = contrast.select_by_name(tuple(dict.fromkeys((*seen.order, *contrast.by_name))))
        # Above, not at least: in W08-1135 that is type and colour of furniture, and the type of people.
        chosen = [p for p in ordered if (seen.share(p.name) or 0.0) > self.threshold]
        for prop in chosen:
            if note:
                note(prop, f"mentioned in more than {self.threshold:.0%} of descriptions")
        left = contrast.remaining(chosen)
        while left:
            alone = (p for p in ordered if not left & contrast.extensions[p])
            helpful = (p for p in ordered if left & contrast.ruled_out(p))
            best = next(alone, None) or next(helpful, None)
            if best is None:
                break
            chosen.append(best)
            left &= contrast.extensions[best]
            if note:
                note(
                    best,
                    "rules out some"
                    if left
                    else "the most frequent attribute that rules out all remaining distractors",
                )
        return tuple(chosen)


class GroupedOrder(Incremental):
    """NIL: `groups` of attributes per domain, one after the other; within a group by falling count.

    The type has no special role.
    """

    def __init__(self, groups: Mapping[str, tuple[tuple[str, ...], ...]]) -> None:
        super().__init__(order="frequency", head="none")
        self.groups = groups

    def preferences(self, contrast: Contrast, view: SpeakerView) -> Sequence[Property]:
        """Return the properties in the order of groups and counts."""
        learned = [p.name for p in super().preferences(contrast, view)]
        groups = self.groups.get(view.domain or "", ())
        names = [name for group in groups for name in sorted(group, key=lambda n: _find_position(n, learned))]
        return contrast.select_by_name(tuple(dict.fromkeys((*names, *learned))))


def _find_position(name: str, ordered: Sequence[str]) -> int:
    """Return the position of a name in an order; unlisted names come last."""
    return ordered.index(name) if name in ordered else len(ordered)
