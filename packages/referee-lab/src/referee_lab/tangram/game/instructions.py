"""Interprets an instruction to an operator from its words and the board.

Take, turn, flip, put, shift, beside, undo; or a question if it is unclear.

A piece is named by size, shape and position (*the small triangle on the left*), by *the other one*, or by a pronoun
(*it*, *that one*), which is the piece handled last. Taking a piece only touches it, so a wrong guess does no harm; any
other action needs a unique piece.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from random import Random

from referee_lab.tangram.game import instruction_words as vocabulary
from referee_lab.tangram.game.board import Board, Placement, compute_corners
from referee_lab.tangram.game.piece_sets import ALL_PIECES, PENTOMINOES, PIECES, get_piece_name
from referee_lab.tangram.game.solver_bot import REGIONS


@dataclass(frozen=True, slots=True)
class PieceWords:
    """The vocabulary for the pieces of a board.

    Pieces by noun and by colour, with patterns for them and for positions beside another piece.
    """

    nouns: Mapping[str, frozenset[str]]
    colours: frozenset[str]
    noun: str
    look: str
    relation: re.Pattern[str]


def _get_vocabulary(board: Board) -> PieceWords:
    return _build_vocabulary(tuple(sorted(board.placements, key=int)))


@lru_cache(maxsize=16)
def _build_vocabulary(pieces: tuple[str, ...]) -> PieceWords:
    """Return the vocabulary for a set of pieces."""
    nouns: dict[str, set[str]] = {}
    for piece in pieces:
        for word in _list_nouns(piece):
            nouns.setdefault(word, set()).add(piece)
    colours = frozenset(colour for piece in pieces if (colour := ALL_PIECES[piece].get("colour", "").lower()))
    noun = "|".join(re.escape(word) for word in sorted(nouns, key=len, reverse=True))
    look = "|".join([vocabulary.LOOK, *map(re.escape, colours)])
    sizes = "|".join(vocabulary.SIZES)
    named = (
        rf"(?:(?:the|that|this|a|an|another|your)\s+)?(?:(?:{look})\s+)*(?:{noun}|one|piece|shape|(?:{sizes}) one)s?(?!\w)"
        rf"{vocabulary.WHERE}"
    )
    relation = re.compile(
        rf"{vocabulary.RELATED}(?P<what>(?:it|that|this)\b(?! (?:{look}|{noun}|shape)\b)(?: (?:one|piece))?|{named})"
    )
    return PieceWords({word: frozenset(members) for word, members in nouns.items()}, colours, noun, look, relation)


def _list_nouns(piece: str) -> list[str]:
    """Return the nouns for a piece: its shape, its letter, or the name of a custom piece."""
    shape = ALL_PIECES[piece]["shape"]
    if piece in PIECES:
        return [word for word, named in vocabulary.SHAPES.items() if named == shape]
    if piece in PENTOMINOES:
        letter = shape.lower()
        # With its article: *a* and *i* alone are words of their own.
        called = (f"{letter} piece", f"{letter}-piece", f"{letter} shape", f"{letter}-shape", f"{letter}-shaped piece")
        alone = (f"{letter}-shaped one", f"letter {letter}", f"the {letter}", f"that {letter}", f"this {letter}")
        return [*called, *alone, *vocabulary.NICKNAMES.get(shape, ())]
    return [shape.lower()]


@dataclass(frozen=True, slots=True)
class Command:
    """The command of an instruction: `kind` is take, turn, flip, put, shift, beside, undo, ask (with a `question`) or
    none.

    Programs also give `place`, an exact position; *put* from a person is approximate.
    """

    kind: str
    piece: str | None = None
    x: float = 0.0
    y: float = 0.0
    degrees: int = 0
    other: str | None = None
    question: str = ""
    # For a question: the candidate pieces, and the action for the chosen one.
    options: tuple[str, ...] = ()
    wish: Command | None = None
    # For a turn: the words, because the angle may depend on the piece.
    turn_words: str = ""


@dataclass(frozen=True, slots=True)
class Hand:
    """The state of the hand: the cursor, the piece handled last, its earlier placement, and the last command."""

    cursor: tuple[float, float] = (600.0, 400.0)
    piece: str | None = None
    before: Placement | None = None
    last: Command | None = None
    asked: Command | None = None


def split_clauses(text: str) -> list[str]:
    """Return the clauses of a message: *turn the square and put it in the middle* has two."""
    parts = vocabulary.NEXT_CLAUSE.split(text)
    whole = parts[:1]
    for part in parts[1:]:
        # *Take the square and turn it* asks for one thing.
        if re.search(vocabulary.DOING, whole[-1].lower()):
            whole.append(part)
        else:
            whole[-1] += f", {part}"
    return whole


def interpret(text: str, board: Board, hand: Hand, rng: Random) -> Command:
    """Return the command of an instruction.

    If the words fit several pieces it touches one of them, or asks before any other action.
    """
    words = " ".join(_mark_letters(text, board).lower().replace("’", "'").split())
    for pattern, plain in vocabulary.SPELT.items():
        words = re.sub(pattern, plain, words)
    words = _mark_piece_positions(_reverse_too_far(_correct_spelling(words, board)), board)
    if vocabulary.PRAISE.match(words) or vocabulary.LEFT_ALONE.search(words):
        return Command("none")
    if vocabulary.IS_RIGHT.search(words) and not any(re.search(v, words) for v in vocabulary.VERBS.values()):
        return Command("none")
    if hand.asked and (answered := _answer_question(words, hand.asked, board)):
        return answered
    if re.search(vocabulary.VERBS["undo"], words):
        if hand.piece is None or hand.before is None:
            return Command("ask", question="there is nothing to undo: which piece do you mean?")
        return Command("undo", hand.piece)
    if vocabulary.AGAIN.search(words) and hand.last and not re.search(_get_vocabulary(board).noun, words):
        return hand.last
    if hand.piece and vocabulary.WRONG_PIECE.search(words.rstrip(" .!")):
        return _choose_other(board, hand)
    if vocabulary.WRONG.search(words):
        return Command("ask", question="sorry, what should I do instead?")
    if re.search(r"\b(?:face|facing|look|looking|point|pointing) the other way\b", words):
        return _complete_command(Command("turn"), words, board, hand, rng, degrees="half turn")
    if re.search(r"\b(?:other|opposite|wrong) (?:way|direction)\b", words) and not re.search(
        vocabulary.VERBS["flip"], words
    ):
        if hand.last is None:
            return Command("ask", question="the other way: which piece do you mean?")
        x, y, degrees = hand.last.x, hand.last.y, hand.last.degrees
        is_reversible = hand.last.kind in ("shift", "turn")
        return replace(hand.last, x=-x, y=-y, degrees=-degrees) if is_reversible else hand.last
    return _resolve_command(words, board, hand, rng)


def _mark_letters(text: str, board: Board) -> str:
    """Return the text with letters that name pieces marked: *Put L below T*, not *I want …*."""
    letters = "".join(ALL_PIECES[piece]["shape"] for piece in board.placements if piece in PENTOMINOES)
    if not letters:
        return text
    before = r"(?:(?:the|that|this|an?|letter|piece) )?"
    return re.sub(rf"\b{before}([{letters}])\b(?!['’])(?!(?<=I) (?:{vocabulary.SPEAKER_DOES})\b)", r"the \1", text)


def _correct_spelling(words: str, board: Board) -> str:
    """Return the words with typing errors in the names of pieces corrected."""
    nouns = [noun for noun in _get_vocabulary(board).nouns if len(noun) > 5 and noun.isalpha()]

    def put_right(word: re.Match[str]) -> str:
        """Return a word as the most similar noun, unchanged if none is similar."""
        if re.fullmatch(rf"(?:{'|'.join(map(re.escape, nouns))})s?", word[0]):
            return word[0]
        return next(iter(get_close_matches(word[0], nouns, 1, 0.8)), word[0])

    return re.sub(r"[a-z]{5,}", put_right, words) if nouns else words


def _reverse_too_far(words: str) -> str:
    """Return the words with *too far left* reversed, unless they also name a direction."""
    match = vocabulary.TOO_FAR.search(words)
    if match is None:
        return words
    rest = vocabulary.TOO_FAR.sub("", words)
    return (
        rest if re.search(rf"\b(?:{vocabulary.WAY})\b", rest) else f"{rest} a bit {vocabulary.BACK[match[1]]}".strip()
    )


def _mark_piece_positions(words: str, board: Board) -> str:
    """Return the words with *on the left* in *the triangle on the left* turned into an adjective."""
    lexicon = _get_vocabulary(board)
    lying = re.search(
        rf"\bthe (?P<what>(?:(?:{lexicon.look}) )*(?:{lexicon.noun}|one|piece))(?P<told> that is| that's| which is)? "
        r"(?:on|at|in) the (?:far )?(?P<side>left|right|top|bottom)(?:[- ]hand side| side)?\b(?! (?:left|right|corner|of|side))",
        words,
    )
    if lying is None:
        return words
    after = words[lying.end() :]
    elsewhere = (
        vocabulary.REGION.search(after)
        or lexicon.relation.search(after)
        or re.search(rf"\b(?:{vocabulary.WAY})\b", after)
    )
    if not (lying["told"] or elsewhere):
        return words
    return f"{words[: lying.start()]}the {lying['side']} {lying['what']}{after}"


def _choose_other(board: Board, hand: Hand) -> Command:
    """Return the command of *not that one*: the only other piece of its kind, or a question."""
    kind = ALL_PIECES[str(hand.piece)]
    alike = [p for p in board.placements if p != hand.piece and ALL_PIECES[p] == kind]
    if len(alike) == 1:
        return Command("take", alike[0])
    return Command("ask", question="sorry, which piece do you mean?")


def _resolve_command(words: str, board: Board, hand: Hand, rng: Random) -> Command:
    """Return the command of words that name an action, resolving its piece and its landmark."""
    relation = _get_vocabulary(board).relation.search(words)
    theme = words[: relation.start()] if relation else words
    kind = _find_action(words, theme, board)
    if kind in ("flip", "turn"):
        # *Flip over the square* lies over nothing.
        named = theme if relation is None or _names_a_piece(theme, board) or _has_demonstrative(theme) else words
        return _complete_command(Command(kind), named, board, hand, rng, degrees=words)
    if kind == "put" and "together" in words and len(pair := _find_matches(words, board, Hand())) == 2:
        return Command("beside", pair[0], other=pair[1])
    if relation and (kind == "put" or re.search(r"\bget\b", words)):
        return _make_beside_command(words, relation, theme, board, hand, rng)
    if (kind == "put" or (kind is None and vocabulary.SENT.search(words))) and (region := _parse_region(words)):
        return _complete_command(Command("put", None, *region), theme, board, hand, rng)
    if (way := _parse_shift(words, board)) and (
        kind == "put" or vocabulary.MEASURED.search(words) or not _names_a_piece(words, board)
    ):
        return _complete_command(Command("shift", None, *way), theme, board, hand, rng)
    if (
        vocabulary.WHERE_TO.search(words)
        and _names_a_piece(words, board)
        and len(_find_matches(words, board, hand)) > 1
    ):
        return _complete_command(Command("take"), theme, board, hand, rng)
    return _make_take_command(words, board, hand, rng, relation)


def _find_action(words: str, theme: str, board: Board) -> str | None:
    """Return the kind of action of the verb.

    With an unknown verb, a goal position means to put the piece there.
    """
    verb = next((name for name, pattern in vocabulary.VERBS.items() if re.search(pattern, words)), None)
    if verb or vocabulary.TAKING.search(words) or _is_name_only(words, board):
        return verb
    return "put" if _names_a_piece(theme, board) or _has_demonstrative(theme) else None


def _is_name_only(words: str, board: Board) -> bool:
    """Return whether the words only name a piece: *no, the square on the left*."""
    lexicon = _get_vocabulary(board)
    first = rf"(?!lower (?:the|it|that|this))(?:the|a|an|that|this|another|other|any|one|it|its|it's|which|what|where|{lexicon.look}|{lexicon.noun})"
    return bool(re.match(rf"(?:(?:{vocabulary.OPENING})[ ,:]+)*{first}\b", words))


def _make_take_command(words: str, board: Board, hand: Hand, rng: Random, relation: re.Match[str] | None) -> Command:
    """Return the command to take a piece; a description of no piece on the board gives a question."""
    theme = words[: relation.start()] if relation else words
    if not _names_a_piece(theme, board) and not _has_demonstrative(theme):
        # *Click on the square* speaks of one piece, not of two.
        theme, relation = words, None
    fitting = _find_matches(theme, board, hand)
    if relation and fitting and (landmark := _find_landmark(relation, board, hand)):
        fitting = [_find_nearest(landmark, [p for p in fitting if p != landmark] or fitting, board)]
    # The piece in hand, or one identified by position, is not a random choice.
    if fitting == [hand.piece] or (fitting and _parse_piece_position(words, board)):
        return Command("take", fitting[0])
    if fitting:
        return Command("take", rng.choice(fitting))
    pointing = re.search(r"\b(?:take|pick|next|now|no|use|grab|the|that|this|it)\b", words)
    if pointing and hand.piece:
        return Command("take", hand.piece)
    return Command("ask", question="sorry, which piece, and what should I do with it?")


def _complete_command(
    command: Command, theme: str, board: Board, hand: Hand, rng: Random, degrees: str | None = None
) -> Command:
    """Return the command for the one piece that the words denote, or a question."""
    fitting = _find_matches(theme, board, hand)
    if hand.piece and (not fitting or hand.piece in fitting):
        fitting = [hand.piece]
    turning = degrees is not None and command.kind == "turn"
    if len(fitting) != 1:
        wish = replace(command, turn_words=str(degrees)) if turning else command
        return Command("ask", question=_ask_for_piece(fitting), options=tuple(fitting), wish=wish)
    (piece,) = fitting
    return replace(command, piece=piece, degrees=_parse_rotation(str(degrees), board, piece) if turning else 0)


def _answer_question(words: str, asked: Command, board: Board) -> Command | None:
    """Return the requested action on the piece that an answer chooses.

    None if the words do not answer the question.
    """
    if not asked.options or asked.wish is None or vocabulary.NO_ANSWER.search(words):
        return None
    fitting = _narrow_options(words, asked.options, board)
    if not fitting or (len(fitting) > 1 and len(fitting) == len(asked.options)):
        return None
    if len(fitting) > 1:
        return replace(asked, question=_ask_for_piece(fitting), options=tuple(fitting))
    (piece,), wish = fitting, asked.wish
    if wish.piece is not None:
        # The piece was clear, its landmark was not.
        return replace(wish, other=piece) if piece != wish.piece else None
    turned = _parse_rotation(wish.turn_words, board, piece) if wish.kind == "turn" else 0
    return replace(wish, piece=piece, degrees=turned)


def _narrow_options(words: str, options: Sequence[str], board: Board) -> list[str]:
    """Return the pieces of a question that an answer leaves; empty if it excludes none."""
    lexicon = _get_vocabulary(board)
    relation = lexicon.relation.search(words)
    theme = words[: relation.start()] if relation else words
    size = re.search(rf"\b({'|'.join(vocabulary.SIZES)})\b", theme)
    place = re.search(r"\b(left|right|top|bottom|upper|lower)", theme)
    shape, colour, fitting = _match_looks(theme, size, options, lexicon)
    if not (shape or size or colour or place or relation or vocabulary.EITHER.search(words)):
        return []
    if place and fitting:
        axis, sign = vocabulary.AXES.get(place[1], (1, -1))
        fitting = [min(fitting, key=lambda p: sign * board.placements[p][axis])]
    elif relation and fitting and (landmark := _find_landmark(relation, board, Hand())):
        fitting = [_find_nearest(landmark, fitting, board)]
    return fitting[:1] if vocabulary.EITHER.search(words) else fitting


def _ask_for_piece(fitting: Sequence[str]) -> str:
    """Return a question for the piece, naming the options."""
    if not fitting:
        return "sorry, which piece do you mean?"
    kinds = {f"{PIECES[p]['size']} {PIECES[p]['shape']}" if p in PIECES else get_piece_name(p) for p in fitting}
    if len(kinds) > 1:
        return f"which one: the {' or the '.join(sorted(kinds))}?"
    return f"which {next(iter(kinds))}: the one on the left or the one on the right?"


# -- pieces --------------------------------------------------------------------------------------------------------------------


def _names_a_piece(words: str, board: Board) -> bool:
    """Return whether words name a piece."""
    lexicon = _get_vocabulary(board)
    look = "|".join([*vocabulary.SIZES, *lexicon.colours])
    return bool(re.search(rf"\b(?:{lexicon.noun}|(?:{look}) (?:one|piece)|other|one on the)\b", words))


def _has_demonstrative(words: str) -> bool:
    return bool(re.search(r"\b(?:it|that|this)\b", words))


def _match_looks(
    words: str, size: re.Match[str] | None, pieces: Iterable[str], lexicon: PieceWords
) -> tuple[re.Match[str] | None, re.Match[str] | None, list[str]]:
    """Return where words name a shape and a colour, and the pieces with both and with the named size."""
    shape = re.search(rf"\b({lexicon.noun})s?\b", words)
    colour = re.search(rf"\b({'|'.join(map(re.escape, lexicon.colours))})\b", words) if lexicon.colours else None
    fitting = [
        p
        for p in pieces
        if (not shape or p in lexicon.nouns[shape[1]])
        and (not size or ALL_PIECES[p]["size"] == vocabulary.SIZES[size[1]])
        and (not colour or ALL_PIECES[p].get("colour", "").lower() == colour[1])
    ]
    return shape, colour, fitting


def _find_matches(words: str, board: Board, hand: Hand) -> list[str]:
    """Return the pieces that the words may denote; empty if the words name no kind of piece."""
    lexicon = _get_vocabulary(board)
    # A size counts before a noun only: *a little to the left* names no piece.
    size = re.search(
        rf"\b({'|'.join(vocabulary.SIZES)})(?: of the)?(?= (?:(?:{lexicon.look}) )*(?:{lexicon.noun}|one|piece|shape))",
        words,
    )
    other = re.search(r"\b(?:other|another|second)\b(?! (?:side|time|way|direction|end|turn|step))", words)
    place = _parse_piece_position(words, board)
    shape, colour, fitting = _match_looks(words, size, sorted(board.placements, key=int), lexicon)
    if not shape and not size and not other and not colour and not (place and re.search(r"\b(?:one|piece)\b", words)):
        return []
    if place and hand.piece and not (shape or size or colour or other):
        # *The one on the left* is one of those that were spoken of.
        alike = [p for p in fitting if ALL_PIECES[p] == ALL_PIECES[hand.piece]]
        fitting = alike if len(alike) > 1 else fitting
    if other:
        fitting = _exclude_held(fitting, hand.piece)
    elif not size and not place and not colour and hand.piece in fitting:
        return [str(hand.piece)]
    if place and fitting:
        axis, sign = place
        return [min(fitting, key=lambda p: sign * board.placements[p][axis])]
    return fitting


def _parse_piece_position(words: str, board: Board) -> tuple[int, int] | None:
    """Return the position that identifies a piece: *the left triangle*, *the one on the left*.

    After *put*, a position is a goal.
    """
    lexicon = _get_vocabulary(board)
    after = rf"(?: (?:{'|'.join([*vocabulary.SIZES, *lexicon.colours])}))? (?:{lexicon.noun}|one|piece)\b"
    place = re.search(
        rf"\b(left|right|top|bottom|upper|lower|leftmost|rightmost|topmost|lowest)(?:most)?(?={after})", words
    )
    if place is None and not re.search(vocabulary.VERBS["put"], words):
        place = re.search(r"\b(?:on|at|in) the (?:far )?(left|right|top|bottom)\b", words)
    if place is None:
        return None
    word = place[1].removesuffix("most")
    return vocabulary.AXES.get(word, (1, -1))


def _exclude_held(fitting: list[str], held: str | None) -> list[str]:
    """Return the candidates for *the other one*: without the piece in hand, and of its shape if any."""
    rest = [p for p in fitting if p != held]
    alike = [p for p in rest if held and ALL_PIECES[p]["shape"] == ALL_PIECES[held]["shape"]]
    return [p for p in alike if held and ALL_PIECES[p] == ALL_PIECES[held]] or alike or rest


def _find_nearest(landmark: str, fitting: Sequence[str], board: Board) -> str:
    here = board.placements[landmark]
    return min(fitting, key=lambda p: math.dist(here[:2], board.placements[p][:2]))


# -- places --------------------------------------------------------------------------------------------------------------------


def _find_landmark(relation: re.Match[str], board: Board, hand: Hand) -> str | None:
    """Return the unique piece that a landmark phrase names; None if there is none."""
    what = relation["what"]
    if _is_held_piece(what):
        return hand.piece
    fitting = _find_matches(what, board, Hand())
    return fitting[0] if len(fitting) == 1 else None


def _is_held_piece(what: str) -> bool:
    """Return whether a landmark phrase is the piece in hand: *it*, *that*, *this one*."""
    return what.split(" ")[0] in ("it", "that", "this") and what.split(" ")[1:] in ([], ["one"], ["piece"])


def _make_beside_command(
    words: str, relation: re.Match[str], theme: str, board: Board, hand: Hand, rng: Random
) -> Command:
    """Return the command to put a piece beside another one."""
    landmarks = _find_matches(relation["what"], board, Hand())
    pointed = _is_held_piece(relation["what"])
    landmark = hand.piece if pointed else landmarks[0] if len(landmarks) == 1 else None
    command = _complete_command(Command("beside"), theme, board, hand, rng)
    if command.kind == "ask":
        return command
    if not pointed and len(landmarks) > 1:
        # Of two alike the other one is meant when one of them is in hand, else the nearer one.
        rest = [p for p in landmarks if p != command.piece]
        landmark = rest[0] if len(rest) == 1 else None
    side = _parse_side(relation["word"])
    if side == "beside" and (
        after := re.search(r"\b(?:on|to|at) the (left|right|top|bottom)\b", words[relation.end() :])
    ):
        side = _parse_side(after[1])
    x, y = vocabulary.SIDES[side]
    command = replace(command, x=float(x), y=float(y))
    if landmark is None or landmark == command.piece:
        return Command("ask", question=_ask_for_piece(landmarks), options=tuple(landmarks), wish=command)
    return replace(command, other=landmark)


def _parse_side(word: str) -> str:
    """Return the side that a word names: left, right, above or below."""
    if "left" in word or "right" in word:
        return "left" if "left" in word else "right"
    if "top" in word or "upper" in word or word in ("above", "over", "on top of", "onto", "on"):
        return "above"
    is_below = "bottom" in word or "lower" in word or word in ("below", "under", "underneath", "beneath")
    return "below" if is_below else "beside"


def _parse_region(words: str) -> tuple[float, float] | None:
    """Return the part of the table that words name.

    *to the left* without a side or corner is a direction, not a position.
    """
    fitting = [r for r in REGIONS if r in words]
    # *In the middle at the top* is at the top.
    fitting = [r for r in fitting if "middle" not in r] or fitting
    if fitting and not re.search(r"\b(?:in|into|to) the (?:top|bottom|upper|lower)?[- ]?(?:left|right)", words):
        # The longest, because *at the top left* holds *at the top*.
        return REGIONS[max(fitting, key=len)]
    matches = list(vocabulary.REGION.finditer(words))
    if not matches:
        return None
    # *In the right corner at the bottom* is one place.
    place = " ".join(each["place"] for each in matches)
    if (
        place in ("left", "right")
        and not matches[0]["spot"]
        and not re.search(r"\b(?:put|place|lay|set|drop|park|goes|go|belongs?)\b", words)
    ):
        return None
    x = 200.0 if "left" in place else 1000.0 if "right" in place else 600.0
    y = 133.0 if re.search("top|upper", place) else 667.0 if re.search("bottom|lower", place) else 400.0
    return x, y


def _drop_piece_positions(words: str, board: Board) -> str:
    """Return the words without positions of pieces (*at the far right*), which are not directions."""
    lexicon = _get_vocabulary(board)
    lying = r"\b(?:at|on|in) the (?:far )?(?:(?:top|bottom|upper|lower)[- ]?)?(?:left|right)\b"
    return re.sub(
        rf"{lying}|\b(?:left|right|upper|lower)(?= (?:(?:{lexicon.look}) )*(?:{lexicon.noun}|one|piece)\b)", "", words
    )


def _parse_shift(words: str, board: Board) -> tuple[float, float] | None:
    """Return the shift that words describe, in units; None without one."""
    moving = _drop_piece_positions(words, board)
    shifts = [
        (vocabulary.WAYS[m[2]], vocabulary.DISTANCES.get(m[1] or m[3] or "", vocabulary.USUAL))
        for m in vocabulary.STEP.finditer(moving)
    ]
    if not shifts:
        return None
    return sum(way[0] * amount for way, amount in shifts), sum(way[1] * amount for way, amount in shifts)


# -- turns ---------------------------------------------------------------------------------------------------------------------


def _parse_rotation(words: str, board: Board, piece: str) -> int:
    """Return the rotation that words describe for a piece, in degrees."""
    if facing := re.search(
        r"\b(?:points?|pointing|faces?|facing|looks?|looking|tip|point|corner)\b.*?\b(up|down|left|right)", words
    ):
        return _compute_facing_turn(facing[1], board, piece)
    if number := re.search(r"\b(\d+) ?(?:degrees?|°)|\b(?:by )?(45|90|135|180|225|270|315|360)\b", words):
        amount = int(number[1] or number[2])
    elif counted := vocabulary.COUNTED.search(words):
        amount = board.step * int(vocabulary.COUNTS.get(counted[1], counted[1]))
    else:
        named = next((d for phrase, d in vocabulary.DEGREES.items() if phrase in words), None)
        amount = named or board.step * next((n for phrase, n in vocabulary.NUMBERS.items() if phrase in words), 1)
    turning = _drop_piece_positions(words, board)
    return -amount if re.search(r"\b(?:left|anticlockwise|counter-?\s?clockwise)\b", turning) else amount


def _compute_facing_turn(way: str, board: Board, piece: str) -> int:
    """Return the rotation until the right angle of a triangle, or a corner, points in a direction."""
    placed = board.placements[piece]
    direction = vocabulary.WAYS[way]
    turns = range(-4 * 45 // board.step, 4 * 45 // board.step + 1)

    def rate_turn(n: int) -> tuple[float, int]:
        """Return how far a corner points in the direction after so many turns; of equal ones the fewest turns."""
        turned = placed._replace(rotation=placed.rotation + n * board.step)
        return round(_compute_facing(piece, turned, direction), 6), -abs(n)

    return max(turns, key=rate_turn) * board.step


def _compute_facing(piece: str, placed: Placement, direction: tuple[int, int]) -> float:
    """Return how far the tip of a piece points in a direction, as a cosine."""
    points = compute_corners(piece, placed)
    # A triangle's tip is its right angle; the other pieces have none, and any corner will do.
    tips = [min(points, key=lambda p: _measure_right_angle(p, points))] if len(points) == 3 else points
    return max(
        ((x - placed.x) * direction[0] + (y - placed.y) * direction[1]) / math.dist((x, y), placed[:2]) for x, y in tips
    )


def _measure_right_angle(point: tuple[float, float], points: Sequence[tuple[float, float]]) -> float:
    """Return the difference between a triangle's corner and a right angle."""
    (ax, ay), (bx, by) = ((q[0] - point[0], q[1] - point[1]) for q in points if q != point)
    return abs(ax * bx + ay * by)
