"""Open-choice identification: besides the objects, people may say that several match, that none does, or that they cannot tell, each with a best guess.

Van Deemter & Gatt (2007) ask that under-specification be seen as such; a forced click hides it.
"""

from __future__ import annotations

from referee_lab.study.protocols.identification import Identification, declare

__all__ = ["OpenChoice"]


class OpenChoice(Identification):
    """Click, or say that several or none fit or that you cannot tell, with a best guess.

    Identification in which nobody is forced to point; how the description is read is a setting.
    """

    reading = "together"
    info = declare(
        "open-choice",
        "Identify, or say why not",
        "under-specification seen as such: van Deemter & Gatt (2007)",
        reading="together",
        fixation_ms=0,
        timeout_ms=0,
        choices=True,
    )
