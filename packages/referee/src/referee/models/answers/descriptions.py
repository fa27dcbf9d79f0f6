"""The one description in an answer: without courtesies, labels, carriers ("It is …"), list numbers and reasons; two descriptions are none.

What is left must look like a description: a text that speaks of the task, the listener or the speaker is unread.
"""

from __future__ import annotations

import re
from typing import Any

from referee.models.answers.json_objects import find_json, find_objects, value_named
from referee.models.answers.vocabulary import KINDS, any_of, ordinals

__all__ = ["parse_description", "parse_properties"]

I = re.IGNORECASE  # noqa: E741
LONGEST, LONGEST_ANSWER = 400, 6_000
KEYS = ("description", "final_description", "target_description", "referring_expression", "expression", "text", "utterance", "phrase", "caption", "final_answer", "answer", "output", "response", "result", "message", "beschreibung", "descripción", "descrição", "beschrijving", "描述", "説明")  # fmt: skip
AROUND = "\"'“”‘’„«»`*_ \t\u00a0\u202f「」『』"

# A label names what follows it. Weak labels count only where there is no other one.
_LABELS = any_of(
    r"descriptions?|answer|referring expressions?|referring phrase|expression|output|response|result|final|better|best|instead|phrase|caption|utterance|message|hint|clue|suggestion|proposal|final version|revised|correction|corrected|improved",
    r"beschreibung|antwort|ausdruck|besser|vorschlag",
    r"réponse|expression|mieux|proposition",
    r"descripción|respuesta|expresión|mejor|propuesta|sugerencia",
    r"descrição|resposta|expressão|melhor|sugestão|proposta",
    r"beschrijving|antwoord|uitdrukking|voorstel",
    r"描述|答案|回答|説明|答え|記述|表达|表現|建议|提案",
)
_WEAK_LABELS = any_of(
    r"target|object|item|referent|speaker|assistant|me|ai|director|you|a|english|deutsch|español|ziel(?:objekt)?|objekt|cible|objet|objetivo|objeto|alvo|doelobject|目标(?:物体)?|対象|话者|話し手"
)
_QUALIFIERS = r"(?:(?:the|my|a|an|one|final|short|concise|possible|good|suitable|best|better|revised|suggested|unique|natural|die|eine?|meine|endgültige|kurze|la|ma|une|courte|mi|una|a|minha|uma|de|een|mijn|mein|ma|minha)\s+|我的|最终|最終的な)*"


def _label(nouns: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:^|(?<=[.!?])\s+)[#>*_\s-]*{_QUALIFIERS}({nouns})(?:\s*#?\d{{1,2}})?(?:\s*[(（][^)）\n]{{0,40}}[)）])?"
        r"(?: (?:of|for|to|der|des|de|do|da|van) (?:the |a |das |l['’]|het )?(?:object|target|listener|it|item|partner|objekt|ziel|objet|objeto|doel)[\w\s]{0,20}| lautet| ist| est| es| é| is| would be| could be| wäre| serait| sería| seria)?"
        r"[\"'*_]*\s*(?:[:：=]+>?|[–—-](?=\s)|->|→|(?:is|would be|could be|est|es|é|ist|lautet)\s*(?=[\"“„«「'*])|(?<=[a-zé])[*_]*\n+(?=\s*\S))[*_]*[^\S\n]*",
        I | re.MULTILINE,
    )


