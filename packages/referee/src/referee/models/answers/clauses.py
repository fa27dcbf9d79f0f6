"""Classifies the clauses of an answer by their claim about an option.

Chosen, perhaps chosen, denied, doubted, or only reported.

Options are tokens, ``⟦3⟧`` and ``⟪1+3⟫`` (side by side). A clause chooses an option only if all its words are known
carriers of a choice (`CARRIER`), or if a cue of choice directly precedes or follows the option and the clause has no
word of doubt (`DOUBT`) or negation (`NEGATION`). All other clauses are reports.
"""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from referee.models.answers.vocabulary import WORDS, any_of

I = re.IGNORECASE  # noqa: E741
SEVERAL = "several"
CHOSEN, PERHAPS, DENIED, DOUBTED = "chosen", "perhaps", "denied", "doubted"

CARRIER = WORDS["choosing"]
# Chinese and Japanese have no spaces: pieces that a clause of choice is made of, the longest first.
_CJK_PIECES = WORDS["choosing_unspaced"]
_CJK_CARRIER = re.compile("|".join(sorted(_CJK_PIECES, key=len, reverse=True)))
NEGATION = re.compile(
    r"\b(?:not|no longer|cannot|never|none|neither|nor|without|nicht|kein\w*|weder|pas|aucun\w*|ningun[oa]?|ningún|nunca|não|nem|nenhum\w*|niet|geen|ni|no (?:es|se|el|la|o|puede|encaja|coincide|corresponde|creo|pienso|parece|sea|era|sería))\b|n['’]t\b"
    r"|[不没無无非](?!同|常)|并非|ません|ない(?!ので)|なく",
    I,
)
_DISMISSED = re.compile(
    r"\b(?:rul(?:e|es|ed|ing) out|eliminat\w+|exclud\w+|discard\w*|reject\w*|dismiss\w*|doubt|skip\w*|avoid\w*|wrong|mistaken|unlike|except(?: for)?|besides|apart from|statt|außer|sauf|excepto|exceto|behalve)\b|除了|排除",
    I,
)
DOUBT = re.compile(
    r"\b(?:if|whether|unless|depend\w*|otherwise|first|1st|initially|originally|earlier|before|previous\w*|thought|consider\w*|tempt\w*|similar\w*|also|too|either|or|than|second(?!-)\w*|third|next|start\w*|begin|check\w*|compar\w*|look at|look\b|see(?! that)|count|alternativ\w*|another|almost|nearly|partial\w*|partly"
    r"|runner-up|step|page|section|example|half|few|some|many|much|several|other|others|next to|between|near|least|except|misread|less|question \d|there (?:is|are)|i like"
    r"|wenn|falls|ob|zuerst|zunächst|dachte|auch|oder|anfangs|neben|zwischen|d['’]abord|aussi|pensais|primero|también|antes|primeiro|também|eerst|ook|dacht)\b"
    r"|如果|也许|也(?!许)|或|最初|先|もし|最初は|も(?!の|っと)|または|あるいは",
    I,
)
_WEAK = re.compile(
    r"\b(?:could(?! only be)|might|may|maybe|perhaps|possibly|possible|vielleicht|könnte|peut-être|pourrait|quizás?|tal vez|podría|talvez|poderia|pode|misschien|kan|zou kunnen)\b|也许|かもしれ",
    I,
)
# "Because" in French and Dutch, which is a word of English, too.
_BECAUSE = r"car(?= (?:les? |la |l['’]|ils? |elles? |aucun|c['’]|tou[st]|seule? |rien |ce |deux |on |je |son |sa ))|want(?= (?:de|het|er|alle|dit|dat|die|deze|geen|een|ik|alleen|object|nummer|in)\b)"
_BACKGROUND = re.compile(
    rf"^(?:because|since|as|although|though|even though|while|whereas|given that|for|when|weil|da|denn|obwohl|während|{_BECAUSE}|parce qu\w*|puisque|bien que|porque|ya que|aunque|mientras|pois|já que|embora|enquanto|omdat|aangezien|hoewel|terwijl|虽然|尽管|因为|由于)\b|^(?:虽然|尽管|因为|由于)",
    I,
)
# An option right after a preposition of place is a landmark: "the one to the right of 2".
_LANDMARK = re.compile(
    r"(?:\b(?:(?:right|left|top|front|side|bottom|outside|east|west|north|south) of|(?:above|below|behind|beside|under|underneath|beneath|near|next to|adjacent to|in between|between|across from|facing|towards the)"
    r"|links von|rechts von|neben|hinter|über|unter|zwischen|à (?:gauche|droite|côté) d[eu]|entre|derrière|(?:izquierda|derecha|lado) del?|detrás del?|(?:esquerda|direita|lado) d[eo]|atrás d[eo]|links van|rechts vannaast|achter|tussen))\s*(?:the |das |dem |der |l['’]|le |la |el |o |het |de )?[\s(\"']*$",
    I,
)
_ADDED = re.compile(
    r"\b(?:so (?:does|is|do|would|could|might)|(?:but|and|but so|and so|or) (?:also|equally)(?: (?:of|to|for))?|as well as|likewise)\W*(?:the |object |number )*$|^\s*also (?:of|to|for)\W*$",
    I,
)
_ADDED_AFTER = re.compile(
    r"^\W*(?:(?:is|does|do|would|could|can|might|may|fits?|match(?:es)?|works?|be|ist|passt|est|es|é|past|kan|könnte|pourrait|podría|poderia) )*(?:(?:just |equally )?as (?:well|good|plausible|likely)\b(?! as)|(?:also|likewise|equally)\b(?! (?:the|my|a|an|what) )|(?:too|as well|auch|aussi|también|também|ook)\b(?=\W*$))",
    I,
)
_EARLIER = re.compile(
    r"\b(?:last|previous|earlier|preceding|former|other) (?:round|game|time|turn|trial|picture|scene|question|example|task)s?\b|\bused to be\b|\b(?:was|were) (?:about|going|tempted|inclined) to\b|\bwanted to\b|\b(?:someone|somebody|others|people|some|many)(?: else)?(?: (?:might|would|could|may))? (?:say|pick|choose|go)\b|\b(?:last|previous) (?:one|answer) (?:was|is)\b|\balmost (?:picked|chose|said|answered|took)\b|\bi like\b",
    I,
)
# A cue of choice right before an option, and right after it.
_NOUN = r"(?:the|an?|das|der|die|dem|den|l['’]|le|la|el|al|o|a|ao|het|de|object|number|objekt|nummer|objet|objeto|número|numéro|option|item|only|just|nur|one)"
_CUES = (
    r"\b(?:it|that|this|answer|choice|referent|target|one|object|item|match|pick|selection|option|guess|candidate|conclusion|winner|bet|referred to|described|meant)(?:['’]s| is| was| be| would be| must be| has to be| should be| will be| can only be| seems to be| appears to be)(?: \w+ly| indeed| then| actually| therefore| thus)*",
    r"\b(?:is|must be|has to be|should be|would be|(?:can|could|may|might) only be)(?: \w+ly)?",
    r"\b(?:pick|choose|select|say|go(?:ing)? (?:with|for)|(?:settl|land|decid)(?:e|ed|ing|)s? (?:on|for)|lock(?:ed|ing)? in|com(?:e|ing) (?:back |down )?to|went (?:with|for)|end(?:ed|ing)? up (?:with|on|at)|opt(?:ed|ing)? for|lean(?:ing)? (?:towards?|to)|vote for|bet on|answer|conclude|prefer|suggest|commit to|stick with|selected|chosen|choosing)(?: it is| it['’]s| that it is| that it['’]s)?",
    r"\b(?:refers? to|referring to|match(?:es)?|fits?|describ(?:es|ing)|points? to|pointing to|identifies|indicates|singles out|picks out|corresponds? to|means|suits|denotes|speaks of|applies to|true of|tips? (?:it|the balance|the scales?) (?:to|towards?|in favou?r of)|favou?rs)(?: \w+ly| only| just| best)*",
    r"\b(?:leav(?:es|ing)(?: \w+)?(?: with)?|left with|remain(?:s|ing)?|namely|i\.e\.|that is|so|therefore|thus|hence|thereby|makes|making|conclusion|only)",
    r"\b(?:ist|wäre|muss|wird|lautet|bleibt|meint|wähle|nehme|sage|tippe auf|entscheide mich für|bezieht sich auf|beschreibt|passt(?: am besten| nur| genau| eher)* (?:zu|auf)|entspricht|gemeint ist|nur|also|sondern|nämlich)",
    r"\b(?:est|serait|soit|désigne|décrit|correspond(?: le mieux)? à|se réfère à|s['’]agit (?:donc )?de|choisis|prends|dirais|reste|donc|sélectionne|opte pour|c['’]est|référence à)",
    r"\b(?:es|sería|sea|ser|designa|describe(?: mejor)?(?: al?)?|corresponde a|se refiere a|se trata de|elijo|escojo|diría|queda|así que|coincide(?: mejor)? con|encaja(?: mejor)? con|por lo que)",
    r"\b(?:é|seria|seja|designa|descreve|corresponde a|refere-se a|trata-se d|escolho|diria|resta|portanto|sobra)",
    r"\b(?:is|wordt|zou zijn|verwijst naar|beschrijft|past(?: het best| best)?(?: bij| op)|kies|blijft|dus|gaat om|bedoelt)",
    r"是|为|只有|选择?|我选|指的?|符合的是|所以|答えは|正解は|は",
    r"[=:]|->|=>|→|⇒",
)


