"""Pages of the site that are made from code: commands, named components and Python names; redirects from old addresses; llms.txt."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from referee import FUNCTIONS

HERE = Path(__file__).parent
GROUPS = {
    "study": "referee_lab.commands.study",
    "tangram": "referee_lab.commands.tangram",
    "dialogue": "referee_lab.commands.dialogue",
    "corpus": "referee.cli.corpus",
    "task": "referee.cli.task",
}
KINDS = {
    "metric": ("metrics", "Measures"),
    "system": ("systems-list", "Systems"),
    "hearer": ("hearers-list", "Hearers"),
    "corpus": ("corpora-list", "Corpora"),
    "protocol": ("protocols-list", "Protocols"),
}
NAMES = {
    **{name: [f"referee.api.{name}.{name}"] for name in FUNCTIONS},
    "describe": ["referee.jobs.describe.describe"],
    "open_corpus": ["referee.jobs.open.open_corpus"],
    "create": ["referee.catalogue.create"],
    "results": ["referee.api.results"],
    "Run": ["referee.jobs.folder.Run", "referee.jobs.score.Settings"],
    "records": [
        f"referee.records.{n}"
        for n in ("Trial", "Scene", "Entity", "Property", "Description", "Response", "Outcome", "Score")
    ],
    "contracts": [
        *(
            f"referee.contracts.{n}"
            for n in ("Metric", "Speaker", "Selector", "Realiser", "Hearer", "Corpus", "Card", "Batch")
        ),
        "referee.metrics.measure.Measure",
        "referee.hearers.answering.Listener",
        "referee_lab.study.protocols.contract.Kind",
    ],
    "capabilities": ["referee.capabilities"],
    "errors": ["referee.errors"],
}
REDIRECT = '<!doctype html><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0; url={0}"><a href="{0}">This page has moved.</a>\n'


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the made pages to the navigation, under Reference."""
    if not _is_ours(config):
        return config
    for section in config.nav or []:
        if "Reference" in section:
            section["Reference"] += [
                {"Commands": [{f"referee {' '.join(c)}": _command_page(c)} for c in _commands()]},
                {"Components": [{title: f"reference/{page}.md"} for page, title in KINDS.values()]},
                {"Python": [{name: f"reference/python-{name}.md"} for name in NAMES]},
            ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages."""
    if _is_ours(config):
        for uri, text in _made_pages():
            files.append(File.generated(config, uri, content=text))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Write redirects from the names of merged pages, the playground, the gallery (unless REFEREE_GALLERY is "no") and llms.txt."""
    if not _is_ours(config):
        return
    from referee.cli.docs import MOVED

    site = Path(config.site_dir)
    for old, new in MOVED.items():
        (site / f"{old}.html").write_text(REDIRECT.format(f"{new}.html"), "utf-8")
    sys.path.insert(0, str(HERE))
    from _showcase import make_gallery, make_playground

    make_playground(site / "playground")
    if os.environ.get("REFEREE_GALLERY") != "no":
        make_gallery(site / "gallery")
    (site / "llms.txt").write_text(_list_for_models(config), "utf-8")


def _is_ours(config: MkDocsConfig) -> bool:
    return Path(config.docs_dir).resolve() == HERE


def _commands() -> list[tuple[str, ...]]:
    """All commands; a group is followed by its own commands."""
    from referee.cli import COMMANDS

    return [c for name in COMMANDS if name != "docs" for c in ((name,), *((name, sub) for sub in _subcommands(name)))]


def _subcommands(name: str) -> list[str]:
    if name not in GROUPS:
        return []
    from importlib import import_module

    module: Any = import_module(GROUPS[name])
    if hasattr(module, "COMMANDS"):
        return list(module.COMMANDS)
    return [command.name or command.callback.__name__ for command in module.app.registered_commands]


def _command_page(command: tuple[str, ...]) -> str:
    return f"reference/command-{'-'.join(command)}.md"


def _help(*command: str) -> str:
    """What `referee COMMAND --help` prints in 80 columns."""
    from referee.cli import main

    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ.update(COLUMNS="80", NO_COLOR="1")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main([*command, "--help"])
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return printed.getvalue().rstrip()


def _made_pages() -> Iterator[tuple[str, str]]:
    from referee import catalogue

    for command in _commands():
        name = " ".join(("referee", *command))
        yield _command_page(command), f"# {name}\n\n```text\n{_help(*command)}\n```\n"
    for kind, (page, title) in KINDS.items():
        yield (
            f"reference/{page}.md",
            f"# {title}\n\n" + "\n\n".join(_describe(kind, name) for name in catalogue.names(kind)) + "\n",
        )
    for name, objects in NAMES.items():
        options = "\n    options: {force_inspection: true}" if name in FUNCTIONS else ""
        yield f"reference/python-{name}.md", f"# {name}\n\n" + "\n\n".join(f"::: {o}{options}" for o in objects) + "\n"


def _describe(kind: str, name: str) -> str:
    """A heading, the catalogue's sentence, and for a measure what its class says of formula, range, source and empty case."""
    from referee import catalogue

    entry = catalogue.entry(kind, name)
    text = f"## {name}\n\n{_escape(entry.about)}"
    if kind == "metric":
        text += f"\n\n```text\n{inspect.getdoc(catalogue.load(kind, name)) or ''}\n```"
    if kind == "protocol":
        info = catalogue.create(kind, name).info
        rows = [f"| `{n}` | {_format_default(p)} | {_escape(p.about)} |" for n, p in info.parameters.items()]
        text += (
            f"\n\n{info.title}. Source: {_escape(info.source)}. Plug-in `{info.plugin}`.\n\n| setting | default | meaning |\n| --- | --- | --- |\n"
            + "\n".join(rows)
        )
    return text


def _format_default(parameter: Any) -> str:
    value = parameter.default
    shown = (
        ", ".join(map(str, value))
        if isinstance(value, list | tuple)
        else {True: "yes", False: "no"}.get(value, str(value))
        if isinstance(value, bool)
        else str(value)
    )
    return _escape(f"{shown or 'none'} {parameter.unit}".strip())


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def _list_for_models(config: MkDocsConfig) -> str:
    """The list of pages for language models (llmstxt.org)."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", ""]
    for section in config.nav or []:
        for title, pages in section.items():
            lines += [f"## {title}", ""] + [f"- [{t}]({u})" for t, u in _flatten(pages)] + [""]
    return "\n".join(lines)


def _flatten(pages: Any) -> Iterator[tuple[str, str]]:
    for page in pages if isinstance(pages, list) else [pages]:
        if isinstance(page, str):
            yield _title(page), page.replace(".md", ".html")
        else:
            for title, inner in page.items():
                if isinstance(inner, str):
                    yield title, inner.replace(".md", ".html")
                else:
                    yield from _flatten(inner)


def _title(page: str) -> str:
    first = (HERE / page).read_text("utf-8").partition("\n")[0]
    return first.lstrip("# ")
