"""Which of several models is better, by labels they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import item_of, natural, table, whole
from ._estimate import Estimate
from ._evaluation import Interval, Target
from ._options import Floor, column_of, floor_of, predicted, seed_of


@dataclass(frozen=True)
class Difference:
    """A model beside the one it is compared with."""

    model: str
    """The model."""
    against: str
    """The model it is compared with."""
    estimate: Estimate
    """Its metric minus the other's."""
    p_value: float | None
    """The smallest error probability at which the interval leaves out 0, all comparisons taken together."""
    decided: bool
    """Whether 0 is outside of the interval."""


class Comparison:
    """A comparison of models on a pool, by draws made for their differences.

    >>> import numpy as np, labelwise as lw
    >>> p = np.linspace(0.05, 0.95, 400)
    >>> good, poor = np.column_stack([1 - p, p]), np.full((400, 2), 0.5)
    >>> truth = np.random.default_rng(0).random(400) < p
    >>> c = lw.compare({"good": good, "poor": poor}, seed=1)
    >>> for i in c.ask(100):
    ...     c.tell(i, int(truth[i]))
    >>> [(d.model, d.against, d.decided) for d in c.differences()]
    [('poor', 'good', True)]
    """

    def __init__(
        self,
        models: Mapping[str, Any] | Sequence[Any],
        *,
        values: bool = False,
        loss: str | None = None,
        label_range: tuple[float, float] | None = None,
        surrogate: Any = None,
        floor: Floor = 0.3,
        seed: int = 0,
    ) -> None:
        named = models if isinstance(models, Mapping) else {str(place): model for place, model in enumerate(models)}
        self.models = [str(name) for name in named]
        tables = [_model(model, values) for model in named.values()]
        members = [] if surrogate is None else surrogate if isinstance(surrogate, list) else [surrogate]
        options = {
            "models": tables, "loss": loss, "range": label_range, "floor": floor_of(floor), "seed": seed_of(seed),
            "members": [table("surrogate", column_of(member, values)) for member in members],
        }  # fmt: skip
        self._engine = _engine.ComparisonEngine("values" if values else "classes", options)

    def ask(self, n: int = 1) -> npt.NDArray[np.int64]:
        """The next `n` items to label. Items on which the models cannot differ are never asked."""
        return self._engine.ask_batch(natural("n", n))

    def tell(self, item: Any, label: Any) -> None:
        """Records the label of an item, or of several."""
        if isinstance(item, int | np.integer):
            self._engine.tell(item_of(item), label)
            return
        for one, its in zip(whole("item", item), np.asarray(label), strict=True):
            self._engine.tell(int(one), its.item())

    def run(self, budget: int, oracle: Callable[[int], Any]) -> list[Difference]:
        """Asks and tells what `oracle` answers, `budget` times."""
        for item in self.ask(budget):
            self.tell(int(item), oracle(int(item)))
        return self.differences()

    @property
    def ties(self) -> int:
        """The items on which the models cannot differ, whatever the label."""
        return self._engine.counts()[2]

    @property
    def labels(self) -> int:
        """How many items have a label."""
        return self._engine.counts()[4]

    def differences(
        self,
        *,
        baseline: str | None = None,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
    ) -> list[Difference]:
        """Every model against the baseline, or against the one that leads by the labels so far."""
        if baseline is not None and baseline not in self.models:
            raise KeyError(f"there is no model {baseline!r}: the models are {', '.join(self.models)}")
        place = None if baseline is None else self.models.index(baseline)
        reference, rows = self._engine.standings(place, float(level), target, interval, planned)
        found = []
        for row in rows:
            model, p_value, decided = row.pop("model"), row.pop("p_value"), row.pop("decided")
            found.append(Difference(self.models[model], self.models[reference], Estimate._of(row), p_value, decided))
        return found


def _model(model: Any, values: bool) -> Any:
    if not values:
        return table("models", model)
    return predicted(*model) if isinstance(model, tuple) else predicted(model, None)


def compare(*models: Any, **options: Any) -> Comparison:
    """A `Comparison` of models: probabilities one by one, in a list, or by name in a dictionary; or with `values=True` means,
    or pairs of means and variances.

    >>> import labelwise as lw
    >>> lw.compare([[0.9, 0.1], [0.6, 0.4]], [[0.8, 0.2], [0.3, 0.7]], loss="accuracy").ties
    1
    """
    return Comparison(models[0] if len(models) == 1 else models, **options)
