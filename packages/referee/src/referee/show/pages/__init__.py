"""Jinja2 templates, plain JavaScript and CSS of reports, notebooks, `referee view` and exported folders."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# A module stands after those that it imports.
MODULES = {
    "report": (
        "dom.js",
        "scene-picture.js",
        "report/content.js",
        "report/sources.js",
        "report/tables.js",
        "report/item-view.js",
        "report/item-browser.js",
        "report/chapters.js",
        "report/figures.js",
        "report/keys.js",
        "report/watch.js",
        "report/main.js",
    ),
    "play": (
        "dom.js",
        "scene-picture.js",
        "play/scene.js",
        "play/link.js",
        "play/answers.js",
        "play/cards.js",
        "play/inspector.js",
        "play/stage.js",
        "play/app.js",
        "play/main.js",
    ),
}


def read_page_asset(name: str) -> str:
    """Return the text of a file of this folder."""
    return (files("referee.show.pages") / name).read_text("utf-8")


@cache
def _get_environment() -> Environment:
    """Return the environment of the page templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("referee.show", "pages"),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":"), "allow_nan": False}
    return environment


def render(template: str, **values: Any) -> Markup:
    """Return a template of this folder filled with values, in HTML each escaped unless it is Markup."""
    from markupsafe import Markup

    return Markup(_get_environment().get_template(template).render(values))


@cache
def build_page_script(page: str) -> str:
    """Return the modules of a page as one module, because a page opened from disk cannot import files."""
    code = "\n".join(map(read_page_asset, MODULES[page]))
    code = re.sub(r"^import .*;\n", "", code, flags=re.MULTILINE)
    return escape_script(re.sub(r"^export ", "", code, flags=re.MULTILINE))


@cache
def build_chart_library(vega_lite: str) -> str:
    """Return Vega, Vega-Lite and vega-embed as one module that sets `window.vegaEmbed`."""
    import vl_convert

    return escape_script(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=vega_lite))


def escape_script(script: str) -> str:
    """Return the script without `</script`, which ends a script element even inside a string."""
    return script.replace("</script", "<\\/script")