def cues_before(*cues: str) -> re.Pattern[str]:
    """Return a pattern for cues at the end of the text before an option, ignoring articles and nouns."""
    return re.compile(any_of(*cues) + rf"[\s:\"'(*]*(?:{_NOUN}\s*)*[\s\"'(#*-]*$", I)


_AFTER = re.compile(
    r"^[\s\"')*:,-]*"
    + any_of(
        r"(?:(?:is|seems|appears|looks|would be|must be|has to be|should be|comes out as|remains|makes|sounds|feels|'s)(?: (?:to be|like|clearly|therefore|thus|definitely|indeed|the|my|a|an|by far|likely|obviously|certainly|most|then|probably|final|best|obvious|natural|logical|also the))*)? ?(?:only\b|best\b|\w{3,}est\b|(?:most|least) \w+|what (?:the speaker|is|was|you|remains|fits|matches)\b|correct\b|right\b(?! of)|answer\b|(?:one|object|item|person)(?: that(?: is|['’]s)?| which| being| he| she)? (?:meant|described|intended|in question|referred|the speaker|you)|meant\b|described\b|target\b|pick\b|choice\b|guess\b|what i(?:['’]d| would)\b|most (?:likely|plausible|probable)|closest\b|better\b|closer\b|more (?:likely|plausible|probable)|match(?! in| for the (?:colou?r|size|type))\b|referent\b|intended\b|winner\b|perfect\b|good (?:match|fit)|it\b(?=\W*$)|it is\b(?=\W*$)|exact\b(?=\W*$)|spot[- ]on\b|the one\b|(?:more|most) (?:fitting|suitable|typical|likely|probable|plausible|natural|appropriate|prototypical|salient|prominent|consistent))",
        r"(?:also )?(?:fits|matches|satisfies|suits|meets|agrees|qualifies|works|wins|remains|stays|is left(?! of)|does|ticks|has all)\b(?=\W*$|[\s,]*(?:best|better|most|exactly|perfectly|precisely|the (?:given |whole |full |entire )?(?:description|bill|criteria|conditions|requirements)|all\b|every|it\b|everything|both|this|that|fully|well|uniquely|here|completely|as the|with the description|alone))",
        r"alone\b|(?:comes?|is|seems) (?:the )?closest\b|it is\b(?=\W*$)|is (?:all that is )?left\b(?! of)|must be meant|stands out",
        r"(?:ist|wird|scheint)(?: (?:das|die|hier|wohl|also|am ehesten))* ?(?:gemeint|gesucht|richtig\w*|antwort|einzige\w*|beschrieben|die beste)|passt(?: (?:am besten|genau|als einzig\w+|besser|perfekt)|\W*$)|entspricht (?:der|am)|erfüllt alle",
        r"est (?:le seul|la seule|la bonne|celui|celle|l['’]objet|décrit|visé|correct|la réponse|le bon)|(?:y )?correspond(?: (?:le mieux|exactement|à la description)|\W*$)|convient",
        r"es (?:el único|la única|la respuesta|el correcto|el que|la que|el descrito|la correcta)|(?:coincide|encaja)(?: (?:mejor|con la descripción|perfectamente)|\W*$)|cumple",
        r"é (?:o único|a única|a resposta|o correto|o que|a que)|corresponde(?: (?:melhor|à descrição)|\W*$)",
        r"(?:wordt bedoeld|is (?:het enige|de enige|bedoeld|juist|het juiste|het beste))|past(?: (?:het best|beter|precies)|\W*$)",
        r"(?:最)?(?:符合|匹配)|是(?:唯一|正确|对的)|(?:だけ|のみ)(?:です|が|だ)|に違い|が(?:当てはま|一致|正解|該当|最も|適切|ふさわしい|合)|に(?:なり|該当|一致|当てはま)|が(?:一番|最も)?(?:合って|合い)|が描述|と一致",
    ),
    I,
)
_VERB_AFTER = re.compile(
    r"^[\s\"')*]*(?:is|are|was|were|has|have|had|looks?|seems?|appears?|does|do|faces?|shows?|would|could|can|stands?|sits?|wears?|contains?|depicts?|and|ist|sind|hat|zeigt|steht|trägt|est|a|sont|montre|porte|es|tiene|está|son|é|tem|está|heeft|staat|draagt|也|有)\b",
    I,
)
_ONLY = re.compile(
    r"(?:\b(?:only|just|nur|seule?(?:ment)?|sólo|solo|apenas|somente|só|alleen)|只有|唯一的?是?)[\s\"'(#]*(?:(?:the|object|number|objekt|nummer|das|die|l['’]|objet|el|la|le|objeto|o|a|het)\s*)*$",
    I,
)
# Words of choice that may stand behind the option in a clause without further cues.
_CLOSING = WORDS["choice_closing"]
# Further words of labels before an option and a colon.
_LABEL_WORDS = WORDS["labels"]
GROUP_WORDS = WORDS["groups"]
_GROUP_FITS = re.compile(
    r"^\W*(?:(?:both|all|also|equally|each|beide|alle|tous les deux|ambos|could|would|might|may|can|könnten|können)\s*)*(?:fit|match|satisf|suit|meet|qualif|apply|correspond|work\b|(?:se )?encaix|atendem|servem|voldoen|kloppen|conviene|répondent|stimmen|pass(?:en|t)?\b|be (?:meant|described|the|it)|refer|are (?:both |all |equally )?(?:possible|candidates|plausible|valid|matches)|conviennent|coincid|encaja|cumplen|gemeint sein)"
    r"|^(?:の?(?:両方|どちらも|いずれも)|のどちらか|[都均]|が(?:当てはま|該当))",
    I,
)
_UNDECIDED = re.compile(
    r"(?:\b(?:not|cannot|unable|hard|difficult|impossible|nicht|pas|no|não|niet)\b|n['’]t)[^⟪]*\b(?:decide|choose|distinguish|tell|entscheiden|unterscheiden|trancher|choisir|decidir|distinguir|elegir|escolher|kiezen)\b"
    r"|\b(?:hesitat\w+|torn|ambig\w*|unclear|undecided|toss-up|back and forth|mehrdeutig|hésite|dudo)\b",
    I,
)
_OPTION = re.compile(r"⟦(\d+)⟧|⟪([\d+]+)⟫")
_CLAUSE = re.compile(
    r"[,;!?()\n|…]+|\.(?:\s|$)|:(?=\s|$|⟦)|\s[-–—]+\s|->|=>|→|⇒|👉|➡️?"
    rf"|\s(?=(?:but|so|because|since|although|though|while|whereas|hence|therefore|thus|which|however|yet|yielding|leaving|aber|also(?! (?:ha[sd]|have|is|are|was|do|does|could|might|may|can|would|an?|the|not|in|with|no|look|show|fit|match|\w+(?:ed|ing|[^aeiou]s))\b)|weil|denn|daher|somit|sondern|obwohl|{_BECAUSE}|donc|mais|parce|pero|así|sino|porque|mas|portanto|pois|porém|maar|dus|omdat|namely)\b)|(?<!well)(?<!good)(?<!much)(?<!kely)\s(?=as ⟦)|(?<=⟧)\s(?=not ⟦)|\s(?=and (?:go|pick|choose|select|i|it|that|so|therefore|thus|leaves?|only|conclude)\b)"
    r"|(?<=所以)|(?<=因此)|(?=而是)|(?=但)|(?<=ので)|(?<=から)|(?<=ではなく)|(?<=なく)",
    I,
)
# The words after it are denied: "3 rather than 1".
_OVER = re.compile(
    r"\b(?:rather than|instead of|as opposed to|compared (?:to|with)|in contrast to|unlike|over|than|and not|not|statt|anstatt|plutôt que|en lugar de|em vez de|in plaats van)\s+(?:to |for |with |by )?(?:(?:the|object|number|objekt|nummer|option|el|le|o|das|het)\s+)*(?=[⟦⟪])|(?<=⟧)\s*(?:als|que|dan|do que)\s+(?:eine? |die |das |une? |la |le |l['’]|un[ao]? |el |a |o |een |het |de )?(?=⟦)",
    I,
)


