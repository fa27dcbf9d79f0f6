"""The passport of a simulated hearer.

A card, computed on human answers, that states whether the hearer may be used as a measure (`referee passport`).

Cards are sealed with a hash of their content, refused if changed, and stored in the run that quotes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.errors import InputError, MalformedInput
from referee.files import write_atomically
from referee.hearers.passports.quoting import DIGITS, sign
from referee.signature import digest

__all__ = ["keep_card", "read_card", "read_run_cards", "seal", "sign"]

KEPT = "passports"


def seal(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return a card with numbers rounded to six decimals and a hash of its content."""
    rounded: dict[str, Any] = _round_numbers(card)
    return {**rounded, "hash": _hash(rounded)}


def _round_numbers(value: Any) -> Any:
    """Return numbers rounded to six decimals, so that another machine's last digits give the same card."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, Mapping):
        return {key: _round_numbers(part) for key, part in value.items()}
    return [_round_numbers(part) for part in value] if isinstance(value, (list, tuple)) else value


def _hash(card: Mapping[str, Any]) -> str:
    """Return a hash of a card's content. The name of a file is no part of it: equal files have equal cards."""
    content = _remove_file_name(card, card["corpus"]) if card.get("corpus_is_file") else card
    return digest(json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False))


def _remove_file_name(value: Any, name: str) -> Any:
    """Return the values of a card without its file's name, which is a whole value or stands before a comma."""
    if isinstance(value, str):
        return "" if value == name else value.removeprefix(f"{name}, ")
    if isinstance(value, Mapping):
        return {key: _remove_file_name(part, name) for key, part in value.items()}
    return [_remove_file_name(part, name) for part in value] if isinstance(value, list) else value


def read_card(path: str | Path) -> dict[str, Any]:
    """Return a card from its file. Raises InputError if its content does not match its hash."""
    try:
        card = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            "there is no such card", where=path, remedy="make one: referee passport … --out CARD.json"
        ) from None
    except (OSError, ValueError) as error:
        raise MalformedInput(f"the card cannot be read ({error})", where=path, remedy="make it again") from None
    if not isinstance(card, dict) or "hash" not in card:
        raise MalformedInput(
            "this is not a passport", where=path, remedy="make one: referee passport … --out CARD.json"
        )
    if card["hash"] != _hash({key: value for key, value in card.items() if key != "hash"}):
        raise MalformedInput("the card was changed after it was made", where=path, remedy="make it again")
    return card


def keep_card(folder: Path, card: Mapping[str, Any]) -> None:
    """Store a card in a run folder, for readers of the run."""
    (folder / KEPT).mkdir(exist_ok=True)
    write_atomically(folder / KEPT / f"{card['hash'][:DIGITS]}.json", [json.dumps(card, ensure_ascii=False, indent=1)])


def read_run_cards(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the cards in a run folder, by the digits of their hash in signatures."""
    return {path.stem: read_card(path) for path in sorted((folder / KEPT).glob("*.json"))}
