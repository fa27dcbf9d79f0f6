"""Which of some numbered or named options an answer chooses.

Every mention of an option becomes a token, ``⟦3⟧``; patterns over tokens then say which mentions are assertions ("it must be ⟦3⟧"), which are denials ("not
⟦3⟧") and which are neither ("⟦3⟧ is blue"). An answer is read if its assertions agree, or if a later one corrects or concludes the earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from referee.models.answers.clauses import (
    CARRIER,
    CHOOSING,
    CHOSEN,
    CORRECTS,
    DENIED,
    DOUBT,
    DOUBTED,
    GROUP_WORDS,
    HEDGED,
    NEGATION,
    PERHAPS,
    SEVERAL,
    Claim,
    claims_of_sentence,
    final_claim,
    split_sentences,
)
from referee.models.answers.json_objects import find_json
from referee.models.answers.vocabulary import (
    KINDS,
    MARKERS,
    PATTERNS,
    START,
    UNKNOWN,
    any_of,
    number_words,
    ordinals,
    plain_text,
    replace_all,
    words,
)

__all__ = ["NONE", "SEVERAL", "UNSURE", "Choice", "parse_choice"]

# Longer answers end with their conclusion.
LONGEST = 6_000
NONE, UNSURE = "none", "unknown"
Choice = int | str
I = re.IGNORECASE  # noqa: E741

_KEYS = words(
    "answer choice number object index id target selected selection result option item response pick final referent match antwort réponse respuesta resposta 答案"
)
_FIRST_KEYS = ("final_answer", "answer", "choice", "selected", "selection", "final")
_NO_KEYS = words(
    "reason reasoning thought thoughts explanation confidence alternatives analysis count rationale others probability score excluded rejected"
)

# A number that is counted with, or that is a part of another number, names no option.
_FOLLOWS = any_of(
    r"\s*$|\s*\n|\s*[^\w\s%/]|\s*[&+]\s*\d",
    r"\s+(?:or|oder|ou|nor|comes?|stands|gets|matches(?= (?:the|best|all|exactly|this|that|it|every\w*|both|perfectly|better|most)\b)|y|o|e|alone|what|was|were|does|doesn['’]?t|isn['’]?t|because|since|that|nor|although|while|whereas|than|rather|due|instead|both|also|too|satisf\w+|faces|noch|zijn|until|unless|if|after|over|when|where|not|lol|sont|sind|to me|is|are|has|can|could|might|may|seems?|looks?|of(?! (?:the|them|these|those|my|all)\b))\b(?!['’](?!t\b))",
    rf"\s+(?:{'|'.join(sorted((CARRIER | GROUP_WORDS) - {'of', 'objects', 'candidates', 'options', 'possibilities', 'matches', 'object', 'item', 'one', 'ones', 'image', 'picture', 'figure', 'thing', 'option', 'objekt', 'objet', 'objeto', 'candidate', 'confident', 'criteria', 'signs', 'evidence'}, key=len, reverse=True))})\b(?!['’](?!t\b))",
    r"\s*[号號番是都和或とかをがはでだではの为最符]",
)  # fmt: skip

_COUNTED = r"(?<!the )(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:of (?:them|the|these)|objects|items|things|chairs|candidates|options)\b"

R = r"⟦(\d+)⟧"
_JOIN = r"\s*(?:,\s*(?:and also|and|or|und|oder|et|ou|y|o|e|en)?(?!\s*also\b)|and also|and/or|and|or|&|/|\+|und|oder|et|ou|y|o|e|en|(?:just |equally |exactly )?as (?:well|good|much|likely|plausible) as(?: (?:to|for))?|sowie|als auch|como|ainsi que|和|或者?|与|と|か|や)\s*(?:the\s+|l['’]|el\s+|la\s+|o\s+|das\s+)?"

_OPENERS = PATTERNS["openers"]
_OPENER = re.compile(rf"^[\s\W]*?{_OPENERS}(?![\w'])[\s,:!.…-]*", I)
_CJK_OPENER = re.compile(
    r"^(?:可能|大概|也许|我认为|我觉得|我想|应该|所以|因此|好的|おそらく|たぶん|多分|はい|よって|したがって)是?[\s,:]*"
)

# Words before a mention that make it an assertion.
_ONE_LEFT = re.compile(
    any_of(
        r"\b(?:no|none|nothing|neither)(?: one)?(?: of)?(?: the| these)? (?:others?|else|remaining|rest)\b",
        r"\bkeine?[srn]? (?:der |von den )?ander\w+|aucun(?:e)? (?:des )?autres?|ningun[oa]?(?: de los)? (?:otr[oa]s?|demás)|nenhum(?: dos)? outros?|geen (?:van de )?andere\w*|没有其他|其他都不",
        r"\b(?:several|many|multiple|two|three|both|all|most|a few|some)\b[^.;]*\b(?:but|only|the one|while)\b|\b(?:mehrere|viele|plusieurs|varios|varias|vários|várias|meerdere)\b[^.;]*\b(?:aber|nur|mais|seul|pero|sólo|solo|mas|só|maar|alleen)\b",
    ),
    I,
)
_SEVERAL = re.compile(
    any_of(
        r"several|multiple\W*$|(?:all|any|any of (?:them|these))\W*$|ambiguous|all (?:of )?(?:them|(?:the(?:se|m)? )?(?:\w+ )?(?:objects|candidates|options)) (?:fit|match|satisf)|either (?:one )?(?:works|fits|matches|is (?:possible|fine)|(?:would|could|might) (?:work|fit|do|be))|all of (?:them|the(?:se|m)? objects)|(?:it(?:['’]s| is) )ambiguous|both",
        r"(?:there are |i (?:can )?(?:see|find|have) )?(?:at least )?(?:two|three|four|multiple|several|many|more than one|two or more)(?: \w+){0,3} (?:match(?:es)?|fit|fits|candidates?|satisf\w+|possib\w+|could be meant|correspond|suit|apply|qualif\w+|meet)\b",
        r"(?:there are |i see )?(?:several|multiple|more than one|many)(?! (?:\w+ )?(?:people|persons))\b(?!.*\bbut\b)",
        r"(?:it |this |the description )?(?:could|can|might|may)(?: also)? (?:refer to|be|mean|describe|fit) (?:several|more than one|multiple|many|any of|either|both|two)",
        r"there(?: is|['’]s)(?: no|n['’]t an?| not an?) unique\b|(?:er zijn|es gibt|il y a|hay|há|existen|existem)(?: \w+)? (?:meerdere|verschillende|mehrere|plusieurs|varios|varias|vários|várias)\b",
        r"(?:the description )?(?:does not|doesn['’]t) (?:single out|uniquely identify|distinguish)|(?:it |this |that |(?:the|this) description )?(?:is )?(?:fits|matches|applies to|describes|true of|holds (?:of|for)) (?:several|more than one|both|multiple|many|two)",
        r"(?:die beschreibung |sie |das )?(?:trifft|passt) auf (?:mehrere|beide)|mehrere\b|mehr als ein\w*|beide\b|nicht eindeutig\b(?! bestimmbar)|(?:die beschreibung ist |das ist |es ist )?(?:mehrdeutig|nicht eindeutig)\b(?! bestimmbar)|(?:es gibt )?(?:mehrere|zwei)\b[^.]*\bpassen|alle passen",
        r"plusieurs\b|plus d['’]un\w*|tous les deux|ambigu\w*|les deux\b",
        r"(?:hay |existen )?(?:varios|varias|múltiples)\b|más de uno|ambos|ambigu[oa]|los dos\b",
        r"(?:há |existem )?(?:vários|várias|múltiplos)\b|mais de um|ambíguo|os dois\b",
        r"meerdere\b|meer dan één|beide\b|dubbelzinnig|verschillende (?:objecten )?passen",
        r"(?:有|存在)?(?:多个|几个|好几个|两个|多個)(?!人)|不止一[个個]|都符合|歧义",
        r"(?:⟪[\d,]+⟫|⟦\d+⟧と⟦\d+⟧)(?:の)?(?:両方|どちらも|いずれも)|複数(?!あります?が)|いくつか|(?:二|2)つ以上|どちらも|両方|曖昧",
    ),
    I,
)
_NONE = re.compile(
    any_of(
        r"(?:no(?:pe)?, )?none\b|nothing\b|not (?:a single )?one of (?:them|the|these)\b|not a single (?:object|one|item)\b(?! other)|(?:the |this )?(?:described |target )?(?:object|item|description|target) (?:is|does) not (?:in the list|on the list|listed|present|exist|there|among)|neither\b(?!.*[⟦⟪])|no(?: \w+){0,2} (?:match(?:es)?|fits?|object|objects|item|such|candidates?|option|corresponds?)\b|no one\b|not any\b|n/a\b|zero\b|null\b|0 (?:objects|matches|items)\b|neither\b[^.]*\bnor any",
        r"there(?: is| are|['’]s)(?: nothing\b| no\b(?! unique)|n['’]t any| not any|n['’]t an?y?(?! unique))|there isn['’]t\b(?! an? unique)|it (?:fits|matches) (?:none|no)\b",
        r"(?:it |this |the description |that )(?:does(?: not|n['’]t)|doesn['’]?t) (?:fit|match|describe|apply to|correspond to) any",
        r"i (?:don['’]t|do not|can['’]?t|cannot) (?:see|find|think|believe)(?: that)? any\b|i (?:can['’]?t|cannot|don['’]t|do not) (?:see|find) (?:an?|the|such)\b|there (?:does(?: not|n['’]t)|do(?: not|n['’]t)) seem to be|i (?:see|find) no\b|the list (?:contains|has) no\b|i (?:found|see|find|can see) nothing\b|(?:the |this )?(?:described |target )?(?:object|item|chair) (?:is(?: not|n['’]t)) (?:in the list|on the list|listed|present|there|here|among)|not present\b|such an? \w+ (?:is|does) not\b|not (?:in the list|listed)\b",
        r"kein(?:e[snr]?|s)?\b|nichts\b|es gibt (?:hier |da )?(?:kein|nichts)\w*|nicht dabei|\w+ solche\w* \w+ (?:gibt es|ist|existiert|kommt)\b[^.]*\bnicht\b",
        r"aucune?\b|rien ne\b|pas d['’]objet|il n['’]y a (?:pas|aucun)",
        r"ningun[oa]?\b|ningún\b|nada\b|no (?:hay|existe|existen|veo|encuentro) (?:ning|objetos?|tal)",
        r"nenhum(?:a)?\b|nada\b|não (?:há|existe|existem|vejo|encontro) (?:nenhum|objeto|um|uma)",
        r"geen\b|niets\b|er is geen",
        r"(?:没有|無|无)(?:任何)?(?:一个)?(?:符合|匹配|这样|物体|对象|合适)?(?!足够|其他)|都不(?:符合|是|匹配)|(?:なし|ありません|該当なし|どれでも(?:ありません|ない)|(?:どれも|いずれも)(?:当てはまり|該当し|一致し)(?:ません|ない)|(?:当てはまる|該当する|一致する)(?:物体|もの|オブジェクト)?(?:は|が)?(?:ありません|ない|なし|存在しません))",
    ),
    I,
)
_UNSURE = re.compile(UNKNOWN, I)
_DISMISSED = re.compile(
    r"\b(?:wrong|incorrect|not|eliminated|excluded|ruled out|falsch|nicht|faux|fausses|incorrect[oa]s|errad[oa]s|fout)\b|n['’]t\b",
    I,
)
_YES = r"(?:yes|yep|true|match(?:es)?|fits?|correct|✓|✔️?|✅|☑️?|ja\b|oui|sí|sim|是|符合|はい|○)"
_NO = r"(?:no(?:t a)? (?:match|fit)(?:es)?|no|nope|false|does(?: not|n['’]t) (?:match|fit)|not|wrong|incorrect|✗|✘|❌|✖️?|nein|non|não|nee|不是|不符合|否|いいえ|×|ruled out|too \w+)"
_TICKED = re.compile(rf"{R}[\s:=-]*([✓✔✅☑✗✘❌✖])")
# "Is it ⟦3⟧? Yes."
_REPLY = re.compile(rf"{R}[^⟦.?!\n]*\?\s*({_YES}|{_NO})(?!\w)[^⟦.!?\n]*[.!]?", I)
_ITEM = re.compile(rf"^[\s>*•|-]*{R}[\s:.)|=\"'-]*(.*)$")
_ALL_BUT = re.compile(
    rf"\b(?:everything|all(?: \w+)?|anything|every (?:object|one|other))(?: \w+)? (?:but|except(?: for)?|besides|other than|apart from)\s+({R})[^.]*\b(?:ruled out|excluded|eliminated|wrong|not|do(?:es)?n['’]t|fails?|discarded)\b",
    I,
)
# "Everything fits except 5" denies 5.
_ALL_FIT_BUT = re.compile(
    r"\b(?:every\w*|all|each|any\w*)\b[^.;⟦]*\b(?:fits?|match(?:es)?|works?|possible|qualif\w+|candidates?|red|could be)\b[^.;⟦]{0,12}\b(?:but|except(?: for)?|besides|apart from)\s+(?=(?:\w+ )?⟦)",
    I,
)
# Negations that say "only", and hedges and courtesies that say nothing.
_ONLY = re.compile(
    r"\b(?:no(?:ne|body|thing)?|not (?:a single|any)|no one|every\w*|all(?: \w+)?|anything|none)(?: \w+){0,2} (?:(?:other|else) than|but|except(?: for)?|besides|save)(?= (?:\w+ )?⟦[^.;]*\b(?:fits?|match(?:es)?|is|are|has|can|qualif\w+|ruled|excluded|eliminated|wrong|not|does|do|fails?)\b|(?<!anything but)(?<!anything except)[^,.;⟦]{0,20}⟦\d+⟧\W*$)"
    r"|\b(?:none|nothing|no one) other than\b|\bnothing but\b|\b(?:can(?:not|['’]t)|couldn['’]t) (?:be )?(?:anything |any )?(?:but|other than)\b|\bne reste que\b|\bniemand anders als\b",
    I,
)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_MARKED = re.compile(
    rf"(?<![\w'])(?<!second )(?<!2nd )(?<!first )(?<!1st )(?<!other )(?<!next )(?<!wrong )(?<!initial )(?<!alternative )({MARKERS})(?:\s*\([^)\n]*\))?[\"'*_]*\s*(?::+|=+>?|->|→|是|は|[\"'*_]*\n+|[\"'*_]*$)",
    I,
)
_CHECKED = re.compile(rf"\[[xX✓✔]\]\s*{R}|☑️?\s*{R}")


def parse_choice(text: str, options: int | Sequence[str], language: str | None = None) -> Choice | None:
    """The option chosen, from 1; ``several``, ``none`` or ``unknown``.

    None where the answer leaves it open.
    """
    names = _Names(options, language)
    text = text[-LONGEST:].rstrip("*_ ")
    if text.endswith((":", "：")):
        return None
    for boxed in reversed(_BOXED.findall(text)):
        return _parse_part(re.sub(r"\\(?:text|mathrm|textbf)\s*\{([^}]*)\}|\\[a-z]+", r"\1", boxed), names)
    data = find_json(text)
    if data is not None and (choice := _parse_json(data, names)) is not None:
        return None if choice == "" else choice
    # The numbers of an object without a key for the answer are something else.
    if data is not None and text.strip()[:1] + text.strip()[-1:] == "{}":
        return None
    text = re.sub(r"\\text\{([^}]*)\}|\\+[()\[\]]?", r"\1", plain_text(text)).strip()
    text = re.sub(r"~~[^~\n]+~~", " ", re.sub(r"\$([^$\n]{1,80})\$", r"\1", text))
    if len(re.findall(r"\d\s?%", text)) == 1:
        text = re.sub(
            r"[(\[]?\b(?:with |at |about |around )?\d{1,3}(?:\.\d+)?\s?%(?: (?:sure|confiden\w+|certain\w*|probab\w*|likely))?[)\]]?",
            " ",
            text,
            flags=I,
        )
    return _parse_part(text, names)


class _Names:
    """The options of a question: their number, and their names."""

    def __init__(self, options: int | Sequence[str], language: str | None) -> None:
        self.count = options if isinstance(options, int) else len(options)
        names = [] if isinstance(options, int) else [str(name).strip() for name in options]
        self.names = () if all(re.fullmatch(r"\d+", name) for name in names) else tuple(names)
        self.words = number_words(language)

    def tokenise(self, text: str) -> str:
        """The text with every mention of an option as a token.

        Numbers beyond the options become ``⟦0⟧``, which no answer may have.
        """
        if self.names:
            named = _tokenise_names(text, self.names)
            if "⟦" in named:
                return named
        text = replace_all(_protect_quotes(replace_all(text, _REWORDED)), _NO_MENTIONS)
        words = "|".join(sorted(map(re.escape, self.words), key=len, reverse=True))
        for pattern in _MENTIONS:
            text = re.sub(pattern.replace("WORDS", words), self._replace_mention, text, flags=I)
        for word, number in ordinals():
            pattern = rf"(?<![\w-])(?:^|the |das |der |die |le |la |el |o |a |het |de |du |del |do |da ){word}(?: {_ONES}| (?:from|in|on) the list|\s*[.!]?\s*$)(?:(?:,)? (?:from|in|on) the list)?"
            text = re.sub(pattern, self._make_token(str(number)), text, flags=I)
        for pattern in _LATE_MENTIONS:
            text = re.sub(pattern.replace("WORDS", words), self._replace_mention, text, flags=I)
        return re.sub(_BARE, self._replace_bare, text, flags=I)

    def _replace_mention(self, match: re.Match[str]) -> str:
        """Return the token of a mention, behind its lead."""
        return (match.groupdict().get("lead") or "") + self._make_token(match["n"])

    def _replace_bare(self, match: re.Match[str]) -> str:
        """Return the token of a number by itself; a number behind that of a list, "1. 5", is none."""
        if re.search(r"(?:^|\n)\s*\d{1,2}\. $", match.string[: match.start()]):
            return match[0]
        opening = match[0][0] if match[0][0] in "([" and match[0][-1] not in ")]" else ""
        return opening + self._make_token(match[1])

    def _make_token(self, written: str) -> str:
        number = self.words.get(written.lower()) or (int(written) if written.isascii() and written.isdigit() else 0)
        return f"⟦{number if 1 <= number <= self.count else 0}⟧"


_ONES = (
    r"(?:object|one|item|voorwerp|image|picture|option|objekt|bild|objet|objeto|imagem|imagen|objects?|optie|element)\b"
)
_REWORDED = (
    (r"\b(?:e\.\s?g\.|z\.\s?B\.|p\. ?ex\.)", "for example"),
    (r"\bi\.\s?e\.,?", "that is"),
    (r"最初の(?=もの|物|オブジェクト|画像|選択肢)", "1番目の"),
    (r"\b(at|position|coordinates?|cell|point|location) [(\[]\d+\s*,\s*\d+[)\]]", r"\1 ()"),
    (r"(\?\s*no)\.(?=\s)", r"\1;"),
    (r"\b(?:number|count|total) of (?:the )?\w+\W{1,3}\d+", "a number"),
)
# "3 out of 5" counts, decimals measure.
_NO_MENTIONS = (
    (r"\b\d+ (?:out of|of (?:the|these|all)|von|sur|van)(?: the| these| all)? \d+\b", "some"),
    (r"\(\s*\d+(?:\.\d+)?\s*,\s*\d+\.\d+\s*\)|\(\s*\d+\.\d+\s*,\s*\d+\s*\)", "()"),
)
_KIND = rf"{KINDS}(?:\s*(?:number|no\.?|nr\.?|id|#|nummer|numéro|número))?(?:\s*[:#_(\[\"'-]+\s*|\s+|(?<=[^\x00-\x7f]))"
_NOUNS = r"(?:物体|对象|选项|图片|オブジェクト|画像|もの)"
# Mentions of an option by its number; WORDS are the number words. "The chair numbered 4", "the sofa (5)": the number stands for the noun before it.
_MENTIONS = (
    r"\b(?P<lead>(?:only|except|but|besides) )(?P<n>\d{1,2})(?= matches\b)",
    rf"第\s*(?P<n>\d{{1,3}})\s*(?:[个個号號张張]|番目)?{_NOUNS}?",
    rf"(?P<n>\d{{1,3}})\s*(?:号|號|番目|番)(?:の(?!み))?{_NOUNS}?",
    rf"第(?P<n>[一二三四五六七八九十])(?:[个個号號张張]|番目)の?{_NOUNS}?(?![^\W\d_])",
    r"\bthe (?:[^\W\d]+(?:-\w+)? ){1,4}(?:(?:that is |which is )?(?:numbered|label+ed|marked(?: as| with)?)|with (?:the )?(?:number|label|tag|index|id))(?: number| as)? #?(?P<n>\d{1,3})\b(?!\.\d)",
    r"\bthe (?:(?!is\b|are\b|of\b|in\b|on\b|to\b|and\b|or\b)[^\W\d]+(?:-\w+)? ){1,4}\((?:object |number |no\. ?|#)?(?P<n>\d{1,3})\)",
    rf"{START}(?<!#){_KIND}(?P<n>\d{{1,5}})(?![\d.,]*\d)[)\]]?",
    r"(?<![\w#])(?:obj|object|option|item|image|objekt|objet|objeto)_?(?P<n>\d{1,3})\b",
    r"(?<![\w#])#\s?(?P<n>\d{1,5})\b",
    rf"(?<!\w){_KIND}(?P<n>WORDS)(?![\w-])",
    rf"(?<![\w-])(?:the )?(?P<n>\d{{1,2}})(?:st|nd|rd|th)(?: {_ONES}|\s*[.!]?\s*$)(?! (?:from|in|on|of)\b)",
)
# A number word stands for an option at the end of a line, after words that lead up to it.
_WORD_LEADS = r"(?<!\w)(?P<lead>(?:answer|choice|number|option|guess|pick|it|antwort|réponse|respuesta|resposta|antwoord)(?: is|['’]s| would be| must be| ist| lautet| est| es| é|:) (?:the (?!one\b))?|(?:i['’]?d|i would|i['’]ll|i) (?:say|pick|choose|go with|select|guess) (?!one\b))"
_LATE_MENTIONS = (
    r"(?<!\w)(?P<lead>(?:el|le|o|das|die) )(?P<n>\d{1,3})(?= [^\W\d])",
    rf"(?m){_WORD_LEADS}(?P<n>WORDS)(?=[.!]?\s*$)",
    r"^(?P<n>WORDS)(?= is (?:my|the) (?:answer|choice|pick))",
)
_BARE = rf"(?<![^\W\u3040-\u30ff\u4e00-\u9fff])(?<![.,/⟦#$%+-])[(\[]?(\d{{1,5}})(?![\d.,]*\d|\s*%|\s*/\s*\d|-\w)[)\]]?(?={_FOLLOWS})"
_HEADS = r"(?:grids?|images?|pictures?|objects?|ones?|options?|items?|sides?|panels?|photos?|figures?|cards?|shapes?|candidates?|choices?|objekt|bild|objet|objeto)\b"


def _tokenise_names(text: str, names: Sequence[str]) -> str:
    """Names of options as tokens. A name that is one letter counts only where it cannot be a word."""
    text = re.sub(
        r"\b(?:that(?:['’]s| is)|you(?:['’]re| are)|all|quite|exactly|absolutely)\s+right\b|^\s*right[,!.:…]+\s+(?=(?:let|so|now|i|we|the|okay|well)\b)",
        "",
        text,
        flags=I,
    )
    for i, name in sorted(enumerate(names, 1), key=lambda pair: -len(pair[1])):
        if not name:
            continue
        if len(name) == 1 and name.isalpha():
            follows = r"(?=\s*$|[.,;:!)\]\n]|\s+(?:is|are|or|and|over|rather|because|since|as|fits?|match(?:es)?|both|seems|looks|best|but|not|nor|instead|oder|und|ist|et|ou|est|y|o|es|e|é|en|of)\b)"
            alone = rf"(?<![\w'⟦])(?:(?i:{KINDS})\s*)?[(\[]?{re.escape(name)}[)\]]?{follows}"
            text = re.sub(alone, f"⟦{i}⟧", text)
            text = re.sub(
                rf"^\W*{re.escape(name)}\W*$|(?<!\w)(?:option|answer|choice|image|object)[:\s]+{re.escape(name)}(?=\W*$|\s+(?:shows|depicts|contains|has|wins|works)\b)",
                f"⟦{i}⟧",
                text,
                flags=I,
            )
        else:
            # A name before another noun is a part of something else: "the middle row of the left grid".
            joined = rf"(?:(?:\s+(?:top|bottom|upper|lower))?\s+{_HEADS}|(?=\s*$|\s*[.,;:!?)\]\"'\n(-]|\s+(?:is|and|or|because|since|as|but|which|that|with|in the (?:image|picture)|⟦)))"
            part = r"(?:(?:(?!to\b|the\b|is\b|describ|as\b)\w+ ){0,3}(?:row|column|corner|part|square|block|tile|cell|section)s? (?:of|in|on) the )?(?:(?:top|bottom|upper|lower|far) )?"
            bare = re.sub(r"^(?:the|an?) ", "", name, flags=I)
            # Several words together are a name wherever they stand.
            end = joined if " " not in bare else ""
            text = re.sub(rf"(?<![\w⟦-]){part}{re.escape(bare)}(?![\w-]){end}", f"⟦{i}⟧", text, flags=I)
    return text


def _protect_quotes(text: str) -> str:
    """Return the text without quotations, except those that are a mention by themselves: numbers in a quoted
    description are no answers.
    """

    def quoted(match: re.Match[str]) -> str:
        return match[0] if len(match[1].split()) < 3 and not re.search(r"\d \w", match[1]) else '""'

    return re.sub(r'"([^"\n]{1,300})"', quoted, text)


def _parse_json(data: object, names: _Names, depth: int = 0) -> Choice | None:
    """The choice in a JSON object; "" where it has a key for one and no readable value."""
    if not isinstance(data, dict) or depth > 3:
        return None
    lower = {str(key).lower().strip().replace(" ", "_"): value for key, value in data.items()}
    ranked = sorted(lower, key=lambda key: _FIRST_KEYS.index(key) if key in _FIRST_KEYS else len(_FIRST_KEYS))
    for key in ranked:
        parts = set(re.split(r"[_\W]+", key))
        if not (parts & _KEYS) or parts & _NO_KEYS:
            continue
        value = lower[key]
        if isinstance(value, dict):
            choice = _parse_json(value, names, depth + 1)
            return "" if choice is None else choice
        return _parse_value(value, names)
    return None


def _parse_value(value: object, names: _Names) -> Choice:
    """Return the choice in a JSON value; empty if it has none."""
    if isinstance(value, list):
        chosen = {_parse_value(part, names) for part in value}
        if not value:
            return NONE
        return "" if "" in chosen else chosen.pop() if len(chosen) == 1 else SEVERAL
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, float):
        value = int(value) if value.is_integer() else "?"
    return _parse_part(plain_text(str(value)), names) or ""


def _parse_part(text: str, names: _Names) -> Choice | None:
    """The choice in a text without markup: after a marker, in a checklist, or by its sentences."""
    text = text.strip()
    if not text or re.match(r"-\d", text):
        return None
    if (word := names.words.get(text.strip(" .!*_\"'()").lower(), 0)) and word <= names.count:
        return word
    if re.fullmatch(r"\d{1,3}(?:\s*[/&+]\s*\d{1,3})+", text):
        numbers = set(map(int, re.findall(r"\d+", text)))
        # "1/6" may be one of six.
        if "/" in text and max(numbers) == names.count:
            return None
        return SEVERAL if len(numbers) > 1 and all(1 <= n <= names.count for n in numbers) else None
    labelled = re.fullmatch(r"[\W_]*(\d{1,3})\s*[).:-]\s+([^\d\n?⟦]{2,80})", text)
    if labelled and not NEGATION.search(labelled[2]) and _find_special_claim(labelled[2], announced=False) is None:
        number = int(labelled[1])
        return number if 1 <= number <= names.count else None
    marked = list(_MARKED.finditer(text))
    ends = [*(mark.start() for mark in marked[1:]), len(text)]
    announced: dict[int, Choice] = {}
    for i, (mark, end) in enumerate(zip(marked, ends, strict=False)):
        line = next((line for line in text[mark.end() : end].splitlines() if line.strip(" *_#>-|:")), "")
        if (choice := _parse_sentences(names.tokenise(line.strip()), announced=True)) is not None:
            announced[i] = choice
    if announced:
        *earlier, last = announced
        same = [
            i for i in earlier if marked[i][1].lower() == marked[last][1].lower() and announced[i] != announced[last]
        ]
        is_open = same and not CORRECTS.search(text[marked[same[-1]].end() : marked[last].end()])
        return None if is_open else announced[last] or None
    tokens = names.tokenise(text)
    listed = _parse_checklist(tokens)
    if listed is not None:
        return listed
    choice = _parse_sentences(tokens, has_names=bool(names.names))
    return choice or None


def _parse_checklist(tokens: str) -> Choice | None:
    """Return the choice of a list with yes or no per option, unless a conclusion follows it.

    None without one.
    """
    checked = [a or b for a, b in _CHECKED.findall(tokens)]
    if checked:
        return int(checked[0]) if len(set(checked)) == 1 else SEVERAL
    verdicts: dict[int, bool] = {}
    last = 0
    lines = tokens.splitlines()
    for i, line in enumerate(lines):
        inner = re.match(rf"^[\s>*•-]*(?:⟦\d+⟧[.):\s]+)?[^⟦]*{R}[^⟦]*\?\s*(.*)$", line)
        item = inner or _ITEM.match(line)
        if item is None:
            continue
        verdict = item[2].strip(" .|!")
        is_no = re.match(rf"{_NO}(?!\w)", verdict, I) or re.search(rf"(?:[-:>|=,(]|\s){_NO}\)?$", verdict, I)
        is_yes = re.match(rf"{_YES}(?!\w)", verdict, I) or (
            not is_no and re.search(rf"(?:[-:>|=,(]|\s){_YES}\)?$", verdict, I)
        )
        if bool(is_yes) != bool(is_no):
            verdicts[int(item[1])] = bool(is_yes)
            last = i
    after = "\n".join(lines[last + 1 :]).strip()
    if len(verdicts) < 2 and len(marks := _TICKED.findall(tokens)) > 1:
        verdicts, after = {int(number): mark in "✓✔✅☑" for number, mark in marks}, ""
    if len(verdicts) < 2:
        replies = list(_REPLY.finditer(tokens))
        verdicts = {int(m[1]): bool(re.match(_YES, m[2], I)) for m in replies}
        after = tokens[replies[-1].end() :].strip() if replies else ""
    if len(verdicts) < 2:
        return None
    concluded = _parse_sentences(after) if after else None
    if concluded:
        return concluded
    chosen = [number for number, is_yes in verdicts.items() if is_yes]
    return None if 0 in chosen else chosen[0] if len(chosen) == 1 else SEVERAL if chosen else NONE


def _parse_sentences(tokens: str, announced: bool = False, has_names: bool = False) -> Choice | None:
    """The choice that the sentences amount to; "" where they name a number beyond the options."""
    # "Everything except 3" may say that 3 is excluded or that the others are; lists may go on, and examples choose nothing.
    if re.search(
        r"^\W*(?:every\w*|all|anything)(?: \w+)? (?:but|except|besides)(?: for)? (?:\w+ )?⟦\d+⟧\W*$|[⟧⟫], ?(?:\.\.\.|…|etc)",
        tokens,
        I,
    ):
        return None
    tokens = tokens if tokens.count("?") > 1 or _UNSURE.search(tokens) else _GUESS.sub(r"\1.", tokens)
    tokens = _ONLY.sub(" only ", _ALL_BUT.sub(r" only \1.", tokens))
    tokens = _ALL_FIT_BUT.sub(" not ", tokens)
    text = _join_options(
        re.sub(r"\b(?:any|every|all)\w*(?: \w+)? (?:but|except)(?= (?:\w+ )?⟦)", "not", tokens, flags=I)
    )
    heads = {
        m.start(1) - 1: m[1]
        for m in re.finditer(
            rf"(?m)(?:^|[.;,:]\s)[\s>*•-]*{R}\s*(?:[:)=(|]|\.\s|[-–—]\s)(?!\s*(?:yes|fits?|match(?:es)?|accepted|correct|chosen|✓|✔|✅))",
            text,
        )
    }
    if len(set(heads.values())) < 2:
        heads = {}
    claims: list[Claim] = []
    specials: list[Claim] = []
    start, asked = 0, False
    for sentence in split_sentences(text):
        claimed = claims_of_sentence(sentence, CHOOSING)
        if claimed is None:
            asked = True
        elif re.search(r"\w|⟦", sentence):
            claims += [c._replace(start=c.start + start) for c in claimed if c.start + start not in heads]
            for clause in re.finditer(r"[^;]+", sentence):
                if (special := _find_special_claim(clause[0], announced)) is not None:
                    specials.append(Claim(start + clause.start() + special.start, special.choice, CHOSEN))
        start += len(sentence)
    choice = _resolve_claims(text, claims, specials)
    if choice is None and not specials and not asked and all(c.kind == DENIED for c in claims):
        return _find_lone_mention(text, announced or has_names, {c.choice for c in claims})
    return choice


_SIDE_BY_SIDE = (
    (rf"(\b(?:between|of) {R} and {R}),", r"\1;"),
    (rf"\b(?:soit|ofwel|ou|o|either|entweder)\s+(?:\w+\s+)?{R}\s*,?\s*(?:soit|ofwel|ou|o|or|oder)\s+", r"⟦\1⟧ or "),
    (rf"(\b(?:zowel|sowohl|tanto)\s+(?:\w+\s+)?{R})\s+(?:als|als auch|como|quanto)\s+(?:\w+\s+)?(?={R})", r"\1 and "),
    (rf"\b(not|nicht|pas|no|não|niet)(?: (?:el|le|o|das|het))? {R}[,;:.]\s*(?:but )?(?={R})", r"\1 ⟦\2⟧; "),
)


def _join_options(tokens: str) -> str:
    """Options that are named side by side as one token: ⟦1⟧ and ⟦3⟧ is ⟪1+3⟫."""
    tokens = replace_all(tokens, _SIDE_BY_SIDE)
    if re.search(r"\b(?:het|kan|zijn|ofwel|ik|objecten)\b", tokens, I):
        tokens = re.sub(rf"({R})\s+of\s+(?={R})", r"\1 or ", tokens, flags=I)
    return re.sub(
        rf"{R}(?:{_JOIN}{R})+",
        lambda m: _make_group_token("+".join(dict.fromkeys(re.findall(R, m[0])))),
        tokens,
        flags=I,
    )


def _make_group_token(numbers: str) -> str:
    """Return the token of a group; of one number, the token of an option."""
    return f"⟪{numbers}⟫" if "+" in numbers else f"⟦{numbers}⟧"


def _strip_opening(sentence: str) -> str:
    """A sentence without courtesies and hedges at its beginning."""
    shorter = sentence.strip(" *_#>|\"'`.,:;-•")
    while True:
        before, shorter = shorter, _CJK_OPENER.sub("", _OPENER.sub("", shorter)).strip(" *_#>|\"'`,:;•")
        if shorter == before:
            return shorter


def _find_special_claim(sentence: str, announced: bool) -> Claim | None:
    """Return the claim of a sentence that no or several options fit, or that it is unknown.

    None for other sentences.
    """
    opened = _strip_opening(sentence)
    carried = re.sub(
        r"^(?:(?:it|the (?:description|answer|correct answer)|this|that|answer|which|my answer)(?: is|['’]s| would be)?|c['’]est|es|é|das ist|es ist|het is|i(?:['’]d| would) say|there (?:are|is|['’]s)|die antwort (?:ist|lautet)|la respuesta es|a resposta é|la réponse est|het antwoord is|答案是|答えは)[\s:,\"']+",
        "",
        opened,
        flags=I,
    )
    if (undecided := re.search(r"\b(?:whether|if|ob|si|se)\b[^⟪]*⟪", sentence, I)) and _UNSURE.search(sentence):
        return Claim(undecided.start(), SEVERAL, CHOSEN)
    for text in dict.fromkeys((sentence.strip(" *_#>|\"'`"), opened, carried)):
        for pattern, choice in ((_UNSURE, UNSURE), (_NONE, NONE), (_SEVERAL, SEVERAL)):
            if match := pattern.match(text):
                # "No other object", "none of the others" say that one is left.
                if choice == SEVERAL and _DISMISSED.search(re.split(r"[.;]", text[match.end() :])[0]):
                    return None
                if choice == NONE and (_ONE_LEFT.match(text) or re.match(r"no(?:ne|thing)? (?:other|else)", text, I)):
                    return None
                return Claim(0, choice, CHOSEN)
    ends = re.search(
        r"(?:[:,;-]|\b(?:so|hence|thus|therefore|is|say|answer))\s*\"?(several|none|unknown|(?<=so )i (?:don['’]t know|can(?:no|['’])t (?:tell|say|decide)|have no idea))\"?[.!]?$",
        sentence,
        I,
    )
    if ends:
        return Claim(ends.start(), ends[1].lower() if ends[1][1] != " " else UNSURE, CHOSEN)
    inside = re.search(
        r"\b(?:does(?: not|n['’]t)|doesn['’]t) (?:match|fit|describe) any\b|\b(?:passt|stimmt|trifft|past|klopt|voldoet|encaja|coincide|corresponde|cumple|serve|convient)\b(?: (?!nur|solo|só)\w+){0,2} (?:keine?[snr]?|geen(?: enkele?)?|ningun[oa]|ningún|nenhuma?|aucune?)\b(?! (?:ander|otr|outr|autre))(?![^.;]*\b(?:außer|bis auf|salvo|menos|excepto|exceto|a não ser|sauf|behalve)\b)|同时?都?没有|(?<!で)(?:は|が)(?:ありません|ない)[.]?$|(?:都符合|都匹配)",
        sentence,
        I,
    )
    if inside:
        return Claim(inside.start(), SEVERAL if "都" in inside[0] else NONE, CHOSEN)
    several = re.search(
        r"\b(?:could|can|might|may)(?: also)? refer to ⟪|\bambiguous\b|(?:not clear|unclear|can['’]?t (?:tell|say)|cannot (?:tell|say)) (?:whether|if)\b.*⟪|(?:both|all|equally) (?:satisfy|match|fit)|\b(?:both|all) (?:satisfy|match|fit)|candidates? \(⟪",
        sentence,
        I,
    )
    if several and not re.search(r"\b(?:but|only)\b", sentence, I):
        return Claim(several.start(), SEVERAL, CHOSEN)
    unsure = re.search(
        r"(?:can['’]?t|cannot|not possible to|impossible to|unable to) (?:determine|tell|decide|identify|know) (?:which|the (?:referent|target|object))",
        sentence,
        I,
    )
    return Claim(unsure.start(), UNSURE, CHOSEN) if unsure else None


def _resolve_claims(text: str, claims: list[Claim], specials: list[Claim]) -> Choice | None:
    """The choice that claims amount to: the last one where it corrects or concludes the others."""
    groups = [m for m in re.finditer(r"⟪([\d+]+)⟫", text) if _is_all(m[1]) or "0" in m[1].split("+")]
    claims = [c for c in claims if c.choice != SEVERAL or all(c.start != m.start() for m in groups)]
    chosen = [c for c in claims if c.kind == CHOSEN and not c.is_background]
    perhaps = [c for c in claims if c.kind in (CHOSEN, PERHAPS) and c not in chosen]
    if any(c.choice == 0 for c in (*chosen, *perhaps)):
        return ""
    numbers = [c for c in chosen if isinstance(c.choice, int)]
    several = [c for c in (*chosen, *specials) if c.choice == SEVERAL]
    none = [c for c in specials if c.choice == NONE]
    mentioned = {int(n) for group in re.findall(r"⟦(\d+)⟧|⟪([\d+]+)⟫", text) for n in "+".join(group).split("+") if n}
    is_alone = len(mentioned) == 1
    mentioned -= {c.choice for c in claims if c.kind == DENIED}
    if not numbers and not several and not none and perhaps and (perhaps[-1].choice == SEVERAL or is_alone):
        numbers, several = [c for c in perhaps if c.choice != SEVERAL][-1:], [c for c in perhaps if c.choice == SEVERAL]
    if numbers:
        final = final_claim(text, numbers)
        if final is None or _TAKEN_BACK.search(HEDGED.sub("", text[final.start :].partition("\n")[0])):
            return None
        later = [
            c
            for c in (*claims, *several, *none)
            if c.start > final.start and (not c.is_background or c.kind == DOUBTED)
        ]
        taken_back = [c for c in later if c.choice in (SEVERAL, NONE) and c.kind in (CHOSEN, PERHAPS)]
        if taken_back:
            last = taken_back[-1]
            return last.choice if CORRECTS.search(text[final.start : last.start + 12]) else None
        doubted = [
            c
            for c in later
            if c.kind in (DOUBTED, PERHAPS) and c.choice != final.choice and not _FALLS_SHORT.match(text, c.start)
        ]
        doubted += [c for c in later if c.kind == DENIED and c.choice == final.choice]
        return None if doubted else final.choice
    if several and not none:
        last_start = max(c.start for c in several)
        open_ones = {m.start() for m in re.finditer(R, text) if m.start() > last_start} - {
            c.start for c in claims if c.kind == DENIED
        }
        return None if len(open_ones) == 1 else SEVERAL
    kinds = {c.choice for c in specials}
    # An option that is named beside "none" or "I don't know", and not denied, may be the answer after all.
    if (
        any(c.kind in (CHOSEN, PERHAPS, DOUBTED) for c in claims)
        or len(mentioned) == 1
        or (UNSURE in kinds and "⟪" in text)
    ):
        return None
    if len(kinds) == 1:
        return kinds.pop()
    return NONE if kinds == {UNSURE, NONE} else None


# "Hmm, probably 2?" guesses.
_GUESS = re.compile(
    r"^(\W*(?:(?:uh+m*|u+m+|h+m+|maybe|perhaps|probably|possibly|i (?:think|guess|suppose)|i['’]d (?:say|guess)|my guess|vielleicht|vermutlich|peut-être|quizás?|talvez|misschien)[\s,:.…]+)+⟦\d+⟧)\?",
    I,
)
# "4; 7 also has a raised arm but no hat".
_FALLS_SHORT = re.compile(
    rf"⟦\d+⟧[^.;⟦⟪\n]*\b(?:but|yet|though|aber|mais|pero|mas|maar)\b[^.;⟦⟪\n]*(?:\b(?:lacks?|no|has no)\b|{NEGATION.pattern})",
    I,
)
# "3, but that is not a chair": a contrast without another option takes the choice back.
_TAKEN_BACK = re.compile(
    r"\b(?:or|perhaps|maybe) not\b|\b(?:but|however|although|though|except(?: that)?|yet|only|aber|mais|pero|mas|maar)\b[\s,]*(?:it|this|that|which|he|she|the \w+|das|es|ce|cela|eso|isso|dat)(?:['’]s)?\b[^.;⟦⟪]{0,40}?"
    r"(?:\b(?:not|wrong|never|nicht|pas|niet|não)\b|n['’]t\b|\bno (?:es|está)\b)(?! (?:\w+ )?(?:perfect\w*|exact\w*|ideal\w*|entirely|completely|fully|100))",
    I,
)


def _is_all(group: str) -> bool:
    """Whether a group lists the options there are."""
    numbers = list(map(int, group.split("+")))
    return len(numbers) > 3 and numbers == list(range(1, len(numbers) + 1))


def _find_lone_mention(text: str, is_announced: bool, denied: set[Choice]) -> Choice | None:
    """The one option that an announced answer, or one in names, mentions and does not deny."""
    mentions = {int(n) for n in re.findall(R, text)}
    if not is_announced or len(mentions) != 1 or "⟪" in text or denied or NEGATION.search(text) or DOUBT.search(text):
        return None
    return mentions.pop() or None
