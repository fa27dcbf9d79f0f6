"""How well a study's page measures time: ``python benchmarks/browser_timing.py [--trials N] [--figure docs/timing.svg]`` (default 60).

A real study (ASGRE 2007: description and scene together) is served and played in headless Chromium. For each trial a response is injected at a known delay: a
trusted mouse press, sent over the DevTools protocol by this process, whose clock says when it was sent. What the page then stored is compared with it.

* press: the stored time of the response minus the moment at which the press was sent.
* onset: the stored onset minus the frame in which the scene first appears in what the browser drew (DevTools screencast, the photodiode of this bench).
* time:  the stored response time minus the time from that frame to that press. This is the error that a study has, its own display and mouse aside.

* since the change: the same, counted from the moment at which the page changed its document. The scene is seen at the next frame, so about one
  frame is missing.

Promised: mean error within one frame, standard deviation under 8 ms. Whatever else the machine does adds to the spread: give this process and its browser
priority (``chrt -r 5 python …``) to see the page alone. Needs Chromium and the bundled pages.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from PIL import Image, ImageChops, ImageStat
from rich.console import Console
from rich.table import Table
from sqlalchemy import select
from websockets.sync.client import connect

from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store.schema import trial
from referee_lab.server.web.built_pages import STATIC
from referee_lab.server.web.server import create_app
from referee_lab.study.folder.demo_study import make_demo

DELAYS_MS = (300, 450, 700, 1000, 1500)
WIDTH, HEIGHT = 1000, 700
CHANGED = 1.0  # mean difference of grey levels, of 255, by which a frame with a scene differs from the blank before it
NEXT = "document.querySelector('.page .actions .button.primary:not(:disabled)')?.click()"

# Tells when the scene has been asked for, so that the press can be planned; the page's own times are not looked at.
OBSERVE = """
new MutationObserver(() => {
  const scene = document.querySelector(".panel:not(.waiting) .scene");
  if (scene && !scene.dataset.told) { scene.dataset.told = "1"; window.told(String(performance.timeOrigin + performance.now())); }
}).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ["class"]});
"""


class DevTools:
    """A page of a Chromium of our own, spoken to directly: one process less between the clock and the press."""

    def __init__(self, address: str) -> None:
        self._socket = connect(address, max_size=None)
        self._ids, self._replies, self._lock = 0, {}, threading.Lock()
        self.frames: list[tuple[float, bytes]] = []
        self.told: list[float] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, method: str, **params: Any) -> int:
        with self._lock:
            self._ids += 1
            self._socket.send(json.dumps({"id": self._ids, "method": method, "params": params}))
            return self._ids

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        number = self.send(method, **params)
        while number not in self._replies:
            time.sleep(0.0005)
        return self._replies.pop(number)

    def evaluate(self, expression: str) -> Any:
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def close(self) -> None:
        self._socket.close()
        self._reader.join()

    def _read(self) -> None:
        for message in self._socket:
            said = json.loads(message)
            if "id" in said:
                self._replies[said["id"]] = said.get("result", {})
            elif said["method"] == "Page.screencastFrame":
                self._keep_frame(said["params"])
            elif said["method"] == "Runtime.bindingCalled":
                self.told.append(float(said["params"]["payload"]))

    def _keep_frame(self, frame: dict[str, Any]) -> None:
        self.send("Page.screencastFrameAck", sessionId=frame["sessionId"])
        self.frames.append((frame["metadata"]["timestamp"] * 1000, base64.b64decode(frame["data"])))


@contextmanager
def chromium() -> Iterator[DevTools]:
    path = os.environ.get("REFEREE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None or not (STATIC / "participant.html").is_file():
        print("skipped: needs Chromium (REFEREE_CHROMIUM) and the bundled pages (make bundle)")
        sys.exit(0)
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        process = subprocess.Popen(
            [path, *flags, f"--window-size={WIDTH},{HEIGHT}", "about:blank"], stderr=subprocess.PIPE, text=True
        )
        port = next(line.split(":")[-1].split("/")[0] for line in process.stderr if "DevTools listening" in line)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as reply:
            page = next(tab for tab in json.load(reply) if tab["type"] == "page")
        devtools = DevTools(page["webSocketDebuggerUrl"])
        yield devtools
        devtools.close()
        process.terminate()
        process.wait()


@contextmanager
def serving(served: Served) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(create_app([served]), port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not (server.started and server.servers):
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/s/{served.id}/"
    server.should_exit = True


def clock_offset(page: DevTools) -> float:
    """Milliseconds to add to this process's clock to get the page's, from the quickest of many questions."""
    best = (float("inf"), 0.0)
    for _ in range(200):
        before = now()
        theirs = page.evaluate("performance.timeOrigin + performance.now()")
        after = now()
        best = min(best, (after - before, theirs - (before + after) / 2))
    return best[1]


def now() -> float:
    return time.time() * 1000


def press(page: DevTools, x: float, y: float) -> float:
    """A trusted press of the mouse, and when it was sent."""
    sent = now()
    page.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
    page.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
    return sent


def play(page: DevTools, address: str, rng: random.Random) -> list[dict[str, float]]:
    """One session: pages are clicked away, every scene gets its press; the delay and the clock of each."""
    page.ask("Page.navigate", url=address)
    made: list[dict[str, float]] = []
    while not page.evaluate("Boolean(document.querySelector('.code'))"):
        if page.told:
            made.append(respond(page, page.told.pop(), rng))
        else:
            page.evaluate(NEXT)
        time.sleep(0.01)
    return made


def respond(page: DevTools, asked: float, rng: random.Random) -> dict[str, float]:
    offset = clock_offset(page)
    place = page.evaluate(
        "(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('.scene .entity').getBoundingClientRect())"
    )
    delay = rng.choice(DELAYS_MS) + rng.uniform(0, 50)  # any phase between two frames
    due = asked - offset + delay
    while now() < due:
        time.sleep(0.0002)
    sent = press(page, *place)
    time.sleep(0.05)
    return {"asked": asked, "sent": sent + offset, "offset": offset, "delay": delay}


def first_seen(frames: list[tuple[float, bytes]], asked: float) -> float | None:
    """The first frame after the change that looks different from the blank before it, on this process's clock."""
    blank = stage([frame for at, frame in frames if at <= asked][-1])
    for at, frame in frames:
        if at > asked and ImageStat.Stat(ImageChops.difference(blank, stage(frame))).mean[0] > CHANGED:
            return at
    return None


