"""Measure a model with few labels: which test items to label, and an estimate of its loss with an interval.

>>> import labelwise as lw
>>> probabilities = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5]]
>>> e = lw.Evaluation(probabilities, loss="log_loss", seed=0)
>>> i = e.ask()             # which item to label
>>> e.tell(i, 1)            # what its label is
>>> e.estimate().labels
1

`Evaluation` lives in memory; `create` and `open` work on the same files as the program `labelwise`. `spark`, `ray` and `dask` draw
from pools that are too big for one machine. `draw` and `estimators` are the parts.
"""

from __future__ import annotations

# Names that are not for others begin with an underscore, so that completion offers the others only.
from ._engine import LabelwiseError, __version__

# Read by checkers of types and by editors alone. The package is also the program, which starts without NumPy.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import typing as _typing

    from . import dask, estimators, ray, spark
    from ._asked import Asked, Refused
    from ._calibration import Bin, Calibration
    from ._compare import Comparison, Difference, Shared, SystemRate, compare
    from ._connect import LabelStudio, TakenOver
    from ._durable import DurableEvaluation, create, doctor, read_pool
    from ._durable import open_evaluation as open
    from ._estimate import Estimate
    from ._evaluation import Evaluation
    from ._judge import Applied, Disagreement, Worth
    from ._options import CostMatrix
    from ._plan import Check, Goal, Labels, Plan
    from ._simulate import STRATEGIES, Simulated, simulate
    from ._tools import draw, plan

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
    "LabelStudio",
    "LabelwiseError",
    "Labels",
    "Plan",
    "Refused",
    "Shared",
    "Simulated",
    "SystemRate",
    "TakenOver",
    "Worth",
    "__version__",
    "compare",
    "create",
    "dask",
    "doctor",
    "draw",
    "estimators",
    "open",
    "plan",
    "ray",
    "read_pool",
    "simulate",
    "spark",
]


# Each is imported when it is asked for.
_LATER = {
    "dask": "dask",
    "estimators": "estimators",
    "_asked": "Asked Refused",
    "ray": "ray",
    "spark": "spark",
    "_calibration": "Bin Calibration",
    "_compare": "Comparison Difference Shared SystemRate compare",
    "_connect": "LabelStudio TakenOver",
    "_durable": "DurableEvaluation create doctor open read_pool",
    "_estimate": "Estimate",
    "_evaluation": "Evaluation",
    "_judge": "Applied Disagreement Worth",
    "_options": "CostMatrix",
    "_plan": "Check Goal Labels Plan",
    "_simulate": "STRATEGIES Simulated simulate",
    "_tools": "draw plan",
}


def __getattr__(name: str) -> "_typing.Any":
    import importlib as _importlib

    for module, names in _LATER.items():
        if name in names.split():
            found = _importlib.import_module(f".{module}", __name__)
            value = found if module == name else getattr(found, "open_evaluation" if name == "open" else name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
