"""The vocabulary of instructions to an operator: sizes, directions, positions and verbs, with variant spellings.

Patterns are tried in the order of the lists; `instructions` interprets them on a board.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from referee_lab.tangram.game.solver_bot import AMOUNTS

Meaning = TypeVar("Meaning")


def _index_words(words: Mapping[Meaning, str]) -> dict[str, Meaning]:
    """Return the meaning of every word, from the words for every meaning."""
    return {word: meaning for meaning, listed in words.items() for word in listed.split(", ")}


# In steps of the board, 45 or 90 degrees.
NUMBERS = {"twice": 2}
COUNTED = re.compile(r"\b(one|two|three|four|five|six|seven|[1-7]) (?:steps?|turns?|times|clicks?|notch(?:es)?)\b")
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
DEGREES = {"a quarter": 90, "quarter turn": 90, "right angle": 90, "half": 180, "upside down": 180, "round": 180}
SIZES = _index_words(
    {
        "large": "big, bigger, biggest, large",
        "medium": "medium, middle",
        "small": "small, smaller, smallest, little, tiny",
    }
)
SHAPES = _index_words(
    {
        "triangle": "triangle",
        "square": "square, diamond",
        "parallelogram": "parallelogram, rhomboid, rhombus, slanted piece, trapezoid, trapezium",
    }
)
# Beside the agreed words, those that people use.
MORE_AMOUNTS = {
    3.0: "a tiny bit",
    10.0: "slightly, a small bit",
    30.0: "somewhat, some, more, further, farther",
    200.0: "a lot, much",
    300.0: "far",
}
DISTANCES = {**AMOUNTS, **_index_words(MORE_AMOUNTS)}
USUAL = AMOUNTS["a bit"]
WAYS = _index_words(
    {
        (-1, 0): "left, leftwards",
        (1, 0): "right, rightwards",
        (0, -1): "up, upwards, higher",
        (0, 1): "down, downwards, lower",
    }
)
# The coordinate that decides, and its sign; unlisted words mean the bottom.
AXES = {"left": (0, 1), "right": (0, -1), "top": (1, 1), "upper": (1, 1)}
SIDES = {"left": (-1, 0), "right": (1, 0), "above": (0, -1), "below": (0, 1), "beside": (0, 0)}
AMOUNT = "|".join(sorted(DISTANCES, key=len, reverse=True))
WAY = "|".join(sorted(WAYS, key=len, reverse=True))
STEP = re.compile(rf"(?:({AMOUNT}) )?(?:to the |to your )?\b({WAY})\b(?! of)(?:,? (?:by )?({AMOUNT}))?")
# *The square a bit to the left*: how far is said of a way, not of where a piece lies.
MEASURED = re.compile(
    rf"\b(?:{AMOUNT}) (?:more )?to the (?:{WAY})\b(?! of)"
    rf"|\b(?:a bit|a little|slightly|a touch|a tiny bit|somewhat|a lot)(?: bit)? (?:more |further |farther )?(?:{WAY})\b(?! of)"
)
LOOK = rf"(?:{'|'.join(SIZES)}|other|left|right|top|bottom|upper|lower|leftmost|rightmost|topmost|lowest|first|second|same)"
WHERE = r"(?: (?:on|at|in) the (?:far )?(?:left|right|top|bottom)(?:[- ]?(?:hand )?side)?)?"
RELATED = (
    r"\b(?P<word>next to|beside|alongside|adjacent to|near|close to|closer to|nearer to|towards?|against"
    r"|touch(?:ing|es)?|meets?"
    r"|(?:on |onto |to |at |against )?the (?:left|right|top|bottom|upper|lower)(?:[- ]hand)?(?: side| edge"
    r"| end)? of|(?:left|right) of"
    r"|on top of|above|over|below|underneath|beneath|under|onto|up to|to|on)\s+"
)
# After *I* it is the speaker who does it, and *I* no piece.
SPEAKER_DOES = (
    "want|wanted|would|need|needed|mean|meant|think|thought|see|have|had|am|do|don't|did|didn't|was|like|said|say|guess|can|can't|will|won't|know"
    "|could|should|must|just|also|really|believe|hope|told|asked"
)
# Names of pentominoes besides their letters.
NICKNAMES = {"X": ("cross", "plus"), "I": ("bar", "stick"), "W": ("stairs", "staircase")}
REGION = re.compile(
    r"\b(?:at|in|into|to|on|onto|near|towards?|by)\s+(?:the\s+)?(?P<place>(?:(?:top|bottom|upper"
    r"|lower)[- ]?(?:left|right)?|left|right|middle|centre|center)"
    r"(?:[- ](?:left|right))?)(?P<spot>[- ]?(?:hand )?(?:corner|side|edge|of the (?:board|table|screen|area)))?"
)
MOVING = (
    "put|place|lay|set|bring|drag|move|slide|push|shift|position|drop|stick|scoot|nudge|lift|raise"
    r"|lower(?= (?:it|that|this|the)\b)|pull|attach|park|carry|slot|fit|join|connect"
    "|shove|transfer|add|align|send|leave|lean|tuck|snuggle|glue|insert|squeeze|wedge|hang|combine|link"
)
VERBS = {
    "undo": r"\b(?:undo|cancel|restore|reset)\b|\b(?:take|put|move|bring|turn) (?:it|that|this"
    r"|the \w+(?: \w+)?)(?: one)? back\b(?! (?:a|to the|up|down|left|right)\b)|\btake back\b"
    r"|(?<!its )\bback(?: please)?[.!]*$|\b(?:go|step) back\b|\b(?:as|where|how) it was\b|\brevert\b"
    r"|\b(?:last|previous) (?:step|move|action|change)\b|\breturn (?:it|that|this)\b|\bback to (?:where|how"
    r"|before|its)\b|\bbetter before\b"
    r"|\bforget (?:it|that|about (?:it|that))\b|\b(?:previous|old|original|former|earlier|last) (?:place"
    r"|position|spot|orientation)\b",
    "flip": r"\b(?:flip(?:ped|ping)?|mirror(?:ed|ing)?|reversed?|reflect(?:ed)?|invert(?:ed)?)\b|\bturned over\b|\b(?:back"
    r"|reverse) side\b|\bits other side\b|\bon its back\b|\bface (?:down|up)\b"
    r"|\bturn (?:it |(?:that|this) (?:one |piece )?|the \w+ |the \w+ \w+ )?over\b|\bother side up\b",
    "turn": r"\b(?:turn(?:ed|ing)?|rotat(?:e|ed|ing)|spin|twist(?:ed)?|tilt(?:ed)?|swivel|pivot|pointing|facing)\b|\b(?:points?"
    r"|faces?) (?:up|down|left|right|to the|towards)|\bdegrees\b|\bclockwise\b"
    r"|\b(?:tip|point|corner)\b.*\b(?:points?|faces?|looks?|up|down|left|right)\b|\bupside down\b|\bstands? on (?:its|a) (?:tip"
    r"|point|corner)\b",
    "put": rf"\b(?:{MOVING}|rest|stay|sit|goes|go|belongs?|comes?|come|have|make|should|needs|must|has to|want|like"
    rf"|take it|take that)\b",
}
TAKING = re.compile(
    r"\b(?:take|pick|grab|get|use|using|select|choose|need|find|click|start|begin|hold|touch|see|mean|meant"
    r"|want|look|point|show|give|try|continue|proceed|go(?:ing)?)\b"
)
OPENING = (
    "ok|okay|no|not|yes|yep|yeah|now|then|and|next|so|well|please|exactly|right|good|great|rather|that's|thats"
    "|piece|sorry|with|is"
)
DOING = rf"{VERBS['flip']}|{VERBS['turn']}|\b(?:{MOVING})\b"
NEXT_CLAUSE = re.compile(
    rf"[,;.]?\s+(?:and then|and|then)\s+(?=(?:please |also )?(?:{MOVING}|turn|rotate|spin|twist|tilt|flip"
    rf"|mirror)\b)|,\s+(?=(?:{MOVING}|turn|rotate|flip)\b)|[;.!]\s+(?=\w)",
    re.IGNORECASE,
)
# Without a place these leave a question; *get the square* does not.
WHERE_TO = re.compile(rf"\b(?:{MOVING})\b")
SPELT = {
    r"\bpick(?:ing)? up\b": "pick",
    r"\bninety\b": "90",
    r"\bforty[- ]five\b": "45",
    r"\b(?:one |a )?hundred(?: and)? eighty\b": "180",
    r"\banti[- ]clockwise\b": "anticlockwise",
    rf"\b({'|'.join(SIZES)})[- ]sized?\b": r"\1",
    # Words that do not change a position.
    r"\b(?:very|directly|immediately|straight) (?=to |on |at |in |top|bottom|middle|cent|next|above|below|under|beside)": "",
    r"(?<!the )(?<!far )\bright (?=next|above|below|under|beside|against|on top|in the (?:middle|cent))": "",
    r"\b(?:center|centre) (it|that|this|the)\b": r"put \1 in the middle",
    r"\bline(?:d)? up\b": "align",
    r"\b(?:furthest|farthest) (?:to the )?(left|right)\b": r"on the far \1",
    r"\b(?:furthest|farthest) up\b": "at the far top",
    r"\b(?:furthest|farthest) down\b": "at the far bottom",
    r"^((?:ok|now|then|to|in|into|the|and)[ ,]+)*(top|bottom|upper|lower)[- ](left|right)(?:[- ]hand)?(?: corner)?(?: please)?[.!]?$": r"put it to the \2 \3",
    r"\ball the way (?:over )?(?:to the )?(left|right)(?! (?:edge|side|hand|corner))\b": r"to the \1 edge",
    r"\ball the way up\b": "to the top edge",
    r"\ball the way down\b": "to the bottom edge",
    r"\b(it|that|this|one) (top|bottom|upper|lower)[- ](left|right)(?= ?(?:corner)?(?: please)?[.!]?$)": r"\1 in the \2 \3",
    r"\btogether: (the .+?) and (the .+)$": r"next to each other, put \1 next to \2",
    r", (top|bottom|upper|lower)[- ](left|right)(?= ?(?:corner)?[.!]?$)": r" to the \1 \2",
    r"\bup (?:in|into|to) the (left|right) corner": r"into the top \1 corner",
    r"\bdown (?:in|into|to) the (left|right) corner": r"into the bottom \1 corner",
    r"\b(?:to|on|at) its (left|right)(?: side)?\b": r"to the \1 of it",
    r"\b(raise|lift) (it|that|this)(?: one)?(?: please)?[.!]?$": r"move \2 a bit up",
    r"\b(connect|join|combine|align|unite|link)\b(.*?) with\b": r"\1\2 to",
    r"\b(put|push|bring|move|slide|place) (the .+?) and (the .+?) together\b": r"\1 \2 next to \3",
}
IS_RIGHT = re.compile(
    r"\b(?:is|looks?|that's|it's|thats|its) (?:all |just |very |really |much )?(?:right|fine|good|great|nice"
    r"|better|correct|perfect|ok|okay|it|the (?:right|correct) one|the one)\b(?! of| (?:on|at|in|to(?! me\b)|next) )"
)
TOO_FAR = re.compile(r"\b(?:(?:it's|it is|that's|that is) )?too (?:far )?(?:to the )?(left|right|high|low|up|down)\b,?")
BACK = {"left": "right", "right": "left", "high": "down", "up": "down", "low": "up", "down": "up"}
WRONG = re.compile(r"^no+[.!]*$|\b(?:is|that's|it's|was|thats) (?:not (?:right|correct|good|it)|wrong|incorrect)[.!]*$")
LEFT_ALONE = re.compile(
    r"\b(?:don't|do not|stop) (?:move|moving|touch|touching)\b|\b(?:leave|keep|let) (?:it|that"
    r"|this)(?: one)? (?:there|here|like (?:that|this)|as it is|where it is|so|be|alone)\b"
)
AGAIN = re.compile(
    r"\b(?:again|once more|one more time|(?:another|(?:a )?second|(?:a )?third) (?:time|turn|step)|repeat"
    r"|keep going|carry on|continue)\b"
    r"|^(?:and |just )?(?:a little bit|a bit|a little|some|one) more$"
)
WRONG_PIECE = re.compile(
    r"\b(?:don't|do not|didn't) (?:mean|want) (?:this|that|it)\b|\bnot the (?:right|correct) (?:one|piece)\b"
    r"|\b(?:not|wrong) (?:this|that|the|one|piece)(?: (?:one|piece))?$|\bthe wrong (?:one|piece)$"
)
# A corner that something is sent to, whatever the verb.
SENT = re.compile(
    r"\b(?:to|into) the (?:top|bottom|upper|lower)[- ](?:left|right)|\b(?:to|into) the [\w -]*\b(?:corner|edge"
    r"|middle|centre|center)\b"
)
# Words that want something done are no answer to *which one?*
NO_ANSWER = re.compile(
    rf"{VERBS['undo']}|{VERBS['flip']}|{VERBS['turn']}|\b(?:{MOVING})\b|\b(?:a bit|a little|slightly|a touch"
    rf"|a tiny bit|somewhat|a lot)\b"
)
EITHER = re.compile(r"\b(?:either|any|whichever|doesn't matter|does not matter|don't care|you choose|your choice)\b")
PRAISE = re.compile(
    r"^(?:(?:ok|okay|yes|yeah|yep|very good|good|great|perfect|super|nice|right|exactly|thanks|thank you"
    r"|well done|that's it|done|fine|stop|wait|cool|correct"
    r"|excellent|wonderful|brilliant|awesome|lovely|amazing|like that|just like that|got it|(?:good|great|nice) (?:job|work)"
    r"|nicely done|hold on|(?:we're |we are |i'm )?done|(?:stop )?there|that's enough|enough|alright|all right"
    r"|sure|hi|hello|hey)[\s,.!]*)+$"
)
