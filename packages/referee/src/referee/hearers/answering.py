"""The answers of all simulated hearers.

How a description is interpreted, and which outcome follows from the probabilities.

A hearer distributes one unit of probability over the entities of the scene and two further answers, ``several`` and
``none``. The highest probability wins. If it belongs to ``none`` or ``several``, that is the outcome, also in a tie
with an entity. If entities tie, the outcome is SEVERAL, with these entities as the chosen set. A meaning that is more
than a conjunction is interpreted literally: its denotation is chosen. An empty description gives DONT_KNOW, words
without a known one give UNPARSABLE; in both cases the probabilities are equal over the entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self

from referee.errors import InvalidDescription
from referee.meaning import is_plain
from referee.metrics.wordnet import WordNet
from referee.records import Description, HearerView, Outcome, Property, Response, Scene, SceneNotes, Trial

SEVERAL, NONE = "several", "none"
PSEUDO = (SEVERAL, NONE)
# Probabilities are products and sums: equal ones may differ in their last bits.
TIE = 1e-9
WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")

# Articles, pronouns, prepositions, conjunctions and forms of "be" and "have": the words that name no property.
_FUNCTION_WORDS = frozenset(
    """
    the a an this that these those it its he she they his her their one ones of in on at to from with without by for and or but not no is are
    was be has have which who that's it's as than der die das den dem des ein eine einen einem einer und oder mit ohne von vom im am auf zu zum
    zur ist sind hat der's welche welcher nicht kein keine le la les l un une du de d et ou avec sans à au aux dans sur est sont qui que pas el
    los las unos unas del y o con sin al en es son um uma os do da dos e com sem na ao é são het een met zonder van op aan te bij dat niet geen
    """.split()  # noqa: SIM905
)

Pair = tuple[Description, HearerView]
_PLAIN: SceneNotes[str, bool] = SceneNotes("hearers.plain")
_LEXICA: SceneNotes[str, dict[str, Property]] = SceneNotes("hearers.words")


class Listener:
    """The base of simulated hearers.

    Those that need no training are trained at once, and several questions are answered in turn.

    `learns` is whether `fit` makes a difference; such a hearer must not be tested on trials of its training.
    `reads_values` is whether the words that it understands are the values of the scene (see `understand`).
    """

    name: str
    learns: bool = False
    reads_values: bool = False

    def understood(self, description: Description, scene: Scene) -> float | None:
        """Return the proportion of a text's content words that the hearer understands; None where it cannot say."""
        return compute_understood_share(description, scene) if self.reads_values else None

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Return the hearer unchanged, because it needs no training."""
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the answer to one description."""
        raise NotImplementedError(f"{type(self).__name__} must define resolve()")

    def resolve_many(self, pairs: Sequence[Pair]) -> list[Response]:
        """Return the answers to many descriptions, in order; the same words in the same view are answered once."""
        responses: dict[tuple[object, ...], Response] = {}
        result = []
        for description, view in pairs:
            # By identity, for two views of a trial may be shuffled differently.
            key = (id(view), description.properties, description.text, description.meaning)
            response = responses.get(key)
            if response is None:
                response = responses[key] = self.resolve(description, view)
            result.append(response)
        return result


def decide(shares: Sequence[float], several: float = 0.0, none: float = 0.0) -> tuple[Outcome, int | None]:
    """Return the outcome, and the index of the entity if it is one, by the rule of this module."""
    edge = max(*shares, several, none) * (1 - TIE) if shares else max(several, none) * (1 - TIE)
    if none >= edge:
        return Outcome.NONE, None
    if several >= edge:
        return Outcome.SEVERAL, None
    first = [share for share in shares if share >= edge]
    return (Outcome.ENTITY, shares.index(first[0])) if len(first) == 1 else (Outcome.SEVERAL, None)


def answer(
    hearer: str,
    view: HearerView,
    shares: Sequence[float],
    several: float = 0.0,
    none: float = 0.0,
    flags: tuple[str, ...] = (),
) -> Response:
    """Return a response from shares of belief in the order of the view's entities.

    They are brought to a sum of 1.
    """
    entities = view.scene.entities
    total = sum(shares) + several + none
    # "Not above 0" and not "at most 0", so that NaN is included.
    if not total > 0:
        shares, several, none, total = [0.0] * len(entities), 0.0, 1.0, 1.0
    outcome, place = decide(shares, several, none)
    probabilities = [(e.id, share / total) for e, share in zip(entities, shares, strict=True)]
    if several or none:
        _check_names(view.scene)
        if several:
            probabilities.append((SEVERAL, several / total))
        if none:
            probabilities.append((NONE, none / total))
    edge = max(shares, default=0.0) * (1 - TIE)
    is_set = outcome is Outcome.SEVERAL and edge > several
    return Response(
        trial=view.id,
        hearer=hearer,
        outcome=outcome,
        entity=None if place is None else entities[place].id,
        probabilities=tuple(probabilities),
        flags=flags,
        entities=tuple(e.id for e, share in zip(entities, shares, strict=True) if share >= edge) if is_set else (),
    )


def answer_literally(hearer: str, view: HearerView, left: int) -> Response:
    """Choose the entities of a bit set, each with the same belief; none of them is the answer "none"."""
    even = 1 / left.bit_count() if left else 0.0
    shares = [even if left >> i & 1 else 0.0 for i in range(len(view.scene.entities))]
    return answer(hearer, view, shares, none=0.0 if left else 1.0)


