"""The documentation as a site, in a real Chromium: it builds without a warning, and axe-core finds nothing serious, by day and by night."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser

from page_marks import ROOT
from real_chromium import open_chromium

GRAVE = ("serious", "critical")
# Prose with links, a wide table, and code: what the theme alone leaves too faint or out of a keyboard's reach.
SAMPLE = """# A page

Links within text: [another page](other.md), and one of code: [`referee score`](other.md).

| group | module | what it has to have |
| --- | --- | --- |
| `referee.metrics` | `a_module_with_a_long_name.py` | `WORDS_THAT_CANNOT_BE_BROKEN_AND_ARE_WIDER_THAN_A_PHONE_OR_EVEN_A_DESK_COULD_SHOW_WITHOUT_SCROLLING` |

```python
import referee

for value in [1, 0.95, None, "text"]:  # a comment
    print(value not in (True, False), referee.score)
```

```pycon
>>> 1 + 1
2
```
"""


class Quietly(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quietly, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


def build(site: Path, **other: Any) -> None:
    """As `make docs` does, strictly: a warning is a failure."""
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(site), strict=True, **other)
    config.plugins.on_startup(command="build", dirty=False)
    build_site(config)


def complaints(chromium: Browser, site: Path, names: Sequence[str], widths: Sequence[int]) -> list[str]:
    """What axe-core calls serious or critical, page by page, and pages that are wider than their window."""
    from axe_playwright_python.sync_playwright import Axe

    found = []
    schemes: tuple[Any, ...] = ("light", "dark")
    with served(site) as address:
        for scheme, width in [(scheme, width) for scheme in schemes for width in widths]:
            page = chromium.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
            for name in names:
                page.goto(f"{address}/{name}")
                # The last thing that the theme does to a page: tables and code get their boxes.
                page.wait_for_function(
                    "document.querySelectorAll('article table').length === 0 || document.querySelector('.md-typeset__scrollwrap')"
                )
                bad = [v for v in Axe().run(page).response["violations"] if v["impact"] in GRAVE]
                found += [f"{name} {scheme} {width}: {v['id']}: {v['nodes'][0]['html'][:160]}" for v in bad]
                if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    found.append(f"{name} {scheme} {width}: wider than its window")
            page.close()
    return found


def test_a_page_of_the_site_can_be_read_by_everybody(chromium: Browser, tmp_path: Path) -> None:
    docs, site = tmp_path / "docs", tmp_path / "site"
    docs.mkdir()
    for name in ("site.css", "site.js"):
        shutil.copy(ROOT / "docs" / name, docs / name)
    (docs / "index.md").write_text(SAMPLE, "utf-8")
    (docs / "other.md").write_text("# Another page\n\nSome text.\n", "utf-8")
    build(site, docs_dir=str(docs), plugins=["search"], nav=[{"Start": ["index.md"]}, {"More": ["other.md"]}])
    assert complaints(chromium, site, ["index.html"], [1280, 375]) == []


@pytest.mark.long
def test_the_whole_site_can_be_read_by_everybody(chromium: Browser, tmp_path: Path) -> None:
    build(tmp_path / "site")
    pages = sorted(path.name for path in (tmp_path / "site").glob("*.html"))
    assert len(pages) > 40
    assert complaints(chromium, tmp_path / "site", pages, [1280]) == []
