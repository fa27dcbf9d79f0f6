"""People's answers for the evaluation of hearers.

From a corpus with responses, or from a file of responses in the documented format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue
from referee.contracts import Card
from referee.corpora.clusters import get_cluster
from referee.corpora.games import Games
from referee.corpora.jsonl import JsonlCorpus, read_responses
from referee.errors import DataNotFound, InputError, UnknownTrial
from referee.jobs.folder import Run, is_run
from referee.jobs.open import open_corpus
from referee.jobs.score_table import DESIGN, choose_clusters
from referee.records import Description, Entity, Outcome, Response, Trial
from referee.statistics.dependent_trials import Clusters

SILENT = Description()


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanAnswer:
    """A description in a trial, and one person's answer to it."""

    trial: Trial
    description: Description
    response: Response


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The trials of a corpus, the usable answers of people, and the number of unusable ones by reason.

    `sampled` are the sampling units of the corpus card (None: no card).
    """

    name: str
    trials: tuple[Trial, ...]
    answers: tuple[HumanAnswer, ...]
    left_out: dict[str, int]
    sampled: tuple[str, ...] | None = None

    def sample_units(self, limit: int, by: str, seed: int) -> People:
        """Return whole games (or speakers), sampled at random until there are `limit` answers.

        The rest is neither asked about nor learned from.
        """
        by = by if by == "speaker" else "game"
        sizes = Counter(find_unit(a.trial, by) for a in self.answers)
        order = sorted(sizes)
        Random(seed).shuffle(order)
        drawn_units: set[str] = set()
        for unit in order:
            if sum(sizes[u] for u in drawn_units) >= limit:
                break
            drawn_units.add(unit)
        trials = tuple(t for t in self.trials if (u := find_unit(t, by)) in drawn_units or u not in sizes)
        return replace(
            self, trials=trials, answers=tuple(a for a in self.answers if find_unit(a.trial, by) in drawn_units)
        )

    def clusters(self) -> Clusters:
        """Return the clusters of the answers: the card's sampling units and, unless a game includes both, the
        participants.

        Without a card: games, or else whichever of person, scene and speaker recurs. Of more than two factors the two
        with the fewest clusters are used: they determine most of the uncertainty.
        """
        factors = self.sampled or (
            ("game",) if any("game" in a.trial.meta for a in self.answers) else ("scene", "speaker")
        )
        if not {"game", "participant"} & set(factors):
            factors = ("participant", *factors)
        labels = {f: [get_cluster(a.trial, f, a.response) for a in self.answers] for f in factors}
        clusters = choose_clusters(labels, DESIGN)
        fewest = sorted(zip(clusters.sizes(), clusters.names, clusters.codes, strict=True), key=lambda part: part[0])[
            :2
        ]
        return Clusters(tuple(name for _, name, _ in fewest), tuple(codes for _, _, codes in fewest))

    def without(self, gone: Iterable[tuple[HumanAnswer, str]]) -> People:
        """Return the same without some answers, each with the reason why it is left out."""
        reasons = {id(answer): reason for answer, reason in gone}
        counted = Counter(self.left_out) + Counter(reasons.values())
        return replace(self, answers=tuple(a for a in self.answers if id(a) not in reasons), left_out=dict(counted))


def find_unit(trial: Trial, by: str) -> str:
    """Return the game, speaker, scene, kind of object or condition of a trial.

    A trial without game and speaker is its own unit.
    """
    if by == "condition":
        return trial.condition or "none"
    if by == "scene":
        return trial.scene.id or _look_of(*trial.scene.entities)
    if by == "object":
        return _get_target_type(trial)
    return _get_unit(trial, by) or trial.id


def _get_target_type(trial: Trial) -> str:
    """Return the target's type, because other colours and sizes of one type are not new.

    Without a type, all its attributes.
    """
    targets = [trial.scene.entity(target) for target in trial.targets]
    types = [e.value("type") for e in targets]
    return "|".join(map(str, types)) if all(types) else _look_of(*targets)


def _look_of(*entities: Entity) -> str:
    return "|".join(sorted(repr((sorted(e.attributes), e.image)) for e in entities))


def _get_unit(trial: Trial, by: str) -> str | None:
    game = trial.meta.get("game") if by == "game" else None
    return trial.speaker if game is None else str(game)


def open_people(corpus: str | None, data: str | Path | None = None, silent: bool = False) -> People:
    """Return people's answers: those of a corpus by name, file or folder, or those in `data` (`referee docs passport`
    has the formats).

    With `silent`, answers to empty descriptions are included: externally asked hearers may have seen the whole
    dialogue.
    """
    name, source, where = _open_source(corpus, data)
    source = source.read_once() if isinstance(source, Games) else source
    trials = {t.id: t for t in _iterate_trials(source, data)}
    responses = _iterate_responses(data, source)
    outputs = _read_outputs(source)
    left_out: Counter[str] = Counter()
    answers = tuple(_iterate_usable_answers(responses, trials, outputs, left_out, where, silent))
    if not answers:
        reasons = ", ".join(f"{n} {reason}" for reason, n in left_out.items())
        raise InputError(
            "there are no human answers to descriptions" + (f" ({reasons})" if reasons else ""),
            where=where,
            remedy="take a corpus with responses (degen2020, colors, tg-matcher …), or name a file of responses with --data",
        )
    return People(
        name=name,
        trials=tuple(trials.values()),
        answers=answers,
        left_out=dict(left_out),
        sampled=_find_sampling_units(source),
    )


def _find_sampling_units(source: Any) -> tuple[str, ...] | None:
    """Return the sampling units of the corpus card; for a run, of the card of its corpus."""
    card = open_corpus(source.folder).card if isinstance(source, Run) else getattr(source, "card", None)
    return card.sampled if isinstance(card, Card) and card.sampled else None


def _open_source(corpus: str | None, data: str | Path | None) -> tuple[str, Any, str]:
    """Return a name to print, an object with trials() and responses(), and the path for errors."""
    data_path = None if data is None else Path(data)
    if data_path is not None and not data_path.exists():
        raise InputError(
            "there is no such file or folder", where=data_path, remedy="--data names a folder or a file of responses"
        )
    if (
        data_path is not None
        and data_path.is_dir()
        and (data_path / "responses.jsonl").exists()
        and (data_path / "trials.jsonl").exists()
    ):
        return data_path.name, _open_folder(data_path), str(data_path / "responses.jsonl")
    if corpus is None:
        raise InputError(
            "the trials of people's answers are missing",
            where=data or "",
            remedy="name a corpus (--corpus degen2020), or a folder with trials.jsonl and responses.jsonl (--data FOLDER)",
        )
    suffix = f" + {data_path.name}" if data_path is not None and data_path.is_file() else ""
    if corpus not in catalogue.names("corpus") and Path(corpus).exists():
        return Path(corpus).name + suffix, _open_folder(Path(corpus)), str(data if suffix else corpus)
    folder = {"data": data_path} if data_path is not None and data_path.is_dir() else {}
    return corpus + suffix, catalogue.create("corpus", corpus, **folder), str(data if suffix else corpus)


def _open_folder(path: Path) -> Any:
    return Run(path) if is_run(path) else JsonlCorpus(path)


def _iterate_trials(source: Any, data: str | Path | None) -> Iterable[Trial]:
    """Yield the trials. Raises DataNotFound with the right remedy if `data` is a file of responses."""
    try:
        yield from source.trials()
    except DataNotFound as missing:
        if data is None or not Path(data).is_file():
            raise
        problem = f"a file here is read as responses, and of the corpus {missing.problem}"
        raise DataNotFound(problem, where=data, remedy="give --data the folder of the corpus") from None


def _iterate_responses(data: str | Path | None, source: Any) -> Iterable[Response]:
    return read_responses(data) if data is not None and Path(data).is_file() else source.responses()


def _read_outputs(source: Any) -> dict[tuple[str, str | None], Description]:
    """Return the outputs of a run's systems, for answers that only name the system."""
    if not isinstance(source, Run) or not (source.folder / "outputs.jsonl").exists():
        return {}
    return {(o.trial, o.system): o.description for o in source.outputs()}


