"""The words of a language for pieces and for pointing, from small files, as a pattern that finds expressions.

The package has files for the languages of its pages (`words/`). A custom file extends one of them, or adds another
language; `referee docs tangram-annotation` describes its format. The nouns depend on the board: the shapes of its
pieces, the letters of pentominoes, the names of custom pieces. A shape without a word in the language keeps its own
name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from referee.errors import InputError

FOLDER = Path(__file__).with_name("words")
# The traits that words express: of a piece, of its position, or of the number of pieces.
TRAITS = ("size", "colour", "shade", "shape")
TABLES = {"sizes": "size", "colours": "colour", "shades": "shade", "shapes": "shape", "looks": "shape"}
MORE_TABLES = ("places", "numbers", "patterns", "codes")
LISTS = (
    *("determiners", "demonstratives", "pronouns", "several", "things", "stand_ins", "plural", "genitive", "others"),
    *("same", "fillers", "hesitations", "letters", "endings", "beside", "carrying"),
)
SWITCHES = {"needs_noun": False, "blanks": True, "needs_determiner": True, "adjectives_follow": False}
PLACES = ("left", "right", "top", "bottom")
CODES = ("dir", "tpl", "ovl", "act")
EXAMPLE = 'language = "fr", determiners = "le, la, un", pronouns = "il, elle", things = "pièce", and tables such as [shapes] triangle = "triangle"'


# Compared by identity: derived patterns are cached by it.
@dataclass(frozen=True, slots=True, eq=False)
class WordFile:
    """The words of one language: lists, tables (kind → words) and switches, as in its file."""

    language: str
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    switches: Mapping[str, bool] = field(default_factory=dict)

    def list(self, name: str) -> tuple[str, ...]:
        return self.lists.get(name, ())

    def table(self, name: str) -> Mapping[str, tuple[str, ...]]:
        return self.tables.get(name, {})

    def switch(self, name: str) -> bool:
        return self.switches.get(name, SWITCHES[name])

    def merge_words(self, other: WordFile) -> WordFile:
        """Return these words merged with those of a custom file, whose switches and patterns take precedence."""
        lists = {name: (*self.list(name), *other.list(name)) for name in LISTS}
        tables = {
            name: {
                key: (*self.table(name).get(key, ()), *other.table(name).get(key, ()))
                for key in dict.fromkeys([*self.table(name), *other.table(name)])
            }
            for name in (*TABLES, "places", "numbers")
        }
        return WordFile(
            self.language, lists, tables, {**self.patterns, **other.patterns}, {**self.switches, **other.switches}
        )


# -- files ---------------------------------------------------------------------------------------------------------------------


def list_languages() -> list[str]:
    """Return the languages that the package has words for."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@lru_cache(maxsize=16)
def read_words(path: Path) -> WordFile:
    """Return a file of words."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path, remedy="name a file of words") from None
    except ValueError as error:
        raise InputError(f"no file of words ({error})", where=path, remedy=EXAMPLE) from None
    language = data.pop("language", None)
    if not isinstance(language, str) or not re.fullmatch(r"[a-z]{2,3}", language):
        raise InputError(
            f"{language!r} is not a language", where=path, remedy='language = "fr": its code of two letters'
        )
    if strange := data.keys() - {*LISTS, *SWITCHES, *TABLES, *MORE_TABLES}:
        keys = ", ".join([*LISTS, *TABLES, "places", "numbers", "patterns", "codes", *SWITCHES])
        raise InputError(f"{sorted(strange)[0]!r} is not known here", where=path, remedy=f"there are {keys}")
    lists = {name: _split_words(data[name], name, path) for name in LISTS if name in data}
    tables = {
        name: {key: _split_words(words, f"{name}.{key}", path) for key, words in _get_table(data, name, path).items()}
        for name in (*TABLES, "places", "numbers")
        if name in data
    }
    switches = {name: bool(data[name]) for name in SWITCHES if name in data}
    _check_keys(tables, path)
    return WordFile(language, lists, tables, _compile_patterns(data, path), switches)


def _split_words(words: Any, name: str, path: Path) -> tuple[str, ...]:
    """Return the words of a comma-separated string. Raises InputError for other values."""
    if not isinstance(words, str):
        raise InputError(
            f"{name} is {words!r:.30}", where=path, remedy=f'write {name} = "word, second word, third word"'
        )
    return tuple(word for part in words.split(",") if (word := part.strip()))


def _get_table(data: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    """Return a table of a word file. Raises InputError if it is no table."""
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{name} is not a table", where=path, remedy=f'[{name}] and lines such as X = "cross, plus"')
    return table


def _check_keys(tables: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Raise InputError for an unknown position or number in a word file."""
    if strange := set(tables.get("places", {})) - set(PLACES):
        raise InputError(f"no place is called {sorted(strange)[0]!r}", where=path, remedy=", ".join(PLACES))
    if strange := {n for n in tables.get("numbers", {}) if n != "all" and not n.isdigit()}:
        raise InputError(f"{sorted(strange)[0]!r} is not a number", where=path, remedy='2 = "two, both", all = "all"')