def has_structure(description: Description) -> bool:
    """Return whether a description has a meaning that a list of properties cannot express."""
    return description.meaning is not None and not is_plain(description.meaning)


def make_undecided_response(hearer: str, view: HearerView, outcome: Outcome, flags: tuple[str, ...] = ()) -> Response:
    """Return a response without an entity and with equal probabilities for all entities."""
    entities = view.scene.entities
    even = 1 / len(entities) if entities else 0.0
    probabilities = tuple((e.id, even) for e in entities) or ((NONE, 1.0),)
    return Response(trial=view.id, hearer=hearer, outcome=outcome, probabilities=probabilities, flags=flags)


def _check_names(scene: Scene) -> None:
    """Raise InvalidDescription for an entity with the id of an answer."""
    if [e for e in scene.entities if e.id in PSEUDO]:
        raise InvalidDescription(
            f"an entity of scene {scene.id!r} is called like an answer (several or none)",
            remedy="give the entity another id",
        )


def understand(
    description: Description, scene: Scene, synonyms: WordNet | None = None
) -> tuple[Property, ...] | Outcome:
    """Return the properties that an untrained hearer understands, or the outcome if there are none.

    Properties are used unchanged. Of words it understands those that are values of exactly one attribute of the scene,
    the longest value first, and with WordNet those that share a sense with one such value; it ignores the others.
    """
    if description.properties is not None:
        return description.properties
    words = split_words(description.text or "")
    if not words:
        return Outcome.UNPARSABLE if (description.text or "").strip() else Outcome.DONT_KNOW
    expressed = tuple(dict.fromkeys(_find_properties(words, _make_lexicon(scene), synonyms)))
    return expressed or Outcome.UNPARSABLE


def _find_properties(
    words: Sequence[str], lexicon: Mapping[str, Property], synonyms: WordNet | None = None
) -> Iterator[Property]:
    """Return the properties that words name, in order; "green monster" is one value if the scene has it."""
    longest = max((value.count(" ") + 1 for value in lexicon), default=1)
    start = 0
    while start < len(words):
        for length in range(min(longest, len(words) - start), 0, -1):
            prop = lexicon.get(" ".join(words[start : start + length]))
            if prop is not None:
                yield prop
                break
        else:
            length = 1
            if (prop := _find_synonymous_property(words[start], lexicon, synonyms)) is not None:
                yield prop
        start += length


def _find_synonymous_property(word: str, lexicon: Mapping[str, Property], synonyms: WordNet | None) -> Property | None:
    """Return the only property whose value shares a sense with a word, or has it as an inflected form."""
    if synonyms is None or word in lexicon or word in _FUNCTION_WORDS:
        return None
    matches = {prop for value, prop in lexicon.items() if synonyms.share_sense(word, value.replace(" ", "_"))}
    return matches.pop() if len(matches) == 1 else None


def find_understood_words(description: Description, scene: Scene, synonyms: WordNet | None = None) -> list[bool]:
    """Return for every word of a description, whether a hearer without training understands it (all of its properties, where it has them)."""
    if description.properties is not None:
        return [True] * len(description.properties)
    words, lexicon = split_words(description.text or ""), _make_lexicon(scene)
    known = {word for prop in _find_properties(words, lexicon) for word in prop.value.lower().split()}
    return [word in known or _find_synonymous_property(word, lexicon, synonyms) is not None for word in words]


def compute_understood_share(description: Description, scene: Scene, synonyms: WordNet | None = None) -> float | None:
    """Return the proportion of a text's content words that a hearer without training understands; None without a text to understand."""
    if description.properties is not None or description.meaning is not None:
        return None
    known = find_understood_words(description, scene, synonyms)
    content = [
        is_known
        for word, is_known in zip(split_words(description.text or ""), known, strict=True)
        if word not in _FUNCTION_WORDS
    ]
    return sum(content) / len(content) if content else None


def denote(expressed: Sequence[Property], scene: Scene) -> int:
    """Return `scene.denotation`, computed faster for plain properties of a scene without relations."""
    notes = _PLAIN.of(scene)
    plain = notes.get("plain")
    if plain is None:
        plain = not any(e.relations for e in scene.entities) and all(p.value for p in scene.extensions)
        notes["plain"] = plain
    if not plain:
        return scene.denotation(expressed)
    denotation, extensions = scene.everything, scene.extensions
    for prop in expressed:
        mask = extensions.get(prop)
        if mask is None:
            # No plain value of the scene: perhaps a landmark's property or a relation, which the scene itself reads.
            return scene.denotation(expressed)
        denotation &= mask
    return denotation


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case and without punctuation."""
    return WORD.findall(text.lower())


def _make_lexicon(scene: Scene) -> dict[str, Property]:
    """Return the words that name one property of the scene.

    A value of two attributes is ambiguous and left out.
    """
    notes = _LEXICA.of(scene)
    lexicon = notes.get("words")
    if lexicon is None:
        meanings: dict[str, set[Property]] = {}
        for prop in scene.extensions:
            # 0, 1 and numbers of cells are values, but no words for them.
            if any(map(str.isalpha, prop.value)):
                meanings.setdefault(prop.value.lower(), set()).add(prop)
        lexicon = notes["words"] = {word: props.pop() for word, props in meanings.items() if len(props) == 1}
    return lexicon
