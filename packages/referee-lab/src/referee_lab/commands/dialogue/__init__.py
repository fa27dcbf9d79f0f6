"""`referee dialogue`: dialogues of any source, checked, and every reference in them as a trial.

One module per subcommand, imported when asked for.
"""

from __future__ import annotations

from referee.cli import Commands, run_group

COMMANDS: Commands = {
    "check": (
        "referee_lab.commands.dialogue.check",
        "the content of a dialogue file, its faults, and missing data",
    ),
    "items": (
        "referee_lab.commands.dialogue.items",
        "every reference as a trial of a corpus: scene, history, target, words",
    ),
    "schema": ("referee_lab.commands.dialogue.schema", "the open form of a dialogue as a JSON Schema"),
}

_HELP = """Dialogues: every reference in them is an item for speakers and hearers.

Usage: referee dialogue COMMAND [OPTIONS]

`referee dialogue COMMAND --help` explains a command.

Commands:
{commands}

`referee docs dialogues` has the open form of a dialogue and what to do with the items."""


def run(args: list[str]) -> int:
    return run_group(args, COMMANDS, _HELP, "referee dialogue")