# What is said of an option after a colon or a dash: that it is right, or that it is not.
_VERDICT = re.compile(
    rf"\s*[:=(–—-]+[\s\"'*(]*(?:(yes\b|fits?\b|match(?:es)?\b|accepted\b|correct\b|chosen\b|selected\b|✓|✔|✅)(?![^.;\n]*(?:{NEGATION.pattern}|\bonly\b|\bpartly\b))|(?:no|nope|nein|non|não|nee|not|rejected|reject|doesn|does not|excluded|eliminated|discarded|too|wrong|incorrect|ruled|out|fails?|✗|✘|❌|✖)(?![\w⟦])(?![^.;\n]*⟦))",
    I,
)
# A clause about the option that the sentence names: "Object 3 is small and red, which fits the description".
_ANAPHOR = re.compile(
    r"^\W*(?:(?:so|thus|hence|and|therefore) )*(?:which|it|this|that|making it|and)(?: (?:therefore|thus|also|best|clearly|exactly|perfectly))?(?=[\s'’])",
    I,
)


# What is stated of the subject of a clause, behind a comma.
_PREDICATE = re.compile(r"\W*,\s*(?:is|are|was|were|has|had|does|did|ist|war|est|était|es|era|é|was)\b", I)


class Claim(NamedTuple):
    """The claim of a clause about an option (or "several"), its position, and whether it follows "because" or
    "although".
    """

    start: int
    choice: int | str
    kind: str
    is_background: bool = False


