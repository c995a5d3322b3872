"""What a program with types says to the package; mypy reads it in strict mode."""

from __future__ import annotations

import labelwise as lw
import numpy as np
from labelwise import estimators

probabilities = np.full((20, 2), 0.5)
e = lw.Evaluation(probabilities, loss="log_loss", seed=3, floor=("clip", 0.2), retrain=[5, 10])
item: int = e.ask()
items: np.ndarray[tuple[int], np.dtype[np.int64]] | np.ndarray = e.ask(3)
e.tell(item, 1)
e.tell(items, [0, 1, 0])
estimate: lw.Estimate = e.estimate("accuracy", level=0.9, target="population", interval="ordinary")
value: float = estimate.value
low: float | None = estimate.low
notes: tuple[str, ...] = estimate.warnings
many: list[lw.Estimate] = e.estimates("accuracy", "brier")
plan: lw.Plan = e.plan(half_width=0.1)
drawn, q = lw.draw([0.1, 0.2], 1, seed=2)
weight: float = float(estimators.weights(q=q, pool_size=2)[0])
lure: float = estimators.lure(loss=[0.5], q=q, pool_size=2).value
comparison = lw.compare({"a": probabilities, "b": 1 - probabilities})
found: dict[str, lw.Simulated] = lw.simulate(probabilities, labels=[0] * 20, budget=5, runs=2)
try:
    lw.open("none.labelwise")
except (FileNotFoundError, lw.LabelwiseError) as error:
    text: str = str(error)
