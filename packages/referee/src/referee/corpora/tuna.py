"""TUNA: typed descriptions of furniture and people among six distractors (van Deemter, van der Sluis & Gatt 2006).

The public release differs from the challenges' data, so the interpretation of its attribute sets is a named option:

- ``raw``: as annotated, with repeated names, ``other``, and values that are false of the target;
- ``true``: only the pairs that are true of the target (of a target, if there are two);
- ``challenge``: near to the challenges' data. Speakers 1, 4 and 5, whose grid positions are lost, and plural trials are
  left out (741 trials remain); a value that is false of the target is replaced by the target's; names that the target
  lacks are dropped; pairs that are equal after this, or were before, are one pair. The challenges also annotated `age`
  and `hasShirt` of people anew, which the release does not contain;
- ``challenge.other``: the same, but a value that is annotated as ``other`` (``type:other`` for the word "object") stays
  and matches nothing. By the training counts of Kelleher & Mac Namee (2008) at most 293 persons, 162 chairs, 101 desks
  and 52 sofas can have been named by type in the 741 trials; ``challenge`` has 310, 169, 108 and 54, this reading 287,
  163, 102 and 52: one chair and one desk too many, where speakers named another type.

Words and spans stay as annotated in every reading.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from referee.contracts import Card
from referee.corpora.challenge_xml import read_trials
from referee.corpora.reading.folder import locate
from referee.corpora.reading.safe_xml import make_natural_sort_key
from referee.errors import DuplicateTrial, UnknownName
from referee.records import Description, Property, Response, Trial

ARCHIVE = "tuna-singular-xml.zip"
# Their grid positions are "unknown" in the release; the challenges left these speakers out.
WITHOUT_POSITIONS = {"1", "4", "5"}


class Tuna:
    """The corpus, from XML in any dialect.

    `data` is the data folder, the corpus folder, a tree of XML files, a zip or one file.

    Trials of one designed scene share `scene.id`; only grid positions differ between them. `meta` has ``trial``,
    ``cardinality``, ``similarity``, the full markup as ``annotation``, and ``polarity`` where a property was denied.
    """

    card = Card(
        name="tuna",
        title="TUNA: furniture and people (release 1.0, February 2008; singular part 780 descriptions)",
        source="University of Aberdeen, www.abdn.ac.uk/ncs/departments/computing-science/corpus-496.php; "
        "singular part also in github.com/ThiagoCF05/EACH-GRE (commit c1dbe18)",
        licence="none stated; offered for public download by the University of Aberdeen and through ELRA "
        "(ISLRN 799-660-957-954-5): treat as research use with citation",
        languages=("en",),
        citation="K. van Deemter, I. van der Sluis and A. Gatt (2006), Building a semantically transparent corpus for "
        "the generation of referring expressions, INLG; A. Gatt, I. van der Sluis and K. van Deemter (2007), Evaluating "
        "algorithms for the generation of referring expressions using a balanced corpus, ENLG",
        sampled=("scene", "speaker"),
        faults=(
            "only 13 designed scenes (7 furniture, 6 people): split by scene or by speaker, not at random",
            "positions are unknown for every entity of speakers 1, 4 and 5 (21 furniture and 18 people trials)",
            "furniture sets hold 35 values that are false of the target and 31 times other; people sets 21 and 48 "
            "(unknown not counted)",
            "16 furniture and 21 people sets name an attribute twice: they are lists, not maps",
            "one set denies a property (s41t7, colour:red): its meta has polarity, its properties do not show it",
            "six sets lack a pair that their annotated words have (s313t26, s323t2, s326t22, s326t26, s393t24, s402t26)",
            "the target is the first entity of every file: read in the order of picture numbers, which tells nothing",
            "age has a trailing blank in many people files; values are stripped on reading",
        ),
        files=(ARCHIVE,),
    )

    def __init__(self, data: str | Path | None = None, reading: str = "raw") -> None:
        self.data = data
        self.reading = reading
        # The archive is unpacked and read once: comparisons with other speakers need the trials twice.
        self._trials: dict[str, Trial] = {}

    def trials(self) -> Iterator[Trial]:
        """Yield all trials in the chosen reading, by speaker number and trial number."""
        if self.reading not in READINGS:
            raise UnknownName("reading", self.reading, READINGS, hint=f"readings are {', '.join(READINGS)}")
        read = READINGS[self.reading]
        self._trials = self._trials or self._read_archives()
        for trial in self._trials.values():
            reading = read(trial)
            if reading is not None:
                yield reading

    def _read_archives(self) -> dict[str, Trial]:
        """Return the trials of all archives. Raises DuplicateTrial for repeated ids."""
        trials: dict[str, Trial] = {}
        for path in self._find_sources():
            for trial in read_trials(path):
                if trial.id in trials:
                    problem = f"trial {trial.id!r} is in more than one archive"
                    raise DuplicateTrial(problem, where=path, remedy="keep only one of the two archives")
                trials[trial.id] = trial
        # s9t1 before s10t1, whatever order the archive has.
        return {trial_id: trials[trial_id] for trial_id in sorted(trials, key=make_natural_sort_key)}

    def responses(self) -> Iterator[Response]:
        """Return no responses: the experiment had no listeners."""
        return iter(())

    def _find_sources(self) -> list[Path]:
        """Return the XML files of the corpus; unpacked files come before archives, which may hold the same files."""
        root = self.data or os.environ.get("REFEREE_DATA")
        if root and Path(root).is_file():
            return [Path(root)]
        for folder in (Path(root) / "tuna", Path(root)) if root else ():
            if next(folder.rglob("*.xml"), None):
                return [folder]
            if archives := sorted(folder.glob("*.zip")):
                return archives
        return [locate(self.data, "tuna", [ARCHIVE])]


def _read_raw(trial: Trial) -> Trial:
    return trial


def _read_true(trial: Trial) -> Trial:
    targets = [trial.scene.entity(t) for t in trial.targets]
    return _change_properties(trial, lambda pairs: tuple(p for p in pairs if any(t.has(p) for t in targets)))


def _read_challenge(trial: Trial, exempt: frozenset[str] = frozenset()) -> Trial | None:
    """Return a trial close to the challenges' data; values in `exempt` keep their annotation, true or not."""
    if trial.speaker in WITHOUT_POSITIONS or len(trial.targets) > 1:
        return None
    target = trial.scene.entity(trial.targets[0])

    def correct(pairs: tuple[Property, ...]) -> tuple[Property, ...]:
        """Return properties with the target's values, without repeats or attributes that the target lacks."""
        # A name that the target lacks (`other`, say) has no value of the target's to become.
        with_value = (p for p in pairs if target.value(p.name) is not None)
        # A dictionary keeps the order and removes duplicates.
        return tuple(
            dict.fromkeys(
                p if target.has(p) or p.value in exempt else Property(p.name, target.value(p.name)) for p in with_value
            )
        )

    return _change_properties(trial, correct)


def _change_properties(trial: Trial, change: Callable[[tuple[Property, ...]], tuple[Property, ...]]) -> Trial:
    """Return a trial with changed properties of its references."""

    def changed(reference: Description) -> Description:
        properties = reference.properties
        return reference if properties is None else replace(reference, properties=change(properties))

    return replace(trial, references=tuple(map(changed, trial.references)))


READINGS: dict[str, Callable[[Trial], Trial | None]] = {
    "raw": _read_raw,
    "true": _read_true,
    "challenge": _read_challenge,
    "challenge.other": lambda trial: _read_challenge(trial, frozenset({"other"})),
}
