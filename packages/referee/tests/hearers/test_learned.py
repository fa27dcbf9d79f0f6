"""A listener that learns what words mean from what speakers meant."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import log
from pathlib import Path
from random import Random

import numpy as np
import pytest

from referee.errors import InputError, NotTrained, UnknownName
from referee.hearers.choice import find_scene_starts, learn, normalise_within_scenes
from referee.hearers.learned import Learned
from referee.hearers.literal import Literal
from referee.hearers.word_features import Vocabulary, split_into_pieces
from referee.records import Description, Entity, Event, HearerView, Outcome, Property, Relation, Response, Scene, Trial

WORDS = {"red": "dax", "blue": "wug", "chair": "blicket", "sofa": "toma"}


def entity(name: str, colour: str, kind: str) -> Entity:
    return Entity(id=name, attributes=(Property("type", kind), Property("colour", colour)))


def invented(seed: int, count: int = 60) -> list[Trial]:
    """A language in which colours and types have names of their own, spoken about four things."""
    rng = Random(seed)
    trials = []
    for number in range(count):
        things = [entity(f"e{i}", c, t) for i, (c, t) in enumerate(product(("red", "blue"), ("chair", "sofa")))]
        rng.shuffle(things)
        target = rng.choice(things)
        text = " ".join(WORDS[p.value] for p in reversed(target.attributes))
        trials.append(
            Trial(
                id=f"t{number}",
                scene=Scene(entities=tuple(things)),
                targets=(target.id,),
                references=(Description(text=text),),
            )
        )
    return trials


@pytest.fixture(scope="module")
def hearer() -> Learned:
    return Learned().fit(invented(1))


def ask(hearer: Learned, text: str | None, *things: Entity) -> Response:
    return hearer.resolve(Description(text=text), HearerView(id="t", scene=Scene(entities=things)))


RED_CHAIR, BLUE_CHAIR, RED_SOFA = entity("a", "red", "chair"), entity("b", "blue", "chair"), entity("c", "red", "sofa")


def test_words_of_an_invented_language_are_understood(hearer: Learned) -> None:
    assert ask(hearer, "wug blicket", RED_CHAIR, BLUE_CHAIR, RED_SOFA).entity == "b"
    assert ask(hearer, "dax toma", RED_CHAIR, BLUE_CHAIR, RED_SOFA).entity == "c"


def test_what_fits_two_alike_is_several(hearer: Learned) -> None:
    response = ask(hearer, "dax blicket", RED_CHAIR, replace(RED_CHAIR, id="twin"), BLUE_CHAIR)
    belief = dict(response.probabilities or ())
    assert response.outcome == Outcome.SEVERAL
    assert belief["a"] == belief["twin"] > 0.45


def test_a_value_that_training_never_showed_is_known_by_its_name() -> None:
    """Speakers here name colours by their names; green is new to the listener, in a typo too."""
    trials = [
        replace(t, references=(Description(text=t.scene.entity(t.targets[0]).value("colour")),)) for t in invented(2)
    ]
    hearer = Learned().fit(trials)
    green = entity("g", "green", "chair")
    assert ask(hearer, "green", RED_CHAIR, green).entity == "g"
    assert ask(hearer, "grene", RED_CHAIR, green).entity == "g"


def test_misspelled_words_are_known_by_their_beginning(hearer: Learned) -> None:
    assert ask(hearer, "blickots", RED_CHAIR, RED_SOFA).entity == "a"


def test_humans_clicks_can_be_the_teacher() -> None:
    """Listeners who always click the thing opposite teach the opposite of what speakers meant."""
    opposite = {"red": "blue", "blue": "red", "chair": "sofa", "sofa": "chair"}
    trials = []
    for trial in invented(3):
        wanted = {p.name: opposite[p.value] for p in trial.scene.entity(trial.targets[0]).attributes}
        other = next(e for e in trial.scene.entities if all(e.value(n) == v for n, v in wanted.items()))
        click = Event(kind="click", by="listener", entities=(other.id,))
        trials.append(replace(trial, episode=(click,)))
    assert ask(Learned(teacher="targets").fit(trials), "dax", RED_CHAIR, BLUE_CHAIR).entity == "a"
    assert ask(Learned(teacher="clicks").fit(trials), "dax", RED_CHAIR, BLUE_CHAIR).entity == "b"


def test_properties_without_words_are_read_as_their_values(hearer: Learned) -> None:
    said = Description(properties=(Property("colour", "wug"),))
    view = HearerView(id="t", scene=Scene(entities=(RED_CHAIR, BLUE_CHAIR)))
    assert hearer.resolve(said, view).entity == "b"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (None, Outcome.DONT_KNOW),
        (" ", Outcome.DONT_KNOW),
        ("???", Outcome.UNPARSABLE),
        ("ꙮ zzyzx", Outcome.UNPARSABLE),
    ],
)
def test_nothing_said_and_nothing_understood_are_outcomes_of_their_own(
    hearer: Learned, text: str | None, outcome: Outcome
) -> None:
    response = ask(hearer, text, RED_CHAIR, BLUE_CHAIR)
    assert response.outcome == outcome
    assert dict(response.probabilities or ()) == {"a": 0.5, "b": 0.5}


def test_a_scene_of_one_has_one_answer_and_an_empty_scene_none(hearer: Learned) -> None:
    assert ask(hearer, "wug", RED_CHAIR).entity == "a"
    assert ask(hearer, "wug").outcome == Outcome.UNPARSABLE


def test_ids_of_landmarks_are_not_seen() -> None:
    """Targets always stand left of the same id; the relation tells, the id must not."""
    near = Entity(id="n", relations=(Relation("left-of", "lamp"),))
    far = Entity(id="f", relations=(Relation("left-of", "desk"),))
    scene = Scene(entities=(near, far))
    trials = [Trial(id=str(i), scene=scene, targets=("n",), references=(Description(text="dax"),)) for i in range(9)]
    belief = dict(
        Learned().fit(trials).resolve(Description(text="dax"), HearerView(id="t", scene=scene)).probabilities or ()
    )
    assert belief == {"n": 0.5, "f": 0.5}


def test_the_same_trials_make_the_same_listener(hearer: Learned) -> None:
    assert Learned().fit(invented(1)).weights_ == hearer.weights_


def test_it_must_be_trained_and_on_words() -> None:
    with pytest.raises(NotTrained):
        ask(Learned(), "dax", RED_CHAIR)
    with pytest.raises(InputError, match="references in words"):
        Learned().fit([replace(t, references=()) for t in invented(1)])
    with pytest.raises(InputError, match="and clicks"):
        Learned(teacher="clicks").fit(invented(1))
    with pytest.raises(UnknownName, match="targets, clicks"):
        Learned(teacher="nobody").fit(invented(1))


def test_pieces_of_a_text_are_words_pairs_beginnings_and_endings() -> None:
    assert split_into_pieces("The blue-green, please!") == (
        *("the", "blue-green", "please", "blue", "green"),
        *("< the", "the blue-green", "blue-green please", "please >"),
        *("^blue", "~en", "^plea", "~se", "^gree"),
    )


def test_a_long_text_is_no_louder_than_a_short_one() -> None:
    rows = Vocabulary.of(["a b", "a b c d e"], 1).weigh(["a b", "a b c d e", "zz"]).toarray()
    assert (rows**2).sum(axis=1) == pytest.approx([1, 1, 0])


def test_pieces_that_are_rare_are_not_learnt() -> None:
    assert set(Vocabulary.of(["dax", "dax", "wug"], 2).columns) == {"dax", "< dax", "dax >"}


def test_a_choice_between_two_is_logistic_regression() -> None:
    """The conditional logit of pairs equals a logistic regression on differences without intercept; scikit-learn as the oracle."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    looks = rng.normal(size=(200, 2, 3))
    first = rng.random(200) < 1 / (1 + np.exp(-(looks[:, 0] - looks[:, 1]) @ [1.0, -2.0, 0.5]))
    rows = looks.reshape(-1, 3)
    goal = np.column_stack([first, ~first]).astype(float).ravel()
    found = learn(
        lambda w: rows @ w, lambda f: rows.T @ f, 3, find_scene_starts([2] * 200), goal, penalty=0.7, iterations=500
    )
    oracle = LogisticRegression(C=1 / 0.7, fit_intercept=False, tol=1e-10).fit(looks[:, 0] - looks[:, 1], first)
    assert found == pytest.approx(oracle.coef_[0], abs=1e-3)


