"""Build the pages of studies and games from this folder, unless they are there and as new as their sources.

    python browser/pages.py        build them if need be

The build of the package (hatch_build.py) and the Makefile ask here, so this too uses nothing but the standard library.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from node import NoNode, run

ROOT = Path(__file__).resolve().parent.parent
STAMP = "src/referee_lab/static/.built"
ENTRIES = ("annotator", "look", "organiser", "participant", "replay")
NEEDED = tuple(f"src/referee_lab/static/{entry}.{kind}" for entry in ENTRIES for kind in ("html", "js", "css"))
REMEDY = (
    "the pages are made with packages from npm, so this needs the network once; "
    "or take the source distribution (sdist), which carries them built"
)


def are_stale(root: Path = ROOT) -> bool:
    """Whether they are not built, or older than what they are built from."""
    stamp = root / STAMP
    if not stamp.is_file() or missing(root):
        return True
    if (
        root / "PKG-INFO"
    ).is_file():  # an sdist was packed with its pages, whatever unpacking did to the times of files
        return False
    built = stamp.stat().st_mtime
    return any(path.stat().st_mtime > built for path in sources(root))


def missing(root: Path = ROOT) -> list[str]:
    """Which of the files are not there."""
    return [name for name in NEEDED if not (root / name).is_file()]


def sources(root: Path = ROOT) -> list[Path]:
    """What they depend on; tests of the pages and installed packages do not count."""
    browser = root / "browser"
    words = root / "src/referee_lab/study/texts/en/strings.toml"
    written = [p for p in (browser / "src").rglob("*") if p.is_file() and "generated" not in p.parts]
    return [words, *browser.glob("*.json"), *browser.glob("*.mjs"), *written]


def build() -> None:
    """Build them, with the machine's Node or a wheel's; NoNode says what is missing."""
    print("building the pages of a study", file=sys.stderr)
    run("npm", "ci", "--silent", "--no-audit", "--no-fund", quiet=True)
    run("npm", "run", "--silent", "build", quiet=True)
    if gone := missing():
        raise NoNode(f"the pages were built, and yet there is no {', '.join(gone)}")
    (ROOT / STAMP).touch()


def main() -> None:
    try:
        if are_stale():
            build()
    except NoNode as error:
        sys.exit(f"{error}\n  → {REMEDY}")


if __name__ == "__main__":
    main()
