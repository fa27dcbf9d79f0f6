"""Classifies the form of a reference by its words.

Pronoun or demonstrative, reduced, full (after Clark & Wilkes-Gibbs 1986; Spanger et al. 2013).

The rule: sounds, broken-off words, function words, hedges and game talk are removed; the rest are describing words.
None left, but a pronoun, a demonstrative or a word such as *same* or *again*: PRONOUN. One or two different ones:
REDUCED. Three or more: FULL. Without any of these (a bare "yes"): no form. An annotated expression is a pronoun exactly
when it has the attribute `dpr`, whatever its words.

Personal and demonstrative pronouns are distinguished by a word list per language: every word of the expression but
sounds is on one of the lists (*es*, *er*; *das*, *dieses da*), and the first of them decides.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from referee.errors import InputError
from referee.records import Description, Event
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES, EXPRESSION, UNTOLD, Dialogue

PRONOUN, REDUCED, FULL = "pronoun", "reduced", "full"
FORMS = (PRONOUN, REDUCED, FULL)
REDUCED_UP_TO = 2
PERSONAL, DEMONSTRATIVE, BOTH = "personal", "demonstrative", "both"
PRONOUNS = (BOTH, DEMONSTRATIVE, PERSONAL)

# English, then Japanese in the Latin spelling of the papers (Kunrei) and in kana.
_POINTING = (
    "this that these those it it's its that's he she him her they them one ones same again previous before last another other "
    "kore sore are koitu soitu aitu これ それ あれ こいつ そいつ あいつ こっち そっち あっち"
)
POINTING = frozenset(_POINTING.split())
_GRAMMAR = (
    "a an the of to in on at by for from with without and or but so as than then also too if because since while into onto near "
    "is isn't are aren't was wasn't were be been being am has have had having do does did don't doesn't didn't can can't could would should will "
    "i i'm i've i'll we we're you you're your yours my mine me us our he's she's they're there there's here what what's which who whose where when how "
    "not no any some all both each every very really quite just only more most much many lot kind sort kinda sorta bit part way"
)
_SOUNDS = "um uh uhm eh em er ah oh ooh mm hmm mhm mm-hmm uh-huh huh yeah yes yep yea ya nope okay ok alright right? well like please sorry exactly sure"
_GAME = (
    "now next time turn piece pieces thing things thingy something figure figures shape shapes shaped object looks look looking looked see "
    "think know guess mean say said let let's get got go going want need move moved moving select take talking talk click find found called "
    "maybe almost actually probably basically course"
)
_WORDS: Mapping[str, Mapping[str, str]] = tomllib.loads(Path(__file__).with_name("pronouns.toml").read_text("utf-8"))
# Personal pronouns, demonstratives, and words that may stand beside one without describing.
_KINDS = {
    language: tuple(frozenset(words[kind].split()) for kind in ("personal", "demonstrative", "beside"))
    for language, words in _WORDS.items()
}
_NO_WORDS: tuple[frozenset[str], ...] = (frozenset(), frozenset(), frozenset())
# Words that are frequent in one of these languages, with its pronouns.
_LISTED = {
    language: {*words["frequent"].split(), *_KINDS[language][0], *_KINDS[language][1]}
    for language, words in _WORDS.items()
    if "frequent" in words
}
SET_ASIDE = POINTING | frozenset(f"{_GRAMMAR} {_SOUNDS} {_GAME}".split())
# A hyphen at the end stays with its word: it marks one that was broken off.
# Case, topic and plural particles of Japanese behind a pronoun: それを, これは.
_PARTICLE = re.compile(r"(?<=..)(?:[をはがにのもでと]|から|まで|って)+$")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]*)*|\d+", re.UNICODE)


def split_words(text: str) -> list[str]:
    """Return words in lower case, without interrupted ones.

    A single capital letter other than A and I stays as it is (*the K* names a shape).
    """
    spellings = (word.replace("’", "'") for word in WORD.findall(text))
    words = (word if _is_letter(word) else word.lower() for word in spellings if not word.endswith("-"))
    return [word for word in words if len(word) > 1 or _is_letter(word) or word in ("a", "i") or word.isdigit()]


def count_words(text: str) -> int:
    """Return the number of words.

    Of kana and Chinese characters, which are written without blanks, that of characters.

    >>> count_words("the red one"), count_words("赤い三角 K")
    (3, 5)
    """
    return sum(len(_UNSPACED.findall(word)) or 1 for word in split_words(text))


def get_description_text(description: Description) -> str:
    """Return the words of a description; without words, the values of its properties."""
    return " ".join((description.text or " ".join(p.value for p in description.properties or ())).split())


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isupper() and word not in "AI"


def list_describing_words(text: str) -> list[str]:
    """Return each describing word once, in order of first use, without function words, hedges and words about the game."""
    return list(dict.fromkeys(w for w in split_words(text) if w not in SET_ASIDE and w not in ("a", "i")))


def classify_form(text: str) -> str | None:
    """Return PRONOUN, REDUCED or FULL by the rule of this module; None if the text does not refer."""
    describing = list_describing_words(text)
    if describing:
        return REDUCED if len(describing) <= REDUCED_UP_TO else FULL
    return PRONOUN if any(word in POINTING for word in split_words(text)) else None


def is_pronoun(expression: Event, language: str = UNTOLD) -> bool:
    """Return whether an expression is a pronoun: by its codes if it has any of the sixteen, else by its words.

    English, and dialogues without a declared language, use `classify_form`, which handles *the same* and *that again*. Other
    languages use their lists of pronouns; a language without a list raises InputError.
    """
    attributes: Iterable[str] | str | None = expression.data.get("attributes")
    codes = attributes.replace(",", " ").split() if isinstance(attributes, str) else attributes
    if codes is None or (codes and not any(code in ATTRIBUTES for code in codes)):
        text, spoken = expression.text or "", language.partition("-")[0]
        if spoken in ("en", UNTOLD):
            return classify_form(text) == PRONOUN
        if spoken not in _KINDS:
            raise InputError(
                f"the expressions have no codes, and there is no list of pronouns for the language {language!r}",
                remedy=f"code pronouns as dpr, or use a language with a list: {', '.join(sorted(_KINDS))}",
            )
        return classify_pronoun(text, spoken) is not None
    return "dpr" in codes


def has_pronoun_list(language: str) -> bool:
    """Return whether a language has a list of pronouns."""
    return language.partition("-")[0] in _KINDS


def choose_demonstrative(language: str, remedy: str) -> str:
    """Return the demonstrative pronoun that is put in for an expression. Raises InputError for a language without a list."""
    words = _WORDS.get(language.partition("-")[0])
    if words is None:
        raise InputError(f"no demonstrative pronoun is listed for the language {language!r}", remedy=remedy)
    return words["demonstrative"].split()[0]


def guess_language(texts: Iterable[str]) -> str:
    """Return the language of some texts by its script or its most frequent words.

    `und` where no language is clearly ahead.

    >>> guess_language(["nimm die rote Tasse", "stell sie auf den Tisch und das ist es"]), guess_language(["hm"])
    ('de', 'und')
    """
    text = " ".join(texts).lower()
    if re.search(r"[\u3040-\u30ff]", text):
        return "ja"
    if re.search(r"[\u4e00-\u9fff]", text):
        return "zh"
    counts = Counter(WORD.findall(text))
    # A word of several languages tells little about which of them it is.
    shares = Counter(word for words in _LISTED.values() for word in words)
    scores = {language: sum(counts[word] / shares[word] for word in words) for language, words in _LISTED.items()}
    (best, first), (_, second) = sorted(scores.items(), key=lambda pair: -pair[1])[:2]
    return best if first >= 2 and first >= 1.5 * second else UNTOLD


def classify_pronoun(text: str, language: str) -> str | None:
    """Return PERSONAL or DEMONSTRATIVE for an expression of one pronoun.

    None for others, or without a list for the language.

    >>> classify_pronoun("das da", "de"), classify_pronoun("'s", "de"), classify_pronoun("das rote", "de")
    ('demonstrative', 'personal', None)
    """
    personal, demonstrative, beside = _KINDS.get(language, _NO_WORDS)
    words = [w for w in _split_words(text, language) if not w.endswith("-") and w not in beside]
    if not words or not set(words) <= personal | demonstrative:
        return None
    return PERSONAL if words[0] in personal else DEMONSTRATIVE


def _split_words(text: str, language: str) -> list[str]:
    """Return the words in lower case.

    In Japanese, which writes particles without a space, without final particles.
    """
    words = [word.replace("’", "'").lower() for word in WORD.findall(text)]
    return [_PARTICLE.sub("", word) for word in words] if language == "ja" else words


def classify_coded_pronoun(text: str, language: str) -> str:
    """Return PERSONAL or DEMONSTRATIVE for an expression that is coded as a pronoun: its first listed word decides.

    Without a listed word it counts as DEMONSTRATIVE, as annotated.

    >>> classify_coded_pronoun("okay so it's", "en"), classify_coded_pronoun("yeah that again", "en"), classify_coded_pronoun("the same", "en")
    ('personal', 'demonstrative', 'demonstrative')
    """
    personal, demonstrative, _ = _KINDS.get(language, _NO_WORDS)
    first = next((w for w in _split_words(text, language) if w in personal | demonstrative), None)
    return PERSONAL if first in personal else DEMONSTRATIVE


def keep_pronoun_kind(dialogue: Dialogue, pronouns: str) -> Dialogue:
    """Return the dialogue with only one kind of pronoun coded; the other kind counts as no pronoun."""
    if pronouns not in PRONOUNS:
        raise InputError(f"pronouns of the kind {pronouns!r} are not known", remedy=f"one of {', '.join(PRONOUNS)}")
    if pronouns == BOTH:
        return dialogue
    events = (
        _drop_other_pronoun(e, pronouns, dialogue.language) if e.kind == EXPRESSION else e for e in dialogue.events
    )
    return replace(dialogue, events=tuple(events))


def _drop_other_pronoun(expression: Event, pronouns: str, language: str) -> Event:
    """Return the expression without its pronoun code if it is a pronoun of the other kind."""
    kind = classify_coded_pronoun(expression.text or "", language)
    if not is_pronoun(expression, language) or kind == pronouns:
        return expression
    codes: Iterable[str] | str = expression.data.get("attributes") or ()
    listed = codes.replace(",", " ").split() if isinstance(codes, str) else codes
    other_codes = tuple(code for code in listed if code != "dpr")
    return replace(expression, data={**expression.data, "attributes": other_codes})
