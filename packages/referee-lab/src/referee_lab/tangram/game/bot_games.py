"""Two bots play a whole puzzle.

A session with known references in a fraction of a second, to try everything that needs a recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from referee_lab.tangram.game.goals import Goal
from referee_lab.tangram.game.instructions import interpret
from referee_lab.tangram.game.log import Recording
from referee_lab.tangram.game.piece_sets import get_rotation_step
from referee_lab.tangram.game.rules import SETTINGS, start_game
from referee_lab.tangram.game.session_log import SERVER, SessionLog
from referee_lab.tangram.game.solver_bot import Instruction, Mind, instruct
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

DRAW_BACK = (
    0.2  # REX-J: the cursor is off the referent of 17.5 % of the demonstrative pronouns (Iida et al. 2010, table 5)
)


def play_bot_game(goal: Goal, seed: int, settings: Mapping[str, Any] | None = None) -> Recording:
    """Return the recording of a whole session of two bots, up to the solution or the time limit."""
    settings = {**SETTINGS, "step": get_rotation_step(goal.placements)} if settings is None else settings
    game, notes = start_game(goal, seed, settings)
    session = SessionLog(game, Random(seed))
    session.open(notes)
    mind = Mind.of(goal)
    while session.game.outcome is None:
        instruction, mind = instruct(mind, session.game.board, session.hand.piece, session.rng)
        if instruction is None:
            session.note(session.t_ms, SERVER, "end", {"reason": "nothing left to say"})
            break
        session.say(SOLVER, instruction)
        _answer_instruction(session, instruction)
    return session.make_recording(f"bots-{goal.name}-{seed}", f"bots-{seed}", settings)


def _answer_instruction(session: SessionLog, instruction: Instruction) -> None:
    """Let the operator follow an instruction as understood, or ask a question."""
    command = interpret(instruction.text, session.game.board, session.hand, session.rng)
    session.carry_out(command)
    if session.game.outcome is None and session.rng.random() < DRAW_BACK:
        session.draw_back()
    session.hand = replace(session.hand, asked=command if command.kind == "ask" else None)
    if command.kind == "ask":
        session.say(OPERATOR, Instruction(command.question))
    if command.kind == "take" and session.rng.random() < 0.3:
        span = {"start": 0, "end": 8, "referents": [command.piece], "attributes": ["dpr"]}
        session.say(OPERATOR, Instruction("this one?", (span,)))
    session.pass_time()
