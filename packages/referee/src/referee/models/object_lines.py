"""Objects as models read them: one line each, attributes and relations, never an id."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from referee.records import Entity


def format_object(
    entity: Entity, numbers: Mapping[str, int], place: str | None = None, hidden: Collection[str] = ()
) -> str:
    """Return attributes, relations to objects by number, and the position: as coordinates, or as the words of `place`
    (empty: omitted).

    `hidden` names attributes that are omitted.
    """
    parts = [f"{p.name}: {p.value}" for p in entity.attributes if p.name not in hidden]
    parts += [f"{r.name} object {numbers[r.entity]}" for r in entity.relations if r.entity in numbers]
    if place:
        parts.append(f"place: {place}")
    elif entity.position is not None and place is None:
        parts.append(f"position: ({', '.join(format(x, 'g') for x in entity.position)})")
    return "; ".join(parts) or "(nothing is known)"
