"""What an evaluation is made with, as the engine takes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._arrays import FloatTable, natural, table, vector

Floor: TypeAlias = float | tuple[Literal["mixture", "clip"], float] | Literal["paper"] | None
"""How q is kept from zero: a uniform part, the paper's clip, or nothing."""


class CostMatrix:
    """A loss by costs of decisions: a row a predicted class, a column a label.

    >>> import labelwise as lw
    >>> e = lw.Evaluation([[0.9, 0.1], [0.4, 0.6]], loss=lw.CostMatrix([[0, 10], [1, 0]]))
    """

    def __init__(self, costs: Any) -> None:
        self.costs = np.ascontiguousarray(table("costs", costs), dtype=np.float64)


def floor_of(floor: Floor) -> tuple[str, float]:
    """A floor as the engine takes it."""
    if floor is None:
        return ("unguarded", 0.0)
    if floor == "paper":
        return ("clip", 0.2)
    if isinstance(floor, tuple):
        return (floor[0], float(floor[1]))
    if isinstance(floor, str):
        raise ValueError(f'floor is {floor!r}, but must be a number, ("clip", a number), "paper" or None')
    return ("mixture", float(floor))


def seed_of(seed: Any) -> int:
    """A seed as the engine takes it."""
    if not isinstance(seed, int | np.integer) or not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed is {seed!r}, but must be a whole number from 0 up to 2**64 - 1")
    return int(seed)


def predicted(mean: Any, variance: Any) -> FloatTable:
    """Means, and variances beside them."""
    means = vector("mean", mean)
    if variance is None:
        return means.reshape(-1, 1)
    return np.column_stack([means, vector("variance", variance, len(means))])


def places(classes: Iterable[Any], columns: int) -> dict[Any, int]:
    """The place of each class."""
    names = [name.item() if isinstance(name, np.generic) else name for name in classes]
    found = {name: place for place, name in enumerate(names)}
    if len(names) != columns or len(found) != columns:
        raise ValueError(f"classes has {len(found)} different names, but there are {columns} columns of probabilities")
    return found


def listed(names: Sequence[Any] | None) -> str:
    """The first of them, for errors."""
    names = names or []
    return ", ".join(repr(name) for name in names[:12]) + (", ..." if len(names) > 12 else "")


def when_of(name: str, when: int | Sequence[int] | None) -> int | list[int] | None:
    """A schedule as the engine takes it."""
    if when is None:
        return None
    if isinstance(when, int | np.integer):
        if when < 1:
            raise ValueError(f"{name} is {when}, but must be a number of labels above 0, a list of numbers, or None")
        return int(when)
    return [natural(name, number) for number in when]


def loss_of(loss: Any, predictions: FloatTable, is_values: bool, names: Sequence[Any] | None) -> dict[str, Any]:
    """A loss as the engine takes it."""
    if loss is None:
        return {}
    if isinstance(loss, str):
        return {"aims": [loss]}
    if isinstance(loss, CostMatrix):
        if is_values:
            raise ValueError("loss: costs are of classes, but `mean` is given")
        return {"costs": loss.costs}
    if callable(loss):
        return {"function": loss} if is_values else {"per_class": _every_class(loss, predictions, names)}
    if isinstance(loss, list | tuple) and loss and all(isinstance(name, str) for name in loss):
        return {"aims": list(loss)}
    if is_values:
        raise ValueError("loss: an array of losses is of classes; of values give a name or a function")
    return {"per_class": np.ascontiguousarray(table("loss", loss), dtype=np.float64)}


def _every_class(loss: Any, predictions: FloatTable, names: Sequence[Any] | None) -> npt.NDArray[np.float64]:
    """The function's value for every item and class."""
    classes = names if names is not None else range(predictions.shape[1])
    losses = np.empty(predictions.shape)
    for item, row in enumerate(predictions):
        for place, label in enumerate(classes):
            losses[item, place] = loss(row, label)
    return losses


def believed(
    surrogate: Any, is_values: bool, predictions: FloatTable, features: Any, train: Any, size: int
) -> dict[str, Any]:
    """A surrogate as the engine takes it, unless it is one that Python fits."""
    if surrogate is None:
        if features is not None:
            return {"surrogate": "forest"}
        return {"surrogate": "own" if not is_values or predictions.shape[1] > 1 else "none"}
    if isinstance(surrogate, str):
        return {"surrogate": surrogate}
    if isinstance(surrogate, list | tuple) and surrogate and np.ndim(surrogate[0]) >= (1 if is_values else 2):
        members = [table("surrogate", column_of(member, is_values), size) for member in surrogate]
    else:
        members = [table("surrogate", column_of(surrogate, is_values), size)]
    return {"surrogate": "given", "members": members}


def column_of(member: Any, is_values: bool) -> Any:
    """Means of a regression may come as one dimension."""
    return np.reshape(member, (-1, 1)) if is_values and np.ndim(member) == 1 else member
