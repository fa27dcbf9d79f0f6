"""A stranger's installation: wheel and sdist out of a clean copy of the sources, each into an empty environment, used from another folder."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from real_chromium import open_chromium

ROOT = Path(__file__).resolve().parents[2]
PAGES = [f"static/{page}.html" for page in ("annotator", "look", "organiser", "participant", "replay")]
MOST_MEGABYTES = 650

pytestmark = pytest.mark.long


# Nothing of the checkout: what runs is what was installed.
ALONE = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}


def call(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=ALONE, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """Wheel and sdist of both packages, built from a clean copy in which nothing was built before."""
    if not (ROOT / ".git").exists():
        pytest.skip("a clean copy is made with git, and this is no checkout")
    folder = tmp_path_factory.mktemp("built")
    copy = folder / "copy"
    for name in call("git", "ls-files", "-co", "--exclude-standard", cwd=ROOT).splitlines():
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    # A link to a folder, which the build follows.
    (copy / "packages/referee/src/referee/docs").symlink_to("../../../../docs")
    archives = {}
    for package in ("referee", "referee-lab"):
        dist = folder / package
        call(
            sys.executable,
            "-m",
            "build",
            "--sdist",
            "--wheel",
            "--outdir",
            dist,
            copy / "packages" / package,
            cwd=folder,
        )
        archives[package, "wheel"] = next(dist.glob("*.whl"))
        archives[package, "sdist"] = next(dist.glob("*.tar.gz"))
    return archives


def _names(archive: Path) -> list[str]:
    """The files of a wheel, or those of an sdist without its top folder."""
    if archive.suffix == ".whl":
        return zipfile.ZipFile(archive).namelist()
    with tarfile.open(archive) as packed:
        return ["/".join(name.split("/")[1:]) for name in packed.getnames()]


def test_the_laboratory_carries_its_pages_and_the_judge_no_code_of_studies(built: dict[tuple[str, str], Path]) -> None:
    wheel, sdist = _names(built["referee-lab", "wheel"]), _names(built["referee-lab", "sdist"])
    for page in [*PAGES, "static/licences.txt"]:
        assert f"referee_lab/{page}" in wheel
        assert f"src/referee_lab/{page}" in sdist
    assert {"browser/package-lock.json", "browser/src/pages/participant.ts", "hatch_build.py"} <= set(sdist)
    assert not [name for name in (*wheel, *sdist) if "node_modules" in name]
    judge = _names(built["referee", "wheel"])
    assert {name.split("/")[0] for name in judge} == {"referee", "referee-0.1.0.dist-info"}
    assert not [name for name in (*judge, *_names(built["referee", "sdist"])) if "referee_lab" in name]


@pytest.fixture(scope="module", params=["wheel", "sdist"])
def installed(request: pytest.FixtureRequest, built: dict[tuple[str, str], Path], tmp_path_factory) -> Iterator[Path]:
    """The programs of an environment with nothing but the judge in it."""
    own = tmp_path_factory.mktemp(request.param) / "env"
    call(sys.executable, "-m", "venv", own, cwd=own.parent)
    call(own / "bin" / "pip", "install", "--quiet", built["referee", request.param], cwd=own.parent)
    yield own / "bin"
    shutil.rmtree(own)


def test_the_base_is_small_and_enough_for_the_main_jobs(installed: Path, tmp_path: Path) -> None:
    megabytes = sum(p.lstat().st_blocks * 512 for p in installed.parent.rglob("*")) / 2**20
    assert megabytes < MOST_MEGABYTES
    assert "toy-minimal" in call(installed / "referee", "score", "--demo", "--out", "scores", cwd=tmp_path)
    assert "do not follow" in call(installed / "python", "-m", "referee", "audit", cwd=tmp_path)
    assert call(installed / "referee", "docs", "score", cwd=tmp_path).startswith("# ")
    call(installed / "referee", "court", "--published", "tuna-2008", cwd=tmp_path)
    call(installed / "referee", "report", "scores", "--out", "report", cwd=tmp_path)
    with open_chromium() as browser:
        page = browser.new_page()
        page.goto((tmp_path / "report" / "index.html").as_uri())
        page.wait_for_selector(".drawing[data-ready=yes] svg", timeout=60_000)


def test_studies_are_served_and_games_are_played(
    installed: Path, built: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    refused = subprocess.run(
        [installed / "referee", "study", "demo", "demo"],
        cwd=tmp_path,
        env=ALONE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "pip install 'referee[lab]'" in refused.stderr
    lab = built["referee-lab", "wheel" if "wheel" in str(installed) else "sdist"]
    call(installed / "pip", "install", "--quiet", lab, cwd=tmp_path)
    call(installed / "referee", "study", "demo", "demo", cwd=tmp_path)
    call(installed / "referee", "study", "simulate", "demo", "--participants", "3", cwd=tmp_path)
    call(installed / "referee", "tangram", "play", "--bots", "2", "--out", "recordings", cwd=tmp_path)
    assert list((tmp_path / "recordings").glob("*.jsonl"))
    with serving(installed, tmp_path) as links, open_chromium() as browser:
        for link in links:
            page = browser.new_page()
            failures: list[str] = []
            page.on("pageerror", lambda error, kept=failures: kept.append(str(error)))
            answer = page.goto(link)
            assert answer is not None
            assert answer.ok
            page.wait_for_selector("button:visible", timeout=60_000)
            assert not failures


@contextmanager
def serving(installed: Path, folder: Path) -> Iterator[list[str]]:
    """The links that `study serve` prints, while it serves."""
    log = folder / "serve.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [installed / "referee", "study", "serve", "demo", "--port", str(_free_port())],
            cwd=folder,
            env=ALONE,
            stdout=out,
            stderr=out,
        )
    try:
        yield _links(server, log)
    finally:
        server.terminate()
        server.wait(30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _links(server: subprocess.Popen[bytes], log: Path) -> list[str]:
    for _ in range(1200):
        said = log.read_text()
        if "Ctrl-C" in said and (links := re.findall(r"http://127\.0\.0\.1:\d+/\S+", said)) and _answers(links[0]):
            return links
        assert server.poll() is None, said
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def _answers(link: str) -> bool:
    try:
        with urlopen(link, timeout=30):
            return True
    except URLError:
        return False
