"""The one rating in an answer, on the scale that was asked for; two ratings are none."""

from __future__ import annotations

import re

from referee.models.answers.json_objects import find_json
from referee.models.answers.vocabulary import MARKERS, any_of, number_words, plain_text

__all__ = ["parse_rating"]

I = re.IGNORECASE  # noqa: E741
LONGEST = 6_000
_N = r"(?<![^\W\u3040-\u30ff\u4e00-\u9fff])(?<![.,/-])(\d{1,4}(?:[.,]\d{1,3})?)(?![\d.,]*\d)"
_KEYS = {
    "rating",
    "score",
    "answer",
    "value",
    "grade",
    "fluency",
    "adequacy",
    "clarity",
    "grammar",
    "final",
    "overall",
    "bewertung",
    "note",
    "评分",
    "評価",
}
_NO_KEYS = {
    "max",
    "min",
    "maximum",
    "minimum",
    "scale",
    "confidence",
    "errors",
    "error",
    "count",
    "out_of",
    "words",
    "id",
    "reason",
}
_TO = r"\s*(?:-|to|bis(?: zu)?|à|a|até|hasta|tot(?: en met)?|through|~|至|到|から|and|und|et|y|e|en)\s*"
_OF = (
    r"\s*(?:/|out of(?: a possible| a maximum of)?|von(?: maximal)?|sur|sobre|de(?: un total de)?|em|van(?: de)?|of)\s*"
)
_NOUNS = any_of(
    r"points?|stars?|out|because|since|but|on|is|at|seems|as|would|for|overall|i|due|punkte?n?|sterne|points|puntos?|estrellas|pontos?|estrelas|punten|sterren|oder|or|and|und|sagen|geben|weil|car|porque|omdat|mit|with|though|although|it|given|geven|nehmen|vergeben|feels?|pts?|is|from|in my|this|points"
)
_FOLLOWS = rf"(?=\s*$|\s*[\n.;:!?)\]}}\"'*,(|=-]|\s+{_NOUNS}\b|\s*(?:[分点點⭐★☆]|pts?\b|を(?:付|つ)け|です|だ|でしょう|と(?:思|評|し)))"
_LEADS = re.compile(
    any_of(
        r"(?:rat(?:e|es|ed|ing)|scor(?:e|es|ed|ing)|giv(?:e|es|en|ing)|say|settle (?:on|for|at)|assign|award|grade|deserves?|put|answer|fluency|adequacy|clarity|grammar\w*|overall|quality|is|a|lowers? it to|goes? (?:with|for)|reflection|fair|solid)",
        r"bewert\w*|wertung|note|gebe|würde|punktzahl|sage|skala|je (?:donne|dirais|mets)|note|évaluation|donne|échelle|puntuación|calificación|doy|daría|nota|daria|dou|pontuação|escala|beoordeling|geef|schaal|cijfer",
        MARKERS,
        r"评分|分数|打|给|給|評価|点数",
    )
    + rf"[^\d.!?\n]{{0,60}}?{_N}{_FOLLOWS}",
    I,
)
_EARLIER = re.compile(
    r"\b(?:at first|initially|first|originally|was going to|start(?:ed)? (?:at|with|from)|zuerst|anfangs|d['’]abord|al principio|primero|no início|eerst)\b|起初|最初",
    I,
)
_RANGE = re.compile(
    rf"{_N}{_TO}\d|{_N}\s*(?:or|oder|ou|o|或者?|か)\s*(?:an? |eine |un |uma? |une )?{_N}|\b(?:maybe|perhaps|vielleicht)\b[^.]*\b(?:maybe|perhaps|vielleicht)\b",
    I,
)
_A = r"(?:an? |the |eine?n? |une? |una? |uma? |een )?(?:full |perfect )?"
# Numbers that a text compares with, rules out or explains the scale by: none of them is the rating.
_NO_RATING = re.compile(
    any_of(
        rf"(?:\bnot|n['’]t)\b(?! (?:sure|certain|an expert))[^.,;:\d\n]{{0,30}}? {_A}{_N}|between {_A}{_N} and {_A}{_N}|(?:subtract\w*|deduct\w*|minus|tak(?:e|ing) off|los(?:es?|t|ing)) {_A}{_N}(?: points?)?|(?:rather than|instead of|close to|nearly|almost|keine|nicht|pas|no es|não é|geen|niet) {_A}{_N}",
        rf"(?:more|less|fewer|greater|higher|lower|better|worse) than {_A}{_N}|at (?:least|most) {_A}{_N}|(?:above|below|over|under|up to|beyond) {_A}{_N}",
        rf"(?:mehr als|weniger als|mindestens|höchstens|über|unter|au moins|au plus|plus de|moins de|más de|menos de|al menos|como mínimo|mais de|pelo menos|no mínimo|meer dan|minder dan|minstens|hoogstens|至少|最多|超过|低于|不到) ?{_A}{_N}",
        rf"{_N}\s*\?|{_N} (?:at (?:most|least|best)|or (?:more|less|higher|lower|above|below|so)|maximum|minimum|tops)\b|{_N} ?(?:分|点)?(?:以上|以下|未満)|\bif\b[^.;\n]*?{_N}",
        rf"{_A}{_N} (?:would (?:be|mean|require|need)|is (?:reserved|only for|too (?:high|low|much)|for (?:perfect|texts|something))|means|being|wäre|serait|sería|seria|zou)\b",
        rf"\([^()\n]*\d\s*=\s*[^()\n]*\d\s*=[^()\n]*\)|\b{_N}\s*=\s*[a-z ]+,\s*{_N}\s*=\s*[a-z ]+",
    ),
    I,
)
_CORRECTS = re.compile(
    r"\b(?:no,? wait|wait|actually|correction|corrected|on second thought|i mean|scratch that|make that|nein|besser gesagt|korrektur|en fait|plutôt|mejor dicho|en realidad|na verdade|eigenlijk)\b|不对|等等|いや|訂正",
    I,
)
_WHOLE_WORDS = r"(?: out of | von | sur | de | sobre | van (?:de )?|/)"


