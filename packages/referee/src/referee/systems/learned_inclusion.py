"""The Incremental Algorithm with a judge.

A decision tree per attribute predicts its inclusion, needed or not (after Bohnet 2007: IS-IAC).

It is certain that IS-IAC is incremental, trained, always unique, never minimal, and has no rule to mention the type.
The trees are a reconstruction: a learned component must predict the type where it excludes no distractor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

from referee.errors import NotTrained, naming_extra
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import Contrast, get_contrast
from referee.selection.frequencies import Frequencies, GroupedFrequencies, count_by_group
from referee.selection.reasons import Note, Reasoned

Tree = bool | tuple[int, float, Any, Any]
"""A leaf with the decision, or a node: feature, threshold of the first branch, and the two branches."""


class LearnedInclusion(Reasoned):
    """Attributes by falling count, included if their tree predicts it.

    Attributes still needed afterwards are added in the same order.

    A tree's features are the condition, the target's value, the number of distractors that each attribute excludes, the
    number remaining, and the attributes selected so far. `leaf` is the minimal number of training items in a leaf;
    `seed` breaks ties between features.
    """

    def __init__(self, leaf: int = 10, seed: int = 0) -> None:
        self.leaf = leaf
        self.seed = seed

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Grow a tree per domain and attribute from people's descriptions, given their earlier choices."""
        trials = list(trials)
        self.frequencies_: GroupedFrequencies = count_by_group(trials, ("domain",))
        examples: dict[tuple[str | None, str], list[tuple[list[float], bool]]] = {}
        for trial in trials:
            for reference in trial.references:
                if reference.properties is not None:
                    self._watch(trial.for_speaker(), {p.name for p in reference.properties}, examples)
        self.trees_ = {key: self._grow(seen) for key, seen in examples.items()}
        return self

    def _watch(
        self,
        view: SpeakerView,
        mentioned: set[str],
        examples: dict[tuple[str | None, str], list[tuple[list[float], bool]]],
    ) -> None:
        """Record the features and the decision at every attribute."""
        contrast = get_contrast(view)
        glance = _Glance(contrast, view, self.frequencies_.of(view))
        for prop in glance.ordered:
            examples.setdefault((view.domain, prop.name), []).append((glance.features(prop), prop.name in mentioned))
            if prop.name in mentioned:
                glance.say(prop)

    def _grow(self, seen: Sequence[tuple[list[float], bool]]) -> Tree:
        """Return a tree grown from decisions; a constant if they agree."""
        with naming_extra():
            from sklearn.tree import DecisionTreeClassifier

        answers = [answer for _, answer in seen]
        if len(set(answers)) == 1:
            return answers[0]
        grown = DecisionTreeClassifier(min_samples_leaf=self.leaf, random_state=self.seed)
        return _convert_tree(grown.fit([features for features, _ in seen], answers).tree_, 0)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the attributes that trees include, then those still needed."""
        if not hasattr(self, "trees_"):
            raise NotTrained(self)
        glance = _Glance(contrast, view, self.frequencies_.of(view))
        for prop in glance.ordered:
            if _answer(self.trees_.get((view.domain, prop.name), False), glance, prop):
                glance.say(prop)
                if note:
                    note(prop, "people would mention it here")
        for prop in glance.ordered:
            if glance.left & contrast.ruled_out(prop):
                glance.say(prop)
                if note:
                    note(prop, "still needed: rules out a distractor")
        return tuple(glance.chosen)


class _Glance:
    """The features of a view for a tree while a description grows."""

    def __init__(self, contrast: Contrast, view: SpeakerView, seen: Frequencies) -> None:
        self.contrast = contrast
        self.ordered = contrast.select_by_name(tuple(dict.fromkeys((*seen.order, *contrast.by_name))))
        self.values = {name: sorted({p.value for p in seen.occurred if p.name == name}) for name in contrast.by_name}
        self.names = seen.order
        alone = [sum(contrast.ruled_out(p).bit_count() for p in contrast.by_name.get(n, ())) for n in self.names]
        self.fixed = [float(view.condition == "+LOC"), *map(float, alone)]
        self.chosen: list[Property] = []
        self.left = contrast.distractors

    def say(self, prop: Property) -> None:
        self.chosen.append(prop)
        self.left &= self.contrast.extensions[prop]

    def features(self, prop: Property) -> list[float]:
        """Return the features of an attribute."""
        mentioned = {p.name for p in self.chosen}
        return [
            *self.fixed,
            *(float(n in mentioned) for n in self.names),
            float(self.left.bit_count()),
            float((self.left & self.contrast.ruled_out(prop)).bit_count()),
            *(float(prop.value == value) for value in self.values[prop.name]),
        ]


def _convert_tree(grown: Any, node: int) -> Tree:
    """Return a node of scikit-learn's arrays as nested tuples, which answer single questions faster."""
    if grown.children_left[node] < 0:
        no, yes = grown.value[node][0]
        return bool(yes > no)
    below, above = (_convert_tree(grown, int(child[node])) for child in (grown.children_left, grown.children_right))
    return int(grown.feature[node]), float(grown.threshold[node]), below, above


def _answer(tree: Tree, glance: _Glance, prop: Property) -> bool:
    """Return the decision of a tree."""
    features = None if isinstance(tree, bool) else glance.features(prop)
    while not isinstance(tree, bool):
        assert features is not None
        feature, threshold, below, above = tree
        tree = below if features[feature] <= threshold else above
    return tree
