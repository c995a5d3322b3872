"""What labels would have been worth on a pool whose labels are all known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import natural
from ._html import Shown, rows
from ._options import chosen, floor_of, seed_of, when_of

STRATEGIES: dict[str, dict[str, Any]] = {
    "active": {},
    "paper": {"belief": "as_given", "acquisition": "expected_loss", "floor": "paper", "rescore": 1, "estimator": "lure"},
    "root_mean_square": {"belief": "as_given", "acquisition": "root_mean_square", "floor": 0.3, "estimator": "regression"},
    "stratified": {"belief": "as_given", "strata": 10},
    "uniform": {"belief": "as_given", "acquisition": "uniform", "estimator": "iid"},
}
"""How items may be drawn and estimates be made."""


@dataclass(frozen=True)
class Simulated(Shown):
    """What came of many runs of one strategy."""

    strategy: str
    budget: int
    truth: float
    """The metric on the whole pool."""
    values: npt.NDArray[np.float64]
    """The estimate of each run."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(np.mean((self.values - self.truth) ** 2)))

    @property
    def bias(self) -> float:
        """How far estimates are off on average."""
        return float(np.mean(self.values) - self.truth)

    @property
    def bias_error(self) -> float:
        """The standard error of that."""
        return float(np.std(self.values, ddof=1) / np.sqrt(len(self.values)))

    @property
    def coverage(self) -> float:
        """How often the interval covered."""
        slack = 1e-12 * (1 + abs(self.truth))
        return float(np.mean((self.low - slack <= self.truth) & (self.truth <= self.high + slack)))

    def worth(self, other: Simulated) -> float:
        """How many labels of the other strategy one label of this one is worth."""
        return float(np.mean((other.values - other.truth) ** 2) / np.mean((self.values - self.truth) ** 2))

    def _facts(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy, "budget": self.budget, "runs": len(self.values), "truth": self.truth, "rmse": self.rmse,
            "bias": self.bias, "coverage": self.coverage,
        }  # fmt: skip

    def __repr__(self) -> str:
        text = f"Simulated({self.strategy!r}, budget={self.budget}, runs={len(self.values)}, truth={self.truth:.4g}"
        return f"{text}, rmse={self.rmse:.3g}, bias={self.bias:.2g}, coverage={self.coverage:.3f})"


class Simulations(dict[str, Simulated]):
    """What came of each strategy, by its name; notebooks show a table."""

    def _repr_html_(self) -> str:
        return rows(self.values())


def simulate(
    probabilities: Any = None,
    *,
    labels: Any,
    budget: int,
    runs: int = 100,
    strategies: tuple[str, ...] | Mapping[str, Mapping[str, Any]] = ("active", "uniform"),
    level: float = 0.95,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Simulations:
    """Spends `budget` labels `runs` times over by each strategy, and compares with the truth.

    `options` are those of `Evaluation`; the loss is one metric, an average or not. A strategy is a name of `STRATEGIES`, or a
    name with `belief`, `acquisition`, `floor`, `rescore`, `estimator` or `strata` of its own. `progress` is called with the runs
    done and the runs to do.

    >>> import numpy as np, labelwise as lw
    >>> p = np.linspace(0.02, 0.98, 300)
    >>> truth = (np.random.default_rng(0).random(300) < p).astype(int)
    >>> found = lw.simulate(np.column_stack([1 - p, p]), labels=truth, budget=60, runs=50, loss="log_loss")
    >>> found["active"].rmse < found["uniform"].rmse
    True
    """
    if not isinstance(strategies, Mapping):
        unknown = [name for name in strategies if name not in STRATEGIES]
        if unknown:
            raise ValueError(f"strategy {unknown[0]!r} is none of {', '.join(STRATEGIES)}")
        strategies = {name: STRATEGIES[name] for name in strategies}
    made, _ = chosen(probabilities, **options)
    budget, runs = natural("budget", budget, 1), natural("runs", runs, 2)
    truth, found = _engine.simulate(
        made, labels, [_strategy(name, own) for name, own in strategies.items()], budget, runs, float(level), seed_of(seed), progress
    )
    return Simulations({name: Simulated(name, budget, truth, *one) for name, one in zip(strategies, found, strict=True)})


def _strategy(name: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """A strategy as the engine takes it."""
    names = ("belief", "acquisition", "floor", "rescore", "estimator", "strata")
    unknown = sorted(set(own) - set(names))
    if unknown:
        raise ValueError(f"strategy {name!r} has {unknown[0]!r}, but can have {', '.join(names[:-1])} and {names[-1]}")
    given = {**dict.fromkeys(names), "estimator": "suited", **own}
    if "floor" in own:
        given["floor"] = floor_of(own["floor"])
    if "rescore" in own:
        given["rescore"] = when_of("rescore", own["rescore"])
    return {"name": name, **given}
