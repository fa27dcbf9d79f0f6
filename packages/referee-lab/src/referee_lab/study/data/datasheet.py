"""The datasheet of a human evaluation, filled in from study folder and data as far as they know (after HEDS: Shimorina & Belz 2022; Belz & Thomson 2024).

The questions are worded here in this project's own words, in the order of HEDS: the paper, the systems, the sample, the participants, the design, each quality
criterion, and ethics. Their text is the template datasheet.md beside this module.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from referee_lab.study.data.dataset import Dataset
from referee_lab.study.folder.media import find_media_uses, has_media, list_presentations
from referee_lab.study.folder.study import VERSUS, Study

OPEN = "**to be filled in**"
TEMPLATE = Path(__file__).with_name("datasheet.md")


def write_datasheet(study: Study, collected: Dataset | None) -> str:
    """Return the datasheet in Markdown; without data it describes the plan."""
    from jinja2 import Environment, StrictUndefined

    # Markdown and no HTML: nothing is escaped.
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        open=OPEN,
        study=study,
        design=study.design,
        info=study.kind.info,
        rules=study.exclusion,
        systems=sorted({part for c in study.design.conditions if c for part in c.split(VERSUS)}),
        domains=sorted({s.trial.domain for s in study.stimuli.values() if s.trial.domain}),
        ways=" and ".join(sorted(list_presentations(study))),
        recordings=len(find_media_uses(study)) if has_media(study) else 0,
        data=None if collected is None else _summarise_participation(collected),
    )


def _summarise_participation(collected: Dataset) -> dict[str, Any]:
    """Return how many people took part and how long it took them: counts and medians only."""
    minutes = [s.minutes for s in collected.sittings if s.outcome == "completed"]
    intervals = [s.client.get("frame_ms") for s in collected.sittings]
    frames = [float(ms) for ms in intervals if isinstance(ms, (int, float))]
    return {
        "people": len({s.alias for s in collected.sittings}),
        "mode": collected.mode,
        "simulated": collected.simulated,
        "completed": len(minutes),
        "counts": collected.counts,
        "answers": len(collected.trials),
        "marked": sum(bool(a.marks) for a in collected.trials),
        "minutes": median(minutes) if minutes else None,
        "frames": len(frames),
        "frame_ms": median(frames) if frames else None,
    }
