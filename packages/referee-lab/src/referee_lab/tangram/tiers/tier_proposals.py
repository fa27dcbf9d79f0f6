"""Which tiers of a foreign ELAN or TextGrid file may be utterances, expressions, referents and actions: proposed by names and contents, for people to check."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from referee_lab.tangram.tiers.eaf import list_annotation_spans

# A tier that is called *Beside* has no role. Names of tiers in English, German, Dutch, Spanish, Portuguese, French and Japanese files; the first match decides.
_ROLES: tuple[tuple[str, str, str], ...] = (
    (
        "Beside",
        r"translat\w*|gloss\w*|comments?|notes?|remarks?|pos|lemmas?|gestures?|roles?|rollen|übersetz\w*|kommentar\w*|anmerk\w*|gesten?"
        r"|tradu\w*|coment\w*|notas?|gestos?|comment\w*|gestes?|vertaling\w*|opmerking\w*|gebaren",
        "翻訳|訳|注釈|備考|ジェスチャー",
    ),
    ("Attr", r"attr\w*|codes?|labels?|features?|merkmal\w*", "属性"),
    (
        "Ref",
        r"referen(?:t|te|ten|ts|tes)|réfé?rent\w*|refs?|refobj\w*|obj\w*|targets?|pieces?|entit\w*|items?|gegenst\w*",
        "指示対象|参照先|対象",
    ),
    (
        "REX",
        r"rex|refexp?s?|refer\w*|r[eé]f[eé]r\w*|verwijz\w*|mentions?|phrases?|expr\w*|nps?|sns?|sintagma\w*|syntagme\w*|ausdr\w*|nennung\w*|erwähn\w*",
        "指示|表現|言及",
    ),
    ("Action", r"actions?|acts?|handl\w*|handel\w*|manipul\w*|acci\w*|aç\w*|aktion\w*", "動作|操作|行為"),
    ("Mouse", r"mouse|maus|cursor\w*|point\w*|hands?|händ\w*|manos?|mains?|mãos?", "マウス|カーソル|手"),
    ("Gaze", r"gaze|eyes?|blick\w*|mirada\w*|regard", "視線"),
    (
        "UT",
        r"utt\w*|speech|speak\w*|trans[ck]r\w*|words?|wörter|text\w*|ortho\w*|spreek\w*|sprech\w*|sprach\w*|talk|ipus?|turns?"
        r"|tokens?|spraak|fala|habla|äußer\w*|aeusser\w*|uiting\w*|enunciad\w*|énonc\w*|parole",
        "発話|話者|転写|音声|単語",
    ),
)
# What holds for more of the annotations than this holds for a tier.
MOST = 0.8
# Of phrases more are in the utterances at their times; of names of objects fewer, which pronouns refer to as well.
SAID = 0.6
_PATTERNS = {role: re.compile(rf"(?<![^\W\d_])(?:{latin})(?![^\W\d_])|{japanese}") for role, latin, japanese in _ROLES}


@dataclass(slots=True)
class _Tier:
    """A tier of a file from another program: its speaker, its values, and its possible role."""

    name: str
    parent: str | None
    speaker: str
    spans: list[tuple[float, float, str]]
    listed: bool
    role: str | None
    # Whether the file says whose tier it is, and not only its name.
    is_signed: bool

    @property
    def values(self) -> list[str]:
        """What the annotations say, in their order."""
        return [value for _, _, value in self.spans]

    @property
    def words(self) -> float:
        """How many words an annotation has on average; in languages without blanks, characters by three."""
        lengths = [max(len(v.split()), 0 if v.isascii() else len(v) / 3) for v in self.values]
        return sum(lengths) / len(lengths) if lengths else 0.0


def propose_tiers(root: Any) -> dict[str, str]:
    """Return a map from tiers of a document to REX tiers: of two speakers, the one with more annotated words is the solver.

    Names decide first. Where they do not, texts of several words are utterances; of two such tiers the shorter texts are words. Values that are in the
    utterances are expressions, values that are not are referents.
    """
    tiers = _read_tiers(root)
    _join_by_content(tiers)
    for tier in sorted(tiers, key=lambda t: -t.words):
        speaks = any(t.role == "UT" for t in tiers if t.speaker == tier.speaker)
        if tier.role is None and not tier.listed and not speaks and tier.words >= 1.5:
            tier.role = "UT"
    speakers = list(dict.fromkeys(t.speaker for t in tiers))
    for speaker in speakers:
        _settle_by_content([t for t in tiers if t.speaker == speaker])
    # Without utterances the expressions tell who speaks.
    spoken = "UT" if any(t.role == "UT" for t in tiers) else "REX"
    counts = {s: sum(t.words * len(t.values) for t in tiers if t.speaker == s and t.role == spoken) for s in speakers}
    ranked = sorted((s for s in speakers if counts[s]), key=lambda s: -counts[s])
    prefixes = dict(zip(ranked, ("SV", "OP") if len(ranked) < 3 else map(make_tier_prefix, ranked), strict=False))
    roles_by_name = {t.name: t.role for t in tiers}
    proposal: dict[str, str] = {}
    for tier in tiers:
        new = _propose_rex_name(tier, tiers, prefixes, roles_by_name)
        # A tier that has the name already keeps it.
        is_free = new == tier.name or new not in roles_by_name
        if new is not None and is_free and new not in proposal.values():
            proposal[tier.name] = new
    return proposal


def _join_by_content(tiers: Sequence[_Tier]) -> None:
    """Decide whose a tier is that only its name assigns, to a speaker without utterances: what is said in an utterance is its speaker's.

    So are the labels of what a speaker said.
    """
    for tier in sorted(tiers, key=lambda t: -t.words):
        if tier.is_signed or any(t.role == "UT" and t.speaker == tier.speaker and t is not tier for t in tiers):
            continue
        longer = [t for t in tiers if t.role in (None, "UT") and not t.listed and t.words > tier.words]
        around = max(longer, key=lambda t: _share_in(tier, t, True), default=None)
        if around is not None and _share_in(tier, around, True) > MOST:
            around.role = "UT"
            for part in (tier, *(t for t in tiers if t.parent == tier.name)):
                part.speaker = around.speaker
            if tier.role in (None, "UT"):
                tier.role = "Words" if len(tier.spans) > MOST * around.words * len(around.spans) else "REX"
    for tier in tiers:
        if tier.is_signed or tier.role not in (None, "Ref", "Attr"):
            continue
        marked = [t for t in tiers if t.role == "REX" and _share_in(tier, t) > MOST]
        if beside := max(marked, key=lambda t: _share_in(t, tier), default=None):
            tier.speaker = beside.speaker
            has_referents = any(t.role == "Ref" and t.speaker == tier.speaker for t in tiers)
            tier.role = tier.role or (None if has_referents else "Ref")


def _share_in(tier: _Tier, other: _Tier, has_words: bool = False) -> float:
    """Return the share of a tier's annotations whose middle is in an annotation of the other, and whose words are in its words."""
    starts = [start for start, _, _ in other.spans]
    inside = 0
    for start, end, value in tier.spans:
        middle = (start + end) / 2
        index = bisect_right(starts, middle) - 1
        if index >= 0 and middle <= other.spans[index][1]:
            inside += not has_words or value.casefold().strip() in other.spans[index][2].casefold()
    return inside / len(tier.spans) if tier.spans else 0.0


