"""`referee tangram`: situated reference, from recorded dialogues to a task-performance evaluation.

One module per subcommand, imported when asked for.
"""

from __future__ import annotations

from referee.cli import Commands, run_group

COMMANDS: Commands = {
    "serve": (
        "referee_lab.commands.tangram.serve",
        "play: a ready-made study for two people, or one with a bot, or one alone",
    ),
    "choose": (
        "referee_lab.commands.tangram.choose",
        "a reference game for groups: one describes, the others choose, each alone",
    ),
    "play": ("referee_lab.commands.tangram.play", "let pairs of bots play; recordings without a browser"),
    "goals": ("referee_lab.commands.tangram.goals", "custom goal figures: check whether each can be solved"),
    "replay": ("referee_lab.commands.tangram.replay", "watch a session frame by frame: one page that needs no network"),
    "export": ("referee_lab.commands.tangram.export", "a recording as ELAN, table or picture"),
    "import": ("referee_lab.commands.tangram.import_tiers", "import tiers from ELAN or tables, also as an annotation"),
    "repair": (
        "referee_lab.commands.tangram.repair",
        "repair old recordings: give every puzzle its part of the stored voice",
    ),
    "transcript": (
        "referee_lab.commands.tangram.transcript",
        "add speech from a transcript or an endpoint that transcribes",
    ),
    "annotate": ("referee_lab.commands.tangram.annotate", "mark expressions, referents and attributes over the replay"),
    "preannotate": (
        "referee_lab.commands.tangram.preannotate",
        "mark expressions by rules, as another annotation",
    ),
    "agreement": ("referee_lab.commands.tangram.agreement", "compare two annotators: F, kappa, alpha"),
    "adjudicate": ("referee_lab.commands.tangram.adjudicate", "decide where two annotators differ"),
    "study": ("referee_lab.commands.tangram.study", "make a task-performance study from recordings"),
    "statistics": (
        "referee_lab.commands.tangram.statistics",
        "describe a corpus of dialogues: kinds of expressions, by role",
    ),
    "classify": (
        "referee_lab.commands.tangram.classify",
        "predict demonstrative pronouns: models, baselines and ablations on dialogues",
    ),
    "resolve": (
        "referee_lab.commands.tangram.resolve",
        "resolve references to pieces: rankings with chance and recency as baselines",
    ),
    "evaluate": (
        "referee_lab.commands.tangram.evaluate",
        "the tables of a task-performance evaluation, of people or rehearsed",
    ),
    "reduction": (
        "referee_lab.commands.tangram.reduction",
        "repeated games: do descriptions shorten, and are they specific to the pair?",
    ),
}

_HELP = """Situated reference: dialogues over a shared board, and models of reference in them.

Usage: referee tangram COMMAND [OPTIONS]

`referee tangram COMMAND --help` explains a command.

Commands:
{commands}

`referee docs tangram-annotation` and `referee docs tangram-evaluation` are tutorials; `referee docs demonstratives`, `referee docs task-performance` and
`referee docs repeated-reference` show results."""


def run(args: list[str]) -> int:
    return run_group(args, COMMANDS, _HELP, "referee tangram")