class Grammar(NamedTuple):
    """The words that a clause of choice may consist of, and the cues right before an option and right after it."""

    carrier: frozenset[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    # Words that may stand behind the option in a clause without a cue after it.
    closing: frozenset[str]
    # What may stand before a cue without being made of carriers.
    subject: re.Pattern[str]


# "Two typos bring it down to 6".
CHANGES = r".*\b(?:brings?|lowers?|raises?|drops?|tips|makes?|takes|leaves|puts) (?:it|this|that|me|the score)\b[\w ]*$|.*\b(?:leav(?:es|ing)|bleibt|reste|queda|resta|blijft)\W*$"
# A definite noun phrase and a copula.
_NAMES_OBJECT = re.compile(
    r"^(?!.*\b(?:maximum|minimum|max|min|average|total|number|count|limit|sum|range|confidence|probability|chance|score|size|length|age|year|version|page|step)\W*(?:is|are|be|ist|est|es|é)\b)[\W]*(?:[^\W\d]+\W+){0,4}?(?:the|only|das|der|die|le|la|les|l['’]|el|o|a|as|os|het|de|something)\b.*\b(?:is|are|be|corresponds? to|namely|refers to|ist|est|es|é)\W*(?:[^\W\d]+\W+){0,3}$|.*[是は]\W*$|"
    + CHANGES,
    I,
)
CHOOSING = Grammar(CARRIER, cues_before(*_CUES), _AFTER, _CLOSING, _NAMES_OBJECT)


def find_claims(sentence: str, grammar: Grammar) -> list[Claim]:
    """The claims of a sentence about options, in their order."""
    claims: list[Claim] = []
    start = 0
    ends = [(m.start(), m.end()) for m in _CLAUSE.finditer(sentence)] + [(len(sentence), len(sentence))]
    for end, following in ends:
        clause = sentence[start:end]
        subject = _ANAPHOR.match(clause)
        if (
            subject
            and not _OPTION.search(clause)
            and len(named := set(_OPTION.findall(sentence))) == 1
            and grammar.after.match(clause[subject.end() :])
        ):
            if (number := named.pop()[0]) and not NEGATION.search(sentence) and not DOUBT.search(clause):
                claims.append(Claim(start, int(number), CHOSEN))
        elif (is_bare := re.fullmatch(r"\W*⟦\d+⟧\W*", clause)) and (verdict := _VERDICT.match(sentence[end:])):
            claims.append(
                Claim(start + clause.index("⟦"), int(re.findall(r"\d+", clause)[0]), CHOSEN if verdict[1] else DENIED)
            )
        elif is_bare and _PREDICATE.match(sentence[end:]) and not grammar.after.match(sentence[end:]):
            pass  # An aside in a statement: "the previous answer, 3, was wrong".
        elif _OPTION.search(clause) and not (
            grammar is CHOOSING
            and sentence[start - 1 : start] == ":"
            and _is_other_label(sentence[: start - 1], grammar)
        ):
            background = _BACKGROUND.match(clause.strip(" \"'*_")) is not None
            claims += [
                claim._replace(start=claim.start + start, is_background=background)
                for claim in _find_clause_claims(clause, grammar)
            ]
        start = following
    return claims


def _is_other_label(text: str, grammar: Grammar) -> bool:
    """Whether a text before a colon ends with a label of something else than the answer: "Question: 3", "distractors: 1"."""
    label = re.split(r"[.,;!?()\n|:]", text)[-1]
    return (
        len(label.split()) < 4
        and "⟦" not in label
        and bool(_list_unknown(label, grammar.carrier | _LABEL_WORDS))
        and not _CONCLUDES.search(label)
    )


def _find_clause_claims(clause: str, grammar: Grammar) -> list[Claim]:
    """Return the claims of one clause."""
    over = next(iter(_OVER.finditer(clause)), None)
    if over is not None and _OPTION.search(clause[: over.start()]):
        later = clause[over.end() :]
        return _find_clause_claims(clause[: over.start()], grammar) + [
            Claim(m.start() + over.end(), _get_value(m), DENIED) for m in _OPTION.finditer(later)
        ]
    options = list(_OPTION.finditer(clause))
    chosen = {}
    for option in options:
        # Other options are unknown words to this one.
        left = _OPTION.sub(lambda m: "x" * len(m[0]), clause[: option.start()])
        right = _OPTION.sub(lambda m: "x" * len(m[0]), clause[option.end() :])
        chosen[option.start()] = Claim(
            option.start(), _get_value(option), _classify_option(left, right, grammar, option[2] is not None)
        )
    picked = {c.choice for c in chosen.values() if c.kind in (CHOSEN, PERHAPS)}
    if len(picked) > 1:
        return [c._replace(kind=DOUBTED) if c.kind in (CHOSEN, PERHAPS) else c for c in chosen.values()]
    return [c for c in chosen.values() if c.kind]


def _get_value(option: re.Match[str]) -> int | str:
    return int(option[1]) if option[1] else SEVERAL


def _list_unknown(text: str, known: frozenset[str]) -> list[str]:
    """The words of a text that are no words of choosing."""
    text = _CJK_CARRIER.sub(" ", text) if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text) else text
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+", text.lower().replace("’", "'"))
    return [w for w in words if not {w, w.removesuffix("'s"), w[2:] if w[:2] in ("l'", "d'") else w} & known]


