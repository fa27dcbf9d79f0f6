"""The components of systems, as module paths that are imported only when a system is made, so that listing a hundred
systems stays fast.
"""

from __future__ import annotations

from typing import Any


class Component:
    """A class by its path (``module:Class``) and its settings, some of which may be components."""

    __slots__ = ("settings", "where")

    def __init__(self, where: str, **settings: Any) -> None:
        self.where = where
        self.settings = settings

    def load(self) -> Any:
        """Return the class itself."""
        from importlib import import_module

        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)

    def make(self) -> Any:
        """Return a new object; settings are copied, so that learned state belongs to one object."""
        from copy import deepcopy

        made = {
            name: value.make() if isinstance(value, Component) else deepcopy(value)
            for name, value in self.settings.items()
        }
        return self.load()(**made)


# selection
CONTINUOUS_SPEAKER = "referee.selection.graded_rational:ContinuousSpeaker"
EVERYTHING = "referee.selection.baselines:Everything"
INCREMENTAL_RATIONAL = "referee.selection.graded_rational:IncrementalRational"
NEAREST_WORDS = "referee.selection.baselines:NearestWords"
PATTERN_TREE = "referee.selection.classified:PatternTree"
RANDOM_DISTINGUISHING = "referee.selection.baselines:RandomDistinguishing"
SUPPORT_VECTORS = "referee.selection.classified:SupportVectors"
TYPE_ONLY = "referee.selection.baselines:TypeOnly"
VISIBLE_OBJECTS = "referee.selection.visible_objects:VisibleObjects"
BOOLEAN_DESCRIPTIONS = "referee.selection.plural:BooleanDescriptions"
FULL_BREVITY = "referee.selection.full_brevity:FullBrevity"
GRADABLE = "referee.selection.gradable:Gradable"
GRAPH_SEARCH = "referee.selection.graph:GraphSearch"
GREEDY = "referee.selection.greedy:Greedy"
SALIENT = "referee.selection.incremental:Salient"
INCREMENTAL = "referee.selection.incremental:Incremental"
KMEANS_COSTS = "referee.selection.costs:KMeansCosts"
LEARNED_RATIONAL_SPEAKER = "referee.selection.learned_rational:LearnedRationalSpeaker"
LOG_LINEAR = "referee.selection.log_linear:LogLinear"
LEVEL_COSTS = "referee.selection.costs:LevelCosts"
OVERSPECIFICATION = "referee.selection.overspecification:Overspecification"
PARTITIONED = "referee.selection.plural:Partitioned"
RATIONAL_SPEAKER = "referee.selection.rational:RationalSpeaker"
RELATIONAL = "referee.selection.relational:Relational"
STOCHASTIC_COSTS = "referee.selection.costs:StochasticCosts"

# selection as single teams did it
BACKED_OFF_ORDER = "referee.systems.ordered_walks:BackedOffOrder"
CENTRE_RULE = "referee.systems.ordered_walks:CentreRule"
CONTRAST_QUOTIENT = "referee.systems.discriminating_power:ContrastQuotient"
EVOLVED = "referee.systems.genetic_programming:Evolved"
EVOLVED_SET = "referee.systems.evolved_set:EvolvedSet"
FREQUENT_FIRST = "referee.systems.ordered_walks:FrequentFirst"
GROUPED_ORDER = "referee.systems.ordered_walks:GroupedOrder"
LEARNED_INCLUSION = "referee.systems.learned_inclusion:LearnedInclusion"
NEAREST_SET = "referee.systems.nearest_set:NearestSet"
PARTITION_TREE = "referee.systems.partition_tree:PartitionTree"
PRIORS_WITHIN_REACH = "referee.systems.ordered_walks:PriorsWithinReach"
PROGRAMS = "referee.systems.attribute_programs:Programs"
REMEMBERED_SET = "referee.systems.brevity_by_example:RememberedSet"
SMALLEST_SET = "referee.systems.brevity_by_example:SmallestSet"
WEIGHTED_POWER = "referee.systems.discriminating_power:WeightedPower"

# realisation
IN_PORTUGUESE = "referee.realisation.plain:make_portuguese_realiser"
CASE_BASE = "referee.realisation.cases:CaseBase"
CASE_NET = "referee.realisation.case_net:CaseNet"
COMMON_PHRASES = "referee.realisation.common_phrases:CommonPhrases"
DEPENDENCY_ORDER = "referee.realisation.dependencies:DependencyOrder"
FIXED_CHOICES = "referee.realisation.fixed_choices:FixedChoices"
FIXED_WORDS = "referee.realisation.organisers:FixedWords"
MAJORITY_TEMPLATES = "referee.realisation.templates:MajorityTemplates"
PERMUTE_AND_RANK = "referee.realisation.permutation:PermuteAndRank"
RANKED_TEMPLATES = "referee.realisation.templates:RankedTemplates"
SPEAKER_BRANCHES = "referee.realisation.speaker_branches:SpeakerBranches"
