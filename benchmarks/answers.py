"""How often the parser of answers misreads: `python benchmarks/answers.py` prints misread and unread answers a role, each with its upper 95 % limit.

The sets are in `answer_sets`: templates written for this benchmark, expanded here, in two halves that differ by template (`dev`, which the parser was written
with, and `untouched`); and labels by hash for texts of two corpora (`mllm-listeners`, `llm-reference-game`), which are read from the data folder and differ
by the model that wrote them.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SETS = Path(__file__).parent / "answer_sets"
ROLES = ("choice", "description", "rating", "place")
HALVES = ("dev", "untouched")
OPTIONS = 5
PLACES_ASKED = ("left", "middle", "right")
# The number meant and two others.
NUMBERS = ((3, 1, 5), (2, 4, 1), (5, 2, 3), (1, 3, 2))
WORDS = {"en": ("one", "two", "three", "four", "five")}
ORDINALS = {
    "en": ("first", "second", "third", "fourth", "fifth"),
    "de": ("erste", "zweite", "dritte", "vierte", "fünfte"),
    "fr": ("premier", "deuxième", "troisième", "quatrième", "cinquième"),
    "es": ("primer", "segundo", "tercer", "cuarto", "quinto"),
    "pt": ("primeiro", "segundo", "terceiro", "quarto", "quinto"),
    "nl": ("eerste", "tweede", "derde", "vierde", "vijfde"),
}
PHRASES = {
    "en": (
        "the small red chair on the left",
        "man with glasses and no beard",
        "large blue sofa facing right",
        "the one next to the window",
    ),
    "de": ("der kleine rote Stuhl links", "der Mann mit der Brille"),
    "fr": ("la petite chaise rouge à gauche", "l'homme aux lunettes"),
    "es": ("la silla roja pequeña de la izquierda", "el hombre con gafas"),
    "pt": ("a cadeira vermelha pequena à esquerda", "o homem de óculos"),
    "nl": ("de kleine rode stoel links", "de man met de bril"),
    "zh": ("左边的红色小椅子", "戴眼镜的男人"),
    "ja": ("左の小さな赤い椅子", "眼鏡をかけた男性"),
}
RATINGS = {"1-7": ((6, 4, 5), (3, 5, 4), (2, 6, 3)), "0-100": ((85, 70, 60), (40, 50, 55), (7, 12, 30))}
BOXES = ((120, 80, 310, 260), (35, 210, 198, 402), (402, 133, 617, 290), (218, 57, 440, 399))
FULL_WIDTH = {ord(mark): ord(mark) + 0xFEE0 for mark in ":,?!()"}


class LabelledAnswer(NamedTuple):
    """A text, how the parser is asked about it, and the outcome and value that a reader would give."""

    text: str
    arguments: dict[str, Any]
    outcome: str
    value: Any
    source: str


def load(role: str, half: str) -> list[LabelledAnswer]:
    """The distinct written answers of a role and half."""
    answers = {}
    for i, (section, label, template) in enumerate(_lines(SETS / half / f"{role}.txt")):
        for answer in EXPAND[role](section, label, template, f"{half}/{role}.txt:{i}"):
            answers.setdefault((answer.text, str(answer.arguments)), answer)
    return list(answers.values())


def _lines(path: Path) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("@"):
            section = line[1:]
        elif line and not line.startswith("# "):
            label, _, template = line.partition("\t")
            yield (
                section,
                label,
                re.sub(r"\\n", "\n", template.replace("\\\\", "\x00")).replace("\\t", "\t").replace("\x00", "\\"),
            )


def _spell(text: str, language: str, turn: int) -> str:
    """Chinese and Japanese are written with wide punctuation on every other turn."""
    return text.translate(FULL_WIDTH) if language in ("zh", "ja") and turn % 2 == 0 and "{" not in text else text


def _outcome(label: str, values: dict[str, Any]) -> tuple[str, Any]:
    if label in ("unread", "refused", "cut-off"):
        return label, None
    return "read", values.get(label, label)


def _choices(language: str, label: str, template: str, source: str) -> Iterator[LabelledAnswer]:
    for turn, (n, a, b) in enumerate(NUMBERS):
        slots = {"n": n, "a": a, "b": b, "w": WORDS["en"][n - 1], "th": ORDINALS.get(language, ORDINALS["en"])[n - 1]}
        text = _spell(template.format(**slots), language, turn)
        yield LabelledAnswer(text, {"kind": "choice", "options": OPTIONS}, *_outcome(label, {"n": n}), source)


def _descriptions(language: str, label: str, template: str, source: str) -> Iterator[LabelledAnswer]:
    for turn, phrase in enumerate(PHRASES[language]):
        text = _spell(template.format(d=phrase, D=phrase[0].upper() + phrase[1:]), language, turn)
        yield LabelledAnswer(text, {"kind": "description"}, *_outcome(label, {"d": phrase}), source)


def _ratings(section: str, label: str, template: str, source: str) -> Iterator[LabelledAnswer]:
    scale = "0-100" if section == "0-100" else "1-7"
    low, high = map(int, scale.split("-"))
    for turn, (r, s, t) in enumerate(RATINGS[scale]):
        text = _spell(template.format(r=r, s=s, t=t, lo=low, hi=high), section[:2], turn)
        meant = {"r": r} if not re.fullmatch(r"[\d.]+", label) else {label: float(label)}
        yield LabelledAnswer(text, {"kind": "rating", "scale": (low, high)}, *_outcome(label, meant), source)


def _places(form: str, label: str, template: str, source: str) -> Iterator[LabelledAnswer]:
    for first, second in zip(BOXES, BOXES[1:] + BOXES[:1], strict=True):
        slots = dict(zip("abcdefgh", first + second, strict=True))
        text = template.format(**slots, w=first[2] - first[0], v=first[3] - first[1])
        as_written = {
            "box": first,
            "point": first[:2],
            "boxes": [first, second],
            "box+.5": tuple(n + 0.5 for n in first),
            "point+.5": tuple(n + 0.5 for n in first[:2]),
            "point:0.": tuple(float(f"0.{n}") for n in first[:2]),
        }
        yield LabelledAnswer(text, {"kind": "place", "form": form}, *_outcome(label, as_written), source)


EXPAND = {"choice": _choices, "description": _descriptions, "rating": _ratings, "place": _places}


def load_corpus_labels(half: str, data: Path) -> list[LabelledAnswer]:
    """Texts of the corpora whose labels are stored by hash; empty where the data folder lacks them."""
    labels = dict(
        line.split("\t") for line in (SETS / half / "labels_by_hash.txt").read_text().splitlines() if line[0] != "#"
    )
    answers = []
    for text in _corpus_texts(data):
        label = labels.get(hash_of(text))
        if label is None:
            continue
        if label == "d":
            answers.append(LabelledAnswer(text, {"kind": "description"}, "read", text, "llm-reference-game"))
        else:
            place = {name: i for i, name in enumerate(PLACES_ASKED, 1)}
            arguments = {"kind": "choice", "options": list(PLACES_ASKED)}
            answers.append(LabelledAnswer(text, arguments, *_outcome(label, place), "mllm-listeners"))
    return answers


def _corpus_texts(data: Path) -> Iterator[str]:
    texts: dict[str, None] = {}
    listeners = data / "mllm-listeners" / "answers.jsonl.gz"
    if listeners.is_file():
        with gzip.open(listeners, "rt", encoding="utf-8") as file:
            texts |= dict.fromkeys(text for line in file for _, text in json.loads(line)["answers"].values())
    for records in sorted((data / "llm-reference-game").glob("*_records.jsonl.gz")):
        with gzip.open(records, "rt", encoding="utf-8") as file:
            texts |= dict.fromkeys(json.loads(line)["utterance"] for line in file)
    return iter(texts)


def hash_of(text: str) -> str:
    """The first 12 digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def judge(answer: LabelledAnswer) -> str:
    """``right``, ``misread`` (a value that was not meant, or a value where there is none) or ``unread`` (no value where there is one)."""
    from referee import parse_answer

    parsed = parse_answer(answer.text, **answer.arguments)
    if parsed.outcome == "read":
        return "right" if answer.outcome == "read" and _same(parsed.value, answer.value) else "misread"
    if answer.outcome == "read":
        return "unread"
    # Without a value nothing is misread; the reasons are counted apart.
    return "right" if parsed.outcome == answer.outcome else "other reason"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.strip().rstrip(".。").casefold() == other.strip().rstrip(".。").casefold()
    return bool(one == other)


