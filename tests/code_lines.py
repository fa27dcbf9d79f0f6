"""Count the code lines of both packages, without docstrings, comments and blanks, and compare them with the ceilings.

    python tests/code_lines.py      print lines and modules; exit 1 if a package is above its ceiling

The ceilings are in code_lines.toml beside this file. A commit that raises one says what for.
"""

from __future__ import annotations

import ast
import sys
import tokenize
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CEILINGS = Path(__file__).with_name("code_lines.toml")
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def count_code_lines(path: Path) -> int:
    """Return the number of lines of a module that hold code."""
    with path.open("rb") as file:
        tokens = [t for t in tokenize.tokenize(file.readline) if t.type not in LAYOUT and t.type != tokenize.ENDMARKER]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return len(lines - _docstring_lines(path))


def _docstring_lines(path: Path) -> set[int]:
    nodes = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, DOCUMENTED)]
    docstrings = [n.body[0] for n in nodes if ast.get_docstring(n, clean=False) is not None]
    return {line for d in docstrings for line in range(d.lineno, (d.end_lineno or d.lineno) + 1)}


def main() -> int:
    ceilings = tomllib.loads(CEILINGS.read_text("utf-8"))
    is_above = False
    for package, ceiling in ceilings.items():
        modules = sorted((ROOT / "packages" / package / "src").rglob("*.py"))
        lines = sum(map(count_code_lines, modules))
        print(f"{package}: {lines:,} code lines in {len(modules)} modules (ceiling {ceiling:,})")
        is_above |= lines > ceiling
    if is_above:
        print(
            f"A package has more code lines than its ceiling allows.\n  → delete code, or raise the ceiling in {CEILINGS.name} and say what for"
        )
    return int(is_above)


if __name__ == "__main__":
    sys.exit(main())
