"""The picture on the first page is the one that its program draws, and what it says of the hearer is what the hearer does."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = runpy.run_path(str(ROOT / "examples" / "first_picture.py"))


def test_the_page_shows_what_the_program_draws() -> None:
    assert (ROOT / "docs" / "first-picture.svg").read_text("utf-8") == PROGRAM["picture"]()


def test_two_chairs_fit_what_is_said_and_share_the_hearer() -> None:
    """By hand: large, red and a chair are the first and the last; which way a chair faces is not said, so only their salience differs."""
    shares = PROGRAM["shares"]()
    assert min(shares["e0"], shares["e6"]) > 0.4
    assert abs(sum(shares.values()) - 1) < 1e-9
