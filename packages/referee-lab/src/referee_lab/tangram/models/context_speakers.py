"""Speakers for references in dialogue.

A pronoun where the situation allows it, the previous expression, or a classic algorithm among salient objects.

Each uses another system for noun phrases, named by `noun_phrases`; without a history its output is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from referee.catalogue import configure
from referee.contracts import Speaker
from referee.errors import InputError, NotTrained
from referee.realisation.plain import Plain
from referee.records import Description, Event, Scene, SpeakerView, Trial
from referee_lab.tangram.models.demonstratives import make_feature_matrix, train_classifier
from referee_lab.tangram.models.dialogue_items import infer_situation, list_past_events, rank_salience
from referee_lab.tangram.models.history import Situation
from referee_lab.tangram.tiers.dialogue import EXPRESSION
from referee_lab.tangram.tiers.reference_forms import choose_demonstrative, is_pronoun

NOUN_PHRASES = "classic/incremental"


@dataclass(eq=False, repr=False)
class _InContext:
    """A speaker with a speaker of noun phrases behind it: a system by its name."""

    noun_phrases: str = NOUN_PHRASES
    seed: int = 1
    behind: Any = field(default=None, init=False)

    def _get_speaker(self) -> Speaker:
        """Return the speaker of noun phrases, created on first use."""
        if self.behind is None:
            self.behind = configure("system", self.noun_phrases, self.seed)
        speaker: Speaker = self.behind
        return speaker

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the speaker behind."""
        self.behind = self._get_speaker().fit(trials)
        return self

    def _make_noun_phrase(self, view: SpeakerView) -> Description:
        """Return the output of the noun-phrase speaker.

        Properties without words get the plainest ones of the language.
        """
        description = self._get_speaker().describe(view)
        if description.text is not None or description.properties is None:
            return description
        return replace(description, text=Plain().realise(description.properties, view))


@dataclass(eq=False, repr=False)
class PronounSpeaker(_InContext):
    """Says a demonstrative pronoun where people would, else a noun phrase.

    The support vector machine of `referee tangram classify` decides.

    The pronoun is that of the view's language, or `word`. Training uses single targets; several targets are described
    by a noun phrase.
    """

    word: str = ""

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the classifier on trials with one target and references."""
        trials = list(trials)
        super().fit(trials)
        single = [t for t in trials if len(t.targets) == 1 and t.references]
        used = np.array([_has_pronoun(t) for t in single], dtype=bool)
        if not len(used) or used.all() or not used.any():
            raise InputError(
                f"{int(used.sum())} of {len(used)} references are pronouns: there is nothing to learn",
                remedy="train on dialogues with pronouns and other references",
            )
        self.classifier_ = train_classifier(
            make_feature_matrix([_get_situation(t.for_speaker()) for t in single]), used
        )
        return self

    def describe(self, view: SpeakerView) -> Description:
        """Return a pronoun if the classifier predicts one, else a noun phrase."""
        if not hasattr(self, "classifier_"):
            raise NotTrained(self)
        if len(view.targets) == 1 and view.history:
            (decision,) = self.classifier_.decision_function(make_feature_matrix([_get_situation(view)]))
            if decision > 0:
                return Description(text=self.word or choose_demonstrative(view.language, "dialogue/that|word:WORD"))
        return self._make_noun_phrase(view)


class AsLastTime(_InContext):
    """Repeats the last expression for the target in the dialogue, by either speaker.

    A noun phrase without one.
    """

    def describe(self, view: SpeakerView) -> Description:
        """Return the last expression for the same targets, else a noun phrase."""
        events, _ = list_past_events(view.history)
        mentions = (e for e in reversed(events) if e.kind in (EXPRESSION, "message") and e.text)
        last = next((e.text for e in mentions if set(e.entities) == set(view.targets)), None)
        return self._make_noun_phrase(view) if last is None else Description(text=last)


class SalientSpeaker(_InContext):
    """Describes the target among the objects that are at least as salient (after Krahmer & Theune 2002).

    Handled or pointed-at objects are the most salient, then those mentioned or handled in the last 10 s, in the last 20
    s, earlier, never.
    """

    def describe(self, view: SpeakerView) -> Description:
        """Describe the target among the objects of at least its salience."""
        if len(view.targets) != 1 or not view.history:
            return self._make_noun_phrase(view)
        situation = _get_situation(view)
        least = rank_salience(situation, view.targets[0])
        salient = tuple(e for e in view.scene.entities if rank_salience(situation, e.id) >= least)
        return self._make_noun_phrase(replace(view, scene=Scene(entities=salient, id=view.scene.id)))


def _get_situation(view: SpeakerView) -> Situation:
    return infer_situation(view, view.targets[0])


def _has_pronoun(trial: Trial) -> bool:
    """Return whether people used a pronoun: by the corpus's codes, else by the words."""
    marked = trial.meta.get("pronoun")
    if isinstance(marked, bool):
        return marked
    return is_pronoun(Event(kind=EXPRESSION, text=trial.references[0].text), trial.language)
