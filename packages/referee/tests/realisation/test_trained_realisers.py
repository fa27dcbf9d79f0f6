"""Realisers that learn from annotated descriptions, on a handful of invented ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from annotated import say, tell

from referee.contracts import Realiser
from referee.errors import NotTrained
from referee.realisation.case_net import CaseNet, compare_values
from referee.realisation.cases import CaseBase
from referee.realisation.common_phrases import CommonPhrases
from referee.realisation.dependencies import DependencyOrder
from referee.realisation.fixed_choices import FixedChoices
from referee.realisation.permutation import PermuteAndRank
from referee.realisation.portuguese import PORTUGUESE
from referee.realisation.speaker_branches import SpeakerBranches
from referee.realisation.templates import MajorityTemplates, RankedTemplates
from referee.records import Property

TRAINED: dict[str, Callable[[], Realiser]] = {
    "templates": RankedTemplates,
    "own templates": lambda: RankedTemplates(personal=True),
    "later templates": lambda: RankedTemplates(miss="superset", balance={"furniture": 0.1}),
    "majority templates": MajorityTemplates,
    "permutations": PermuteAndRank,
    "dependencies": DependencyOrder,
    "rules": CommonPhrases,
    "cases": CaseBase,
    "case net": CaseNet,
    "fixed choices": FixedChoices,
    "speaker's branches": SpeakerBranches,
}
FURNITURE = [
    tell("the [red|colour:red] [chair|type:chair] [facing left|orientation:left]", "s1"),
    tell("the [blue|colour:blue] [chair|type:chair] [facing right|orientation:right]", "s1"),
    tell("a [large|size:large] [red|colour:red] [sofa|type:sofa]", "s2"),
    tell("[small|size:small] [blue|colour:blue] [couch|type:sofa]", "s3"),
    tell("[big|size:large] [blue|colour:blue] [couch|type:sofa]", "s3"),
    tell("the [red|colour:red] [chair|type:chair]", "s2"),
    tell("the [red|colour:red] [sofa|type:sofa]", "s1"),
]
PEOPLE = [
    tell("the [man|type:person] with [glasses|hasGlasses:1] and [a beard|hasBeard:1]", "s1", "people"),
    tell("the [man|type:person] [with a beard|hasBeard:1]", "s2", "people"),
    tell("[man|type:person] [with a beard|hasBeard:1] and [glasses|hasGlasses:1]", "s3", "people"),
    tell("the [man|type:person] [with the white beard|hasBeard:1 hairColour:light]", "s2", "people"),
    tell("the [man|type:person] [in the top row|y-dimension:1]", "s2", "people"),
    tell("the [bottom|y-dimension:3] [left|x-dimension:1] [man|type:person]", "s1", "people"),
]


@pytest.mark.parametrize("make", TRAINED.values(), ids=list(TRAINED))
def test_nothing_is_said_before_training(make: Callable[[], Realiser]) -> None:
    with pytest.raises(NotTrained, match=r"call fit\(trials\) first"):
        say(make(), "type:chair")


@pytest.mark.parametrize("make", TRAINED.values(), ids=list(TRAINED))
@pytest.mark.parametrize(
    "written",
    [
        "type:chair colour:red",
        "type:lamp",
        "colour:purple",
        "hasStripe:1 type:chair",
        "x-dimension:9",
        "",
        "other:other",
        "left-of:b2 type:chair landmark.type:sofa",
        "type:chair colour:red size:small orientation:back x-dimension:1 y-dimension:2 age:old hasHair:0 hairColour:dark hasTie:1",
    ],
)
def test_no_input_is_a_reason_to_crash(make: Callable[[], Realiser], written: str) -> None:
    trained = make().fit(FURNITURE + PEOPLE)
    for domain in ("furniture", "people", "ships"):
        text = say(trained, written, domain=domain)
        assert text == " ".join(text.split())
        assert not {"{", "}", "|", "b2"} & set(text.split())


@pytest.mark.parametrize("make", TRAINED.values(), ids=list(TRAINED))
def test_training_on_nothing_or_on_words_without_marks_leaves_a_working_realiser(make: Callable[[], Realiser]) -> None:
    for trials in ([], [tell("just some words")]):
        assert isinstance(say(make().fit(trials), "type:chair colour:red"), str)


@pytest.mark.parametrize("make", TRAINED.values(), ids=list(TRAINED))
def test_the_same_training_gives_the_same_words(make: Callable[[], Realiser]) -> None:
    for written in ("type:sofa colour:blue", "type:person hasGlasses:1 y-dimension:1"):
        texts = {say(make().fit(FURNITURE + PEOPLE), written, domain=d) for d in ("people",) for _ in range(2)}
        assert len(texts) == 1


def test_a_template_keeps_its_words_and_takes_new_values() -> None:
    templates = RankedTemplates().fit(FURNITURE)
    assert say(templates, "orientation:right type:chair colour:red") == "the red chair facing right"


def test_without_a_template_the_entry_of_2008_is_silent_and_the_later_one_cuts_a_larger_one() -> None:
    assert say(RankedTemplates().fit(FURNITURE), "type:chair orientation:left") == ""
    assert (
        say(RankedTemplates(miss="superset").fit(FURNITURE), "type:chair orientation:left") == "the chair facing left"
    )


def test_own_templates_keep_to_the_speakers_words() -> None:
    """Everybody else says sofa; the third speaker says couch and no article."""
    own = RankedTemplates(personal=True).fit(FURNITURE)
    assert say(own, "size:small colour:blue type:sofa", speaker="s3") == "small blue couch"
    stranger = say(own, "size:small colour:blue type:sofa", speaker="s9")
    assert stranger == say(RankedTemplates().fit(FURNITURE), "size:small colour:blue type:sofa")


def test_the_majority_template_is_filled_with_what_is_usual_in_it() -> None:
    """Size, colour and type: twice without article, once with; articles do not count, and "couch" is the usual word in this template."""
    graph = MajorityTemplates().fit(FURNITURE)
    assert say(graph, "type:sofa colour:blue size:large") == "the big blue couch"
    assert say(graph, "type:sofa colour:red") == "the red sofa"


def test_a_combination_nobody_used_gets_the_converters_words() -> None:
    graph = MajorityTemplates().fit(FURNITURE + PEOPLE)
    assert say(graph, "type:person hasTie:1 age:old", domain="people") == "the old man wearing a tie"


def test_permutations_are_put_in_the_order_the_model_knows() -> None:
    ranked = PermuteAndRank().fit(FURNITURE)
    assert say(ranked, "orientation:left type:chair colour:red") == "red chair facing left"


def test_dependencies_put_adjectives_before_the_noun_and_participles_behind_it() -> None:
    ordered = DependencyOrder().fit(FURNITURE)
    assert say(ordered, "orientation:right type:chair colour:blue") == "blue chair facing right"


def test_rules_say_the_most_common_phrase_in_the_usual_place() -> None:
    rules = CommonPhrases().fit(FURNITURE + PEOPLE)
    assert say(rules, "orientation:left type:chair colour:red") == "the red chair facing left"
    assert say(rules, "hasGlasses:1 hasBeard:1 type:person", domain="people") == "the man with a beard and glasses"
    assert say(rules, "y-dimension:3 x-dimension:1 type:person", domain="people") == "the bottom left man"


def test_rules_fall_back_on_the_language() -> None:
    rules = CommonPhrases(PORTUGUESE).fit([])
    assert say(rules, "gender:female race:black hair.colour:dark") == "a mulher negra com cabelo escuro"


def test_a_perfect_case_is_quoted_word_for_word() -> None:
    cases = [
        tell("The [red|colour:red] [chair|type:chair]", image="a.gif", number=1),
        tell("[red|colour:red] [chair|type:chair]", image="b.gif", number=2),
        tell("a very [red|colour:red] [chair|type:chair]", image="a.gif", number=3),
    ]
    base = CaseBase().fit(cases)
    assert say(base, "type:chair colour:red", image="b.gif") == "red chair"  # same picture
    assert say(base, "type:chair colour:red", image="a.gif") == "The red chair"  # shortest of the two
    assert say(base, "type:chair colour:red", image="c.gif") == "red chair"  # shortest of all
    again = CaseBase().fit([*cases, tell("a very [red|colour:red] [chair|type:chair]", image="a.gif", number=4)])
    assert say(again, "type:chair colour:red", image="a.gif") == "a very red chair"  # said twice


def test_a_partial_case_is_quoted_with_the_wanted_values() -> None:
    base = CaseBase().fit(FURNITURE)
    assert say(base, "colour:red type:chair orientation:right") == "the red chair facing right"


def test_without_a_case_the_rules_speak() -> None:
    written = "type:chair size:small"
    assert say(CaseBase().fit(FURNITURE), written) == say(CommonPhrases().fit(FURNITURE), written)


def test_values_are_more_or_less_alike() -> None:
    """Back is nearer to right than to front, and opposite orientations are least alike."""
    front, back, right = (Property("orientation", v) for v in ("front", "back", "right"))
    assert compare_values(back, right) > compare_values(back, front) == 0
    assert compare_values(Property("x-dimension", 1), Property("x-dimension", 2)) == pytest.approx(0.75)
    assert compare_values(Property("x-dimension", 1), Property("y-dimension", 1)) == 0


def test_the_case_net_drops_what_is_not_wanted_and_loses_what_the_case_lacks() -> None:
    net = CaseNet().fit(FURNITURE)
    assert say(net, "type:chair orientation:left") == "the chair facing left"  # a larger case, less its colour
    assert say(net, "type:chair colour:blue hasArms:1") == "the blue chair"  # nobody spoke of arms


def test_choices_climb_to_the_words_nearest_to_training() -> None:
    """Three of four say "couch" without an article, so both are chosen, although "the" comes first among the options."""
    trials = [
        tell("[red|colour:red] [couch|type:sofa]", "s1"),
        tell("[blue|colour:blue] [couch|type:sofa]", "s2"),
        tell("[red|colour:red] [couch|type:sofa]", "s3"),
        tell("the [red|colour:red] [sofa|type:sofa]", "s4"),
    ]
    assert say(FixedChoices().fit(trials), "type:sofa colour:blue") == "blue couch"


def test_one_speakers_slips_are_no_option() -> None:
    trials = [tell("the [bottome|y-dimension:3] [fan|type:fan]", "s1", number=i) for i in range(3)] + [
        tell("the [bottom|y-dimension:3] [fan|type:fan]", f"s{i}") for i in (2, 3)
    ]
    assert say(FixedChoices().fit(trials), "type:fan y-dimension:3") == "the bottom fan"


def test_a_known_speaker_keeps_noun_article_and_phrases() -> None:
    speaks = SpeakerBranches().fit(FURNITURE + PEOPLE)
    assert say(speaks, "type:sofa colour:red", speaker="s3") == "red couch"
    assert say(speaks, "type:sofa colour:red", speaker="s1") == "the red sofa"
    assert say(speaks, "type:person hasBeard:1 hasGlasses:1", speaker="s1", domain="people") == (
        "the man with a beard and glasses"
    )


def test_an_article_fits_the_word_behind_it() -> None:
    trials = [
        tell("an [old|age:old] [man|type:person]", domain="people"),
        tell("a [young|age:young] [man|type:person]", domain="people"),
    ]
    speaks = SpeakerBranches().fit(trials)
    assert say(speaks, "type:person age:old", domain="people") == "an old man"
    assert say(speaks, "type:person age:young", domain="people") == "a young man"


def test_a_stranger_is_taken_for_the_most_typical_speaker() -> None:
    speaks = SpeakerBranches().fit(FURNITURE)
    typical = speaks.typical_["furniture"]
    assert say(speaks, "type:sofa colour:blue", speaker="nobody") == say(
        speaks, "type:sofa colour:blue", speaker=typical or ""
    )


def test_a_realiser_on_the_shipped_corpus_says_what_its_speakers_say() -> None:
    """Words are shared with the description they were made for, and less with the next speaker's of another scene."""
    from referee.corpora.synthetic.corpus import Synthetic

    trials = list(Synthetic(speakers=16).trials())
    train, test = trials[:156], trials[156:]
    for name, make in TRAINED.items():
        trained = make().fit(train)
        texts = [trained.realise(t.references[0].properties or (), t.for_speaker()).lower() for t in test]
        said = [(t.references[0].text or "").split() for t in test]
        own, others = _shared(texts, said), _shared(texts, said[1:] + said[:1])
        assert own > 0.5 > others, name


def _shared(texts: list[str], said: list[list[str]]) -> float:
    """The mean share of words that are also in what was said; silence is left out."""
    pairs = [(set(text.split()), set(words)) for text, words in zip(texts, said, strict=True) if text]
    return sum(len(a & b) / len(a) for a, b in pairs) / len(pairs)
