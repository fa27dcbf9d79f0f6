"""Adam (Kingma & Ba 2015) with a rate that warms up and then falls as a cosine, for the small networks that are trained here in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Weights = dict[str, Floats]
WARM_UP = 200
FIRST, SECOND, TINY = 0.9, 0.99, 1e-8


class Adam:
    """The Adam optimiser; updates weights in place.

    `rate` is the highest learning rate, `decay` the weight decay, `steps` the total number of steps.
    """

    def __init__(self, weights: Weights, rate: float, decay: float, steps: int) -> None:
        self.weights, self.rate, self.decay, self.steps = weights, rate, decay, max(1, steps)
        self.warm = min(WARM_UP, self.steps // 5 + 1)
        self.step = 0
        self.slow: Weights = {k: np.zeros_like(w) for k, w in weights.items()}
        self.spread: Weights = {k: np.zeros_like(w) for k, w in weights.items()}

    def move(self, slopes: Mapping[str, Floats]) -> None:
        """One step down."""
        self.step += 1
        step, slow, spread = self.step, self.slow, self.spread
        rate = self.rate * min(1.0, step / self.warm) * 0.5 * (1 + np.cos(np.pi * step / self.steps))
        for key, weight in self.weights.items():
            slope = slopes[key] + np.float32(self.decay) * weight
            slow[key] += np.float32(1 - FIRST) * (slope - slow[key])
            spread[key] += np.float32(1 - SECOND) * (slope * slope - spread[key])
            towards = slow[key] / (1 - FIRST**step) / (np.sqrt(spread[key] / (1 - SECOND**step)) + TINY)
            weight -= (rate * towards).astype(np.float32)
