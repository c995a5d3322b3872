"""Estimators of the mean loss of a pool, from draws that were recorded elsewhere.

Each takes the losses and the probabilities `q` of the draws, in draw order, and the size of the pool.

>>> import numpy as np
>>> from labelwise import estimators
>>> round(estimators.lure([0.9, 0.2], q=[0.5, 0.25], pool_size=5).value, 6)
0.3475
>>> estimators.weights(q=[1 / 5, 1 / 4], pool_size=5)
array([1., 1.])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import natural, vector

__all__ = ["Found", "controlled", "iid", "importance_sampling", "lure", "pure", "regression", "weights"]


@dataclass(frozen=True)
class Found:
    """What an estimator makes of draws."""

    value: float
    """The estimate."""
    standard_error: float | None
    """Its standard error about the pool's mean; none while there are too few draws to tell."""
    controls: tuple[float, float] | None = None
    """The fitted weights of regression LURE's controls: of the constant, and of the surrogate's expectation."""

    def __float__(self) -> float:
        return self.value


def _found(name: str, loss: Any, q: Any, pool_size: int, control: Any = None, control_total: Any = None) -> Found:
    losses = vector("loss", loss)
    size = len(losses)
    columns = [None if column is None else vector(label, column, size) for label, column in
               (("q", q), ("control", control), ("control_total", control_total))]  # fmt: skip
    return Found(*_engine.estimate(name, losses, columns[0], natural("pool_size", pool_size, 1), columns[1], columns[2]))


def weights(q: npt.ArrayLike, pool_size: int) -> npt.NDArray[np.float64]:
    """Eq. (4) of the paper: the weight v_m of each draw, in draw order."""
    return _engine.weights(vector("q", q), natural("pool_size", pool_size, 1))


def lure(loss: npt.ArrayLike, q: npt.ArrayLike, pool_size: int) -> Found:
    """Eq. (3) of the paper, R̂_LURE: unbiased whatever q was, as long as it looked at the past only."""
    return _found("lure", loss, q, pool_size)


def pure(loss: npt.ArrayLike, q: npt.ArrayLike, pool_size: int) -> Found:
    """R̂_PURE, LURE's forerunner: unbiased, with more variance."""
    return _found("pure", loss, q, pool_size)


def iid(loss: npt.ArrayLike, q: npt.ArrayLike, pool_size: int) -> Found:
    """The plain mean: biased unless draws are uniform."""
    return _found("iid", loss, q, pool_size)


def importance_sampling(loss: npt.ArrayLike, q: npt.ArrayLike, pool_size: int) -> Found:
    """The weighted mean of active risk estimation, for draws with replacement."""
    return _found("importance_sampling", loss, q, pool_size)


def controlled(
    loss: npt.ArrayLike, q: npt.ArrayLike, pool_size: int, *, control: npt.ArrayLike, control_total: npt.ArrayLike
) -> Found:
    """LURE of what the surrogate did not expect, on top of what it did: `control` is the loss it expected of the item,
    `control_total` that of all items that could have been drawn."""
    return _found("controlled", loss, q, pool_size, control, control_total)


def regression(
    loss: npt.ArrayLike, q: npt.ArrayLike, pool_size: int, *, control: npt.ArrayLike, control_total: npt.ArrayLike
) -> Found:
    """Our default: LURE with a constant and the surrogate's expectation as fitted controls."""
    return _found("regression", loss, q, pool_size, control, control_total)
