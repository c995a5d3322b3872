"""Measure a model with few labels: which test items to label, and an estimate of its loss with an interval.

>>> import labelwise as lw
>>> probabilities = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5]]
>>> e = lw.Evaluation(probabilities, loss="log_loss", seed=0)
>>> i = e.ask()             # which item to label
>>> e.tell(i, 1)            # what its label is
>>> e.estimate().labels
1

`Evaluation` lives in memory; `create` and `open` work on the same files as the program `labelwise`. `draw` and `estimators`
are the parts.
"""

from __future__ import annotations

# Names that are not for others begin with an underscore, so that completion offers the others only.
import importlib as _importlib
import typing as _typing

from ._asked import Asked, Refused
from ._engine import LabelwiseError, __version__
from ._estimate import Estimate
from ._evaluation import Evaluation
from ._options import CostMatrix
from ._plan import Check, Goal, Labels, Plan
from ._tools import draw, plan

if _typing.TYPE_CHECKING:
    from . import estimators
    from ._calibration import Bin, Calibration
    from ._compare import Comparison, Difference, Shared, compare
    from ._durable import DurableEvaluation, create, read_pool
    from ._durable import open_evaluation as open
    from ._judge import Applied, Disagreement, Worth
    from ._simulate import STRATEGIES, Simulated, simulate

__all__ = [
    "STRATEGIES",
    "Applied",
    "Asked",
    "Bin",
    "Calibration",
    "Check",
    "Comparison",
    "CostMatrix",
    "Difference",
    "Disagreement",
    "DurableEvaluation",
    "Estimate",
    "Evaluation",
    "Goal",
    "LabelwiseError",
    "Labels",
    "Plan",
    "Refused",
    "Shared",
    "Simulated",
    "Worth",
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
    "_judge": "Applied Disagreement Worth",
    "_simulate": "STRATEGIES Simulated simulate",
}


def __getattr__(name: str) -> _typing.Any:
    for module, names in _LATER.items():
        if name in names.split():
            found = _importlib.import_module(f".{module}", __name__)
            value = found if module == name else getattr(found, "open_evaluation" if name == "open" else name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
