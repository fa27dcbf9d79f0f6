"""The datasheet of a human evaluation, filled in from study folder and data as far as they know (after HEDS: Shimorina & Belz 2022; Belz & Thomson 2024).

The questions are worded here in this project's own words, in the order of HEDS: the paper, the systems, the sample, the participants, the design, each quality
criterion, and ethics.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from referee_lab.study.data.dataset import Dataset
from referee_lab.study.design.conditions import COMPARED
from referee_lab.study.folder.media import find_media_uses, has_media, list_presentations
from referee_lab.study.folder.settings import ExclusionSection
from referee_lab.study.folder.study import HUMAN, VERSUS, Study

OPEN = "**to be filled in**"
Section = dict[str, str]

CRITERIA: Mapping[str, tuple[str, ...]] = {
    "identify": (
        "identification error: the share of answers that name another object than the one meant",
        "identification time: from the scene's onset to the answer",
        "reading time: from the description's onset to the request of the scene (not where both come together)",
    ),
    "locate": (
        "identification error: the share of answers whose place is not in the region meant",
        "identification time: from the onset of picture and description to the answer",
    ),
    "judge": ("judged quality on the scales below",),
    "produce": ("none: descriptions are collected, not judged",),
}


def write_datasheet(study: Study, collected: Dataset | None) -> str:
    """Return the datasheet in Markdown; without data it describes the plan."""
    parts: dict[str, Section] = {
        "1. Paper and material": _write_paper_section(study),
        "2. Systems": _write_systems_section(study),
        "3. Sample of outputs": _write_sample_section(study),
        "4. Participants": _write_participants_section(study, collected),
        "5. Design and procedure": _write_design_section(study, collected),
        "6. Quality criteria": _write_criteria_section(study),
        "7. Ethics and data protection": _write_ethics_section(study),
    }
    lines = [
        f"# Datasheet of the study {study.title}",
        "",
        "After HEDS (Shimorina & Belz 2022). Filled in from the study folder and its data; the authors fill in the fields in bold.",
        "",
    ]
    for title, section in parts.items():
        lines += [f"## {title}", "", *(f"- {question}: {answer}" for question, answer in section.items()), ""]
    return "\n".join(lines)


def _write_paper_section(study: Study) -> Section:
    """Return the section of the datasheet on the paper and the preregistration."""
    return {
        "Where the evaluation is reported": OPEN,
        "Study folder (preregistration)": f"`{study.id}`, SHA-256 {study.hash}",
        "Where it was registered before the first participant": OPEN,
        "Who answers questions": study.about.contact or OPEN,
        "Hypothesis": study.analysis.hypothesis or OPEN,
    }


def _write_systems_section(study: Study) -> Section:
    """Return the section on the compared systems: task, input and output."""
    names = sorted({part for c in study.design.conditions if c for part in c.split(VERSUS)})
    what = "the target is marked, people write" if not names else f"{len(names)}: {', '.join(names)}"
    return {
        "Task": "referring expressions: a description that should let a hearer find one object among others",
        "Input": "a scene of objects with attributes, one of them the target",
        "Output": f"a description in words, language {study.language}",
        "What is compared": what,
        "People's own descriptions among them": "yes" if HUMAN in names else "no",
        "Source": study.design.source or OPEN,
    }


def _write_sample_section(study: Study) -> Section:
    """Return the section on the sample of items and its statistical power."""
    domains = sorted({s.trial.domain for s in study.stimuli.values() if s.trial.domain})
    twice = [d for d in study.design.duplicates if d]
    return {
        "Items": f"{study.design.items}" + (f" ({', '.join(domains)})" if domains else ""),
        "How they were chosen": f"seeded draw (seed {study.seed})"
        + (f"; {len(twice)} items shown twice as often to fill the squares" if twice else ""),
        "Statistical power": "design.txt has the estimate, made before data collection; smallest difference of interest "
        f"{study.analysis.effect:g} in error rate beside {study.analysis.base:g}",
    }


def _write_participants_section(study: Study, collected: Dataset | None) -> Section:
    """Return the section on participants: planned, and taking part if data are given."""
    section = {
        "Planned": f"{study.participants} people, {study.design.trials_each} trials each",
        "Recruited through": OPEN if study.recruitment.platform == "none" else study.recruitment.platform,
        "Who they are (experts or not, relation to the authors)": OPEN,
        "Payment": OPEN,
        "Training": f"instructions and {len(study.practice)} practice trials"
        + (" with feedback" if study.policy.feedback else " without feedback"),
        "What they were asked about themselves": ", ".join(f.name for f in study.demographics)
        if study.session.demographics
        else "nothing",
    }
    return section if collected is None else section | _write_participation_rows(collected)


def _write_participation_rows(collected: Dataset) -> Section:
    """Return the rows on people who took part, counts only."""
    people = {s.alias for s in collected.sittings}
    completed = sum(s.outcome == "completed" for s in collected.sittings)
    minutes = [s.minutes for s in collected.sittings if s.outcome == "completed"]
    counts = collected.counts
    simulated = f"; {collected.simulated} of the sessions were SIMULATED" if collected.simulated else ""
    return {
        "Took part": f"{len(people)} (mode {collected.mode}), {completed} to the end{simulated}",
        "Declined, withdrew": f"{counts['declined']} declined, {counts['withdrawn'] + counts['purged']} withdrew (not in the data)",
        "Answers": f"{len(collected.trials):,} to trials; {sum(bool(a.marks) for a in collected.trials):,} left out of some analysis by the rules below",
        "Length of a session": f"median {statistics.median(minutes):.1f} minutes" if minutes else "not known",
    }


def _describe_presentation(study: Study) -> str:
    """Return how descriptions were presented: read, heard or watched, with the sound checks."""
    ways = " and ".join(sorted(list_presentations(study)))
    if not has_media(study):
        return ways
    tones = "after tones had been counted rightly" if study.session.sound_check else "without a sound check"
    return f"{ways} ({len(find_media_uses(study))} recordings, {tones})"


def _write_design_section(study: Study, collected: Dataset | None) -> Section:
    """Return the section on the design: protocol, order, sessions and exclusion rules."""
    info = study.kind.info
    section = {
        "Protocol": f"{info.title} ({info.name}); source: {info.source}",
        "Design": f"{study.design.kind}, {len(study.lists)} lists in {study.design.groups} groups; balance counted in design.txt",
        "Order": f"{study.design.order}, at most {study.design.same_condition_at_most} trials of a condition in a row",
        # Where people describe or play themselves, none come to them.
        **(
            {"Descriptions were": _describe_presentation(study)}
            if info.plugin in ("identify", "judge", "locate")
            else {}
        ),
        "Settings": ", ".join(f"{name} = {value}" for name, value in study.settings.items()),
        "Where and how": "in the participants' own browser; every answer stored on its own when it was given (`referee docs study-data`)",
        "Quality assurance": f"{len(study.checks)} attention checks (more than {study.session.checks_failed_at_most} failed counts as failed); timing flags",
        "Left out, decided beforehand": _describe_exclusion_rules(study.exclusion),
        "Tests": f"{', '.join(study.analysis.tests)}; alpha {study.analysis.alpha:g}, correction {study.analysis.correction}",
        "Stopping rule": study.analysis.stopping,
        "Could people pause or leave": f"yes: a break every {study.session.break_every} trials, a withdraw button, a code to withdraw later",
    }
    if collected is not None:
        frames = [
            float(s.client["frame_ms"])
            for s in collected.sittings
            if isinstance(s.client.get("frame_ms"), (int, float))
        ]
        section["Displays"] = (
            f"median frame interval {statistics.median(frames):.1f} ms over {len(frames)} sessions"
            if frames
            else "not measured"
        )
    return section


def _describe_exclusion_rules(rules: ExclusionSection) -> str:
    """Return the exclusion rules as one sentence."""
    return (
        f"trials flagged {', '.join(rules.flags)}; timeouts: {rules.timeouts}; identification below {rules.fastest_ms:g} or above "
        f"{rules.slowest_ms:g} ms (times only); people with less than {rules.least_trials:.0%} of their trials; "
        f"people who failed their checks: {rules.failed_checks}"
    )


def _write_criteria_section(study: Study) -> Section:
    """Return the section on the quality criteria and how they were measured."""
    plugin = study.kind.info.plugin
    section = {"Criteria": "; ".join(CRITERIA.get(plugin, (OPEN,)))}
    if plugin == "locate":
        section |= {
            "Kind": "extrinsic (people use the outputs), objective, absolute",
            "Quality of": "content and form together, with the picture as the frame of reference",
            "Instrument": f"a {study.settings['way']} in the picture, or {', '.join(study.settings['choices']) or 'nothing else'}; pixels of the picture",
        }
    elif plugin == "identify":
        section |= {
            "Kind": "extrinsic (people use the outputs), objective, absolute",
            "Quality of": "content and form together, with the scene as the frame of reference",
            "Instrument": f"a click on {', or '.join(['an object', *study.settings['choices']])}; time stamps of frames and events",
        }
    elif study.protocol in COMPARED:
        section |= {"Kind": "intrinsic, subjective, relative", "Question as asked": study.settings["question"]}
    elif plugin == "judge":
        kind = f"{study.settings['points']} points" if study.settings["kind"] == "likert" else "slider from 0 to 100"
        section |= {"Kind": "intrinsic, subjective, absolute", "Scale": kind}
        section |= {
            f"Scale {name}, question as asked": question
            for name, question in zip(study.settings["scales"], study.settings["questions"], strict=True)
        }
    return section


def _write_ethics_section(study: Study) -> Section:
    """Return the section on ethics: consent, personal data, withdrawal."""
    return {
        "Approved by": OPEN,
        "Consent": f"asked before anything is stored; SHA-256 of the text {study.consent_hash}",
        "Personal data": "ids of the recruiting platform, kept apart from answers and never exported with them; no addresses of devices"
        if study.recruitment.platform != "none"
        else "none unless people wrote some in free text; no addresses of devices",
        "Withdrawal": f"at any time; out of all exports at once, deleted after {study.policy.withdrawal_days} days",
        "Special categories of data": OPEN,
        "Assessment of impact": OPEN,
    }
