"""`referee --show-completion SHELL` and `--install-completion SHELL`: a script with every command and option, written once.

The script asks nobody while a person types: asking Python at every press of Tab would take longer than typing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from referee.cli import COMMANDS
from referee.errors import CannotWrite, InputError

__all__ = ["run", "script_for"]

Tree = dict[tuple[str, ...], list[tuple[str, str]]]  # the words (with a line about each) that may follow a command

BASH = """# Completion of the command referee for bash, written by `referee --show-completion bash`.
_referee() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} known
  case "${{COMP_WORDS[1]}}" in
    {groups}) [ "$COMP_CWORD" -gt 2 ] && known="${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" || known="${{COMP_WORDS[1]}}" ;;
    *) [ "$COMP_CWORD" -gt 1 ] && known="${{COMP_WORDS[1]}}" || known="" ;;
  esac
  case "$known" in
{cases}
    *) COMPREPLY=() ;;
  esac
}}
complete -o default -F _referee referee
"""
# zsh can run completions written for bash.
ZSH = "#compdef referee\nautoload -U +X bashcompinit && bashcompinit\n{bash}"


def run(args: list[str]) -> int:
    """Print the script for a shell, or put it where the shell looks for it."""
    shell = args[1] if len(args) > 1 else Path(os.environ.get("SHELL", "")).name
    script = script_for(shell)
    if args[0] == "--show-completion":
        print(script, end="")
        return 0
    place, next_step = _place(shell)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(script, "utf-8")
    except OSError as error:
        raise CannotWrite(f"cannot be written ({error.strerror})", where=place, remedy="check its folder") from None
    print(f"{place}\n{next_step}")
    return 0


def script_for(shell: str) -> str:
    """The whole script for bash, zsh or fish."""
    if shell not in ("bash", "zsh", "fish"):
        raise InputError(
            f"no completion for the shell {shell!r}", remedy="say which: referee --show-completion bash (or zsh, fish)"
        )
    tree = _tree()
    if shell == "fish":
        return "\n".join(_fish(tree)) + "\n"
    bash = _bash(tree)
    return ZSH.format(bash=bash) if shell == "zsh" else bash


def _place(shell: str) -> tuple[Path, str]:
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    again = "open a new shell to use it"
    return {
        "bash": (data / "bash-completion" / "completions" / "referee", f"{again} (needs the package bash-completion)"),
        "zsh": (
            data / "zsh" / "site-functions" / "_referee",
            f"add to ~/.zshrc before compinit: fpath+={data / 'zsh' / 'site-functions'}",
        ),
        "fish": (config / "fish" / "completions" / "referee.fish", again),
    }[shell]


def _tree() -> Tree:
    tree: Tree = {(): [(name, about) for name, (_, about) in COMMANDS.items()]}
    for name, (module_name, _) in COMMANDS.items():
        module = import_module(module_name)
        # Groups of ours have a table and a plain `run`; typer's own groups are looked into below.
        below = getattr(module, "COMMANDS", None) if hasattr(module, "run") else None
        if below:
            tree[name,] = [(sub, about) for sub, (_, about) in below.items()]
            tree |= {(name, sub): _options(import_module(place)) for sub, (place, _) in below.items()}
        else:
            tree[name,] = _options(module)
    return tree


def _options(module: object) -> list[tuple[str, str]]:
    """The long options of a command, or its subcommands where it is a group of typer's."""
    import typer.main

    if not hasattr(module, "app"):
        return [("--help", "this page")]
    command = typer.main.get_command(module.app)
    if below := getattr(command, "commands", None):
        return [(name, one.get_short_help_str(200)) for name, one in below.items()]
    given = [(p.opts[0], getattr(p, "help", "") or "") for p in command.params if p.opts[0].startswith("--")]
    return [*given, *([] if any(name == "--help" for name, _ in given) else [("--help", "explain this command")])]


def _bash(tree: Tree) -> str:
    groups = "|".join(path[0] for path in tree if len(path) == 1 and any(p[:1] == path and len(p) == 2 for p in tree))
    cases = [
        f'    "{" ".join(path)}") COMPREPLY=($(compgen -W "{" ".join(name for name, _ in words)}" -- "$word")) ;;'
        for path, words in tree.items()
    ]
    return BASH.format(groups=groups, cases="\n".join(cases))


def _fish(tree: Tree) -> Iterator[str]:
    yield "# Completion of the command referee for fish, written by `referee --show-completion fish`."
    for path, words in tree.items():
        below = {p[len(path)] for p in tree if len(p) == len(path) + 1 and p[: len(path)] == path}
        seen = " && ".join(f"__fish_seen_subcommand_from {word}" for word in path)
        if path and below:
            seen += f" && not __fish_seen_subcommand_from {' '.join(sorted(below))}"
        for name, about in words:
            # Inside single quotes fish knows these two as special.
            text = about.partition("\n")[0].replace("\\", "").replace("'", "’")
            what = f"-l {name[2:]}" if name.startswith("--") else f"-f -a {name}"
            yield f"complete -c referee -n '{seen or '__fish_use_subcommand'}' {what} -d '{text}'"
