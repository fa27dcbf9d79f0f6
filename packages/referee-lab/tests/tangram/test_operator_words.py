"""The bot operator and people's own words: some 300 instructions of the kinds that people give, with what each asks for.

Pieces of the board that is used: 4 is the left one of the small triangles and the lower one, 1 the right one of the large ones, 2 the lower one.
"""

from random import Random
from typing import Any

import pytest

from referee_lab.tangram.game.board import Placement
from referee_lab.tangram.game.goals import find_goal, lay_out_goal, scatter_pieces
from referee_lab.tangram.game.instructions import Command, Hand, interpret, split_clauses
from referee_lab.tangram.game.piece_sets import ALL_PIECES
from referee_lab.tangram.players.contract import SAY, TURN, WAIT, Seen
from referee_lab.tangram.players.roster import OperatorBot
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

BOARD = scatter_pieces(0)
# The words, the piece in hand, what they ask for, of which piece; then where to (x, y), which way (sx, sy), how far round, beside what.
ASKED: list[tuple[str, str | None, str, str | None, dict[str, Any]]] = [
    ("I want the square in the top right corner", None, "put", "6", {"x": 1000, "y": 133}),
    ("Now drag the parallelogram over to the left hand side", None, "put", "7", {"x": 200}),
    ("position it near the bottom", "3", "put", "3", {"y": 667}),
    ("move it to the lower left corner of the screen", "3", "put", "3", {"x": 200, "y": 667}),
    ("the parallelogram has to go up into the right corner", None, "put", "7", {"x": 1000, "y": 133}),
    ("square, bottom right", None, "put", "6", {"x": 1000, "y": 667}),
    ("put the big triangle that is on the left in the middle", None, "put", "2", {"x": 600, "y": 400}),
    ("move the left small triangle to the top", None, "put", "4", {"y": 133}),
    ("put the square so that it is touching the medium triangle", None, "beside", "6", {"other": "3"}),
    ("put the square under it", "7", "beside", "6", {"other": "7", "sy": 1}),
    ("the parallelogram goes on the left side of the square", None, "beside", "7", {"other": "6", "sx": -1}),
    ("join it onto the square", "3", "beside", "3", {"other": "6"}),
    ("move it next to the left large triangle", "6", "beside", "6", {"other": "2"}),
    ("snuggle the square up to the parallelogram", None, "beside", "6", {"other": "7"}),
    ("place the medium triangle on the right of the square", None, "beside", "3", {"other": "6", "sx": 1}),
    ("have the square sit on the medium triangle", None, "beside", "6", {"other": "3", "sy": -1}),
    ("take the small triangle on the left and put it beside the square", None, "beside", "4", {"other": "6"}),
    ("let the parallelogram lean against the square", None, "beside", "7", {"other": "6"}),
    ("place the square to the left of that", "7", "beside", "6", {"other": "7", "sx": -1}),
    ("rotate the medium triangle so the point faces right", None, "turn", "3", {}),
    ("turn the parallelogram 90 degrees counterclockwise", None, "turn", "7", {"degrees": -90}),
    ("twist it a little to the left", "3", "turn", "3", {"degrees": -45}),
    ("could you rotate the square by forty-five degrees", None, "turn", "6", {"degrees": 45}),
    ("three turns clockwise", "3", "turn", "3", {"degrees": 135}),
    ("turn the medium triangle half way round", None, "turn", "3", {"degrees": 180}),
    ("rotate it two steps to the left", "3", "turn", "3", {"degrees": -90}),
    ("turn the square so it stands on its corner", None, "turn", "6", {}),
    ("it must be turned by 90 degrees", "3", "turn", "3", {"degrees": 90}),
    ("rotate it clockwise twice", "3", "turn", "3", {"degrees": 90}),
    ("turn left", "3", "turn", "3", {"degrees": -45}),
    ("flip the parallelogram over please", None, "flip", "7", {}),
    ("now turn it on its back", "7", "flip", "7", {}),
    ("I think it has to be mirrored", "7", "flip", "7", {}),
    ("you'll need to flip this", "7", "flip", "7", {}),
    ("show me its other side", "7", "flip", "7", {}),
    ("flip it the other way", "7", "flip", "7", {}),
    ("reflect the parallelogram", None, "flip", "7", {}),
    ("up a tad", "6", "shift", "6", {"sy": -1}),
    ("just a touch more to the right", "6", "shift", "6", {"sx": 1}),
    ("bit more left", "6", "shift", "6", {"sx": -1}),
    ("a little further down please", "6", "shift", "6", {"sy": 1}),
    ("move the parallelogram slightly to the right", None, "shift", "7", {"sx": 1}),
    ("now up a little and then right a little", "6", "shift", "6", {"sx": 1, "sy": -1}),
    ("the square should be a bit lower", None, "shift", "6", {"sy": 1}),
    ("it's too far left, move it right", "6", "shift", "6", {"sx": 1}),
    ("too high", "6", "shift", "6", {"sy": 1}),
    ("too far to the left", "6", "shift", "6", {"sx": 1}),
    ("move the square left by half its width", None, "shift", "6", {"sx": -1}),
    ("diagonally up left a bit", "6", "shift", "6", {"sx": -1, "sy": -1}),
    ("a bit down", "6", "shift", "6", {"sy": 1}),
    ("move that one up", "6", "shift", "6", {"sy": -1}),
    ("yes, the one you have", "6", "take", "6", {}),
    ("take that piece", "6", "take", "6", {}),
    ("this piece here", "6", "take", "6", {}),
    ("undo your last move", "6", "undo", "6", {}),
    ("no no, back", "6", "undo", "6", {}),
    ("can you put that back please", "6", "undo", "6", {}),
    ("that was wrong, put the piece back", "6", "undo", "6", {}),
    ("take back the last move", "6", "undo", "6", {}),
    ("restore the previous state", "6", "undo", "6", {}),
    ("never mind, go back", "6", "undo", "6", {}),
    ("reset it", "6", "undo", "6", {}),
    ("put the square back", "6", "undo", "6", {}),
    ("move it back to where it came from", "6", "undo", "6", {}),
    ("find the small triangle at the top", None, "take", "5", {}),
    ("choose the rightmost triangle", None, "take", "3", {}),
    ("click on the paralellogram", None, "take", "7", {}),
    ("the small triangle next to the square", None, "take", "4", {}),
    ("ok now the sqaure", None, "take", "6", {}),
    ("the bottom large triangle", None, "take", "2", {}),
    ("hold the medium triangle", None, "take", "3", {}),
    ("touch the square", None, "take", "6", {}),
    ("no the other triangle", "4", "take", "5", {}),
    ("I meant the other large one", "1", "take", "2", {}),
    ("other one please", "1", "take", "2", {}),
    ("same again", "6", "turn", "6", {}),
    ("do it again please", "6", "turn", "6", {}),
    ("another time", "6", "turn", "6", {}),
    ("one more", "6", "turn", "6", {}),
    ("and another turn", "6", "turn", "6", {}),
    ("no, other way round", "6", "turn", "6", {"degrees": 45}),
    ("in the other direction please", "6", "turn", "6", {"degrees": 45}),
    ("great, that's it", "6", "none", None, {}),
    ("very good", "6", "none", None, {}),
    ("stop", "6", "none", None, {}),
    ("yes, like that", "6", "none", None, {}),
    ("wonderful", "6", "none", None, {}),
    ("rotate the triangle", None, "ask", None, {}),
    ("put the square next to the triangle", None, "ask", None, {}),
    ("move it", None, "ask", None, {}),
    ("asdf qwer", None, "ask", None, {}),
    ("let's move the square to the right-hand corner at the bottom", None, "put", "6", {"x": 1000, "y": 667}),
    ("get the parallelogram into the upper right corner", None, "put", "7", {"x": 1000, "y": 133}),
    ("center it", "6", "put", "6", {"x": 600, "y": 400}),
    ("put the rightmost small triangle at the bottom", None, "put", "5", {"y": 667}),
    ("it goes at the left", "6", "put", "6", {"x": 200}),
    ("throw it in the bottom right corner", "6", "put", "6", {"x": 1000, "y": 667}),
    ("top left corner please", "6", "put", "6", {"x": 200, "y": 133}),
    ("place the large triangle on the right in the centre", None, "put", "1", {"x": 600, "y": 400}),
    ("could the square go in the middle?", None, "put", "6", {"x": 600, "y": 400}),
    ("move the square over to the parallelogram", None, "beside", "6", {"other": "7"}),
    ("put the parallelogram alongside the square, on the left", None, "beside", "7", {"other": "6", "sx": -1}),
    ("the square must be below the medium triangle", None, "beside", "6", {"other": "3", "sy": 1}),
    ("attach it to the bottom of the parallelogram", "6", "beside", "6", {"other": "7", "sy": 1}),
    ("place it at the right side of the square", "3", "beside", "3", {"other": "6", "sx": 1}),
    ("stack the square on the parallelogram", None, "beside", "6", {"other": "7", "sy": -1}),
    ("line up the parallelogram with the square", None, "beside", "7", {"other": "6"}),
    ("put the square to the top of the medium triangle", None, "beside", "6", {"other": "3", "sy": -1}),
    ("make the square touch the parallelogram", None, "beside", "6", {"other": "7"}),
    ("can you rotate the medium triangle 90 degrees clockwise please", None, "turn", "3", {"degrees": 90}),
    ("turn it by 180", "3", "turn", "3", {"degrees": 180}),
    ("90 degrees to the right", "3", "turn", "3", {"degrees": 90}),
    ("turn the square a little", None, "turn", "6", {"degrees": 45}),
    ("spin the parallelogram anticlockwise by a quarter", None, "turn", "7", {"degrees": -90}),
    ("it should point upwards", "3", "turn", "3", {}),
    ("tilt the square 45 degrees", None, "turn", "6", {"degrees": 45}),
    ("swivel it left", "3", "turn", "3", {"degrees": -45}),
    ("quarter turn clockwise", "3", "turn", "3", {"degrees": 90}),
    ("rotate the other way", "6", "turn", "6", {"degrees": 45}),
    ("flip the thing over", "7", "flip", "7", {}),
    ("now mirror that", "7", "flip", "7", {}),
    ("flip it upside down", "7", "flip", "7", {}),
    ("the parallelogram has to be turned over", None, "flip", "7", {}),
    ("invert the parallelogram", None, "flip", "7", {}),
    ("nudge left", "6", "shift", "6", {"sx": -1}),
    ("move the square two units to the right", None, "shift", "6", {"sx": 1}),
    ("a fraction lower", "6", "shift", "6", {"sy": 1}),
    ("slide the parallelogram downwards a good deal", None, "shift", "7", {"sy": 1}),
    ("a bit to the left and a bit up", "6", "shift", "6", {"sx": -1, "sy": -1}),
    ("not quite, a little more to the right", "6", "shift", "6", {"sx": 1}),
    ("could you move it a bit to the left?", "6", "shift", "6", {"sx": -1}),
    ("pull it down", "6", "shift", "6", {"sy": 1}),
    ("raise it", "6", "shift", "6", {"sy": -1}),
    ("lower the square a little", None, "shift", "6", {"sy": 1}),
    ("lower it", "6", "shift", "6", {"sy": 1}),
    ("yes", "6", "none", None, {}),
    ("yep that one", "6", "take", "6", {}),
    ("I don't mean that one", "6", "ask", None, {}),
    ("undo that", "6", "undo", "6", {}),
    ("take it back", "6", "undo", "6", {}),
    ("step back", "6", "undo", "6", {}),
    ("put it where it was before", "6", "undo", "6", {}),
    ("I changed my mind, put it back", "6", "undo", "6", {}),
    ("please revert", "6", "undo", "6", {}),
    ("give me the little triangle at the bottom", None, "take", "4", {}),
    ("we're going to use the parallelogram now", None, "take", "7", {}),
    ("the lower big triangle", None, "take", "2", {}),
    ("next piece: the square", None, "take", "6", {}),
    ("can you grab the medium triangle", None, "take", "3", {}),
    ("the largest triangle on the left", None, "take", "2", {}),
    ("the triangle furthest to the right", None, "take", "3", {}),
    ("do the same thing again", "6", "turn", "6", {}),
    ("a second time", "6", "turn", "6", {}),
    ("no, turn it the other way", "6", "turn", "6", {"degrees": 45}),
    ("alright, that's good", "6", "none", None, {}),
    ("we're done", "6", "none", None, {}),
    ("don't move it any more", "6", "none", None, {}),
    ("that is not correct", "6", "ask", None, {}),
    ("stop there", "6", "none", None, {}),
    ("put the parallelogram up in the top right hand corner please", None, "put", "7", {"x": 1000, "y": 133}),
    ("the medium triangle goes in the bottom middle", None, "put", "3", {"x": 600, "y": 667}),
    ("pls move square to middle", None, "put", "6", {"x": 600, "y": 400}),
    ("can we have the square on the right side of the board", None, "put", "6", {"x": 1000}),
    ("shove it over to the left edge", "6", "put", "6", {"x": 200}),
    ("it should be in the lower left corner", "6", "put", "6", {"x": 200, "y": 667}),
    ("to the middle with it", "6", "put", "6", {"x": 600, "y": 400}),
    ("put that small triangle at the top right", "4", "put", "4", {"x": 1000, "y": 133}),
    ("move the upper small triangle into the bottom right corner", None, "put", "5", {"x": 1000, "y": 667}),
    ("put the square above the parallelogram", None, "beside", "6", {"other": "7", "sy": -1}),
    ("fit the square under the medium triangle", None, "beside", "6", {"other": "3", "sy": 1}),
    ("now put this to the right of the parallelogram", "6", "beside", "6", {"other": "7", "sx": 1}),
    ("lay it against the left side of the square", "3", "beside", "3", {"other": "6", "sx": -1}),
    ("can you place the parallelogram adjacent to the square?", None, "beside", "7", {"other": "6"}),
    ("put the small triangle on the right below the square", None, "beside", "5", {"other": "6", "sy": 1}),
    ("the big triangle on the left goes next to the square", None, "beside", "2", {"other": "6"}),
    ("move it so that it sits above the square", "3", "beside", "3", {"other": "6", "sy": -1}),
    ("put it left of the square", "3", "beside", "3", {"other": "6", "sx": -1}),
    ("bring the square near the parallelogram", None, "beside", "6", {"other": "7"}),
    ("rotate the square by 45", None, "turn", "6", {"degrees": 45}),
    ("turn the parallelogram counterclockwise", None, "turn", "7", {"degrees": -45}),
    ("rotate it one step clockwise", "3", "turn", "3", {"degrees": 45}),
    ("turn it left three times", "3", "turn", "3", {"degrees": -135}),
    ("rotate this piece by half a turn", "3", "turn", "3", {"degrees": 180}),
    ("let it point to the right", "3", "turn", "3", {}),
    ("turn it around", "3", "turn", "3", {"degrees": 180}),
    ("rotate the medium triangle until its tip points down", None, "turn", "3", {}),
    ("make it face left", "3", "turn", "3", {}),
    ("twist the left big triangle by 90 degrees", None, "turn", "2", {"degrees": 90}),
    ("turn the piece 90 degrees clockwise", "3", "turn", "3", {"degrees": 90}),
    ("please flip this piece", "7", "flip", "7", {}),
    ("flip over", "7", "flip", "7", {}),
    ("mirror it along the vertical axis", "7", "flip", "7", {}),
    ("turn it face down", "7", "flip", "7", {}),
    ("do a flip with the parallelogram", None, "flip", "7", {}),
    ("flip the one on the far left", None, "flip", "7", {}),
    ("a bit more to the left", "6", "shift", "6", {"sx": -1}),
    ("slightly downwards", "6", "shift", "6", {"sy": 1}),
    ("move it right just a touch", "6", "shift", "6", {"sx": 1}),
    ("can you push it a bit further up", "6", "shift", "6", {"sy": -1}),
    ("little bit right", "6", "shift", "6", {"sx": 1}),
    ("now slightly to the left and down", "6", "shift", "6", {"sx": -1, "sy": 1}),
    ("inch it to the right", "6", "shift", "6", {"sx": 1}),
    ("move the square up a bit", None, "shift", "6", {"sy": -1}),
    ("shift the parallelogram to the left a little bit", None, "shift", "7", {"sx": -1}),
    ("it needs to go a tiny bit higher", "6", "shift", "6", {"sy": -1}),
    ("yes, take that one", "6", "take", "6", {}),
    ("ok that one", "6", "take", "6", {}),
    ("the one you just moved", "6", "take", "6", {}),
    ("this one", "6", "take", "6", {}),
    ("oh no, undo", "6", "undo", "6", {}),
    ("undo the rotation", "6", "undo", "6", {}),
    ("please put it back to its original position", "6", "undo", "6", {}),
    ("that was a mistake, go back", "6", "undo", "6", {}),
    ("return to the previous position", "6", "undo", "6", {}),
    ("turn it back", "6", "undo", "6", {}),
    ("take the big triangle on the right", None, "take", "1", {}),
    ("i need the square", None, "take", "6", {}),
    ("go for the parallelogram", None, "take", "7", {}),
    ("the topmost triangle", None, "take", "5", {}),
    ("pick the triangle at the bottom", None, "take", "2", {}),
    ("the small one on the left", None, "take", "6", {}),
    ("Take the Square!", None, "take", "6", {}),
    ("would you pick up the medium triangle", None, "take", "3", {}),
    ("grab that other big triangle", "2", "take", "1", {}),
    ("no I meant the other", "4", "take", "5", {}),
    ("again please", "6", "turn", "6", {}),
    ("same thing once more", "6", "turn", "6", {}),
    ("nope, the other way", "6", "turn", "6", {"degrees": 45}),
    ("good job", "6", "none", None, {}),
    ("ok thank you", "6", "none", None, {}),
    ("that is perfect", "6", "none", None, {}),
    ("yes, keep it there", "6", "none", None, {}),
    ("put the triangle in the middle", None, "ask", None, {}),
    ("rotate it", None, "ask", None, {}),
    ("flip the large triangle", None, "ask", None, {}),
    ("move the small triangle a bit to the left", None, "ask", None, {}),
    (
        "Alright, we begin: the big triangle on the left should end up in the centre of the table.",
        None,
        "put",
        "2",
        {"x": 600, "y": 400},
    ),
    ("Shift the square to the upper edge.", None, "put", "6", {"y": 133}),
    ("okay so the parallelogram, put it bottom left", None, "put", "7", {"x": 200, "y": 667}),
    ("it has to be in the top right", "6", "put", "6", {"x": 1000, "y": 133}),
    (
        "I'd like you to place the square immediately below the parallelogram.",
        None,
        "beside",
        "6",
        {"other": "7", "sy": 1},
    ),
    ("can the medium triangle sit to the right of the square?", None, "beside", "3", {"other": "6", "sx": 1}),
    ("put it so its side touches the square", "3", "beside", "3", {"other": "6"}),
    ("place this next to the other big triangle", "1", "beside", "1", {"other": "2"}),
    ("put the other small triangle on the left of this one", "4", "beside", "5", {"other": "4", "sx": -1}),
    ("Rotate it by 90 degrees in the clockwise direction.", "3", "turn", "3", {"degrees": 90}),
    ("a quarter turn anticlockwise, please", "3", "turn", "3", {"degrees": -90}),
    ("could you turn that piece to the left a little", "3", "turn", "3", {"degrees": -45}),
    ("make the tip of the medium triangle point to the right", None, "turn", "3", {}),
    ("one more turn", "6", "turn", "6", {}),
    ("turn the left small triangle by 45 degrees to the right", None, "turn", "4", {"degrees": 45}),
    ("Now mirror it.", "7", "flip", "7", {}),
    ("flip the parallelogram horizontally please", None, "flip", "7", {}),
    ("the parallelogram needs flipping", None, "flip", "7", {}),
    ("you must turn it over first", "7", "flip", "7", {}),
    ("Just a little bit to the left.", "6", "shift", "6", {"sx": -1}),
    ("a notch lower", "6", "shift", "6", {"sy": 1}),
    ("move it a hair to the right", "6", "shift", "6", {"sx": 1}),
    ("bit higher please", "6", "shift", "6", {"sy": -1}),
    ("still a bit more to the right", "6", "shift", "6", {"sx": 1}),
    ("the parallelogram a little further up", None, "shift", "7", {"sy": -1}),
    ("not far enough left", "6", "shift", "6", {"sx": -1}),
    ("Yes, precisely that one.", "6", "take", "6", {}),
    ("that one, yes", "6", "take", "6", {}),
    ("no the other one please", "4", "take", "5", {}),
    ("Undo that, please.", "6", "undo", "6", {}),
    ("can you undo it?", "6", "undo", "6", {}),
    ("that's wrong, put it back where it was", "6", "undo", "6", {}),
    ("back to where it was before", "6", "undo", "6", {}),
    ("go one step back", "6", "undo", "6", {}),
    ("Please pick up the medium triangle.", None, "take", "3", {}),
    ("let us take the small triangle on the right-hand side", None, "take", "5", {}),
    ("the big one at the top", None, "take", "1", {}),
    ("now we continue with the square", None, "take", "6", {}),
    ("Turn the large triangle", None, "ask", None, {}),
    ("move it a bit", None, "ask", None, {}),
    ("yes, great job", "6", "none", None, {}),
    ("looks good to me", "6", "none", None, {}),
    ("put the square on the left side", None, "put", "6", {"x": 200}),
    ("move the parallelogram into the bottom right corner", None, "put", "7", {"x": 1000, "y": 667}),
    ("the medium triangle should go to the centre", None, "put", "3", {"x": 600, "y": 400}),
    ("place it at the top of the board", "6", "put", "6", {"y": 133}),
    ("put the square beneath the medium triangle", None, "beside", "6", {"other": "3", "sy": 1}),
    ("set the parallelogram beside the square", None, "beside", "7", {"other": "6"}),
    ("move this one against the square", "3", "beside", "3", {"other": "6"}),
    ("turn the square by 45 degrees", None, "turn", "6", {"degrees": 45}),
    ("rotate it half a turn", "3", "turn", "3", {"degrees": 180}),
    ("spin it clockwise", "3", "turn", "3", {"degrees": 45}),
    ("turn it 90 degrees counter-clockwise", "3", "turn", "3", {"degrees": -90}),
    ("flip this one", "7", "flip", "7", {}),
    ("please mirror the parallelogram", None, "flip", "7", {}),
    ("turn it onto its other side", "7", "flip", "7", {}),
    ("a little to the left", "6", "shift", "6", {"sx": -1}),
    ("move it slightly upwards", "6", "shift", "6", {"sy": -1}),
    ("a bit further down", "6", "shift", "6", {"sy": 1}),
    ("push the square a bit to the right", None, "shift", "6", {"sx": 1}),
    ("that one", "6", "take", "6", {}),
    ("yes, this piece", "6", "take", "6", {}),
    ("no, the other small triangle", "4", "take", "5", {}),
    ("the other one", "2", "take", "1", {}),
    ("undo the last move", "6", "undo", "6", {}),
    ("please undo", "6", "undo", "6", {}),
    ("put that one back", "6", "undo", "6", {}),
    ("take the parallelogram", None, "take", "7", {}),
    ("grab the small triangle on the left", None, "take", "4", {}),
    ("the large triangle at the bottom", None, "take", "2", {}),
    ("again", "6", "turn", "6", {}),
    ("and once more", "6", "turn", "6", {}),
    ("no, the other way", "6", "turn", "6", {"degrees": 45}),
    ("good", "6", "none", None, {}),
    ("thanks, that's perfect", "6", "none", None, {}),
    ("rotate the small triangle", None, "ask", None, {}),
    ("put the large triangle in the middle", None, "ask", None, {}),
    ("drop the square somewhere near the parallelogram", None, "beside", "6", {"other": "7"}),
    ("hmm", None, "ask", None, {}),
    ("would you mind moving the square a bit up?", None, "shift", "6", {"sy": -1}),
    ("let's try the medium triangle", None, "take", "3", {}),
]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _wrong(text: str, held: str | None, kind: str, piece: str | None, details: dict[str, Any]) -> str | None:
    hand = Hand(piece=held, before=Placement(1.0, 2.0), last=Command("turn", held, degrees=-45)) if held else Hand()
    got = interpret(text, BOARD, hand, Random(0))
    told = {
        "x": got.x,
        "y": got.y,
        "sx": _sign(got.x),
        "sy": _sign(got.y),
        "other": got.other,
        "degrees": got.degrees % 360,
    }
    wanted = {name: value % 360 if name == "degrees" else value for name, value in details.items()}
    right = (got.kind, got.piece) == (kind, piece) and all(told[name] == value for name, value in wanted.items())
    return None if right else f"{text!r}: {got}"