def _compile_patterns(data: Mapping[str, Any], path: Path) -> dict[str, str]:
    """Return the patterns of a word file for the end of an expression and for codes.

    Raises InputError if one does not compile.
    """
    patterns = {**_get_table(data, "patterns", path), **_get_table(data, "codes", path)}
    if strange := patterns.keys() - {"where", "after", "not_behind", "not_before", "other_noun", *CODES}:
        raise InputError(f"no pattern is called {sorted(strange)[0]!r}", where=path, remedy="see the file for English")
    joined = {name: "|".join(value) if isinstance(value, list) else str(value) for name, value in patterns.items()}
    for name, pattern in joined.items():
        try:
            re.compile(pattern)
        except re.error as error:
            raise InputError(f"{name} is not a pattern ({error})", where=path, remedy="a regular expression") from None
    return joined


# -- the words for one board ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PieceLexicon:
    """The patterns that find expressions.

    One for expressions, and for each trait the pattern and the meanings of its words.

    `without_words` names the shapes that keep their own names, because the language has no word for them.
    """

    language: str
    phrase: re.Pattern[str]
    traits: Mapping[str, tuple[re.Pattern[str], Mapping[str, frozenset[str]]]]
    marks: Mapping[str, re.Pattern[str]]
    pieces: int
    without_words: tuple[str, ...] = ()

    def says(self, trait: str, text: str) -> frozenset[str]:
        """Return the values of a trait by the first word for it in a text; empty if there is none."""
        pattern, meanings = self.traits[trait]
        match = pattern.search(text)
        return frozenset() if match is None else meanings[_normalise_form(match[0])]

    def has(self, mark: str, text: str) -> bool:
        return bool(self.marks[mark].search(text))


def find_lexicon(
    language: str, pieces: Mapping[str, Mapping[str, str]], word_file: WordFile | None = None
) -> PieceLexicon | None:
    """Return the words of a language for the pieces of a board; None where there are none for the language."""
    code = language.split("-")[0].lower()
    if code not in list_languages() and (word_file is None or word_file.language != code):
        return None
    names = tuple((number, kind.get("shape") or kind.get("type", "")) for number, kind in pieces.items())
    return _load_lexicon(code, names, word_file if word_file is not None and word_file.language == code else None)


def make_lexicon_error(language: str) -> InputError:
    """Return the error for a language without a lexicon."""
    return InputError(
        f"there are no words for pieces in the language {language!r}",
        remedy=f"there are some for {', '.join(list_languages())}; --words FILE gives others ({EXAMPLE}; `referee docs tangram-annotation`)",
    )


@lru_cache(maxsize=64)
def _load_lexicon(code: str, names: tuple[tuple[str, str], ...], word_file: WordFile | None) -> PieceLexicon:
    words = read_words(FOLDER / f"{code}.toml") if code in list_languages() else WordFile(code)
    return _build_lexicon(words if word_file is None else words.merge_words(word_file), names)


