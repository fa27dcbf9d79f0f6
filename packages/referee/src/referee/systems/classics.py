"""The classic selection algorithms as named systems; `referee.selection` implements them.

Year and team are those of the paper. Full Brevity, Greedy, Incremental, Relational, Boolean and plain RSA need no
training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.systems.components import (
    BOOLEAN_DESCRIPTIONS,
    CONTINUOUS_SPEAKER,
    FULL_BREVITY,
    GRADABLE,
    GRAPH_SEARCH,
    GREEDY,
    INCREMENTAL,
    INCREMENTAL_RATIONAL,
    KMEANS_COSTS,
    LEARNED_RATIONAL_SPEAKER,
    LOG_LINEAR,
    OVERSPECIFICATION,
    PARTITIONED,
    PATTERN_TREE,
    RATIONAL_SPEAKER,
    RELATIONAL,
    SALIENT,
    STOCHASTIC_COSTS,
    SUPPORT_VECTORS,
    VISIBLE_OBJECTS,
    Component,
)
from referee.systems.entries import (
    FAITHFUL,
    LOW,
    MEDIUM,
    SystemRow,
    build_selector,
    build_speaker,
    get_selector_switches,
)

if TYPE_CHECKING:
    from referee.contracts import Selector
    from referee.systems.speaker import Composed

CHOICES = ("mode", "sample", "distribution")

# fmt: off
TABLE: dict[str, SystemRow] = {
    "full-brevity": SystemRow("Dale", 1989, FAITHFUL, "the fewest properties that single out the target, and its type",
        Component(FULL_BREVITY), learns=False),
    "greedy": SystemRow("Dale", 1989, FAITHFUL, "always the property that rules out most",
        Component(GREEDY), learns=False),
    "relational": SystemRow("Dale & Haddock", 1991, FAITHFUL, "facts about the target and its landmarks, one by one",
        Component(RELATIONAL), learns=False),
    "incremental": SystemRow("Dale & Reiter", 1995, FAITHFUL, "down the scene's own list of attributes; no training",
        Component(INCREMENTAL), learns=False),
    "incremental.frequency": SystemRow("Dale & Reiter", 1995, FAITHFUL, "follows a list of attributes in order of their frequency of mention",
        Component(INCREMENTAL, order="frequency")),
    "salient": SystemRow("Krahmer & Theune", 2002, MEDIUM, "incremental, among entities at least as salient as the target",
        Component(SALIENT), learns=False),
    "boolean": SystemRow("van Deemter", 2002, FAITHFUL, "literals, then unions of them; several targets at once",
        Component(BOOLEAN_DESCRIPTIONS), learns=False),
    "gradable": SystemRow("van Deemter", 2006, MEDIUM, "crisp properties, then superlatives, ordinals and comparisons",
        Component(GRADABLE), learns=False),
    "graph": SystemRow("Krahmer, van Erk & Verleg", 2003, MEDIUM, "the cheapest set; rarely mentioned attributes are expensive",
        Component(GRAPH_SEARCH, costs=Component(STOCHASTIC_COSTS), order="cost", head="last")),
    "graph.kmeans": SystemRow("Theune et al.", 2011, FAITHFUL, "the cheapest set; two prices, from clusters of priors",
        Component(GRAPH_SEARCH, costs=Component(KMEANS_COSTS), order="prior", head="first")),
    "partitioned": SystemRow("Gatt & van Deemter", 2007, MEDIUM, "several targets, in parts of one kind",
        Component(PARTITIONED)),
    "pro": SystemRow("van Gompel et al.", 2019, MEDIUM, "a minimal description, then perhaps more; probabilities learned",
        Component(OVERSPECIFICATION)),
    "rsa": SystemRow("Monroe & Potts", 2015, MEDIUM, "rational speech acts, pragmatic speaker; no training",
        Component(RATIONAL_SPEAKER), learns=False),
    "rsa.learned": SystemRow("Monroe & Potts", 2015, MEDIUM, "rational speech acts on a learned literal speaker",
        Component(LEARNED_RATIONAL_SPEAKER)),
    "rsa.salience": SystemRow("Frank & Goodman", 2012, MEDIUM, "rational speech acts; the attribute salience is the listener's prior",
        Component(RATIONAL_SPEAKER, prior="salience"), learns=False),
    "rsa.continuous": SystemRow("Degen et al.", 2020, MEDIUM, "rational speech acts with graded meanings",
        Component(CONTINUOUS_SPEAKER), learns=False),
    "rsa.incremental": SystemRow("Cohn-Gordon et al.", 2019, MEDIUM, "rational speech acts word by word",
        Component(INCREMENTAL_RATIONAL), learns=False),
    "visible-objects": SystemRow("Mitchell et al.", 2013, LOW, "the attributes that people usually mention, needed or not",
        Component(VISIBLE_OBJECTS)),
    "speaker-trees": SystemRow("Viethen & Dale", 2010, MEDIUM, "a decision tree over whole patterns with the speaker as a feature",
        Component(PATTERN_TREE)),
    "log-linear": SystemRow("FitzGerald et al.", 2013, LOW, "several targets, together or in parts, by a log-linear model",
        Component(LOG_LINEAR)),
    "support-vectors": SystemRow("Ferreira & Paraboni", 2014, MEDIUM, "one support vector machine per attribute",
        Component(SUPPORT_VECTORS)),
}
# fmt: on


def selector(name: str) -> Selector:
    """Return a classic algorithm, untrained."""
    return build_selector(TABLE, name)


def system(
    name: str, distribution: bool = False, choose: str = "mode", sample_seed: int = 1, **switches: Any
) -> Composed:
    """Return a classic algorithm as a speaker.

    Args:
        name: its name in the table.
        distribution: whether it reports its probabilities, if it has them.
        choose: the output of a probabilistic speaker: ``mode``, the most probable description; ``sample``, a random one by probability;
            ``distribution``, the most probable one with all probabilities (as `distribution`).
        sample_seed: the seed of the draws; a trial always has the same draw.
        switches: settings of the algorithm.
    """
    if choose not in CHOICES:
        raise InputError(f"choose cannot be {choose!r}", remedy=f"write one of {', '.join(CHOICES)}")
    speaker = build_speaker(TABLE, name, distribution=distribution or choose == "distribution", switches=switches)
    if choose == "mode":
        return speaker
    from referee.capabilities import HasDistribution
    from referee.systems.speaker import Composed, Sampled

    if not isinstance(speaker.selector, HasDistribution):
        raise InputError(f"classic/{name} has no probabilities", remedy="leave the switch choose out")
    if choose == "sample":
        return Composed(Sampled(speaker.selector, sample_seed), speaker.realiser, speaker.distribution)
    return speaker


def _get_switches(name: str) -> dict[str, Any]:
    return get_selector_switches(TABLE, name)


# The catalogue reads them, so that `classic/rsa|alpha:3` is checked like any option.
system.switches = _get_switches  # type: ignore[attr-defined]
