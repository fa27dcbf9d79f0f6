"""A taxonomy of values, and similarity in it (Wu & Palmer 1994; van Deemter & Gatt 2007 suggest such a tree, section
1.3).

A taxonomy is a mapping from each node to its parent, None for a root; there may be several trees. `read_taxonomy` reads
one from a file: JSON (``{"chair": "seat", "seat": "furniture"}``) or text with one node per line, children indented
below their parent. A node ``colour:red`` is that value of that attribute only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from referee.errors import MalformedInput
from referee.records import LANDMARKS, Property

Taxonomy = Mapping[str, str | None]

_INDENTED = """
furniture
    seat
        chair
        sofa
    table
        desk
    appliance
        fan
person
    man
    woman
colour
    warm
        red
        orange
        yellow
    cool
        blue
        green
        purple
    neutral
        grey
        black
        white
        brown
orientation
    straight
        front
        back
    sideways
        left
        right
"""


def read_taxonomy(path: str | Path) -> dict[str, str | None]:
    """The taxonomy in a file, JSON if it starts with a brace, indented text if not."""
    try:
        # Some editors put a byte order mark before the text.
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedInput(
            f"cannot read the taxonomy: {error}", where=path, remedy="give a UTF-8 text or JSON file"
        ) from error
    return _from_json(text, path) if text.lstrip().startswith("{") else parse_taxonomy(text, path)


def parse_taxonomy(text: str, where: str | Path = "taxonomy") -> dict[str, str | None]:
    """A taxonomy from indented lines; blank lines and lines that start with # are skipped."""
    parents: dict[str, str | None] = {}
    above: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        node = line.strip()
        if not node or node.startswith("#"):
            continue
        depth = _indent(line, where, number)
        while above and above[-1][0] >= depth:
            above.pop()
        if node in parents:
            raise MalformedInput(
                f"{node!r} occurs twice", where=where, line=number, remedy="give each node one place in the tree"
            )
        if depth and not above:
            raise MalformedInput(
                f"{node!r} is indented below nothing", where=where, line=number, remedy="start each tree at the margin"
            )
        parents[node] = above[-1][1] if above else None
        above.append((depth, node))
    return _checked(parents, where)


def _indent(line: str, where: str | Path, number: int) -> int:
    """Return the indentation of a line. Raises MalformedInput for mixed spaces and tabs."""
    blank = line[: len(line) - len(line.lstrip())]
    if " " in blank and "\t" in blank:
        raise MalformedInput(
            "blanks and tabs are mixed", where=where, line=number, remedy="indent with one of them throughout"
        )
    return len(blank)


def _from_json(text: str, where: str | Path) -> dict[str, str | None]:
    """Return the parents in a JSON text. Raises MalformedInput if it is invalid."""
    try:
        parents = json.loads(text)
    except json.JSONDecodeError as error:
        raise MalformedInput(
            f"not JSON: {error.msg}", where=where, line=error.lineno, remedy='write {"child": "parent", …}'
        ) from error
    for child, parent in parents.items():
        if not (parent is None or isinstance(parent, str)):
            raise MalformedInput(
                f"the parent of {child!r} is {parent!r}", where=where, remedy="a parent is a text, or null for a root"
            )
    # A parent that is not listed is a root.
    return _checked({**dict.fromkeys((p for p in parents.values() if p is not None), None), **parents}, where)


def _checked(parents: dict[str, str | None], where: str | Path) -> dict[str, str | None]:
    """Return the parents. Raises MalformedInput for a cycle or an empty taxonomy."""
    if not parents:
        raise MalformedInput("the taxonomy is empty", where=where, remedy="name at least one value")
    for node in parents:
        seen, at = {node}, parents[node]
        while at is not None:
            if at in seen:
                raise MalformedInput(f"{at!r} lies below itself", where=where, remedy="break the circle of parents")
            seen.add(at)
            at = parents[at]
    return parents


FURNITURE_AND_PEOPLE: Taxonomy = parse_taxonomy(_INDENTED)
"""Values of the TUNA domains. Opposites (large and small, old and young, light and dark) have no place in it: they are unlike."""


def find(taxonomy: Taxonomy, prop: Property) -> str | None:
    """Return the node of a property (``colour:red``) or of its value (``red``); None if there is neither."""
    name = LANDMARKS.sub("", prop.name)
    return next((node for node in (f"{name}:{prop.value}", prop.value) if node in taxonomy), None)


def _line(taxonomy: Taxonomy, node: str) -> list[str]:
    """A node and its ancestors up to the root."""
    line = [node]
    while (parent := taxonomy[line[-1]]) is not None:
        line.append(parent)
    return line


def _meeting(taxonomy: Taxonomy, left: str, right: str) -> tuple[int, int, int]:
    """Depths of two nodes and of their lowest common ancestor, counted in nodes from the root.

    0 where they share none.
    """
    first, second = _line(taxonomy, left), _line(taxonomy, right)
    # The nearest shared ancestor, met first going up, is the deepest.
    shared = next((len(first) - i for i, node in enumerate(first) if node in second), 0)
    return len(first), len(second), shared


def wu_palmer(taxonomy: Taxonomy, left: str, right: str) -> float:
    """2·depth(common ancestor) / (depth(left) + depth(right)), a root having depth 1.

    0 for nodes of different trees.
    """
    first, second, shared = _meeting(taxonomy, left, right)
    return 2 * shared / (first + second)


def path_length(taxonomy: Taxonomy, left: str, right: str) -> float:
    """1 / (1 + number of steps between the two nodes); 0 for nodes of different trees."""
    first, second, shared = _meeting(taxonomy, left, right)
    return 1 / (1 + first + second - 2 * shared) if shared else 0.0


def root_of(taxonomy: Taxonomy, node: str) -> str:
    """The root of a node's tree."""
    return _line(taxonomy, node)[-1]