def _build_lexicon(words: WordFile, names: tuple[tuple[str, str], ...]) -> PieceLexicon:
    """Return the lexicon for the pieces of a board."""
    shapes = {shape for _, shape in names if shape} | {number for number, _ in names}
    if all(shape in ("", number) for number, shape in names):
        # Objects that are only named: any shape may be said of them.
        shapes |= {key for key in words.table("shapes") if len(key) > 1}
    nouns = {key: forms for key, forms in words.table("shapes").items() if key in shapes}
    bare = tuple(sorted({shape for _, shape in names if len(shape) > 1} - nouns.keys()))
    nouns |= {shape: (shape,) for shape in bare}
    # A pentomino goes by its letter in every language, beside whatever else it is called.
    nouns = {s: (*nouns.get(s, ()), s) for s in shapes if len(s) == 1 and s.isalpha()} | {
        s: forms for s, forms in nouns.items() if len(s) > 1 or not s.isalpha()
    }
    looks = {key: forms for key, forms in words.table("looks").items() if key in shapes}
    tables = {"size": "sizes", "shade": "shades", "colour": "colours", "place": "places", "number": "numbers"}
    meanings = {trait: _collect_meanings(words, words.table(table)) for trait, table in tables.items()}
    noun_meanings, look_meanings = _collect_noun_meanings(words, nouns), _collect_meanings(words, looks)
    meanings["shape"] = _merge_tables(noun_meanings, look_meanings)
    for shade, light in words.table("shades").items():
        for colour, forms in words.table("colours").items():
            compounds = _add_endings(words, [f"{a}{b}" for a in light for b in forms])
            meanings["shade"] = _merge_tables(meanings["shade"], dict.fromkeys(compounds, frozenset([shade])))
            meanings["colour"] = _merge_tables(meanings["colour"], dict.fromkeys(compounds, frozenset([colour])))
    return PieceLexicon(
        language=words.language,
        phrase=_make_phrase_pattern(words, meanings, noun_meanings, look_meanings),
        traits={trait: (_make_word_pattern(words, forms), forms) for trait, forms in meanings.items()},
        marks=_make_mark_patterns(words, nouns),
        pieces=len(names),
        without_words=bare,
    )


def _normalise_form(form: str) -> str:
    """Return a form as a key: letters that name a shape in upper case, all else in lower case."""
    return re.sub(r"\s+", " ", form.lower())


def _add_endings(words: WordFile, forms: Iterable[str]) -> list[str]:
    return [f"{form}{end}" for form in forms for end in ("", *words.list("endings"))]


