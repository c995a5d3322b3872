"""What labels would have been worth on a pool whose labels are all known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._evaluation import Evaluation

STRATEGIES: dict[str, dict[str, Any]] = {
    "active": {},
    "paper": {"acquisition": "expected_loss", "floor": "paper", "estimator": "lure"},
    "uniform": {"acquisition": "uniform", "estimator": "iid"},
}
"""How items may be drawn and estimates be made."""


@dataclass(frozen=True)
class Simulated:
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

    def __repr__(self) -> str:
        text = f"Simulated({self.strategy!r}, budget={self.budget}, runs={len(self.values)}, truth={self.truth:.4g}"
        return f"{text}, rmse={self.rmse:.3g}, bias={self.bias:.2g}, coverage={self.coverage:.3f})"


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
) -> dict[str, Simulated]:
    """Spends `budget` labels `runs` times over by each strategy, and compares with the truth.

    `options` are those of `Evaluation`. A strategy is a name of `STRATEGIES`, or a name with options of its own.

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
    if runs < 2:
        raise ValueError(f"runs is {runs}, but must be at least 2")
    labels = np.asarray(labels)
    truth, found = None, {}
    for name, own in strategies.items():
        chosen = {**options, **own}
        estimator = str(chosen.pop("estimator", "regression"))
        rows = []
        for run in range(runs):
            evaluation = Evaluation(probabilities, **chosen, seed=_repetition(seed, run))
            if truth is None:
                truth = _truth(evaluation, probabilities, chosen, labels)
            _spend(evaluation, labels, budget, chosen.get("retrain", 25))
            estimate = evaluation.estimate(level=level, estimator=estimator)
            rows.append((estimate.value, _or_nan(estimate.low), _or_nan(estimate.high)))
            if progress is not None:
                progress(run + 1, runs)
        assert truth is not None
        values, low, high = np.array(rows).T
        found[name] = Simulated(name, budget, truth, values, low, high)
    return found


def _or_nan(end: float | None) -> float:
    return float("nan") if end is None else end


def _repetition(seed: int, run: int) -> int:
    """Seeds that are far apart, as the core has them (SplitMix64)."""
    mask = 2**64 - 1
    z = (seed + (run + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def _truth(evaluation: Evaluation, probabilities: Any, options: Mapping[str, Any], labels: npt.NDArray[Any]) -> float:
    """The metric with every label told: exact, whatever the draws were."""
    if len(labels) != evaluation.pool_size:
        raise ValueError(f"labels has {len(labels)} entries, but the pool has {evaluation.pool_size} items")
    kept = {name: value for name, value in options.items() if name not in ("surrogate", "features", "train", "retrain")}
    surrogate = "own" if probabilities is not None or options.get("variance") is not None else "none"
    whole = Evaluation(probabilities, **{**kept, "acquisition": "uniform", "surrogate": surrogate})
    items = whole.ask(whole.pool_size)
    whole.tell(items, labels[items])
    return whole.estimate().value


def _spend(evaluation: Evaluation, labels: npt.NDArray[Any], budget: int, retrain: Any) -> None:
    """Asks in batches between which nothing would be learnt, which draws the same items as one by one."""
    while evaluation.labels < budget:
        now, left = evaluation.labels, budget - evaluation.labels
        if isinstance(retrain, int):
            left = min(left, retrain - now % retrain)
        elif retrain is not None:
            left = min([at - now for at in retrain if at > now] + [left])
        items = evaluation.ask(left)
        evaluation.tell(items, labels[items])
