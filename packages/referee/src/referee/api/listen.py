"""`referee.listen`: a hearer answers the outputs of a run's systems, and its answers are measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from referee.api import charts
from referee.api.options import ListenOptions
from referee.api.results import HEARING, RESPONSES, Result, format_interval, make_frame
from referee.api.score import get_labels
from referee.engines.choice import make_engine
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.jobs.heard import make_hearing_rows
from referee.jobs.listen import Session, add_people, add_recorded
from referee.jobs.listen import listen as listen_to
from referee.jobs.open import RECORDED, open_corpus
from referee.metrics.hearing import OVER_ITEMS, UNDERSTOOD
from referee.options import accept_options
from referee.records import HUMAN, Response
from referee.show.reports.score_tables import format_number
from referee.signature import explain, signature

if TYPE_CHECKING:
    import altair as alt

# Below this proportion of content words a hearer answers to another text than the one that was written.
ENOUGH_WORDS = 0.9
SHARES = ("several", "none", "dont-know", "timeout", "unparsable")


class Responses(Result):
    """Every answer of a hearer, one row each.

    Args:
        frame: the rows.

    >>> import referee, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run = referee.score(demo=True, metrics="set/dice").save(f"{place}/run")
    ...     referee.listen(run, "literal", items=True)
    Responses: 1,560 answers, 2 systems, 1 hearer
    """

    def plot(self) -> alt.TopLevelMixin:
        """Return a bar chart of the answers by system, stacked by outcome."""
        counts = self.frame.group_by("system", "outcome", maintain_order=True).len("n").to_dicts()
        return charts.draw_bars(counts, "what hearers did", x="n", y="system", colour="outcome")

    def _get_title(self) -> str:
        systems, hearers = self.frame["system"].n_unique(), self.frame["hearer"].n_unique()
        return f"Responses: {len(self.frame):,} answers, {systems} systems, {hearers} hearer{'s' * (hearers != 1)}"


class Heard(Result):
    """The results of hearers on a run: each measure by system and hearer, with its interval.

    Args:
        run: the run folder.
        rows: the measures.
        signed: the hearers' signatures.
        confidence: of the intervals.
        warnings: sentences about passports of other corpora.

    >>> import referee, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run = referee.score(demo=True, metrics="set/dice").save(f"{place}/run")
    ...     referee.listen(run, "literal")
    Heard: toy-chatty ir 1.000, toy-minimal ir 1.000
    """

    def __init__(
        self,
        run: Path,
        rows: list[dict[str, Any]],
        signed: dict[str, str],
        confidence: float,
        warnings: tuple[str, ...],
    ) -> None:
        self.run, self.rows, self.signatures, self.confidence, self.warnings = run, rows, signed, confidence, warnings
        super().__init__(make_frame(map(self._make_row, rows), HEARING))

    def _make_row(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the result of one measure as a row of the frame."""
        return {
            **row,
            "metric": row["measure"],
            "clusters": row["cluster"] or None,
            "excluded": sum(row["excluded"].values()),
        }

    @property
    def items(self) -> Responses:
        """Return every answer, with the labels of its trial and whether it identified the target."""
        opened = Run(self.run)
        trials = {t.id: t for t in opened.trials()}
        rows = (
            {
                "system": r.system or HUMAN,
                "hearer": r.hearer,
                "trial": r.trial,
                **(get_labels(trials[r.trial]) if r.trial in trials else {}),
                "outcome": str(r.outcome),
                "entity": r.entity,
                "found": r.entity in trials[r.trial].targets if r.trial in trials else None,
                "reading_ms": r.reading_ms,
                "identification_ms": r.identification_ms,
                "repeats": r.repeats,
            }
            for r in opened.responses()
        )
        return Responses(make_frame(rows, RESPONSES))

    def list_filled_measures(self) -> list[str]:
        """Return the names of the measures that have a value for at least one system and hearer."""
        groups = self.groups().values()
        return [
            name
            for name in dict.fromkeys(r["measure"] for r in self.rows)
            if any(is_informative(name, g) for g in groups)
        ]

    def groups(self) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
        """Return the rows grouped by system and hearer, and in each group by measure."""
        groups: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault((row["system"], row["hearer"]), {})[row["measure"]] = row
        return groups

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart with a dot and an interval per system and hearer, one panel per measure."""
        many = len({r["hearer"] for r in self.rows}) > 1
        names = self.list_filled_measures()
        rows = [
            {
                "system": f"{r['system']} / {r['hearer']}" if many else r["system"],
                "metric": r["measure"],
                **{k: r[k] for k in ("value", "low", "high", "n")},
            }
            for r in self.rows
            if r["measure"] in names
        ]
        return charts.draw_dots(rows, f"hearing, {self.confidence:.0%} intervals")

    def _format_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the headings and text cells of the table of hearing measures."""
        names = self.list_filled_measures()
        body = [
            [
                *labels,
                str(group["ir"]["n"]),
                *(format_interval(group[m]["value"], group[m]["low"], group[m]["high"]) for m in names),
            ]
            for labels, group in self.groups().items()
        ]
        return ["system", "hearer", "n", *names], body

    def _get_title(self) -> str:
        rates = [f"{s} ir {format_number(g['ir']['value'])}" for (s, _), g in self.groups().items()]
        return f"Heard: {', '.join(rates[:6])}{' …' if len(rates) > 6 else ''}"

    def _list_notes(self) -> Sequence[str]:
        return [*self.signatures.values(), *self.warnings]


