"""The noisy hearer.

Literal, but with perceptual errors, graded sizes and positions, and salience-based guesses (after the graded
semantics of Degen et al. 2020).

Each entity appears to have property p with probability ``noise + (1 - 2·noise)·likeness``; likeness is 1 or 0, except
for gradable attributes, where it is ``exp(-d²/2·spread²)`` with d the distance of the two values as a share of the
scene's range. If one entity appears to fit, it is the answer; several give ``several``, none gives ``none``. A part
(`guess`) of both becomes a guess by fit and salience. Without noise, without salience and with guess 1 this is the
literal hearer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import exp, isfinite, prod

from referee.errors import InputError
from referee.hearers.answering import (
    Listener,
    answer,
    answer_literally,
    has_structure,
    make_undecided_response,
    understand,
)
from referee.records import LANDMARKS, NOTHING, Description, HearerView, Outcome, Property, Response, Scene, SceneNotes
from referee.signature import signature

SIZES = frozenset({"size", "height", "width"})
PLACES = frozenset({"location", "x", "y", "x-dimension", "y-dimension"})
WORDS = ("tiny", "small", "medium", "large", "huge"), ("left", "centre", "right"), ("top", "middle", "bottom")
SCALE = {word: float(i) for words in WORDS for i, word in enumerate(words)} | {"big": 3.0, "center": 1.0}
GRADED = SIZES | PLACES
# A fit of exactly 1 would be divided by 0 in `_observe_entities`.
NEARLY_SURE = 1 - 1e-12
_SEEN: SceneNotes[str, dict[Property | str, Sequence[float]]] = SceneNotes("hearers.seen")
Extensions = Mapping[Property, int]


@dataclass(eq=False, repr=False)
class Noisy(Listener):
    """A literal hearer with imperfect perception.

    `noise` is the error rate of attributes; sizes and positions have their own, and `noises` overrides all by attribute
    name. Noise lies between 0 and 0.5. `spread` is the width of gradable likeness; `salience` the weight of salience in
    a guess (0: none); `guess` the share of cases with several or no fitting entities in which the hearer points. The
    defaults are plausible, not fitted: a passport measures them.
    """

    name = "noisy"
    reads_values = True

    noise: float = 0.05
    size_noise: float = 0.1
    place_noise: float = 0.1
    spread: float = 0.15
    salience: float = 0.5
    guess: float = 0.5
    noises: Mapping[str, float] = field(default_factory=lambda: NOTHING)

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return probabilities from how well each entity appears to fit."""
        if description.meaning is not None and has_structure(description):
            return answer_literally(self.name, view, view.scene.denotation(description.meaning))
        properties = understand(description, view.scene)
        if isinstance(properties, Outcome):
            return make_undecided_response(self.name, view, properties)
        scene = view.scene
        notes = _SEEN.of(scene)
        seen = notes.get(self._make_key)
        if seen is None:
            seen = notes[self._make_key] = {"": self._compute_salience(scene)}
        fits = self._compute_fits(properties, scene, seen)
        return answer(self.name, view, *_observe_entities(fits, seen[""], self.guess))

    @cached_property
    def _make_key(self) -> str:
        """Return the cache key of this hearer in a scene, after checking the parameters."""
        shares = {"noise": self.noise, "size_noise": self.size_noise, "place_noise": self.place_noise, **self.noises}
        for name, value in shares.items():
            if not 0 <= value <= 0.5:
                raise InputError(f"{name} is {value}", remedy="noise lies between 0 (perfect sight) and 0.5 (blind)")
        if not self.spread > 0 or not 0 <= self.guess <= 1:
            raise InputError(
                f"spread is {self.spread} and guess {self.guess}", remedy="spread is above 0, guess from 0 to 1"
            )
        return signature(self.name, self)

    def _compute_fits(
        self, properties: Sequence[Property], scene: Scene, seen: dict[Property | str, Sequence[float]]
    ) -> list[float]:
        """Return the probability that each entity appears to have all properties.

        Relations are judged together with their landmarks.
        """
        related: list[Property] = []
        rows: list[Sequence[float]] = []
        extensions = scene.extensions
        for prop in properties:
            row = seen.get(prop)
            if row is None:
                if _is_relation(prop, extensions):
                    related.append(prop)
                    continue
                row = seen[prop] = self._compute_appearance(prop, extensions, len(scene.entities))
            rows.append(row)
        if related:
            rows.append(_make_noisy_row(scene.denotation(related), self.noise, len(scene.entities)))
        return [prod(column) for column in zip(*rows, strict=True)] if rows else [1.0] * len(scene.entities)

    def _compute_appearance(self, prop: Property, extensions: Extensions, size: int) -> Sequence[float]:
        """Return the probability that each entity appears to have a property."""
        name, value = prop
        noise = self._get_noise(name)
        target_degree = _parse_degree(value) if name in GRADED else None
        if target_degree is None:
            return _make_noisy_row(extensions.get(prop, 0), noise, size)
        return self._compute_similarities(name, target_degree, extensions, size, noise)

    def _get_noise(self, name: str) -> float:
        """Return the noise of an attribute."""
        if self.noises and name in self.noises:
            return self.noises[name]
        return self.size_noise if name in SIZES else self.place_noise if name in PLACES else self.noise

    def _compute_similarities(
        self, name: str, target_degree: float, extensions: Extensions, size: int, noise: float
    ) -> list[float]:
        """Return similarities by distance on a scale; entities without a degree get the noise level."""
        graded_values = [
            (degree, mask)
            for (owner, value), mask in extensions.items()
            if owner == name and (degree := _parse_degree(value)) is not None
        ]
        degrees = [degree for degree, _ in graded_values]
        # Where all entities and the description name one degree there is no range to divide by.
        reach = (max(*degrees, target_degree) - min(*degrees, target_degree)) * self.spread or 1.0 if degrees else 1.0
        row = [noise] * size
        for degree, mask in graded_values:
            seems = noise + (1 - 2 * noise) * exp(-(((degree - target_degree) / reach) ** 2) / 2)
            while mask:
                lowest = mask & -mask
                place = lowest.bit_length() - 1
                # An attribute may have two values; the one nearest to the description counts.
                if row[place] < seems:
                    row[place] = seems
                mask ^= lowest
        return row

    def _compute_salience(self, scene: Scene) -> list[float]:
        """Return the salience of each entity: exp of the mean share of others without its properties."""
        size = len(scene.entities)
        if not self.salience or size < 2:
            return [1.0] * size
        holders, rate = scene.extensions, self.salience / (size - 1)
        # An entity has its own properties, so of size - 1 others those lack one that are not among its holders.
        return [
            exp(rate * (size - sum([holders[p].bit_count() for p in e.attributes]) / len(e.attributes)))
            if e.attributes
            else 1.0
            for e in scene.entities
        ]


