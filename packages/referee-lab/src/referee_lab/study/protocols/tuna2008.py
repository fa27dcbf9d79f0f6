"""The identification experiment of the TUNA Challenge 2008 (Gatt, Belz & Kow 2008).

Read the description, call up the scene, click.
"""

from __future__ import annotations

from referee_lab.study.protocols.identification import Identification, declare


class Tuna2008(Identification):
    """Read the description, call up the scene, click: reading time, identification time and error.

    Fixation point for 1000 ms, self-paced reading of the whole description, then the scene; reading and choosing time out after 15 s each.
    """

    reading = "before"
    info = declare(
        "tuna2008",
        "Read, then identify (TUNA 2008)",
        "Gatt, Belz & Kow (2008), The TUNA Challenge 2008; experiment 2 of Belz & Gatt (2008)",
        reading="before",
        fixation_ms=1000,
        timeout_ms=15000,
        reading_timeout_ms=15000,
    )