def _classify_option(left: str, right: str, grammar: Grammar, is_group: bool) -> str:
    """Return the claim about the option between two parts of a clause; "" for a report."""
    if is_group:
        return _classify_group(left, right, grammar)
    if _LANDMARK.search(left) or re.match(r"[的の](?:左|右|上|下|前|后|後|旁|隣|横|近|間)", right):
        return ""
    left = re.sub(r"\b(?:between|of|out of|among) x+\W*|\b(?:without|with no) (?!x)[^\W\d]+", "", left, flags=I)
    if _EARLIER.search(left + right) or _ADDED.search(left) or _ADDED_AFTER.match(right):
        return DOUBTED
    after = grammar.after.match(right)
    before = grammar.before.search(left) and not _VERB_AFTER.match(right)
    # What is eliminated stands right behind the verb: "eliminating 1 leaves 3".
    if NEGATION.search(left) or _DISMISSED.search(re.split(r"x{3,}", left)[-1]):
        return DENIED
    if after and NEGATION.search(after[0]):
        return DENIED
    asserted = PERHAPS if _WEAK.search(left + right) else CHOSEN
    unknown = _list_unknown(_WEAK.sub(" ", left), grammar.carrier)
    rest = _list_unknown(_WEAK.sub(" ", right), grammar.closing)
    if not unknown and (not rest if not after else not _list_unknown(_WEAK.sub(" ", right), grammar.carrier)):
        return asserted
    is_only = _ONLY.search(left) and not NEGATION.search(right)
    if not (after or before or is_only):
        return ""
    # An unknown label: "Question: 3", "distractor = 3".
    if not after and re.search(r"[:=]\W*$", left) and not _ONLY.search(left):
        return ""
    # Words before the cue must be words of choosing, or name an object: "the red chair is 3", but not "a child would say 3".
    own = list(_OWN_SUBJECT.finditer(left))
    is_own = bool(own) and not _list_unknown(_WEAK.sub(" ", left[own[-1].start() :]), grammar.carrier)
    if unknown and not after and not is_own and not grammar.subject.match(left):
        return ""
    if rest and not (after or is_only or _GOES_ON.match(right)):
        return ""
    return DOUBTED if DOUBT.search(left) or DOUBT.search(after[0] if after else right) else asserted


