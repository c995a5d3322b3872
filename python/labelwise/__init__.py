"""Measure a model with few labels: which test items to label, and an honest estimate of its loss.

>>> import labelwise as lw
>>> probabilities = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5]]
>>> e = lw.Evaluation(probabilities, loss="log_loss", seed=0)
>>> i = e.ask()             # which item to label
>>> e.tell(i, 1)            # what its label is
>>> e.estimate().labels
1

`Evaluation` lives in memory, `create` and `open` are about evaluations in files, which the program `labelwise` works on
too. `draw` and `estimators` are the parts.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import natural, vector
from ._engine import LabelwiseError, __version__
from ._estimate import Estimate
from ._evaluation import Evaluation
from ._options import CostMatrix, Floor, floor_of, seed_of
from ._plan import Check, Goal, Labels, Plan
from ._study import Asked

if TYPE_CHECKING:
    from . import estimators
    from ._calibration import Bin, Calibration
    from ._compare import Comparison, Difference, Shared, compare
    from ._durable import DurableEvaluation, create, read_pool
    from ._durable import open_evaluation as open
    from ._simulate import STRATEGIES, Simulated, simulate

__all__ = [
    "STRATEGIES",
    "Asked",
    "Bin",
    "Calibration",
    "Check",
    "Comparison",
    "CostMatrix",
    "Difference",
    "DurableEvaluation",
    "Estimate",
    "Evaluation",
    "Goal",
    "LabelwiseError",
    "Labels",
    "Plan",
    "Shared",
    "Simulated",
    "__version__",
    "compare",
    "create",
    "draw",
    "estimators",
    "open",
    "plan",
    "read_pool",
    "simulate",
]


# What not everybody needs is imported when it is asked for.
_LATER = {
    "estimators": "estimators",
    "_calibration": "Bin Calibration",
    "_compare": "Comparison Difference Shared compare",
    "_durable": "DurableEvaluation create open read_pool",
    "_simulate": "STRATEGIES Simulated simulate",
}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names.split():
            found = importlib.import_module(f".{module}", __name__)
            value = found if module == name else getattr(found, "open_evaluation" if name == "open" else name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


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
