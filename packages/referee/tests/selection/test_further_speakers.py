"""Speakers after the classics; where a paper is not at hand, the numbers are worked by hand from its formula."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError, NotTrained
from referee.records import Description, Entity, Property, Relation, Scene, SpeakerView, Trial
from referee.selection.baselines import Everything, NearestWords, RandomDistinguishing, TypeOnly
from referee.selection.classified import PatternTree, SupportVectors
from referee.selection.contrast import get_contrast
from referee.selection.graded_rational import ContinuousSpeaker, IncrementalRational
from referee.selection.rational import RationalSpeaker
from referee.selection.visible_objects import VisibleObjects

A, B = Property("a", 1), Property("b", 1)
SMALL, BLUE = Property("size", "small"), Property("colour", "blue")


def view_of(*looks: tuple[Property, ...], name: str = "v") -> SpeakerView:
    """The first thing among the others."""
    scene = Scene(entities=tuple(Entity(id=str(i), attributes=own) for i, own in enumerate(looks)))
    return SpeakerView(id=name, scene=scene, targets=("0",), domain="things")


def test_noisy_meanings_make_it_worth_saying_more() -> None:
    """Degen et al. 2020, by hand: a small blue pin beside a big blue and a big red one, colour .99, size .8, alpha 1.

    L0: nothing 1/3; small .8/(.8+.2+.2); blue .99/(.99+.99+.01); both .792/(.792+.198+.002). S1 is proportional to these.
    """
    pin = Property("type", "pin")
    big, red = Property("size", "big"), Property("colour", "red")
    view = view_of((pin, SMALL, BLUE), (pin, big, BLUE), (pin, big, red))
    found = dict(ContinuousSpeaker(alpha=1.0, colour=0.99, size=0.8).distribution(view))
    literal = {(): 1 / 3, (SMALL,): 0.8 / 1.2, (BLUE,): 0.99 / 1.99, (SMALL, BLUE): 0.792 / 0.992}
    total = sum(literal.values())
    for said, chance in literal.items():
        assert found[frozenset([pin, *said])] == pytest.approx(chance / total)
    assert set(ContinuousSpeaker().select(view)) == {pin, SMALL, BLUE}, "red or not, the colour helps a doubtful size"


def test_a_salient_competitor_costs_a_word() -> None:
    """By hand from Frank & Goodman's listener: S0 is 1/4 each for the target, 1/2 each for the others; the first of them is three times as salient.

    L1 of the target: nothing 1/9, a 1/7, b 1/3, both 1; normalised over their sum 100/63.
    """
    view = view_of((A, B), (A, Property("salience", 3)), (B,))
    found = dict(RationalSpeaker(prior="salience").distribution(view))
    expected = {frozenset(): 0.07, frozenset([A]): 0.09, frozenset([B]): 0.21, frozenset([A, B]): 0.63}
    assert found == pytest.approx(expected)


def test_word_by_word_a_listener_counts_how_the_words_can_go_on() -> None:
    """By hand: after "a" the target can go on in two ways and its rival in one, so L0 is 2/3; at the end nothing is left to say, and L0 is 1/3."""
    view = view_of((A, B), (A,), (B,))
    contrast = get_contrast(view)
    speaker = IncrementalRational(alpha=1.0, cost=0.0)
    assert speaker.compute_next_probabilities(contrast, [], [A, B]) == pytest.approx([0.4, 0.4, 0.2])
    assert speaker.compute_next_probabilities(contrast, [A], [B]) == pytest.approx([2 / 3, 1 / 3])
    assert speaker.select(view) == (A, B)


def test_messages_are_counted_where_they_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted or listed, S1 says the same."""
    from random import Random

    rng = Random(3)
    views = [
        view_of(*(tuple(Property(f"a{k}", rng.choice("pq")) for k in range(6)) for _ in range(5))) for _ in range(25)
    ]
    speakers = [
        RationalSpeaker(),
        RationalSpeaker(alpha=3, cost=0.2),
        RationalSpeaker(depth=2),
        RationalSpeaker(longest=3),
    ]
    listed = [s.select(v) for s in speakers for v in views]
    monkeypatch.setattr("referee.selection.rational.MOST_MESSAGES", 0)
    assert [s.select(v) for s in speakers for v in views] == listed


CHAIR, RED, GREEN = Property("type", "chair"), Property("colour", "red"), Property("colour", "green")


def trial(number: int, said: tuple[Property, ...], text: str = "", speaker: str = "s") -> Trial:
    view = view_of((CHAIR, RED, SMALL), (CHAIR, GREEN, SMALL), name=f"t{number}")
    reference = Description(properties=said, text=text or None)
    return Trial(
        id=view.id, scene=view.scene, targets=("0",), domain="things", speaker=speaker, references=(reference,)
    )


def test_visible_objects_says_what_most_people_say_and_sizes_only_beside_other_sizes() -> None:
    """By hand from the outline: red is said in 4 of 4 descriptions, small in 3 of 4, both more than half; the small one is said only beside a large one."""
    trials = [trial(i, (CHAIR, RED, SMALL) if i < 3 else (CHAIR, RED)) for i in range(4)]
    speaker = VisibleObjects().fit(trials)
    assert speaker.select(trials[0].for_speaker()) == (CHAIR, RED), "both are small"
    beside = view_of((CHAIR, RED, SMALL), (CHAIR, RED, Property("size", "large")))
    assert speaker.select(beside) == (CHAIR, RED, SMALL)
    assert [s.reason for s in speaker.explain(beside)] == [
        "the type is always used",
        "people mention it in 100% of the cases where it holds",
        "people mention it in 75% of the cases where it holds",
    ]


