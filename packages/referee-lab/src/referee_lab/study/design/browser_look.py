"""Checks pages in a real browser.

Every distinct layout of a study at every admitted window size, with a contact sheet of screenshots.

No server runs and nothing is stored: the page `look` shows one step of a plan, with pictures from the study folder.
"""

from __future__ import annotations

import json
import mimetypes
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from referee.errors import InputError
from referee.files import write_atomically
from referee.jobs.progress import report_progress
from referee_lab.server.sessions.plan import make_plan
from referee_lab.server.web.built_pages import STATIC, find_missing_pages
from referee_lab.server.web.middleware import study_headers
from referee_lab.study.design.balance import BalanceClaim, format_count
from referee_lab.study.folder.photographs import find_photograph_file
from referee_lab.study.folder.screens import Screen, list_screens
from referee_lab.study.folder.study import Study
from referee_lab.study.folder.study_pictures import find_drawing
from referee_lab.study.protocols.own_plugin import FOLDER as PLUGINS

MOST_LAYOUTS = 500
FOLDER = Path("data") / "check"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Steps that need a server, other people or a loudspeaker; they are not opened here.
NOT_OPENED = ("tangram", "reference-game", "replay-identify", "sound-check")
READ = ("consent", "ending", "page", "form")
# Stands for the codes of a session on the consent and last pages.
SAMPLE_CODE = "SAMPLE-CODE"
# Of the first problem, which is printed.
LONGEST_DETAIL = 200
ORIGIN = "http://study.check"
CHECKS = {
    "failed": ("plug-in", "every trial begins"),
    "broken": ("pictures", "every picture is loaded"),
    "offScreen": ("off-screen", "every object is completely within the window"),
    "cut": ("text-cut", "no text is cut off"),
    "small": ("target-size", "everything to be pressed is large enough"),
    "wide": ("off-screen", "the page is no wider than its window"),
}
SHEET = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{{ title }}: what people see</title>
<style>body{font-family:sans-serif;margin:1.5rem} .row{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
figure{margin:0 0 1rem} img{border:1px solid #999;max-width:100%;height:auto} figcaption{font-size:.85rem} .refused{color:#a11}</style>
<h1>{{ title }}: what people see</h1><p>{{ summary }}</p>
{% for layout in layouts %}<h2>{{ layout.name }}</h2><div class="row">
{% for shot in layout.shots %}<figure><img src="{{ shot.file }}" width="{{ shot.width }}" alt="{{ layout.name }}, {{ shot.screen }}">
<figcaption>{{ shot.screen }}{% if shot.problems %} <span class="refused">{{ shot.problems }}</span>{% endif %}</figcaption></figure>{% endfor %}
</div>{% endfor %}</html>
"""


# Which characters look like one that no font has.
UNDRAWN = """characters => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
  const context = canvas.getContext("2d");
  context.font = "40px sans-serif";
  const draw = character => {
    context.clearRect(0, 0, 64, 64);
    context.fillText(character, 4, 48);
    return canvas.toDataURL();
  };
  const box = draw("\\u{10FFFF}");
  return characters.filter(character => draw(character) === box);
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """One arrangement on the page: the step that shows it first, and all trials with the same arrangement."""

    name: str
    step: Mapping[str, Any]
    trials: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class BrowserLook:
    """The results of the browser check.

    Claims for every window size, the contact sheet, and the numbers of opened and of all layouts.
    """

    claims: list[BalanceClaim] = field(default_factory=list)
    sheet: Path | None = None
    opened: int = 0
    layouts: int = 0


def explain_missing_browser() -> str | None:
    """Return the reason why no browser can be opened; None if one can."""
    if lacking := find_missing_pages("look"):
        return f"the page {lacking[0]} has not been built"
    try:
        with _open_playwright() as playwright:
            _find_chromium(playwright)
    except InputError as error:
        return error.problem
    return None


def check_in_browser(study: Study, folder: Path | None = None) -> BrowserLook:
    """Open every distinct layout at every admitted window size, and write the contact sheet.

    Raises InputError where no browser is installed.
    """
    layouts = _collect_layouts(study)
    sample = layouts
    if len(layouts) > MOST_LAYOUTS:
        sample = Random(f"look|{study.seed}").sample(layouts, MOST_LAYOUTS)
    screens = list_screens(study.session.devices, study.session.least_width)
    target = study.folder / FOLDER if folder is None else folder
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    problems: dict[tuple[str, str], list[tuple[_Layout, str]]] = {}
    rows: list[dict[str, Any]] = [{"name": layout.name, "shots": []} for layout in sample]
    with _open_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_find_chromium(playwright), args=["--no-sandbox"])
        try:
            fonts = _prove_fonts(browser, study)
            for screen in screens:
                page = _open_page(browser, study, screen)
                for number, layout in enumerate(report_progress(sample, f"layouts on a {screen.name}")):
                    file = f"{number + 1:03}-{re.sub(r'[^a-z0-9]+', '', screen.name)}.jpg"
                    seen = _show_layout(page, study, layout, screen, target / file)
                    wrong = [name for name in CHECKS if seen[name]]
                    for name in wrong:
                        detail = seen[name][0] if isinstance(seen[name], list) else ""
                        problems.setdefault((name, screen.name), []).append((layout, str(detail)[:LONGEST_DETAIL]))
                    shot = {"file": file, "screen": screen.name, "width": screen.width // 3}
                    rows[number]["shots"].append({**shot, "problems": ", ".join(CHECKS[n][1] for n in wrong)})
                page.context.close()
        finally:
            browser.close()
    look = BrowserLook(opened=len(sample), layouts=len(layouts))
    look.claims = [fonts, *(_build_claim(name, screen, sample, problems) for screen in screens for name in CHECKS)]
    look.sheet = _write_sheet(study, target, rows, look)
    return look


def _build_claim(
    name: str, screen: Screen, sample: Sequence[_Layout], problems: Mapping[tuple[str, str], list[tuple[_Layout, str]]]
) -> BalanceClaim:
    """Return a claim about all layouts at one window size, with the first failure."""
    check, sentence = CHECKS[name]
    failing = problems.get((name, screen.name), [])
    trials = tuple(dict.fromkeys(trial for layout, _ in failing for trial in layout.trials))
    where = f"; not so in {failing[0][0].name}: {failing[0][1]}" if failing else ""
    return BalanceClaim(
        sentence=f"{sentence} on a {screen.name} ({screen.width} x {screen.height})",
        holds=not failing,
        counted=f"{format_count(len(sample), 'layout')} opened{where}",
        check=check,
        trials=trials,
    )


# -- layouts -----------------------------------------------------------------------------------------------------------------


def _collect_layouts(study: Study) -> list[_Layout]:
    """Return the distinct arrangements of all lists, pages and questionnaires included, in the order in which they are met."""
    consent, ending = (
        {"plugin": plugin, "parameters": {"html": study.page_html(page), "code": SAMPLE_CODE}}
        for plugin, page in (("consent", "consent"), ("ending", "debriefing"))
    )
    steps: dict[str, tuple[str, dict[str, Any], dict[str, None]]] = {"consent": ("consent", consent, {})}
    for entry in study.lists:
        plan = make_plan(study, entry.id, study.seed)
        for step, public in zip(plan.steps, plan.public(f"/s/{study.id}")["steps"], strict=True):
            if step.plugin in NOT_OPENED:
                continue
            name = step.stimulus.trial.id if step.stimulus else step.kind
            for label, shown in _split_stages(public):
                layout = steps.setdefault(_make_arrangement_key(shown), (f"{name}{label}", shown, {}))
                if step.stimulus:
                    layout[2][step.stimulus.trial.id] = None
    steps["ending"] = ("debriefing", ending, {})
    return [_Layout(name=name, step=shown, trials=tuple(trials)) for name, shown, trials in steps.values()]


def _split_stages(step: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is visible at one time: description and scene, together or one after the other."""
    still = {
        "fixation_ms": 0,
        "start": "itself",
        "timeout_ms": 0,
        "reading_timeout_ms": 0,
        "media": None,
        "bell": False,
    }
    parameters = {**step["parameters"], **{name: value for name, value in still.items() if name in step["parameters"]}}
    if parameters.get("reading") in ("before", "words"):
        yield ", description", {**step, "parameters": {**parameters, "reading": "before"}}
        parameters = {**parameters, "reading": "together", "text": ""}
    elif (step["parameters"].get("media") or {}).get("kind") == "film":
        # An empty film takes its place beside or above the scene.
        parameters["filmed"] = True
    yield "", {**step, "parameters": parameters}


def _make_arrangement_key(step: Mapping[str, Any]) -> str:
    """Return a key that is equal for steps with the same arrangement: equal positions and picture files, and texts of
    similar length.
    """
    parameters = step["parameters"]
    if "entities" not in parameters:
        return json.dumps([step["plugin"], parameters], sort_keys=True, default=str)
    places = [
        [e.get("column"), e.get("row"), e.get("dx"), e.get("dy"), e.get("words"), e.get("caption"), "area" in e]
        for e in parameters["entities"]
    ]
    # Drawings of a scene fill their cells; picture files have shapes of their own, wherever they stand.
    files = sorted(p for e in parameters["entities"] if "/photographs/" in (p := str(e.get("picture"))))
    text = str(parameters.get("text") or "")
    longest = max(map(len, text.split()), default=0)
    rest = {n: v for n, v in parameters.items() if n not in ("entities", "text", "target", "targets", "pairwise")}
    return json.dumps(
        [step["plugin"], places, files, len(text) // 40, longest // 10, rest], sort_keys=True, default=str
    )


# -- the browser -------------------------------------------------------------------------------------------------------------


@contextmanager
def _open_playwright() -> Iterator[Any]:
    """Open Playwright. Raises InputError if it is not installed."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise InputError("Playwright is not installed", remedy="pip install playwright") from None
    with sync_playwright() as playwright:
        yield playwright


def _find_chromium(playwright: Any) -> str:
    """Return the path of a Chromium. Raises InputError if there is none."""
    named = os.environ.get("REFEREE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    path = named or playwright.chromium.executable_path
    if not Path(path).exists():
        raise InputError("there is no Chromium", remedy="run `playwright install chromium`, or set REFEREE_CHROMIUM")
    return str(path)


def _open_page(browser: Any, study: Study, screen: Screen) -> Any:
    """Return a page at a window size that gets its files from the study folder."""
    context = browser.new_context(
        viewport={"width": screen.width, "height": screen.height}, has_touch=screen.touch, reduced_motion="reduce"
    )
    page = context.new_page()
    page.route("**/*", lambda route: _serve_file(route, study))
    return page


def _serve_file(route: Any, study: Study) -> Any:
    """Answer a request of the page from the built pages and the study folder; anything else is refused."""
    path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
    name = Path(path).name
    file = find_photograph_file(study.folder, name) if path == f"/s/{study.id}/photographs/{name}" else None
    if path == "/":
        route.fulfill(path=STATIC / "look.html", content_type="text/html", headers=_get_content_policy(study))
    elif path.startswith("/static/") and (STATIC / name).is_file():
        route.fulfill(path=STATIC / name, content_type=mimetypes.guess_type(name)[0] or "text/plain")
    elif path == f"/s/{study.id}/pictures/{name}":
        route.fulfill(body=find_drawing(study, name.removesuffix(".svg")), content_type="image/svg+xml")
    elif path == f"/s/{study.id}/{PLUGINS}/{study.protocol}":
        route.fulfill(path=study.folder / PLUGINS / name, content_type="text/javascript")
    elif file is not None:
        route.fulfill(path=file[0], content_type=file[1])
    else:
        route.fulfill(status=404, body="")


def _get_content_policy(study: Study) -> dict[str, str]:
    """Return the content policy of the study's pages, so that what it forbids is missing here as well."""
    name = "content-security-policy"
    return {name: dict(study_headers(study))[name.encode()].decode()}


def _prove_fonts(browser: Any, study: Study) -> BalanceClaim:
    """Return the claim that this machine can draw every character of the study's pages and items."""
    texts = [study.title, *study.strings.values(), *study.texts.values(), *map(str, study.extra.values())]
    for stimulus in study.iterate_stimuli():
        scene = stimulus.trial.scene
        texts += [stimulus.description.text or "", *map(str, stimulus.trial.meta.values())]
        texts += [p.value for entity in scene.entities for p in entity.attributes]
    page = browser.new_page()
    missing = page.evaluate(UNDRAWN, sorted({c for text in texts for c in text if ord(c) > 127}))
    page.close()
    counted = (
        f"no font for {format_count(len(missing), 'character')}, such as {' '.join(missing[:3])}: they are boxes on the "
        "contact sheet, and whether their texts fit is not proved; install a font (Debian: fonts-noto-cjk for Chinese, "
        "Japanese and Korean) and check again"
    )
    return BalanceClaim(
        sentence="this machine can draw every character of the study",
        holds=not missing,
        counted=counted if missing else "all characters",
        # People's own devices have fonts for their languages.
        promised=False,
        check="fonts",
    )


def _show_layout(page: Any, study: Study, layout: _Layout, screen: Screen, file: Path) -> dict[str, Any]:
    """Show one layout, take a screenshot, and return the measurements."""
    facts = {name: getattr(study, name) for name in ("id", "title", "language", "direction", "mode")}
    page.goto(f"{ORIGIN}/")
    shown = {"study": facts, "strings": dict(study.strings), "step": layout.step, "least": screen.least_px}
    seen = page.evaluate("shown => look(shown)", shown)
    # Pages are read to their end; of a trial the sheet shows what is visible without scrolling.
    is_read = layout.step["plugin"] in READ
    height = page.evaluate("document.documentElement.scrollHeight") if is_read else screen.height
    page.set_viewport_size({"width": screen.width, "height": height})
    page.screenshot(path=file, type="jpeg", quality=70)
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    return dict(seen)


def _write_sheet(study: Study, folder: Path, rows: Sequence[Mapping[str, Any]], look: BrowserLook) -> Path:
    """Write the contact sheet as an HTML page; return its path."""
    from jinja2 import Environment

    part = f"{look.opened} of {look.layouts}" if look.opened < look.layouts else f"all {look.layouts}"
    summary = (
        f"Study {study.id}, hash {study.hash[:12]}: {part} distinct layouts, at every window size that is admitted."
    )
    page = Environment(autoescape=True).from_string(SHEET).render(title=study.title, summary=summary, layouts=rows)
    write_atomically(folder / "sheet.html", page.splitlines())
    return folder / "sheet.html"
