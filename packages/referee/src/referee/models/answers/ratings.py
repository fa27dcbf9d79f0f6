"""Extracts the one rating in an answer, on the given scale; two ratings are none.

Every number becomes a token: its index in a list of values, converted to the scale if it is a fraction. Clauses then
determine the chosen one (`clauses`); a number that no clause accounts for makes the answer unread.
"""

from __future__ import annotations

import re

from referee.models.answers.clauses import (
    CARRIER,
    CHANGES,
    CHOSEN,
    DENIED,
    PERHAPS,
    SEVERAL,
    Claim,
    Grammar,
    claims_of_sentence,
    cues_before,
    final_claim,
    split_sentences,
)
from referee.models.answers.json_objects import find_json
from referee.models.answers.vocabulary import MARKERS, WORDS, any_of, number_words, plain_text, replace_all, words

I = re.IGNORECASE  # noqa: E741
LONGEST = 6_000
_DIGITS = r"(\d{1,4}(?:[.,]\d{1,3})?)(?![\d.,]*\d)"
_N = r"(?<![^\W\u3040-\u30ff\u4e00-\u9fff])(?<![.,/><≥≤⟦+€$£-])" + _DIGITS
_KEYS = words(
    "rating score answer value grade fluency adequacy clarity grammar final overall bewertung note nota puntuación 评分 評価 naturalness readability quality style likeness humanlikeness"
    " appropriateness result mark points stars output response verdict estimate evaluation informativeness correctness coherence likert rate r"
)
_FINAL_KEYS = words("final overall total final_rating final_score overall_rating overall_score rating score")
_NO_KEYS = words(
    "status code length typos mistakes lines version step index number max min maximum minimum scale confidence errors error count out_of words id reason"
)
_TO = r"\s*(?:-|to|bis(?: zu)?|à|a|até|hasta|tot(?: en met)?|through|~|至|到|から|and|und|et|y|e|en)\s*"
_OF = r"\s*(?:/|out of(?: a possible| a maximum of)?|von(?: maximal)?|sur|sobre|de(?: un total de)?|em|van(?: de)?|op(?: de)?|of)\s*"
_RATING_WORDS = WORDS["rating"]
_RATE = Grammar(
    CARRIER - words("top you listener reference object item option image picture referent criteria") | _RATING_WORDS,
    cues_before(
        r"\b(?:giv(?:e|es|ing|en)|gave|rat(?:e|es|ed|ing)|scor(?:e|es|ed|ing)|assign(?:ed|ing)?|award(?:ed|ing)?|grade[ds]?|deserves?|gets?|earns?|merits?|receives?|worth|settle (?:on|for|at)|put|go(?:ing)? (?:with|for)|say|choose|pick|select|call|make|mark|is|be|overall|so|hence|thus|therefore|lean(?:ing)? (?:towards?|to))(?: (?:it|this|that|them|the \w+|this \w+|him|her))?(?: (?:at|as|with|is))?(?: (?:a|an|the|solid|full|rating|score|grade|of|only|just|about|around|roughly|maybe|clear))*",
        r"\b(?:down|back|up|it|rating|score|leaving|leaves|makes?) (?:it )?(?:down )?(?:to|at)",
        r"\b(?:leav(?:es|ing)|making|makes|remains?|yields|giving|total(?: of)?)(?: (?:it|us|me|a|an))*",
        r"\b(?:gebe|vergebe|bewerte|würde|wäre|ist|sage|nehme|also|daher|lautet|bekommt|verdient|erhält)(?: (?:ich|dem|der|den|das|es|diese\w*|satz|text|beschreibung|dafür|daher|eine?[nrs]?|mit|auf))*",
        r"\b(?:donne|donnerais|mets|mettrais|attribue|dirais|est|serait|mérite|vaut|obtient)(?: (?:à|cette|ce|la|phrase|lui|un|une|note|de|donc|le|score|description))*",
        r"\b(?:doy|daría|pongo|pondría|otorgo|diría|es|sería|merece|asigno|obtiene)(?: (?:a|esta|la|frase|le|un|una|nota|de|puntuación|el|descripción))*",
        r"\b(?:dou|daria|atribuo|diria|é|seria|merece)(?: (?:a|esta|frase|um|uma|nota|de|pontuação|à|descrição))*",
        r"\b(?:geef|geven|zou|is|krijgt|verdient)(?: (?:de|deze|dit|zin|het|een|cijfer|tekst|hem|beschrijving))*",
        r"给(?:它|出|这句话|予)?|打|是|为|评分为?|は|を",
        r"->|=>|→|⇒|=",
    ),
    re.compile(
        r"^[\s\"')*]*(?:points?|stars?|pts?\.?)?\s*(?:(?:seems|is|would be|sounds|feels|looks)\b (?:\w+ly |about |the |my |a )?(?:right|fair|appropriate|good|adequate|ok|okay|rating|score|grade|reasonable|justified|final|answer|verdict|warranted|best|suitable)\b|it is\b|(?:点|分)?(?:です|をつけ|を付け|と(?:評価|し|思)|が妥当))",
        I,
    ),
    CARRIER | _RATING_WORDS,
    re.compile(CHANGES, I),
)
_RANGE = re.compile(
    rf"{_N}(?:\s*%)?(?:\s*(?:points?|分|点))?(?:{_TO}|\s*(?:,|/|or|oder|ou|o|of|或者?|か)\s*(?:an? |eine |un |uma? |une )?)(?=\d){_DIGITS}(?:\s*%)?(?!{_OF}\d|\s*(?:out of|/)\s*\d)",
    I,
)
_FRACTION = re.compile(
    rf"{_N}(?: ?(?:points?|stars?|punkte?n?|puntos?|pontos?|punten))?{_OF}(?:the )?(\d{{1,4}}(?:\.\d+)?)(?!\s*(?:errors|words)\b|[\d/])",
    I,
)
_PERCENT = re.compile(rf"{_N}\s*(?:%|percent\b|per cent\b|prozent\b|pour cent|por ?cento|por ciento|procent)", I)
_BOUND = re.compile(r"(?:^|(?<=[\s:(\"'=]))(?:-(?=\d)|[><≥≤]=?\s*)\d+(?:[.,]\d+)?|\d+(?:[.,]\d+)?(?:\+|-(?=\s*$))")
# A number is a value where the text ends after it, a mark follows, or a word that ratings are spoken of with.
_FOLLOWS = rf"(?=\s*$|\s*\n|\s*[^\w\s%/+]|\s*[分点點]|\s+(?:{'|'.join(sorted((CARRIER | _RATING_WORDS | words('because since but due though although or oder ou o instead than mostly while again then anyway overall rather not after when unless if y e und weil porque car parce denn want omdat puisque pois')) - words('text sentence wording phrase one utterance description mistake errors option object item number thing sentences marks criteria'), key=len, reverse=True))})\b|\s*(?:pts?\b|を|です|だ|でしょう|と))"
# Numbers that count or place something else, or grade something else than the text.
_ELSE = re.compile(
    any_of(
        rf"\bscale (?:has|with|of) {_N}[- ]points?\b|^\W*(?:out of|text|question|round|page) {_N}\W*$|\b(?:far from|no(?= \d)|(?:nothing|nobody|none|no one|no text)\b[^.;\d\n]*) (?:an? )?{_N}",
        rf"\b(?:confidence|certainty|errors?|mistakes?|words?|length|sentence|step|version|line|example|item|question|max\w*|min\w*|konfidenz|confiance|confianza)\b[\s\"*]*(?:[:=#]|is|are|level)?[\s\"*]*{_N}\s*%?",
        rf"{_N}\s*%\s*(?:sure|confiden\w+|certain\w*)|\((?:confidence|i am|about)\D{{0,20}}\d+\s*%?\)",
        rf"\b(?:subtract\w*|deduct\w*|minus|tak(?:e|ing) off|los(?:es?|t|ing)|removed?|docked|-)\s+(?:a |the )?{_N}(?: points?)?|{_N} points? (?:off|less|lower|deducted|abzug)",
        rf"{_N} (?:for|on|in) (?:its |the )?(?:grammar|spelling|style|form|content|meaning|vocabulary)\b",
        r"\b\d+(?:st|nd|rd|th)\b|(?m:^\s*\d{1,2}[.)]\s+(?=[^\W\d]))(?=(?:.*\n)+?\s*\d{1,2}[.)]\s)",
        rf"\bon an? {_N}[- ](?:points?|to|-)[^.;\n]*",
        rf"\b(?:at (?:least|most|best|a (?:min|max)imum)|minimum|maximum|no more than|(?:more|less|fewer|greater|higher|lower|better|worse|short) (?:than|of)|above|below|over|under|up to|beyond|mehr als|weniger als|mindestens|höchstens|über|unter|au moins|au plus|plus de|moins de|más de|menos de|al menos|como mínimo|mais de|menos de|pelo menos|no mínimo|meer dan|minder dan|minstens|hoogstens)\s+(?:an? |eine |un |uma? |een )?{_N}(?!{_OF}\d)",
        rf"(?:an? )?{_N} (?:would (?:be (?:an?|for|too|perfect|generous|harsh|high|low|unfair|excessive)|mean|require|need)|is (?:reserved|only for|too|for)|means|being|wäre eine?|serait une?|sería una?|seria uma?)\b",
        rf"(?:(?:lower|rais|bring|mov|chang|revis|adjust|correct|reduc|increas|drop)\w*|went|go) [^.;\d\n]{{0,20}}from (?:an? )?{_N}(?= (?:down |up )?to )",
        rf"(?:至少|最多|超过|低于|不到)\s?{_N}|{_N}\s?(?:points? |分|点)?(?:at (?:most|least|best)|or (?:more|less|higher|lower|above|below|so)|maximum|minimum|tops\b|以上|以下|未満)",
    ),
    I,
)
_EXPLAINED = re.compile(
    r"\b(?:would|could|might|typical|previous|other|last|average|wrong|reserved|normally|usually|others?|some|max\w*|perfect|scale|expect\w*|means|meaning|being|grammar|style|fluency|clarity|adequacy|content|spelling|form|rater\w*|was going|wäre|serait|sería|seria|hätte|considered|initially|first|thought|zuerst|au début|al principio)\b", I
)  # fmt: skip
_FINAL = r"(?:final|overall|total|gesamt\w*|insgesamt|globale?|总分|総合|end(?:gültige)?)(?: (?:rating|score|grade|answer|bewertung|note|puntuación|nota|assessment|evaluation|quality))?|final|answer|verdict|rating|score|bewertung|wertung|note|nota|puntuación|calificación|pontuação|beoordeling|评分|分数|得分|評価|スコア"
_MARKED = re.compile(
    rf"(?<!\w)({_FINAL}|{MARKERS})(?:\s*\([^)\n]*\))?[\s\"'*]*[:=：|]+[\s\"'*|(\[]*(?:an? )?⟦(\d+)⟧", I
)
_LABEL = re.compile(r"(?:^|[\n.,;|-])\s*([^\W\d⟦][^\d⟦:.,;|\n]{0,30}?)\s*[:=|]\s*⟦(\d+)⟧")


