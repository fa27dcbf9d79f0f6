"""The one description in an answer: without courtesies, labels, carriers ("It is …"), list numbers and reasons; two descriptions are none."""

from __future__ import annotations

import re
from typing import Any

from referee.models.answers.json_objects import find_json, value_named
from referee.models.answers.vocabulary import KINDS, any_of

__all__ = ["parse_description", "parse_properties"]

I = re.IGNORECASE  # noqa: E741
LONGEST, LONGEST_ANSWER = 400, 6_000
KEYS = ("description", "referring_expression", "expression", "text", "utterance", "phrase", "caption", "final_answer", "answer", "output", "response", "result", "beschreibung", "descripción", "descrição", "描述")  # fmt: skip
AROUND = "\"'“”‘’„«»`*_ \t\u00a0\u202f「」『』"

_LABELS = any_of(
    r"descriptions?|answer|referring expressions?|expression|output|response|result|target|final|better|best|instead|phrase|caption|utterance|message|hint|clue|final version|revised|correction",
    r"beschreibung|antwort|ausdruck|ziel(?:objekt)?|besser",
    r"réponse|expression|cible|mieux",
    r"descripción|respuesta|expresión|mejor",
    r"descrição|resposta|expressão|melhor",
    r"beschrijving|antwoord|uitdrukking",
    r"描述|答案|回答|目标|説明|答え|記述|回答",
)
_LABEL = re.compile(
    rf"(?:^|(?<=[.!?])\s+)[#>*_\s-]*(?:(?:the|my|a|an|final|short|possible|good|best|better|revised|suggested|die|meine|la|ma|mi|a|minha|de|mijn)\s+)*(?:{_LABELS})"
    r"(?: (?:of|for|to) (?:the |a )?(?:object|target|listener|it|item|partner)[\w\s]{0,20}| lautet| ist| est| es| é| is| would be| could be)?[\"'*_]*\s*(?:[:：]|(?:is|would be|could be|est|es|é|ist|lautet)\s*(?=[\"“„«「'*]))[*_]*[^\S\n]*",
    I | re.MULTILINE,
)
_COURTESY = re.compile(
    r"^(?:"
    + any_of(
        r"sure thing|sure|certainly|of course|absolutely|okay|ok|great|alright|all right|got it|no problem|happy to help|yes|i understand|understood|here (?:you go|goes|it is)|well|right|fine|with pleasure|gladly",
        r"klar|natürlich|gerne?|sicher|selbstverständlich|okay|ja",
        r"bien sûr|certainement|d['’]accord|volontiers|oui",
        r"¡?claro(?: que sí)?|por supuesto|¡?desde luego|vale|sí",
        r"claro|com certeza|certamente|sim",
        r"natuurlijk|zeker|graag|prima|ja",
        r"好的|当然可以|当然|没问题|はい|もちろんです|もちろん|承知しました|わかりました(?!が)",
    )
    + r")\s*(?:[!,.:\u2026\u3001\u3002\uff01\uff0c\uff1a-]+|\n)\s*",
    I,
)
_ANNOUNCING = re.compile(
    "^"
    + any_of(
        r"here(?:['’]s| is| are| it is| goes)|this is how|below is|the following is|to (?:help|identify)|let me|based on|given|okay, here goes",
        r"you (?:could|can|might|may) (?:say|describe it as|call it)|i(?: would|['’]d|['’]ll)? (?:describe|put)|we (?:could|can) say",
        r"hier ist|hier die|voici|aqu[ií] (?:tienes|está|vai|te dejo)|segue|hier is|以下是|这是|こちらが|以下が",
    )
    + r"\b[^:：\n\"“]{0,120}(?:[:：]\s*|\s+(?=[\"“]))",
    I,
)
_CARRIER = re.compile(
    "^"
    + any_of(
        r"(?:it|that|this|the (?:target|object|item|one|thing|answer)(?: (?:object|item|i mean|i['’]m (?:thinking of|looking at|describing)|i am (?:thinking of|looking at|describing)|in question|you want|to (?:find|pick)))?)(?:['’]s| is| would be)",
        r"i(?:['’]d| would|['’]ll| will)? (?:say|describe (?:it|this|the (?:target|object)) as|call it|mean|go with)|i(?:['’]m| am) (?:thinking of|looking at|describing|referring to|talking about)",
        r"(?:please |now )?(?:pick|find|choose|select|look for|click(?: on)?|identify|locate|take|get)(?= (?:the|a|an|\w+ (?:with|in|on)|man|woman|large|small|big)\b)",
        r"you (?:can|could|should|might) (?:say|look for|pick|find)",
        r"(?:es|das|gemeint|gesucht)(?: ist|ist)|(?:das (?:ziel|objekt|zielobjekt)) ist|ich (?:würde sagen|meine|beschreibe es als)",
        r"c['’]est|il s['’]agit (?:de(?= )|d['’])|l['’]objet est|je (?:dirais|décrirais)",
        r"(?:es|se trata de|el objeto es|yo diría|diría)(?= (?:el|la|un|una|los|las)\b)",
        r"(?:é|trata-se de|o objeto é|eu diria)(?= (?:o|a|um|uma|os|as)\b)",
        r"(?:het|dit|dat|het object) is|ik zou zeggen|ik bedoel",
        r"(?:目标|它|这|那|目标物体|物体)是|対象は|それは",
    )
    + r"(?:[\s:：,]+|(?<=[是は]))",
    I,
)
_REASON = re.compile(
    r"^[\s(*_\[>—–-]*"
    + any_of(
        r"this (?:description|uniquely|singles|sets|distinguish|identif|object|one|phrase|should|allows|would|helps|will|is (?:the only|enough|unique|sufficient|because)|makes)",
        r"explanation|reason(?:ing)?\b|because|note\b|since\b|rationale|it(?:['’]s| is) (?:the only|unique)|(?:the )?listener|as (?:it|no|there|the)\b",
        r"i (?:chose|used|included|mention|added|avoided|picked|left)|that (?:should|way|singles|distinguish)|these (?:details|attributes|features)",
        r"let me know|hope (?:this|that)|i hope|feel free|would you|do you|is there|word count|\(?\d+ words|---+|\*\*\*",
        r"the (?:description|combination|colou?r|other(?:s| objects)|words?|position|rest)\b.{0,60}\b(?:distinguish|unique|identif|single|set|differ|are|look)",
        r"(?:no|none|nothing|all|every)(?: of the)? (?:other|else)|no (?:two|object|other)|only (?:one|this)|the only (?:one|object)|unique|there (?:is|are) (?:only|no)|there['’]s only|(?:the )?others\b|alle anderen",
        r"diese beschreibung|das (?:reicht|unterscheidet|ist eindeutig)|denn|weil|begründung|erklärung|kein anderes",
        r"cette description|car\b|parce que|explication|c['’]est le seul|aucun autre",
        r"esta descripción|porque|explicación|es el único|ningún otro|esta descrição|explicação|é o único|nenhum outro",
        r"deze beschrijving|omdat|want|uitleg|geen ander",
        r"这(?:个|样|是)|因为|理由|说明|解释|この(?:説明|記述)|なぜなら|理由",
    ),
    I,
)
_TAIL = re.compile(
    r"(?:\s*,\s*|\s+)(?:because|since (?:it|no|the|there)|weil|denn|car|parce qu|porque|omdat|因为)\b.*$"
    r"|\s*[—–-]\s+(?:this|that|the (?:others?|only|rest)|it|no other|which|because|since|only|unlike)\b.*$"
    r"|\s*[(（](?:the only|only|it\b|this\b|no other|since|because|unique|as\b|\d+ words|object|target|number|因为|唯一)[^)）]*[)）]\s*\.?$",
    I | re.DOTALL,
)
_NO_DESCRIPTION = re.compile(
    any_of(
        r"(?:n/?a|none|null|nil|unknown|unclear|nothing|tbd|-+|\.+|no|yes|ok(?:ay)?|sure|empty|undefined)\W*$",
        r"(?:sorry,? )?(?:but )?i (?:do not|don['’]t|really don['’]t|cannot|can['’]t|can not|could not|couldn['’]t|am unable to|am not able to)(?: really)? (?:know|tell|see|determine|identify|say|find|understand|have|decide)",
        r"i(?:['’]m| am) (?:not (?:sure|certain|able)|unsure|uncertain|happy|glad|ready|unable)|i (?:need|require|see no|would need|have no|can help|can do|will help|['’]d (?:be|need|love)|would be (?:happy|glad))",
        r"(?:please(?! (?:pick|find|choose|select|look|click))|kindly|could you|can you|would you|do you|which|what|who|where|how|are you|is it|should i)\b(?!.*\b(?:pick|find|choose)\b (?:the|a)\b)",
        r"no (?:description|target|object|information|answer|such)\b|there (?:is|are|['’]s) (?:no|not|nothing|n['’]t)|(?:there )?isn['’]t|not (?:enough|possible|sure|applicable|available|provided|known|specified)|(?:it['’]s|it is) (?:not possible|impossible|unclear)|impossible",
        r"(?:the )?(?:target|object|description) (?:is|was) (?:not|un)|cannot be\b|insufficient|error\b|undefined",
        r"ich (?:weiß|kann|bin mir) (?:es |das )?nicht|ich weiß nicht|keine (?:ahnung|beschreibung)|welches|bitte\b|ich brauche|unklar|unbekannt",
        r"je (?:ne )?(?:sais|peux|suis) pas|je ne (?:sais|peux|vois|suis)|quel(?:le)?\b|pas de description|aucune description|pourriez|veuillez",
        r"no (?:lo )?sé|no (?:puedo|hay|tengo|se puede|estoy)|¿|qué\b|cuál\b|podrías|por favor",
        r"não (?:sei|posso|há|tenho|consigo|estou)|qual\b|poderia|por favor",
        r"ik (?:weet|kan|ben) (?:het |niet)|welke?\b|geen (?:beschrijving|idee)|kun je|kunt u",
        r"我(?:也)?不(?:知道|确定|清楚)|无法|不能|请(?:问|提供|告诉)|哪(?:个|一)|没有(?:描述|目标)|不明|未知",
        r"(?:どの|どれ).*(?:わかりません|分かりません|ですか)|わかりません|分かりません|不明|できません|教えて",
    ),
    I,
)
_BARE_NUMBER = re.compile(
    rf"(?:the )?(?:target (?:object )?is |it is |it['’]s )?(?:the )?(?:{KINDS}\s*)?(?:number |no\.? |#)?[#(]?\d{{1,3}}[).]?\W*$|option [a-e]\W*$",
    I,
)
_QUOTED = re.compile(r"[\"“„«「]\s*([^\"“”„«»「」\n]{2,}?)\s*[\"”“»」]")
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\(?\d{1,2}[.)]\s+|option [a-e\d]\s*:\s*)", I)
_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{(?:\\(?:text|mathrm|textbf)\s*\{)?([^{}]+)\}")


def parse_description(text: str) -> str | None:
    """The words of the one description, or None."""
    text = text[-LONGEST_ANSWER:]
    fenced = [part.strip() for part in _FENCED.findall(text) if part.strip()]
    if len(fenced) == 1:
        text = fenced[0]
    if "{" in text and (data := find_json(text)) is not None:
        value = value_named(data, *KEYS)
        if isinstance(value, dict):
            value = value_named(value, *KEYS)
        return _checked(value) if isinstance(value, str) else None
    boxed = _BOXED.findall(text)
    return _checked(boxed[-1]) if boxed else _from_lines(_after_label(text))


def _after_label(text: str) -> str:
    """What follows the last label ("Description:", "Final answer:"), or the text where there is none."""
    labels = list(_LABEL.finditer(text))
    for label in reversed(labels):
        rest = text[label.end() :]
        first = next((line for line in rest.splitlines() if line.strip(AROUND + "-#>")), "")
        if first and not _REASON.match(first):
            return rest
    return "" if labels and not text[: labels[0].start()].strip() else text


def _from_lines(text: str) -> str | None:
    lines = [line.strip() for line in text.splitlines() if line.strip(AROUND + "-#>.")]
    described: list[str] = []
    for line in lines:
        if described and _REASON.match(line):
            break
        if described and line.rstrip().endswith("?"):
            break
        line = _opened(line)
        if line.strip(AROUND) and not (not described and line.endswith((":", "："))):
            described.append(line)
    if len(described) != 1:
        return None
    (line,) = described
    if _BULLET.match(line) and len(lines) > 2:
        return None
    return _checked(_quoted(_BULLET.sub("", line)))


def _opened(line: str) -> str:
    """A line without courtesies and announcements; each may bring the next to light: "Sure! Here is a description: …"."""
    line = line.strip().lstrip(">#").strip()
    while True:
        shorter = _LABEL.sub("", _ANNOUNCING.sub("", _COURTESY.sub("", line))).strip()
        if shorter == line:
            return line
        line = shorter


def _quoted(line: str) -> str:
    """The quoted part, where the line only announces or explains it."""
    quotes = _QUOTED.findall(line)
    if len(quotes) != 1:
        return line
    before, after = line.split(quotes[0], 1)
    said = before.rstrip(AROUND)
    announced = not said or said.endswith(
        (":", "：", "is", "be", "as", "say", "it", "ist", "est", "es", "é", "是", "は")
    )
    explained = not after.strip(AROUND + ".!。") or bool(re.match(r"\s*[\"”»」]\s*[.,–—(;-]", after))
    return quotes[0] if announced and explained else line


def _checked(text: str) -> str | None:
    """A description without its carrier and the reasons after it; None where it is none."""
    whole = text.strip().strip(AROUND).strip()
    if whole.endswith(("?", "？")) or _NO_DESCRIPTION.match(whole):
        return None
    sentences = re.split(r"(?<=[.!。！])\s+(?=\S)|(?<=[。！])", whole)
    kept = sentences[:1]
    for sentence in sentences[1:]:
        if _REASON.match(sentence) or sentence.endswith("?"):
            break
        kept.append(sentence)
    text = " ".join(kept).strip()
    shorter = _TAIL.sub("", text)
    carried = _CARRIER.sub("", shorter)
    if carried != shorter:
        carried = re.sub(r"(?:です|だ)[。.]?$", "", carried)
    text = re.sub(r"(?:です|でございます)[。.]?$", "", carried).strip().strip(AROUND).strip()
    if text != whole:
        text = text.rstrip(".。").rstrip(AROUND)
    if not text or "\n" in text or len(text) > LONGEST or text[0] in "{[<" or not re.search(r"\w", text):
        return None
    return None if _NO_DESCRIPTION.match(text) or _BARE_NUMBER.match(text) else text


def parse_properties(text: str) -> tuple[str, list[tuple[str, Any]]] | None:
    """Words and attribute values from an answer that was asked for as JSON."""
    data = find_json(text)
    words, properties = value_named(data, *KEYS), value_named(data, "properties", "attributes")
    if not isinstance(words, str) or not words.strip() or properties is None:
        return None
    try:
        pairs = list(properties.items() if isinstance(properties, dict) else map(_pair, properties))
    except (TypeError, ValueError):
        return None
    plain = all(isinstance(name, str) and isinstance(value, (str, int, float)) for name, value in pairs)
    return (words.strip(), pairs) if plain else None


def _pair(entry: Any) -> tuple[Any, Any]:
    """``["colour", "red"]``, ``{"attribute": "colour", "value": "red"}``, or ``{"colour": "red"}``."""
    if isinstance(entry, dict):
        if len(entry) == 1:
            return next(iter(entry.items()))
        return value_named(entry, "attribute", "name", "key"), value_named(entry, "value")
    name, value = entry
    return name, value