def parse_rating(text: str, low: float, high: float, language: str | None = None) -> float | None:
    """The rating between `low` and `high`; None where the answer gives none, or more than one.

    "n/m" and "n out of m" are turned to the scale if it starts at 0, and must match it otherwise.
    """
    text = text[-LONGEST:]
    data = find_json(text)
    if isinstance(data, dict):
        return _from_json(data, low, high)
    text = re.sub(r"\\boxed\s*\{([^{}]*)\}", r" answer: \1 ", plain_text(text))
    text = re.sub(r"[$\\]", "", text).strip()
    if text.endswith("?") and text.count("?") == 1 and not re.search(r"[.!\n]", text[:-1]):
        return None
    text = _without_scale(_spelled(text, language), low, high)
    if language == "nl" and re.search(rf"{_N} of {_N}", text):
        return None
    corrections = list(_CORRECTS.finditer(text))
    if corrections and re.search(r"\d", text[: corrections[-1].start()]):
        last = _stated(text[corrections[-1].end() :].strip(" ,.:;-"), low, high)
        if last is not None:
            return last
    return _stated(text, low, high)


def _stated(text: str, low: float, high: float) -> float | None:
    """The one rating that a text states, once what it only compares with is left out."""
    if re.search(rf"\bboth {_N} and {_N}", text, I):
        return None
    text = _NO_RATING.sub(" ", text)
    if (marked := _marked(text)) is not None:
        return _within(marked, low, high)
    labelled = re.findall(rf"(?:^|[\n.,;])\s*([^\W\d][\w ]{{0,25}})\s*:\s*{_N}", text)
    if len({name.lower() for name, _ in labelled}) > 1 and len({number for _, number in labelled}) > 1:
        return None
    fraction = _fraction(text, low, high)
    if fraction is not None:
        return None if fraction < low else fraction
    return _plain(text, low, high)


def _spelled(text: str, language: str | None) -> str:
    """A text with digits for number words where only a rating can be meant: at its end, and in "five out of seven"."""
    words = {
        word: str(number)
        for word, number in number_words(language).items()
        if word not in ("un", "um") and word.isalpha() and not re.search(r"[一-鿿]", word)
    }
    names = "|".join(sorted(words, key=len, reverse=True))
    text = re.sub(
        rf"\b({names}|\d)({_WHOLE_WORDS})({names}|\d+)\b",
        lambda m: words.get(m[1].lower(), m[1]) + m[2] + words.get(m[3].lower(), m[3]),
        text,
        flags=I,
    )
    return re.sub(
        rf"(?:(?<=^)|(?<=\ban )|(?<=\ba )|(?<=[:*] )|(?<=say )|(?<=it )|(?<=eine )|(?<=rating is )|(?<=score is ))(?!one\b(?! *[.!]?$))({names})(?=[.!]?\s*$)",
        lambda m: words[m[1].lower()],
        text,
        flags=I,
    )


def _from_json(data: dict[str, object], low: float, high: float) -> float | None:
    fields = {str(k).lower().strip().replace(" ", "_"): v for k, v in data.items()}
    for keys in ([k for k in fields if k in _KEYS], [k for k in fields if set(k.split("_")) & _KEYS], list(fields)):
        values = [_from_value(fields[k], low, high) for k in keys if not {k, *k.split("_")} & _NO_KEYS]
        numbers = {v for v in values if v is not None}
        if len(numbers) == 1:
            return numbers.pop()
        if numbers:
            return None
    return None


