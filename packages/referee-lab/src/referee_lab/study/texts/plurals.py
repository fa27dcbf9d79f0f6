"""Plural forms by the rules of a language.

Babel's here, the browser's own (Intl.PluralRules) on the page; both are Unicode's, and tests hold them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from referee.errors import naming_extra

if TYPE_CHECKING:
    from babel.plural import PluralRule

# Words of strings.toml that count something: each stands there once for every category of its language (scene_one, scene_other …).
COUNTED = ("scene", "short_tasks", "tasks_there", "minutes", "days")


CATEGORIES = ("zero", "one", "two", "few", "many", "other")


def get_counted_word(key: str) -> str | None:
    """Return the counted word of which a key of strings.toml is one form; None for a word without forms."""
    name, _, category = key.rpartition("_")
    return name if name in COUNTED and category in CATEGORIES else None


@cache
def _get_rule(language: str) -> PluralRule:
    """Return the plural rule of a language from Unicode; that of English if it has none."""
    with naming_extra():
        from babel import Locale, UnknownLocaleError
    try:
        return Locale.parse(language, sep="-").plural_form
    except (UnknownLocaleError, ValueError):
        # Without plural rules in Unicode: those of English, like the texts of such a study.
        return Locale.parse("en").plural_form


def get_plural_categories(language: str) -> frozenset[str]:
    """Return the plural categories of a language: one and other in English, only other in Japanese."""
    return frozenset({*_get_rule(language).tags, "other"})


def inflect(words: Mapping[str, str], language: str, name: str, n: int) -> str:
    """Return a counted word in the form for `n` things, with the number filled in."""
    form = words.get(f"{name}_{_get_rule(language)(n)}", words[f"{name}_other"])
    return form.replace("{n}", str(n))
