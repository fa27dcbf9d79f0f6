"""The formats in which model families write boxes and points.

One format per family, chosen for a whole set of answers and never by the best fit of an item.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

from referee.errors import UnknownName
from referee.geometry import Box, Convention, Order, Place, Point, Unit
from referee.models.answers.clauses import is_supposed
from referee.models.answers.json_objects import call_arguments, find_objects
from referee.models.answers.vocabulary import MARKERS, plain_marks

NUMBER = r"[-+]?\d{1,9}(?:\.\d{0,12})?"
PAIR = rf"\(\s*({NUMBER})\s*,\s*({NUMBER})\s*\)"
FOUR = rf"[\[(]\s*({NUMBER})\s*,\s*({NUMBER})\s*,\s*({NUMBER})\s*,\s*({NUMBER})\s*[\])]"
# Longer answers are not about one place; reading them whole would let one answer hold up all others.
LONGEST = 50_000
DEEPEST = 40

_PICTURE = r"(?:in|on) the (?:provided |given )?(?:image|picture|photo|screenshot|screen|scene)"
_PICTURE_NOUN = r"(?:image|picture|photo|screenshot|screen|scene|bild|foto|imagen|imagem|afbeelding)"
_SEEN = r"(?:find|see|locate|spot|detect)"
ABSENT = re.compile(
    rf"(?:\bnot|n['’]t|\bcannot be) (?:clearly |currently )?(?:be )?(?:visible|found|located|seen|present|shown|depicted|in (?:the|this) (?:image|picture|photo|screenshot))\b|\bthere(?: is|are)n['’]t any\b|\bthere(?: is| are|['’]s) (?:nothing\b|no\b(?! (?:doubt|image|picture|need|way|problem)))"
    rf"|\b(?:(?:not|n['’]t) (?:clearly )?(?:visible|present|found|shown|depicted|{_PICTURE})|(?:is|are) no(?:t| such|t any)?\b[^.]{{0,60}}\b{_PICTURE}"
    r"|does(?: not|n['’]t) (?:exist|appear|contain|show)|no such|none of the|there (?:are|is) none|no (?:\w+ ){0,3}(?:found|match(?:es)?|matched|visible|present|detected))\b"
    r"|\b(?:no (?:object|item|element|region)s?|nothing) (?:match|fit|correspond|that|in the)|^(?:i see |there is(?: no|n['’]t an?)) (?:\w+ ){1,4}(?:here|in sight)\b|^i see no (?!image|picture|photo)\w+|\bin sight\b|^no (?:bounding )?box(?:es)?\b"
    r"|(?:es gibt |ist |sind )?\bkeine?[nrs]? [^.]{0,40}\bim bild|(?:im|auf dem|in diesem|auf diesem) (?:bild|foto) [^.]{0,20}keine?[nrs]? [^.]{0,40}(?:zu sehen|sichtbar|vorhanden)|nicht (?:im bild|vorhanden|zu sehen|sichtbar)|(?:es gibt|gibt es|sehe ich|ich sehe|befindet sich)(?: \w+)? keine?[nrs]?\b(?! (?:bild|foto))|\b(?:ik zie geen|je ne vois (?:pas d['’e]|aucune?)|no veo ning[uú]na?|não vejo nenhuma?)(?!\s?(?:image|imagen|imagem|afbeelding|foto|photo))\b|^there isn['’]t an? (?!image|picture|photo|box|way|answer|description|need|problem|point|reason)(?:[\w-]+ ?){1,4}\W*$"
    rf"|\b(?:the|this|das|dieses|(?:l['’]|cette )|la|esta|a|de|deze|die) ?{_PICTURE_NOUN} (?:(?:shows?|contains?|depicts?|includes?|displays?) no(?! (?:response|caption|box))|(?:zeigt|enthält) keine?[nrs]?|(?:toont|bevat) geen|ne (?:montre|contient)|no (?:muestra|contiene)|não (?:mostra|contém))\b"
    rf"|^\W*no (?!image|picture|photo|box)(?:[\w-]+ ){{1,6}}(?:(?:in|on) (?:the|this) {_PICTURE_NOUN}\W*$|(?:can|could) be|(?:is|are)) (?:seen|found|spotted|identified|located|detected|visible)\b|\bnothing (?:in|on) (?:the|this) {_PICTURE_NOUN} (?:match|fit|correspond|look)"
    r"|il n['’]y a (?:pas|aucun)|n['’](?:est|apparaît) pas (?:visible|présent|dans l['’]image)|n['’]apparaît pas|aucune? (?:\w+ ){1,4}(?:ne )?(?:correspond|n['’]est (?:visible|présent)|n['’]apparaît)"
    r"|\bno hay (?:ning|\w+)|no (?:aparece|se ve|está (?:presente|visible|en la imagen))|não há|não (?:aparece|está (?:presente|visível|na imagem))"
    r"|\ber (?:is|zijn|sta(?:at|an)|zit(?:ten)?|lig(?:t|gen)|hang(?:t|en)|bevind(?:t|en) zich)(?: \w+){0,3} geen\b|niet (?:zichtbaar|aanwezig|te zien|in de afbeelding)|(?:图中|图片中|图像中|画面中)?(?:没有|不存在|未(?:找到|发现))|(?:は|が)(?:ありません|いません)|見当たりません|写っていません|存在しません|見つかりません",
    re.IGNORECASE,
)
_UNFINDABLE = re.compile(
    rf"^(?:i(?:['’]m| am) sorry,? (?:but )?|sorry,? (?:but )?|unfortunately,? )?i (?:can(?:not|['’]?t| not)|could(?: not|n['’]t)|do(?: not|n['’]t)|did(?: not|n['’]t)) {_SEEN} (?!(?:the|any|an?) (?:image|picture|photo|screenshot|file)\b)(?!the (?:object|target|item)\W*$)(?:any|an?|the|such)\b",
    re.IGNORECASE,
)
DECLINES = re.compile(
    r"\b(?:i (?:can['’]?t|cannot|can not|won['’]?t|am unable|['’]?m unable|am not able|must decline)|unable to|(?:it is|it['’]s) not possible"
    r"|cannot (?:be )?(?:accurately )?(?:provide|determine|identify|locate)d?|(?:i['’]?m|i am) sorry|infeasible|refuse)\b",
    re.IGNORECASE,
)


Places = list[Place]
Reader = Callable[[str, Convention], Places]


class AnswerForm(NamedTuple):
    """The format of a model family: its parser, the default convention of its numbers, and the source."""

    read: Reader
    convention: str
    about: str
    # Half a bin, where the numbers of a place are the middles of the bins that are written.
    half_bin: float = 0.0


def form_named(name: str) -> AnswerForm:
    """The form of a name; `UnknownName` lists the forms there are."""
    if name not in FORMS:
        raise UnknownName("form of answers", name, FORMS, hint=f"one of {', '.join(FORMS)}")
    return FORMS[name]


_MARKED = re.compile(rf"(?<![\w'])(?:{MARKERS})(?:\s*\([^)\n]*\))?[\"'*_]*\s*(?::+|is\b|=+>?|->|→|\n)", re.IGNORECASE)


_NUMBERS = rf"[\[(<]+[^\[\]()<>\n\"]{{0,12}}{NUMBER}(?:[\s,;]+{NUMBER}){{1,3}}[\])>]+(?:\s*,\s*{PAIR})?"
_CORRECTED = re.compile(
    r"\b(?:no,? wait|wait|actually|correction|corrected|on second thought|i mean(?:t)?|scratch that|sorry|rather(?! than)|nein|korrektur|en fait|plutôt|en realidad|na verdade|eigenlijk)\b|不对|等等|いや|訂正|→|->",
    re.IGNORECASE,
)


def read_places(text: str, form: AnswerForm, convention: Convention) -> Places:
    """Return the places in an answer, preferring those after its last "Answer:" or correction.

    Repeated places count once.
    """
    text = re.sub(r"(?<=\d)\s?px\b|~~[^~\n]+~~", "", plain_marks(text[:LONGEST]))
    text = re.sub(r"\be\.\s?g\.,?", "for example", text)
    if form.read in (_read_json, _read_prose) and "{" not in text and not re.search(r"<\w", text):
        text = _keep_asserted(text)
    for mark in reversed([*_MARKED.finditer(text), *_CORRECTED.finditer(text)]):
        if places := form.read(text[mark.end() :], convention):
            return list(dict.fromkeys(places))
    return list(dict.fromkeys(form.read(text, convention)))


_CLAUSE = re.compile(
    r"(?<=[.;!?])\s+|\n+|,?\s+(?=(?:but|while|whereas|and the|sondern|mais|sino|mas|maar)\b)", re.IGNORECASE
)
# A clause with one of these before its place says that it is not the answer: denials, other objects, alternatives,
# conditions, examples, sizes.
_NOT_ASSERTED = re.compile(
    r"\b(?:not|never|no(?! (?:doubt|other|question|wait)|[,:;.])|wrong|incorrect|rejected?|excluded?|nicht|keine?[nrs]?|falsch|pas|niet|geen|não|nenhuma?)\b(?! (?:sure|certain|exact\w*|entirely))|n['’]t\b"
    r"|\b(?:rather than|instead of|unlike|at first|initially|first (?:guess|thought|attempt|i)|draft|originally|zuerst|d['’]abord|al principio|no início|eerst)\b"
    r"|\b(?:other|another|distractor|reference|example|previous|vor(?:ige|herige)\w*|précédente?|anterior|vorige|neighbou?r\w*|andere[nrs]?|autre|otr[oa]|outr[oa])\b(?! than)"
    r"|\b(?:or|either|if|whether|depending|hesitat\w*|torn|undecided|might|oder|falls|ou|o bien)\b|\bof\s*$|\b(?:but|except(?: for)?|format|size|resolution|dimensions?)\W*$|\b(?:image|picture|photo|screenshot|screen|background)\W*(?:(?:is|are|covers|has|spans)\W*)?$|^\W*rgb",
    re.IGNORECASE,
)
# "Left of the table at [1, 2, 3, 4]" is where the table is; "the chair left of the table is at [1, 2, 3, 4]" is an answer.
_LANDMARK = re.compile(
    r"\b(?:(?:left|right|side|front) of|above|below|under|behind|beside|beneath|over|near|next to|close to|adjacent to|one of|touch\w*|between|around)\b(?!.*\b(?:is|are|located|found|coordinates|box)\b)",
    re.IGNORECASE,
)
# A clause without a place says that the one before it is another object's.
_TAKEN_BACK = re.compile(
    r"\b(?:next to|left of|right of|in front of|above|below|behind|beside|near) (?:it|that|this)\b|\b(?:not|n['’]t)\b.*\b(?:meant|visible|found|the one|answer)\b|\bcan(?:not|['’]t) (?:tell|be seen|find|see|locate)\b|\bwould be\b|,\s*not (?:the|this|that) \w+",
    re.IGNORECASE,
)


def _keep_asserted(text: str) -> str:
    """Return prose without the places that it denies or gives to other objects; empty where it leaves open which is meant."""
    groups = re.compile(_NUMBERS)
    # Corners in square brackets are corners, too.
    if len(_PAIRS.findall(text)) == 2 and re.search(r"\b(?:to|bottom|lower)\b", text):
        text = _PAIRS.sub(r"(\1, \2)", text)
    clauses = [part for part in _CLAUSE.split(text) if part]
    is_open = False
    for i, clause in enumerate(clauses):
        matches = list(groups.finditer(clause))
        kept, end = "", 0
        for match in matches:
            before = clause[end : match.start()]
            said = groups.sub(" ", clause[: match.start()])
            is_denied = _NOT_ASSERTED.search(before) or clause.rstrip().endswith("?")
            is_open |= bool(is_denied and _ALTERNATIVE.search(groups.sub(" ", clause)))
            is_lead = (_LEADS.search(said) or _LEADS.search(before.lstrip(" ,;"))) and not _LANDMARK.search(said)
            # "The table ([1, 2, 3, 4]) hides it" tells of another object.
            is_aside = (
                re.match(r"\([\[(]", match[0]) and re.search(r"\w", said) and re.match(r"\s+\w", clause[match.end() :])
            )
            after = clause[match.end() :]
            is_denied = (
                is_denied
                or is_supposed(said)
                or _OF_OTHERS.search(said)
                or re.match(r"(?:\s*では)?ありません|ではない", after)
            )
            is_stated = is_lead and not is_denied and not is_aside and _CLOSING.match(after)
            kept += before + (match[0] if is_stated else "")
            end = match.end()
        clauses[i] = kept + clause[end:]
    stated = [clause for clause in clauses if groups.search(clause)]
    mentions = [match[0] for clause in stated for match in groups.finditer(clause)]
    if not mentions:
        return "" if is_open or groups.search(text) else text
    rest = "\n".join(clauses).rpartition(mentions[-1])[2]
    if len(set(mentions)) > 1:
        # A place that is named again at the end is the conclusion, so is one after "therefore"; places with other
        # words than those of a list are none.
        if mentions[-1] in mentions[:-1] or _CONCLUDES.search(stated[-1]):
            return mentions[-1]
        is_marked = (
            _MARKED.search("".join(stated)) or _CORRECTED.search("".join(stated)) or len(mentions[0].split(",")) == 2
        )
        is_open |= not is_marked and not _LISTED.match(groups.sub(" ", text))
    # One corner is no place.
    is_open |= len(mentions) == 1 and mentions[0].count(",") == 1 and "corner" in "".join(stated).lower()
    return "" if is_open or _TAKEN_BACK.search(rest) else "\n".join(clauses)


# What others say, where the model looks or does not look, and forms of answers.
_OF_OTHERS = re.compile(
    r"\b(?:you|users?|someone|somebody|prompt|question|they|he|she) (?!(?:can|could|may|mean\w*|are|want\w*|described|asked|find|see|go)\b)[^\W\d]+|\b(?:i|we)\b(?!['’](?:d|ll|m|ve) |\s+(?:\w+ly |first |now |would |will |can |could )*(?:see|f[io]u?nd|mark\w*|sa[yi]d?|meant?|think|guess|believe|estimate|draw|click|tap|locate\w*|choose|pick|put|place|point|spot\w*|detect\w*|identif\w+|get|got|suggest|propose|am|have)\b)"
    r"|\b(?:vous avez|sie haben|du hast|usted|você|confirm|verify|reads?|search|outside|ignor\w*|crop\w*|zoom\w*)\b|\b(?:form|format|syntax|template)\W*$|^\W*(?!(?:locate|box|bbox|boundingbox|rect|rectangle|point|click|tap|answer|return|print|mark|draw|select|list|tuple|array|region|select\w*|report|submit)\b)[a-z_]+\($|不|没|無",
    re.IGNORECASE,
)
# What may follow a place: nothing, a label, a remark after a mark, what is there, or a statement that it is the one.
_CLOSING = re.compile(
    r"\W*(?:$|[,;:(\[—–|-]|\.\s|(?!first|again|wrong|incorrect|too|instead|yet)[^\W\d]+\W*$|(?:is|was|are)\b(?= (?:the|an?|my|where|what i|it|its|one|around|about)\b)|(?:to|through|(?:bottom|lower|upper|top)\b|rather than|instead of|not|being|marks|contains|encloses|covers|surrounds|shows|bounds|for|in|of|with|on|around|and)\b(?! (?:wrong|incorrect|too|not|ask|found|then|see|look\w*|check|try|would)\b)|because|since|as\b|ist\b|est\b|es\b|é\b|<|です|に|は|是)",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\b(?:or|either|if|depending|hesitat\w*|torn|oder|falls|ou|o bien)\b", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so|daher|also|donc|así que|portanto|dus)\b|所以|よって", re.IGNORECASE
)
# What may stand right before a place that is asserted: nothing, a label, a verb of placing, or up to four words that name the object.
_LEADS = re.compile(
    r"(?:^|[:：=→>*|-]|(?<!was )(?<!were )\b(?:is|are|be|at|in|on|within|inside|box(?:es)?|bbox|coordinates?|region|location|area|around|about|approximately|estimate|say|mean|meant|answer|here|and|to|from|point|mark|draw|choose|pick|click|tap|occupies|covers|spans|found|see"
    r"|ist|sind|bei|est|sont|en|está|são|é|em|op|und|et|e|y|van)|[是在为は]|['’]s)[\s\"'(\[*`]*$"
    r"|^(?!\W*(?:it|they|this|that|one|all|any|each|both|ignore|skip|avoid|outside|beyond|exclude|without|use|see|consider|compare|look|check)\b)\W*(?:[^\W\d][\w-]*,? ){0,3}[^\W\d][\w-]*(?: \d(?:\.\d+)?)?,?[\s\"'(\[*`]*$|^\W*\d?\W*$|[,;]\W*$",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:\W|\d|\b(?:and|und|et|y|e|the|there|are|is|two|three|both|several|found|i|boxes|box|bounding|bbox|coordinates|chairs?|objects?|one|first|second|third|another|at|in|of|matching|instances?|labels?|results?|detections?)\b)*$",
    re.IGNORECASE,
)


def is_absent(text: str) -> bool:
    """Return whether an answer without places states that there is no such object."""
    bare = re.sub(r"^```\w*\s*|\s*```$", "", text.strip()).strip(" .\"'`*")
    bare = re.sub(r"<\|(?:begin|end)_of_box\|>", "", bare)
    bare = _MARKED.sub("", bare, count=1).strip(" .\"'`*")
    if re.fullmatch(
        r"\[\s*\]|\(\s*\)|none|null|nothing|not found|none visible|absent|not (?:there|present|visible)|keine?s?|aucune?|ningun[oa]|nenhuma?|geen|niets|无|没有|なし",
        bare,
        re.IGNORECASE,
    ):
        return True
    values = list(find_objects(text))
    # "[] or something like that" states nothing.
    around = re.sub(r"\{.*\}|\[.*\]", " ", text, flags=re.DOTALL)
    if _ALTERNATIVE.search(around) and around != text:
        return False
    if len(values) == 1 and isinstance(values[0], dict) and "action" not in values[0]:
        named = [v for k, v in values[0].items() if str(k) in (*_BOX_KEYS, *_POINT_KEYS, "answer", "bboxes")]
        named = named or list(values[0].values())
        return bool(named) and all(v in (None, [], "none", "None", "null", "not found", "") for v in named)
    # A place that is denied is no statement about the whole picture.
    if text.rstrip().endswith(("?", "？")) or re.search(_NUMBERS, text):
        return False
    return bool(_UNFINDABLE.match(text.strip()) or (ABSENT.search(text) and not DECLINES.match(text.strip())))


def is_declined(text: str) -> bool:
    """Whether an answer without places declines to give any."""
    return DECLINES.search(text) is not None


# -- putting numbers together ----------------------------------------------------------------------------------------------


def _parse_float(number: Any) -> float:
    return float(number.strip().removesuffix("px")) if isinstance(number, str) else float(number)


def _make_box(numbers: Sequence[Any], convention: Convention) -> Places:
    a, b, c, d = map(_parse_float, numbers)
    return [Box((a, b, c, d), convention)]


def _make_point(numbers: Sequence[Any], convention: Convention) -> Places:
    """Return two numbers as a point."""
    # A convention is declared for boxes or for points; a model that gives both means the same unit.
    turned = convention.order in (Order.YX, Order.YXYX)
    x, y = map(_parse_float, numbers)
    return [Point((x, y), Convention(convention.unit, Order.YX if turned else Order.XY, convention.sent))]


def _get_box_convention(convention: Convention) -> Convention:
    orders = {Order.XY: Order.XYXY, Order.YX: Order.YXYX}
    return Convention(convention.unit, orders.get(convention.order, convention.order), convention.sent)


def _make_place(numbers: Sequence[Any], convention: Convention) -> Places:
    """Return two numbers as a point, four as a box; empty for another count."""
    if len(numbers) == 4:
        return _make_box(numbers, _get_box_convention(convention))
    return _make_point(numbers, convention) if len(numbers) == 2 else []


# -- readers ---------------------------------------------------------------------------------------------------------------

_TWO_PAIRS = re.compile(rf"{PAIR}\s*,\s*{PAIR}")
_QWEN = re.compile(rf"(?:<box>|<\|box_start\|>)\s*{PAIR}(?:\s*,\s*{PAIR})?\s*(?:</box>|<\|box_end\|>)")


def _read_qwen(text: str, convention: Convention) -> Places:
    # Some servers take the special tokens out of the answer.
    matches = list(_QWEN.finditer(text)) or [m for m in [_TWO_PAIRS.fullmatch(text.strip())] if m]
    return [p for m in matches for p in _make_place([n for n in m.groups() if n is not None], convention)]


_LISTS = re.compile(FOUR)
_INTERNVL = re.compile(r"<box>(.{0,2000}?)</box>", re.DOTALL)
_DET = re.compile(r"<\|det\|>(.{0,2000}?)<\|/det\|>", re.DOTALL)


def _read_lists(text: str, convention: Convention) -> Places:
    return [p for m in _LISTS.finditer(text) for p in _make_box(m.groups(), _get_box_convention(convention))]


_ROW = re.compile(rf"\[+\s*({NUMBER}(?:\s*[,;]\s*{NUMBER}){{1,400}})\s*\]+")


def _read_rows(text: str, convention: Convention) -> Places:
    """Return the places of lists separated by semicolons."""
    rows = [row.split(",") for m in _ROW.finditer(text) for row in m[1].split(";")]
    return [p for row in rows for p in _make_place(row, convention)]


def _read_row_boxes(text: str, convention: Convention) -> Places:
    return [place for place in _read_rows(text, convention) if isinstance(place, Box)]


def _read_internvl(text: str, convention: Convention) -> Places:
    # Where special tokens were taken out of the answer, the lists are left; the makers' own code looks for nothing else.
    return [p for m in _INTERNVL.finditer(text) for p in _read_lists(m[1], convention)] or _read_lists(text, convention)


def _read_deepseek(text: str, convention: Convention) -> Places:
    return [p for m in _DET.finditer(text) for p in _read_lists(m[1], convention)]


_MOLMO = re.compile(r"<points?\s([^<>]{0,20000})>")
_MOLMO_NUMBER = re.compile(rf"""\b([xy])(\d{{0,4}})\s*=\s*["']\s*({NUMBER})\s*["']""")


_MOLMO_COORDS = re.compile(r"""\bcoords\s*=\s*["']([\d.,:;\s]{3,20000})["']""")


def _read_molmo(text: str, convention: Convention) -> Places:
    """Return the points of Molmo's tags."""
    places: Places = []
    for tag in _MOLMO.finditer(text):
        # A point's label may contain anything, including `x="3"`.
        attributes = re.split(r"\balt\s*=", tag[1], maxsplit=1)[0]
        numbers: dict[str, dict[str, str]] = {}
        for axis, which, number in _MOLMO_NUMBER.findall(attributes):
            numbers.setdefault(which, {})[axis] = number
        for pair in numbers.values():
            if len(pair) == 2:
                places += _make_point((pair["x"], pair["y"]), convention)
        for coords in _MOLMO_COORDS.findall(attributes):
            places += _read_molmo_coords(coords, convention)
    return places


def _read_molmo_coords(coords: str, convention: Convention) -> Places:
    """Points of Molmo 2: the picture's number, then for each point its number, x and y of 1000.

    Or x and y alone, as they were before.
    """
    places: Places = []
    for row in re.split(r"[;\t]", coords):
        numbers = re.findall(r"\d+(?:\.\d+)?", row)
        if len(numbers) == 2:
            places += _make_point(numbers, convention)
            continue
        triples = numbers[len(numbers) % 3 :]
        of_1000 = Convention(Unit.OF_1000, convention.order, convention.sent)
        for i in range(0, len(triples), 3):
            places += _make_point(triples[i + 1 : i + 3], of_1000)
    return places


_PALIGEMMA = re.compile(r"<loc(\d{4})><loc(\d{4})><loc(\d{4})><loc(\d{4})>")
_FLORENCE = re.compile(r"<loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})>")
_KOSMOS = re.compile(r"<patch_index_(\d{4})><patch_index_(\d{4})>")


def _read_paligemma(text: str, convention: Convention) -> Places:
    return [p for m in _PALIGEMMA.finditer(text) for p in _make_box(m.groups(), convention)]


def _read_florence(text: str, convention: Convention) -> Places:
    """Return the boxes of Florence's location tokens."""
    # The makers' own code takes the middle of a bin (processing_florence2.py, BoxQuantizer.dequantize).
    tokens = [p for m in _FLORENCE.finditer(text) for p in _make_box([int(n) + 0.5 for n in m.groups()], convention)]
    # Their post-processing returns a dictionary of boxes in pixels of the picture.
    return tokens or _read_json(text, Convention(Unit.PIXELS, convention.order))


def _read_kosmos(text: str, convention: Convention, side: int = 32) -> Places:
    """Return the boxes of Kosmos' patch tokens."""
    places: Places = []
    for match in _KOSMOS.finditer(text):
        first, last = int(match[1]), int(match[2])
        if max(first, last) < side * side:
            places += _make_box([n / side for n in _compute_cell_box(first, last, side)], convention)
    return places


def _compute_cell_box(first: int, last: int, side: int) -> tuple[float, ...]:
    """Return the box between the centres of two cells, or of whole cells if they share a row or column
    (unilm/kosmos-2/demo/decode_string.py).
    """
    (y1, x1), (y2, x2) = divmod(first, side), divmod(last, side)
    if x1 == x2 or y1 == y2:
        return x1, y1, x2 + 1, y2 + 1
    return x1 + 0.5, y1 + 0.5, x2 + 0.5, y2 + 0.5


_BOX_KEYS = ("bbox_2d", "box_2d", "bbox", "box", "bounding_box", "boundingBox", "bounding_box_2d", "start_box", "bboxes", "boxes", "xyxy", "bndbox", "rect", "region")  # fmt: skip
_POINT_KEYS = ("point_2d", "point", "points", "coordinate", "coordinates", "coords", "click", "position", "center", "centre", "location", "click_point", "xy")  # fmt: skip
_CORNER_KEYS = (
    ("x1", "y1", "x2", "y2"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("left", "top", "right", "bottom"),
    ("x0", "y0", "x1", "y1"),
    ("x_left", "y_top", "x_right", "y_bottom"),
)
_CORNERS = (
    ("top_left", "bottom_right"),
    ("topLeft", "bottomRight"),
    ("top-left", "bottom-right"),
    ("tl", "br"),
    ("min", "max"),
)
_CORNERS_AND_SIDES = (
    ("x", "y", "width", "height"),
    ("x", "y", "w", "h"),
    ("left", "top", "width", "height"),
    ("left", "top", "w", "h"),
    ("x1", "y1", "width", "height"),
)
_MIDDLES_AND_SIDES = (
    ("cx", "cy", "w", "h"),
    ("x_center", "y_center", "width", "height"),
    ("cx", "cy", "width", "height"),
)


def _read_json(text: str, convention: Convention) -> Places:
    """Places in JSON: in a fence, in objects, in lists; else as numbers with names or brackets, or alone."""
    fenced = re.findall(r"```\w*\s*(.*?)```", text, re.DOTALL)
    for part in (*fenced[-1:], text):
        # A list beside an object is more often a remark ("the picture is [640, 480]") than an answer; so is a pair beside a box.
        values = [call_arguments(value) for value in find_objects(part, "{[")]
        for chosen in ([v for v in values if not _are_numbers(v)], values):
            if places := [p for value in chosen for p in _walk_json(value, convention, 0)]:
                boxes: Places = [p for p in places if isinstance(p, Box)]
                return boxes if boxes and chosen is values else places
        # The numbers of an object without a place are something else.
        if values and part.strip()[:1] + part.strip()[-1:] == "{}":
            return []
    return _read_written(text, convention)


_SPACED = re.compile(
    rf"<(?:bbox|box|point|click)>\s*\(?({NUMBER}(?:[\s,]+{NUMBER}){{1,3}})\)?\s*</(?:bbox|box|point|click)>"
)
_ALONE = re.compile(
    rf"^[\s*`$\[(]*(?:[^\W\d][\w ]{{0,30}}\s*[:=]\s*)?({NUMBER}(?:(?:\s*[,;]\s*|\s+){NUMBER}){{1,3}})[\s*`$.\])]*$"
)
_ASSIGNMENT = re.compile(
    rf"\b(x_?(?:min|max|left|right|center)?[012]?|y_?(?:min|max|top|bottom|center)?[012]?|left|top|right|bottom|width|height|w|h|c[xy])\s*(?:=|:|is|(?<=left)|(?<=top)|(?<=right)|(?<=bottom)|(?<=min)|(?<=max))\s*[\"']?({NUMBER})(?:px)?\b",
    re.IGNORECASE,
)
_TABLE_ROW = re.compile(rf"(?m)^\s*\|\s*({NUMBER}(?:\s*\|\s*{NUMBER}){{1,3}})\s*\|\s*$")
_SIZE_BEFORE = re.compile(
    r"\b(?:image|picture|photo|screenshot|screen|size|resolution|dimensions?)\b[^.\n]{0,25}$", re.IGNORECASE
)


def _read_written(text: str, convention: Convention) -> Places:
    """Places outside of JSON: four numbers in brackets, two corners, one pair, "x1=…", or the numbers alone."""
    if boxes := [p for m in _LISTS.finditer(text) for p in _make_box(m.groups(), _get_box_convention(convention))]:
        return boxes
    if tagged := [p for m in _SPACED.finditer(text) for p in _make_place(re.split(r"[\s,]+", m[1]), convention)]:
        return tagged
    if rows := _TABLE_ROW.findall(text):
        return [p for row in rows for p in _make_place(re.split(r"\s*\|\s*", row), convention)]
    if (alone := _ALONE.match(text.strip())) and not _SIZE_BEFORE.search(text[: text.index(alone[1])]):
        return _make_place(re.split(r"\s*[,;]\s*|\s+", alone[1].strip()), convention)
    pairs = [m for m in re.finditer(PAIR, text) if not _SIZE_BEFORE.search(text[: m.start()])]
    is_corners = _get_box_convention(convention).order in (Order.XYXY, Order.YXYX)
    if len(pairs) == 2 and is_corners:
        return _make_box([*pairs[0].groups(), *pairs[1].groups()], _get_box_convention(convention))
    if len(pairs) == 1:
        return _make_point(pairs[0].groups(), convention)
    if (span := _SPAN.search(text)) and is_corners:
        return _make_box([span[1], span[3], span[2], span[4]], _get_box_convention(convention))
    names = [name.lower() for name, _ in _ASSIGNMENT.findall(text)]
    return _walk_json(dict(_ASSIGNMENT.findall(text.lower())), convention, 0) if len(set(names)) == len(names) else []


def _walk_json(value: Any, convention: Convention, depth: int) -> Places:
    """Return the places in a JSON value, at any depth."""
    if depth > DEEPEST:
        return []
    if isinstance(value, str):
        written = re.fullmatch(rf"[\[(\s]*({NUMBER}(?:[\s,;]+{NUMBER}){{1,3}})[\])\s]*", value) if depth else None
        return _make_place(re.split(r"[\s,;]+", written[1].strip()), convention) if written else []
    if isinstance(value, list):
        if _are_numbers(value):
            return _make_place(value, convention)
        if len(value) == 2 and all(_are_numbers(pair) and len(pair) == 2 for pair in value):
            # Two points, or the corners of a box: the answer does not say which.
            return []
        return [p for item in value[:1000] for p in _walk_json(item, convention, depth + 1)]
    if not isinstance(value, dict):
        return []
    for first, last in _CORNERS:
        corners = [_walk_json(value[key], convention, depth + 1) for key in (first, last) if key in value]
        if len(corners) == 2 and all(len(c) == 1 and isinstance(c[0], Point) for c in corners):
            both = [n for (corner,) in corners if isinstance(corner, Point) for n in corner.numbers]
            order = Order.YXYX if _get_box_convention(convention).order is Order.YXYX else Order.XYXY
            return _make_box(both, Convention(convention.unit, order, convention.sent))
    for key in ("final_answer", "answer", "prediction", *_BOX_KEYS, *_POINT_KEYS):
        if key in value and (matches := _walk_json(value[key], convention, depth + 1)):
            return matches
    for keys, order in _iterate_keys():
        numbers = [value.get(key) for key in keys]
        if _are_numbers(numbers):
            # Keys say which number is which, whatever the order of the list form is.
            unit = Convention(convention.unit, order, convention.sent)
            return _make_box(numbers, unit) if len(keys) == 4 else _make_point(numbers, unit)
    return [
        p
        for key, item in list(value.items())[:1000]
        if not isinstance(item, str) and not _OF_OTHER_KEYS.search(str(key))
        for p in _walk_json(item, convention, depth + 1)
    ]


_OF_OTHER_KEYS = re.compile(
    r"reject|exclu|ignor|skip|wrong|distract|draft|other|alternative|thought|size|example|^not", re.IGNORECASE
)


def _iterate_keys() -> Iterator[tuple[tuple[str, ...], Order]]:
    """Yield the keys of boxes and points with the order of their numbers."""
    yield from ((keys, Order.XYWH) for keys in _CORNERS_AND_SIDES)
    yield from ((keys, Order.CXCYWH) for keys in _MIDDLES_AND_SIDES)
    yield from ((keys, Order.XYXY) for keys in _CORNER_KEYS)
    yield ("x", "y"), Order.XY


def _are_numbers(values: Any) -> bool:
    """Return whether a list has only numbers, as numbers or text."""
    return (
        isinstance(values, list)
        and bool(values)
        and all(
            (isinstance(n, int | float) and not isinstance(n, bool) and _is_finite(n))
            or (isinstance(n, str) and re.fullmatch(rf"\s*{NUMBER}\s*(?:px)?\s*", n) is not None)
            for n in values
        )
    )


def _is_finite(number: float) -> bool:
    """Return whether a number is finite."""
    try:
        return isfinite(float(number))
    except OverflowError:
        return False


_CALLED = r"""\(\s*(?:(?:start_box|point|x|coordinate|coords?|position|box|pos)\s*=\s*)?["'\[(<]*\s*(?:\|?box_start\|>|<?point>|box>)?[\[(\s]*"""
_ACTION = re.compile(
    rf"""(?P<verb>[a-z_]*(?:click|tap|press|double|single|select|touch|move|hover)[a-z_]*)\s*"""
    rf"""(?:{_CALLED}(?P<x>{NUMBER})\s*(?:,|\s)\s*(?:y\s*=\s*)?(?P<y>{NUMBER})(?:\s*,\s*(?P<x2>{NUMBER})\s*,\s*(?P<y2>{NUMBER}))?|\(\s*\))""",
    re.IGNORECASE,
)
_TYPED_TAP = re.compile(rf"\binput\s+tap\s+({NUMBER})\s+({NUMBER})")
_ASSIGNED = re.compile(
    rf"""(?:start_box|point|coordinate)\s*=\s*["'\[(]*\s*(?:<\|box_start\|>|<point>)?\s*\(?\s*({NUMBER})\s*(?:,|\s)\s*({NUMBER})""",
    re.IGNORECASE,
)
_PAIRS = re.compile(rf"[\[(]\s*({NUMBER})\s*,\s*({NUMBER})\s*[\])]")
_MOVES = re.compile(r"move|hover|wait|screenshot|scroll|key|type", re.IGNORECASE)


def _read_click(text: str, convention: Convention) -> Places:
    """Return the place of the last click, or of the last movement without a click.

    Else the last pair of numbers.
    """
    text = re.sub(r"\b(?:scroll|sleep|wait|type|write|hotkey)\w*\([^()]*\)", "", text)
    if (places := _find_last_action(text, convention)) or (places := _find_called_action(text, convention)):
        return places
    if any(isinstance(value, dict) and {"action", "type"} & value.keys() for value in find_objects(text)):
        return []
    if typed := _TYPED_TAP.findall(text):
        return _make_point(typed[-1], convention)
    if tokens := _read_qwen(text, convention):
        return tokens[-1:]
    if assigned := _ASSIGNED.findall(text):
        return _make_point(assigned[-1], convention)
    if four := _LISTS.findall(text):
        return _make_box(four[-1], _get_box_convention(convention))
    pairs = _PAIRS.findall(text)
    return _make_point(pairs[-1], convention) if pairs else _read_json(text, convention)[-1:]


def _find_last_action(text: str, convention: Convention) -> Places:
    """Return the place of the last action in pyautogui's style."""
    pointer: Places = []
    clicked: Places = []
    for action in _ACTION.finditer(text):
        numbers = [n for n in action.group("x", "y", "x2", "y2") if n is not None]
        pointer = _make_place(numbers, convention) if numbers else pointer
        if not _MOVES.search(action["verb"]):
            clicked = pointer
    return clicked or pointer


def _find_called_action(text: str, convention: Convention) -> Places:
    """Return the place of the last call of a computer-use tool, in JSON: clicks before movements."""
    clicked: Places = []
    moved: Places = []
    for value in (
        v for matches in find_objects(text, "{[") for v in (matches if isinstance(matches, list) else [matches])
    ):
        if not isinstance(value, dict):
            continue
        arguments = {k: v for k, v in call_arguments(value).items() if k not in ("text", "value", "keys", "content")}
        verb = f"{value.get('name', '')} {arguments.get('action', '')} {arguments.get('type', '')}"
        if isinstance(arguments.get("action"), dict):
            verb, arguments = str(arguments["action"].get("type", "")), arguments["action"]
        places = _walk_json(arguments, convention, 0)[-1:]
        if places and _MOVES.search(verb) and "click" not in verb:
            moved = places
        elif places:
            clicked = places
    return clicked or moved


def _read_spaced(text: str, convention: Convention) -> Places:
    """Numbers with spaces between them, in tags; or a click on such a point."""
    matches = [p for m in _SPACED.finditer(text) for p in _make_place(re.split(r"[\s,]+", m[1]), convention)]
    if _ACTION.search(text):
        return matches[-1:] or _read_click(text, convention)
    return matches or _read_lists(text, convention) or _read_json(text, convention)


_GLM = re.compile(r"<\|begin_of_box\|>(.{0,2000}?)<\|end_of_box\|>", re.DOTALL)


def _read_glm(text: str, convention: Convention) -> Places:
    inside = _GLM.findall(text)
    return _read_json(inside[-1] if inside else text, convention)


_SPAN = re.compile(
    rf"\bx\b[^\d\n]{{0,20}}({NUMBER})[^\d\n]{{1,10}}({NUMBER})\D{{1,30}}\by\b[^\d\n]{{0,20}}({NUMBER})[^\d\n]{{1,10}}({NUMBER})",
    re.IGNORECASE,
)


def _read_prose(text: str, convention: Convention) -> Places:
    """Boxes in running text: four numbers in brackets, two corners, or spans of x and y.

    Never the default: it guesses.
    """
    boxes = _read_lists(text, convention) or [p for p in _read_json(text, convention) if isinstance(p, Box)]
    return boxes[:1]


FORMS: dict[str, AnswerForm] = {
    "qwen-vl": AnswerForm(_read_qwen, "0-1000 xyxy", "<box>(x1,y1),(x2,y2)</box> (QwenLM/Qwen-VL, README)"),
    "qwen2-vl": AnswerForm(_read_qwen, "0-1000 xyxy", "<|box_start|>(x1,y1),(x2,y2)<|box_end|> (Qwen2-VL model card)"),
    "qwen2.5-vl": AnswerForm(
        _read_json, "pixels xyxy sent:qwen28", 'JSON "bbox_2d" or "point_2d" (Qwen2.5-VL cookbooks)'
    ),
    "qwen3-vl": AnswerForm(_read_json, "0-1000 xyxy", 'JSON "bbox_2d" (Qwen3-VL cookbooks)'),
    "internvl": AnswerForm(
        _read_internvl,
        "0-1000 xyxy",
        "<box>[[x1, y1, x2, y2]]</box> (InternVL, eval/refcoco/evaluate_grounding.py: / 1000)",
    ),
    "cogvlm": AnswerForm(
        _read_row_boxes,
        "0-1000 xyxy",
        "[[x1,y1,x2,y2]], several with a semicolon between (THUDM/CogVLM, README and utils/utils/grounding_parser.py: / 1000)",
    ),
    "deepseek-vl2": AnswerForm(
        _read_deepseek,
        "0-999 xyxy",
        "<|det|>[[x1, y1, x2, y2]]<|/det|> (deepseek-ai/DeepSeek-VL2, serve/app_modules/utils.py: / 999)",
    ),
    "shikra": AnswerForm(
        _read_rows,
        "0-1 xyxy sent:square",
        "[0.123,0.456,0.789,0.900], several with a semicolon between; shares of the picture padded to a square"
        " (shikras/shikra, box_process_function.py and utils/transform.py: expand2square)",
    ),
    "ferret": AnswerForm(_read_lists, "0-1000 xyxy", "[x1, y1, x2, y2] (apple/ml-ferret, eval/eval_refexp.py: / 1000)"),
    "molmo": AnswerForm(
        _read_molmo,
        "percent xy",
        '<point x="61.5" y="40.6" …>, <points x1=… y1=… …> (Molmo model card, discussion 1: / 100); <points coords="1 1 615 406"> (Molmo 2: / 1000)',
    ),
    "paligemma": AnswerForm(
        _read_paligemma, "0-1024 yxyx", "<loc0123> four times, y x y x (paligemma_parse.py of the makers' demo: / 1024)"
    ),
    "florence-2": AnswerForm(
        _read_florence,
        "0-1000 xyxy",
        "<loc_123> four times, the middle of one of 1000 bins (transformers, processing_florence2.py)",
        half_bin=0.5,
    ),
    "kosmos-2": AnswerForm(
        _read_kosmos,
        "0-1 xyxy",
        "<patch_index_0044><patch_index_0863>, cells of a 32 x 32 grid (transformers, processing_kosmos2.py)",
    ),
    "gemini": AnswerForm(
        _read_json,
        "0-1000 yxyx",
        'JSON "box_2d": [ymin, xmin, ymax, xmax] (google-gemini/cookbook, Spatial_understanding: / 1000)',
    ),
    "glm": AnswerForm(
        _read_glm,
        "0-1000 xyxy",
        "<|begin_of_box|>[[x1,y1,x2,y2]]<|end_of_box|> or JSON (zai-org/GLM-V, skill glmv-grounding: round(x / W * 1000))",
    ),
    "seed": AnswerForm(
        _read_spaced,
        "0-1000 xyxy",
        "<bbox>x1 y1 x2 y2</bbox>, <point>x y</point> (Seed1.5-VL cookbook, Grounding: / 1000)",
    ),
    "minicpm": AnswerForm(
        _read_spaced, "0-1000 xyxy", "<box>x1 y1 x2 y2</box> (OpenBMB/MiniCPM-V, finetuning readme: 0 to 1000)"
    ),
    "aguvis": AnswerForm(
        _read_click, "0-1 xy", "pyautogui.click(x=0.1234, y=0.5678) (xlang-ai/aguvis, README: 0 to 1)"
    ),
    "claude-computer-use": AnswerForm(
        _read_click,
        "pixels xy",
        '{"action": "left_click", "coordinate": [x, y]} (Anthropic, computer use tool: pixels of the screenshot as sent)',
    ),
    "openai-computer-use": AnswerForm(
        _read_click,
        "pixels xy",
        '{"type": "click", "x": …, "y": …} (OpenAI, computer use guide: pixels of the screenshot as sent)',
    ),
    "gemini-computer-use": AnswerForm(
        _read_click, "0-1000 xy", '{"name": "click_at", "args": {"x": …, "y": …}} (Gemini API, computer use: / 1000)'
    ),
    "ui-tars": AnswerForm(
        _read_click, "0-1000 xy", "click(start_box='(x,y)') (UI-TARS 1.0; action_parser.py: factor 1000)"
    ),
    "ui-tars-1.5": AnswerForm(
        _read_click,
        "pixels xy sent:qwen28",
        "click(start_box='(x,y)'), click(point='<point>x y</point>') (UI-TARS 1.5, action_parser.py: smart_resize)",
    ),
    "os-atlas": AnswerForm(
        _read_click,
        "0-1000 xyxy",
        "<|box_start|>(x1,y1),(x2,y2)<|box_end|> or (x,y) (OS-Copilot/OS-Atlas, README: 0 to 1000)",
    ),
    "showui": AnswerForm(
        _read_click, "0-1 xy", "[0.73, 0.21] or {'position': [x, y]} (showlab/ShowUI, QUICK_START.md: 0 to 1)"
    ),
    "click": AnswerForm(_read_click, "pixels xy", "click(x, y) and its kin, in pixels of the picture as it is"),
    "json": AnswerForm(_read_json, "pixels xyxy", 'plain JSON: a list of four or two numbers, "box", "point", "x1"…'),
    "prose": AnswerForm(
        _read_prose, "pixels xyxy", "the first box that running text holds: a guess, so never the default"
    ),
}
