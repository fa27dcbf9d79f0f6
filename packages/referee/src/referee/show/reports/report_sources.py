"""The sources of a report: run folders, scored now if needed, joined, with catalogue facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.capabilities import is_average
from referee.contracts import Card, Metric
from referee.corpora.outputs import OutputsOfSystem
from referee.courtroom.proceedings import Proceedings
from referee.hearers.passports.cards import read_run_cards
from referee.hearers.passports.quoting import warn_elsewhere
from referee.jobs.folder import Run
from referee.jobs.heard import make_hearing_rows
from referee.jobs.open import Answers, open_corpus, open_outputs
from referee.jobs.progress import ProgressCallback, iterate_silently
from referee.records import HUMAN
from referee.show.reports.hearing_section import HearingRows
from referee.show.reports.material import (
    CatalogueFacts,
    Material,
    Scored,
    as_mapping,
    combine,
    get_original_manifest,
    read_scored,
)

# Answers that the court hears in a few seconds.
QUICK_COURT = 20_000


def gather(folders: Sequence[Path], watch: ProgressCallback | None = None) -> list[Material]:
    """Return the material of each set of comparable runs, in order; `watch` is the progress callback."""
    together: dict[tuple[Any, ...], list[Scored]] = {}
    for folder in folders:
        run = Run(folder)
        scored = read_scored(run) or _score_run(run, watch)
        # Runs over other trials, or measured otherwise, must not share a table.
        together.setdefault(scored.comparable, []).append(scored)
    return [combine(scored, _look_up_facts(scored)) for scored in together.values()]


def _score_run(run: Run, watch: ProgressCallback | None) -> Scored:
    """Score a run with the default measures, by domain and condition."""
    import polars as pl

    from referee.jobs.score import Settings, score_trials
    from referee.show.reports.material import get_trials_checksum

    # Lenient: a report shows the available data and counts the missing ones.
    settings = Settings(by=("domain", "condition"), lenient=True)
    answers = _build_answers(run)
    opened = open_corpus(run.folder)
    table = score_trials(answers, opened, settings, watch=watch or iterate_silently)
    rows = table.scores(watch)
    measurable = {r["metric"] for r in rows if r["n"]}
    schema = {"system": pl.String, "trial": pl.String, "metric": pl.String, "value": pl.Float64}
    return Scored(
        run=run,
        # Measures without a value for any system would be empty columns.
        scores=[r for r in rows if r["metric"] in measurable] or rows,
        items=pl.DataFrame(table.items(), schema=schema),
        settings=asdict(settings),
        counts=table.counts,
        checksum=get_trials_checksum(run),
        notes=tuple(table.notes),
        pairs=tuple(table.comparisons()),
    )


def _build_answers(run: Run) -> Answers:
    """Return the outputs of a run; systems with listeners' answers only have none."""
    path = run.folder / "outputs.jsonl"
    if path.exists() and path.stat().st_size:
        return open_outputs(run.folder, lenient=True)
    answers = Answers(lenient=True)
    for name in dict.fromkeys(r.system or HUMAN for r in run.responses()):
        answers.by_system[name] = OutputsOfSystem(name)
    return answers


def gather_hearing(material: Material) -> HearingRows:
    """Return hearers' answers in the runs of one table, with their signatures and passports."""
    rows: list[dict[str, Any]] = []
    signatures: dict[str, str] = {}
    cards: dict[str, dict[str, Any]] = {}
    warnings: dict[str, None] = {}
    card = material.facts.card
    sampled = card.sampled if card is not None and card.sampled else None
    for scored in material.scored:
        responses = material.heard_in(scored)
        if not responses:
            continue
        for row in make_hearing_rows(scored.run.trials(), responses, sampled=sampled):
            rows.append({**row, "system": material.shown(scored.name, row["system"])})
        signed = scored.run.manifest.get("hearers", {})
        signatures |= signed
        warnings |= dict.fromkeys(warn_elsewhere(signed, open_corpus(scored.run.folder).name))
        cards |= read_run_cards(scored.run.folder)
    return HearingRows(rows=rows, signatures=signatures, cards=cards, warnings=tuple(warnings))


