"""A remote listener: what it is shown, how its answers are read, and what happens when there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fake_endpoint import Answer, completion, serving
from referee.errors import InputError
from referee.hearers.remote import Remote, build_question, read_choice
from referee.records import Description, Entity, HearerView, Outcome, Property, Relation, Response, Scene

CHAIR = Entity(id="secret-a", attributes=(Property("type", "chair"),), relations=(Relation("left-of", "secret-b"),))
SOFA = Entity(id="secret-b", attributes=(Property("type", "sofa"),), position=(1.0, 2.5))
LAMP = Entity(id="secret-c", attributes=(Property("type", "lamp"),))
VIEW = HearerView(id="t1", scene=Scene(entities=(CHAIR, SOFA, LAMP)))
SAID = Description(text="the sofa")


def remote(url: str, **more: Any) -> Remote:
    """A hearer that asks in free words unless a test says otherwise: what is sent is then the question alone."""
    return Remote(**{"model": "toy", "endpoint": url, "pause_s": 0.001, "timeout_s": 60.0, "contract": 1, **more})


def ask(*script: Answer, said: Description = SAID, **more: Any) -> tuple[Response, list[dict[str, Any]]]:
    with serving(*script) as server:
        return remote(server.url, **more).resolve(said, VIEW), server.seen


def lines_of(question: dict[str, Any]) -> list[str]:
    return [line for line in question["messages"][0]["content"].splitlines() if line[:2] in ("1.", "2.", "3.")]


def test_the_question_shows_the_scene_and_hides_ids() -> None:
    question = str(build_question("the sofa", VIEW.scene.entities))
    assert "1. type: chair; left-of object 2" in question
    assert "2. type: sofa; position: (1, 2.5)" in question
    assert "the sofa" in question
    assert "secret" not in question


def test_an_answer_is_an_entity_of_the_order_shown() -> None:
    response, seen = ask(completion("2"))
    shown = lines_of(seen[0])[1]
    wanted = next(e.id for e in (CHAIR, SOFA, LAMP) if f"type: {e.value('type')}" in shown)
    assert (response.outcome, response.entity) == (Outcome.ENTITY, wanted)
    assert dict(response.probabilities or ())[wanted] == 1.0


def test_responses_tell_unread_refused_and_cut_off_answers_apart() -> None:
    answers = {
        "Which do you mean?": ("unparsable", "asked again"),
        "I'm sorry, I can't help with that.": ("refused",),
        "<think>the sofa or": ("cut off",),
        "2": (),
    }
    for words, flags in answers.items():
        # Two probes of schemas come first, which this endpoint does not follow.
        response, _ = ask(*[completion("no")] * 2, *[completion(words)] * 2, contract=3)
        assert response.flags[1:] == flags, words


def test_every_vote_has_an_order_of_its_own_and_counts() -> None:
    response, seen = ask(completion("1"), completion("none"), completion("gibberish"), completion("1"), votes=8)
    assert len({tuple(lines_of(q)) for q in seen}) > 1
    belief = dict(response.probabilities or ())
    assert belief["none"] == pytest.approx(1 / 7)
    assert sum(belief.values()) == pytest.approx(1)
    assert response.flags[0] == "1 of 8 votes unparsable"
    # Three objects: turned on by one place each time, then mixed and turned again; what was shown is kept.
    assert [flag.partition("; ")[0] for flag in response.flags[1:4]] == [
        "vote 1: shown secret-a secret-b secret-c",
        "vote 2: shown secret-b secret-c secret-a",
        "vote 3: shown secret-c secret-a secret-b",
    ]


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ("several", Outcome.SEVERAL),
        ("None.", Outcome.NONE),
        ("unknown", Outcome.DONT_KNOW),
        ("4", Outcome.UNPARSABLE),
        ("0", Outcome.UNPARSABLE),
        ("-1 or 2", Outcome.UNPARSABLE),
        ("It must be the sofa, I think", Outcome.UNPARSABLE),
        ("I'm sorry, I can't help.", Outcome.UNPARSABLE),
        ("", Outcome.UNPARSABLE),
        ("9" * 5000, Outcome.UNPARSABLE),
    ],
)
def test_answers_that_point_nowhere_are_told_apart(content: str, outcome: Outcome) -> None:
    response, _ = ask(completion(content))
    assert (response.outcome, response.entity) == (outcome, None)
    assert sum(dict(response.probabilities or ()).values()) == pytest.approx(1)


@pytest.mark.parametrize("content", ["2", " 2.\n", "**2**", "Answer: 2", "Object 2", "(2)", "the answer is 2."])
def test_harmless_wrappings_are_taken_off(content: str) -> None:
    assert read_choice(content, (CHAIR, SOFA, LAMP)) == "secret-b"


def test_free_choice_repeats_the_line_of_the_object() -> None:
    shown = (CHAIR, LAMP, SOFA, LAMP)
    assert "1." not in str(build_question("x", shown, "free"))
    assert read_choice("- type: sofa; position: (1, 2.5)", shown, "free") == "secret-b"
    assert read_choice("Type: Chair; left-of object 3", shown, "free") == "secret-a"
    assert read_choice("type: lamp", shown, "free") == "several", "two objects look like that"
    assert read_choice("the sofa", shown, "free") == "unparsable"


def test_an_answer_that_was_cut_off_is_unparsable() -> None:
    assert ask(completion("2", finish="length"))[0].outcome == Outcome.UNPARSABLE


def test_a_question_nobody_answers_is_a_timeout_and_asked_again_later(tmp_path: Path) -> None:
    with serving((500, {}, b"broken"), (500, {}, b"broken"), completion("1")) as server:
        hearer = remote(server.url, tries=2).remember(tmp_path)
        assert hearer.resolve(SAID, VIEW).outcome == Outcome.TIMEOUT
        assert hearer.resolve(SAID, VIEW).outcome == Outcome.ENTITY


def test_kept_calls_answer_without_a_network(tmp_path: Path) -> None:
    with serving(completion("3")) as server:
        first = remote(server.url).remember(tmp_path).resolve(SAID, VIEW)
        url = server.url
    again = remote(url).remember(tmp_path, offline=True)
    assert again.resolve(SAID, VIEW) == first
    with pytest.raises(InputError, match="offline"):
        again.resolve(Description(text="the lamp"), VIEW)


def test_an_endpoint_that_fails_half_way_stops_the_work_and_says_how_to_go_on(tmp_path: Path) -> None:
    texts = [Description(text=f"thing {n}") for n in range(10)]
    with serving(*[completion("1")] * 4, (503, {}, b"")) as server:
        hearer = remote(server.url, tries=1).remember(tmp_path)
        with pytest.raises(InputError, match="the same command resumes"):
            hearer.resolve_many([(said, VIEW) for said in texts])
        server.script[:] = [completion("2")]
        before = len(server.seen)
        again = remote(server.url, tries=1).remember(tmp_path)
        assert [again.resolve(said, VIEW).outcome for said in texts] == [Outcome.ENTITY] * 10
        assert len(server.seen) - before == 6, "four were kept"


def test_properties_are_put_into_english_where_there_are_no_words() -> None:
    said = Description(properties=(Property("type", "sofa"), Property("colour", "red")))
    _, seen = ask(completion("1"), said=said)
    assert "'the red sofa'" in seen[0]["messages"][0]["content"]


def test_a_drawn_scene_goes_along_in_the_order_shown() -> None:
    drawn: list[Scene] = []

    def draw(scene: Scene) -> bytes:
        drawn.append(scene)
        return b"PNG"

    _, seen = ask(completion("1"), draw=draw)
    words, picture = seen[0]["messages"][0]["content"]
    assert picture["image_url"]["url"] == "data:image/png;base64,UE5H"
    assert f"1. type: {drawn[0].entities[0].value('type')}" in words["text"]


@pytest.mark.parametrize("wrong", [{"model": ""}, {"choice": "loud"}, {"votes": 0}])
def test_a_question_that_cannot_be_asked_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="→"):
        remote("http://127.0.0.1:9/v1", **wrong).resolve(SAID, VIEW)


def test_nothing_said_is_not_sent() -> None:
    response, seen = ask(completion("1"), said=Description(text=" "))
    assert response.outcome == Outcome.DONT_KNOW
    assert seen == []


# -- the contract ----------------------------------------------------------------------------------------------------------------


def test_an_endpoint_with_schemas_is_asked_for_one_of_the_options() -> None:
    response, seen = ask(completion('{"is_wet": "no"}'), completion('{"answer": "2"}'), contract=2)
    assert response.outcome is Outcome.ENTITY
    assert response.entity == "secret-b"
    asked = seen[1]["response_format"]["json_schema"]["schema"]["properties"]["answer"]
    assert asked["enum"] == ["1", "2", "3", "several", "none", "unknown"]


def test_an_endpoint_without_schemas_is_asked_for_a_final_line_in_the_language_of_the_trial() -> None:
    with serving(completion("yes, very"), completion("yes"), completion("Es ist nicht 1.\n\nANSWER: 2")) as server:
        hearer = remote(server.url, contract=2)
        view = HearerView(id="t1", scene=VIEW.scene, language="de")
        assert hearer.resolve(SAID, view).entity == "secret-b"
        assert hearer.resolve(Description(text="the sofa again"), view).entity == "secret-b"
    assert len(server.seen) == 4, "two probes, then a question for each description"
    assert server.seen[2]["messages"][-1]["content"].endswith("nur ANSWER: und deine Antwort enthält.")
    assert "response_format" not in server.seen[3]


def test_a_run_of_an_earlier_release_is_replayed_as_it_was_asked(tmp_path: Path) -> None:
    with serving(completion("2")) as server:
        remote(server.url, contract=1).remember(tmp_path).resolve(SAID, VIEW)
    replayed = remote(server.url, contract=2).remember(tmp_path, offline=True).resolve(SAID, VIEW)
    assert replayed.entity == "secret-b"
