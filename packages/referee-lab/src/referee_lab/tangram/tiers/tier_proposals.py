"""Which tiers of a foreign ELAN or TextGrid file may be the utterances, expressions, referents and actions: proposed by their names, for people to check."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["propose_tiers"]

# What a tier is called in English, German, Dutch, Spanish and Portuguese files; the first that fits decides.
_ROLES: tuple[tuple[str, str], ...] = (
    ("Attr", r"attr|code|label|feature|merkmal"),
    ("Ref", r"referent|\bref\b|object|objekt|objeto|target|piece|entity|entit|item"),
    ("REX", r"rex|refer|expression|phrase|mention|\bnp\b|ausdruck|expres"),
    ("Action", r"action|handl|manipul|\bacts?\b|acci[oó]n|a[cç][aã]o"),
    ("Mouse", r"mouse|cursor|gaze|point|hand\b|blick"),
    ("UT", r"utt|speech|transcr|words|text|ortho|speak|spreek|sprach|talk|ipu|turn|fala|habla"),
)
_SEPARATORS = re.compile(r"[-_@.: ]+")


def propose_tiers(root: Any) -> dict[str, str]:
    """Return a map from tiers of a document to REX tiers: the speaker with the most annotated words is the solver, the next one the operator."""
    roles = {name: role for tier in root.iterfind("TIER") if (name := tier.get("TIER_ID")) and (role := _role(name))}
    speakers = {name: _speaker(root, name) for name in roles}
    counts: dict[str, int] = {}
    for tier in root.iterfind("TIER"):
        name = tier.get("TIER_ID")
        if roles.get(name) in ("UT", "REX"):
            counts[speakers[name]] = counts.get(speakers[name], 0) + len(tier)
    ranked = sorted(counts, key=lambda speaker: -counts[speaker])
    prefixes = dict(zip(ranked, ("SV", "OP"), strict=False))
    proposal: dict[str, str] = {}
    has_expressions = {speakers[name] for name, role in roles.items() if role == "REX"}
    for name, role in roles.items():
        prefix = prefixes.get(speakers[name], "SV" if len(ranked) < 2 else "")
        if role in ("Action", "Mouse"):
            new = role
        elif not prefix:
            continue
        elif role in ("Ref", "Attr"):
            # Without expressions the referents are those of whole utterances.
            new = f"{prefix}-{'REX' if speakers[name] in has_expressions else 'UT'}-{role}"
        else:
            new = f"{prefix}-{role}"
        if new not in proposal.values():
            proposal[name] = new
    return proposal


def _role(name: str) -> str | None:
    words = " ".join(_SEPARATORS.split(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))).lower()
    return next((role for role, pattern in _ROLES if re.search(pattern, words)), None)


def _speaker(root: Any, name: str) -> str:
    """Return whose tier it is: the participant that it names, else that of its parent, else what its name begins or ends with."""
    tier = next(t for t in root.iterfind("TIER") if t.get("TIER_ID") == name)
    if tier.get("PARTICIPANT"):
        return str(tier.get("PARTICIPANT"))
    if tier.get("PARENT_REF"):
        return _speaker(root, tier.get("PARENT_REF"))
    parts = [part for part in _SEPARATORS.split(name) if part]
    return next((part for part in (parts[0], parts[-1]) if _role(part) is None), "")
