"""The identification experiment of the ASGRE Challenge 2007 (Belz & Gatt 2007).

Description and scene on one screen, one click, one time.
"""

from __future__ import annotations

from referee_lab.study.protocols.identification import Identification, declare


class Asgre2007(Identification):
    """Description and scene on one screen, click: combined time and error.

    The combined reading and identification time runs from the onset of both to the click.
    """

    reading = "together"
    info = declare(
        "asgre2007",
        "Read and identify on one screen (ASGRE 2007)",
        "Belz & Gatt (2007); experiment 1 of Belz & Gatt (2008)",
        reading="together",
        fixation_ms=0,
        timeout_ms=0,
    )