# A phrase after an option, which leaves it the last thing of the statement: "3 in the corner", but not "3 requires …".
_GOES_ON = re.compile(
    r"\W*(?:(?:in|on|at|with|without|for|from|of|to|by|as|that|which|who|whose|where|over|based|given|here|there|the|an?|no|not|if|while|when|after|due|than|and|or|but|so|then|next|near|behind|under|above|below|left|right|top|bottom|out|instead|only|out"
    r"|in|im|auf|mit|bei|von|der|die|das|und|oder|nicht|avec|sans|dans|sur|de|du|des|à|le|la|les|qui|et|ou|con|sin|en|el|los|y|o|que|com|sem|no|na|do|da|e|met|zonder|op|van|het)\b|\w+(?:ing|ly)\b|[\u3040-\u30ff\u4e00-\u9fff])",
    I,
)
# A speaker of the own choice: "because of the typo I'd go for 6".
_OWN_SUBJECT = re.compile(r"\b(?:i|we|ich|je|j['’]|yo|eu|ik)\b|我|私", I)


def _classify_group(left: str, right: str, grammar: Grammar) -> str:
    """Return the claim about a group of options between two parts of a clause."""
    if _LANDMARK.search(left) and not _UNDECIDED.search(f"{left} {right}"):
        return ""
    if re.search(r"\b(?:objects|options|choices|possibilities|numbers)(?: are| were| include|\W*:)\W*$", left, I):
        return ""
    around = _WEAK.sub(" ", f"{left} {right}")
    if NEGATION.search(left) and not _UNDECIDED.search(left):
        return DENIED
    if _UNDECIDED.search(around):
        return CHOSEN
    if NEGATION.search(right) or _DISMISSED.search(left):
        return DENIED
    if not _list_unknown(around, grammar.carrier | GROUP_WORDS) or _GROUP_FITS.match(right):
        return CHOSEN
    return (
        CHOSEN
        if re.search(
            r"\b(?:both|either|be|fits?|match(?:es)?|describes?|applies (?:\w+ )?to|true of|refers? to)\W*$", left, I
        )
        else ""
    )


