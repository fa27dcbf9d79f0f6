"""A simulated speaker with human rates of over- and under-specification.

Probabilities of each attribute when needed and when not.

The probabilities are those of the TUNA corpus, release 1.0. Speakers differ: on the latent (probit) scale each has a
normal deviation for each habit, and the scale is widened so that the mean over speakers equals the published number:
probability = Φ(√(1+σ²)·Φ⁻¹(p) + σ·z).
"""

from __future__ import annotations

from functools import cache
from math import erfc, inf, sqrt
from random import Random
from statistics import NormalDist
from typing import NamedTuple

from referee.corpora.synthetic.invented_scenes import Design, Domain, draw_below
from referee.records import Entity, Property


class Habit(NamedTuple):
    """The rates of mentioning an attribute (or one value of it).

    Needed or not, and the same in descriptions with a location.
    """

    domain: str
    attribute: str
    value: str | None
    needed: float
    spare: float
    needed_beside_location: float
    spare_beside_location: float


# Furniture without location: 262 descriptions, over- and under-specification as counted for the corpus (colour 146/157 and 99/105, size 118/148 and
# 6/114, orientation 92/133 and 16/129, type 254/262). Everything else: counted in the 780 singular trials of release 1.0, whatever the value said
# (161 furniture and 144 people descriptions with a location, 216 people descriptions without). Hair colour was never strictly needed there; 51/68
# is its use where it is one of several smallest descriptions. Attributes with value 0 are not said (hasHair apart), nor are those not listed.
HABITS: tuple[Habit, ...] = (
    Habit("furniture", "type", None, 0.97, 0.97, 153 / 161, 153 / 161),
    Habit("furniture", "colour", None, 0.93, 0.94, 60 / 86, 55 / 75),
    Habit("furniture", "size", None, 0.80, 0.05, 9 / 94, 3 / 67),
    Habit("furniture", "orientation", None, 0.69, 0.12, 7 / 109, 2 / 52),
    Habit("people", "type", None, 201 / 216, 201 / 216, 127 / 144, 127 / 144),
    Habit("people", "age", None, 8 / 68, 15 / 148, 0.0, 0.0),
    Habit("people", "hairColour", None, 51 / 68, 40 / 148, 15 / 144, 15 / 144),
    Habit("people", "hasHair", "1", 36 / 180, 36 / 180, 5 / 120, 5 / 120),
    Habit("people", "hasHair", "0", 10 / 36, 10 / 36, 1 / 24, 1 / 24),
    Habit("people", "hasBeard", "1", 72 / 73, 54 / 71, 13 / 47, 12 / 49),
    Habit("people", "hasGlasses", "1", 73 / 75, 50 / 70, 8 / 45, 12 / 50),
    Habit("people", "orientation", None, 2 / 36, 7 / 180, 0.0, 0.0),
    Habit("people", "hasSuit", "1", 2 / 70, 2 / 70, 2 / 50, 2 / 50),
    Habit("people", "hasShirt", "1", 3 / 181, 3 / 181, 0.0, 0.0),
    Habit("people", "hasTie", "1", 2 / 70, 2 / 70, 0.0, 0.0),
)

# Descriptions with a location among the 210 furniture and 180 people trials of each condition.
LOCATION = {
    "furniture": {"+LOC": 107 / 210, "-LOC": 54 / 210},
    "people": {"+LOC": 96 / 180, "-LOC": 48 / 180},
}
# Both axes, the row alone, the column alone: 92, 49 and 17 furniture descriptions, 103, 29 and 9 of people.
AXES = {"furniture": (92 / 158, 49 / 158), "people": (103 / 141, 29 / 141)}

# Location divides people: 27 of 60 never mention it in 13 trials, others always do.
SPREAD, LOCATION_SPREAD = 1.0, 3.0
_NORMAL, _ROOT_2 = NormalDist(), sqrt(2)

# Property, place of its habit in HABITS, and 1 where the attribute is not needed.
Plan = tuple[tuple[Property, int, int], ...]


def list_rates(design: Design) -> Plan:
    """Return the expressible properties of a scene's target with their rates."""
    target = design.looks[design.target]
    return tuple(
        (prop, i, int(prop.name not in design.minimal))
        for prop in target
        for i, habit in enumerate(HABITS)
        if habit.domain == design.domain.name and habit.attribute == prop.name and habit.value in (None, prop.value)
    )


def _draw_normal(rng: Random) -> float:
    """Return a standard normal random number from one call of `random()`, cut off in the far tails."""
    return _NORMAL.inv_cdf(min(max(rng.random(), 1e-9), 1 - 1e-9))


def _widen_probability(chance: float, spread: float) -> float:
    """Return a probability on the latent scale, widened so that speakers with deviation `spread` have it as their mean;
    -inf for 0.
    """
    return sqrt(1 + spread * spread) * _NORMAL.inv_cdf(chance) if chance > 0 else -inf


@cache
def _draw_latent_habits(spread: float) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(_widen_probability(chance, spread) for chance in habit[3:]) for habit in HABITS)


@cache
def _draw_latent_location(condition: str, spread: float) -> dict[str, float]:
    return {domain: _widen_probability(chances[condition], spread) for domain, chances in LOCATION.items()}


def _compute_chance(latent: float) -> float:
    # erfc keeps its digits in the lower tail, where 1 + erf cancels.
    return 0.5 * erfc(-latent / _ROOT_2)


class SimulatedSpeaker:
    """One speaker; `individuality` scales the differences between speakers (0: none), `slips` is the probability of a
    false value.
    """

    def __init__(self, condition: str, individuality: float, slips: float, rng: Random) -> None:
        self.condition, self.slips, self.rng = condition, slips, rng
        spread = LOCATION_SPREAD * individuality
        shift = spread * _draw_normal(rng)
        self._location = {d: _compute_chance(x + shift) for d, x in _draw_latent_location(condition, spread).items()}
        spread = SPREAD * individuality
        self._chances = []
        for latents in _draw_latent_habits(spread):
            # One deviation for all four chances of a habit: who likes to say colours says them needed or not.
            shift = spread * _draw_normal(rng)
            self._chances.append([_compute_chance(x + shift) for x in latents])

    def choose(self, domain: Domain, sayable: Plan, target: Entity) -> list[Property]:
        """Return the properties for a target; the type if no other was chosen."""
        draw, chances = self.rng.random, self._chances
        located = draw() < self._location[domain.name]
        # The columns of a habit: needed, spare, then the same two beside a location.
        beside = 2 if located else 0
        mentioned = [prop for prop, habit, spare in sayable if draw() < chances[habit][beside + spare]]
        if self.slips:
            mentioned = [self._misname(prop, domain) for prop in mentioned]
        if located:
            mentioned += self._choose_coordinates(domain, target)
        return mentioned or [target.attributes[0]]

    def _choose_coordinates(self, domain: Domain, target: Entity) -> list[Property]:
        """Return the mentioned coordinates of the target."""
        x, y = target.attributes[-2:]
        both, row = AXES[domain.name]
        chance = self.rng.random()
        return [y, x] if chance < both else [y] if chance < both + row else [x]

    def _misname(self, prop: Property, domain: Domain) -> Property:
        """Return the property, or with a small probability one with another value of the attribute."""
        if self.rng.random() >= self.slips:
            return prop
        others = [v for v in domain.values[prop.name] if v != prop.value]
        return Property(prop.name, others[draw_below(len(others), self.rng)]) if others else prop