_LABEL, _WEAK_LABEL = _label(_LABELS), _label(_WEAK_LABELS)
_COURTESY = re.compile(
    r"^(?:"
    + any_of(
        r"sure thing|sure|certainly|of course|absolutely|okay|ok|great|alright|all right|got it|no problem|happy to help|yes|i understand|understood|here (?:you go|goes|it is)|well|fine|with pleasure|gladly|hmm+|let me (?:see|think)|so|(?:good|great|excellent) question|(?:oh|ah)|hi|hello|hey|simply put|in short|thanks|thank you|(?:there|here) you (?:go|are)",
        r"klar|natürlich|gerne?|sicher|selbstverständlich|okay|ja|also|in ordnung",
        r"bien sûr|certainement|d['’]accord|volontiers|oui|avec plaisir|voilà",
        r"¡?claro(?: que sí)?|por supuesto|¡?desde luego|vale|sí|con gusto",
        r"claro|com certeza|certamente|sim|com prazer",
        r"natuurlijk|zeker|graag|prima|ja|oké",
        r"好的|当然可以|当然|没问题|可以|はい|もちろんです|もちろん|承知しました|わかりました(?!が)|了解(?:です|しました)?",
    )
    + r")\s*(?:[!,.:;\u2026\u3001\u3002\uff01\uff0c\uff1a]+|\s+[\u2013\u2014-]+(?=\s)|\n)\s*|^(?:okay|ok|well) so\s+|^(?:basically|simply|perhaps|maybe|probably|obviously)[,:]?\s+",
    I,
)
# Words before a colon that only announce a description.
_ANNOUNCING = re.compile(
    r"^(?=[^:：\n]{0,160}(?:"
    + any_of(
        r"\b(?:here|below|following|descri\w+|expression|say|said|answer|listener|partner|identif\w+|attempt|suggest\w*|propose|put it|goes|use|go with|it['’]?s the one|it is the one|tell them|in short|in a few words|find this|what about|how about|therefore|so)\b",
        r"\b(?:hier|beschreib\w+|sagen|voici|décri\w+|dirais|aqu[ií]|descri\w+|diría|diria|segue|beschrijving|zeggen|folgt)\b",
        r"以下|描述|如下|会说|説明|言い",
    )
    + r"))[^:：\n\"“„«「]{0,160}(?:[:：]\s*|\s+(?=[\"“„«「]))",
    I,
)
_SEEK = r"(?:pick|choose|select|find|locate|identify|grab|take|get|fetch|spot|touch|mark|highlight|click(?: on)?|tap(?: on)?|pick out|point (?:to|at|out)|look (?:for|at)|search for|go (?:for|with)|show me|give me|bring me|hand me|pass me)"
_NAMING = r"(?:say|mean|use|(?:want|need)(?= (?:the|a|an|\w+ with)\b)(?! \w+ (?:list|image|picture|target|description))|suggest|propose|call it|go with|describe (?:it|this|that|him|her|them|the (?:target|object|item|one)) as|refer to (?:it|this|the (?:target|object)) as|(?:looking|searching) (?:for|at)|thinking of|talking about|referring to|describing|pointing (?:to|at)|seeing|have in mind)"
_THING = r"(?:target|object|item|thing|referent|person|answer|correct one|one)(?: (?:object|item|one))?(?:\s*[(（][^)）]{0,20}[)）])?(?: (?:that )?(?:i|you|we)(?:['’]\w+| am| are| want| have| should| need)?(?: \w+){0,6}?| in question| to (?:find|pick|identify|select))?"
_CARRIER = re.compile(
    "^"
    + any_of(
        r"(?:let['’]s call (?:it|this)|how about|what about|try|(?:dear )?listener,)",
        rf"(?:it|that|this|these|they|he|she|(?:the|my|your) {_THING})(?: (?:can|could|may|might|would|is)(?: best| be| also| easily)* (?:described|identified|referred to|recogni[sz]ed|known) (?:as|by)|['’]s| is| are| would be)(?! (?:not|un|the only (?:one|object)\b(?! \w)))",
        rf"(?:i|you|we)(?:['’](?:d|ll|m|re|ve)| would| will| am| are| can| could| should| might| may| want you to| need you to| need to| have to| would like you to|['’]d like you to)*(?: (?:simply|just|probably|also))? (?:{_NAMING}|{_SEEK})",
        rf"(?:i['’]?d |i would |just |please )?tell (?:them|the listener|her|him|your partner)(?: to {_SEEK})?",
        rf"(?:please |now |just |kindly )*{_SEEK}(?! (?:out|it|me|one of)\b)(?=\s+\w)",
        r"(?:es|das|dies|gemeint|gesucht)(?: ist|ist)|(?:das|mein) (?:ziel|objekt|zielobjekt|gesuchte objekt) ist|es handelt sich um|ich (?:würde sagen|meine|suche|beschreibe es als|nehme)|(?:bitte )?(?:wähle?n?(?: sie)?|nimm|nehmen sie|suche?n?(?: sie)?|finden?(?: sie)?|klicken?(?: sie)? auf|zeige?n?(?: sie)? auf)(?=\s+(?:der|die|das|den|dem|einen?|ein)\b)",
        r"c['’]est|ce serait|il s['’]agit (?:de(?= )|d['’])|l['’]objet(?: (?:cible|recherché|visé|en question))? est|la cible est|je (?:dirais|décrirais|parle de|pense à|cherche|choisis|veux dire)|(?:choisi(?:ssez|s)|prene?z|prends|cherchez?|trouvez?|sélectionnez?|cliquez? sur|regardez?)(?=\s)",
        r"(?:es|sería|se trata de|el objet(?:o|ivo)(?: \w+)? es|yo diría|diría|me refiero a|(?:elige|elija|escoge|escoja|seleccion[ae]|busca|busque|encuentra|encuentre|toma|haz clic en|mira))(?= (?:el|la|un|una|los|las)\b)",
        r"(?:é|seria|trata-se de|o (?:objeto|alvo)(?: \w+)? é|eu diria|refiro-me a|(?:escolha|selecione|procure|encontre|pegue|clique em|olhe para))(?= (?:o|a|um|uma|os|as)\b)",
        r"(?:het|dit|dat|het (?:doel|doelobject|object)) is|het gaat om|ik (?:zou zeggen|bedoel|zoek|kies)|(?:kies|neem|pak|zoek|vind|selecteer|klik op|kijk naar)(?=\s+(?:de|het|een)\b)",
        r"(?:目标物体|目标|它|这个物体|这|那|物体|答案)(?:就)?是|指的是|我(?:说的|指的)是|我会说|请?(?:选择|选|找到|找出|点击|指向)|対象物?は|それは|これは|目標(?:物)?は",
    )
    + r"(?: (?:simplement|einfach|simplemente|simplesmente|gewoon|just|simply))?(?:\s*[:：,]\s*|\s+|(?<=[是は说择选到出击向]))",
    I,
)
_REQUEST = re.compile(
    rf"(?:how|what) about[\s:\"“]+(?=(?:the|an?) )|(?:can|could|would|will) you (?:please )?(?={_SEEK} (?:the|a|an)\b)",
    I,
)
_REASON = re.compile(
    r"^[\s(*_\[>—–-]*"
    + any_of(
        r"this\b|that(?:['’]s| is| should| way| singles| distinguish\w*| makes| would| will)|these\b|it(?:['’]s|\b)(?= (?:is )?(?:the only|unique|uniquely|distinguish|identif|singles|clearly|should|avoids|mentions|uses|allows|works|helps|would|can))|why\b|key (?:features?|points?)|justification",
        r"explanation|reason(?:ing|s)?\b|because|note\b|since\b|rationale|(?:the )?listener|as (?:it|no|there|the)\b|if (?:you|more|the)\b|just (?:ask|let)|(?:distinguishing |key )?features?\b|confidence\b|attributes?\b|length\b|you(?:['’]\w+)?\b|thank|with (?:this|that)\b|in (?:this|that|the) (?:scene|picture|image)\b|i\b|unambiguous",
        r"i (?:chose|used|included|mention|added|avoided|picked|left|focused|opted|kept|did)|let me know|hope (?:this|that)|i hope|feel free|would you|do you|is there|does this|word count|\(?\d+ words|---+|\*\*\*",
        r"the (?:description|combination|colou?r|type|other(?:s| \w+)|words?|position|rest|distractors?|attributes?|size)\b.{0,60}\b(?:distinguish\w*|unique\w*|identif\w*|single\w*|set|differ\w*|are|look|would|is|alone|suffices?)\b",
        r"(?:no|none|nothing|all|every)(?: of)?(?: the)? (?:other|else)|everything|others?\b|here,|no (?:further|more|additional|need|two|object|other)|only (?:one|this)|the only (?:one|object)|unique|there (?:is|are) (?:only|no)|there['’]s only|(?:the )?others\b|alle anderen|die anderen|nobody else",
        r"diese beschreibung|das (?:reicht|unterscheidet|ist eindeutig)|denn|weil|begründung|erklärung|kein anderes|nur (?:dieses|dieser|diese)|damit|grund\b",
        r"cette description|car\b|parce que|explication|c['’]est (?:le seul|la seule)|aucune? autre|raison\b|justification|les autres",
        r"esta descripción|porque|explicación|es (?:el único|la única)|ningún otro|razón|los demás|los otros|esta descrição|explicação|é (?:o único|a única)|nenhum outro|razão|justificativa|os outros|motivo\b",
        r"deze beschrijving|omdat|want|uitleg|geen ander|reden|de andere|het is (?:de|het) enige",
        r"这(?:个|样|是|一)|因为|理由|说明|解释|原因|其他|この(?:説明|記述)|なぜなら|理由|他[のは]|説明",
    ),
    I,
)
# A further sentence that goes on with the description; any other is neither description nor reason, and leaves a doubt.
_GOES_ON = re.compile(
    r"(?:it|he|she|they|its|his|her|and|with|on|in|at|near|next|behind|above|below|under|to|the|an?|also|not|both|[a-zà-ÿ]\w+ing)\b|(?-i:[a-zà-ÿ.])|es\b|er\b|sie\b|il\b|elle\b|ela\b|ele\b|het\b|hij\b|der\b|die\b|das\b|le\b|la\b|el\b|[\u3040-\u30ff\u4e00-\u9fff]",
    I,
)
_THOUGHT = re.compile(
    r"[\s*_#>-]*(?:reasoning|thoughts?|analysis|explanation|rationale|step \d+|q|question)\b[*_]*\s*[:：]", I
)
_TAIL = re.compile(
    r"(?:\s*,\s*|\s+)(?:because|since (?:it|no|the|there|all)|weil|denn|car|parce qu|porque|omdat|aangezien|puisque|ya que|pois|já que)\b.*$|\s*[,，、]\s*(?:因为|因此|その他|なぜなら).*$"
    r"|\s*,\s*(?:as (?:it|no|there|the)|so (?:it|you|that)|unlike|which (?:is|makes|sets|distinguishes) (?:it |the only|unique))\b.*$"
    r"|\s*[:;]\s*(?:this is|that is|the |all |no |none|nothing|it |this |that )\b.*$|\s*(?://|=>|<-|#)\s+.*$"
    r"|\s*(?:--|[—–-])\s+(?:this|that|the (?:others?|only|rest)|it|no other|which|because|since|only|unlike)\b.*$"
    r"|\s*[(（*]*[(（](?:the only|only|that\b|it\b|this\b|no other|since|because|unique|as\b|the others?|others|all other|\d+ words|object|target|number|#\d|objekt|objet|objeto|物体|対象|nicht|einzige|seule?|único|única|enige|因为|唯一)[^)）]*[)）]\s*[.。]?$"
    r"|\s*\[(?:object|target|number|objekt|objet|objeto)?\s*#?\d{1,3}\]\s*\.?$",
    I | re.DOTALL,
)
_NO_DESCRIPTION = re.compile(
    any_of(
        r"(?:n/?a|none|null|nil|unknown|unclear|nothing|tbd|-+|\.+|no|yes|ok(?:ay)?|sure|empty|undefined|thanks?|thank you|done|ready|hello|hi|number \w+|as requested)\W*$|nothing\b|it depends|(?:both|all|either)(?: of them)? (?:are|is|would|will|work)|(?:great|good|excellent|interesting) (?:question|point|job)|none of\b|(?:as|per) (?:requested|an ai)\b",
        r"(?:sorry,? )?(?:but )?i\b|i['’]",
        r"(?:please|kindly|could you|can you|would you|do you|which|what|who|where|how|why|when|are you|is it|should i|let me|let['’]s|thank|thanks|hello|hi\b|welcome|either|or\b|whether|it (?:looks|seems|appears)|maybe|perhaps|you|your|there (?:is|are|was|were)|there['’]s|here|describe|i['’]?m)\b",
        r"no (?:description|target|objects?|information|answer|such|image|picture|photo|input|list|scene|text|response|comment|further|specific|unique|clear|distinguishing|valid)\b|there (?:is|are|was|were|['’]s) (?:no|not|nothing|n['’]t|insufficient)|(?:there )?isn['’]t|not (?:enough|possible|sure|applicable|available|provided|known|specified|given)|(?:it['’]s|it is) (?:not possible|impossible|unclear)|impossible",
        r"(?:the |your )?(?:target|objects?|description|image|picture|photo|list|scene|input|message|prompt|request)(?: (?:object|item|of objects|you mentioned))? (?:is|was|are|were|has|have|seems?|appears?|does|did|could|cannot|can['’]t)\b|cannot be\b|insufficient|error\b|undefined|missing\b|unable\b",
        r"ich\b|keine? (?:ahnung|beschreibung|bild|objekt|ziel|angabe)|welche[srn]?\b|bitte\b|unklar|unbekannt|kein\b|nicht\b|es gibt kein|keine?\b|das (?:bild|ziel) (?:ist|fehlt|wurde)",
        r"je\b|j['’]|quel(?:le)?s?\b|pas de description|aucune?\b|pourriez|veuillez|impossible|inconnue?\b|il n['’]y a|merci\b|pouvez",
        r"no (?:lo )?sé|no (?:puedo|hay|tengo|se puede|estoy|es posible|se)|¿|qué\b|cuál\b|podrías|por favor|ningun|ningún|desconocid|gracias",
        r"não\b|qual\b|poderia|por favor|nenhum|desconhecid|obrigad|eu\b",
        r"ik\b|geef\b|welke?\b|geen\b|kun je|kunt u|onbekend|onduidelijk|bedankt",
        r"[我你您]|无法|不能|请|哪(?:个|一)|没有|不明|未知|无$|無$|谢谢|不知道",
        r"(?:どの|どれ|どちら|何を)|わかりません|分かりません|不明|できません|教えて|なし\W*$|ありません|該当|(?:画像|写真|图片|图像)(?:が|は|没|不|缺)|ありがとう",
    ),
    I,
)
# What betrays that more than a description is left: people of the conversation, words of the task, marks of other texts.
_DOUBT = re.compile(
    r"(?<!that )(?<!which )(?<!who )\bI\b|\b(?i:i['’](?:d|m|ll|ve)|we (?:can|could|are|have|need|see)|you(?:['’](?:re|ll|d|ve)| (?:are|can|could|should|want|need|have|will|may|might|were|asked|mean|provided))|your (?:message|request|input|question|prompt|description|list|image)|(?:tell|give|show|let|help) (?:me|us)|thank you)\b"
    r"|\b(?i:descriptions?|referring|listener|distractors?|target (?:object|is)|please)\b"
    r"|\b(?i:(?:was|were|is|are|been|not) (?:not )?(?:provided|specified|attached|uploaded|missing|available|unclear|undefined|given)|cannot be|instead of describing)\b"
    r"|\b(?i:ich|je|vous|ik|eu|yo)\b|[我您请]|ください|ますか|(?i:\b(?:either\b.*\bor|or,? (?:the|a|an|maybe|perhaps|alternatively)|oder|alternatively)\b)"
    r"|(?<!that )(?<!which )(?<!who )(?<!I )(?<!you )\b(?i:should|would|could|will|shall)\b(?! be (?:worn|used))|\w \w+ / \w+ \w|\b(?i:is|are) (?i:enough|sufficient|unique|unambiguous|the same|identical|alike|similar|different)\b|//|=>|->|→|[{}|\\<>]|\?(?=\s)|;"
)
_BARE_NUMBER = re.compile(
    rf"(?:the )?(?:target (?:object )?is |it is |it['’]s )?(?:(?:the|das|der|die|l['’]|le|el|o|het) ?)?(?:{KINDS}\s*)?(?:number |no\.? |#|numéro |número |nummer )?[#(]?\d{{1,3}}[).号番]?\W*$|(?:option|object|item|choice) [a-e]\W*$"
    r"|(?:the |a )?(?:target|object|image|picture|description|list|thing|item|text)s?\W*$"
    rf"|(?:the |das |der |die |le |la |el |o |het |de )?{any_of(*(word for word, _ in ordinals()))} (?:object|item|option|objekt|objet|objeto|one)\W*$|第\S{{1,2}}个(?:物体)?\W*$",
    I,
)
_QUOTED = re.compile(r"[\"“„«「]\s*([^\"“”„«»「」\n]{2,}?)\s*[\"”“»」]")
_SPEAKS = re.compile(
    r"\b(?:i|i['’]\w+|you|we|it|this|listener|descri\w+|expression|say|call\w*|try|use|about|answer|target|object|ich|es|je|on|yo|sería|eu|ik|het|wäre|serait|sage|décri\w+|beschreib\w+|beschrij\w+|noem\w*)\b|描述|说|是|は|説明",
    I,
)
_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+|option [a-e\d]\s*:\s*)", I)
_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{(?:\\(?:text|mathrm|textbf)\s*\{)?([^{}]+)\}")
_TEXT = re.compile(r"^\$*\\(?:text|mathrm|textbf|textit)\s*\{([^{}]+)\}\$*$")
_CALL = re.compile(r"^[\w.]+\(\s*(?:\w+\s*[=:]\s*)?([\"'])(.+)\1\s*\)\s*;?$", re.DOTALL)


def parse_description(text: str) -> str | None:
    """The words of the one description, or None."""
    text = text[-LONGEST_ANSWER:].strip()
    fenced = [part.strip() for part in _FENCED.findall(text) if part.strip()]
    if len(fenced) == 1:
        text = fenced[0]
    if "{" in text and (data := find_json(text)) is not None:
        value = value_named(data, *KEYS)
        if isinstance(value, dict):
            value = value_named(value, *KEYS)
        return _checked(value) if isinstance(value, str) else None
    if text.startswith("[") and (listed := next(find_objects(text, "["), None)) is not None:
        return _checked(listed[0]) if len(listed) == 1 and isinstance(listed[0], str) else None
    boxed = _BOXED.findall(text)
    wrapped = _TEXT.match(text) or _CALL.match(text)
    if boxed or wrapped:
        return _checked(boxed[-1] if boxed else wrapped[wrapped.lastindex or 1] if wrapped else "")
    return _from_lines(_after_label(text))


def _after_label(text: str) -> str:
    """What follows the last label ("Description:", "Final answer:"), or the text where there is none."""
    labels = [*_WEAK_LABEL.finditer(text), *_LABEL.finditer(text)]
    for label in reversed(labels):
        rest = text[label.end() :]
        first = next((line for line in rest.splitlines() if line.strip(AROUND + "-#>")), "")
        if first and not _REASON.match(first) and not _BARE_NUMBER.match(first.strip(AROUND)):
            same = [other for other in labels if other[1].lower() == label[1].lower()]
            # Two descriptions under one label are an offer of two.
            return rest if len(same) < 2 or label.re is _WEAK_LABEL else ""
    return "" if labels and not text[: min(label.start() for label in labels)].strip() else text


def _from_lines(text: str) -> str | None:
    lines = [
        line.strip() for line in text.splitlines() if re.search(r"\w", line) or line.rstrip().endswith(("?", "？"))
    ]
    while len(lines) > 1 and _THOUGHT.match(lines[0]):
        del lines[0]
    described: list[str] = []
    for line in lines:
        if described and (_REASON.match(line) or line.endswith(("?", "？"))):
            break
        line = _opened(line)
        if line.strip(AROUND) and not (not described and line.endswith((":", "："))):
            described.append(line)
    if len({line.casefold() for line in described}) != 1:
        return None
    line = described[0]
    # Several lines of a list, or several quotations, are an offer of several descriptions.
    if (_BULLET.match(line) and len(lines) > 2) or len(_QUOTED.findall(line)) > 1:
        return None
    return _checked(_quoted(_BULLET.sub("", line)))


def _opened(line: str) -> str:
    """A line without courtesies and announcements; each may bring the next to light: "Sure! Here is a description: …"."""
    line = re.sub(r"^(?:=>|->|→|👉)\s*", "", line.strip()).lstrip(">#").strip()
    while True:
        shorter = _LABEL.sub("", _ANNOUNCING.sub("", _COURTESY.sub("", line))).strip()
        if shorter == line:
            return line
        line = shorter


def _quoted(line: str) -> str:
    """The quoted part, where the rest of the line only announces or explains it."""
    quotes = _QUOTED.findall(line)
    if len(quotes) != 1:
        return line
    before = line.split(quotes[0], 1)[0].strip(AROUND)
    is_phrase = len(quotes[0].split()) > 1 or re.search(r"[\u3040-\u30ff\u4e00-\u9fff]{3}", quotes[0])
    is_whole = line.strip(AROUND + ".!。") == quotes[0].strip(AROUND + ".!。")
    return quotes[0] if is_whole or (is_phrase and (not before or _SPEAKS.search(before))) else line


def _checked(text: str) -> str | None:
    """A description without its carrier and the reasons after it; None where it is none."""
    whole = re.sub(r"[\s✅☑✔️\U0001f300-\U0001faff]+$", "", _quoted(_opened(text))).strip().strip(AROUND).strip()
    if whole[:1] + whole[-1:] in ("()", "[]") and len(re.findall(r"[(\[]", whole)) == 1 and " " in whole:
        whole = whole[1:-1].strip()
    whole = re.sub(r",? please[.!]?$", "", whole, flags=I)
    request = _REQUEST.match(whole)
    if request:
        whole = whole[request.end() :].rstrip("?？ ")
    carried = _without_carrier(whole)
    if whole.endswith(("?", "？")) or (carried == whole and _NO_DESCRIPTION.match(whole)):
        return None
    sentences = re.split(r"(?<=[.!。！])\s+(?=\S)|(?<=[。！])", carried)
    described = sentences[:1]
    for sentence in sentences[1:]:
        if _REASON.match(sentence) or sentence.endswith("?") or sentence[:1] in ("(", "（", ""):
            break
        if not _GOES_ON.match(sentence):
            return None
        described.append(sentence)
    shorter = _TAIL.sub("", " ".join(described).strip())
    if re.search(r"[\u3040-\u30ff]", shorter):
        shorter = re.sub(r"を(?:選んで|探して|見つけて|クリックして|取って|指して)ください[。.]?$", "", shorter)
        shorter = re.sub(r"」?と(?:言い|呼び)ます[。.]?$", "", shorter)
        shorter = re.sub(r"(?:です|でございます)[。.]?$", "", shorter)
        shorter = re.sub(r"だ[。.]?$", "", shorter) if carried != whole else shorter
    result = shorter.strip().strip(AROUND).strip()
    result = (result.rstrip(".。!！") if result != whole else re.sub(r"\s+[.。]$", "", result).rstrip("!！")).rstrip(
        AROUND
    )
    return result if _is_description(result) else None


def _without_carrier(text: str) -> str:
    """A text without "It is", "I'd pick", "Please find" at its beginning, one after the other."""
    for _ in range(3):
        shorter = _CARRIER.sub("", text).strip().strip(AROUND).strip()
        if shorter == text or not shorter:
            return text
        text = shorter
    return text


def _is_description(text: str) -> bool:
    """Whether a text can be a description: short, on one line, and about an object rather than about the task."""
    if not text or "\n" in text or len(text) > LONGEST or text[0] in "{[<" or not re.search(r"\w", text):
        return False
    if _NO_DESCRIPTION.match(text) or _BARE_NUMBER.match(text) or _DOUBT.search(text):
        return False
    if (colon := re.search(r"(?<!\d)[:：](?!\d)", text)) and not re.match(
        r"(?:the|an?) \w+$", text[: colon.start()], I
    ):
        return False
    # A name in quotation marks belongs to the description ('the button "Save"'); anything more is an offer or a remark.
    names = [name for name in _QUOTED.findall(text) if len(name.split()) < 4]
    return len(re.findall(r"[\"“”„«»「」]", text)) in (0, 2 * len(names)) and len(names) < 2


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
