"""The neural listener of colours: slopes are those of the loss, what is easy is learned, and the speaker says what the listener understands."""

from __future__ import annotations

import colorsys
from random import Random

import numpy as np
import pytest
from scipy.sparse import csr_array

from referee.errors import InputError, NotTrained
from referee.hearers.colour_network import ColourNetwork, PatchNetwork
from referee.hearers.colour_speaker import ColourSpeaker
from referee.hearers.colour_words import PatchWords
from referee.records import Description, Entity, Property, Scene, Trial

HUES = {"red": 0, "yellow": 60, "green": 120, "blue": 240}


def patch(name: str, hue: float, saturation: float) -> Entity:
    return Entity(id=name, attributes=(Property("h", hue), Property("s", saturation), Property("l", 50)))


def rounds(number: int, seed: int = 1) -> list[Trial]:
    """Three patches of different hues, the target called by its name, "dull" where it is the least saturated."""
    rng, found = Random(seed), []
    for i in range(number):
        names = rng.sample(sorted(HUES), 3)
        strengths = rng.sample([30, 60, 90], 3)
        scene = Scene(
            entities=tuple(
                patch(f"c{k}", HUES[n] + rng.uniform(-8, 8), s)
                for k, (n, s) in enumerate(zip(names, strengths, strict=True))
            )
        )
        text = f"dull {names[0]}" if strengths[0] == 30 else names[0]
        found.append(Trial(id=f"t{i}", scene=scene, targets=("c0",), references=(Description(text=text),)))
    return found


def test_slopes_are_those_of_the_loss() -> None:
    """Against differences of the loss itself, weight by weight (nothing dropped)."""
    rng = np.random.default_rng(1)
    settings = ColourNetwork(width=3, hidden=4, drop=0.0, epochs=0)
    texts = csr_array((rng.random((5, 6)) * (rng.random((5, 6)) > 0.5)).astype(np.float32))
    looks = rng.normal(size=(5, 3, 7)).astype(np.float32)
    meant = np.eye(3, dtype=np.float32)[rng.integers(0, 3, 5)]
    network = PatchNetwork(settings, 1).learn(texts, looks, meant)
    # In double precision, so that differences are not lost in rounding.
    network.weights = {k: w.astype(np.float64) for k, w in network.weights.items()}  # type: ignore[misc]

    def loss() -> float:
        return float(-np.log((network.shares(texts, looks) * meant).sum(axis=1)).mean())

    slopes = network._compute_gradient(texts, looks, meant)
    for key, weight in network.weights.items():
        for place in [0, weight.size // 2, weight.size - 1]:
            before = weight.flat[place]
            weight.flat[place] = before + 1e-5
            above = loss()
            weight.flat[place] = before - 1e-5
            below = loss()
            weight.flat[place] = before
            assert slopes[key].flat[place] == pytest.approx((above - below) / 2e-5, abs=2e-4), key


def test_slopes_of_the_words_are_those_of_their_log_probability() -> None:
    """Against differences of the log probability itself, weight by weight (nothing dropped)."""
    texts, looks = (
        [["light", "blue"], ["blue"], ["dull"]],
        np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32),
    )
    words = PatchWords(hidden=5, rare=1, epochs=0, drop=0.0).learn(texts, looks)
    words.weights = {k: w.astype(np.float64) for k, w in words.weights.items()}  # type: ignore[misc]
    text, *rest = words._make_training_rows(texts)
    slopes = words._compute_gradient(looks[text], *rest)

    def loss() -> float:
        return -float(words.log_chances(texts, looks[:, None]).sum()) / len(text)

    for key, weight in words.weights.items():
        for place in [0, weight.size // 2, weight.size - 1]:
            before = weight.flat[place]
            weight.flat[place] = before + 1e-5
            above = loss()
            weight.flat[place] = before - 1e-5
            below = loss()
            weight.flat[place] = before
            assert slopes[key].flat[place] == pytest.approx((above - below) / 2e-5, abs=2e-4), key


def test_a_text_is_as_likely_as_its_words_and_its_end_together() -> None:
    """By hand: with weights of 0 two words, the end, the unknown word and the beginning are equally likely: n words and an end have (1/5)^(n+1)."""
    words = PatchWords(hidden=2, rare=1, epochs=0).learn([["light", "blue"]], np.zeros((1, 3), dtype=np.float32))
    words.weights = {k: np.zeros_like(w) for k, w in words.weights.items()}
    found = words.log_chances([["light", "blue"], ["never", "heard", "of"]], np.zeros((2, 3, 3), dtype=np.float32))
    assert found == pytest.approx(np.log(0.2) * np.array([[3] * 3, [4] * 3]), abs=1e-5)


def test_reasoning_about_what_people_say_settles_what_the_networks_leave_open() -> None:
    """Belief is that of the networks times the probability of the words to the power of the weight, and shares again."""
    listener = ColourNetwork(members=1, epochs=2, reasoning=0.5, talkers=1).fit(rounds(300))
    trial = rounds(1, seed=5)[0]
    scene = [[tuple(float(e.value(a) or 0) for a in "hsl") for e in trial.scene.entities]]
    text = trial.references[0].text or ""
    literal = listener.believe(listener.vocabulary_.weigh([text]).astype(np.float32), scene)[0]
    said = listener.words_[0].log_chances([text.split()], listener._scale_features(scene))[0]
    raised = literal * np.exp(0.5 * said)
    assert listener._compute_probabilities([text], scene)[0] == pytest.approx(raised / raised.sum(), abs=1e-5)


def test_names_of_colours_are_learned() -> None:
    assert colorsys.hls_to_rgb(HUES["blue"] / 360, 0.5, 1) == (0, 0, 1), "the hues are those of the names"
    listener = ColourNetwork(members=2, epochs=15).fit(rounds(600))
    test = rounds(100, seed=2)
    answers = listener.resolve_many([(t.references[0], t.for_hearer(Random(t.id))) for t in test])
    assert sum(a.entity == t.targets[0] for a, t in zip(answers, test, strict=True)) >= 97
    assert all(sum(share for _, share in a.probabilities or ()) == pytest.approx(1, abs=1e-5) for a in answers)


def test_the_speaker_says_what_tells_the_target_apart() -> None:
    speaker = ColourSpeaker(texts=10, members=1, epochs=15).fit(rounds(600))
    test = rounds(40, seed=3)
    right = sum(
        (speaker.describe(t.for_speaker()).text or "").endswith((t.references[0].text or "").split()[-1]) for t in test
    )
    assert right >= 36


def test_what_is_no_scene_of_colours_is_refused() -> None:
    with pytest.raises(NotTrained):
        ColourSpeaker().describe(rounds(1)[0].for_speaker())
    trials = rounds(20)
    fewer = Trial(
        id="x", scene=Scene(entities=trials[0].scene.entities[:2]), targets=("c0",), references=trials[0].references
    )
    with pytest.raises(InputError, match="different numbers"):
        ColourNetwork(members=1, epochs=1).fit([*trials, fewer])
