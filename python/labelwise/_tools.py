"""Draws from given scores, and plans before the first label."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import natural, vector
from ._evaluation import Evaluation
from ._options import Floor, floor_of, seed_of
from ._plan import Plan


def draw(
    scores: npt.ArrayLike, n: int, seed: int = 0, *, floor: Floor = 0.3
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Draws `n` items without replacement by their scores: the items in draw order, and the q each was drawn with.

    >>> items, q = draw([0.0, 1.0, 3.0], 3, seed=7)
    >>> sorted(items.tolist()), float(q[-1])
    ([0, 1, 2], 1.0)
    """
    return _engine.draw(vector("scores", scores), natural("n", n), seed_of(seed), floor_of(floor))


def plan(
    probabilities: Any = None,
    *,
    half_width: float | None = None,
    bar: float | None = None,
    level: float = 0.95,
    **options: Any,
) -> Plan:
    """How many labels a pool will need, by what its surrogate expects; `options` are those of `Evaluation`.

    >>> p = np.linspace(0.02, 0.98, 5000)
    >>> goal = plan(np.column_stack([1 - p, p]), half_width=0.02, loss="accuracy").half_width
    >>> goal.labels.expected < goal.uniform.expected < 5000
    True
    """
    return Evaluation(probabilities, **options).plan(half_width=half_width, bar=bar, level=level)
