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
    """Read the taxonomy in a file: JSON if it starts with a brace, otherwise indented text."""
    try:
        # Some editors put a byte order mark before the text.
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedInput(
            f"the taxonomy cannot be read: {error}", where=path, remedy="give a UTF-8 text or JSON file"
        ) from error
    return _parse_json(text, path) if text.lstrip().startswith("{") else parse_taxonomy(text, path)


def parse_taxonomy(text: str, where: str | Path = "taxonomy") -> dict[str, str | None]:
    """Parse a taxonomy from indented lines; blank lines and lines that start with # are skipped."""
    parents: dict[str, str | None] = {}
    above: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        node = line.strip()
        if not node or node.startswith("#"):
            continue
        depth = _measure_indent(line, where, number)
        while above and above[-1][0] >= depth:
            above.pop()
        if node in parents:
            raise MalformedInput(
                f"the node {node!r} occurs twice", where=where, line=number, remedy="write each node once"
            )
        if depth and not above:
            raise MalformedInput(
                f"the node {node!r} is indented, but has no parent above it",
                where=where,
                line=number,
                remedy="begin each tree without indentation",
            )
        parents[node] = above[-1][1] if above else None
        above.append((depth, node))
    return _check_taxonomy(parents, where)


def _measure_indent(line: str, where: str | Path, number: int) -> int:
    """Return the indentation of a line. Raises MalformedInput for mixed spaces and tabs."""
    blank = line[: len(line) - len(line.lstrip())]
    if " " in blank and "\t" in blank:
        raise MalformedInput(
            "the indentation mixes spaces and tabs",
            where=where,
            line=number,
            remedy="indent with one of them throughout",
        )
    return len(blank)


def _parse_json(text: str, where: str | Path) -> dict[str, str | None]:
    """Return the parents in a JSON text. Raises MalformedInput if it is invalid."""
    try:
        parents = json.loads(text)
    except json.JSONDecodeError as error:
        raise MalformedInput(
            f"the taxonomy is not valid JSON: {error.msg}",
            where=where,
            line=error.lineno,
            remedy='write {"child": "parent", …}',
        ) from error
    for child, parent in parents.items():
        if not (parent is None or isinstance(parent, str)):
            raise MalformedInput(
                f"the parent of {child!r} is {parent!r}",
                where=where,
                remedy="write the name of a node as parent, or null for a root",
            )
    # A parent that is not listed is a root.
    return _check_taxonomy({**dict.fromkeys((p for p in parents.values() if p is not None), None), **parents}, where)


def _check_taxonomy(parents: dict[str, str | None], where: str | Path) -> dict[str, str | None]:
    """Return the parents. Raises MalformedInput for a cycle or an empty taxonomy."""
    if not parents:
        raise MalformedInput("the taxonomy has no nodes", where=where, remedy="write at least one node")
    for node in parents:
        seen, at = {node}, parents[node]
        while at is not None:
            if at in seen:
                raise MalformedInput(
                    f"the node {at!r} is its own ancestor",
                    where=where,
                    remedy="remove one of the links between its parents",
                )
            seen.add(at)
            at = parents[at]
    return parents


FURNITURE_AND_PEOPLE: Taxonomy = parse_taxonomy(_INDENTED)
"""Values of the TUNA domains. Opposites (large and small, old and young, light and dark) have no place in it: they are unlike."""


def find_node(taxonomy: Taxonomy, prop: Property) -> str | None:
    """Return the node of a property (``colour:red``) or of its value (``red``); None if there is neither."""
    name = LANDMARKS.sub("", prop.name)
    return next((node for node in (f"{name}:{prop.value}", prop.value) if node in taxonomy), None)


def _list_ancestors(taxonomy: Taxonomy, node: str) -> list[str]:
    """Return a node and its ancestors up to the root."""
    line = [node]
    while (parent := taxonomy[line[-1]]) is not None:
        line.append(parent)
    return line


def _measure_depths(taxonomy: Taxonomy, left: str, right: str) -> tuple[int, int, int]:
    """Return the depths of two nodes and of their lowest common ancestor, counted in nodes from the root.

    0 where they share none.
    """
    first, second = _list_ancestors(taxonomy, left), _list_ancestors(taxonomy, right)
    # The nearest shared ancestor, met first going up, is the deepest.
    shared = next((len(first) - i for i, node in enumerate(first) if node in second), 0)
    return len(first), len(second), shared


def compute_wu_palmer(taxonomy: Taxonomy, left: str, right: str) -> float:
    """Compute Wu & Palmer's similarity, 2·depth(common ancestor) / (depth(left) + depth(right)).

    0 for nodes of different trees.
    """
    first, second, shared = _measure_depths(taxonomy, left, right)
    return 2 * shared / (first + second)


def compute_path_similarity(taxonomy: Taxonomy, left: str, right: str) -> float:
    """Compute 1 / (1 + number of steps between two nodes); 0 for nodes of different trees."""
    first, second, shared = _measure_depths(taxonomy, left, right)
    return 1 / (1 + first + second - 2 * shared) if shared else 0.0


def find_root(taxonomy: Taxonomy, node: str) -> str:
    """Return the root of a node's tree."""
    return _list_ancestors(taxonomy, node)[-1]