def gather_scores(folder: Path) -> Material | None:
    """Return the scores of a run without its items, for large runs; None if it was not scored."""
    import polars as pl

    run = Run(folder)
    rows = run.scores()
    if not rows:
        return None
    none = pl.DataFrame(schema={"system": pl.String, "trial": pl.String, "metric": pl.String, "value": pl.Float64})
    settings, counts = (as_mapping(run.manifest.get(name)) for name in ("settings", "counts"))
    scored = Scored(run=run, scores=rows, items=none, settings=settings, counts=counts, checksum="")
    facts = _look_up_facts([scored])
    return Material(
        scored=(scored,),
        scores=tuple(rows),
        items=none,
        trials=pl.DataFrame(schema={"trial": pl.String}),
        synthetic=bool(facts.card and facts.card.synthetic),
        facts=facts,
        counts=counts,
    )


def summon_court(material: Material, always: bool = False) -> Proceedings | str:
    """Return the court's proceedings on the runs of one table, or the reason why there are none.

    With so many answers that it would take minutes, the court runs only if `always` is set.
    """
    from referee.courtroom.heard_evidence import TrialSettings, try_runs
    from referee.courtroom.proceedings import hold_court
    from referee.show.reports.court_section import NO_COURT

    if not material.responses:
        return NO_COURT
    bare = [s.name for s in material.scored if not (s.run.folder / "scores.jsonl").is_file()]
    if bare:
        return f"No court was held: {', '.join(bare)} has no scores of its own (referee score RUN --out SCORED, and let hearers listen there)."
    if len(material.responses) > QUICK_COURT and not always:
        many = f"{len(material.responses):,} answers"
        return f"No court was held: over {many} it takes minutes (referee report --court holds it, referee court RUN as well)."
    answered = [s.run.folder for s in material.scored if material.heard_in(s)]
    # Ranks of measures and rates of chance are not shown here, and take most of the time.
    hearings = try_runs(answered, TrialSettings(permutations=0), read_run_cards, warn_elsewhere)
    sheets = [sheet for sheet in hearings.sheets if sheet.automatic and sheet.hearer]
    if not sheets:
        return "No court was held: hearers answered other systems than those that were scored."
    return hold_court(", ".join(f.name for f in answered), sheets, hearings, chance=False)


def _look_up_facts(scored: Sequence[Scored]) -> CatalogueFacts:
    """Return the catalogue's facts on measures, systems and corpora."""
    measures = dict.fromkeys(r["metric"] for s in scored for r in s.scores)
    systems = dict.fromkeys(r["system"] for s in scored for r in s.scores)
    metrics = _create_metrics(measures)
    return CatalogueFacts(
        directions={name: m.direction for name, m in metrics.items()},
        ranges={name: m.range for name, m in metrics.items()},
        whole=frozenset(name for name, m in metrics.items() if not is_average(m)),
        tags=_get_tags(systems),
        card=_get_card(scored[0].run),
    )


def _create_metrics(measures: Iterable[str]) -> dict[str, Metric]:
    """Return the metrics by name, without those of missing packages."""
    entries = catalogue.entries("metric")
    return {m: catalogue.configure("metric", m) for m in measures if m.partition("|")[0] in entries}


def _get_tags(systems: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the catalogue's tags of systems."""
    entries = catalogue.entries("system")
    return {
        s: {tag: value for tag, value in e.tags.items() if isinstance(value, str)}
        for s in systems
        if (e := entries.get(s.partition("|")[0])) is not None and e.tags
    }


def _get_card(run: Run) -> Card | None:
    """Return the card of a corpus of the catalogue; None for a user's own file."""
    about = get_original_manifest(run).get("corpus")
    name = about.get("name") if isinstance(about, dict) else None
    if name == "jsonl" or name not in catalogue.entries("corpus"):
        return None
    card = catalogue.create("corpus", name).card
    return card if isinstance(card, Card) else None
