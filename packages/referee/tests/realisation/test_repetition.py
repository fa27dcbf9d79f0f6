"""Nothing is said twice in a row."""

from __future__ import annotations

import pytest

from referee.realisation.repairs import drop_repeated_words


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("the red chair in the middle in the middle", "the red chair in the middle"),
        ("the desk in the in the middle", "the desk in the middle"),
        ("the the fan", "the fan"),
        ("right of right", "right of right"),
        ("", ""),
        ("a a a", "a"),
    ],
)
def test_only_direct_repetition_goes(said: str, kept: str) -> None:
    assert drop_repeated_words(said) == kept