def _from_value(value: object, low: float, high: float) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, dict):
        return _from_json(value, low, high)
    if isinstance(value, int | float):
        return _within(float(value), low, high)
    return parse_rating(value, low, high) if isinstance(value, str) and len(value) < 40 else None


def _without_scale(text: str, low: float, high: float) -> str:
    """A text without mentions of the scale itself: "on a scale from 1 (very bad) to 7 (very good)", "(1-7)", "a 7-point scale"."""
    ends = rf"{low:g}(?:\s*\([^)]*\))?{_TO}{high:g}(?:\s*\([^)\d]*\))?"
    scale = r"(?:(?:on|auf|sur|en|em|op|num)\s*)?(?:a|an|the|einer|une|una|uma|een)?\s*(?:scale|skala|échelle|escala|schaal)?\s*(?:of|from|von|de|van)?\s*"
    text = re.sub(
        rf"[(\[]?{scale}(?<![\d.]){ends}(?![\d.,]*\d)[)\]]?(?:\s*scale)?\s*:?(?!\s*{_TO})", " : ", text, flags=I
    )
    text = re.sub(
        rf"\b{high:g}[- ]points? scale|满分\s*{high:g}\s*分|{high:g}点(?:満点)?(?:中|のうち)|{high:g}点満点(?:で)?",
        " : ",
        text,
        flags=I,
    )
    text = re.sub(rf"\bout of (?:a possible )?{high:g}\s*(?=[,:])", " : ", text, flags=I)
    return re.sub(rf"\((?:out of|max\.?|von|sur|de|van)\s*{high:g}\)|\(scale[^)]*\)", " ", text, flags=I)


def _fraction(text: str, low: float, high: float) -> float | None:
    """What all "n out of m" in a text amount to; below the scale where they amount to nothing."""
    fractions = {
        (_number(n), _number(m))
        for n, m in re.findall(rf"{_N}{_OF}(\d{{1,4}}(?:\.\d+)?)(?!\s*(?:errors|words))\b", text, flags=I)
    }
    fractions |= {
        (_number(n), 100.0)
        for n in re.findall(
            rf"{_N}\s*(?:%|percent\b|per cent\b|prozent\b|pour cent|por ?cento|por ciento|procent)", text, flags=I
        )
        if high == 100 or not fractions
    }
    if not fractions:
        return None
    if len(fractions) > 1:
        return low - 1
    ((number, whole),) = fractions
    if whole <= 0 or number > whole or (low != 0 and whole != high):
        return low - 1
    return (
        _within(number if whole == high else number * high / whole, low, high)
        if low == 0
        else _within(number, low, high) or low - 1
    )


_MARKED = re.compile(
    rf"(?<!\w)(?:{MARKERS}|rating|score|bewertung|wertung|note|nota|puntuación|calificación|pontuação|beoordeling|评分|分数|評価)\s*[:=\"'*]+\s*{_N}(?!{_OF}\d|\s*%){_FOLLOWS}",
    I,
)


def _marked(text: str) -> float | None:
    """The number after "Rating:", where it is one."""
    numbers = set(_MARKED.findall(text))
    return None if len(numbers) != 1 or _RANGE.search(text) else _number(numbers.pop())


def _plain(text: str, low: float, high: float) -> float | None:
    if re.match(r"\s*-\d", text) or _RANGE.search(text):
        return None
    whole = re.fullmatch(
        rf"[\s:*\"'(\[]*(?:a |an |ein |une? |un )?{_N}[\s:.!*\"')\]]*(?:points?|stars?|punkte|分|点(?:です)?)?[\s.。!]*",
        text,
        flags=I,
    )
    if whole:
        return _within(_number(whole[1]), low, high)
    lines = [line for line in text.splitlines() if line.strip()]
    alone = [m for line in lines if (m := re.fullmatch(rf"[\s:*#>-]*{_N}[\s.!*]*", line))]
    if len({m[1] for m in alone}) == 1:
        return _within(_number(alone[0][1]), low, high)
    if re.fullmatch(r"\W*\d[\d.]*(?:[\s,;/|]+\d[\d.]*)+\W*", text):
        return None
    leading = re.match(rf"[\s:*\"'(]*{_N}(?=\s*(?:[-:,.;(=\n]|because|since|as\b|points?\b|stars?\b))", text, flags=I)
    stated = [_number(m) for m in _LEADS.findall(text)]
    if leading and not _EARLIER.search(text):
        return _within(_number(leading[1]), low, high)
    every = [_number(m) for m in re.findall(_N + _FOLLOWS, text, flags=I)]
    numbers = every if _EARLIER.search(text) else stated or every
    if _EARLIER.search(text) and len(numbers) > 1:
        return _within(numbers[-1], low, high)
    return _within(numbers[0], low, high) if len(set(numbers)) == 1 else None


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _within(number: float, low: float, high: float) -> float | None:
    return number if low <= number <= high else None
