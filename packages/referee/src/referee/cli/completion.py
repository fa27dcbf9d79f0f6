"""Shell completion by typer: the script for a shell, and the requests of the installed script."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
import typer.main
from typer._completion_classes import completion_init
from typer._completion_shared import get_completion_script, install
from typer.core import TyperCommand, TyperGroup

from referee.cli import Commands, import_lab_module, installed_commands
from referee.errors import check_choice

VARIABLE = "_REFEREE_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


class _LazyGroup(TyperGroup):
    """A group whose commands are imported when one of them is completed."""

    def __init__(self, table: Commands, **settings: Any) -> None:
        super().__init__(**settings)
        self.table = table

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, imported when first used."""
        if cmd_name not in self.table:
            return None
        module_name, about = self.table[cmd_name]
        module = import_module(module_name or import_lab_module(cmd_name))
        if hasattr(module, "app"):
            return typer.main.get_command(module.app)
        if hasattr(module, "COMMANDS"):
            return _LazyGroup(module.COMMANDS, name=cmd_name, help=about)
        return TyperCommand(cmd_name, help=about)


def answer_request() -> int:
    """Print the completions for which the installed shell script asks through environment variables."""
    completion_init()
    _LazyGroup(installed_commands(), name="referee")(prog_name="referee", complete_var=VARIABLE)
    return 0


def run(args: list[str]) -> int:
    """Print the script for a shell, or install it."""
    shell = args[1] if len(args) > 1 else None
    if shell is not None:
        check_choice("the shell", shell, SHELLS)
    if args[0] == "--show-completion":
        print(get_completion_script(prog_name="referee", complete_var=VARIABLE, shell=shell or "bash"))
        return 0
    name, path = install(shell=shell, prog_name="referee", complete_var=VARIABLE)
    print(f"{path}\nopen a new {name} to use it")
    return 0