def test_descriptions_without_properties_teach_nobody() -> None:
    worded = [replace(trial(i, (CHAIR,)), references=(Description(text="the chair"),)) for i in range(4)]
    for speaker in (VisibleObjects(), PatternTree(), SupportVectors()):
        with pytest.raises(NotTrained):
            speaker.fit(worded).select(worded[0].for_speaker())


def test_trees_know_their_speakers() -> None:
    """By hand: one speaker always says the size and one never does; nothing else differs, so the tree must ask who speaks."""
    trials = [trial(i, (CHAIR, RED) if i % 2 else (CHAIR, RED, SMALL), speaker=f"s{i % 2}") for i in range(20)]
    tree = PatternTree(leaf=2).fit(trials)
    assert tree.select(trials[0].for_speaker()) == (CHAIR, RED, SMALL)
    assert tree.select(trials[1].for_speaker()) == (CHAIR, RED)


def test_trees_know_speakers_of_whom_they_have_heard_little() -> None:
    """Four descriptions of each of twelve speakers, fewer than a leaf holds: habits are shared between speakers. A stranger is taken for most people."""
    said = [(CHAIR, RED, SMALL) if speaker < 4 else (CHAIR, RED) for speaker in range(12) for _ in range(4)]
    trials = [trial(i, properties, speaker=f"s{i // 4}") for i, properties in enumerate(said)]
    tree = PatternTree(leaf=5).fit(trials)
    assert [tree.select(t.for_speaker()) for t in trials] == said
    stranger = replace(trials[0].for_speaker(), speaker="nobody")
    assert tree.select(stranger) == (CHAIR, RED)
    assert PatternTree(leaf=5, speakers=False).fit(trials).select(trials[0].for_speaker()) == (CHAIR, RED)


def test_machines_see_which_relations_a_target_has() -> None:
    """By hand: the relation alone tells the two kinds of scene apart; attributes are the same, so the machine must look at it."""
    ball, cube = Property("type", "ball"), Entity(id="c", attributes=(Property("type", "cube"),))
    scenes = [
        Scene(entities=(Entity(id="b", attributes=(ball,), relations=(Relation(name, "c"),)), cube))
        for name in ("on-top-of", "left-of")
    ]
    said = ((ball, Property("on-top-of", "c")), (ball,))
    trials = [
        Trial(id=str(i), scene=scenes[i % 2], targets=("b",), references=(Description(properties=said[i % 2]),))
        for i in range(20)
    ]
    speaker = SupportVectors().fit(trials)
    assert [speaker.select(t.for_speaker()) for t in trials[:2]] == list(said)


def test_machines_learn_what_is_said_of_a_landmark() -> None:
    ball = Entity(id="b", attributes=(Property("type", "ball"),), relations=(Relation("on-top-of", "c"),))
    cube = Entity(id="c", attributes=(Property("type", "cube"), RED))
    scene = Scene(entities=(ball, cube))
    said = (Property("type", "ball"), Property("on-top-of", "c"), Property("landmark.type", "cube"))
    plain = Scene(entities=(Entity(id="b", attributes=(Property("type", "ball"),)), cube))
    trials = [
        Trial(
            id=str(i),
            scene=scene if i % 2 else plain,
            targets=("b",),
            references=(Description(properties=said if i % 2 else said[:1]),),
        )
        for i in range(20)
    ]
    speaker = SupportVectors().fit(trials)
    assert speaker.select(trials[1].for_speaker()) == said
    assert speaker.select(trials[0].for_speaker()) == said[:1]


def test_baselines_do_what_they_are_called() -> None:
    view = view_of((CHAIR, RED, SMALL), (CHAIR, GREEN, SMALL), (Property("type", "desk"), RED))
    assert Everything().select(view) == (CHAIR, RED, SMALL)
    assert TypeOnly().select(view) == (CHAIR,)
    drawn = {RandomDistinguishing(seed=i).select(view) for i in range(20)}
    assert len(drawn) > 1
    assert all(view.scene.denotation(said) == view.target_mask for said in drawn)
    quoting = NearestWords().fit([trial(1, (CHAIR, RED), "the red chair"), trial(2, (CHAIR,), "")])
    assert quoting.realise((), view) == "the red chair"
    assert quoting.select(view) == (CHAIR, RED)


def test_a_bound_that_still_leaves_too_many_messages_is_refused() -> None:
    """Of 27 properties up to ten: more than twenty million messages, whatever the bound looks like."""
    wide = view_of(*(tuple(Property(f"k{n}", str(i)) for n in range(27)) for i in range(6)))
    with pytest.raises(InputError, match="too many messages"):
        ContinuousSpeaker(longest=10).select(wide)
    assert ContinuousSpeaker(longest=2).select(wide)


def test_machines_that_share_their_rows_answer_as_each_would_alone() -> None:
    """Beside scikit-learn's own pipeline, one machine after the other."""
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing, svm = pytest.importorskip("sklearn.preprocessing"), pytest.importorskip("sklearn.svm")
    trials = list(Synthetic().trials())[:160]
    speaker = SupportVectors().fit(trials[:120])
    rows = [speaker.features_.of(t.for_speaker()) for t in trials]
    told = [{p.name for p in t.references[0].properties or ()} for t in trials[:120]]
    for name in speaker.machines_.names:
        alone = pipeline.make_pipeline(preprocessing.StandardScaler(), svm.SVC(C=1.0, random_state=0))
        alone.fit(rows[:120], [name in said for said in told])
        assert [name in speaker.machines_.say_yes(row) for row in rows] == alone.predict(rows).tolist(), name
