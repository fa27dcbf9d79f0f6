"""A speaker for colour patches that reasons about a listener, after Monroe et al. (2017).

It prefers frequent texts that identify the target.

Its candidates are the most frequent texts of the training data. S1(text | target, patches) ∝ frequency to the power
`habit`, times the listener's probability of the target to the power `alpha`. The listener is the neural one, trained on
the same rounds; a judge must be of another family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from referee.errors import InputError, NotTrained
from referee.hearers.colour_network import ColourNetwork
from referee.hearers.colour_space import read_colours
from referee.hearers.word_features import list_lessons
from referee.records import Description, SpeakerView, Trial


@dataclass(eq=False, repr=False)
class ColourSpeaker:
    """Chooses among the `texts` most frequent texts of training; entities have the attributes h, s and l.

    `members` and `epochs` are those of its internal listener.
    """

    texts: int = 600
    alpha: float = 4.0
    habit: float = 0.5
    members: int = 1
    epochs: int = 10
    seed: int = 1

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the listener, and count the texts."""
        trials = list(trials)
        # Without the listener's own reasoning about speakers, which would cost a pass over all words for every text that can be said.
        listener = ColourNetwork(members=self.members, epochs=self.epochs, reasoning=0.0, seed=self.seed)
        self.listener_ = listener.fit(trials)
        counts = Counter(lesson.text.lower().strip() for lesson in list_lessons(trials, "targets"))
        # Alphabetical among equals, so that the choice does not depend on the order of the trials.
        self.utterances_ = sorted(counts, key=lambda text: (-counts[text], text))[: self.texts]
        self.often_ = np.log(np.array([counts[text] for text in self.utterances_], dtype=float))
        self.weighed_ = self.listener_.vocabulary_.weigh(self.utterances_).astype(np.float32)
        return self

    def describe(self, view: SpeakerView) -> Description:
        """Return the text with the highest score for the target."""
        if not hasattr(self, "listener_"):
            raise NotTrained(self)
        patches = read_colours(view.scene)
        if patches is None:
            raise InputError(
                "the scene shows no colours", where=view.id, remedy="give every entity the attributes h, s and l"
            )
        target = view.scene.index(view.targets[0])
        belief = self.listener_.believe(self.weighed_, [patches] * len(self.utterances_))[:, target]
        worth = self.habit * self.often_ + self.alpha * np.log(np.maximum(belief, 1e-9))
        return Description(text=self.utterances_[int(worth.argmax())])