def parse_rating(text: str, low: float, high: float, language: str | None = None) -> float | None:
    """The rating between `low` and `high`; None where the answer gives none, or more than one.

    "n/m" and "n out of m" are turned to the scale if it starts at 0, and must match it otherwise.
    """
    text = text[-LONGEST:]
    data = find_json(text)
    if isinstance(data, dict):
        return _parse_json(data, low, high)
    text = re.sub(r"\\boxed\s*\{([^{}]*)\}", r" answer: \1 ", plain_text(text))
    text = re.sub(r"~~[^~\n]+~~|[$\\]", "", text).strip()
    text = re.sub(r"(?m)^(?:>\s+)+", "", text)
    text = re.sub(r"\bn/?a\b", "", text, flags=I)
    if language == "nl" and re.search(rf"{_N} of {_N}", text):
        return None
    # "1 = bad, 7 = good" explains the scale.
    if len(re.findall(r"\d = [^\W\d]", text)) > 1 and not re.search(r"\d", re.sub(r"\d+ = [^\W\d]", "", text)):
        return None
    values = _Values(low, high)
    return values.of(_find_stated(values.tokenise(_remove_scale(_replace_spelled(text, language), low, high))))


class _Values:
    """The values of a text, in the order of their first mention; None for one that is not on the scale."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.values: list[float | None] = []

    def of(self, token: int | None) -> float | None:
        return None if token is None else self.values[token]

    def _make_token(self, value: float | None) -> str:
        """Return the token of a value; values off the scale are all distinct."""
        value = value if value is not None and self.low <= value <= self.high else None
        # Values off the scale are never equal to others.
        if value is None or value not in self.values:
            self.values.append(value)
        return f"⟦{len(self.values) - 1 if value is None else self.values.index(value)}⟧"

    def _convert_fraction(self, number: float, whole: float) -> float | None:
        """Return a fraction as a value on the scale; None if it is not on it."""
        if whole == self.high:
            return number
        return number * self.high / whole if self.low == 0 and whole > 0 and number <= whole else None

    def tokenise(self, text: str) -> str:
        """The text with a token for each value.

        Ranges and bounds are groups, and numbers of other things are left out.
        """
        text = re.sub(
            r"(\b(?:lower|rais|bring|mov|chang|revis|adjust|correct|reduc|increas|drop|went|go)\w*(?: \w+){0,2} )?\bfrom (?:an? )?\d+(?:[.,]\d+)?(?= ((?:down|up) )?to (?:an? )?\d)",
            lambda m: "down" if m[1] or m[2] else m[0],
            text,
            flags=I,
        )
        text = _ELSE.sub(" x ", text)
        text = _RANGE.sub(self._replace_range, text)
        text = _FRACTION.sub(
            lambda m: self._make_token(self._convert_fraction(_parse_number(m[1]), _parse_number(m[2]))), text
        )
        text = _PERCENT.sub(lambda m: self._make_token(self._convert_fraction(_parse_number(m[1]), 100.0)), text)
        text = _BOUND.sub(" ⟪0+0⟫ unread ", text)
        return re.sub(_N + _FOLLOWS, lambda m: self._make_token(_parse_number(m[1])), text, flags=I)

    def _replace_range(self, match: re.Match[str]) -> str:
        """Return the token of a range, fraction or pair of values."""
        one, other = _parse_number(match[1]), _parse_number(match[2])
        if re.search(r"[/]", match[0]) and self.low == 0 and other != self.high:
            return match[0]
        if re.search(r"/|\b(?:de|sur|von|of)\b", match[0]) and other == self.high:
            return match[0]
        return "⟪" + "+".join(self._make_token(n).strip("⟦⟧") for n in (one, other)) + "⟫"


_CRITERIA = r"style|grammar|fluency|clarity|adequacy|content|spelling|form|meaning|naturalness|vocabulary|readability"
_WHOLE = r"\b(?:overall|total|altogether|all in all|in all|final\w*|so|insgesamt|globalement|en total|no geral)\b"


def _find_stated(text: str) -> int | None:
    """The token of the one rating that a text states."""
    criteria = re.findall(rf"\b(?:{_CRITERIA})\b", text.lower())
    if len(set(criteria)) > 1 and len(set(re.findall(r"⟦(\d+)⟧", text))) > 1 and not re.search(_WHOLE, text, I):
        return None
    if (marked := _find_marked(text)) is not None:
        return marked if marked >= 0 else None
    claims: list[Claim] = []
    start = 0
    for sentence in split_sentences(text):
        claims += [c._replace(start=c.start + start) for c in claims_of_sentence(sentence, _RATE) or ()]
        start += len(sentence)
    chosen = [c for c in claims if c.kind == CHOSEN and not c.is_background and c.choice != SEVERAL]
    if not chosen:
        chosen = [c for c in claims if c.kind in (CHOSEN, PERHAPS) and c.choice != SEVERAL]
        if len({c.choice for c in chosen}) > 1:
            return None
    final = final_claim(text, chosen) if chosen else None
    if final is None or not isinstance(final.choice, int):
        return None
    return final.choice if _is_accounted_for(text, claims, final) else None


def _is_accounted_for(text: str, claims: list[Claim], final: Claim) -> bool:
    """Return whether every other value in a text is denied, explained, or superseded."""
    line = text[text.rfind("\n", 0, final.start) + 1 :].partition("\n")[0]
    sentence = re.split(r"[.!\n]\s", text[: final.start])[-1]
    # Numbers that sentences before "I rate it 4" count are none of its alternatives.
    is_named = re.match(
        r"\W*(?:my (?:\w+ )?(?:rating|score|grade)|i(?:['’]d| would)? (?:rate|score|grade|give))\b", sentence, I
    )
    is_alone = is_named or re.fullmatch(r"\W*⟦\d+⟧\W*", line) is not None
    for mention in re.finditer(r"⟦(\d+)⟧|⟪[\d+]+⟫", text):
        if mention[1] is not None and int(mention[1]) == final.choice:
            continue
        claim = next((c for c in claims if c.start == mention.start()), None)
        if (claim is None and is_alone) or (claim is not None and claim.kind == DENIED):
            continue
        around = re.split(r"[.;\n]", text[: mention.start()])[-1] + re.split(r"[.;\n]", text[mention.end() :])[0]
        is_settled = mention.start() < final.start and final_claim(
            text, [final._replace(start=mention.start(), choice=-1), final]
        )
        if not is_settled and not _EXPLAINED.search(around):
            return False
    return True


def _find_marked(text: str) -> int | None:
    """The token after "Rating:", where it is one.

    -1 where several labels give several values and none of them is the final one.
    """
    labels = [(re.sub(r"[*_#>\s]+", " ", name).strip().lower(), int(n)) for name, n in _LABEL.findall(text)]
    finals = [n for name, n in labels if re.fullmatch(rf"(?:the |my )?(?:{_FINAL})", name, I)]
    if len({name for name, _ in labels}) > 1 and len({n for _, n in labels}) > 1 and len(set(finals)) != 1:
        return -1
    marks = list(_MARKED.finditer(text))
    if not marks:
        return None
    last = marks[-1]
    contrary = [m for m in marks if m[2] != last[2]]
    claims = [Claim(m.start(2) - 1, int(m[2]), CHOSEN) for m in marks]
    strongest = [int(m[2]) for m in marks if re.match(r"final|overall|total|gesamt|insgesamt|answer|verdict", m[1], I)]
    if contrary and len(set(strongest)) == 1:
        return strongest[0]
    if contrary and final_claim(text, claims) is None:
        return -1
    after = text[last.end() :]
    if changed := re.match(r"[\s*]*(?:→|->|=>)[\s*]*⟦(\d+)⟧", after):
        return int(changed[1])
    return (
        int(last[2])
        if not re.match(r"\s*(?:or|oder|ou|to|-)\s*[⟦⟪]", after)
        and not re.search(r"\b(?:wait|actually|correction|no,)[^⟦]*⟦", after, I)
        else None
    )


_TENS = {"zero": "0", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100"}  # fmt: skip
_WHOLE_WORDS = r"(?: out of | von | sur | de | sobre | van (?:de )?|/)"


def _replace_spelled(text: str, language: str | None) -> str:
    """Return a text with digits for number words, and decimals for halves.

    "one", "un" and similar only if they stand alone.
    """
    numbers = {
        word: str(number)
        for word, number in number_words(language).items()
        if word.isalpha() and not re.search(r"[一-鿿]", word)
    }
    numbers |= _TENS
    alone = re.fullmatch(r"\W*([^\W\d]+)\W*", text)
    if alone and alone[1].lower() in numbers:
        return numbers[alone[1].lower()]
    names = "|".join(
        sorted((w for w in numbers if w not in ("one", "un", "um", "uno", "eins", "één")), key=len, reverse=True)
    )
    text = re.sub(rf"(?<![\w-])({names})(?![\w-])", lambda m: numbers[m[1].lower()], text, flags=I)
    text = re.sub(
        r"\b(\d+)(?:\s*½|\s+1/2\b| and a half\b| einhalb\b| y medio\b| et demie?\b| e meio\b)", r"\1.5", text, flags=I
    )
    return re.sub(rf"\b(?:one|un|um|uno|eins)(?=(?:{_WHOLE_WORDS}|{_TO})\d)", "1", text, flags=I)


def _parse_json(data: dict[str, object], low: float, high: float) -> float | None:
    """Return the rating in a JSON object; None without a unique one."""
    fields = {str(k).lower().strip().replace(" ", "_"): v for k, v in data.items()}
    known = [k for k in fields if k in _KEYS]
    final = [k for k in fields if k in _FINAL_KEYS]
    others = [k for k in fields if not {k, *k.split("_")} & _NO_KEYS]
    for keys in (
        final,
        others if known and len(others) > 1 else known,
        [k for k in fields if set(k.split("_")) & _KEYS],
    ):
        values = [_parse_value(fields[k], low, high) for k in keys if not {k, *k.split("_")} & _NO_KEYS]
        numbers = {v for v in values if v is not None}
        if len(numbers) == 1:
            return numbers.pop()
        if numbers:
            return None
    return None


def _parse_value(value: object, low: float, high: float) -> float | None:
    """Return the rating in a JSON value; None without one."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, dict):
        return _parse_json(value, low, high)
    if isinstance(value, int | float):
        return float(value) if low <= value <= high else None
    return parse_rating(value, low, high) if isinstance(value, str) and len(value) < 40 else None


