"""The classic selection algorithms as systems with names; what they are is in `referee.selection`.

Year and team are those of the paper. Full Brevity, Greedy, Incremental, Relational, Boolean and plain RSA need no training.
"""

from __future__ import annotations

from referee.contracts import Selector
from referee.selection.costs import KMeansCosts, StochasticCosts
from referee.selection.full_brevity import FullBrevity
from referee.selection.graph import GraphSearch
from referee.selection.greedy import Greedy
from referee.selection.incremental import Incremental
from referee.selection.learned_rational import LearnedRationalSpeaker
from referee.selection.overspecification import Overspecification
from referee.selection.plural import BooleanDescriptions, Partitioned
from referee.selection.rational import RationalSpeaker
from referee.selection.relational import Relational
from referee.systems.entries import FAITHFUL, MEDIUM, Row, build
from referee.systems.speaker import Composed

__all__ = ["TABLE", "selector", "system"]

# fmt: off
TABLE: dict[str, Row] = {
    "full-brevity": Row("Dale", FAITHFUL, FullBrevity, year=1989),
    "greedy": Row("Dale", FAITHFUL, Greedy, year=1989),
    "relational": Row("Dale & Haddock", FAITHFUL, Relational, year=1991),
    "incremental": Row("Dale & Reiter", FAITHFUL, Incremental, year=1995),
    "incremental.frequency": Row("Dale & Reiter", FAITHFUL, Incremental, {"order": "frequency"}, year=1995),
    "boolean": Row("van Deemter", FAITHFUL, BooleanDescriptions, year=2002),
    "graph": Row("Krahmer, van Erk & Verleg", FAITHFUL, GraphSearch, {"costs": StochasticCosts(), "order": "cost", "head": "last"}, year=2003),
    "graph.kmeans": Row("Theune et al.", FAITHFUL, GraphSearch, {"costs": KMeansCosts(), "order": "prior", "head": "first"}, year=2011),
    "partitioned": Row("Gatt & van Deemter", FAITHFUL, Partitioned, year=2007),
    "pro": Row("van Gompel et al.", MEDIUM, Overspecification, year=2019),
    "rsa": Row("Monroe & Potts", FAITHFUL, RationalSpeaker, year=2015),
    "rsa.learned": Row("Monroe & Potts", FAITHFUL, LearnedRationalSpeaker, year=2015),
}
# fmt: on


def selector(name: str) -> Selector:
    """A classic algorithm, untrained."""
    return build(TABLE, name)


def system(name: str, distribution: bool = False) -> Composed:
    """A classic algorithm as a speaker; `distribution` reports probabilities where it has them."""
    return Composed(selector(name), distribution=distribution)
