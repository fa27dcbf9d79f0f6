"""`referee tangram`: situated reference, from recorded dialogues to a task-performance evaluation; one module per subcommand, imported when asked for."""

from __future__ import annotations

from referee.cli import Commands, run_group

__all__ = ["COMMANDS", "run"]

COMMANDS: Commands = {
    "serve": ("referee.cli.tangram.serve", "play: a ready-made study for two people, or one with a bot, or one alone"),
    "choose": (
        "referee.cli.tangram.choose",
        "a reference game for groups: one describes, the others choose, each alone",
    ),
    "play": ("referee.cli.tangram.play", "let pairs of bots play; recordings without a browser"),
    "goals": ("referee.cli.tangram.goals", "own goal figures: drawn in a page, checked, played"),
    "replay": ("referee.cli.tangram.replay", "watch a session frame by frame: one page without a network"),
    "export": ("referee.cli.tangram.export", "a recording as ELAN, table, picture or film"),
    "import": ("referee.cli.tangram.import_tiers", "tiers of ELAN or tables, also as an annotation"),
    "transcript": (
        "referee.cli.tangram.transcript",
        "what was spoken, from a transcript or an endpoint that transcribes",
    ),
    "annotate": ("referee.cli.tangram.annotate", "mark expressions, referents and attributes over the replay"),
    "preannotate": ("referee.cli.tangram.preannotate", "what a program would mark, as an annotation of its own"),
    "agreement": ("referee.cli.tangram.agreement", "do two annotators agree? F, kappa, alpha"),
    "adjudicate": ("referee.cli.tangram.adjudicate", "decide where two annotators differ"),
    "study": ("referee.cli.tangram.study", "a task-performance study out of recordings"),
    "statistics": ("referee.cli.tangram.statistics", "what a corpus of dialogues holds: kinds of expressions, by whom"),
    "classify": ("referee.cli.tangram.classify", "say *that*, or not? models, baselines and ablations on dialogues"),
    "resolve": ("referee.cli.tangram.resolve", "which piece is meant? rankings beside chance and recency"),
    "evaluate": ("referee.cli.tangram.evaluate", "the tables of a task-performance evaluation, of people or rehearsed"),
    "reduction": ("referee.cli.tangram.reduction", "shorter with every repetition, and the pair's own? repeated games"),
}

_HELP = """Situated reference: dialogues over a shared board, and what a reference rests on.

Usage: referee tangram COMMAND [OPTIONS]      referee tangram COMMAND --help explains a command

Commands:
{commands}

docs/tangram-annotation.md and docs/tangram-evaluation.md lead through it; docs/demonstratives.md, docs/task-performance.md and
docs/repeated-reference.md show what is found."""


def run(args: list[str]) -> int:
    return run_group(args, COMMANDS, _HELP, "referee tangram")