def test_the_operator_follows_instructions_in_many_words() -> None:
    assert [fault for row in ASKED if (fault := _wrong(*row))] == []


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("put the medium one in the middle", "the triangle", Command("put", "3", 600.0, 400.0)),
        ("put the medium one in the middle", "the parallelogram please", Command("put", "7", 600.0, 400.0)),
        ("move the small triangle up a lot", "the small triangle on the right", Command("shift", "5", 0.0, -200.0)),
        ("move the small triangle up a lot", "the one next to the square", Command("shift", "4", 0.0, -200.0)),
        ("move the small triangle up a lot", "either", Command("shift", "4", 0.0, -200.0)),
        ("put the square next to the triangle", "the medium one", Command("beside", "6", other="3")),
        # Words that are no answer are taken as they are.
        ("move the small triangle up a lot", "put the square in the middle", Command("put", "6", 600.0, 400.0)),
    ],
)
def test_an_answer_chooses_among_the_pieces_that_were_asked_about(
    question: str, answer: str, expected: Command
) -> None:
    asked = interpret(question, BOARD, Hand(), Random(0))
    assert asked.kind == "ask"
    assert interpret(answer, BOARD, Hand(asked=asked), Random(0)) == expected


def test_an_answer_that_leaves_two_is_asked_about_again() -> None:
    asked = interpret("turn the triangle", BOARD, Hand(), Random(0))
    again = interpret("the big one", BOARD, Hand(asked=asked), Random(0))
    assert (again.kind, again.options) == ("ask", ("1", "2"))
    done = interpret("the left one", BOARD, Hand(asked=again), Random(0))
    assert (done.kind, done.piece) == ("turn", "2")


