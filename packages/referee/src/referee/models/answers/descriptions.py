"""Extracts the one description in an answer, without courtesies, labels, carriers ("It is …"), list numbers and
reasons; two descriptions are none.

The rest must look like a description: a text about the task, the listener or the speaker is unread.
"""

from __future__ import annotations

import re
from typing import Any

from referee.models.answers.clauses import is_supposed
from referee.models.answers.json_objects import find_json, find_objects, value_named
from referee.models.answers.vocabulary import KINDS, PATTERNS, WORDS, any_of, ordinals, words

I = re.IGNORECASE  # noqa: E741
LONGEST, LONGEST_ANSWER = 400, 6_000
KEYS = ("description", "final_description", "target_description", "referring_expression", "expression", "text", "utterance", "phrase", "caption", "final_answer", "answer", "final", "output", "response", "result", "message", "target", "value", "beschreibung", "descripción", "descrição", "beschrijving", "描述", "説明")  # fmt: skip
AROUND = "\"'“”‘’„«»`*_ \t\u00a0\u202f「」『』"

# Words that open an answer, words that say or order what is described, and words that explain it. Nothing that is made of them alone describes an object.
_DISCOURSE = WORDS["discourse"]
_SAYING = WORDS["saying"]
_EXPLAINING = WORDS["explaining"]
_TALK = _DISCOURSE | _SAYING | _EXPLAINING
# Words of talk that also tell objects apart, unless words about language stand beside them.
_DESCRIBING = words("right short shorter shortest long longer high low medium above below new single marked different")
_LANGUAGE = words(
    "description expression phrase answer response output result word words version sentence text sure got confidence see you i all objects others other"
)
# After these the phrase itself may begin.
_ANCHORS = WORDS["anchors"]


# Small words that a phrase may follow only after these, or only before an article of their language.
_SMALL = {
    **dict.fromkeys(
        ("a", "de", "d'", "en", "em"),
        words("refiero hablo parle agit falo falando trata trata-se clic clique sur ao me"),
    ),
    **dict.fromkeys(("think", "guess", "believe"), r"(?:the|an?) "),
    "at": words("look looking point pointing"),
    "with": words("go going"),
    "for": words("look looking search searching ask go opt"),
    "about": words("talking thinking speaking talk how what"),
    "to": words("point pointing refer refers referring"),
    "like": words("something looks"),
    "as": words("it this that them him her described identified known to object target item one recognised recognized"),
    "by": words("described identified"),
    "als": words("es das dies het"),
    "es": r"(?:el|la|los|las|una?) ",
    "é": r"(?:o|a|os|as|uma?) ",
    **dict.fromkeys(("well", "now", "then"), r"(?:the|an?) "),
    **dict.fromkeys(
        words(
            "lol haha tbh ngl imo imho ofc fwiw ugh definitely so um umm uh hmm okay ok actually basically simply honestly perhaps maybe probably obviously hence thus therefore just clearly"
        ),
        r"\w",
    ),
}


def _split_words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?", text.lower().replace("’", "'"))


def _is_talk(text: str, known: frozenset[str] = _TALK) -> bool:
    """Whether a text has words and all of them are known. "The one on the right" describes, "the right answer" does not."""
    spoken = _split_words(text)
    # "The thing at 12-34", "the 3-seater": numbers within words are of the object.
    if not spoken or re.search(r"[\u3040-\u30ff\u4e00-\u9fff]|\d-\w|[^\W\d]-?\d", text):
        return False
    if len(spoken) > 1 and not _DESCRIBING.isdisjoint(spoken) and _LANGUAGE.isdisjoint(spoken):
        return False
    return all(w in known or (w[:2] in ("l'", "d'") and w[2:] in known) or w.rstrip("'") in known for w in spoken)


_DETERMINER = r"(?:the|an?|this|that|these|those|der|die|das|den|dem|ein\w*|le|la|les|une?|el|los|las|una?|o|a|os|as|uma?|de|het|een|l['’])"
# A label introduces the text after it. Weak labels count only if there is no other one.
_LABELS = PATTERNS["labels"]
_WEAK_LABELS = any_of(
    r"(?:your )?target|object|item|referent|speaker|assistant|me|ai|director|you|a|english|deutsch|español|ziel(?:objekt)?|objekt|cible|objet|objetivo|objeto|alvo|doelobject|目标(?:物体)?|対象|话者|話し手"
)
_QUALIFIERS = r"(?:(?:the|my|a|an|one|final|short|concise|possible|good|suitable|best|better|revised|suggested|unique|natural|as|in|full|complete|single|noun|die|eine?|meine|endgültige|kurze|la|ma|une|courte|mi|una|a|minha|uma|de|een|mijn|mein|ma|minha)\s+|我的|私の|最终|最終的な)*"


def _compile_label(nouns: str) -> re.Pattern[str]:
    """Return the pattern of a label with some nouns."""
    return re.compile(
        rf"(?:^|(?<=[.!?])\s+)[#>*_\s-]*(?:(?:so|thus|hence|therefore|finally|overall|in conclusion)[, ]+)?{_QUALIFIERS}({nouns})(?:\s*#?\d{{1,2}}| [A-E]\b)?(?:\s*[(（][^)）\n]{{0,40}}[)）])?"
        r"(?: (?:of|for|to|der|des|de|do|da|van) (?:the |a |das |l['’]|het )?(?:object|target|listener|it|item|partner|objekt|ziel|objet|objeto|doel)[\w\s]{0,20}| lautet| ist| est| es| é| is| would be| could be| wäre| serait| sería| seria)?"
        r"[\"'*_]*\s*(?:[:：=]+>?|[–—-](?=\s)|->|→|(?:is|would be|could be|est|es|é|ist|lautet)\s*(?=[\"“„«「'*])|(?<=[a-zé])[*_]*\n+(?=\s*\S))[*_]*[^\S\n]*",
        I | re.MULTILINE,
    )