def upper_limit(count: int, n: int) -> float:
    """The upper end of the exact (Clopper-Pearson) two-sided 95 % interval of a proportion."""
    from scipy.stats import beta

    return 1.0 if count == n else float(beta.ppf(0.975, count + 1, n - count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=HALVES, help="one half alone")
    parser.add_argument("--role", choices=ROLES, help="one role alone")
    parser.add_argument("--list", action="store_true", help="print every answer that is not right")
    chosen = parser.parse_args()
    data = Path(os.environ.get("REFEREE_DATA", "shared/data"))
    print(
        f"{'half':10} {'role':12} {'answers':>7} {'misread':>8} {'≤ 95 %':>7} {'unread':>7} {'≤ 95 %':>7} {'other':>6}"
    )
    for half in [chosen.half] if chosen.half else HALVES:
        everything = []
        for role in [chosen.role] if chosen.role else ROLES:
            answers = load(role, half) + [a for a in load_corpus_labels(half, data) if a.arguments["kind"] == role]
            everything += answers
            _report(half, role, answers, chosen.list)
        _report(half, "all", everything, False)


def _report(half: str, role: str, answers: list[LabelledAnswer], listed: bool) -> None:
    from collections import Counter

    from referee import parse_answer

    verdicts = [judge(answer) for answer in answers]
    counts, n = Counter(verdicts), len(answers)
    wrong, unread = counts["misread"], counts["unread"]
    limits = (
        f"{wrong:8} {upper_limit(wrong, n):7.2%} {unread:7} {upper_limit(unread, n):7.2%} {counts['other reason']:6}"
    )
    print(f"{half:10} {role:12} {n:7} {limits}")
    if listed:
        for answer, verdict in zip(answers, verdicts, strict=True):
            if verdict != "right":
                parsed = parse_answer(answer.text, **answer.arguments)
                print(
                    f"  {verdict}: {answer.text!r} is {answer.outcome} {answer.value!r}, parsed as {parsed.outcome} {parsed.value!r} ({answer.source})"
                )


if __name__ == "__main__":
    main()
