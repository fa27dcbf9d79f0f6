"""A tree of ever smaller sets of entities, one attribute per level, walked down to the target (Paladhi & Bandyopadhyay 2008: JU-PTBSGRE)."""

from __future__ import annotations

from collections.abc import Mapping

from referee.records import Property, SpeakerView
from referee.selection.contrast import Contrast
from referee.selection.reasons import Note, Reasoned


class PartitionTree(Reasoned):
    """Level i branches on the i-th of the `preferences`: attributes, or pairs such as "hasBeard:1".

    Others come after, in the scene's order.

    Preferences are given per domain, or per domain and condition ("people +LOC"). On the path to the target an edge is
    mentioned if its child is smaller than its parent; those in `always` are mentioned in any case.
    """

    def __init__(self, preferences: Mapping[str, tuple[str, ...]], always: tuple[str, ...] = ("type",)) -> None:
        self.preferences = preferences
        self.always = always

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the edges on the path to the target that shrink the set."""
        chosen: list[Property] = []
        node = contrast.distractors
        # Values do not overlap in TUNA, so there is one path, and the walk equals the Incremental Algorithm in this
        # order.
        for edge in self._list_levels(contrast, view):
            child = node & contrast.extensions[edge]
            # The rule alone would never say the type of people, which a Dice of .762 needs.
            if child != node or edge.name in self.always:
                chosen.append(edge)
                if note:
                    note(edge, "always included" if child == node else "the branch of the target is smaller")
            node = child
        return tuple(chosen)

    def _list_levels(self, contrast: Contrast, view: SpeakerView) -> list[Property]:
        """Return the target's path: the properties named by the preferences, then the rest.

        Once the target is alone no node gets smaller.
        """
        domain = view.domain or ""
        listed = self.preferences.get(f"{domain} {view.condition}", self.preferences.get(domain, ()))
        places = {name: place for place, name in enumerate(listed)}
        last = len(listed)
        return sorted(contrast.properties, key=lambda p: places.get(str(p), places.get(p.name, last)))
