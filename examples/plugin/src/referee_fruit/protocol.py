"""A protocol: what happens in one trial of a study. This one is shipped code with other settings; the contract is in `referee_lab.study.protocols.contract`."""

from __future__ import annotations

from referee_lab.study.protocols.identification import Identification, declare


class Hurried(Identification):
    """Description and scene on one screen, and three seconds to click."""

    reading = "together"
    info = declare(
        "fruit-hurried",
        "Read and identify in three seconds",
        "an example",
        reading="together",
        fixation_ms=500,
        timeout_ms=3000,
    )