def stage(frame: bytes) -> Image.Image:
    """A frame without the bar at the top, whose progress moves by itself."""
    picture = Image.open(io.BytesIO(frame)).convert("L")
    return picture.crop((0, picture.height // 6, picture.width, picture.height))


def measure(trials: int, seed: int) -> list[dict[str, float]]:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        make_demo(Path(folder) / "study", "asgre2007", id="timing", items=trials, participants=3, practice=0, checks=0)
        served = open_served(Path(folder) / "study")
        with serving(served) as address, chromium() as page:
            for name in ("Page.enable", "Runtime.enable"):
                page.ask(name)
            page.ask("Runtime.addBinding", name="told")
            page.ask("Page.addScriptToEvaluateOnNewDocument", source=OBSERVE)
            page.ask("Page.startScreencast", format="jpeg", quality=40, maxWidth=160, maxHeight=112, everyNthFrame=1)
            made = play(page, address, rng)
            origin = page.evaluate("performance.timeOrigin")
            with served.store.read() as connection:
                rows = connection.execute(
                    select(trial).where(trial.c.kind == "trial").order_by(trial.c.received_at)
                ).all()
            return [
                {**compare(one, row.times, origin, page.frames), "flagged": float(bool(row.flags))}
                for one, row in zip(made, rows, strict=True)
            ]


def compare(
    made: dict[str, float], times: dict[str, float], origin: float, frames: list[tuple[float, bytes]]
) -> dict[str, float]:
    seen = first_seen(frames, made["asked"] - made["offset"])
    seen_here = None if seen is None else seen + made["offset"]
    stored_onset, stored_press = origin + times["t_onset"], origin + times["t_response"]
    return {
        "delay": made["delay"],
        "true": float("nan") if seen_here is None else made["sent"] - seen_here,
        "press": stored_press - made["sent"],
        "onset": float("nan") if seen_here is None else stored_onset - seen_here,
        "time": float("nan") if seen_here is None else times["combined_ms"] - (made["sent"] - seen_here),
        "asked": times["combined_ms"] - (made["sent"] - made["asked"]),
    }


def summary(rows: list[dict[str, float]]) -> Table:
    table = Table("error of", "n", "mean", "SD", "median", "95 % within")
    for name, about in (
        ("press", "press"),
        ("onset", "onset"),
        ("time", "response time"),
        ("asked", "since the change"),
    ):
        values = sorted(row[name] for row in rows if row[name] == row[name])
        if len(values) < 2:
            continue
        low, high = values[int(0.025 * len(values))], values[min(len(values) - 1, int(0.975 * len(values)))]
        numbers = (statistics.fmean(values), statistics.stdev(values), statistics.median(values))
        table.add_row(about, str(len(values)), *(f"{x:+.2f} ms" for x in numbers), f"{low:+.1f} … {high:+.1f} ms")
    return table


def draw(runs: dict[str, list[dict[str, float]]], path: Path) -> None:
    """The error of every trial beside the width of one frame, a panel for each run."""
    import altair as alt

    frame = alt.Data(values=[{"low": -1000 / 60, "high": 1000 / 60}])
    band = alt.Chart(frame).mark_rect(color="#e3f0f0").encode(y="low:Q", y2="high:Q")
    height = alt.Y("time:Q", title="stored minus true time (ms)", scale=alt.Scale(domain=[-50, 50], clamp=True))
    across = alt.X("true:Q", title="true time from scene to press (ms)", scale=alt.Scale(domain=[0, 1700]))
    colour = alt.Color(
        "flag:N", title=None, scale=alt.Scale(domain=["plain", "flagged by the page"], range=["#0a5c63", "#c77700"])
    )
    panels = []
    for title, rows in runs.items():
        values = [{**row, "flag": "flagged by the page" if row["flagged"] else "plain"} for row in rows]
        dots = (
            alt.Chart(alt.Data(values=values))
            .mark_circle(size=28, opacity=0.6)
            .encode(x=across, y=height, color=colour)
        )
        panels.append((band + dots).properties(width=330, height=230, title=title))
    alt.hconcat(*panels).configure_view(stroke=None).configure(font="sans-serif").save(str(path))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=Path, help="write what was measured, as JSON")
    parser.add_argument("--beside", type=Path, help="such a file of another run, to draw beside this one")
    parser.add_argument("--title", default="the page alone", help="what the figure says above this run")
    parser.add_argument("--figure", type=Path, help="draw it, as SVG or PNG")
    options = parser.parse_args()
    rows = measure(options.trials, options.seed)
    Console().print(summary(rows))
    unflagged = [row for row in rows if not row["flagged"]]
    if len(unflagged) < len(rows):
        Console().print(
            f"without the {len(rows) - len(unflagged)} trials that the page itself flagged:", summary(unflagged)
        )
    if options.rows:
        options.rows.write_text(json.dumps(rows))
    if options.figure:
        other = {"the same machine, crowded": json.loads(options.beside.read_text())} if options.beside else {}
        draw({options.title: rows, **other}, options.figure)


if __name__ == "__main__":
    main()
