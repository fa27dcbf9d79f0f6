"""Which words share a sense: by WordNet's own index files, or by the data in METEOR's jar."""

from __future__ import annotations

import os
import zipfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from referee.errors import InputError
from referee.signature import digest

KINDS = ("noun", "verb", "adj", "adv")
# WordNet's own rules for regular endings (morphy); irregular forms are in its files of exceptions.
ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


class WordNet:
    """A folder with ``index.noun`` … and, where they are, ``noun.exc`` …"""

    def __init__(self, folder: Path) -> None:
        self._senses: dict[str, dict[str, frozenset[str]]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {}
        read = ""
        for kind in KINDS:
            text = _read_index(folder / f"index.{kind}")
            read += digest(text)
            self._senses[kind] = dict(
                _parse_senses(line, kind) for line in text.splitlines() if line and not line.startswith(" ")
            )
            irregular = folder / f"{kind}.exc"
            lines = irregular.read_text("utf-8").splitlines() if irregular.exists() else []
            self._exceptions[kind] = {form: bases for form, *bases in map(str.split, lines) if bases}
        self.signed = f"wordnet@{digest(read)[:8]}"

    @lru_cache(maxsize=100_000)  # noqa: B019 (one object for a folder, which lives as long as the program)
    def find_senses(self, word: str) -> frozenset[str]:
        """Return all senses of a word and of the base forms that it may have."""
        entries: set[str] = set()
        for kind in KINDS:
            forms = {word, *self._exceptions[kind].get(word, ())}
            forms |= {word[: len(word) - len(end)] + base for end, base in ENDINGS[kind] if word.endswith(end)}
            for form in forms:
                entries |= self._senses[kind].get(form, frozenset())
        return frozenset(entries)

    def share_sense(self, word: str, other: str) -> bool:
        """Return whether two words have a sense in common."""
        return not self.find_senses(word).isdisjoint(self.find_senses(other))


class MeteorSynonyms(WordNet):
    """The synonyms of METEOR 1.5, by the files `synonym/english.…` in its jar and its own rules."""

    def __init__(self, jar: Path) -> None:
        try:
            with zipfile.ZipFile(jar) as archive:
                synsets, exceptions = (
                    archive.read(f"synonym/english.{name}").decode() for name in ("synsets", "exceptions")
                )
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise InputError(
                f"METEOR's synonyms cannot be read ({error})", where=jar, remedy="name meteor-1.5.jar: wordnet:FILE"
            ) from None
        # A line with a word, then one with its synsets; a line with a base form, then one with its irregular forms.
        lines = synsets.splitlines()
        self._synsets = {
            word: frozenset(numbers.split()) for word, numbers in zip(lines[::2], lines[1::2], strict=True)
        }
        self._bases: dict[str, list[str]] = {}
        lines = exceptions.splitlines()
        for base, forms in zip(lines[::2], lines[1::2], strict=True):
            for form in forms.split():
                self._bases.setdefault(form, []).append(base)
        self.signed = f"meteor@{digest(synsets + exceptions)[:8]}"

    @lru_cache(maxsize=100_000)  # noqa: B019 (one object for a file, which lives as long as the program)
    def find_senses(self, word: str) -> frozenset[str]:
        """Return the senses of a word and its base forms: irregular ones, or the first regular one."""
        forms = [word, *(self._bases.get(word) or [self._find_base(word)])]
        return frozenset().union(*(self._synsets.get(form, frozenset()) for form in forms))

    def _find_base(self, word: str) -> str:
        """Return the first regular base form in the dictionary; empty without one."""
        stem, ending = (word[: word.rindex("f")], "ful") if word.endswith("ful") else (word, "")
        if stem.endswith("ss") or len(stem) <= 2:
            return word
        bases = (stem.removesuffix(end) + base for kind in KINDS for end, base in ENDINGS[kind] if stem.endswith(end))
        return next((base + ending for base in bases if base in self._synsets), "")


def _read_index(path: Path) -> str:
    """Return the text of an index file. Raises InputError if it cannot be read."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(
            f"WordNet's index cannot be read ({error.strerror})",
            where=path,
            remedy="name the folder with index.noun and the other index files: wordnet:FOLDER",
        ) from None


def _parse_senses(line: str, kind: str) -> tuple[str, frozenset[str]]:
    """Return the lemma of an index line and its senses."""
    parts = line.split()
    return parts[0], frozenset(f"{kind[0]}{offset}" for offset in parts[-int(parts[2]) :])


@lru_cache(maxsize=4)
def open_wordnet(named: str) -> WordNet:
    """Open the named WordNet folder or METEOR jar; default: WNSEARCHDIR, or the jar of pycocoevalcap."""
    folder = named if named and "@" not in named else os.environ.get("WNSEARCHDIR", "")
    if not folder and (package := find_spec("pycocoevalcap")) and package.submodule_search_locations:
        folder = str(Path(package.submodule_search_locations[0], "meteor", "meteor-1.5.jar"))
    if not folder:
        raise InputError(
            "METEOR's synonyms need the files of WordNet, or METEOR's own",
            remedy="pip install pycocoevalcap, name a folder or jar (wordnet:PATH), or set WNSEARCHDIR",
        )
    if folder.endswith(".jar"):
        return MeteorSynonyms(Path(folder))
    return WordNet(Path(folder))
