"""Which of several models is better, by labels they share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import natural
from ._compared import compared
from ._durable import DurableEvaluation
from ._estimate import Estimate
from ._html import Shown
from ._options import Floor
from ._questions import PathName
from ._study import Study


@dataclass(frozen=True)
class Difference(Shown):
    """A model compared with another."""

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

    @classmethod
    def _of(cls, model: str, against: str, row: dict[str, Any]) -> Difference:
        return cls(model, against, Estimate._of(row["estimate"]), row["p_value"], row["decided"])


@dataclass(frozen=True)
class Shared(Shown):
    """Another model on the labels that were asked for the first."""

    own: Estimate
    """The model that the labels were asked for."""
    other: Estimate
    """The other model."""
    difference: Difference
    """The metric of the first minus that of the other."""
    other_cost: float | None
    """How many of these labels one label asked for the other model would be worth, by what the surrogate expects."""
    difference_cost: float | None
    """The same of a label asked for the difference."""
    unknown: int
    """Items that were never drawn and that the other model does not have: estimates then go without the surrogate."""

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Shared:
        difference = Difference._of("own", "other", row["difference"])
        own, other = Estimate._of(row["own"]), Estimate._of(row["other"])
        return cls(own, other, difference, row["other_cost"], row["difference_cost"], row["unknown"])


@dataclass(frozen=True)
class SystemRate(Shown):
    """The rate or the mean value of one of two systems."""

    system: str
    value: float
    low: float
    high: float


class Comparison(Study):
    """A comparison of models on a pool, by draws made for their differences.

    With `judge`, it is of two systems whose answers to the same prompts each have a label of their own: prompts are drawn, and a
    label is of both answers. It is a dictionary with the class of each system, or a text such as `"pass|fail"` in the order in
    which the answers are shown to people, which is random.

    >>> import numpy as np, labelwise as lw
    >>> p = np.linspace(0.05, 0.95, 400)
    >>> good, poor = np.column_stack([1 - p, p]), np.full((400, 2), 0.5)
    >>> truth = np.random.default_rng(0).random(400) < p
    >>> c = lw.compare({"good": good, "poor": poor}, seed=1)
    >>> for i in c.ask(100):
    ...     c.tell(i, int(truth[i]))
    >>> [(d.model, d.against, d.decided) for d in c.differences()]
    [('poor', 'good', True)]
    >>> good = {"v3": np.random.default_rng(1).random(400) < 0.4, "v4": np.random.default_rng(2).random(400) < 0.6}
    >>> c = lw.compare(judge={name: 0.1 + 0.8 * good[name] for name in good}, loss="rate", positive=1, seed=1)
    >>> [(d.model, d.against, d.decided) for d in c.run(100, lambda i: {name: good[name][i] for name in good})]
    [('v4', 'v3', True)]

    Arguments:
        models: as `compare` takes them.
        judge: in their place, what a cheap judge says of the answers of each of two systems, by the name of the system.
        worth, classes, positive: of a judge, as in `Evaluation`.
        ids: of a judge, what prompts are called.
        carry: of a judge, passthrough columns of each system by its name; those that are the same for both are shown once.
    """

    def __init__(
        self,
        models: Mapping[str, Any] | Sequence[Any] | None = None,
        *,
        judge: Mapping[str, Any] | None = None,
        worth: Mapping[Any, float] | None = None,
        classes: Iterable[Any] | None = None,
        positive: Any = None,
        ids: Iterable[Any] | None = None,
        carry: Mapping[str, Mapping[str, Iterable[Any]]] | None = None,
        values: bool = False,
        columns: Mapping[str, Any] | None = None,
        percent: bool = False,
        normalise: bool = False,
        common: bool = False,
        loss: str | None = None,
        label_range: tuple[float, float] | None = None,
        threshold: float | None = None,
        cap: float | None = None,
        surrogate: Any = None,
        acquisition: str | None = None,
        floor: Floor | str = "default",
        seed: int = 0,
        who: str = "",
    ) -> None:
        self._made_with = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        options, told = compared(**self._made_with)
        super().__init__(*_engine.Study.create(None, options), told, who)

    def ask(self, n: int = 1) -> npt.NDArray[np.int64]:
        """The next `n` items to label. Items on which the models cannot differ are never asked."""
        return self._engine.ask_rows(natural("n", n), self.who, None)

    def run(self, budget: int, oracle: Callable[[int], Any]) -> list[Difference]:
        """Asks and tells what `oracle` answers, `budget` times."""
        for item in self.ask(budget):
            self.tell(int(item), oracle(int(item)))
        return self.differences()

    def __getstate__(self) -> dict[str, Any]:
        return {"made_with": self._made_with, "steps": self._engine.steps()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Comparison.__init__(self, **state["made_with"])
        self._engine.replay(state["steps"], self.who)


def compare(*models: Any, path: PathName | None = None, **options: Any) -> Any:
    """A `Comparison` of models: probabilities one by one, in a list, or by name in a dictionary; or with `values=True` means,
    or pairs of means and variances; or files and tables of pandas, polars, pyarrow or DuckDB with ids. With `judge`, or with
    files and `columns={"judge": ...}`, two systems whose answers each have a label of their own.

    With a path it is a file, which the program works on too, and comes back as a `DurableEvaluation`.

    >>> import labelwise as lw
    >>> lw.compare([[0.9, 0.1], [0.6, 0.4]], [[0.8, 0.2], [0.3, 0.7]], loss="accuracy").ties
    1
    """
    which = models[0] if len(models) == 1 else models or None
    if path is None:
        return Comparison(which, **options)
    who = options.pop("who", "")
    made, told = compared(which, **options)
    return DurableEvaluation(*_engine.Study.create(os.fspath(path), made), told, who)
