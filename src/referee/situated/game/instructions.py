"""What an instruction asks an operator to do, told from its words and the board: take, turn, flip, put, shift, beside, undo; a question where it is not clear.

A piece is named by size, shape and place (*the small triangle on the left*), by *the other one*, or by pointing (*it*, *that one*), which is the piece
handled last. To take a piece is to touch it, so that a wrong guess does no harm; anything else is done to a piece only when there is one that is meant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from referee.situated.game.board import Board, Placement, corners
from referee.situated.game.piece_sets import ALL_PIECES, PENTOMINOES, PIECES, piece_name
from referee.situated.game.solver_bot import AMOUNTS, REGIONS

__all__ = ["Command", "Hand", "understand"]

# In steps of the board, usually 45 degrees: four turn a piece upside down.
NUMBERS = {"twice": 2, "two times": 2, "three times": 3, "four times": 4, "upside down": 4, "around": 4, "half": 4}
DEGREES = {"a quarter": 90, "quarter turn": 90, "right angle": 90, "half turn": 180, "half way": 180}
SIZES = {
    "big": "large",
    "bigger": "large",
    "biggest": "large",
    "large": "large",
    "medium": "medium",
    "middle": "medium",
    "small": "small",
    "smaller": "small",
    "smallest": "small",
    "little": "small",
    "tiny": "small",
}
SHAPES = {
    "triangle": "triangle",
    "square": "square",
    "parallelogram": "parallelogram",
    "rhomboid": "parallelogram",
    "rhombus": "parallelogram",
    "diamond": "square",
    "slanted piece": "parallelogram",
}
# Beside the agreed words, those that people use.
MORE_AMOUNTS = {
    "a tiny bit": 3.0,
    "slightly": 10.0,
    "somewhat": 30.0,
    "some": 30.0,
    "a lot": 200.0,
    "much": 200.0,
    "far": 300.0,
    "a small bit": 10.0,
    "more": 30.0,
    "further": 30.0,
    "farther": 30.0,
}
DISTANCES = {**AMOUNTS, **MORE_AMOUNTS}
USUAL = AMOUNTS["a bit"]
WAYS = {
    "left": (-1, 0),
    "leftwards": (-1, 0),
    "right": (1, 0),
    "rightwards": (1, 0),
    "up": (0, -1),
    "upwards": (0, -1),
    "higher": (0, -1),
    "down": (0, 1),
    "downwards": (0, 1),
    "lower": (0, 1),
}
# Which coordinate decides, and which way; what is not here is at the bottom.
_AXES = {"left": (0, 1), "right": (0, -1), "top": (1, 1), "upper": (1, 1)}
SIDES = {"left": (-1, 0), "right": (1, 0), "above": (0, -1), "below": (0, 1), "beside": (0, 0)}
_AMOUNT = "|".join(sorted(DISTANCES, key=len, reverse=True))
_WAY = "|".join(sorted(WAYS, key=len, reverse=True))
_STEP = re.compile(rf"(?:({_AMOUNT}) )?(?:to the |to your )?\b({_WAY})\b(?! of)(?:,? (?:by )?({_AMOUNT}))?")
# *The square a bit to the left*: how far is said of a way, not of where a piece lies.
_MEASURED = re.compile(rf"\b(?:{_AMOUNT}) (?:more )?to the (?:{_WAY})\b(?! of)")
_LOOK = rf"(?:{'|'.join(SIZES)}|other|left|right|top|bottom|upper|lower|leftmost|rightmost|topmost|lowest|first|second|same)"
_WHERE = r"(?: (?:on|at|in) the (?:far )?(?:left|right|top|bottom)(?:[- ]?(?:hand )?side)?)?"
_RELATED = (
    r"\b(?P<word>next to|beside|alongside|adjacent to|near|close to|closer to|nearer to|towards?|against|touch(?:ing|es)?|meets?"
    r"|(?:on |to )?the (?:left|right)(?: side)? of|(?:left|right) of"
    r"|on top of|above|over|below|underneath|beneath|under|onto|up to|to)\s+"
)
# What people call a pentomino beside its letter.
NICKNAMES = {"X": ("cross", "plus"), "I": ("bar", "stick"), "W": ("stairs", "staircase")}
_REGION = re.compile(
    r"\b(?:at|in|into|to|on|onto)\s+(?:the\s+)?(?P<place>(?:(?:top|bottom|upper|lower)[- ]?(?:left|right)?|left|right|middle|centre|center)"
    r"(?:[- ](?:left|right))?)(?P<spot>[- ]?(?:hand )?(?:corner|side|edge|of the (?:board|table|screen|area)))?"
)
_MOVING = (
    "put|place|lay|set|bring|drag|move|slide|push|shift|position|drop|stick|scoot|nudge|lift|raise|lower|pull|attach|park|carry|slot|fit|join|connect"
    "|shove|transfer|add|align|send|leave"
)
_VERBS = {
    "undo": r"\b(?:undo|cancel)\b|\b(?:take|put|move|bring|turn) (?:it|that|this)(?: one)? back\b|\b(?:go|step) back\b|\b(?:as|where|how) it was\b|\brevert\b"
    r"|\b(?:last|previous) (?:step|move|action|change)\b|\breturn (?:it|that|this)\b|\bback to (?:where|how|before|its)\b|\bbetter before\b",
    "flip": r"\b(?:flip(?:ped)?|mirror(?:ed)?|reversed?)\b|\b(?:back|reverse) side\b"
    r"|\bturn (?:it |(?:that|this) (?:one |piece )?|the \w+ |the \w+ \w+ )?over\b|\bother side up\b",
    "turn": r"\b(?:turn(?:ed)?|rotated?|spin|twist(?:ed)?|pointing|facing)\b|\bdegrees\b|\bclockwise\b"
    r"|\b(?:tip|point|corner)\b.*\b(?:points?|faces?|looks?|up|down|left|right)\b",
    "put": rf"\b(?:{_MOVING}|rest|stay|sit|goes|go|belongs?|comes?|come|have|should|needs|must|has to|want|like|take it|take that)\b",
}
# Without a place these leave a question; *get the square* does not.
_WHERE_TO = re.compile(rf"\b(?:{_MOVING})\b")
_SPELT = {
    r"\bpick(?:ing)? up\b": "pick",
    r"\bninety\b": "90",
    r"\bforty[- ]five\b": "45",
    r"\b(?:one |a )?hundred(?: and)? eighty\b": "180",
}
_IS_RIGHT = re.compile(r"\b(?:is|looks|that's|it's) (?:right|fine|good|correct|perfect|ok|okay)\b(?! of)")
# A corner that something is sent to, whatever the verb.
_SENT = re.compile(
    r"\b(?:to|into) the (?:top|bottom|upper|lower)[- ](?:left|right)|\b(?:to|into) the [\w -]*\b(?:corner|edge|middle|centre|center)\b"
)
_PRAISE = re.compile(
    r"^(?:(?:ok|okay|yes|yeah|yep|good|great|perfect|super|nice|right|exactly|thanks|thank you|well done|that's it|done|fine|stop|wait|cool|correct)[\s,.!]*)+$"
)


@dataclass(frozen=True, slots=True)
class PieceWords:
    """The words for the pieces of a board: which pieces a noun names, and which a colour; as patterns, those and a place beside another piece."""

    nouns: Mapping[str, frozenset[str]]
    colours: frozenset[str]
    noun: str
    look: str
    relation: re.Pattern[str]


def _words_on(board: Board) -> PieceWords:
    return _piece_words(tuple(sorted(board.placements, key=int)))


@lru_cache(maxsize=16)
def _piece_words(pieces: tuple[str, ...]) -> PieceWords:
    nouns: dict[str, set[str]] = {}
    for piece in pieces:
        for word in _nouns(piece):
            nouns.setdefault(word, set()).add(piece)
    colours = frozenset(colour for piece in pieces if (colour := ALL_PIECES[piece].get("colour", "").lower()))
    noun = "|".join(re.escape(word) for word in sorted(nouns, key=len, reverse=True))
    look = "|".join([_LOOK, *map(re.escape, colours)])
    named = rf"(?:(?:the|that|this|a|an|another|your)\s+)?(?:(?:{look})\s+)*(?:{noun}|one|piece|shape|(?:{'|'.join(SIZES)}) one)s?(?!\w){_WHERE}"
    relation = re.compile(rf"{_RELATED}(?P<what>it\b|that\b|{named})")
    return PieceWords({word: frozenset(own) for word, own in nouns.items()}, colours, noun, look, relation)


def _nouns(piece: str) -> list[str]:
    """What a piece is called: by its shape, by its letter, or by the name of an own piece."""
    shape = ALL_PIECES[piece]["shape"]
    if piece in PIECES:
        return [word for word, named in SHAPES.items() if named == shape]
    if piece in PENTOMINOES:
        letter = shape.lower()
        # With its article: *a* and *i* alone are words of their own.
        called = (f"{letter} piece", f"{letter}-piece", f"{letter} shape", f"{letter}-shape", f"{letter}-shaped piece")
        alone = (f"{letter}-shaped one", f"letter {letter}", f"the {letter}", f"that {letter}", f"this {letter}")
        return [*called, *alone, *NICKNAMES.get(shape, ())]
    return [shape.lower()]


@dataclass(frozen=True, slots=True)
class Command:
    """What an instruction asks for: `kind` is take, turn, flip, put, shift, beside, undo, ask (with a `question`) or none.

    Programs also say `place`, which is exact where a hand that was told *put* is not.
    """

    kind: str
    piece: str | None = None
    x: float = 0.0
    y: float = 0.0
    degrees: int = 0
    other: str | None = None
    question: str = ""
    # Of a question: the pieces to choose from, and what is to be done with the one chosen.
    options: tuple[str, ...] = ()
    wish: Command | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """Where the cursor is, which piece was handled last, where that piece lay before, and what was done last."""

    cursor: tuple[float, float] = (600.0, 400.0)
    piece: str | None = None
    before: Placement | None = None
    last: Command | None = None
    asked: Command | None = None


def understand(text: str, board: Board, hand: Hand, rng: Random) -> Command:
    """What an instruction asks for; where the words fit several pieces it touches one of them, or asks before it does more."""
    words = " ".join(text.lower().replace("’", "'").split())
    for pattern, plain in _SPELT.items():
        words = re.sub(pattern, plain, words)
    if _PRAISE.match(words) or (_IS_RIGHT.search(words) and not any(re.search(v, words) for v in _VERBS.values())):
        return Command("none")
    if hand.asked and (answered := _answer(words, hand.asked, board)):
        return answered
    if re.search(_VERBS["undo"], words):
        return _undone(hand)
    if (
        re.search(
            r"\b(?:again|once more|one more time|repeat)\b|^(?:and |just )?(?:a little bit|a bit|a little|some) more$",
            words,
        )
        and hand.last
        and not re.search(_words_on(board).noun, words)
    ):
        return hand.last
    if re.search(r"\b(?:other|opposite|wrong) (?:way|direction)\b", words) and not re.search(_VERBS["flip"], words):
        return _reversed(hand.last) if hand.last else Command("ask", question="the other way: which piece do you mean?")
    return _asked(words, board, hand, rng)


def _asked(words: str, board: Board, hand: Hand, rng: Random) -> Command:
    relation = _words_on(board).relation.search(words)
    theme = words[: relation.start()] if relation else words
    kind = next((name for name, pattern in _VERBS.items() if re.search(pattern, words)), None)
    if kind in ("flip", "turn"):
        # *Flip over the square* lies over nothing.
        named = theme if relation is None or _names_a_piece(theme, board) or _pointed(theme) else words
        return _settled(Command(kind), named, board, hand, rng, degrees=words)
    if relation and (kind == "put" or re.search(r"\bget\b", words)):
        return _beside(words, relation, theme, board, hand, rng)
    if (kind == "put" or (kind is None and _SENT.search(words))) and (region := _region(words)):
        return _settled(Command("put", None, *region), theme, board, hand, rng)
    if (way := _way(words)) and (kind == "put" or _MEASURED.search(words) or not _names_a_piece(words, board)):
        return _settled(Command("shift", None, *way), theme, board, hand, rng)
    if _WHERE_TO.search(words) and _names_a_piece(words, board) and len(_fitting(words, board, hand)) > 1:
        return _settled(Command("take"), theme, board, hand, rng)
    return _taken(words, board, hand, rng, relation)


def _taken(words: str, board: Board, hand: Hand, rng: Random, relation: re.Match[str] | None) -> Command:
    """A piece to take; what was said of nothing that is on the board is a question back."""
    fitting = _fitting(words[: relation.start()] if relation else words, board, hand)
    if relation and fitting and (landmark := _landmark(relation, board, hand)):
        fitting = [_nearest(landmark, [p for p in fitting if p != landmark] or fitting, board)]
    # The piece in hand, or one told by its place, is no matter of chance.
    if fitting == [hand.piece] or (fitting and _place_of(words, board)):
        return Command("take", fitting[0])
    if fitting:
        return Command("take", rng.choice(fitting))
    pointing = re.search(r"\b(?:take|pick|next|now|no|use|grab|the|that|this|it)\b", words)
    if pointing and hand.piece:
        return Command("take", hand.piece)
    return Command("ask", question="sorry, which piece, and what should I do with it?")


def _settled(
    command: Command, theme: str, board: Board, hand: Hand, rng: Random, degrees: str | None = None
) -> Command:
    """The command for the one piece that is meant, or a question."""
    fitting = _fitting(theme, board, hand)
    if hand.piece and (not fitting or hand.piece in fitting):
        fitting = [hand.piece]
    turning = degrees is not None and command.kind == "turn"
    if len(fitting) != 1:
        wish = replace(command, degrees=_degrees(str(degrees), board, fitting[0])) if turning and fitting else command
        return Command("ask", question=_question(fitting), options=tuple(fitting), wish=wish)
    (piece,) = fitting
    return replace(command, piece=piece, degrees=_degrees(str(degrees), board, piece) if turning else 0)


def _answer(words: str, asked: Command, board: Board) -> Command | None:
    """What was wished for, done to the piece that an answer chooses; None where the words are no answer to the question."""
    if not asked.options or asked.wish is None or len(words.split()) > 7:
        return None
    if re.search(rf"\b(?:{_words_on(board).noun})\b", words):
        return None
    place = re.search(r"\b(left|right|top|bottom|upper|lower)", words)
    if place is None:
        return None
    axis, sign = _AXES.get(place[1], (1, -1))
    return replace(asked.wish, piece=min(asked.options, key=lambda p: sign * board.placements[p][axis]))


def _question(fitting: Sequence[str]) -> str:
    if not fitting:
        return "sorry, which piece do you mean?"
    kinds = {f"{PIECES[p]['size']} {PIECES[p]['shape']}" if p in PIECES else piece_name(p) for p in fitting}
    if len(kinds) > 1:
        return f"which one: the {' or the '.join(sorted(kinds))}?"
    return f"which {next(iter(kinds))}: the one on the left or the one on the right?"


def _undone(hand: Hand) -> Command:
    if hand.piece is None or hand.before is None:
        return Command("ask", question="there is nothing to undo: which piece do you mean?")
    return Command("undo", hand.piece)


def _reversed(last: Command) -> Command:
    return replace(last, x=-last.x, y=-last.y, degrees=-last.degrees) if last.kind in ("shift", "turn") else last


# -- pieces --------------------------------------------------------------------------------------------------------------------


def _names_a_piece(words: str, board: Board) -> bool:
    known = _words_on(board)
    look = "|".join([*SIZES, *known.colours])
    return bool(re.search(rf"\b(?:{known.noun}|(?:{look}) (?:one|piece)|other|one on the)\b", words))


def _pointed(words: str) -> bool:
    return bool(re.search(r"\b(?:it|that|this)\b", words))


def _fitting(words: str, board: Board, hand: Hand) -> list[str]:
    """The pieces that the words name; none where they name no kind of piece."""
    known = _words_on(board)
    shape = re.search(rf"\b({known.noun})s?\b", words)
    colour = re.search(rf"\b({'|'.join(map(re.escape, known.colours))})\b", words) if known.colours else None
    # A size counts before a noun only: *a little to the left* names no piece.
    size = re.search(
        rf"\b({'|'.join(SIZES)})(?: of the)?(?= (?:(?:{known.look}) )*(?:{known.noun}|one|piece|shape))", words
    )
    other = re.search(r"\b(?:other|another|second)\b(?! (?:side|time))", words)
    place = _place_of(words, board)
    if not shape and not size and not other and not colour and not (place and re.search(r"\b(?:one|piece)\b", words)):
        return []
    fitting = [p for p in sorted(board.placements, key=int) if not shape or p in known.nouns[shape[1]]]
    fitting = [p for p in fitting if not size or ALL_PIECES[p]["size"] == SIZES[size[1]]]
    fitting = [p for p in fitting if not colour or ALL_PIECES[p].get("colour", "").lower() == colour[1]]
    if other:
        fitting = _others(fitting, hand.piece)
    elif not size and not place and not colour and hand.piece in fitting:
        return [str(hand.piece)]
    if place and fitting:
        axis, sign = place
        return [min(fitting, key=lambda p: sign * board.placements[p][axis])]
    return fitting


def _place_of(words: str, board: Board) -> tuple[int, int] | None:
    """Where the piece lies that is meant: *the left triangle*, *the one on the left*. After *put* a place says where to."""
    known = _words_on(board)
    after = rf"(?: (?:{'|'.join([*SIZES, *known.colours])}))? (?:{known.noun}|one|piece)\b"
    place = re.search(
        rf"\b(left|right|top|bottom|upper|lower|leftmost|rightmost|topmost|lowest)(?:most)?(?={after})", words
    )
    if place is None and not re.search(_VERBS["put"], words):
        place = re.search(r"\b(?:on|at|in) the (?:far )?(left|right|top|bottom)\b", words)
    if place is None:
        return None
    word = place[1].removesuffix("most")
    return _AXES.get(word, (1, -1))


def _others(fitting: list[str], held: str | None) -> list[str]:
    """What *the other one* can be: not the one in hand, and of its shape if there is one."""
    rest = [p for p in fitting if p != held]
    alike = [p for p in rest if held and ALL_PIECES[p]["shape"] == ALL_PIECES[held]["shape"]]
    return [p for p in alike if held and ALL_PIECES[p] == ALL_PIECES[held]] or alike or rest


def _nearest(landmark: str, fitting: Sequence[str], board: Board) -> str:
    here = board.placements[landmark]
    return min(fitting, key=lambda p: math.dist(here[:2], board.placements[p][:2]))


# -- places --------------------------------------------------------------------------------------------------------------------


def _landmark(relation: re.Match[str], board: Board, hand: Hand) -> str | None:
    what = relation["what"]
    if what in ("it", "that"):
        return hand.piece
    fitting = _fitting(what, board, Hand())
    return fitting[0] if len(fitting) == 1 else None


def _beside(words: str, relation: re.Match[str], theme: str, board: Board, hand: Hand, rng: Random) -> Command:
    """A piece to be laid against another one."""
    landmarks = _fitting(relation["what"], board, Hand())
    pointed = relation["what"] in ("it", "that")
    landmark = hand.piece if pointed else landmarks[0] if len(landmarks) == 1 else None
    command = _settled(Command("beside"), theme, board, hand, rng)
    if command.kind == "ask":
        return command
    if not pointed and len(landmarks) > 1:
        # Of two alike the other one is meant when one of them is in hand, else the nearer one.
        rest = [p for p in landmarks if p != command.piece]
        landmark = rest[0] if len(rest) == 1 else None
    if landmark is None or landmark == command.piece:
        return Command("ask", question=_question(landmarks))
    x, y = SIDES[_side(relation["word"])]
    return replace(command, other=landmark, x=float(x), y=float(y))


def _side(word: str) -> str:
    if "left" in word or "right" in word:
        return "left" if "left" in word else "right"
    if word in ("above", "over", "on top of", "onto"):
        return "above"
    return "below" if word in ("below", "under", "underneath", "beneath") else "beside"


def _region(words: str) -> tuple[float, float] | None:
    """A part of the table; *to the left* without a side or corner is a way, not a place."""
    fitting = [r for r in REGIONS if r in words]
    # *In the middle at the top* is at the top.
    fitting = [r for r in fitting if "middle" not in r] or fitting
    if fitting and not re.search(r"\b(?:in|into|to) the (?:top|bottom|upper|lower)?[- ]?(?:left|right)", words):
        # The longest, because *at the top left* holds *at the top*.
        return REGIONS[max(fitting, key=len)]
    found = _REGION.search(words)
    if found is None:
        return None
    place = found["place"].replace("-", " ")
    if (
        place in ("left", "right")
        and not found["spot"]
        and not re.search(r"\b(?:put|place|lay|set|drop|park|goes|go|belongs?)\b", words)
    ):
        return None
    x = 200.0 if "left" in place else 1000.0 if "right" in place else 600.0
    y = 133.0 if re.search("top|upper", place) else 667.0 if re.search("bottom|lower", place) else 400.0
    return x, y


def _way(words: str) -> tuple[float, float] | None:
    # *The piece at the far right* lies there.
    moving = re.sub(r"\b(?:at|on|in) the (?:far )?(?:(?:top|bottom|upper|lower)[- ]?)?(?:left|right)\b", "", words)
    found = [(WAYS[m[2]], DISTANCES.get(m[1] or m[3] or "", USUAL)) for m in _STEP.finditer(moving)]
    if not found:
        return None
    return sum(way[0] * amount for way, amount in found), sum(way[1] * amount for way, amount in found)


# -- turns ---------------------------------------------------------------------------------------------------------------------


def _degrees(words: str, board: Board, piece: str) -> int:
    if facing := re.search(
        r"\b(?:points?|pointing|faces?|facing|looks?|looking|tip|point|corner)\b.*?\b(up|down|left|right)", words
    ):
        return _to_face(facing[1], board, piece)
    if number := re.search(r"\b(\d+) ?(?:degrees?|°)", words):
        amount = int(number[1])
    else:
        named = next((d for phrase, d in DEGREES.items() if phrase in words), None)
        amount = named or board.step * next((n for phrase, n in NUMBERS.items() if phrase in words), 1)
    return -amount if re.search(r"\b(?:left|anticlockwise|counter-?\s?clockwise)\b", words) else amount


def _to_face(way: str, board: Board, piece: str) -> int:
    """How far to turn until the right angle of a triangle, or a corner of another piece, looks that way."""
    placed = board.placements[piece]
    wanted = WAYS[way]
    turns = range(-4 * 45 // board.step, 4 * 45 // board.step + 1)
    best = max(
        turns,
        key=lambda n: (
            round(_faces(piece, placed._replace(rotation=placed.rotation + n * board.step), wanted), 6),
            -abs(n),
        ),
    )
    return best * board.step


def _faces(piece: str, placed: Placement, wanted: tuple[int, int]) -> float:
    points = corners(piece, placed)
    # A triangle's tip is its right angle; the other pieces have none, and any corner will do.
    tips = [min(points, key=lambda p: _slant(p, points))] if len(points) == 3 else points
    return max(
        ((x - placed.x) * wanted[0] + (y - placed.y) * wanted[1]) / math.dist((x, y), placed[:2]) for x, y in tips
    )


def _slant(point: tuple[float, float], points: Sequence[tuple[float, float]]) -> float:
    """How far the corner of a triangle is from a right angle."""
    (ax, ay), (bx, by) = ((q[0] - point[0], q[1] - point[1]) for q in points if q != point)
    return abs(ax * bx + ay * by)