def _iterate_usable_answers(
    responses: Iterable[Response],
    trials: dict[str, Trial],
    outputs: dict[tuple[str, str | None], Description],
    left_out: Counter[str],
    where: str,
    silent: bool,
) -> Iterator[HumanAnswer]:
    """Yield the usable answers, counting the others by reason."""
    for response in responses:
        trial = trials.get(response.trial)
        if trial is None:
            raise UnknownTrial(
                f"{response.hearer!r} answers trial {response.trial!r}, which is not among the trials",
                where=where,
                remedy="give the responses together with their trials",
            )
        _check_entity(response, trial, where)
        description = response.description or outputs.get((response.trial, response.system))
        if description is None and response.system is None and trial.references:
            description = trial.references[0]
        if description is None and silent:
            description = SILENT
        reason = _explain_unusable(response, trial, description, silent)
        if reason or description is None:
            left_out[reason or "without a description"] += 1
        else:
            yield HumanAnswer(trial=trial, description=description, response=response)


def _check_entity(response: Response, trial: Trial, where: str) -> None:
    """Raise InputError for a chosen entity that the trial lacks."""
    if response.outcome == Outcome.ENTITY and response.entity not in {e.id for e in trial.scene.entities}:
        raise InputError(
            f"{response.hearer!r} chose {response.entity!r} in trial {trial.id!r}, which has no such entity",
            where=where,
            remedy="name entity ids of the trial's scene",
        )


def _explain_unusable(response: Response, trial: Trial, description: Description | None, silent: bool) -> str | None:
    """Return the reason why an answer is unusable; None if it is usable."""
    if response.probabilities is not None:
        return "of a simulated hearer"
    if len(trial.targets) != 1:
        return "with several targets"
    if not trial.scene.complete:
        return "in a scene that is not known whole"
    if description is None or (not silent and description.text is None and description.properties is None):
        return "without a description"
    return None
