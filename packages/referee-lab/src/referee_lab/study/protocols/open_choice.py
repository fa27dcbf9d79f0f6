"""Open-choice identification.

People may answer that several objects match, that none does, or that they cannot tell, each with a best guess.

Van Deemter & Gatt (2007) ask for under-specification to be visible; a forced click hides it.
"""

from __future__ import annotations

from referee_lab.study.protocols.identification import Identification, declare


class OpenChoice(Identification):
    """Click, or answer that several or none fit or that you cannot tell, with a best guess.

    Identification without a forced choice; how the description is read is a setting.
    """

    reading = "together"
    info = declare(
        "open-choice",
        "Identify, or say why not",
        "answers for under-specified descriptions: van Deemter & Gatt (2007)",
        reading="together",
        fixation_ms=0,
        timeout_ms=0,
        choices=True,
    )