def _propose_rex_name(
    tier: _Tier, tiers: Iterable[_Tier], prefixes: dict[str, str], roles_by_name: dict[str, str | None]
) -> str | None:
    """Return the REX name that a tier most probably corresponds to; None if there is none."""
    if tier.role in ("Action", "Mouse", "Gaze"):
        return tier.role
    if tier.role == "Ref" and (roles_by_name.get(tier.parent or "") == "Action" or tier.speaker not in prefixes):
        return "Target" if "Action" in roles_by_name.values() else None
    if tier.role in (None, "Beside") or tier.speaker not in prefixes:
        return None
    prefix = prefixes[tier.speaker]
    if tier.role not in ("Ref", "Attr"):
        return f"{prefix}-{tier.role}"
    # Without expressions the referents are those of whole utterances.
    has_expressions = any(t.role == "REX" for t in tiers if t.speaker == tier.speaker)
    return f"{prefix}-{'REX' if has_expressions else 'UT'}-{tier.role}"


def _settle_by_content(tiers: list[_Tier]) -> None:
    """Assign the roles of one speaker's tiers by content: utterances or words, expressions or referents."""
    texts = sorted((t for t in tiers if t.role == "UT"), key=lambda t: -t.words)
    for tier in texts[1:]:
        tier.role = "Words" if tier.words < 1.5 else None
    for tier in tiers if texts and not any(t.role == "REX" for t in tiers) else ():
        # Parts of utterances, which are not their single words.
        is_part = tier.words < texts[0].words and len(tier.spans) < MOST * texts[0].words * len(texts[0].spans)
        if tier.role is None and not tier.listed and is_part and _share_in(tier, texts[0], has_words=True) > MOST:
            tier.role = "REX"
    for role, other in (("REX", "Ref"), ("Ref", "REX")):
        if any(t.role == other for t in tiers):
            continue
        same = [t for t in tiers if t.role == role]
        shares = [_share_in(t, texts[0], has_words=True) if texts else 0.0 for t in same]
        for tier, share in zip(same, shares, strict=True):
            # One word may be in both: *sofa* is said, and it is the name of the sofa.
            is_most = share == max(shares) > min(shares)
            is_phrase = not tier.listed and share > SAID and (role == "REX" or tier.words >= 1.5 or is_most)
            has_marks = sum(value.endswith(("]", "}")) for value in tier.values) > len(tier.values) / 2
            if texts and (is_phrase or has_marks) != (role == "REX"):
                tier.role = other
    marked = next((t for t in tiers if t.role == "REX"), None)
    if marked is not None and not any(t.role == "Ref" for t in tiers):
        # Labels of the expressions that recur, as objects do.
        labels = [t for t in tiers if t.role is None and min(_share_in(t, marked), _share_in(marked, t)) > MOST]
        labels = [t for t in labels if t.listed or len(set(t.values)) < len(t.values)]
        if len(labels) == 1:
            labels[0].role = "Ref"