_LABEL, _WEAK_LABEL = _compile_label(_LABELS), _compile_label(_WEAK_LABELS)
_COURTESY = re.compile(
    r"^(?:好的|当然可以|当然|没问题|可以|はい|もちろんです|もちろん|承知しました|わかりました(?!が)|了解(?:です|しました)?|例えば|比如|例如|简而言之|总之|也就是说|つまり|要するに|すなわち)\s*(?:[!,.:;\u2026\u3001\u3002\uff01\uff0c\uff1a]+|(?=[「“]))\s*"
)
# Openings of a speaker about the own view or role, and the number of a step.
_FRAME = re.compile(
    r"^(?:lol|tbh|imo|imho|ngl|fwiw)\s+(?=\w)|^tl;?\s?dr\W+|^(?:haha+|in (?:short|summary|brief|conclusion|other words)|(?:more |to be more )?specific(?:ally)?|namely|i\.\s?e\.,?|put differently|to (?:sum up|summari[sz]e|conclude|be (?:precise|exact|clear|sure|brief))|(?:from|in) my (?:perspective|point of view|viewpoint|view|opinion)|this time|at first (?:glance|sight)|(?:hi|hello|hey) there|(?:acting |speaking )?as (?:the|a) (?:speaker|director|describer)|(?:speaking )?to (?:the|my) (?:listener|partner)|if i were (?:the|a) (?:speaker|director)|(?:step|turn|round) \d+"
    r"|(?:of|among|out of|between) (?:the|these|those|all)(?: the)? (?:[\w-]+ )?(?:two|three|four|five|[a-z]+s)(?=,| it['’]s| it is))(?:\s*[,:.!-]+\s*|\s+(?=(?:it['’]s|it is|i['’]d|i would|the|an?)\b))",
    I,
)
# Words before a colon that only announce a description.
_ANNOUNCING = re.compile(
    r"^(?=[^:：\n]{0,160}(?:以下|描述|如下|会说|説明|言い|例えば|例如|比如))[^:：\n\"“„«「]{0,160}(?:[:：]\s*|\s+(?=[\"“„«「]))"
)
_SEEK = r"(?:pick(?: up)?|choose|select|move|find|locate|identify|grab|take|get|fetch|spot|touch|mark|highlight|click(?: on)?|tap(?: on)?|pick out|point (?:(?:them|him|her|you|the listener|my partner) )?(?:to|at|out)|look (?:for|at)|search for|check out|focus on|go (?:for|with)|show me|give me|bring me|hand me|pass me)"
_NAMING = r"(?:say|mean|use|(?:want|need)(?= (?:the|a|an|\w+ with)\b)(?! \w+ (?:list|image|picture|target|description))|suggest|propose|call it|go with|describe (?:it|this|that|him|her|them|the (?:target|object|item|one)) as|refer to (?:it|this|the (?:target|object)) as|(?:looking|searching) (?:for|at)|thinking of|talking about|referring to|describing|pointing (?:to|at)|have in mind)"
_THING = r"(?:targets?|object|item|thing|referent|person|answer|correct one|one)(?: (?:object|item|one))?(?:\s*[(（][^)）]{0,20}[)）])?(?: (?:in|inside|within|with) (?:the|a) (?:\w+ )?(?:frame|box|rectangle|circle|outline|border|highlight))?(?: (?:that )?(?:i|you|we)(?:['’]\w+| am| are| want| have| should| need)?(?: \w+){0,6}?| in question| to (?:find|pick|identify|select))?"
_CARRIER = re.compile(
    "^"
    + any_of(
        r"(?:the|my|an?|one|your)(?: \w+){0,3} (?:description|expression|phrase|answer|way to describe it)(?: (?:of|for) (?:it|the \w+(?: object)?))? (?:is|would be|could be|might be|will be)(?! (?:that|to|not|un\w+|in\w+|too|very|enough|clear))",
        rf"(?:the|my|your) (?:partner|listener|hearer) (?:should|must|has to|needs to|can) {_SEEK}",
        r"(?:(?:gotta|has to|must) be|let['’]s call (?:it|this)|how about|what about|try|(?:dear )?listener,)",
        rf"(?:it|that|this|these|they|he|she|(?:the|my|your) {_THING})(?: (?:can|could|may|might|would|is)(?: best| be| also| easily)* (?:described|identified|referred to|recogni[sz]ed|known) (?:as|by)|['’]s| is| are| would be|['’]d be| must be| has to be)(?! (?:not|un|the only (?:one|object)\b(?! \w)))",
        rf"(?:i|you|we)(?:['’](?:d|ll|m|re|ve)| would| will| am| are| can| could| should| might| may| want you to| need you to| need to| have to| would like you to|['’]d like you to)*(?: (?:simply|just|probably|also))? (?:{_NAMING}|{_SEEK})",
        rf"(?:i['’]?d |i would |just |please )?tell (?:them|the listener|her|him|your partner)(?: to {_SEEK})?",
        rf"(?:please |now |just |kindly )*{_SEEK}(?! (?:out|it|me|one of)\b)(?=\s+\w)",
        r"(?:es|das|dies|gemeint|gesucht)(?: ist|ist)|(?:das|mein) (?:ziel|objekt|zielobjekt|gesuchte objekt) ist|es handelt sich um|ich (?:würde sagen|meine|suche|beschreibe es als|nehme)|(?:bitte )?(?:wähle?n?(?: sie)?|nimm|nehmen sie|suche?n?(?: sie)?|finden?(?: sie)?|klicken?(?: sie)? auf|zeige?n?(?: sie)? auf)(?=\s+(?:der|die|das|den|dem|einen?|ein)\b)",
        r"c['’]est|ce serait|il s['’]agit (?:de(?= )|d['’])|l['’]objet(?: (?:cible|recherché|visé|en question))? est|la cible est|je (?:dirais|décrirais|parle de|pense à|cherche|choisis|veux dire)|(?:choisi(?:ssez|s)|prene?z|prends|cherchez?|trouvez?|sélectionnez?|cliquez? sur|regardez?)(?=\s)",
        r"(?:es|sería|se trata de|el objet(?:o|ivo)(?: \w+)? es|yo diría|diría|me refiero a|(?:elige|elija|escoge|escoja|seleccion[ae]|busca|busque|encuentra|encuentre|toma|haz clic en|mira))(?= (?:el|la|un|una|los|las)\b)",
        r"(?:é|seria|trata-se de|o (?:objeto|alvo)(?: \w+)? é|eu diria|refiro-me a|(?:escolha|selecione|procure|encontre|pegue|clique em|olhe para))(?= (?:o|a|um|uma|os|as)\b)",
        r"(?:het|dit|dat|het (?:doel|doelobject|object)) is|het gaat om|ik (?:zou zeggen|bedoel|zoek|kies)|(?:kies|neem|pak|zoek|vind|selecteer|klik op|kijk naar)(?=\s+(?:de|het|een)\b)",
        r"(?:目标物体|目标|它|这个物体|这|那|物体|答案)?(?:就)?是|指的是|我(?:说的|指的)是|我会说|请?(?:选择|选|找到|找出|点击|指向)|(?:答え|正解|説明|ターゲット)は|対象物?は|それは|これは|目標(?:物)?は",
    )
    + r"(?: (?:simplement|einfach|simplemente|simplesmente|gewoon|just|simply))?(?:\s*[:：,]\s*|\s+|(?<=[是は说择选到出击向]))",
    I,
)
# An introduction before the phrase, up to a comma, about the picture, the others, or the aim.
_ADVERBIAL = re.compile(
    r"^(?:in|given|based on|compared (?:to|with)|considering|looking at|among|of|from|to|for|with|since|as|unlike|im|in|dans|en|na|no|auf|parmi|entre|von)\b[^,:.]{0,60}?\b(?:scene|image|picture|photo|list|objects|others?|context|listener|display|it out|ambiguity|options|rest|partner|bild|szene|liste|objekten|l['’]image|scène|objets|imagen|escena|objetos|imagem|cena|afbeelding)\b[^,:.]{0,30}[,:]\s*",
    I,
)
_REQUEST = re.compile(
    rf"(?:can|could|would|will) you (?:please )?(?:get|bring|give|hand|pass|find|show) me (?=(?:the|an?) )|(?:how|what) about[\s:\"“]+(?=(?:the|an?) )|(?:can|could|would|will) you (?:please )?(?={_SEEK} (?:the|a|an)\b)|(?:can|do) you see (?=(?:the|an?) )",
    I,
)
_REASON = re.compile(
    r"^[\s(*_\[>—–-]*"
    + any_of(
        r"this\b|that(?:['’]s| is| should| way| singles| distinguish\w*| makes| would| will)|these\b|it(?:['’]s|\b)(?= (?:is )?(?:the only|unique|uniquely|distinguish|identif|singles|clearly|should|avoids|mentions|uses|allows|works|helps|would|can))|why\b|key (?:features?|points?)|justification",
        r"distractors?\b|(?:short|concise|clear|simple|brief)(?:,| and\b| but\b| enough)|explanation|reason(?:ing|s)?\b|because|note\b|since\b|rationale|(?:the )?listener|as (?:it|no|all|there|the)\b|if (?:you|more|the)\b|just (?:ask|let)|(?:distinguishing |key )?features?\b|confidence\b|attributes?\b|length\b|you(?:['’]\w+)?\b|thank|with (?:this|that)\b|in (?:this|that|the) (?:scene|picture|image)\b|i\b|unambiguous",
        r"i (?:chose|used|included|mention|added|avoided|picked|left|focused|opted|kept|did)|let me know|hope (?:this|that)|i hope|feel free|would you|do you|is there|does this|word count|\(?\d+ words|---+|\*\*\*",
        r"the (?:description|combination|colou?r|type|other(?:s| \w+)|words?|position|rest|distractors?|attributes?|size)\b.{0,60}\b(?:distinguish\w*|unique\w*|identif\w*|single\w*|set|differ\w*|are|look|would|is|alone|suffices?)\b",
        r"(?:no|none|nothing|all|every)(?: of)?(?: the)? (?:other|else)|everything|others?\b|here,|no (?:further|more|additional|need|two|object|other)|only (?:one|this)|the only (?:one|object)|unique|there(?: is| are|['’]s)\b|(?:the )?others\b|alle anderen|die anderen|nobody else",
        r"diese beschreibung|das (?:reicht|unterscheidet|ist eindeutig)|denn|weil|begründung|erklärung|kein anderes|nur (?:dieses|dieser|diese)|damit|grund\b",
        r"cette description|car\b(?= (?:les? |la |l['’]|ils? |elles? |aucun|c['’]|tou[st]|seule? |rien |ce |deux ))|parce que|explication|c['’]est (?:le seul|la seule)|aucune? autre|raison\b|justification|les autres",
        r"esta descripción|porque|explicación|es (?:el único|la única)|ningún otro|razón|los demás|los otros|esta descrição|explicação|é (?:o único|a única)|nenhum outro|razão|justificativa|os outros|motivo\b",
        r"deze beschrijving|omdat|want\b(?= (?:de|het|er|alle|dit|dat|geen|een|ik|die))|uitleg|geen ander|reden|de andere|het is (?:de|het) enige",
        r"这(?:个|样|是|一)|因为|理由|说明|解释|原因|其他|この(?:説明|記述)|なぜなら|理由|他[のは]|説明",
    ),
    I,
)
_THOUGHT = re.compile(
    r"[\s*_#>-]*(?:reason|reasoning|thoughts?|analysis|explanation|rationale|step \d+|q|question)\b[*_]*\s*[:：]", I
)
# A line about the scene before the description.
_PREMISE = re.compile(
    r"[\s*_#>-]*(?:there (?:is|are)\b|(?:the )?others? \w+|all (?:the )?other|two (?:of the )?\w+ (?:are|look|have)|(?:type|colou?r|size|position|orientation|reason)\s*[:：])(?!.*[\"“„«「])",
    I,
)
# Where a phrase may end: before a bracket, a dash, a semicolon, a colon, a further sentence, or a word that gives a reason.
_BREAK = re.compile(
    r"(?<=[.!。！])\s+(?=\S)|(?<=[。！])(?=\S)|\s*[;；]\s*|\s+(?:--|[—–-]|//|=>|<-|#|\|)\s+|(?<=[^\d\s])\s?[:：]\s+|\s*(?=[(（\[])|\s*[,，、]\s*(?=因为|因此|其他|なぜなら|その他)"
    r"|(?:\s*,\s*|\s+)(?=(?:because|since|weil|denn|car(?= (?:les? |la |l['’]|ils? |elles? |aucun|c['’]|tou[st]|seule? |rien |ce |deux ))|parce qu\w*|porque|omdat|want(?= (?:de|het|er|alle|dit|dat|geen|een|ik|die)\b)|aangezien|puisque|ya que|pois|já que|whereas|unlike)\b)"
    r"|\s+(?=as (?:the|all|no) (?:others?|rest|remaining|chairs|objects)\b)"
    r"|\s*,\s*(?=(?:as (?:it|no|there|the)|so (?:it|you|that)|which (?:is|makes|sets|distinguish\w*) (?:it|the only|unique)|the only one|while|da|the others)\b)",
    I,
)
# Words of a reason: it compares the object with the others, speaks of the words themselves, or to the listener.
_COMPARES = re.compile(
    r"\b(?:other\w*|only|unique\w*|distinct\w*|distinguish\w*|distractors?|ones|differ\w*|identif\w*|singl\w*|ambigu\w*|unambigu\w*|rest|remaining|else|confus\w*|enough|suffic\w*|alone|words?|describ\w+|description|listener|hope|matches|because|since|unlike|whereas|object|target|number|nothing|nobody|none|no|all|every)\b"
    r"|\b(?:ander\w*|einzig\w*|eindeutig\w*|unterscheid\w*|weil|denn|autres?|seule?s?|unique\w*|disting\w*|car(?= (?:les? |la |l['’]|ils? |elles? |aucun|c['’]|tou[st]|seule? |rien |ce |deux ))|otr[oa]s?|demás|únic[oa]s?|porque|outr[oa]s?|pois|enige|omdat|want|onderscheid\w*|alle|toutes?|tous|tod[oa]s)\b|其他|唯一|只有|区别|因为|他の|他は|唯一|だけ|区別|#\d|[(\[]\d",
    I,
)
# A sentence that goes on about the object: "The red cup. It is next to the plate."
_PRONOUN = r"(?:it|he|she|they|es|er|sie|il|elle|ela|ele|het|hij)\b"
_SECOND_SENTENCE = re.compile(rf"(?<=\w[.!])\s+{_PRONOUN}.*", I)
# A verb that makes a clause of words: a phrase has one only after a word that opens a relative clause.
_FINITE = re.compile(
    r"\b(?:(?:is|are|was|were|does|do|did|has|have|had|(?<!\ba )(?<!\bthe )can(?!\W*$)|could|should|would|will|shall|may|might|must)(?:n['’]t)?|it['’]s|can['’]t|cannot|won['’]t|there['’]s|(?:i|you|we|they|he|she)['’]\w+|shows?|depicts?|contains?|seems?|appears?|means|refers?|describes?|identifies|distinguishes|works|needs?|depends?|differs?|distinguishes|distinguish|violates?|occurs?|occurred|varies|vary|shares|lacks|requires?|exists?|consists|belongs|matters|suffices?|helps|allows|blocked)\b"
    r"|\b(?:ist|sind|haben|kann|könnte|zeigt|gibt|passt|bezieht|unterscheide[nt]|fehlt|distingue|diffère|difiere|difere|verschilt|onderscheidt|est|sont|ont|peut|doit|montre|désigne|está|están|hay|tiene|puede|muestra|são|tem|pode|há|mostra|heeft|toont)\b",
    I,
)
_RELATIVE = re.compile(
    r"\b(?:that|which|who|whose|whom|where|what|as|than|qui|que|quien|dont|où|donde|onde|cuyo|cuya|welche\w*|wo|dessen|deren|dat|waar|wie|al)\b|, (?:der|die|das|den|dem)\b",
    I,
)
_TASK = r"(?:image|picture|photo|scene|screenshot|list|description|expression|object|target|item|referent|task|question|prompt|text|answer|listener|speaker|input|message|request|information|instruction)s?"
# "The object" may be modified further, but a statement about it is excluded.
_OF_TASK = re.compile(
    rf"(?:the|this|that|your|an?|my|no)\s+(?:(?:target|given|provided|described|intended|correct)\s+)?{_TASK}\s+"
    r"(?:(?:is|are|was|were|has|have|had|does|do|did|can|could|should|would|will|may|might|must|shows?|depicts?|contains?|seems?|appears?|means|refers?|needs?|differs?|stands?|looks?|lacks?|mentions?|says|belongs?|uses?|itself|alone|above|below|provided|given|attached|not|you|i|we|to (?:be|describe|identify)|in (?:the|your|this) (?:list|image|picture|scene|question|context))\b|cannot|\w+n['’]t\b|(?:number|index|#)\s*\d)",
    I,
)
_TASK_NOUN = re.compile(
    r"(?:l['’]|la |le |a |o |de |das |die |der |el |het )(?:image|imagen|imagem|afbeelding|bild|liste|lista|lijst|cible|objetivo|alvo|doel|ziel|tarea|tarefa|taak|aufgabe|tâche)\b"
    r"|(?:all|both|some|none|most|many|each|several) of (?:them|these|those|the objects)\b",
    I,
)
_BEFORE_ARTICLES = WORDS["before_articles"]
# Beginnings of remarks on the task or to the listener, and whole answers without a description.
_NO_DESCRIPTION = re.compile(
    any_of(
        rf"{PATTERNS['unknown']}(?:,? (?:sorry|tbh|honestly|lol))?\W*$",
        r"(?:n/?a|none|null|nil|unknown|unclear|nothing|tbd|-+|\.+|no|yes|ok(?:ay)?|sure|empty|undefined|thanks?|thank you|done|ready|hello|hi|number \w+|unsure|无|無|なし\W*)\W*$",
        r"(?:send|provide|upload|share|lorem|sorry|but|i|i['’]\w+|you|your|we|my|please|kindly|which|who|where|how|why|when|should|shall|let|thank|thanks|hello|hi|hey|welcome|either|or|whether|it|they|he|she|maybe|perhaps|there|here|describe|describing|nothing|impossible|insufficient|error|undefined|missing|unable|unclear|as|per|depends|both (?:are|is|of)|all (?:are|is)|neither|good|great|excellent|interesting|more|further|let['’]s|assuming|assume|based|given|unfortunately|not (?:enough|possible|sure|applicable|available|provided|known|specified|given|clear))\b(?! (?:like|looking)\b)",
        r"what(?! (?:looks|seems|appears|resembles|is|was)\b)|(?:no|not any|without) (?:\w+ )?(?:descriptions?|targets?|objects?|informations?|answer|such|images?|pictures?|photo|input|list|scene|text|response|comment|further|specific|unique|clear|distinguishing|valid|matching|match)\b|none of\b|(?:target|image|description|object|list|input)s? (?:not|un|missing|is|are|was)",
        r"(?:(?:an? |\d+ )?(?:\w+ ){0,2}(?:error|exception|time-?out)(?: \d+| occurred| while\b.*)?|loading|todo|to be (?:continued|determined|defined|announced)|ditto|idem|see (?:attached|above|below)|attached|as (?:before|above)|see above|content \w+|pass|skip|continue|stop|traceback.*)\W*$",
        r"(?:ich|wir|keine?[nrs]?|welche[srn]?|bitte|unklar|unbekannt|nicht|leider|es|das (?:bild|ziel|objekt) (?:ist|fehlt|wurde))\b",
        r"(?:je|quel(?:le)?s?|pas|aucune?|pourriez|veuillez|impossible|inconnue?|il|merci|pouvez|désolée?|nous)\b|j['’]",
        r"¿|(?:no (?:hay|se|sé|puedo|veo|es|está|tengo|existe|entiendo|lo|me|encuentro|dispongo|reconozco|conozco|dispone)|qué|cuál|podrías|por favor|ningun[oa]?|ningún|desconocid[oa]|gracias|hay|lo siento)\b|(?:não|qual|poderia|nenhuma?|desconhecid[oa]|obrigad[oa]|eu|há)\b",
        r"(?:ik|geef|welke?|geen|kun je|kunt u|onbekend|onduidelijk|bedankt|er)\b|[我你您]|无法|不能|请|哪(?:个|一)|没有(?!.*的[^。]+)|需要|不明|未知|谢谢|不知道|不清楚|抱歉",
        r"(?:どの|どれ|どちら|何を)|わかりません|分かりません|不明|必要|教えて|該当|ありがとう|申し訳|(?:画像|写真|图片|图像)(?:が|は|没|不|缺)",
    ),
    I,
)
# Signs of other content than a phrase: conversation partners, the task, alternatives, markup.
_DOUBT = re.compile(
    r"(?:^|[,;.:!?] )(?i:(?:so|and|but|because|as|since) )?(?i:i|you|we)\b|\b(?i:(?:given|provided|available) (?:information|data|context|details)|your (?:message|request|input|question|prompt|description|list|image)|(?:tell|give|show|let|help) (?:me|us)|thank you|please|descriptions?|referring|listener|distractors?|target (?:object|is)|noun phrase|instructions?|guidelines|json|coordinates|prompts?|the user|reference game)\b"
    r"|\b(?i:(?:not|un)(?: |)(?:provided|specified|attached|uploaded|available|clear|defined|given)|is missing)\b|(?i:\b(?:object|item|objekt|objet|objeto) #?\d|(?:^|\b(?:the|object|item|target|option|is) )number #?\d+(?! [^\W\d])|\b(?:with|at|has|having) (?:the )?(?:index|id|position|no\.) #?\d|\b(?:with|at|has|having) (?:the )?number #?\d+\W*$|\b(?:either|both) works?\b)|\b(?i:ich|je|vous|ik|eu|yo)\b|[我您请]|必要|情報|信息|需要|ください|ますか|ません"
    r"|(?i:\beither\b.*\bor\b|\bor,? (?:the|an?|maybe|perhaps|alternatively|simply|just)\b|\b(?:oder|alternatively|ofwel)\b|\b(?:ou (?:les?|la|l['’]|une?|o|a|uma?)|o (?:el|la|una?)|of (?:de|het|een))\b)|\w \w+ / \w+ \w|//|=>|->|→|[{}|\\<>]|\?(?=\s)"
)
_BARE_NUMBER = re.compile(
    rf"(?:the )?(?:target (?:object )?is |it is |it['’]s )?(?:(?:the|das|der|die|l['’]|le|el|o|het) ?)?(?:{KINDS}\s*)?(?:number |no\.? |#|numéro |número |nummer )?[#(]?\d{{1,3}}[).号番]?\W*$|(?:option|object|item|choice) [a-e]\W*$"
    r"|(?:the |a )?(?:marked |highlighted |described |given |target )?(?:target|object|image|picture|description|list|thing|item|text)s?\W*$"
    rf"|(?:the |das |der |die |le |la |el |o |het |de )?{any_of(*(word for word, _ in ordinals()))} (?:object|item|option|objekt|objet|objeto|one)\W*$|第\S{{1,2}}个(?:物体)?\W*$",
    I,
)
# "(object 4)" names the object again.
_NUMBERED = re.compile(rf"[(（\[]\W*(?:{KINDS}\s*)?#?\d{{1,3}}[)）\]]\W*$", I)
_QUOTED = re.compile(r"[\"“„«「]\s*([^\"“”„«»「」\n]{2,}?)\s*[\"”“»」]")
# Words that end the clause before a quotation, and words that reject a quoted phrase in the clause before or after it.
_CLAUSE_END = re.compile(
    r"[,;:.!?\n()→]|\s[–—-]+\s|\b(?:but|so|hence|therefore|sondern|also|daher|mais|donc|sino|así que|mas|portanto|maar|dus)\b",
    I,
)
_REJECTED_BEFORE = re.compile(
    r"\b(?:not|cannot|never|nicht|pas|niet|não|no|avoid\w*|instead of|rather than|statt|confus\w+|mistake\w*|unlike|than|initially|originally|draft|bad|wrong|if|whether|also|wanted to|was going to|consider\w*|thought of|tempt\w*|either|without|wenn|previous|last|earlier|example|beispiel|exemple|ejemplo|exemplo|voorbeeld)\b|n['’]t\b",
    I,
)
_REJECTED_AFTER = re.compile(
    r"\b(?:not|never|nicht|pas|niet|não|no|too|ambiguous|insufficient|incorrect|wrong|vague|alone|by itself|on its own|could|might|may|also|both|two|several|fails?|either|confus\w+|mehrdeutig|ambigu\w*|zu)\b|n['’]t\b",
    I,
)
_ABOUT_WORDS = re.compile(
    r"\b(?:description|expression|phrase|answer|beschreibung|ausdruck|expresión|descripción|descrição|expressão|beschrijving)\b",
    I,
)
_SAYS = re.compile(
    r"\b(?:i|we|you|ich|je|yo|eu|ik|man (?:könnte|kann|würde|sagt)|on (?:pourrait|dirait|peut|dit)|listener|partner)\b(?:['’]\w+)?(?: (?!see|notice|saw|avoid)\w+){0,6}[\s:]*$|(?:描述|说|是|は|説明|\b(?:description|expression|phrase|answer|is|as|say|call it|use|try|gives|becomes|yields|get))[\s:：,]*$",
    I,
)
_ASIDE = re.compile(r"[(\[（].*[)\]）][.。]?")
# "The big table (not the small one)".
_RESTRICTION = re.compile(r"[(\[（](?:and )?(?:not|nicht|pas|niet|não|no (?:el|la|los|las)|不是)[^)\]）]*[)\]）]\W*", I)
_BULLET = re.compile(
    r"^\s*(?:[-*•–~]\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+|(?:no\.? ?|#)?\d{1,2}\s*:\s+|option [a-e\d]\s*:\s*)", I
)
_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{(?:\\(?:text|mathrm|textbf)\s*\{)?([^{}]+)\}")
_TEXT = re.compile(r"^\$*\\(?:text|mathrm|textbf|textit)\s*\{([^{}]+)\}\$*$")


def parse_description(text: str) -> str | None:
    """The words of the one description, or None."""
    text = re.sub(r"~~[^~\n]+~~", " ", text[-LONGEST_ANSWER:]).strip()
    fenced = [part.strip() for part in _FENCED.findall(text) if part.strip()]
    if len(fenced) == 1:
        text = fenced[0]
    if "{" in text and (data := find_json(text)) is not None:
        value = value_named(data, *KEYS)
        if isinstance(value, dict):
            value = value_named(value, *KEYS)
        return _check_phrase(value) if isinstance(value, str) else None
    if text.startswith("[") and (listed := next(find_objects(text, "["), None)) is not None:
        return _check_phrase(listed[0]) if len(listed) == 1 and isinstance(listed[0], str) else None
    boxed = _BOXED.findall(text)
    wrapped = _TEXT.match(text)
    if boxed or wrapped:
        return _check_phrase(boxed[-1] if boxed else wrapped[1] if wrapped else "")
    if _WORD.fullmatch(text.strip(AROUND + ".!")):
        return _check_phrase(text)
    return _parse_lines(_skip_label(text))


def _skip_label(text: str) -> str:
    """Return the text after the last label ("Description:", "Final answer:"), or the whole text without one."""
    labels = [*_WEAK_LABEL.finditer(text), *_LABEL.finditer(text)]
    for label in reversed(labels):
        rest = text[label.end() :]
        first = next((line for line in rest.splitlines() if line.strip(AROUND + "-#>")), "")
        if first and not _REASON.match(first) and not _BARE_NUMBER.match(first.strip(AROUND)):
            same = [other for other in labels if other[1].lower() == label[1].lower()]
            # Two descriptions under one label are an offer of two.
            return rest if len(same) < 2 or (label.re is _WEAK_LABEL and not re.search(r"\d", label[0])) else ""
    return "" if labels and not text[: min(label.start() for label in labels)].strip() else text


def _parse_lines(text: str) -> str | None:
    """Return the description in an answer of several lines; None if there is not exactly one."""
    *premises, last = re.split(r"\n\s*\n", text.strip())
    # Sentences about the scene, and then a phrase set apart.
    if (
        premises
        and all(
            line.rstrip("*_ ").endswith((".", ":", "!", "。")) and _FINITE.search(line) and not _QUOTED.search(line)
            for part in premises
            for line in part.splitlines()
        )
        and re.match(rf"\W*{_DETERMINER}\s|[*_\"“„«「]+\w", last, I)
        and "\n" not in last
        and not _REASON.match(last)
    ):
        text = last
    lines = [
        line.strip() for line in text.splitlines() if re.search(r"\w", line) or line.rstrip().endswith(("?", "？"))
    ]
    while len(lines) > 1 and (_THOUGHT.match(lines[0]) or _PREMISE.match(lines[0])):
        del lines[0]
    described: list[str] = []
    for line in lines:
        if described and (
            _REASON.match(line) or _ASIDE.fullmatch(line) or _is_talk(line) or line.endswith(("?", "？"))
        ):
            break
        if not described and _is_talk(line):
            continue
        if described and re.match(_PRONOUN, line, I):
            described[-1] = f"{described[-1].rstrip('.')}. {line}"
            continue
        quoted = _find_quoted(line)
        if quoted is None:
            return None
        line = _strip_opening(line) if quoted == line else quoted
        if line.strip(AROUND) and not (not described and line.endswith((":", "："))):
            described.append(line)
    if len({line.casefold() for line in described}) != 1:
        return None
    line = described[0]
    # Several lines of a list, or several quotations, are an offer of several descriptions.
    if _BULLET.match(line) and len(lines) > 2:
        return None
    return _check_phrase(_BULLET.sub("", line))


_CONCLUDING = r"(?:so|thus|hence|therefore|then|i(?:['’]d| would|['’]ll)|you (?:could|can)|let['’]s|my|a good|the best|also|donc|así que|portanto|dus)\b"
_SO = r"(?:so|therefore|thus|hence|daher|deshalb|also|donc|así que|portanto|dus)\b[\s,:]*"
_OPENS_PHRASE = re.compile(
    r"(?:the|an?|der|die|das|den|le|la|l['’]|el|o|de|het) (?!(?:colou?r|size|type|shape|position|location|description|answer|target)\b)|(?:i['’]d|i would|i['’]ll|i|we can|you can) (?:simply |just )?(?:say|call|go with|use|describe|choose|pick)\b|[\"“„«「]",
    I,
)
# A name of a property before a colon: "Colour: red" lists, it does not describe.
_PROPERTIES = r"(?:colou?r|height|width|size|type|shape|position|location|orientation|material|category|class|name|attributes?|propert(?:y|ies)|features?|farbe|größe|typ|couleur|taille|color|tamaño|cor|tamanho|kleur|grootte)s?"
_PROPERTY = re.compile(
    rf"\W*(?:(?:first|second|third|final)\w*,? )?(?:the |its |their |die |la |le |el |a |o |de )?{_PROPERTIES}\W*$", I
)
# "The height and colour (of it)" speaks of properties, "the colour of the sky" may describe one.
_OF_PROPERTY = re.compile(
    rf"(?:(?:the|its|their|die|la|le|el|a|o|de|het) )?{_PROPERTIES}(?:,| and\b| or\b| ?[+&/=:]|\W*$)", I
)
_SUBORDINATE = r"(?:since|because|as|given|based|compared|unlike|among|for|if|with|considering|to|in|while|although|here|from|of|da|weil|um|comme|pour|como|para|omdat|om)\b"
_OFFERS = re.compile(
    r"(?<!you )\b(?:are|propert\w+|attributes|features|list|objects|descriptions|expressions|phrases|options|either|items|candidates|ways|several|some|two|three|both|sind|objekte|sont|objets|son|são|objetos|zijn|objecten)\b",
    I,
)
# Labels of what is not the description.
_OTHER_LABEL = re.compile(
    r"\d|\b(?:not|no|n['’]t|wrong|bad|avoid\w*|draft|option|options|other\w*|alternativ\w*|example|e\.g|distractors?|first|second|initial\w*|previous\w*|instead|scene|picture|image|list|objects|candidates|see|reason\w*|because|only|unlike|landmark|relatum|[a-e]|or|oder|ou|some|several|two|three|descriptions|expressions|phrases|ways|task|question|goal|instructions?)\b|n['’]t\b|[.;!?\n]",
    I,
)
_LEAD = re.compile(r"\s*(?:[,;.!…]+|:|：)(?=[\s\"“„«「'*_])\s*|\s+(?:[–—-]+|->|=>|→|=)\s+|\s+(?=[\"“„«「])")


def _strip_opening(line: str) -> str:
    """A line without courtesies and announcements.

    Each may bring the next to light: "Sure! Here is a description: …".
    """
    line = line.strip()
    while True:
        shorter = re.sub(r"^(?:[^\w\s\"'“”‘’„«»「」『』(\[<{*_`#.…?¿¡$~-]\W*|[>#]+\s*|->\s*)+", "", line)
        shorter = _LABEL.sub("", _ANNOUNCING.sub("", _FRAME.sub("", _COURTESY.sub("", shorter)))).strip()
        for lead in _LEAD.finditer(shorter[:240]):
            before = shorter[: lead.start()]
            if re.fullmatch(_DETERMINER, before, I) or _PROPERTY.match(before):
                break
            # A quotation within a phrase: 'the word "stop" on the wall'.
            if not lead[0].strip() and not _QUOTED.fullmatch(shorter[lead.end() :].strip(" .!")):
                break
            if (
                not _OFFERS.search(before)
                and _is_talk(before, _TALK if re.search(r"[:：.!=>–—-]|^\s+$", lead[0]) else _DISCOURSE)
                and shorter[lead.end() :].strip(AROUND)
            ):
                shorter = shorter[lead.end() :].strip()
                break
            rest = shorter[lead.end() :].strip()
            if re.search(r"\b(?:so|hence|thus|therefore|then|say)$", before, I) and ":" in lead[0]:
                shorter = rest
                break
            # An unknown label of something that begins like a phrase: "For clarity: the red chair".
            if (
                re.search("[:：]", lead[0])
                and len(before.split()) < 10
                and not re.match(_DETERMINER + r" \w+$", before, I)
                and not _OTHER_LABEL.search(before)
                and not _FINITE.search(rest)
                and re.match(
                    rf"(?!{_DETERMINER} (?:\w+ )?(?:{_PROPERTIES}|one)\W*$){_DETERMINER}\s\w|[\"“„«「]", rest, I
                )
            ):
                shorter = rest
                break
            if (
                re.search("[,;]", lead[0])
                and _FINITE.search(before)
                and (so := re.match(_SO, rest, I))
                and not _is_talk(rest)
                and _OPENS_PHRASE.match(rest, so.end())
            ):
                shorter = rest[so.end() :]
                break
            if "." in lead[0] and _FINITE.search(before) and re.match(_CONCLUDING, rest, I) and not _is_talk(rest):
                shorter = rest
                break
            if (
                re.match(_SUBORDINATE, shorter, I)
                and "," in lead[0]
                and (rest[:1] in '"“„«「' or _find_end_of_saying(rest))
            ):
                shorter = rest
                break
            if not re.fullmatch(r"\s*[,;]\s*", lead[0]) and not ("." in lead[0] and _FINITE.search(before)):
                break
        if shorter == line:
            return line
        line = shorter


def _find_quoted(line: str) -> str | None:
    """Return the quoted phrase of a line that says it, or the line itself where it says none.

    "" where the line rejects its quotations, None where it says several.
    """
    says: dict[str, str] = {}
    is_rejected, is_part = False, False
    quotes = list(_QUOTED.finditer(line))
    for i, quote in enumerate(quotes):
        before = line[quotes[i - 1].end() if i else 0 : quote.start()]
        after = line[quote.end() : quotes[i + 1].start() if i + 1 < len(quotes) else len(line)]
        clause = _CLAUSE_END.split(before.rstrip(" :：,"))[-1].strip(AROUND + "/|>-")
        following = re.split(
            r"[,;:.!?()\n]|\b(?:because|since|as|so|which|and|but)\b", after.lstrip(AROUND + "("), flags=I
        )[0]
        is_phrase = len(quote[1].split()) > 1 or re.search(r"[\u3040-\u30ff\u4e00-\u9fff]{3}", quote[1])
        if i and re.fullmatch(r"\W*(?:and|or|und|oder|et|ou|y|o|e|en|of)?\W*", before, I):
            # "A" or "B": both, or neither, is said.
            if is_part:
                continue
            says |= {quotes[i - 1][1].casefold(): quotes[i - 1][1]}
        is_part = not (is_phrase or (not clause and not following.strip()) or _SAYS.search(clause)) or bool(
            clause
            and not (
                _SAYS.search(clause)
                or _is_talk(clause)
                or (_ABOUT_WORDS.search(clause) and before.rstrip()[-1:] in ":：")
            )
        )
        is_announced = before.rstrip().endswith((":", "：")) and not following.strip()
        if is_phrase and not is_announced and is_supposed(re.split(r"[.!?\n]\s", before)[-1]):
            is_rejected = True
            continue
        if is_part:
            continue
        # Behind an unknown word the quotation is part of a phrase: 'the "Name" field', '"Exit" sign'.
        if re.search(r"(?:^|\s)(?:the|an?|der|die|das|den|le|la|el|o|de|het)$", clause, I) or (
            not clause and following.strip() and not _is_talk(following) and not _FINITE.search(following)
        ):
            continue
        is_asked = after.lstrip(AROUND)[:1] in ("?", "？") and not clause.lower().endswith("about")
        if is_asked or _REJECTED_BEFORE.search(clause) or _REJECTED_AFTER.search(following):
            is_rejected = True
        else:
            says.setdefault(quote[1].casefold(), quote[1])
    is_question = line.rstrip(" \"'”»").endswith("?") and re.search(
        r"(?:^|[?.] )\W*(?:(?:or|but|and) )?(?:would|do|does|did|is|are|shall|should|may|might)(?:n['’]t)?\b", line, I
    )
    if is_question and (says or is_rejected):
        return ""
    if says:
        return next(iter(says.values())) if len(says) == 1 else None
    return "" if is_rejected else line


# A statement about all or several objects, and a phrase of which something is stated.
_OF_ALL = re.compile(
    r"(?:only |at least |exactly |just )?(?:(?:they|all|both|one of|each|every\w*|none|some|most|many|several|two|three|four)(?: (?:of )?(?:them|these|those|the \w+|objects|chairs|items))?) (?:are|is|look|have|has|share)\b"
    r"|i (?:can )?(?:see|count|notice) (?:\w+ )?\w+s\W*$"
    r"|(?:okay,? |well,? |so,? )?(?:let me|let['’]s (?:look|see|think|consider|check|start))\b|(?:you|they|the user) (?:asked|told|want(?:s|ed)? (?:me|a \w+ of))\b|i (?:was|am|have been|['’]ve been) (?:told|asked|supposed|given)\b|i['’]m (?:told|asked|supposed|given)\b",
    I,
)
_STATED = re.compile(
    r"((?:the|an?) [^.;:!?\n]{2,80}?) (?:is|are|would be) (?:the ones?(?=\W*$)|the (?:targets?|referents?|target objects?|intended objects?)|what (?:i|you) (?:mean|want|am looking for|describe)|(?:the|a|my) (?:\w+ )?(?:description|expression|phrase|answer)|(?:enough|sufficient|unambiguous|unique))\b[^\n\"]*$",
    I,
)
# What a speaker says last about the own words.
_COMMENT = re.compile(
    r"(?<=\w)[\s,(–—-]+(?:i (?:think|guess|believe|suppose|reckon|would say|mean)|i['’]d say|lol|tbh|ngl|imh?o|ofc|obv(?:iously|s)?|of course|haha+|hehe|(?:i )?hope (?:that|this) helps|if (?:that|this) helps|thanks|thank you|good luck|for sure|probably|glaube ich|denke ich|je pense|je crois|creo|acho|denk ik)[).!\s]*$",
    I,
)
_CORRECTION = re.compile(
    r"(?:[.…!?,;]+|\s[–—-]+|\n+|\s\()\s*(?:(?:hmm+|oh|uh|um|no|well|ah|oops|nein|non|nee)[\s,.!…-]+)*(?:(?:no )?wait|hold on|sorry|scratch that|strike that|i mean(?:t)?|or rather|correction|make that|or more (?:precisely|exactly|specifically)|my mistake|let me (?:correct|rephrase|revise|fix|try again)[^.:\n]{0,20}|on second thoughts?|better|moment|pardon|perdón|corrección)(?:[\s,.:!…)–—-]+|$)"
    r"|(?:,|\s[–—-]+)\s*no,\s+|(?:\.\.\.|…)\s*(?:no|er+|um+|uh+|nein|non|nee)[,.]?\s+|[\"”»)]\s*(?:→|->|=>)\s*"
    r"|(?:[.…!?]+|\s[–—-]+|\n+)\s*(?:(?:hmm+|oh|uh|um|no|well|ah|oops)[\s,.!…]+)*(?:actually|rather|instead|hmm+|eigentlich|en fait|en realidad|na verdade|eigenlijk)[\s,.:!…–—-]+(?:make (?:that|it) |say )?",
    I,
)


def _find_corrected(text: str) -> str:
    """Return the text after the last correction of it: "the chair, sorry, the red chair"."""
    corrections = list(_CORRECTION.finditer(text))
    for last in reversed(corrections):
        if _split_words(text[: last.start()]) and _split_words(text[last.end() :]) and not _is_talk(text[last.end() :]):
            return re.sub(r"^(?:make (?:that|it)|say) ", "", text[last.end() :], flags=I)
    return text


_WORD = re.compile(r"(?:(?![\u3040-\u30ff\u4e00-\u9fff])[^\W\d_])+(?:['’-][^\W\d_]+)*")
# Single words that are descriptions although they are words of talk, too.
_DESCRIBING_ALONE = _DESCRIBING | words(
    "same him her them this that other another first second third nun plain unique one person"
)


def _is_word_description(word: str) -> bool:
    """Whether an answer of one word is a description: any word but those of talk, and any letter but "y" and "n"."""
    if len(word) == 1:
        return word not in "yYnN"
    no_words = (_NO_PHRASE, _NO_DESCRIPTION, _MESSAGE, _BARE_NUMBER, _STATEMENT)
    return word.lower() in _DESCRIBING_ALONE or not (_is_talk(word) or any(pattern.match(word) for pattern in no_words))


def _check_phrase(text: str) -> str | None:
    """A description without its carrier and the reasons after it; None where it is none."""
    if word := _WORD.fullmatch(text.strip(AROUND + ".!")):
        return word[0] if _is_word_description(word[0]) else None
    quoted = _find_quoted(_find_corrected(re.sub(r"^(['`‘])([^'`‘’]+)['`’][.!]$", r"\2", text)))
    if not quoted:
        return None
    quoted = re.sub(r"\*\*|__", "", _strip_opening(quoted))
    whole = re.sub(r"(?:[\s✅☑✔️\U0001f300-\U0001faff\u2600-\u27bf]|\s[:;]-?[)D])+$", "", quoted)
    whole = _COMMENT.sub("", whole)
    if (
        _OF_ALL.match(whole.lstrip("(["))
        or _MESSAGE.match(whole)
        or re.match(r"to be (?:continued|determined|defined|announced)\b", whole, I)
    ):
        return None
    if stated := _STATED.match(whole):
        whole = stated[1]
    whole = _strip_marks(whole)
    if whole[:1] + whole[-1:] in ("()", "[]") and len(re.findall(r"[(\[]", whole)) == 1 and " " in whole:
        whole = whole[1:-1].strip()
    whole = re.sub(
        r",? please[.!]?$| from (?:the|this|your) (?:list|options|scene|objects|set|candidates)[.!]?$",
        "",
        whole,
        flags=I,
    )
    request = _REQUEST.match(whole)
    if request:
        whole = whole[request.end() :].rstrip("?？ ")
    carried = _strip_carrier(whole)
    if _OF_PROPERTY.match(carried) or (carried != whole and _OF_PROPERTY.match(re.sub(r" of\b.*", ",", carried))):
        return None
    if carried == whole and _NO_DESCRIPTION.match(whole):
        return None
    if stated := _STATED.match(carried):
        carried = stated[1]
    shorter = _strip_reasons(carried)
    if shorter is None or shorter.rstrip("\"' ").endswith(("?", "？")):
        return None
    if re.search(r"[\u3040-\u30ff]", shorter):
        shorter = re.sub(r"を(?:選んで|探して|見つけて|クリックして|取って|指して)ください[。.]?$", "", shorter)
        shorter = re.sub(r"」?と(?:言い|呼び)ます[。.]?$", "", shorter)
        shorter = re.sub(r"(?:です|でございます)[。.]?$", "", shorter)
        shorter = re.sub(r"だ[。.]?$", "", shorter) if carried != whole else shorter
    result = _strip_marks(shorter)
    result = _strip_marks(
        result.rstrip(".。!！") if result != whole else re.sub(r"\s+[.。]$", "", result).rstrip("!！")
    )
    # "It is difficult" says something of the task more often than of the object.
    if (
        re.match(
            r"(?:it|that|this|es|das|dies|isso|isto|eso|het|dat|dit|c)(?:['’]s| is| ist| es| é|['’]est)\b", whole, I
        )
        and len(result.split()) == 1
    ):
        return None
    # "I can see a table", "we are looking at a kitchen": what is there, not what is described.
    if re.match(
        r"\W*(?:i|we|you)\b.*\b(?:see|looking at|look at|have|want to describe|have to describe|will (?:now )?describe)\W*$",
        whole[: len(whole) - len(carried)],
        I,
    ) and (re.match(r"an?\s", result, I) or "describe" in whole[: len(whole) - len(carried)]):
        return None
    # "I look for differences": what a speaker does, not what is described.
    if (
        carried != whole
        and re.match(
            r"\W*(?:i|we|you)\b.*\b(?:look|search|use|see|compare|mention)\b", whole[: len(whole) - len(carried)], I
        )
        and len(result.split()) == 1
    ):
        return None
    return result if _is_phrase(result, is_carried=carried != whole) else None


def _strip_marks(text: str) -> str:
    """A text without the marks around it; a quotation mark whose partner is inside stays."""
    text = text.strip()
    shorter = text.strip(AROUND).strip()
    is_open = len(re.findall(r"(?<!\w)['‘](?=\w)", shorter)) > len(re.findall(r"(?<=\w)['’](?!\w)", shorter))
    if len(re.findall(r"[\"“”„«»「」]", shorter)) % 2 == 0 and not is_open:
        return shorter
    return text.strip("*_` \t")


_UNFINISHED = re.compile(
    rf"[.!,;]\s+(?:(?:now|but|so|first|next|okay),? )*let me (?:see|look|check|think|find)\b|[.!;,\n]\s*(?:the |its )?{_PROPERTIES}\s*[:：=]",
    I,
)


def _strip_reasons(text: str) -> str | None:
    """Return the phrase at the beginning of a text.

    The rest must be a reason, a courtesy, or part of the phrase; None otherwise.
    """
    if _UNFINISHED.search(text):
        return None
    for comma in re.finditer(r"\s*,\s+", text):
        tail = _split_words(text[comma.end() :])
        if (
            not re.match(r"(?:the|an?) (?!only\b)(?:[\w-]+ ){1,3}(?:ones?|objects?|items?)\W*$", text[comma.end() :], I)
            and _is_talk(text[comma.end() :])
            and (len(tail) > 1 or tail[0].endswith("ly") or tail[0] == "please")
        ):
            text = text[: comma.start()]
            break
    breaks = list(_BREAK.finditer(text))
    ends = [*(b.start() for b in breaks[1:]), len(text)]
    for match, end in zip(breaks, ends, strict=False):
        if match.start() == 0:
            continue
        segment = text[match.end() : end].strip()
        content = segment.lstrip("([（ ")
        opening = match.end() < len(text) and text[match.end()] in "(（["
        if opening and _RESTRICTION.fullmatch(segment):
            return text[: match.start()]
        if not segment.strip(AROUND + ".!)]"):
            continue
        # "The chair: red, large" is one phrase.
        if re.search("[:：]", match[0]):
            if re.match(r"(?:the|an?) \w+$", text[: match.start()], I):
                continue
            return (
                text[: match.start()]
                if len(_split_words(segment)) > 1
                and (_is_talk(segment) or _REASON.match(segment))
                and len(_split_words(text[: match.start()])) > 1
                else None
            )
        if re.match(r"(?:or|alternatively|alternative|else|oder|ou|o bien|of)\b", content, I):
            return None
        if (
            _is_talk(segment)
            and not (
                opening
                and len(_split_words(segment)) == 1
                and _split_words(segment)[0] in ("on", "off", "up", "down", "in", "out", "right", "top", "back")
            )
            and not (opening and re.search(r"\d", segment) and _LANGUAGE.isdisjoint(_split_words(segment)))
        ):
            return text[: match.start()]
        if _REASON.match(segment) or segment.endswith(("?", "？")) or _NUMBERED.match(segment):
            return text[: match.start()]
        is_clause = _FINITE.search(segment) and not _RELATIVE.match(segment)
        if _COMPARES.search(segment) and (is_clause or opening or not re.match(r"\w+", match[0])):
            return text[: match.start()]
        if is_clause and not re.match(_PRONOUN, segment, I):
            return None
        if (
            re.search(r"[.!。！]\s*$", text[: match.end()])
            and re.match(r"[A-Z]", segment)
            and len(_split_words(segment)) < 4
            and not re.match(
                r"(?:on|in|at|by|with|near|next|behind|left|right|top|bottom|upper|lower|middle|far|not|no)\b",
                segment,
                I,
            )
        ):
            return None
    return text


def _strip_carrier(text: str) -> str:
    """A text without "In this scene," and "It is", "I'd pick", "Please find" at its beginning, one after the other."""
    for _ in range(4):
        shorter = _strip_marks(_CARRIER.sub("", _ADVERBIAL.sub("", text)))
        if shorter == text or not shorter:
            shorter = _strip_marks(text[_find_end_of_saying(text) :].lstrip(" :,"))
            if not shorter:
                return ""
        if shorter == text:
            return text
        text = shorter
    return text


_COPULAS = words("is are was were be it's that's called")


def _find_end_of_saying(text: str) -> int:
    """Where the words of saying that a text begins with end: after the last of them that a phrase may follow."""
    end, last, last_anchor = 0, "", ""
    # "The one I mean is …" carries a phrase, "the one I would call pink" is one.
    is_stated = not re.match(r"(?:the|that|an?) (?:one|thing|object|person|guy|man|woman)\b", text, I)
    for i, word in enumerate(re.finditer(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?|[^\w\s]", text)):
        name = word[0].lower().replace("’", "'")
        if (
            name not in _SAYING | _DISCOURSE
            or (name in ("that", "which") and i)
            or (name == "that's" and last == "one")
        ):
            break
        small, rest = _SMALL.get(name), text[word.end() :].lstrip()
        is_anchor = name in _ANCHORS and (
            i or name not in ("as", "by", "like", "for", "with", "at", "to", "about", "be")
        )
        if name in _COPULAS:
            is_stated = True
        if (
            (is_anchor and is_stated)
            or (isinstance(small, frozenset) and last in small)
            or (isinstance(small, str) and re.match(small, rest, I))
        ):
            pronoun = re.match(
                rf"\s+(?:it|them|him|her|me|us)\b(?=\s+(?:{_DETERMINER}\s|[\"“]))", text[word.end() :], I
            )
            end = word.end() + (pronoun.end() if pronoun else 0)
            last_anchor = name
        last = name
    rest = text[end:].lstrip(" :,")
    # Behind words that are only known one by one the phrase must show where it begins.
    is_phrase = re.match(rf"(?!(?:the|its|their) {_PROPERTIES} )(?:{_DETERMINER}\s|l['’]\w|[\"“„«「'])", rest, I)
    if last_anchor in _COPULAS | {"as", "say", "pick", "choose", "find", "call"}:
        is_phrase = is_phrase or re.match(
            r"(?!(?:me|us|him|her|them) )(?:[\w-]+ ){1,3}(?:with|without|facing|wearing|holding|behind|under|near|next to) \w",
            rest,
            I,
        )
    is_report = last_anchor in ("see", "seeing", "describe", "describing") and re.search(
        r"\b(?:can|have|want|need|will|must|should|we|going) ", text[:end], I
    )
    if not end or _is_talk(rest):
        return 0
    return end if is_phrase and not is_report else len(text)


# Remarks, codes of errors, further items of a list, and openings that no phrase follows.
_NO_PHRASE = re.compile(
    r".*\w or \w|(?:one|any|some|each|either|all|both) of (?:the )?(?:\w+ )?\w+s\W*$|something (?:went|is|was|else)|(?:perfect|wow|yay|cool|awesome|amazing|brilliant|lovely|super|true|false)\W*$|(?:that|it|this) depends\b|out of (?:memory|time|range|bounds)|.*(?:一样|同じ|\b(?:iguales|idéntic[oa]s|identiques|gleich|iguais|hetzelfde))[。.!]?$|no (?:idea|clue|way|reason|worries|thanks|answer|comment|problem)\W*$|looking forward|(?:danke|merci|gracias|obrigad[oa]|bedankt|grazie)\b|(?:debo|devo|voy|vou|necesito|quiero|puedo|tengo|estoy|preciso|quero|posso|tenho|estou)\b|(?:他|其他|其它|ほか|その他)(?:の[^、。]*)?[はが都的]"
    r"|(?:be|keep|make|remember|consider|focus|ensure|avoid|specify|clarify|include|add|compare|explain|stay)\b(?! button)|unknown \w+\W*$|nan\W*$|(?:the|my|our) (?:goal|aim|purpose|difference|problem|issue|trick|point|idea)\b(?! of the \w+ on)"
    r"|.*\b(?:maybe|perhaps)\b|.*\b(?:meet|help|thank|tell|for) you\b|(?:an?|the) [^,]+, (?:an?|the) [^,]+,? and (?:an?|the) \w+"
    r"|[^\W\d_]+(?:, [^\W\d_]+){3,}\W*$|(?:veo|vejo|observo|alle|ils|elles|ellos|todos|tous|toutes|zij|ze|sie|les autres|se (?!\w+ó\b))\b"
    r"|(?:the )?same (?:as (?:above|before|\w+ one)\W*$|answer|description|thing)|(?:good)?bye\W*$|[A-Z]{2,} \d+\W*$|.*\s[b2][.)]\s"
    r"|(?:an? )?(?:nice|great|good|lovely|beautiful|cool|interesting|funny|hard|tough|tricky|easy|excellent|fun|awesome|fair|tough|simple) (?:\w+ )?(?:picture|image|photo|question|task|description|request|answer|scene|job|work|idea|point|one|start|luck|day)s?\W*$"
    r"|.*\b(?:others?|anderen|autres|otr[oa]s|demás|outr[oa]s) (?:\w+ )?(?:are|is|sind|sont|son|são|zijn)\b"
    r"|(?:then|so|well|now|okay|ok|sure|hmm+|um+|uh+|gotta|anyway|okay so)\b(?! (?:and|called))|[它其这那](?!个|把|只|张|位|辆|本|种|边|里|些)|[^」』]*(?:が[^」』]{0,6}(?:あります|います)|は[^。]*ます|[^。]*を説明します)[。.]?$|.*(?:不同|相同|違います|違う|異なり|異なる|同じです)",
    I,
)
_TEXT_NOUN = re.compile(
    r"(?:similar|identical|different|alike|unique|distinct|visible|missing|unclear|unknown|hard|difficult|impossible|easy|not|niet|nicht|pas|the same|like the (?:others|rest))\b|(?:an?|the|my|your) (?:\w+ )?(?:picture|image|photo|scene|screenshot|list|text|description|expression|sentence|phrase|task|test|example|joke|trick|placeholder|guess|question|problem|challenge)s?(?: (?:that|which|of|for|to|about|in)\b|\W*$)",
    I,
)


def _is_phrase(text: str, is_carried: bool) -> bool:
    """Return whether a text can be a referring phrase: short, one line, without a clause, and about an object, not
    about the task.
    """
    if _NO_PHRASE.match(text) or (is_carried and _TEXT_NOUN.match(text)):
        return False
    if not text or "\n" in text or len(text) > LONGEST or text[0] in "{[<" or not re.search(r"\w", text):
        return False
    if (
        _is_talk(text)
        or "://" in text
        or not re.search(r"[^\W\d_]{2}|[\u3040-\u30ff\u4e00-\u9fff]", text)
        or re.fullmatch(r"[^\W\d_]|\w*_\w*", text)
    ):
        return False
    if _STATEMENT.match(text) or _MESSAGE.match(text) or re.search(r"\w=\w", text):
        return False
    # An article behind one word that is no preposition: "clearly the red chair", "falta la imagen".
    first = re.match(rf"([^\W\d]+) (?!th(?:at|is|ese|ose)\b){_DETERMINER}\s", text, I)
    if first and first[1].lower() not in _BEFORE_ARTICLES and not re.match(rf"{_DETERMINER}$", first[1], I):
        return False
    if re.search(
        r"\b(?:works?|fits?|describes (?:it|this|the target)|is|are|would be|should be) (?:best|better|well|fine|enough|sufficient|good)\W*$",
        text,
        I,
    ):
        return False
    if _TASK_NOUN.match(text) or re.search(r"\s2[.)]\s", text):
        return False
    # "Honestly, the red chair": an unknown word before the phrase is no part of it.
    if re.match(rf"(?!{_DETERMINER} )[^,]{{1,40}}, (?:the|an?) \w", text, I):
        return False
    if _NO_DESCRIPTION.match(text) or _BARE_NUMBER.match(text) or _DOUBT.search(text) or _OF_TASK.match(text):
        return False
    verb = _FINITE.search(_SECOND_SENTENCE.sub("", text))
    if (
        verb
        and not re.match(r"(?:has|have|contains|looks)\b", text, I)
        and not is_carried
        and not _PLACED.match(text)
        and not _RELATIVE.search(text[: verb.end()])
        and not _is_contact_clause(text, verb)
    ):
        return False
    # A name in quotation marks belongs to the phrase ('the button "Save"'); anything more is an offer or a remark.
    names = [name for name in _QUOTED.findall(text) if len(name.split()) < 4]
    return len(re.findall(r"[\"“”„«»「」]", text)) in (0, 2 * len(names)) and len(names) < 2


# "The red chair is on the left": a statement of place that describes an object.
_PLACED = re.compile(
    rf"the (?!(?:\w+ )?(?:{_TASK}|one|other\w*|difference|problem|rest)\b)(?:[\w-]+ ){{1,4}}(?:is|are) (?:located |placed |positioned |standing |sitting )?"
    rf"(?:at|in|on|near|to|next|behind|under|above|below|left|right|between|beside|by|in front)\b(?!.*\b(?:{_FINITE.pattern}|{_TASK}|others?)\b)",
    I,
)


# Messages of programs, and remarks of a word or two.
_SYSTEM = r"(?:request|response|list|picture|image|photo|target|json|input|session|connection|access|permission|generation|filter|limit|model|conversation|comment|change|answer|result|output|prompt|token|quota|server|service|reply)s?"
_STATE = r"(?:(?:was|is|has|were|been|could not be|cannot be) )*(?:refused|denied|exceeded|expired|stopped|triggered|failed|rejected|timed out|unavailable|ended|reset|invalid|empty|missing|blocked|aborted|cancelled|closed|lost|interrupted|found|completed?|finished)"
_MESSAGE = re.compile(
    rf"(?:the |your |this |an? )?(?:[\w-]+ )?{_SYSTEM} {_STATE}\b.*"
    rf"|(?:bad|invalid|unknown|empty|missing|wrong|incorrect|no|too many|same|internal|unexpected) (?:\w+ )?{_SYSTEM}\W*$"
    r"|(?!(?:butterf|fami|bel|jel|li|doi|f|ug|cur|frien|ho|sil|bul|dol|ral|pub|app|supp|assemb|anoma)\w*\W*$)\w+ly\W*$"
    r"|(?:look|try|choose|pick|click|wait|listen|think|read|check|go|come) (?:\w+ly|again|closely|here|there|harder|twice)\W*$"
    r"|(?:next|oops|whoops|congratulations|noted|true|false|sometimes|always|never|over there|right here|anything|something|someone|everything|everyone|that depends|sounds \w+|wrong one|no worries|never mind|my bad)\b(?:\W*|, wrong one\W*)$"
    r"|(?:e\.\s?g\.|for (?:example|instance)|such as|z\.\s?b\.|par exemple|por ejemplo|por exemplo|bijvoorbeeld)(?=\W)"
    r"|\S+@\S+|.*\b\w+\.(?:png|jpe?g|gif|webp|svg|pdf|json|txt|html?)\W*$|&?\w+;$|.*\b(?:fewer|more|less) (?:words|details?|information)\b"
    # A sentence about an object, as in "a dog is sitting there".
    r"|(?:the|an?|one|two|three) (?:(?!that\b|which\b|who\b|whose\b|where\b)[\w-]+ ){1,3}(?:is|are|was|were) \w+ing\b",
    I,
)
# Beginnings and pronouns of statements about the task: "Its height distinguishes it".
_STATEMENT = re.compile(
    r"(?:these|its|their|my|your|our)\b|to (?!(?:the|his|her|my|your|one|left|right|far)\b)\w+|(?:something|anything|nothing) (?:more|less|else)\b|(?:working|processing|generating|thinking|loading|checking|waiting|trying|coming)\b"
    r"|.*\b(?:that|which|what) (?:matters|distinguish\w*|counts|differs|sets|makes|identif\w+|singles)\b|this (?!one\b)|(?:by|via) \w+ing\b|mention\w*\b"
    r"|.*(?<!\bof)(?<!\bto)(?<!\bin)(?<!\bon)(?<!\bby)(?<!\bat)(?<!behind)(?<!above)(?<!below)(?<!under)(?<!with)(?<!near)(?<!over)(?<!beside)(?<!inside)(?<!around)(?<!from)(?<!for)(?<!through)(?<!between)(?<!against)(?<!like)(?<!front)(?<!without)(?<!beneath)(?<!underneath)(?<!across)(?<!where)(?<!that)(?<!about)(?<!than)(?<!and)(?<!as)(?<!when)(?<!if)(?<!because)(?<!but)(?<!along)(?<!touching)(?<!holding) (?:it|them)\W*$",
    I,
)


def _is_contact_clause(text: str, verb: re.Match[str]) -> bool:
    """Whether a verb belongs to a relative clause without a pronoun: "the one I'd sit on"."""
    return verb[0].lower() not in ("is", "are", "was", "were") and bool(
        re.match(
            r"(?:the|an?|that|those|these) [^,.;:]*\b(?:i|you|we|he|she|they|some(?:one|body)|every(?:one|body)|people)\b",
            text[: verb.end()],
            I,
        )
    )


def parse_properties(text: str) -> tuple[str, list[tuple[str, Any]]] | None:
    """Words and attribute values from an answer that was asked for as JSON."""
    data = find_json(text)
    words, properties = value_named(data, *KEYS), value_named(data, "properties", "attributes")
    if not isinstance(words, str) or not words.strip() or properties is None:
        return None
    try:
        pairs = list(properties.items() if isinstance(properties, dict) else map(_make_pair, properties))
    except (TypeError, ValueError):
        return None
    plain = all(isinstance(name, str) and isinstance(value, (str, int, float)) for name, value in pairs)
    return (words.strip(), pairs) if plain else None


def _make_pair(entry: Any) -> tuple[Any, Any]:
    """``["colour", "red"]``, ``{"attribute": "colour", "value": "red"}``, or ``{"colour": "red"}``."""
    if isinstance(entry, dict):
        if len(entry) == 1:
            return next(iter(entry.items()))
        return value_named(entry, "attribute", "name", "key"), value_named(entry, "value")
    name, value = entry
    return name, value
