"""Word-by-word self-paced reading with a moving window (Just, Carpenter & Woolley 1982), then the scene and a click."""

from __future__ import annotations

from referee_lab.study.protocols.identification import Identification, declare


class SelfPacedReading(Identification):
    """As tuna2008, but the description is read word by word, each word timed.

    Every key press shows the next word and hides the previous one; the time of each word is stored.
    """

    reading = "words"
    info = declare(
        "self-paced-reading",
        "Read word by word, then identify",
        "moving window: Just, Carpenter & Woolley (1982); identification as in TUNA 2008",
        reading="words",
        fixation_ms=1000,
        timeout_ms=15000,
    )