CORRECTS = re.compile(
    any_of(
        r"\b(?:wait|actually|hold on|correction|corrected|sorry|i meant|on (?:second thought|reflection|closer (?:look|inspection))|let me (?:reconsider|correct|re-?check)|scratch that|however|but|instead|rather|reconsider\w*|re-?examin\w+|my mistake|oops)\b|\bno[,;]|\bnope\b",
        r"\b(?:nein|doch|aber|sondern|moment|korrektur|eigentlich|genauer betrachtet)\b|\b(?:non|attendez|en fait|mais|correction|plutôt)\b|\b(?:espera|en realidad|pero|sino|corrección|perdón|perdón)\b|\b(?:espere|na verdade|mas|correção)\b|\b(?:wacht|eigenlijk|maar|correctie)\b|等等|不对|其实|而是|いや|待って|実は|ではなく|訂正",
    ),
    I,
)
_CONCLUDES = re.compile(
    any_of(
        r"\b(?:so|therefore|thus|hence|in conclusion|consequently|finally|final|overall|conclude|leav(?:es?|ing)|left with|which means|the answer (?:is|must|has)|i(?:['’]d| would|['’]ll)? (?:pick|choose|say|go|prefer|select|settle))\b",
        r"\b(?:also|daher|somit|folglich|donc|par conséquent|así que|por (?:lo )?tanto|portanto|então|dus|daarom)\b|所以|因此|综上|よって|したがって|だから|=>|->|→|👉",
    ),
    I,
)

HEDGED = re.compile(
    r"\b(?:(?:i['’]?m |i am )?not (?:entirely |completely |totally |very |quite |absolutely |100 ?% |fully )?(?:sure|certain|positive|an expert)|can(?:not|['’]t) be (?:100 ?% |entirely |completely |fully )?(?:sure|certain)|(?:without|beyond|no) (?:a |any )?(?:reasonable )?(?:doubt|question)(?: about it)?|(?:after|upon|having|by) (?:careful(?:ly)? |closely )?(?:compar|check|consider|look|weigh|review|examin|think|read)\w*[^.;,⟦⟪\n]{0,50}(?=[.;,\n]|$)|not (?:only|just)(?!\W*(?:\w+ )?⟦)"
    r"|if i (?:understand|understood|read|interpret|get|remember|recall)\b[^.;,⟦⟪]{0,60}?(?:correctly|right|properly)\b|if i were (?:the|a|your) \w+|if i (?:had|have|must|were forced|really had)(?: to)?(?: (?:guess|choose|pick|say|decide|answer|select|commit))?(?: one)?|if (?:you|we|i|one) (?:look|compare|consider|check|examine|go|take|read)\b|if (?:forced|pressed|asked)(?: to \w+)?|(?:unless|if) i(?:['’]m| am)(?: not)? (?:mistaken|wrong)|as far as i (?:can|could) (?:tell|see|judge)|as (?:you|we) can see"
    r"|(?:if|assuming(?: that)?|provided(?: that)?|supposing) [^.;,⟦⟪]{0,60}?\b(?:means?|meant|refers? to|stands for|understood|interpreted)\b[^.;⟦⟪,]*,\s+(?=\w|⟦)"
    r"|nicht (?:ganz |völlig |hundertprozentig )?sicher|ohne zweifel|zweifellos|pas (?:tout à fait |totalement |complètement )?(?:sûre?|certaine?)|sans (?:aucun )?doute|no estoy \w+(?: \w+)?|sin duda|não (?:tenho|estou) \w+(?: \w+)?|sem dúvida|niet (?:helemaal |zo )?zeker|ongetwijfeld|wenn ich raten müsste|si je devais choisir)\b"
    r"|(?:,\s*|(?<=[.!] ))(?:(?:is|does|has|would|do|should)(?:n['’]t| that| it| that not) (?:it|that|you|they|right|correct|so|okay|ok)|right|would you like [^?.\n]*|do you want [^?.\n]*|does that help|ok(?:ay)?|nicht wahr|n['’]est-ce pas|verdad|não é|toch)\?",
    I,
)
_SUPPOSES = re.compile(
    r"\b(?:would|might|could|wäre|hätte|serait|sería|seria)\b[^.;⟦]*(?:⟦\d+⟧[^.;]*)?\b(?:without|ohne|sans|zonder)\b|\b(?:without|with (?:a|fewer|more|less|better)|ohne|sans|zonder)\b[^.;⟦]*\b(?:would|might|could|wäre|hätte|serait)\b|\b(?:would|might|could) have (?:been|got|given)\b"
    r"|\b(?:for (?:example|instance)|zum beispiel|par exemple|por ejemplo|por exemplo|bijvoorbeeld|if|unless|depending|depends on|whether|assuming|supposing|suppose (?:it|that|the|you)|otherwise|wenn|falls|sonst|à moins|selon|caso|indien|tenzij)\b|(?:^|[,;:(]\s*)(?:si(?! ?,)|se(?! (?:trata|refere|refiere))|assume|suppose|imagine|angenommen|supposons|supongamos|suponha|stel)\b|\bsuch as\b|\b(?:you|they|he|she|users?|prompt|people|someone|somebody|everyone|nobody)(?: (?:said|wrote|gave|told|mentioned|claimed?s?|says|states?|thinks?))\b|(?:^|[,;] )should (?:it|he|she|they|this|that|you|the \w+)\b|\b(?:had|were) (?:it|he|she|they|this|that|the \w+|i|you)\b|如果|假如|もし|例如|比如|例えば",
    I,
)