def test_how_far_to_turn_hangs_on_the_piece_that_is_chosen() -> None:
    wish = "so that it points up"
    asked = interpret(f"turn the large triangle {wish}", BOARD, Hand(), Random(0))
    chosen = interpret("the one on the left", BOARD, Hand(asked=asked), Random(0))
    at_once = interpret(f"turn it {wish}", BOARD, Hand(piece="2"), Random(0))
    assert (chosen.piece, chosen.degrees) == (at_once.piece, at_once.degrees)


PENTOMINOES = lay_out_goal(find_goal("dog"), step=90)


@pytest.mark.parametrize(
    ("text", "held", "kind", "letter", "degrees"),
    [
        ("put I below L", None, "beside", "I", 0),
        ("turn L twice", None, "turn", "L", 180),
        ("piece N to the middle please", None, "put", "N", 0),
        ("now the piece that looks like a Z", None, "take", "Z", 0),
        ("I want the L in the middle", None, "put", "L", 0),
        ("I meant the Y", None, "take", "Y", 0),
        ("Move P a bit up", None, "shift", "P", 0),
        # Half a round on a board of quarters.
        ("upside down", "I", "turn", "I", 180),
    ],
)
def test_pentominoes_go_by_letters_without_articles(
    text: str, held: str | None, kind: str, letter: str, degrees: int
) -> None:
    numbers = {ALL_PIECES[piece]["shape"]: piece for piece in PENTOMINOES.placements}
    got = interpret(text, PENTOMINOES, Hand(piece=held and numbers[held]), Random(0))
    assert (got.kind, got.piece, got.degrees % 360) == (kind, numbers[letter], degrees)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("turn the square 45 degrees and put it in the corner", ["turn the square 45 degrees", "put it in the corner"]),
        ("move it up, turn it", ["move it up", "turn it"]),
        ("Flip it, then move it up a bit.", ["Flip it", "move it up a bit."]),
        ("take the square and turn it", ["take the square, turn it"]),
        ("move it left and up", ["move it left and up"]),
        ("put it next to the square and the triangle", ["put it next to the square and the triangle"]),
    ],
)
def test_a_message_may_ask_for_several_things(text: str, parts: list[str]) -> None:
    assert split_clauses(text) == parts


def seen(*talk: tuple[str, str]) -> Seen:
    return Seen(role=OPERATOR, board=BOARD, t_ms=0.0, limit_ms=1e6, talk=talk)


def test_an_operator_does_all_that_one_message_asks_for() -> None:
    moves = OperatorBot().act(seen((SOLVER, "turn the square and put it in the middle")))
    assert [(move.command.kind, move.piece) for move in moves if move.command] == [("turn", "6"), ("put", "6")]


def test_an_operator_does_once_what_was_said_once() -> None:
    bot, said = OperatorBot(), (SOLVER, "turn the square")
    assert [move.kind for move in bot.act(seen(said))] == [TURN]
    assert [move.kind for move in bot.act(seen(said))] == [WAIT]
    assert [move.kind for move in bot.act(seen(said, (SOLVER, "turn the triangle")))] == [SAY]
