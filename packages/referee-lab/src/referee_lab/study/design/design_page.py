"""The design report of a study folder (design.txt): numbers, checks of balance, power, and the course of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from referee_lab.server.sessions.plan import make_plan
from referee_lab.study.design.balance import BalanceClaim, format_count, prove_balance
from referee_lab.study.design.heard_practice import find_odd_extras
from referee_lab.study.design.text_claims import find_false_claims, find_unmentioned_ways
from referee_lab.study.folder.settings import DERIVED
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.own_plugin import OWN
from referee_lab.study.texts import REQUIRED, read_default_pages

# The interval is about ±4 points wide at a power of one half.
SIMULATIONS = 500
KINDS = ("page", "practice", "trial", "check", "break", "form")


def write_design_report(study: Study, power: Sequence[str] | None = None) -> str:
    """Return the design report as text; `power` are lines of `simulate_power_lines` that were computed before."""
    proof = _format_claims(prove_balance(study))
    strength = simulate_power_lines(study) if power is None else power
    return "\n".join([*list_design_numbers(study), "", *proof, "", *strength, "", outline_session(study)])


def list_design_numbers(study: Study) -> list[str]:
    """Return the numbers of items, conditions, lists, participants and trials as lines."""
    design = study.design
    trials = sum(len(entry.trials) for entry in study.lists) * study.participants // len(study.lists)
    twice = f" (+ {len(design.duplicates)} shown twice as often)" if design.duplicates else ""
    return [
        f"{study.title} ({study.id}): protocol {study.protocol}, design {design.kind}, seed {study.seed}",
        f"{len(design.conditions) or 'no'} conditions, {design.items} items{twice}, "
        f"{study.participants} participants in {format_count(design.groups, 'group')}",
        f"{format_count(len(study.lists), 'list')} of {len(study.lists[0].trials)} trials; {trials:,} trials in all; "
        f"about {study.minutes} minutes per session",
    ]


def _format_claims(claims: list[BalanceClaim]) -> Iterator[str]:
    """Yield the lines with the checks of balance."""
    yield "Balance, counted from lists.json"
    for claim in claims:
        mark = "yes" if claim.holds else "NO " if claim.promised else "no "
        note = "" if claim.holds or claim.promised else " (this design does not guarantee it)"
        yield f"  {mark}  {claim.sentence}: {claim.counted}{note}"


def simulate_power_lines(study: Study) -> list[str]:
    """Return how likely the study detects the smallest difference worth finding, by simulation.

    That of each registered contrast; without contrasts, one of the systems against the others in Latin squares of the
    same size.
    """
    from referee.errors import InputError
    from referee.statistics.power import PlannedStudy, compute_wilson_interval, simulate_power
    from referee_lab.study.design.contrast_power import simulate_contrasts

    conditions = len(study.design.conditions)
    plugin = study.kind.info.plugin
    if conditions < 2 or plugin not in ("identify", "locate"):
        return ["Power: estimated for comparisons of error rates in identification; there are none here."]
    effect, base = study.analysis.effect, study.analysis.base
    if study.analysis.contrasts:
        rows = [
            (name, hits / SIMULATIONS, *compute_wilson_interval(hits, SIMULATIONS))
            for name, hits in simulate_contrasts(study, SIMULATIONS)
        ]
        return [
            f"Power of the registered contrasts to find a difference of {effect:.0%} in error rate from a base rate of {base:.0%}, "
            f"{SIMULATIONS} simulated studies",
            *_power_rows(rows),
        ]
    items, participants = _find_nearest_square(study)
    if (items - 1) * (participants - 1) < conditions:
        return [
            f"Power: not estimated ({format_count(items, 'item')} and {participants} participants leave no residual degrees of freedom)."
        ]
    planned = PlannedStudy(systems=conditions, items=items, participants=participants, effect=effect, base=base)
    try:
        power = simulate_power(planned, simulations=SIMULATIONS, alpha=study.analysis.alpha, seed=study.seed)
    except InputError as error:
        return [f"Power: not estimated ({error.problem})."]
    head = (
        f"Power to find a difference of {effect:.0%} in error rate from a base rate of {base:.0%} "
        f"(one system against the others), {SIMULATIONS} simulated studies"
    )
    if (items, participants) != (study.design.items + len(study.design.duplicates), study.participants):
        head += f"; computed for Latin squares of {items} items and {participants} participants"
    columns = ("analysis", "power", "low", "high")
    return [head, *_power_rows(power.select(columns).iter_rows())]


def _power_rows(rows: Iterable[tuple[str, float, float, float]]) -> list[str]:
    """Return lines of power with its interval."""
    listed = list(rows)
    width = max(20, *(len(name) for name, *_ in listed))
    return [f"  {name:<{width}} {power:.0%} ({low:.0%} to {high:.0%})" for name, power, low, high in listed]


def _find_nearest_square(study: Study) -> tuple[int, int]:
    """Return the largest numbers of items and participants, within the study's, that fit Latin squares."""
    k = len(study.design.conditions)
    squares = max((study.design.items + len(study.design.duplicates)) // k, 1)
    teams = max(study.participants // k, 1)
    # Groups share the squares out evenly, so their number divides that of the squares.
    groups = max(g for g in range(1, min(teams, squares) + 1) if squares % g == 0)
    return squares * k, groups * k


def outline_session(study: Study) -> str:
    """Return the course of a session by kinds of steps."""
    kinds = Counter(step.kind for step in make_plan(study, study.lists[0].id, study.seed).steps)
    words = {"practice": "practice trial", "check": "attention check"}
    counted = ", ".join(format_count(kinds[kind], words.get(kind, kind)) for kind in KINDS if kinds[kind])
    return f"A session: consent, {counted}, debriefing and code"


def list_open_tasks(study: Study) -> list[str]:
    """Return what remains to be done before a live study; none of it prevents a pilot."""
    advice = []
    if not study.about.contact:
        advice.append("study.toml [study] contact is empty: the consent text has no contact person")
    if not study.analysis.hypothesis:
        advice.append("study.toml [analysis] hypothesis is empty: state the expectation before the first participant")
    if study.kind.info.plugin == OWN:
        folder = study.folder / "texts" / study.language
        shipped = read_default_pages(study.language, study.protocol)
        same = [p for p in REQUIRED if (folder / f"{p}.md").read_text("utf-8").strip() == shipped[p].strip()]
        if same:
            pages = ", ".join(f"texts/{study.language}/{page}.md" for page in same)
            advice.append(f"write what people do with your plug-in, and what it is for, into {pages}")
    if study.mode == "live" and study.recruitment.platform == "prolific":
        derived = [name for name, code in asdict(study.recruitment.codes).items() if code == DERIVED]
        if derived:
            advice.append(f"Prolific gives you the codes: enter those for {', '.join(derived)} in [recruitment.codes]")
    advice += [*find_false_claims(study), *find_unmentioned_ways(study), *find_odd_extras(study)]
    if not study.practice:
        advice.append("there is no practice trial (practice.jsonl)")
    return advice
