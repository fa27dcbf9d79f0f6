"""The protocol of Gatt & van Deemter (2007) on a made file in the form of TUNA's plural half: parts are read, and the tree distance is counted by hand."""

from __future__ import annotations

from pathlib import Path

from referee.api.run import run
from referee.jobs.open import open_corpus
from referee.meaning import as_json


def attributes(pairs: str) -> str:
    named = (pair.split(":") for pair in pairs.split())
    return "".join(f'<ATTRIBUTE NAME="{name}" VALUE="{value}">{value}</ATTRIBUTE> ' for name, value in named)


def trial(name: str, entities: str, parts: list[str]) -> str:
    """A TRIAL with two targets and, of each part, a DESCRIPTION."""
    domain = "".join(
        f'<ENTITY ID="{i}" TYPE="{"target" if i < 3 else "distractor"}">{attributes(pairs)}</ENTITY>'
        for i, pairs in enumerate(entities.split(", "), 1)
    )
    singular = " and ".join(f'<DESCRIPTION NUM="SINGULAR">{attributes(pairs)}</DESCRIPTION>' for pairs in parts)
    inside = singular if len(parts) > 1 else attributes(parts[0])
    pairs = dict.fromkeys(pair for part in parts for pair in part.split())
    return (
        f'<TRIAL ID="{name}" CONDITION="-LOC" DOMAIN="furniture"><DOMAIN>{domain}</DOMAIN>'
        f'<DESCRIPTION NUM="PLURAL">{inside}</DESCRIPTION>'
        f"<ATTRIBUTE-SET>{attributes(' '.join(pairs))}</ATTRIBUTE-SET></TRIAL>"
    )


CHAIR_AND_DESK = "type:chair colour:red, type:desk colour:blue, type:desk colour:red, type:chair colour:blue"
TWO_CHAIRS = "type:chair colour:red, type:chair colour:red, type:desk colour:red, type:chair colour:blue"


def test_plural_trials_in_xml(tmp_path: Path) -> None:
    trials = [
        trial("s1t8", CHAIR_AND_DESK, ["type:chair colour:red", "type:desk colour:blue"]),
        trial("s1t9", TWO_CHAIRS, ["type:chair colour:red"]),
        trial("s2t8", CHAIR_AND_DESK, ["type:chair", "type:desk colour:blue"]),
        trial("s2t9", TWO_CHAIRS, ["type:chair"]),
    ]
    path = tmp_path / "plural.xml"
    path.write_text(f"<TRIALS>{''.join(trials)}</TRIALS>", "utf-8")
    first = next(iter(open_corpus(str(path)).trials()))
    assert first.references[0].meaning is not None
    assert as_json(first.references[0].meaning) == [
        *[
            "parts",
            [1, ["and", ["type", "chair"], ["colour", "red"]]],
            [1, ["and", ["type", "desk"], ["colour", "blue"]]],
        ]
    ]
    made = run("classic/partitioned", str(path), out=tmp_path / "run", folds=2, jobs=1)
    items = made.score(metrics="set/edit.tree,set/exact,scene/unique", jobs=1).items
    values = {(row["metric"], row["trial"]): row["value"] for row in items.to_dicts()}
    names = ("s1t8", "s1t9", "s2t8", "s2t9")
    # The system says "the red chair and the blue desk" and "the red chairs": one property more than speaker 2.
    assert [values["set/edit.tree", name] for name in names] == [0, 0, 1, 1]
    assert [values["set/exact", name] for name in names] == [1, 1, 0, 0]
    assert [values["scene/unique", name] for name in names] == [1, 1, 1, 1]
