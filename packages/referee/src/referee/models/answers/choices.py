"""Which of some numbered or named options an answer chooses.

Every mention of an option becomes a token, ``⟦3⟧``; patterns over tokens then say which mentions are assertions ("it must be ⟦3⟧"), which are denials ("not
⟦3⟧") and which are neither ("⟦3⟧ is blue"). An answer is read if its assertions agree, or if a later one corrects or concludes the earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from referee.models.answers.json_objects import find_json
from referee.models.answers.vocabulary import KINDS, MARKERS, START, UNKNOWN, any_of, number_words, ordinals, plain_text

__all__ = ["NONE", "SEVERAL", "UNSURE", "Choice", "parse_choice"]

# Longer answers end with what they conclude.
LONGEST = 6_000
SEVERAL, NONE, UNSURE = "several", "none", "unknown"
Choice = int | str
I = re.IGNORECASE  # noqa: E741

_KEYS = {"answer", "choice", "number", "object", "index", "id", "target", "selected", "selection", "result", "option"}
_KEYS |= {
    "item",
    "response",
    "pick",
    "final",
    "referent",
    "match",
    "antwort",
    "réponse",
    "respuesta",
    "resposta",
    "答案",
}
_FIRST_KEYS = ("final_answer", "answer", "choice", "selected", "selection", "final")
_NO_KEYS = {
    "reason",
    "reasoning",
    "thought",
    "thoughts",
    "explanation",
    "confidence",
    "alternatives",
    "analysis",
    "count",
}
_NO_KEYS |= {"rationale", "others", "probability", "score"}

# A number that is counted with, or that is a part of another number, names no option.
_FOLLOWS = any_of(
    r"\s*$|\s*[\n.,;:!?)\]}\"'|<=>✅✓✔☑❌✗✘-]",
    r"\s*\(|\s*[&+]\s*\d",
    r"\s+(?:is|are|was|seems?|looks?|fits?|matche?s?|appears?|would|must|has|should|can|could|might|may|does|doesn['’]?t|isn['’]?t|because|since|as|which|that|for|and|or|nor|but|though|although|while|with|than|rather|it|i|so|therefore|due|in\b(?! total)|on|at|from|instead|both|all|only|alone|here|too|also|satisf\w+|passt|passen|ist|sind|wird|weil|da|denn|und|oder|aber|als|noch|sondern|sagen|wählen|nehmen|bleibt|est|sont|reste|serait|convient|car|parce|et|ou|mais|correspond\w*|es|son|porque|y|o|pero|como|encaja\w*|queda|coincide\w*|é|são|e|mas|wordt|zijn|omdat|en|of|maar|past|passen|zeggen|kiezen|nemen|blijft|remains?|stays?|wins?|works?|comes?|best|then|left|meets?|suits?|qualifies|se|fica|permanece|over|to me|sein|zijn|ser|soit|until|unless|if|hier|after)\b",
    r"\s*[号號番个個是都和或とかをがはでだではの]",
)  # fmt: skip
_COUNTED = r"(?<!the )(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:of (?:them|the|these)|objects|items|things|chairs|candidates|options)\b"
_CJK_REF = r"(?:第\s*(\d{1,3})\s*(?:[个個号號张張]|番目)?(?:物体|对象|选项|图片|オブジェクト|画像)?|(\d{1,3})\s*(?:号|號|番目|番)(?:の(?!み))?(?:物体|对象|选项|オブジェクト|画像)?)"

R = r"⟦(\d+)⟧"
G = r"⟪[\d,]+⟫"
_JOIN = r"\s*(?:,\s*(?:and also|and|or|und|oder|et|ou|y|o|e|en)?(?!\s*also\b)|and also|and|or|&|/|\+|und|oder|et|ou|y|o|e|en|as well as|sowie|als auch|como|ainsi que|和|或者?|与|と|か|や)\s*(?:the\s+|l['’]|el\s+|la\s+|o\s+|das\s+)?"

_OPENERS = any_of(
    r"okay|ok|sure|certainly|well|yes|yeah|right|great question|great|hmm+|alright|thus|therefore|hence|so|then|and|but|also|finally|overall|in conclusion|in summary|to sum up|ultimately|clearly|obviously|definitely|of course|actually|instead",
    r"(?:most |very |quite )?(?:likely|probably|possibly|presumably|probable|certainly)|maybe|perhaps|i (?:think|believe|guess|suppose|assume)(?: that)?|in my (?:opinion|view)|my (?:best )?guess|gut feeling|if i had to (?:choose|guess|pick)|final|best",
    r"let['’]?s see|let me (?:see|think)|looking at (?:the|this) (?:list|picture|image|objects?|scene)|based on (?:the|this) (?:description|information)",
    r"not (?:entirely |completely |quite )?(?:sure|certain)|hard to (?:tell|say)|step \d+|unfortunately",
    r"also|vermutlich|wahrscheinlich|vielleicht|ich (?:denke|glaube|meine)|klar|natürlich|ja|dann",
    r"probablement|peut-être|sans doute|je (?:pense|crois)(?: que)?|bien sûr|donc|alors|oui",
    r"probablemente|quizás?|tal vez|(?:yo )?creo que|pienso que|claro|entonces|sí",
    r"provavelmente|talvez|(?:eu )?acho que|penso que|então|sim",
    r"waarschijnlijk|misschien|ik denk(?: dat)?|natuurlijk|dus|ja",
    r"可能(?:是)?|大概(?:是)?|也许(?:是)?|我(?:认为|觉得|想)(?:是)?|应该(?:是)?|所以(?:是)?|因此(?:是)?|好的|おそらく|たぶん|多分|はい|よって|したがって",
)
_OPENER = re.compile(rf"^[\s\W]*?{_OPENERS}(?![\w'])[\s,:!.…-]*", I)
_CJK_OPENER = re.compile(
    r"^(?:可能|大概|也许|我认为|我觉得|我想|应该|所以|因此|好的|おそらく|たぶん|多分|はい|よって|したがって)是?[\s,:]*"
)

# Words before a mention that make it an assertion.
_LEADS = any_of(
    r"(?:it|that|this|which|referent|target|one|object|item|answer|choice|match|pick|selection|option|guess|number|description|described|meant|intended|candidate|bet|fit|conclusion)(?: (?:that|which) \w+(?: \w+){0,4})?(?:['’]s| is| was| would be| must be| has to be| should be| seems to be| could be| might be| may be| can only be| will be| appears to be)(?: (?:clearly|definitely|therefore|thus|likely|probably|most likely|obviously|then|indeed|actually|really|in fact))*",
    r"i(?:['’]d| would|['’]ll| will|['’]m going to| am going to| have to|)?(?: (?:have to|probably|rather|therefore|thus|still|then|now|finally))* ?(?:say|go (?:with|for)|pick|choose|select|guess|settle (?:on|for)|lean (?:towards?|to)|opt for|bet on|vote for|prefer|answer|conclude|suggest|choosing|picking|meant|mean|take|think|believe)(?: (?:that )?(?:it|this|that)(?:['’]s| is| must be| has to be| would be| should be))?(?: on| for| with)?",
    r"(?:\bgo (?:for|with)|refer(?:s|ring|red)? to|describ(?:es|ing|ed as)|match(?:es|ing)?|fits?|identif(?:ies|y)|talking about|means|meant is|points? (?:to|at)|pointing (?:to|at)|corresponds? to|indicat(?:es|ing)|singl(?:es|ing) out|specif(?:ies|ying)|suits?|speaks? of|is of|denotes?|pick(?:s)?|choose|select)(?: (?:best|only|most likely|exactly|uniquely|clearly|to))*(?: is)?",
    r"(?:so|therefore|thus|hence|consequently|accordingly|conclude|which means|meaning|leaves?(?: (?:us|only|me))?(?: with)?|leaving(?: (?:us|only|me))?(?: with)?|left with|remains|=>|->|→|👉|➡️?|⇒)(?: (?:that|it|is|the|answer|must|be|has|to|means|only|just))*[,:]?|(?:in the end|ultimately|finally|more likely|more plausibly|(?:much )?better|none other than|nothing (?:but|other than)|no (?:one|object) (?:but|other than)|(?<!⟧ )(?:seems?|looks?) like)(?: (?:it is|is|it['’]s))?,?",
    r"(?:only|just|nur|(?:trifft|passt) (?:nur )?auf|seul(?:ement)?|sólo|solo|únicamente|apenas|somente|alleen|só|只有|唯一(?:的)?是)",
    r"(?:es|das|dies|gemeint|gesucht\w*(?: objekt)?|beschriebene?s?(?: objekt)?|antwort|objekt|lösung|passende?s?(?: objekt)?)(?: (?:ist|lautet|wäre|muss)|ist)(?: (?:also|wohl|daher|wahrscheinlich|klar|eindeutig))*|(?:ich )?(?:würde (?:sagen|tippen auf|wählen)|tippe auf|wähle|nehme|sage|denke an|entscheide mich für)|(?:bezieht sich auf|beschreibt|handelt (?:es )?sich um|passt (?:nur )?(?:auf|zu)|also|daher|somit|folglich|deshalb|sondern|gemeint ist|bleibt(?: nur)?|(?:es|das) (?:muss|müsste|dürfte|wird)(?: wohl| dann)?|kann (?:also |daher )?nur)",
    r"(?:c['’]est|il s['’]agit (?:donc )?(?:de|d['’])|réponse est|objet (?:décrit|visé|recherché|en question) est|ce (?:serait|doit être)|serait)|je (?:dirais|choisis|pense à|prends|sélectionne|opte pour|penche pour)|(?:correspond à|désigne|décrit|fait référence à|se réfère à|donc|par conséquent|alors|mais|(?:ne )?reste que)",
    r"(?:la respuesta(?: correcta| final)? es|(?:^|[,;.] ?)es|objeto (?:descrito|correcto|buscado) es|se trata del?|sería|debe ser|tiene que ser)|(?:elijo|elegiría|escojo|diría(?: que)?(?: es)?|selecciono|opto por)|(?:se refiere al?|corresponde al?|describe(?: al?)?|coincide con|sino|así que|por lo tanto|por eso|entonces|pero|queda solo|solo queda|debe de ser)",
    r"(?:a resposta(?: correta| final)? é|(?:^|[,;.] ?)é|objeto (?:descrito|correto) é|trata-se d[oe]|seria|deve ser)|(?:escolho|escolheria|(?:eu )?diria(?: que)?(?: é)?|seleciono|opto por)|(?:refere-se ao?|corresponde ao?|descreve|mas sim|portanto|logo|mas)",
    r"(?:het(?: juiste)? (?:antwoord )?is|dat is|bedoelde (?:object )?is|dit is|moet)|ik (?:kies|zeg|denk|zou (?:zeggen|kiezen)|ga voor)(?: dat het)?|(?:verwijst naar|beschrijft|past bij|gaat om|dus|daarom|maar)",
    r"(?:答案(?:应该)?是|(?:描述|指|说)的?(?:就)?是|应该是|就是|而是|(?<!不)是|选择?|我选|为|符合(?:描述)?的是|指向|对应|所以|因此|只?剩下?)",
    r"(?:答えは|正解は|対象は|(?:説明|描写)(?:に合う|が指す)の?は|指しているのは|選ぶのは|ではなく|それは|つまり)",
)
_ARTICLES = r"(?:the|a|an|das|der|die|dem|den|l['’]|le|la|el|al|o|a|ao|het|de)?"
_GAP = rf"[\s:=,\"'(\[]*(?:{_ARTICLES}[\s\"'(\[]+)?"
_ASSERT_BEFORE = re.compile(rf"{START}({_LEADS}){_GAP}{R}", I)
_POSITIVE = re.compile(
    rf"{R}[\s\"'),:*-]*"
    + any_of(
        r"(?:is|seems|appears|looks|would be|must be|has to be|should be|comes out as|remains)(?: (?:to be|clearly|therefore|thus|definitely|indeed|the|my|a|an|by far|likely))* ?(?:only|best|what|\w+est\b|correct|right|answer|one|meant|described|target|pick|choice|most|closest|better|more (?:likely|plausible)|match|referent|object (?:that|being|described|meant|in question)|intended|likely|winner|perfect|good (?:match|fit)|it\b)",
        r"(?:fits|matches|satisfies|suits|meets|agrees)(?: (?:best|better|most|exactly|perfectly|the (?:description|bill)|all|it|everything|both|this|fully))*",
        r"it is\b|i (?:think|believe|guess|suppose)\b|(?:with|at) \d+ ?%",
        r"is the only|alone\b|しか|is meant|would fit best|comes? closest|best (?:matches|fits)|(?:is|was) (?:all that is )?left|remains\b|wins\b",
        r"(?:ist|wird)(?: (?:das|die|hier|wohl))* ?(?:gemeint|gesucht|richtig|antwort|einzige|beschrieben)|passt(?: (?:am besten|genau|als einziges))*",
        r"est (?:le seul|la bonne|celui|l['’]objet|décrit|visé|correct)|correspond (?:le mieux|exactement|à la description)",
        r"es (?:el único|la respuesta|el correcto|el que|el descrito)|(?:coincide|encaja) (?:mejor|con)",
        r"é (?:o único|a resposta|o correto|o que)|corresponde (?:melhor|à)",
        r"(?:wordt bedoeld|is (?:het enige|bedoeld|juist|het juiste))|past het best",
        r"(?:最)?符合|是(?:唯一|正确)|(?:で(?:す|ある|しょう)|だと(?:思|考)|を(?:選|指)|(?:だけ|のみ)(?:です|が|だ)|に違い|が(?:当てはまり|一致|正解|該当|最も)|に(?:なり|該当))",
    )
    + r"(?!\s*(?:not|too|wrong|less))",
    I,
)
_ENDING_IN = re.compile(
    rf"(?:{START}(?:is|be|are|ist|wäre|est|es|é)|是|は|:|=|->|=>|→|👉|-)[\s\"'(\[]*(?:(?:the|das|l['’]|le|el|o|het|clearly|definitely|probably)\s+)*{R}(?:[\s\"'.!)\]]*$|(?=[,;] (?:since|because|as|although|though|even|while|denn|weil|da|obwohl|car|puisque|bien|porque|ya|aunque|pois|embora|omdat|want|hoewel)\b))",
    I,
)
_NOT = any_of(
    r"not|isn['’]?t|aren['’]?t|wasn['’]?t|cannot be|can['’]?t be|neither|nor|rather than|instead of|except(?: for)?|(?<!other )than|rul(?:es?|ed|ing) out|eliminat(?:es?|ed|ing)|exclud\w+|unlike|similar to|compared (?:to|with)|over",
    r"nicht|weder|noch|kein|statt|außer|als|anders als",
    r"pas|ni|sauf|plutôt que",
    r"no (?:es|el)?|ni|excepto|en lugar de",
    r"não(?: é)?|nem|exceto|em vez de",
    r"niet|noch|behalve|dan",
    r"不是|并非|除了|排除|比|非",
)
_DENIED_BEFORE = re.compile(
    rf"{START}(?:{_NOT})(?:(?![\w'])|(?<=[^\x00-\xff]))(?: (?:be|by|it|is|at|of|the|number|both|either))*{_GAP}(?:{R}|({G}))",
    I,
)
_DENIED_AFTER = re.compile(
    rf"(?:{R}|({G}))[\s\"')]*(?:\w+ )?"
    + any_of(
        r"(?:can|could|may|must)(?: (?:both|all|be|also))* (?:be )?(?:ruled out|excluded|eliminated|discarded|not)|(?:can['’]?t|cannot|can not)|(?:is|are)(?: \w+)? (?:not|out|wrong|too|ruled|excluded|eliminated|similar|close)\b|isn['’]?t|aren['’]?t|does(?:n['’]?t| not)|do(?:n['’]?t| not)|has(?:n['’]?t)? the wrong|lacks?|fails?|comes close\b|has no\b|(?:looks?|seems?|appears?)(?: \w+)? (?:similar|alike)",
        r"(?:ist|sind|passt|passen)(?: \w+)? nicht|ne (?:correspond|sont)|n['’]est|no (?:es|coincide|encaja)|não (?:é|corresponde)|niet",
        r"不|ではなく|ではありません|じゃな|では(?:ない|なく)",
    ),
    I,
)
_ONE_LEFT = re.compile(
    any_of(
        r"\b(?:no|none|nothing|neither)(?: one)?(?: of)?(?: the| these)? (?:others?|else|remaining|rest)\b",
        r"\bkeine?[srn]? (?:der |von den )?ander\w+|aucun(?:e)? (?:des )?autres?|ningun[oa]?(?: de los)? (?:otr[oa]s?|demás)|nenhum(?: dos)? outros?|geen (?:van de )?andere\w*|没有其他|其他都不",
        r"\b(?:several|many|multiple|two|three|both|all|most|a few|some)\b[^.;]*\b(?:but|only|the one|while)\b|\b(?:mehrere|viele|plusieurs|varios|varias|vários|várias|meerdere)\b[^.;]*\b(?:aber|nur|mais|seul|pero|sólo|solo|mas|só|maar|alleen)\b",
    ),
    I,
)
_ALL_BUT = re.compile(
    rf"\b(?:everything|all(?: \w+)?|anything|every (?:object|one|other))(?: \w+)? (?:but|except(?: for)?|besides|other than|apart from)\s+{R}[^.]*\b(?:ruled out|excluded|eliminated|wrong|not|do(?:es)?n['’]t|fails?|discarded)\b",
    I,
)
_CONCEDED = re.compile(
    rf"(?:although|though|while|even though|obwohl|bien que|aunque|embora|hoewel)[^,;.⟦]*{_GAP}{R}|(?:possibly|maybe|perhaps|alternatively|vielleicht|peut-être|quizás)[\s,]*{_GAP}{R}",
    I,
)
_TENTATIVE = re.compile(
    rf"(?:could|might|may)(?: also)? be\s+{R}(?=[^.]*\bbut\b)|(?:at first|initially|first(?:,| i| guess| thought)|i (?:first|initially|originally) thought|i would have said|i was going to say|zuerst|anfangs|zunächst|d['’]abord|al principio|primero|no início|eerst|起初|一开始|最初)[^.⟦]*{R}",
    I,
)
_CORRECTS = re.compile(
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

_SEVERAL = re.compile(
    any_of(
        r"several|multiple\W*$|ambiguous|all of (?:them|the(?:se|m)? objects)|(?:it(?:['’]s| is) )ambiguous|both",
        r"(?:there are |i (?:can )?(?:see|find|have) )?(?:at least )?(?:two|three|four|multiple|several|many|more than one|two or more)(?: \w+){0,3} (?:match(?:es)?|fit|fits|candidates?|satisf\w+|possib\w+|could be meant|correspond|suit|apply|qualif\w+|meet)\b",
        r"(?:there are |i see )?(?:several|multiple|more than one|many)(?! (?:\w+ )?(?:people|persons))\b(?!.*\bbut\b)",
        r"(?:it |this |the description )?(?:could|can|might|may)(?: also)? (?:refer to|be|mean|describe|fit) (?:several|more than one|multiple|many|any|either|both|two)",
        r"(?:the description )?(?:does not|doesn['’]t) (?:single out|uniquely identify|distinguish)|(?:it |this |that |(?:the|this) description )?(?:is )?(?:fits|matches|applies to|describes|true of|holds (?:of|for)) (?:several|more than one|both|multiple|many|two)",
        r"(?:die beschreibung |sie |das )?(?:trifft|passt) auf (?:mehrere|beide)|mehrere\b|mehr als ein\w*|beide\b|nicht eindeutig\b(?! bestimmbar)|mehrdeutig|alle passen",
        r"plusieurs\b|plus d['’]un\w*|tous les deux|ambigu\w*|les deux\b",
        r"varios\b|varias\b|más de uno|ambos|ambigu[oa]|los dos\b",
        r"vários\b|várias\b|mais de um|ambíguo|os dois\b",
        r"meerdere\b|meer dan één|beide\b|dubbelzinnig|verschillende (?:objecten )?passen",
        r"(?:有|存在)?(?:多个|几个|好几个|两个|多個)(?!人)|不止一[个個]|都符合|歧义",
        r"(?:⟪[\d,]+⟫|⟦\d+⟧と⟦\d+⟧)(?:の)?(?:両方|どちらも|いずれも)|複数(?!あります?が)|いくつか|(?:二|2)つ以上|どちらも|両方|曖昧",
    ),
    I,
)
_NONE = re.compile(
    any_of(
        r"(?:no, )?none\b|nothing\b|not (?:a single )?one of (?:them|the|these)\b|not a single (?:object|one|item)\b(?! other)|(?:the |this )?(?:described |target )?(?:object|item|description) (?:is|does) not (?:in the list|on the list|listed|present|exist|there|among)|neither\b(?!.*[⟦⟪])|no(?: \w+){0,2} (?:match(?:es)?|fits?|object|objects|item|such|candidates?|option|corresponds?)\b|no one\b|not any\b|n/a\b|zero\b|null\b",
        r"there(?: is| are|['’]s)(?: nothing\b| no\b|n['’]t any| not any|n['’]t an?y?)|there isn['’]t\b|it (?:fits|matches) (?:none|no)\b",
        r"(?:it |this |the description |that )(?:does(?: not|n['’]t)|doesn['’]?t) (?:fit|match|describe|apply to|correspond to) any",
        r"i (?:don['’]t|do not|can['’]?t|cannot) (?:see|find|think|believe)(?: that)? any\b|i (?:can['’]?t|cannot|don['’]t|do not) (?:see|find) (?:an?|the|such)\b|there (?:does(?: not|n['’]t)|do(?: not|n['’]t)) seem to be|i (?:see|find) no\b|the list (?:contains|has) no\b|not present\b|not (?:in the list|listed)\b",
        r"kein(?:e[snr]?|s)?\b|nichts\b|es gibt kein\w*|nicht dabei",
        r"aucune?\b|rien ne\b|pas d['’]objet|il n['’]y a (?:pas|aucun)",
        r"ningun[oa]?\b|ningún\b|nada\b|no hay (?:ning|objetos?)",
        r"nenhum(?:a)?\b|nada\b|não há (?:nenhum|objeto)",
        r"geen\b|niets\b|er is geen",
        r"(?:没有|無|无)(?:任何)?(?:一个)?(?:符合|匹配|这样|物体|对象|合适)?(?!足够|其他)|都不(?:符合|是|匹配)|(?:なし|ありません|該当なし|どれでも(?:ありません|ない)|(?:どれも|いずれも)(?:当てはまり|該当し|一致し)(?:ません|ない)|(?:当てはまる|該当する|一致する)(?:物体|もの|オブジェクト)?(?:は|が)?(?:ありません|ない|なし|存在しません))",
    ),
    I,
)
_UNSURE = re.compile(UNKNOWN, I)
_YES = r"(?:yes|yep|true|match(?:es)?|fits?|correct|✓|✔️?|✅|☑️?|ja\b|oui|sí|sim|是|符合|はい|○)"
_NO = r"(?:no(?:t a)? (?:match|fit)(?:es)?|no|nope|false|does(?: not|n['’]t) (?:match|fit)|not|wrong|incorrect|✗|✘|❌|✖️?|nein|non|não|nee|不是|不符合|否|いいえ|×|ruled out|too \w+)"
_TICKED = re.compile(rf"{R}[\s:=-]*([✓✔✅☑✗✘❌✖])")
# "Is it ⟦3⟧? Yes."
_REPLY = re.compile(rf"{R}[^⟦.?!\n]*\?\s*({_YES}|{_NO})(?!\w)[^⟦.!?\n]*[.!]?", I)
_ITEM = re.compile(rf"^[\s>*•|-]*{R}[\s:.)|=\"'-]*(.*)$")
_COUNTS = re.compile(
    rf"\b(?:there (?:are|is)|i (?:can )?(?:see|count) (?:a total of )?(?:\d|⟦|two|three|four|five|several|many)|the (?:list|image|picture|scene) (?:has|contains|shows)|number of|total|how many|es gibt|ich sehe|il y a|je vois|hay|veo|há|vejo|er zijn|ik zie)\b(?! (?:only|just) )|{_COUNTED}|(?:图中|画面|列表)[^.]*有|(?:脚|個|つ|匹|台|人|本|枚)(?:あります|います)",
    I,
)
_HEDGED = re.compile(
    r"\b(?:not (?:entirely |completely |totally |very |quite |100 ?% )?(?:sure|certain|positive)|nicht (?:ganz |völlig )?sicher|pas (?:tout à fait |totalement |complètement )?(?:sûre?|certaine?)|no estoy \w+(?: \w+)?|não (?:tenho|estou) \w+(?: \w+)?|niet (?:helemaal |zo )?zeker)\b",
    I,
)
_NEGATED = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|n['’]t|nicht|kein\w*|pas|aucun\w*|ningun\w*|não|nenhum\w*|niet|geen|nem|ni)\b|n['’]t\b|[不没無无]|ません|ない",
    I,
)
_CLAUSE_END = re.compile(
    r"[,;:.!?)\n-]|\b(?:but|so|because|since|as|and|then|therefore|hence|aber|also|sondern|weil|und|mais|donc|et|pero|sino|así|mas|portanto|e|maar|dus|en|y|only|nur|seul|solo|só|alleen)\b|所以|因此|而是|但|只有|ので|が,|なく",
    I,
)
# Negations that assert: of doubt, of all others.
_NO_NEGATION = re.compile(
    r"\b(?:no(?:t a| question| doubt)? doubt|without (?:a )?doubt|none other than|nothing (?:but|else|other than)|no (?:one |object )?(?:but|other(?: than)?)|none of (?:the|these) others?|not (?:only|just)|can(?:not|['’]t) (?:be anything )?(?:but|other than)|no\.?(?= ?⟦)|ohne zweifel|zweifellos|sans (?:aucun )?doute|ne reste que|sin duda|sem dúvida|ongetwijfeld)\b",
    I,
)
_COMMITS = re.compile(
    r"\b(?:i|ich|je|j['’]\w+|yo|eu|ik|we|diría|diria|elijo|escolho|creo|acho|acredito|opto|dirais)\b|[我私]", I
)
_LOOKS = re.compile(
    r"\b(?:see|count|compar\w+|look\w*|check\w*|examin\w+|consider\w*|thought|had|start\w*|begin\w*|avoid\w*|skip\w*|dismiss\w*|exclud\w+|eliminat\w+|rul\w+|discard\w*|reject\w*|sehe|zähle|dachte|vois|pensais|veo|pensaba|vejo|pensava|zie|dacht|maybe|perhaps|possibly|also|either|if|when|whether)\b",
    I,
)
_CALL = re.compile(r"^[\w.]+\(\s*(?:\w+\s*[=:]\s*)?[\"']?([^\"'(),=]+)[\"']?\s*\)\s*;?$")
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_MARKED = re.compile(
    rf"(?<![\w'])({MARKERS})(?:\s*\([^)\n]*\))?[\"'*_]*\s*(?::+|=+>?|->|→|是|は|[\"'*_]*\n+|[\"'*_]*$)", I
)
_CHECKED = re.compile(rf"\[[xX✓✔]\]\s*{R}|☑️?\s*{R}")


class _Assertion(NamedTuple):
    start: int
    choice: Choice


def parse_choice(text: str, options: int | Sequence[str], language: str | None = None) -> Choice | None:
    """The option chosen, from 1; ``several``, ``none`` or ``unknown``; None where the answer leaves it open."""
    names = _Names(options, language)
    text = text[-LONGEST:]
    for boxed in reversed(_BOXED.findall(text)):
        return _parse_part(re.sub(r"\\(?:text|mathrm|textbf)\s*\{([^}]*)\}|\\[a-z]+", r"\1", boxed), names)
    data = find_json(text)
    if data is not None and (choice := _from_json(data, names)) is not None:
        return None if choice == "" else choice
    text = re.sub(r"\\text\{([^}]*)\}|\\+[()\[\]]?", r"\1", plain_text(text)).strip()
    text = re.sub(r"\$([^$\n]{1,80})\$", r"\1", text)
    call = _CALL.match(text)
    if call:
        return _parse_part(call[1], names)
    return _parse_part(text, names)


class _Names:
    """The options of a question: how many, and the names that stand for them."""

    def __init__(self, options: int | Sequence[str], language: str | None) -> None:
        self.count = options if isinstance(options, int) else len(options)
        names = [] if isinstance(options, int) else [str(name).strip() for name in options]
        self.names = () if all(re.fullmatch(r"\d+", name) for name in names) else tuple(names)
        self.words = number_words(language)

    def tokenise(self, text: str) -> str:
        """The text with every mention of an option as a token; numbers beyond the options become ``⟦0⟧``, which no answer may have."""
        if self.names:
            named = _named_tokens(text, self.names)
            if "⟦" in named:
                return named
        # "3 out of 5" counts.
        text = re.sub(
            r"\b\d+ (?:out of|of (?:the|these|all)|von|sur|van)(?: the| these| all)? \d+\b",
            "some",
            _protect_quotes(text),
            flags=I,
        )
        text = re.sub(_CJK_REF, lambda m: self._token(m[1] or m[2]), text)
        words = "|".join(sorted(map(re.escape, self.words), key=len, reverse=True))
        kind = rf"{KINDS}(?:\s*(?:number|no\.?|nr\.?|id|#|nummer|numéro|número))?(?:\s*[:#_(\[\"'-]+\s*|\s+|(?<=[^\x00-\x7f]))(?:is\s+)?"
        text = re.sub(rf"{START}(?<!#){kind}(\d{{1,5}})(?![\d.,]*\d)[)\]]?", lambda m: self._token(m[1]), text, flags=I)
        text = re.sub(
            r"(?<![\w#])(?:obj|object|option|item|image|objekt|objet|objeto)_?(\d{1,3})\b",
            lambda m: self._token(m[1]),
            text,
            flags=I,
        )
        text = re.sub(r"(?<![\w#])#\s?(\d{1,5})\b", lambda m: self._token(m[1]), text)
        text = re.sub(rf"(?<!\w){kind}({words})(?![\w-])", lambda m: self._token(m[1]), text, flags=I)
        for word, number in ordinals():
            text = re.sub(
                rf"(?<![\w-])(?:the |das |der |die |le |la |el |o |a |het |de ){word}(?: {_ONES}| (?:from|in|on) the list|\s*[.!]?\s*$)(?:(?:,)? (?:from|in|on) the list)?",
                self._token(str(number)),
                text,
                flags=I,
            )
        text = re.sub(
            r"(?<!\w)((?:el|le|o|das|die) )(\d{1,3})(?= [^\W\d])", lambda m: m[1] + self._token(m[2]), text, flags=I
        )
        text = re.sub(
            rf"{_WORD_LEADS}({words})(?=[.!]?\s*$)", lambda m: m[1] + self._token(m[2]), text, flags=I | re.MULTILINE
        )
        text = re.sub(
            rf"^({words}) (?=is (?:my|the) (?:answer|choice|pick))", lambda m: self._token(m[1]) + " ", text, flags=I
        )
        bare = rf"(?<![^\W\u3040-\u30ff\u4e00-\u9fff])(?<![.,/⟦#$%+-])(?<!\d\. )[(\[]?(\d{{1,5}})(?![\d.,]*\d|\s*%|\s*/\s*\d|-\w)[)\]]?(?={_FOLLOWS})"
        return re.sub(bare, lambda m: self._token(m[1]), text, flags=I)

    def _token(self, written: str) -> str:
        number = self.words.get(written.lower()) or (int(written) if written.isascii() and written.isdigit() else 0)
        return f"⟦{number if 1 <= number <= self.count else 0}⟧"


# A number word stands for an option at the end of a line, after words that lead up to it.
_WORD_LEADS = r"(?<!\w)((?:answer|choice|number|option|guess|pick|it|antwort|réponse|respuesta|resposta|antwoord)(?: is|['’]s| would be| must be| ist| lautet| est| es| é|:) (?:the )?|(?:i['’]?d|i would|i['’]ll|i) (?:say|pick|choose|go with|select|guess) (?!one\b))"
_ONES = r"(?:object|one|item|image|picture|option|objekt|bild|objet|objeto|imagem|imagen|objects?|optie|element)\b"
_HEADS = r"(?:grids?|images?|pictures?|objects?|ones?|options?|items?|sides?|panels?|photos?|figures?|cards?|shapes?|candidates?|choices?|objekt|bild|objet|objeto)\b"


def _named_tokens(text: str, names: Sequence[str]) -> str:
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
            follows = r"(?=\s*$|[.,;:!)\]\n]|\s+(?:is|are|or|and|over|rather|because|since|as|fits|matches|seems|looks|best|but|not|nor|instead|oder|und|ist|et|ou|est|y|o|es|e|é|en|of)\b)"
            alone = rf"(?<![\w'⟦])(?:(?i:{KINDS})\s*)?[(\[]?{re.escape(name)}[)\]]?{follows}"
            text = re.sub(alone, f"⟦{i}⟧", text)
            text = re.sub(
                rf"^\W*{re.escape(name)}\W*$|(?<!\w)(?:option|answer|choice|image|object)[:\s]+{re.escape(name)}(?=\W*$)",
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
    """Without what is quoted, unless it is a mention by itself: numbers in a quoted description are not answers."""

    def quoted(match: re.Match[str]) -> str:
        return match[0] if len(match[1].split()) < 3 and not re.search(r"\d \w", match[1]) else '""'

    return re.sub(r'"([^"\n]{1,300})"', quoted, text)


def _from_json(data: object, names: _Names, depth: int = 0) -> Choice | None:
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
            choice = _from_json(value, names, depth + 1)
            return "" if choice is None else choice
        return _from_value(value, names)
    return None


def _from_value(value: object, names: _Names) -> Choice:
    if isinstance(value, list):
        chosen = {_from_value(part, names) for part in value}
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
        return SEVERAL if len(numbers) > 1 and all(1 <= n <= names.count for n in numbers) else None
    labelled = re.fullmatch(r"[\W_]*(\d{1,3})\s*[).:-]\s+([^\d\n?⟦]{2,80})", text)
    if labelled and not _NEGATED.search(labelled[2]) and _special(labelled[2], announced=False) is None:
        number = int(labelled[1])
        return number if 1 <= number <= names.count else None
    marked = list(_MARKED.finditer(text))
    for i, mark in reversed(list(enumerate(marked))):
        rest = text[mark.end() :]
        end = marked[i + 1].start() if i + 1 < len(marked) else len(rest) + mark.end()
        announced = next((line for line in text[mark.end() : end].splitlines() if line.strip(" *_#>-|:")), "")
        if not announced.strip():
            continue
        choice = _from_sentences(names.tokenise(announced.strip()), announced=True)
        if isinstance(choice, int) and _is_corrected(rest.partition("\n")[2], choice, names):
            continue
        if choice is not None:
            return choice or None
    tokens = names.tokenise(text)
    listed = _from_checklist(tokens)
    if listed is not None:
        return listed
    if _is_enumerated(text):
        tokens = names.tokenise(re.sub(r"(?m)^\s*\d{1,2}[.)]\s+", "", text))
    choice = _from_sentences(tokens, has_names=bool(names.names))
    return choice or None


def _is_enumerated(text: str) -> bool:
    """Whether lines are numbered 1, 2, … and others are not: such numbers count steps, not options."""
    lines = [line for line in text.splitlines() if line.strip()]
    numbers = [int(m[1]) for line in lines if (m := re.match(r"\s*(\d{1,2})[.)]\s+\S", line))]
    return 2 <= len(numbers) < len(lines) and numbers == list(range(1, len(numbers) + 1))


def _is_corrected(rest: str, choice: int, names: _Names) -> bool:
    return bool(_CORRECTS.search(rest)) and any(int(n) != choice for n in re.findall(R, names.tokenise(rest)))


def _from_checklist(tokens: str) -> Choice | None:
    """The choice of a list that says yes or no about options, unless a conclusion follows it."""
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
    concluded = _from_sentences(after) if after else None
    if concluded:
        return concluded
    chosen = [number for number, is_yes in verdicts.items() if is_yes]
    return None if 0 in chosen else chosen[0] if len(chosen) == 1 else SEVERAL if chosen else NONE


def _sentences(tokens: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])(?:\s+|$)|(?<=\.\.\.)\s*|\n+", tokens)
    return [part.strip() for part in parts if part and part.strip(" *_#>|-.")]


def _from_sentences(tokens: str, announced: bool = False, has_names: bool = False) -> Choice | None:
    """The choice that the sentences amount to; "" where they name a number beyond the options."""
    tokens = re.sub(rf"\b(not|nicht|pas|no|não|niet) {R}[,;:.]\s*(?:but )?{R}", r"\1 ⟦\2⟧; it is ⟦\3⟧", tokens, flags=I)
    tokens = re.sub(rf"\b(?:soit|ofwel|ou|o)\s+{R}\s*,?\s*(?:soit|ofwel|ou|o)\s+{R}", r"⟦\1⟧ or ⟦\2⟧", tokens, flags=I)
    if re.search(r"\b(?:het|kan|zijn|ofwel|ik|objecten)\b", tokens, I):
        tokens = re.sub(rf"({R})\s+of\s+(?={R})", r"\1 or ", tokens, flags=I)
    tokens = re.sub(rf"(\bzowel\s+(?:het\s+)?{R})\s+als\s+", r"\1 en ", tokens, flags=I)
    tokens = re.sub(rf"{R}(?:{_JOIN}{R})+", lambda m: "⟪" + ",".join(re.findall(R, m[0])) + "⟫", tokens, flags=I)
    assertions: list[_Assertion] = []
    specials: list[_Assertion] = []
    position = 0
    asked = False
    sentences = _sentences(tokens)
    for sentence in sentences:
        position += 1000
        if sentence.endswith("?") or re.search(r"(?:吗|ですか)[?.]?$", sentence):
            asked = True
            continue
        for assertion in _assertions(sentence, announced, len(sentences) == 1):
            assertions.append(_Assertion(position + assertion.start, assertion.choice))
        for clause in sentence.split(";"):
            special = _special(clause, announced)
            if special is not None:
                specials.append(_Assertion(position + special.start, special.choice))
    resolved = _resolve(tokens, assertions, specials)
    if resolved in (NONE, UNSURE) and not announced and _open_mentions(tokens):
        return None
    if resolved is None and not assertions and not specials:
        return _lone_mention(tokens, asked, announced, has_names)
    return resolved


def _open_mentions(tokens: str) -> bool:
    """Whether a text names options that it does not deny: then "none" and "I don't know" are not its last word."""
    without = _DENIED_AFTER.sub(
        "",
        _DENIED_BEFORE.sub(
            "", re.sub(rf"\b(?:neither|nor|weder|noch|ni|nem|noch)\b\W*(?:\w+ )?{R}", "", tokens, flags=I)
        ),
    )
    return re.search(rf"{R}|{G}", without) is not None


def _opened(sentence: str) -> str:
    """A sentence without courtesies and hedges at its beginning."""
    shorter = sentence.strip(" *_#>|\"'`.,:;-•")
    while True:
        before, shorter = shorter, _CJK_OPENER.sub("", _OPENER.sub("", shorter)).strip(" *_#>|\"'`,:;•")
        if shorter == before:
            return shorter


def _assertions(sentence: str, announced: bool, is_alone: bool) -> list[_Assertion]:
    """Numbers that a sentence asserts, and ``several`` for groups that it does."""
    denied = {m.start(1) for m in _DENIED_BEFORE.finditer(sentence) if m[1]}
    denied |= {m.start(1) for m in _DENIED_AFTER.finditer(sentence) if m[1]}
    denied |= {m.start(k) for m in _CONCEDED.finditer(sentence) for k in (1, 2) if m[k]}
    denied |= {m.start(k) for m in _TENTATIVE.finditer(sentence) for k in (1, 2) if m[k]}
    mentions = [m for m in re.finditer(R, sentence) if m.start(1) not in denied]
    asserted = {m.start(2): int(m[2]) for m in _ASSERT_BEFORE.finditer(sentence)}
    asserted |= {m.start(1): int(m[1]) for m in _POSITIVE.finditer(sentence)}
    if not _COUNTS.search(sentence):
        asserted |= {m.start(1): int(m[1]) for m in _ENDING_IN.finditer(sentence)}
    opened = _opened(sentence)
    leading = re.match(rf"(?:the |das |l['’]|el |o |het )?{R}(.*)$", opened, I | re.DOTALL)
    if leading and mentions and not _is_report(leading[2]):
        place = next((m for m in mentions if int(m[1]) == int(leading[1])), None)
        if place is not None:
            asserted[place.start(1)] = int(leading[1])
    numbers = {int(m[1]) for m in mentions}
    if len(numbers) == 1 and not asserted and _is_speakers_choice(sentence):
        asserted[mentions[-1].start(1)] = int(mentions[-1][1])
    if len(numbers) == 1 and (_ONE_LEFT.search(sentence) or announced):
        asserted[mentions[-1].start(1)] = numbers.pop()
    if mentions and not asserted and re.search(rf"(?:{_CORRECTS.pattern})[^⟦]*{R}[\s.!]*$", sentence, I):
        asserted[mentions[-1].start(1)] = int(mentions[-1][1])
    for m in _ALL_BUT.finditer(sentence):
        denied.discard(m.start(1))
        asserted[m.start(1)] = int(m[1])
    made = [
        _Assertion(start, number)
        for start, number in sorted(asserted.items())
        if start not in denied and (_ALL_BUT.search(sentence) or not _is_negated(sentence[:start]))
    ]
    return made + _groups(sentence, bool(made))


def _is_negated(before: str) -> bool:
    """Whether a negation stands before an option within its clause: "I would not pick ⟦3⟧"."""
    clause = _CLAUSE_END.split(before)[-1]
    clause = _UNSURE.sub("", _HEDGED.sub("", _NO_NEGATION.sub("", clause)))
    return _NEGATED.search(clause) is not None


def _is_speakers_choice(sentence: str) -> bool:
    """Whether a sentence about one option commits the speaker to it, or says that the description is true of it."""
    certain = _UNSURE.sub("", _HEDGED.sub("", sentence))
    if _NEGATED.search(certain) or "⟪" in sentence:
        return False
    if _COMMITS.search(certain) and not _LOOKS.search(certain):
        return True
    return (
        re.search(
            rf"{R}.*\b(?:match(?:es|ing)?|fits?|(?:is|being) (?:described|meant)|the one (?:described|meant))\b",
            certain,
            I,
        )
        is not None
    )


def _is_report(rest: str) -> bool:
    """Whether what follows a number only says something about it."""
    rest = rest.strip("*_\"')")
    if not rest.strip(" .!✅✓✔☑"):
        return False
    if re.match(
        r"\s*(?:[,;:.(—–=|-]|because|since|as\b|due|for it|it\b|which|with\b|i (?:think|believe|guess)|,)", rest, I
    ):
        return bool(re.match(r"\s*[:.)|-]+\s*(?:no\b|not\b|wrong|✗|❌|✘)", rest, I))
    return not re.match(r"\s*(?:です|だ|番|号|を|が|でしょう|と思|。)", rest)


def _groups(sentence: str, has_assertion: bool) -> list[_Assertion]:
    """``several`` for options named side by side, unless the sentence denies them or decides between them."""
    denied = {m.start(2) for m in (*_DENIED_BEFORE.finditer(sentence), *_DENIED_AFTER.finditer(sentence)) if m[2]}
    groups = []
    for match in re.finditer(r"⟪([\d,]+)⟫", sentence):
        numbers = set(match[1].split(","))
        listed = list(map(int, match[1].split(",")))
        if len(listed) > 3 and listed == list(range(1, len(listed) + 1)):
            continue
        if match.start() in denied or "0" in numbers or len(numbers) < 2 or has_assertion:
            continue
        opened = _opened(sentence)
        fit = r"(?:\s*(?:both|all|also|equally|beide|tous les deux|ambos|都|どちらも))*\s*(?:fit|fits|match|satisf|could|would|are (?:both )?(?:possible|identical|equally|the same|red|candidates)|qualif|apply|correspond|meet|pass|encaja|coincid|符合|当てはま)"
        claims = re.search(
            rf"(?<!between ){re.escape(match[0])}(?:\s*(?:sein|zijn|ser|être|です|でしょう|のどちらか))?[\s\"'.!)]*$",
            sentence,
            I,
        ) or re.search(rf"{re.escape(match[0])}{fit}", sentence, I)
        sets = re.search(
            r"\b(?:both|either|several|more than one|multiple|two|ambiguous|(?:decide|choose|distinguish) between|could be|sowohl|tanto|soit|entweder|beide|all)\b|都",
            sentence,
            I,
        )
        alone = re.match(rf"(?:the |both |either |objects? )*{re.escape(match[0])}\W*$", opened, I)
        if alone or (claims and not re.search(r"\b(?:are|were)\s+(?:the\s+)?$", sentence[: match.start()])) or sets:
            groups.append(_Assertion(match.start(), SEVERAL))
    return groups


def _special(sentence: str, announced: bool) -> _Assertion | None:
    opened = _opened(sentence)
    carried = re.sub(
        r"^(?:(?:it|the (?:description|answer|correct answer)|this|that|answer|which|my answer)(?: is|['’]s| would be)?|c['’]est|es|é|das ist|es ist|het is|i(?:['’]d| would) say|there (?:are|is|['’]s)|die antwort (?:ist|lautet)|la respuesta es|a resposta é|la réponse est|het antwoord is|答案是|答えは)[\s:,\"']+",
        "",
        opened,
        flags=I,
    )
    if (undecided := re.search(r"\b(?:whether|if|ob|si|se)\b[^⟪]*⟪", sentence, I)) and _UNSURE.search(sentence):
        return _Assertion(undecided.start(), SEVERAL)
    for text in dict.fromkeys((sentence.strip(" *_#>|\"'`"), opened, carried)):
        for pattern, choice in ((_UNSURE, UNSURE), (_NONE, NONE), (_SEVERAL, SEVERAL)):
            if pattern.match(text):
                # "No other object", "none of the others" say that one is left.
                if choice == NONE and (_ONE_LEFT.match(text) or re.match(r"no(?:ne|thing)? (?:other|else)", text, I)):
                    return None
                return _Assertion(0, choice)
    ends = re.search(r"[:,;-]\s*\"?(several|none|unknown)\"?[.!]?$", sentence, I)
    if ends:
        return _Assertion(ends.start(), ends[1].lower())
    inside = re.search(
        r"\b(?:does(?: not|n['’]t)|doesn['’]t) (?:match|fit|describe) any\b|同时?都?没有|(?<!で)(?:は|が)(?:ありません|ない)[.]?$|(?:都符合|都匹配)",
        sentence,
        I,
    )
    if inside:
        return _Assertion(inside.start(), SEVERAL if "都" in inside[0] else NONE)
    several = re.search(
        r"\b(?:could|can|might|may)(?: also)? refer to ⟪|\bambiguous\b|(?:not clear|unclear|can['’]?t (?:tell|say)|cannot (?:tell|say)) (?:whether|if)\b.*⟪|(?:both|all|equally) (?:satisfy|match|fit)|\b(?:both|all) (?:satisfy|match|fit)|candidates? \(⟪",
        sentence,
        I,
    )
    if several and not re.search(r"\b(?:but|only)\b", sentence, I):
        return _Assertion(several.start(), SEVERAL)
    unsure = re.search(
        r"(?:can['’]?t|cannot|not possible to|impossible to|unable to) (?:determine|tell|decide|identify|know) (?:which|the (?:referent|target|object))",
        sentence,
        I,
    )
    return _Assertion(unsure.start(), UNSURE) if unsure else None


def _resolve(tokens: str, assertions: list[_Assertion], specials: list[_Assertion]) -> Choice | None:
    """The choice that assertions amount to: the last one where it corrects or concludes the others."""
    numbers = [a for a in assertions if isinstance(a.choice, int)]
    groups = [a for a in assertions if a.choice == SEVERAL]
    several = groups + [s for s in specials if s.choice == SEVERAL]
    if any(a.choice == 0 for a in numbers):
        return ""
    distinct = {a.choice for a in numbers}
    if len(distinct) > 1:
        first, last = numbers[0], numbers[-1]
        settled = _CONCLUDES.search(tokens) or _CORRECTS.search(tokens)
        if not settled or (
            first.start // 1000 == last.start // 1000 and not (_CORRECTS.search(tokens) or _CONCLUDES.search(tokens))
        ):
            return None
        numbers, distinct = [last], {last.choice}
    if numbers:
        final = numbers[-1]
        # What says "several" or "none" after the number takes it back; before it, the number is the conclusion.
        later = [
            s for s in several + [s for s in specials if s.choice == NONE] if s.start // 1000 > final.start // 1000
        ]
        if later:
            return later[-1].choice if _CORRECTS.search(tokens) or len({s.choice for s in later}) > 1 else None
        return final.choice
    if several and not any(s.choice == NONE for s in specials):
        return SEVERAL
    kinds = {s.choice for s in specials}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds == {UNSURE, NONE} or kinds == {UNSURE, SEVERAL}:
        return (kinds - {UNSURE}).pop()
    return None


def _lone_mention(tokens: str, asked: bool, announced: bool, has_names: bool) -> Choice | None:
    """The one option that a text names at all, where it denies, counts and asks nothing."""
    mentions = {int(n) for n in re.findall(R, tokens)}
    if (
        asked
        or _LOOKS.search(tokens)
        or len(mentions) != 1
        or "⟪" in tokens
        or _is_negated(tokens[: tokens.rfind("⟦")])
        or _DENIED_BEFORE.search(tokens)
        or _DENIED_AFTER.search(tokens)
    ):
        return None
    (number,) = mentions
    if has_names:
        return number or None
    if _COUNTS.search(tokens) or re.search(
        rf"{R}\s*[\"')]*\s*(?:is|are|has|was|looks|seems|ist|hat|est|es|é)\b", tokens, I
    ):
        return None
    if len(tokens) > 200 or re.search(r"\b(?:step|page|figure|section|question|round|example)\s*⟦", tokens, I):
        return None
    return number if number and (announced or re.search(rf"{R}\W*$", tokens)) else None