def is_supposed(text: str) -> bool:
    """Whether a text states a condition, an example or a supposition (a hedge is none)."""
    return _SUPPOSES.search(HEDGED.sub("", text)) is not None


# A condition ends before these.
_FACTS = re.compile(r";|\.\.\.|,? (?=(?:but|however|aber|mais|pero|mas|maar)\b)|\bas it (?:is|stands)\b", I)
# "Excluded: 1, 2" denies.
_DENIED_LABEL = re.compile(
    r"\b(?:excluded?|eliminat\w+|ruled out|discarded|rejected|wrong|incorrect|non-?match\w*|no|not)\b(?: [^\W\d]+){0,2}\s*[:=]\s*(?=[⟦⟪])",
    I,
)
_ASKS = re.compile(r"(?:吗|呢|ですか|ますか|でしょうか)[?.]?\s*$")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text and the separators between them, alternating."""
    return [part for part in re.split(r"((?<=[.!?])(?:[\s\"')*]+|$)|(?<=\.\.\.)\s*|\n+)", text) if part]


def claims_of_sentence(sentence: str, grammar: Grammar) -> list[Claim] | None:
    """Return the claims of a sentence without its hedges; None for a question.

    Claims under a condition are in doubt.
    """
    plain = HEDGED.sub(lambda m: " " * len(m[0]), sentence)
    # "Not great: 3" rates.
    is_judged = grammar is not CHOOSING and re.match(
        r"\W*(?:[^\W\d]+\? )?(?:not (?!counted|more|less)|wrong\W)", plain, I
    )
    plain = plain if is_judged else _DENIED_LABEL.sub(lambda m: "not".ljust(len(m[0])), plain)
    if plain.rstrip(" \"')*").endswith("?") or _ASKS.search(plain) or re.match(r"\W*(?:so )?you\b.*\?", sentence, I):
        return None
    claims = find_claims(plain, grammar)
    if _SUPPOSES.search(plain):
        ends = [0, *(m.end() for m in _FACTS.finditer(plain)), len(plain) + 1]
        supposed = [(a, b) for a, b in itertools.pairwise(ends) if _SUPPOSES.search(plain, a, b)]
        claims = [
            c._replace(kind=DOUBTED)
            if c.kind in (CHOSEN, PERHAPS) and any(a <= c.start < b for a, b in supposed)
            else c
            for c in claims
        ]
    return claims


def final_claim(text: str, chosen: list[Claim]) -> Claim | None:
    """Return the last of some claims, if it agrees with the others, or corrects or concludes them."""
    final = chosen[-1]
    contrary = [c for c in chosen if c.choice != final.choice]
    if not contrary:
        return final
    between, before = text[contrary[-1].start : final.start], text[max(0, final.start - 60) : final.start]
    conclusions = _CONCLUDES.findall(before)
    earlier = _CONCLUDES.findall(text[max(0, contrary[-1].start - 60) : contrary[-1].start])
    # The same conclusion twice is none: "the answer is 2. The answer is 5."
    is_repeated = conclusions and earlier and conclusions[-1].lower() == earlier[-1].lower()
    is_settled = CORRECTS.search(between) or (conclusions and not is_repeated)
    return final if is_settled else None
