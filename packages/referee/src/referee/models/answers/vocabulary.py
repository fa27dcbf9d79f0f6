"""Words of answers in eight languages (en, de, fr, es, pt, nl, zh, ja), merged: an answer may be in any of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def any_of(*phrases: str) -> str:
    """A group of alternatives, as a regular expression."""
    return f"(?:{'|'.join(phrases)})"


def words(text: str) -> frozenset[str]:
    """The words of a list that is written with spaces."""
    return frozenset(text.split())


def replace_all(text: str, rules: Iterable[tuple[str, str]]) -> str:
    """Return a text after replacements of patterns, one after the other, ignoring case."""
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return text


# The lists of words; those of numbers are tables of their own.
_LISTS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
WORDS = {name: words(listed) for name, listed in _LISTS.items() if isinstance(listed, str)}
# Where a word may begin: Chinese and Japanese have no spaces between words.
START = r"(?<![^\W\u3040-\u30ff\u4e00-\u9fff])(?<!')"

# Nouns that a number may count.
KINDS = any_of(
    r"objects?(?![^\W\d_])|numbers?(?![^\W\d_])|items?(?![^\W\d_])|options?(?![^\W\d_])|choices?(?![^\W\d_])|images?(?![^\W\d_])|pictures?(?![^\W\d_])|candidates?(?![^\W\d_])|entit(?:y|ies)(?![^\W\d_])|person(?![^\W\d_])|no\.|nr\.|num\.|obj\.?|#|№|n[°º]",
    r"objekte?(?![^\W\d_])|nummer(?![^\W\d_])|bild(?:er)?(?![^\W\d_])|möglichkeit(?![^\W\d_])",
    r"objets?(?![^\W\d_])|numéros?(?![^\W\d_])|image(?![^\W\d_])|l['’]objet(?![^\W\d_])",
    r"objetos?(?![^\W\d_])|números?(?![^\W\d_])|opción(?![^\W\d_])|imagen(?![^\W\d_])|opção(?![^\W\d_])|imagem(?![^\W\d_])",
    r"objecten(?![^\W\d_])|afbeelding(?![^\W\d_])|optie(?![^\W\d_])",
    r"物体|对象|选项|編号|编号|番号|オブジェクト|画像|图片?|図",
)

NUMBER_WORDS = {language: tuple(line.split()) for language, line in _LISTS["numbers"].items()}
ORDINALS = {language: tuple(line.split()) for language, line in _LISTS["ordinals"].items()}


def number_words(language: str | None = None) -> dict[str, int]:
    """Return the number words of a language and of English, or of all languages, with their values."""
    languages = NUMBER_WORDS if language is None else {"en", language} & NUMBER_WORDS.keys()
    return {word: i for name in sorted(languages) for i, word in enumerate(NUMBER_WORDS[name], 1)}


def ordinals() -> list[tuple[str, int]]:
    """Ordinals of all languages as regular expressions, with their numbers."""
    endings = {"de": "e[nrs]?"}
    return [
        (rf"{word}{endings.get(language, '')}", i)
        for language, words in ORDINALS.items()
        for i, word in enumerate(words, 1)
    ]


# Words that announce the answer; the last one counts.
MARKERS = any_of(
    r"(?:final|correct|right|best|my|revised|corrected) (?:answer|choice|match|selection|guess|rating|score)",
    r"answer|choice|selection|selected(?: \w+)?|conclusion|result|final|decision|correction|corrected|verdict|pick",
    r"(?:endgültige |richtige |korrekte )?antwort|ergebnis|auswahl|lösung|fazit|korrektur",
    r"(?:bonne |mauvaise )?réponse(?: finale| correcte)?|résultat|choix|conclusion",
    r"respuesta(?: final| correcta)?|resultado|elección|conclusión|corrección",
    r"resposta(?: final| correta)?|escolha|conclusão|correção",
    r"(?:juiste |definitieve )?antwoord|keuze|resultaat|conclusie",
    r"(?:最终|正确)?答案|回答|结论|选择|(?:最終的な)?答え|正解|解答|結論|選択",
)

# Only beginnings count: "the chair that I cannot miss" is a description. A sentence about not knowing is no refusal.
KNOWING = (
    r"(?!,?(?: really| quite| reliably)? (?:tell|determine|decide|say|know|be (?:sure|certain)|identify (?:which|the (?:referent|target|object))|distinguish|single|see any|find (?:any|an?|the|such)|choose|pick|see (?:the target|which)|(?:give|rate|call) (?:it|this|the \w+) (?:more than |less than |higher than |above |over )?(?:an? |the )?\d+)\b"
    r"| to (?:tell|determine|decide|identify (?:which|the (?:referent|target|object))|say|choose|single)\b)"
)
REFUSAL = re.compile(
    any_of(
        rf"(?:unfortunately,? |sorry,? (?:but )?|i apologi[sz]e,? (?:but )?|(?:i['’]?m|i am)(?: so| very| really)? sorry,? (?:but )?)?i (?:can['’]?t|cannot|can not|won['’]?t|am unable|am not able|must decline|will not|do not feel comfortable){KNOWING}",
        rf"(?:unfortunately,? |sorry,? (?:but )?|(?:i['’]?m|i am)(?: so| very| really)? sorry,? (?:but )?)?i['’]m (?:unable|not able){KNOWING}",
        rf"(?:(?:i['’]?m|i am)(?: so| very| really)? sorry|sorry,(?! (?:i (?:meant|mean|got|was|mis\w+)|\W*\d|object|number|it|the|no\b|make|let|wait|actually|my|that))|i apologi[sz]e|as an? (?:ai|large language|language model|assistant))(?!,? (?:but )?i (?:can['’]?t|cannot|am unable|am not able|['’]m (?:unable|not able)|do(?: not|n['’]t) know){KNOWING.replace('(?!', '(?:', 1)})(?! i meant)\b",
        r"i(?:['’]?m| am) (?:afraid i can(?:not|['’]t)(?! (?:tell|say|decide|know))|not comfortable)|it would be inappropriate|das kann ich leider nicht tun|(?:es )?tut mir (?:sehr )?leid|entschuldigung,|leider kann ich|dabei kann ich (?:dir |ihnen )?nicht|das kann ich nicht(?! sagen| erkennen| bestimmen)|als ki\b",
        r"(?:je suis )?désolée?\b|je ne peux pas (?!le dire|dire|savoir|déterminer)|en tant qu['’]ia",
        r"lo siento|lo lamento|no puedo (?!decir|saber|determinar)|como (?:una )?ia\b",
        r"(?:me )?desculpe|sinto muito|lamento|não posso (?!dizer|saber|determinar)|como uma ia\b",
        r"het spijt me|sorry,? (?:maar |dat |daar|hier|ik )|ik kan (?:je |u )?(?:hier ?(?:mee|bij) )?niet helpen|als ai\b",
        r"(?:很|非常)?抱歉|对不起|我不能|我无法(?!确定|判断)|作为(?:一个|一名)?(?:ai|人工智能)",
        r"申し訳|すみませんが|お答えできません|お手伝いできません",
    ),
    re.IGNORECASE,
)

UNKNOWN = any_of(
    r"unknown|unclear|undetermined|unsure\b|uncertain\b|dunno\b|idk\b|unable to (?:tell|determine|decide|say|identify)|i(?:['’]d| would) need more (?:information|details?|context)|indeterminate|undecidable|not (?:sure|clear|certain|known|enough (?:info(?:rmation)?|details?|context))",
    r"(?:the )?(?:provided |given )?(?:information|description) is (?:too (?:vague|general|unclear|short)|insufficient|not (?:specific|clear|detailed) enough|unclear)",
    r"(?:i have |there(?: is|['’]s) )?no way (?:of knowing|to (?:tell|know|say|decide))|(?:the |this )?description (?:does(?: not|n['’]t)) (?:give|provide|contain|include) (?:me )?enough|insufficient (?:information|details?)|there(?: is|['’]s| isn['’]t)(?: not| too little|n['’]t)?(?: really)? (?:enough |sufficient )?(?:information|details?|context)\b(?! (?:about|in|on) ⟦)",
    r"(?:i )?(?:really |honestly |just )?(?:can['’]?t|cannot|can not|couldn['’]?t|could not)(?: really| reliably| quite)? (?:tell|determine|decide|say|know|identify|be (?:sure|certain|determined|identified|told|decided)|choose|pick)",
    r"i(?:['’]m| am)(?: really| quite)? (?:not (?:really |quite |entirely |completely )?(?:sure|certain)|unsure|uncertain|unable to (?:tell|determine|decide|identify|say)|not able to (?:tell|determine|decide|identify|say))",
    r"(?:i )?(?:really |honestly |just )?(?:do not|don['’]?t)(?: really| quite| even)? know|(?:i have )?no idea|(?:i have )?no clue",
    r"(?:it(?:['’]s| is) )?(?:impossible|hard|difficult|not possible|isn['’]t possible) to (?:tell|say|know|determine|decide)|it isn['’]t (?:possible|clear)|(?:das ist )?schwer zu sagen|(?:c['’]est )?difficile à dire|(?:es |é )?difícil (?:de )?(?:decir|dizer|saber)|moeilijk te zeggen|很?难说|it(?:['’]s| is) (?:unclear|impossible|unknown|undecidable|not (?:clear|possible)|hard to (?:tell|say)|difficult to (?:tell|say))",
    r"(?:(?:ich )?weiß (?:ich |es |das )?nicht|das weiß ich nicht|ich weiß (?:es|das) nicht|keine ahnung|unklar|unbekannt|(?:das |es )?(?:lässt sich|kann man|kann ich)\b[^.,;⟦]{0,50}? nicht (?:eindeutig |sicher )?(?:sagen|bestimmen|erkennen|entscheiden|beantworten)|ich kann (?:es |das )?nicht (?:sagen|bestimmen|erkennen|entscheiden)|nicht eindeutig bestimmbar|ich bin (?:mir )?(?:nicht (?:ganz )?sicher|unsicher))",
    r"(?:je ne sais pas|je n['’]en sais rien|je ne peux pas (?:le )?(?:dire|savoir|déterminer)|impossible (?:à|de) (?:dire|savoir|déterminer)|inconnue?|aucune idée|je ne suis pas (?:tout à fait )?s[ûu]re?|pas s[ûu]re?|indéterminée?)",
    r"(?:no (?:lo )?sé|no se puede (?:saber|decir|determinar)|desconocido|ni idea|no estoy (?:muy |del todo )?segur[oa]|no puedo (?:decir|saber|determinar)|imposible (?:de )?(?:decir|saber)|no tengo (?:ni )?idea)",
    r"(?:não (?:o )?sei|não (?:dá|é possível|se pode|posso) (?:para )?(?:saber|dizer|determinar)|desconhecid[oa]|não (?:tenho|estou com|faço) (?:certeza|ideia)|não estou (?:cert[oa]|segur[oa])|impossível (?:de )?(?:dizer|saber))",
    r"(?:ik weet (?:het|dat) niet|dat weet ik niet|weet ik niet|geen idee|onbekend|onduidelijk|niet te (?:zeggen|bepalen)|(?:dat |dit |ik )?kan (?:ik )?(?:dat |het |dit )?niet (?:zeggen|bepalen|weten)|ik ben (?:er )?niet zeker)",
    r"(?:我?(?:也)?不(?:太)?(?:知道|清楚|确定)|我?(?:也)?无法(?:确定|判断|得知)|不能确定|未知|不明确?|没有足够的?信息)",
    r"(?:どれ(?:か|が|なのか|を指しているのか)[^.]{0,12}?)?(?:わかりません|分かりません|わからない|分からない|判断できません|特定できません|不明|確信(?:は|が)(?:ありません|ない|持てません)|自信(?:は|が)(?:ありません|ない))",
)

_WIDE = str.maketrans(
    {"，": ", ", "。": ". ", "：": ": ", "；": "; ", "！": "! ", "？": "? ", "（": " (", "）": ") ", "、": ", ", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "\u00a0": " ", "\u202f": " ", "【": "[", "】": "]"}
    | {chr(0xFF10 + i): str(i) for i in range(10)}
)  # fmt: skip


def plain_marks(text: str) -> str:
    """A text with plain quotation marks, dashes, digits and punctuation."""
    return text.translate(_WIDE)


def plain_text(text: str) -> str:
    """A text with plain quotation marks, dashes, digits and punctuation, and without Markdown's emphasis."""
    return re.sub(r"\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|`", "", plain_marks(text))