def _read_tiers(root: Any) -> list[_Tier]:
    """Return the tiers of a file with samples of their values."""
    elements = {t.get("TIER_ID"): t for t in root.iterfind("TIER") if t.get("TIER_ID")}
    listed = {t.get("LINGUISTIC_TYPE_ID") for t in root.iterfind("LINGUISTIC_TYPE[@CONTROLLED_VOCABULARY_REF]")}
    values, spans = read_annotation_values(root), list_annotation_spans(root)
    return [
        _Tier(
            name=name,
            parent=element.get("PARENT_REF"),
            speaker=_find_speaker(elements, name),
            spans=sorted(
                (*spans[id], values[id])
                for a in element.iterfind("ANNOTATION/*")
                if values[id := a.get("ANNOTATION_ID")] and id in spans
            ),
            is_signed=bool(element.get("PARTICIPANT")) or element.get("PARENT_REF") in elements,
            listed=element.get("LINGUISTIC_TYPE_REF") in listed,
            role=next((role for role, pattern in _PATTERNS.items() if pattern.search(_split_name(name))), None),
        )
        for name, element in elements.items()
    ]


def read_annotation_values(root: Any) -> dict[str, str]:
    """Return the value of every annotation by its id.

    Where only an entry of a controlled vocabulary is named, that of the entry.
    """
    entries = {
        entry.get("CVE_ID"): (entry.findtext("CVE_VALUE") or entry.text or "").strip()
        for entry in root.iterfind("CONTROLLED_VOCABULARY/*")
    }
    return {
        a.get("ANNOTATION_ID"): a.findtext("ANNOTATION_VALUE") or entries.get(a.get("CVE_REF"), "")
        for a in root.iterfind("TIER/ANNOTATION/*")
    }


def _split_name(name: str) -> str:
    """Return a name as words in lower case: *SpeakerA_NP1* is *speaker a np 1*."""
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[^\W\d_])(?=\d)", " ", name)
    return re.sub(r"[-_@.:/ ]+", " ", apart).lower().strip()


def _find_speaker(elements: dict[str, Any], name: str) -> str:
    """Return the speaker of a tier: its participant, its parent's, or the rest of its name."""
    tier = elements[name]
    if tier.get("PARTICIPANT"):
        return str(tier.get("PARTICIPANT"))
    if tier.get("PARENT_REF") in elements:
        return _find_speaker(elements, tier.get("PARENT_REF"))
    rest = _split_name(name)
    for pattern in _PATTERNS.values():
        rest = pattern.sub(" ", rest)
    return re.sub(r" (?=\d)", "", " ".join(rest.split()))


def make_tier_prefix(speaker: str) -> str:
    """Return how the names of a speaker's tiers begin."""
    return re.sub(r"\W+", "_", speaker).strip("_") or "speaker"
