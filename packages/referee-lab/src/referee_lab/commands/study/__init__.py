"""`referee study`: human experiments, from the design to the data.

One module per subcommand, imported when it is asked for.
"""

from __future__ import annotations

from referee.cli import Commands, run_group

COMMANDS: Commands = {
    "new": ("referee_lab.commands.study.new", "make a study folder from a table of items or a run folder"),
    "chain": ("referee_lab.commands.study.chain", "make a study of the descriptions that people gave in another one"),
    "check": (
        "referee_lab.commands.study.check",
        "check a study: balance of the lists, and that people can answer every trial",
    ),
    "show": ("referee_lab.commands.study.show", "one session of a study, step by step"),
    "demo": ("referee_lab.commands.study.demo", "make a small synthetic study, to try all steps"),
    "serve": (
        "referee_lab.commands.study.serve",
        "serve one or more studies: prints the participants' and the organisers' links",
    ),
    "simulate": (
        "referee_lab.commands.study.simulate",
        "let simulated participants take part, optionally over a bad network",
    ),
    "export": (
        "referee_lab.commands.study.export",
        "export the data as tidy tables with codebook and checksums, without names",
    ),
    "import": (
        "referee_lab.commands.study.import_data",
        "put people's answers into a run folder, beside those of simulated hearers",
    ),
    "analyse": ("referee_lab.commands.study.analyse", "the planned analyses: mixed models, or the tables of TUNA 2008"),
    "datasheet": (
        "referee_lab.commands.study.datasheet",
        "write the study's datasheet (after HEDS), filled in as far as the data allow",
    ),
    "keys": ("referee_lab.commands.study.keys", "the organisers' links and the completion codes of a study"),
    "links": ("referee_lab.commands.study.links", "signed links for a laboratory or a class, one for each person"),
    "open": ("referee_lab.commands.study.open_doors", "open enrolment now"),
    "close": ("referee_lab.commands.study.close_doors", "stop enrolment; running sessions continue"),
    "schedule": ("referee_lab.commands.study.schedule", "open enrolment between two times"),
    "payment": (
        "referee_lab.commands.study.payment",
        "rewards and bonuses in the formats of Prolific and Mechanical Turk",
    ),
    "withdraw": (
        "referee_lab.commands.study.withdraw",
        "withdraw a participant by alias or code: excluded at once, deleted later",
    ),
    "correct": (
        "referee_lab.commands.study.correct",
        "correct an answer, with author and reason",
    ),
    "purge": ("referee_lab.commands.study.purge", "delete withdrawn data that are due now"),
    "backup": ("referee_lab.commands.study.backup", "copy the data while the study runs"),
    "restore": ("referee_lab.commands.study.restore", "replace a lost or damaged store by a backup"),
    "doctor": ("referee_lab.commands.study.doctor", "check store, disk, clock, lock, keys, pages and proxy"),
}

_HELP = """Human experiments: make a study, serve it, store every answer.

Usage: referee study COMMAND [OPTIONS]

`referee study COMMAND --help` explains a command.

Commands:
{commands}

A study is a folder that a person can read (`referee docs studies`); its data stay in its folder data/ (`referee docs serving`)."""


def run(args: list[str]) -> int:
    return run_group(args, COMMANDS, _HELP, "referee study")