def _remove_scale(text: str, low: float, high: float) -> str:
    """A text without mentions of the scale itself: "on a scale from 1 (very bad) to 7 (very good)", "(1-7)", "a 7-point scale"."""
    ends = rf"{low:g}(?:\s*\([^)]*\))?{_TO}{high:g}(?:\s*\([^)\d]*\))?"
    scale = r"(?:(?:on|auf|sur|en|em|op|num)\s*)?(?:a|an|the|einer|une|una|uma|een)?\s*(?:scale|skala|échelle|escala|schaal)?\s*(?:of|from|von|de|van)?\s*"
    if re.fullmatch(rf"\W*{ends}\W*", text, I):
        return text
    ends_named = rf"(?:{low:g}|{high:g}) ?(?:=|is|being|as|means|meaning) (?:the )?(?:best|worst|highest|lowest|perfect|maximum|minimum|excellent|very \w+|completely \w+|not at all\w*(?: \w+)?)(?: (?:and|,) (?:{low:g}|{high:g}) ?(?:=|is|being|as|means)? ?(?:the )?(?:best|worst|highest|lowest|perfect|excellent|very \w+))?\)?"
    rules = (
        (rf"[(\[]?(?:scale\s*)?{scale}(?<![\d.]){ends}(?![\d.,]*\d)[)\]]?(?:\s*scale)?\s*:?(?!\s*{_TO})", " : "),
        (
            rf"\b(?:on )?(?:a |the )?{high:g}[- ]points? (?:likert )?scale|[(]?满分\s*{high:g}\s*分[)]?|{high:g}点(?:満点)?(?:中|のうち)|{high:g}点満点(?:で)?",
            " : ",
        ),
        (rf"\bout of (?:a possible )?{high:g}\s*(?=[,:])", " : "),
        (rf"^\W*(?:with |where |if |given that )?{ends_named}", " : "),
        (rf"[(,;]?\s*(?:with |where |if |given that )?{ends_named}", " "),
        (rf"\((?:out of|max\.?|von|sur|de|van)\s*{high:g}\)|\((?:scale|[^()\d]*{low:g}\s*=)[^)]*\)", " "),
    )
    return replace_all(text, rules)


def _parse_number(text: str) -> float:
    return float(text.replace(",", "."))
