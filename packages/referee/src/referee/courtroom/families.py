"""Families of systems.

A team's entries with one algorithm or base name, a model under several instructions, and systems with identical
outputs.

Related systems agree because of their common origin; counting each would count one fact several times. A family has one
vote.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from referee.systems.entries import SystemRow
from referee.systems.roster import iterate_rows as roster_rows

MODEL = "model:"


def find_family_names(systems: Sequence[str], output_digests: Mapping[str, Hashable] | None = None) -> dict[str, str]:
    """Return the name of the family of every system that has relatives.

    `output_digests` are equal for two systems if and only if all their outputs are equal.
    """
    entries = {f"{group}/{name}": (name, row) for group, name, _, row in roster_rows()}
    groups: dict[Hashable, list[str]] = {}
    for system in systems:
        for mark in _list_family_keys(system, entries):
            groups.setdefault(mark, []).append(system)
        if output_digests is not None and system in output_digests:
            groups.setdefault(("said", output_digests[system]), []).append(system)
    return {s: _name_family(group) for group in merge_groups(systems, groups.values()) if len(group) > 1 for s in group}


def _list_family_keys(system: str, entries: Mapping[str, tuple[str, SystemRow]]) -> list[Hashable]:
    """Return the keys that two members of a family share: team and base name, team and algorithm, or model.

    The model, or the name without its options.
    """
    plain, *switches = system.split("|")
    models = [s for s in switches if s.startswith(MODEL)]
    if plain not in entries:
        return [(plain, *models)]
    name, row = entries[plain]
    parts = tuple(part.where for part in (row.selector, row.realiser) if part is not None)
    # ATT-FB-sf is ATT-FB of AT&T, TITCH-AS+ is TITCH-AS; a variant is named after its entry with a point between
    base = "-".join(name.partition(".")[0].rstrip("+").split("-")[:2])
    return [(row.team, base), (row.team, row.year, parts), (plain, *models)]


def _name_family(group: Sequence[str]) -> str:
    """Return ``ATT-FB-*`` where all names share a beginning, otherwise the first name and the number of others."""
    first, last = min(group), max(group)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    shared = first[:length]
    whole = shared.rstrip("-.|")
    ends_a_word = whole != shared or shared in group
    return f"{whole}*" if ends_a_word and whole.rpartition("/")[2] else f"{group[0]} and {len(group) - 1} more"


def merge_groups(names: Sequence[str], groups: Iterable[Sequence[str]]) -> list[list[str]]:
    """Merge groups that share a member, in the order of the names.

    A name without a group is its own group.
    """
    root = {name: name for name in names}

    def find(name: str) -> str:
        """Return the representative of the family of a name."""
        while root[name] != name:
            name = root[name]
        return name

    for group in groups:
        for other in group[1:]:
            root[find(other)] = find(group[0])
    united: dict[str, list[str]] = {}
    for name in names:
        united.setdefault(find(name), []).append(name)
    return list(united.values())