def is_informative(name: str, group: dict[str, dict[str, Any]]) -> bool:
    """Return whether a column is worth showing: not all 0, and for votes with several voters."""
    row = group[name]
    # With one answer per item there is no vote: majority and agreement would repeat the rate.
    if name in OVER_ITEMS:
        return bool(row["n"]) and group["ir"]["n"] > row["items"]
    return bool(row["n"]) and (name not in (*SHARES, "repeats") or bool(row["value"]))


@accept_options(ListenOptions)
def listen(options: ListenOptions) -> Heard:
    """Let a hearer answer the descriptions of a run, and measure its answers (`referee listen`).

    The answers are stored in the run.

    Returns:
        A `Heard`, or with `items` the `Responses`.

    Raises:
        InputError: if the folder is no run, or has no answers.

    >>> import referee, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run = referee.score(demo=True, metrics="set/dice").save(f"{place}/run")
    ...     heard = referee.listen(run, "noisy", cluster="none")
    >>> heard.frame.columns[:4]
    ['system', 'hearer', 'metric', 'value']
    """
    folder = Path(options.run)
    Run(folder).manifest  # noqa: B018 (raises the error for a folder that is no run at once)
    if options.people is not None:
        _add_people(folder, options.people, options.data)
    if (
        options.hearer is not None
        and options.hearer.startswith(RECORDED)
        and Path(options.hearer.removeprefix(RECORDED)).suffix
    ):
        add_recorded(folder, Path(options.hearer.removeprefix(RECORDED)))
    elif options.hearer is not None:
        from referee.hearers.passports.named_hearer import name_of, summon

        # Checked before the answers are asked for, which may take hours or money.
        if not any(trial.targets for trial in Run(folder).trials()):
            raise InputError(
                "no item of this run has a scene with a target, from which a hearer could choose",
                where=folder,
                remedy="make the run with scenes: referee evaluate OUTPUTS --scenes FILE --save-as RUN",
            )
        card = _load_card(options.passport, options.hearer)
        session = Session(
            hearer=options.hearer,
            # Not the path of a FILE.py: a run names its hearers alike on every machine.
            label=name_of(options.hearer),
            summon=summon,
            seed=options.seed,
            humans=options.humans,
            folds=options.folds,
            by=options.folds_by,
            train=None if options.train is None else str(options.train),
            passport=_sign_card(card),
            batch_in=None if options.batch_in is None else Path(options.batch_in),
            batch_out=None if options.batch_out is None else Path(options.batch_out),
        )
        number = options.jobs or options.workers or (1 if options.engine == "local" else None)
        worker = make_engine(options.engine, number, options.address)
        listen_to(folder, session, worker, options.shard, options.progress(_count_expected(folder, options.humans)))
        _store_card(folder, card)
    heard = _measure_answers(folder, options.cluster, options.confidence, options.ties)
    return cast(Heard, heard.items) if options.items else heard


