"""A remote listener that is shown the scene: numbers in the picture are those of the answer, and words can be left out."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest

from fake_endpoint import completion, serving
from referee.errors import InputError
from referee.hearers.remote import Remote
from referee.jobs.listen import Session
from referee.records import Description, Entity, HearerView, Property, Response, Scene
from referee.show.drawing import draw_numbered

THINGS = tuple(
    Entity(id=f"secret-{colour}", attributes=(Property("type", "chair"), Property("colour", colour)))
    for colour in ("red", "blue", "green", "grey")
)
VIEW = HearerView(id="t1", scene=Scene(entities=THINGS))


def ask(**more: Any) -> tuple[Response, Any]:
    with serving(completion("2")) as server:
        hearer = Remote(model="toy", endpoint=server.url, contract=1, **more)
        response = hearer.resolve(Description(text="the thing"), VIEW)
        return response, server.seen[0]["messages"][0]["content"]


def shown_order(image: str) -> tuple[Entity, ...]:
    """The order of entities that gives exactly this picture."""
    from itertools import permutations

    png = b64decode(image.removeprefix("data:image/png;base64,"))
    return next(order for order in permutations(THINGS) if draw_numbered(Scene(entities=order)) == png)


def test_the_number_answered_is_the_number_in_the_picture() -> None:
    response, (words, picture) = ask(image=True)
    order = shown_order(picture["image_url"]["url"])
    assert response.entity == order[1].id
    assert [f"{i}. type: chair; colour: {e.value('colour')}" for i, e in enumerate(order, 1)] == words[
        "text"
    ].splitlines()[1:5]


def test_without_words_the_picture_is_all_there_is() -> None:
    response, (words, picture) = ask(image=True, words=False)
    assert "the 4 objects in the picture" in words["text"]
    assert not any(told in words["text"] for told in ("chair", "colour", "secret"))
    assert response.entity == shown_order(picture["image_url"]["url"])[1].id


def test_without_a_picture_nothing_is_sent_but_words() -> None:
    _, content = ask()
    assert isinstance(content, str)


def test_pictures_are_a_switch_of_the_command_line() -> None:
    hearer = Session(hearer="remote|model:toy|image:true|words:no").build()
    assert (hearer.image, hearer.words) == (True, False)


@pytest.mark.parametrize("wrong", [{"words": False}, {"words": False, "image": True, "choice": "free"}])
def test_a_question_without_anything_to_choose_from_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="words:no needs image:yes"):
        Remote(model="toy", **wrong).resolve(Description(text="the thing"), VIEW)
