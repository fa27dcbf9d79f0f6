"""Every reader meets valid files with one thing changed: it reads them, or says what is wrong; it never falls over.

Corpora have tests of this kind of their own (tests/corpora/test_all_corpora.py), and so have trials, outputs and responses (tests/corpora/test_wrong_input.py).
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.auditing.audit import audit
from referee.auditing.paper import read_paper
from referee.cli import main
from referee.courtroom.printed_evidence import read_csv_sheets
from referee.errors import RefereeError
from referee.hearers.recorded import read_recorded
from referee.jobs.folder import Run
from referee.metrics.taxonomy import read_taxonomy
from referee.show.reports.report_sources import gather
from referee_lab.commands.tangram.recordings import open_recording, read_annotation
from referee_lab.commands.tangram.sources import DialogueSource, open_dialogues
from referee_lab.study.folder.study import open_study

EXAMPLES = Path(__file__).parents[4] / "examples"
JUNK = (
    *(
        '"',
        ",",
        "null",
        "{}",
        "[]",
        "-1",
        "1e999",
        "\0",
        "ü",
        "true",
        '""',
        "[null]",
        '{"a": 1}',
        "\n",
        ":",
        "=",
        "NaN",
    ),
    *("9" * 23, "'", "<", "&", "0", " "),
)
TOKEN = re.compile(r'"[^"\n]*"|-?\d+\.?\d*|\w+')
Reader = Callable[[Path], Any]


@st.composite
def changed(draw: st.DrawFn, content: bytes) -> bytes:
    """A file with a stretch taken out, a word replaced or added to, or a line doubled or dropped."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        at = draw(st.integers(0, len(content) - 1))
        return content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]
    tokens = list(TOKEN.finditer(text))
    word = draw(st.sampled_from(tokens)) if tokens else None
    what = draw(st.sampled_from(["cut", "line", *(["replace", "add", "swap"] if tokens else [])]))
    if what == "line":
        lines = text.splitlines(keepends=True)
        i = draw(st.integers(0, len(lines) - 1))
        return "".join(lines[:i] + lines[i : i + 1] * draw(st.sampled_from([0, 2])) + lines[i + 1 :]).encode()
    if what == "cut" or word is None:
        at = draw(st.integers(0, len(text)))
        return (text[:at] + text[at + draw(st.integers(1, 30)) :]).encode()
    new = draw(st.sampled_from(tokens))[0] if what == "swap" else draw(st.sampled_from(JUNK))
    return (text[: word.start()] + (word[0] if what == "add" else "") + new + text[word.end() :]).encode()


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for every reader, with files that it reads."""
    place = tmp_path_factory.mktemp("valid")
    shutil.copytree(EXAMPLES / "audit-my-paper", place / "paper")
    for name in ("scene", "court", "recorded", "taxonomy", "recording"):
        (place / name).mkdir()
    scene = {
        "target": "a",
        "domain": "furniture",
        "entities": [
            {"id": "a", "attributes": {"type": "chair", "colour": "red"}, "position": [1, 2]},
            {"id": "b", "attributes": [["type", "sofa"], ["size", 3]], "relations": [["left-of", "a"]]},
        ],
    }
    (place / "scene" / "scene.json").write_text(json.dumps(scene), "utf-8")
    heads = "system,automatic:dice,automatic:edit:lower,hearer:ir,hearer:time:lower,domain,human,family\n"
    rows = (f"s{i},{0.1 * i:.1f},{9 - i},{0.5 + 0.03 * i:.2f},{1000 - 30 * i},,,f{i // 2}\n" for i in range(8))
    (place / "court" / "table.csv").write_text(heads + "".join(rows), "utf-8")
    (place / "taxonomy" / "words.tsv").write_text("chair\tfurniture\nfurniture\tthing\n", "utf-8")
    ids = [t.id for t in referee.open_corpus("synthetic").trials()][:6]
    referee.score(demo=True, metrics="set/dice", ids=ids, resamples=0).save(place / "run")
    referee.listen(place / "run", "literal")
    answers = [
        {"trial": t.id, "outcome": "entity", "entity": t.targets[0], "places": [e.id for e in t.scene.entities]}
        for t in Run(place / "run").trials()
    ]
    (place / "recorded" / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers), "utf-8")
    write_session(place / "recording")
    with quiet():
        assert main(["study", "new", str(place / "run"), "--participants", "2", "--out", str(place / "study")]) == 0
    return place


def write_session(folder: Path) -> None:
    """A game of two bots, and what a program marked in it."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["tangram", "play", "--bots", "1", "--out", str(folder / "played")]) == 0
        assert main(["tangram", "preannotate", str(folder / "played")]) == 0
    for path in (folder / "played").iterdir():
        kind = "annotations" if "annotations" in path.name else "session"
        # The first minute is enough, and a shorter file is damaged in more of its places.
        lines = path.read_text("utf-8").splitlines(keepends=True)[:60]
        (folder / f"{kind}.jsonl").write_text("".join(lines), "utf-8")
    shutil.rmtree(folder / "played")


def ids_of(folder: Path) -> list[Any]:
    return list(Run(folder).trials())


def readers(valid: Path) -> dict[str, Reader]:
    trials = ids_of(valid / "run")
    return {
        "paper": lambda folder: audit(read_paper(folder)),
        "scene": lambda folder: (referee.draw(folder / "scene.json"), referee.describe(folder / "scene.json", "a")),
        "court": lambda folder: read_csv_sheets(folder / "table.csv"),
        "study": open_study,
        "taxonomy": lambda folder: read_taxonomy(folder / "words.tsv"),
        "recorded": lambda folder: read_recorded(f"recorded:{folder / 'answers.jsonl'}", trials),
        "run": lambda folder: (
            gather([folder]),
            referee.score(folder, metrics="set/dice", resamples=0, lenient=True),
            referee.listen(folder),
        ),
        "recording": lambda folder: (
            open_recording(folder / "session.jsonl"),
            read_annotation(folder / "annotations.jsonl"),
            open_dialogues(DialogueSource(files=[folder / "session.jsonl"])),
        ),
    }


@pytest.mark.parametrize("name", ["paper", "scene", "court", "taxonomy", "recorded", "run", "recording", "study"])
def test_one_change_to_a_valid_file_never_fells_a_reader(valid: Path, tmp_path: Path, name: str) -> None:
    read, source = readers(valid)[name], valid / name
    files = sorted(p.relative_to(source) for p in source.rglob("*") if p.is_file() and p.stat().st_size)
    with quiet():
        read(source)  # as it stands it is read

    # Readers of whole folders take longer, and have more examples in `make test-all`.
    fewer = settings(
        max_examples=max(settings().max_examples // (3 if name in ("run", "paper", "recording") else 1), 1)
    )

    @fewer
    @given(st.data())
    def check(data: st.DataObject) -> None:
        shutil.rmtree(tmp_path / name, ignore_errors=True)
        shutil.copytree(source, tmp_path / name)
        path = tmp_path / name / data.draw(st.sampled_from(files))
        path.write_bytes(data.draw(changed(path.read_bytes())))
        with quiet(), contextlib.suppress(RefereeError):
            read(tmp_path / name)

    check()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        yield