def _is_relation(prop: Property, extensions: Extensions) -> bool:
    name = prop[0]
    return (name.startswith("landmark") and LANDMARKS.match(name) is not None) or (name, "") in extensions


@lru_cache(maxsize=1 << 14)
def _make_noisy_row(mask: int, noise: float, size: int) -> tuple[float, ...]:
    seen = 1 - noise
    return tuple([seen if mask >> i & 1 else noise for i in range(size)])


@lru_cache(maxsize=4096)
def _parse_degree(value: str) -> float | None:
    """Return a gradable value as a number; None if it is none."""
    try:
        number = float(value)
    except ValueError:
        return SCALE.get(value.lower())
    return number if isfinite(number) else None


def _observe_entities(
    fits: Sequence[float], weights: Sequence[float], guess: float
) -> tuple[list[float], float, float]:
    """Return probabilities of entities, several and none from one independent observation of every entity."""
    fits = [fit if fit < NEARLY_SURE else NEARLY_SURE for fit in fits]
    none = prod([1 - fit for fit in fits])
    # Fits while all others do not, out of the product of all misses: fit / (1 - fit) puts one miss right.
    alone = [fit / (1 - fit) * none for fit in fits]
    # Rounding may leave a little less than nothing.
    several = max(0.0, 1 - none - sum(alone))
    weighted = [fit * weight for fit, weight in zip(fits, weights, strict=True)]
    total = sum(weighted)
    if not total:
        return alone, several, none
    guessed = guess * (several + none) / total
    shares = [probability + guessed * share for probability, share in zip(alone, weighted, strict=True)]
    return shares, (1 - guess) * several, (1 - guess) * none