def test_shares_are_formed_within_scenes_of_any_size() -> None:
    shares = normalise_within_scenes(np.array([0.0, log(3), 1000.0, -5.0, -5.0, -5.0]), find_scene_starts([2, 1, 3]))
    assert shares == pytest.approx([1 / 4, 3 / 4, 1, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.long
@pytest.mark.data
def test_learned_beats_literal_on_people_of_degen2020(data_folder: Path) -> None:
    """Every second game learnt from the others; docs/learned-listeners.md has five folds and each experiment."""
    from sklearn.metrics import roc_auc_score

    from referee.corpora.degen import Degen2020

    corpus = Degen2020(data_folder)
    clicks = {r.trial: r.entity or "" for r in corpus.responses()}
    trials = [replace(t, references=(Description(text=t.references[0].text),)) for t in corpus.trials() if t.references]
    games = {game: i for i, game in enumerate(dict.fromkeys(t.speaker for t in trials))}
    halves = [[t for t in trials if games[t.speaker] % 2 == half] for half in (0, 1)]
    found = [clicks[t.id] == t.targets[0] for half in halves for t in half]
    likelihood, auc = {}, {}
    for kind in (Literal, Learned):
        likely, meant = [], []
        for test, train in (halves, halves[::-1]):
            pairs = [(t.references[0], t.for_hearer(Random(t.id))) for t in test]
            for trial, response in zip(test, kind().fit(train).resolve_many(pairs), strict=True):
                belief = _over_entities(response, trial)
                # a tenth of guessing keeps literal's impossible clicks finite
                likely.append(log(0.9 * belief[clicks[trial.id]] + 0.1 / len(belief)))
                meant.append(belief[trial.targets[0]])
        likelihood[kind], auc[kind] = np.mean(likely), roc_auc_score(found, meant)
    assert likelihood[Learned] > likelihood[Literal] + 0.15
    assert auc[Learned] > auc[Literal] + 0.04


def _over_entities(response: Response, trial: Trial) -> dict[str, float]:
    shares = dict(response.probabilities or ())
    found = {e.id: shares.get(e.id, 0.0) for e in trial.scene.entities}
    total = sum(found.values())
    return {name: share / total if total else 1 / len(found) for name, share in found.items()}