def _measure_answers(folder: Path, cluster: str, confidence: float, ties: str) -> Heard:
    """Return the hearing measures of all answers in a run folder."""
    from referee.hearers.passports.quoting import warn_elsewhere

    opened = Run(folder)
    corpus = open_corpus(folder)
    signed = opened.manifest.get("hearers", {})
    responses = list(opened.responses())
    if not responses:
        raise InputError(
            "this run has no answers",
            where=folder,
            remedy="name a hearer: --hearer literal, or people: --people CORPUS",
        )
    sampled = corpus.source.sampled
    rows = make_hearing_rows(
        opened.trials(),
        responses,
        cluster=cluster,
        sampled=sampled,
        confidence=confidence,
        ties=ties,
        signed=signed,
    )
    # A passport speaks of the corpus it was made on.
    return Heard(
        folder, rows, signed, confidence, (*warn_elsewhere(signed, corpus.name), *_warn_of_unknown_words(rows))
    )


def _warn_of_unknown_words(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a warning for each system most of whose words a hearer did not know."""
    for row in rows:
        if row["measure"] == UNDERSTOOD and row["value"] is not None and row["value"] < ENOUGH_WORDS:
            yield (
                f"{row['hearer']} understood {row['value']:.0%} of the content words of {row['system']} and ignored the others:"
                " its answers depend on the other words only"
            )


def _load_card(path: str | Path | None, named: str) -> dict[str, Any] | None:
    """Read a hearer's passport. Raises InputError if it describes another hearer, other options or other code."""
    if path is None:
        return None
    from referee.hearers.passports.cards import read_card
    from referee.hearers.passports.named_hearer import name_of, summon

    card, hearer = read_card(Path(path)), name_of(named)
    if str(card["hearer"]) != hearer:
        raise InputError(
            f"this is the passport of {card['hearer']}, not of {hearer}",
            where=path,
            remedy="name this hearer's card, made with the same options",
        )
    # Code that is not Referee's own may have been edited since.
    package = explain(str(card.get("signature", ""))).get("package")
    if package is not None and explain(signature(hearer, summon(named)))["package"] != package:
        raise InputError(
            f"the code of {hearer} was changed after this passport was made",
            where=path,
            remedy=f"make it again: referee passport {named} --corpus {card['corpus']} --out {path}",
        )
    return card


def _sign_card(card: dict[str, Any] | None) -> str:
    """Return the part of a signature that identifies a passport."""
    if card is None:
        return ""
    from referee.hearers.passports.quoting import sign

    return sign("", card)


def _store_card(run: Path, card: dict[str, Any] | None) -> None:
    """Copy a passport into a run folder."""
    if card is not None:
        from referee.hearers.passports.cards import keep_card

        keep_card(run, card)


def _add_people(run: Path, source: str | Path, data: str | Path | None) -> None:
    """Add answers to a run: a corpus's answers to references, or a file's to outputs or references."""
    from referee.hearers.passports.people import open_people

    file = Path(source)
    if file.is_file() and not file.name.endswith((".jsonl", ".jsonl.gz")):
        add_people(run, _read_responses(file, Run(run)), file.name)
        return
    people = (
        open_people(str(run), file)
        if file.is_file()
        else open_people(str(source), None if data is None else Path(data))
    )
    add_people(run, (a.response for a in people.answers), file.name if file.is_file() else str(source))


def _read_responses(file: Path, run: Run) -> list[Response]:
    """Return the listeners' answers to the trials of a run, read from a table or a platform's export."""
    from referee.corpora.natives.recognition import read_material

    material = read_material([file])
    trials = {t.id: t for t in run.trials()}
    responses = []
    for response in material.responses:
        trial = trials.get(response.trial)
        if trial is None:
            continue
        if response.entity not in {e.id for e in trial.scene.entities}:
            raise InputError(
                f"{response.entity!r}, chosen in {response.trial!r}, is not an entity of its scene",
                where=file,
                remedy="name the column with the ids of chosen entities: chosen",
            )
        responses.append(response)
    return responses


def _count_expected(run: Path, humans: bool) -> int:
    """Return how many answers will be collected, for the progress bar."""
    opened = Run(run)
    output_count = sum(1 for _ in opened.outputs()) if (opened.folder / "outputs.jsonl").exists() else 0
    return output_count + (sum(bool(t.references) for t in opened.trials()) if humans else 0)