def _collect_meanings(words: WordFile, table: Mapping[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Return the meanings of word forms."""
    return _invert_table({meaning: _add_endings(words, forms) for meaning, forms in table.items()})


def _collect_noun_meanings(words: WordFile, nouns: Mapping[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Return the shapes of noun forms."""
    return _invert_table(
        {shape: [form for noun in forms for form in _iterate_noun_forms(words, noun)] for shape, forms in nouns.items()}
    )


def _invert_table(table: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return the meanings of each form, from the forms of each meaning."""
    meanings: dict[str, frozenset[str]] = {}
    for meaning, forms in table.items():
        meanings = _merge_tables(meanings, {_normalise_form(form): frozenset([meaning]) for form in forms})
    return meanings


def _merge_tables(
    first: Mapping[str, frozenset[str]], second: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """Return the union of both tables; a word in both has both meanings."""
    return {**first, **{form: first.get(form, frozenset()) | meaning for form, meaning in second.items()}}


def _iterate_noun_forms(words: WordFile, noun: str) -> Iterator[str]:
    """Yield the inflected forms of a noun."""
    if len(noun) == 1 and words.switch("blanks"):
        yield from (form.format(noun.upper()) for form in words.list("letters") or ("{}",))
        return
    yield from (f"{noun}{end}" for end in ("", *words.list("plural"), *words.list("genitive")))


# -- patterns ------------------------------------------------------------------------------------------------------------------


def _join_alternatives(forms: Iterable[str]) -> str:
    """Return alternatives with the longest first, so that no form is hidden by its own beginning.

    An empty list matches nothing.
    """
    options = sorted(dict.fromkeys(forms), key=lambda form: (-len(form), form))
    # A single letter must be a capital, because *a* and *i* are words.
    patterns = (re.sub(r"(?<![^\W_])(?<!\\)([A-Z])(?![^\W_])", r"(?-i:\1)", re.escape(form)) for form in options)
    return "|".join(patterns) if options else r"(?!)"


def _make_word_pattern(words: WordFile, forms: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches the given words in upper or lower case."""
    return re.compile(
        _add_word_boundaries(words, f"(?:{_join_alternatives(_capitalise_letters(forms))})"), re.IGNORECASE
    )


def _capitalise_letters(forms: Iterable[str]) -> list[str]:
    """Return forms with their single letters in upper case."""
    return [re.sub(r"(?<![^\W_])[a-z](?![^\W_'])", lambda letter: letter[0].upper(), form) for form in forms]


def _add_word_boundaries(words: WordFile, pattern: str) -> str:
    # A word may begin with an apostrophe ('ne), which is no letter.
    return rf"(?<![\w])(?:{pattern})(?!\w)" if words.switch("blanks") else pattern


def _make_phrase_pattern(
    words: WordFile,
    meanings: Mapping[str, Mapping[str, frozenset[str]]],
    nouns: Mapping[str, frozenset[str]],
    looks: Mapping[str, frozenset[str]],
) -> re.Pattern[str]:
    """Return the pattern of an expression: determiner, modifiers, noun and position; or a pronoun."""
    blank = " " if words.switch("blanks") else ""
    describing = [form for trait in ("size", "shade", "colour", "place") for form in meanings[trait]] + list(looks)
    describing += _add_endings(words, [*words.list("others"), *words.list("same")])
    filling = [*_add_endings(words, words.list("fillers")), *meanings["number"]]
    things = [form for word in words.list("things") for form in _iterate_noun_forms(words, word)]
    pause = f"(?:(?:{_join_alternatives(words.list('hesitations'))}){blank})*"
    end = r"(?!\w)" if blank else ""
    determiner = (
        rf"(?:{_join_alternatives([*words.list('determiners'), *words.list('demonstratives')])}){end}{blank}{pause}"
    )
    any_word = rf"(?:{_join_alternatives([*describing, *filling])}){end}"
    # *T-Rex* is no T.
    noun = rf"(?:{_join_alternatives([*_capitalise_letters(nouns), *things])}){end}(?!-\w)"
    behind = rf"(?:{blank}{any_word})*" if words.switch("adjectives_follow") else ""
    where, after = words.patterns.get("where"), words.patterns.get("after")
    tail = "".join(f"(?:{part})?" for part in ["|".join(p for p in (where, after) if p)] if part)
    whole = rf"{determiner if words.switch('needs_determiner') else f'(?:{determiner})?'}(?:{any_word}{blank}{pause})*{noun}{behind}{tail}"
    options = [f"(?P<np>{whole})"]
    no_noun, follows = (
        f"(?!{words.patterns[name]})" if name in words.patterns else "" for name in ("other_noun", "not_before")
    )
    if not words.switch("needs_noun"):
        # *das linke* is a piece, *la izquierda* a place.
        named = set(describing) - (set(meanings["place"]) if words.switch("adjectives_follow") else set())
        last = rf"(?:{_join_alternatives(named)}){end}"
        options.append(f"(?P<adjectives>{determiner}(?:{any_word}{blank}{pause})*{last}{behind}{tail}){no_noun}")
    # *das da*, but not *leg es da hin*.
    beside = rf"(?:{blank}(?:{_join_alternatives(words.list('beside'))}){end})?" if words.list("beside") else ""
    pointing, pronoun = (f"(?:{_join_alternatives(words.list(kind))}){end}" for kind in ("demonstratives", "pronouns"))
    options.append(f"(?P<pronoun>{pointing}{beside}|{pronoun}){no_noun}{follows}")
    begin = r"(?<!\w)" if blank else ""
    return re.compile(f"{begin}(?:{'|'.join(options)})", re.IGNORECASE)


def _make_mark_patterns(words: WordFile, nouns: Mapping[str, tuple[str, ...]]) -> dict[str, re.Pattern[str]]:
    """Return the patterns for codes and numbers."""
    plurals = [f"{n}{end}" for forms in (*nouns.values(), words.list("things")) for n in forms for end in words.list("plural") if len(n) > 1]  # fmt: skip
    singular = {_normalise_form(n) for forms in (*nouns.values(), words.list("things")) for n in forms}
    starts = re.compile(rf"(?:{_join_alternatives(words.list('demonstratives'))})(?!\w)", re.IGNORECASE)
    carrying = rf"(?<!\w)(?:{_join_alternatives(words.list('carrying'))}) $"
    never = re.compile(r"(?!)")
    return {
        "plural": _make_word_pattern(words, [form for form in plurals if _normalise_form(form) not in singular]),
        "several": re.compile(rf"(?:{_join_alternatives(words.list('several'))})(?!\w)", re.IGNORECASE),
        "demonstrative": starts if words.switch("blanks") else re.compile(f"(?:{_join_alternatives(words.list('demonstratives'))})"),
        "stand_in": _make_word_pattern(words, words.list("stand_ins")),
        "others": _make_word_pattern(words, _add_endings(words, words.list("others"))),
        "same": _make_word_pattern(words, _add_endings(words, words.list("same"))),
        "number": _make_word_pattern(words, _collect_meanings(words, words.table("numbers"))),
        "carrying": re.compile(carrying, re.IGNORECASE),
        "place": re.compile(rf"(?:{words.patterns['where']})$", re.IGNORECASE) if "where" in words.patterns else never,
        "not_behind": re.compile(words.patterns["not_behind"], re.IGNORECASE) if "not_behind" in words.patterns else never,
        **{
            code: re.compile(_add_word_boundaries(words, words.patterns.get(code, r"(?!)")), re.IGNORECASE)
            for code in CODES
        },
    }  # fmt: skip
