"""Count variables and parameters whose name is a bare participle or pronoun, and compare their share with the ceiling.

    python tests/name_count.py [FOLDER …]     print the share; with folders, also every place

A name counts if one of the twelve words is the whole name or a part between underscores (`result_found`). Terms of the trade are exempt.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [ROOT / "packages" / "referee" / "src", ROOT / "packages" / "referee-lab" / "src"]
EMPTY_WORDS = frozenset(
    ["found", "told", "said", "known", "given", "kept", "own", "mine", "wanted", "one", "who", "there"]
)
TERMS = frozenset(["one_sided", "one_way", "one_hot", "one_tailed", "leave_one_out", "one_to_one"])
# In per cent of all bindings; it only ever falls.
CEILING = 0.5


def iterate_bindings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the name and line of every variable and parameter that a module binds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def is_empty(name: str) -> bool:
    """Return whether a name has one of the empty words as a part and is no term of the trade."""
    stripped = name.strip("_")
    return not any(term in stripped for term in TERMS) and bool(EMPTY_WORDS & set(stripped.split("_")))


def main(folders: list[str]) -> int:
    paths = sorted(path for root in (map(Path, folders) if folders else SOURCES) for path in root.rglob("*.py"))
    bindings = [(path, *found) for path in paths for found in iterate_bindings(ast.parse(path.read_text("utf-8")))]
    empty = [(path, name, line) for path, name, line in bindings if is_empty(name)]
    if folders:
        for path, name, line in empty:
            print(f"{path}:{line}: {name}")
    share = 100 * len(empty) / len(bindings)
    print(f"{len(empty):,} of {len(bindings):,} bindings ({share:.2f} %) have an empty name (ceiling {CEILING} %)")
    print("  " + ", ".join(f"{name} {times}" for name, times in Counter(name for _, name, _ in empty).most_common(12)))
    return int(not folders and share > CEILING)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
