"""An evaluation in memory: which items to label, and what their labels say of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import item_of, natural, table, vector, whole
from ._estimate import Estimate
from ._options import (
    CostMatrix,
    Floor,
    believed,
    floor_of,
    listed,
    loss_of,
    places,
    predicted,
    seed_of,
    when_of,
)
from ._plan import Plan
from ._surrogates import Taught, learns

if TYPE_CHECKING:
    from ._calibration import Calibration

Target: TypeAlias = Literal["pool", "population"]
"""Whose metric: of this very pool, or of the population that the pool was drawn from."""
Interval: TypeAlias = Literal["ordinary", "guaranteed", "guaranteed_at_budget", "anytime"]
"""How an interval is made: see `Evaluation.estimate`."""
class Evaluation:
    """An evaluation of a model on a pool of items whose labels are not known yet.

    The model is its predictions: `probabilities`, one row an item and one column a class, or `mean` (and `variance`) of a
    regression. Arrays of f32 or f64 are read where they lie: do not change them while the evaluation lives.

    >>> import numpy as np, labelwise as lw
    >>> p = np.linspace(0.05, 0.95, 400)
    >>> e = lw.Evaluation(np.column_stack([1 - p, p]), loss="log_loss", seed=7)
    >>> truth = np.random.default_rng(0).random(400) < p
    >>> for _ in range(100):
    ...     i = e.ask()
    ...     e.tell(i, truth[i])
    >>> e.estimate().covers(-np.log(np.where(truth, p, 1 - p)).mean())
    True

    Arguments:
        probabilities: N x C numbers: an array, a table (pandas, polars, pyarrow, DuckDB), a tensor on the CPU, or lists.
        mean, variance: predicted values of a regression, and how sure the model is of each.
        loss: a name (`log_loss`, `zero_one`, `accuracy`, `brier`; `squared_error`, `absolute_error`, `gaussian_nll`;
            `f1`, `recall`, `roc_auc`, `rmse`, `r2` and scikit-learn's names of scorers), a list of names that draws are
            shared for, an N x C array with the loss of every item for every label, a `CostMatrix`, or a function of a
            prediction and a label. Of classes the function is called once for every item and class.
        signed: whether a loss of your own may be negative.
        label_range: what labels of a regression lie between, which guaranteed intervals need; of a function of your own,
            what its values lie between.
        classes: the labels as you tell them, in the order of the columns, such as `model.classes_`.
        positive: the class that metrics of one class are about.
        surrogate: what is believed about labels that are not known: `"own"` (the model itself), `"none"`, `"forest"`,
            `"logistic"`, `"gp"` or `"linear"` on features, an array of predictions, a list of arrays (an ensemble), or any
            object with `fit` and `predict_proba`, or `predict(..., return_std=True)`. Left alone it is a forest where
            there are features, and the model itself otherwise.
        features: what a surrogate learns from, one row an item.
        train: rows of features and their labels, which it may learn from besides.
        retrain: after how many labels it learns again; a list of numbers of labels; None for never.
        acquisition: how items are scored; the root mean square of the expected loss, if nothing is said.
        floor: the uniform part of every draw, 0.3 unless said otherwise; `"paper"` is the paper's clip.
        rescore: when scores are made anew although the surrogate did not change.
        known: losses that are known without a label, by item. They are never drawn, and count exactly.
        seed: of all that is random. Equal inputs and seeds give equal draws.
    """

    def __init__(
        self,
        probabilities: Any = None,
        *,
        mean: Any = None,
        variance: Any = None,
        loss: str | Sequence[str] | CostMatrix | Callable[[Any, Any], float] | npt.ArrayLike | None = None,
        signed: bool = False,
        label_range: tuple[float, float] | None = None,
        classes: Iterable[Any] | None = None,
        positive: Any = None,
        surrogate: Any = None,
        features: Any = None,
        train: tuple[Any, Any] | None = None,
        retrain: int | Sequence[int] | None = 25,
        acquisition: str | None = None,
        floor: Floor = 0.3,
        rescore: int | Sequence[int] | None = None,
        on_bad_score: Literal["reject", "median"] = "reject",
        known: Mapping[int, float] | None = None,
        seed: int = 0,
    ) -> None:
        self._made_with = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        if (probabilities is None) == (mean is None):
            raise ValueError("give either probabilities (a row an item) or mean, and not both")
        if isinstance(probabilities, str | PathLike):
            from ._durable import read_pool

            pool = read_pool(probabilities)
            probabilities, classes = pool["probabilities"], classes if classes is not None else pool["classes"]
            if probabilities is None:
                raise ValueError("probabilities: the file holds none; see labelwise.read_pool")
        is_values = mean is not None
        predictions = predicted(mean, variance) if is_values else table("probabilities", probabilities)
        size = predictions.shape[0]
        self._classes = None if classes is None else places(classes, predictions.shape[1])
        self._names = None if self._classes is None else list(self._classes)
        if is_values and self._classes is not None:
            raise ValueError("classes are of probabilities, but `mean` is given")
        options: dict[str, Any] = {
            "predictions": predictions, "aims": [], "per_class": None, "costs": None, "function": None,
            "signed": bool(signed), "range": label_range, "positive": self._class(positive),
            "features": None, "train": None, "surrogate": "own", "members": [], "beliefs": None,
            "retrain": when_of("retrain", retrain), "acquisition": acquisition, "floor": floor_of(floor),
            "rescore": when_of("rescore", rescore), "on_bad_score": on_bad_score,
            "known": [(natural("known item", item), float(value)) for item, value in (known or {}).items()], "seed": seed_of(seed),
        }  # fmt: skip
        options.update(loss_of(loss, predictions, is_values, self._names))
        taught = learns(surrogate)
        if features is not None and not taught:
            options["features"] = table("features", features, size)
        rows = None if train is None else self._train(train, is_values, taught)
        if taught:
            before = predictions if not is_values or predictions.shape[1] > 1 else np.column_stack([predictions, np.ones(size)])
            before = np.ascontiguousarray(before, dtype=np.float64)
            options["beliefs"] = Taught(surrogate, features, rows, None if is_values else predictions.shape[1], before)
            if acquisition == "distance":
                options["features"] = table("features", features, size)
        else:
            options["train"] = rows
            options.update(believed(surrogate, is_values, predictions, features, rows, size))
        self._engine = _engine.Engine("values" if is_values else "classes", options)
        self._is_values = is_values
        self._seed: int = options["seed"]

    def _class(self, label: Any) -> int | None:
        if label is None or self._classes is None:
            return None if label is None else natural("positive", label)
        try:
            return self._classes[label.item() if isinstance(label, np.generic) else label]
        except (KeyError, TypeError):
            raise ValueError(f"label {label!r} is none of the classes {listed(self._names)}") from None

    def _train(self, train: tuple[Any, Any], is_values: bool, taught: bool) -> tuple[Any, npt.NDArray[Any]]:
        if not isinstance(train, tuple | list) or len(train) != 2:
            raise ValueError("train must be two: rows of features, and their labels")
        features, labels = train
        if is_values:
            known: npt.NDArray[Any] = vector("train labels", labels)
        elif self._classes is not None:
            known = np.array([self._class(label) for label in np.asarray(labels)], dtype=np.int64)
        else:
            known = whole("train labels", labels)
        if not taught:
            features = table("features", features) if np.ndim(features) == 1 else table("train", features)
        from ._surrogates import count

        if count(features) != len(known):
            raise ValueError(f"train has {count(features)} rows of features and {len(known)} labels: give one label a row")
        return features, known

    @overload
    def ask(self, n: None = None) -> int: ...
    @overload
    def ask(self, n: int) -> npt.NDArray[np.int64]: ...
    def ask(self, n: int | None = None) -> int | npt.NDArray[np.int64]:
        """The next item to label; or the next `n` of them, whose labels may come in any order.

        A surrogate that is due learns first. What it raises is raised here, and no label is lost.
        """
        if n is None:
            return self._engine.ask()
        return self._engine.ask_batch(natural("n", n))

    @overload
    def tell(self, item: int, label: Any) -> None: ...
    @overload
    def tell(self, item: npt.ArrayLike, label: Any) -> None: ...
    def tell(self, item: Any, label: Any) -> None:
        """Records the label of an item that was asked; or of several, all of them or none.

        The same label again changes nothing. Another is refused: `amend` corrects labels.
        """
        if not isinstance(item, int | np.integer):
            items, labels = whole("item", item), self._labels(label)
            self._engine.tell_batch(items, labels)
            return
        item = item_of(item)
        if self._classes is not None:
            label = self._class(label)
        elif not self._is_values and isinstance(label, np.bool_ | bool):
            label = int(label)
        self._engine.tell(item, label)

    def _labels(self, labels: Any) -> npt.NDArray[Any]:
        if self._is_values:
            return vector("label", labels)
        if self._classes is not None:
            return np.array([self._class(label) for label in np.asarray(labels)], dtype=np.int64)
        return whole("label", labels)

    def amend(self, item: int, label: Any) -> None:
        """Corrects a label. Draws made since stay as they were made."""
        self._engine.amend(item_of(item), self._class(label) if self._classes is not None else label)

    def skip(self, item: int) -> None:
        """Gives up on a label that may be missing because it is hard. Estimates then carry the bounds of its loss."""
        self._engine.skip(item_of(item))

    def missing_at_random(self, item: int) -> None:
        """Declares that a label will never come for reasons that have nothing to do with it: the item leaves the pool."""
        self._engine.missing_at_random(item_of(item))

    def run(self, budget: int, oracle: Callable[[int], Any]) -> Estimate:
        """Asks and tells what `oracle` answers, until `budget` more items are labelled. Algorithm 1 of the paper."""
        waiting = list(self.open_items)[:budget]
        for place in range(budget):
            item = waiting[place] if place < len(waiting) else self.ask()
            self.tell(item, oracle(item))
        return self.estimate()

    def estimate(
        self,
        metric: str | None = None,
        *,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
        estimator: str = "regression",
        positive: Any = None,
    ) -> Estimate:
        """The estimate by the labels so far, with its interval.

        Arguments:
            metric: another one than draws were made for: any that `loss` takes by name.
            level: the probability with which the interval is to cover.
            target: `"pool"`, the loss on this very pool, or `"population"`, on what it was drawn from.
            interval: `"ordinary"`; `"guaranteed"`, which covers at all times at once for losses with bounds;
                `"guaranteed_at_budget"`, narrower, for a number of labels fixed beforehand; or `"anytime"`, which may be
                looked at again and again, narrowest at about `planned` labels.
            estimator: `"regression"` (ours), `"lure"` (the paper's), `"controlled"`, `"pure"` or `"iid"` (the plain mean).
            positive: the class that a metric of one class is about.
        """
        found = self.estimates(
            metric, level=level, target=target, interval=interval, planned=planned, estimator=estimator, positive=positive
        )
        if len(found) != 1:
            raise ValueError(f"metric {metric!r} is {len(found)} numbers: use `estimates`")
        return found[0]

    def estimates(
        self,
        *metrics: str | None,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
        estimator: str = "regression",
        positive: Any = None,
    ) -> list[Estimate]:
        """Several metrics from the same labels; one of every class, such as `f1_per_class`, is an estimate a class."""
        found = []
        planned = None if planned is None else natural("planned", planned, 1)
        for metric in metrics or (None,):
            asked = (metric, float(level), target, interval, planned, estimator, self._class(positive))
            for row in self._engine.estimate(*asked):
                if row["class"] is not None and self._names is not None:
                    row["class"] = self._names[row["class"]]
                found.append(Estimate._of(row))
        return found

    def calibration(self, *, bins: int = 10, level: float = 0.95, target: Target = "pool") -> Calibration:
        """Confidence minus accuracy, in bins of confidence."""
        from ._calibration import Calibration

        return Calibration._of(self._engine.calibration(natural("bins", bins, 1), float(level), target))

    @overload
    def report(self, path: None = None, *, level: float = 0.95, target: Target = "pool") -> str: ...
    @overload
    def report(
        self, path: str | PathLike[str], *, title: str | None = None, level: float = 0.95, target: Target = "pool"
    ) -> None: ...
    def report(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str | None = None,
        level: float = 0.95,
        target: Target = "pool",
    ) -> str | None:
        """Estimate, interval and diagnostics in words; or, with a path, as a page that can be mailed and printed."""
        if path is None:
            return self._engine.report(float(level), target, "ordinary", "regression")
        from . import _show

        names = None if self._names is None else [str(name) for name in self._names]
        settings = [("surrogate", _named(self._made_with["surrogate"])), ("made for", _named(self._made_with["loss"]))]
        page = self._engine.page(title or "An evaluation by labelwise", float(level), target, names, self._seed, settings)
        _show.written(path, page)
        return None

    def plan(
        self,
        *,
        half_width: float | None = None,
        bar: float | None = None,
        level: float = 0.95,
        target: Target = "pool",
        method: Literal["once", "anytime", "guaranteed"] = "anytime",
    ) -> Plan:
        """How many labels an interval of this half-width takes, or a decision on which side of a bar the metric is."""
        if half_width is None and bar is None:
            raise ValueError("give half_width, or bar, or both")
        return Plan._of(self._engine.plan(half_width, bar, float(level), target, method))

    @property
    def pool_size(self) -> int:
        """N, the items of the pool."""
        return self._engine.counts()[0]

    @property
    def left(self) -> int:
        """How many items can still be drawn."""
        return self._engine.counts()[1]

    @property
    def labels(self) -> int:
        """How many items have a label."""
        return self._engine.counts()[3]

    @property
    def open_items(self) -> npt.NDArray[np.int64]:
        """The items that were asked and wait for a label, in draw order."""
        return self._engine.open_items()

    def draws(self) -> dict[str, Any]:
        """Every draw as columns: item, q, label, loss, what the surrogate expected, and what became of it."""
        columns = self._engine.draws()
        if self._names is not None:
            names = self._names
            columns["label"] = [None if np.isnan(label) else names[int(label)] for label in columns["label"]]
        return columns

    def to_frame(self, library: Literal["pandas", "polars", "dict"] | None = None) -> Any:
        """Every draw as a table: of pandas or polars, whichever is there, or a dictionary of columns."""
        from . import _show

        return _show.frame(self.draws(), library)

    def plot(self, ax: Any = None, *, level: float = 0.95, target: Target = "pool") -> Any:
        """The estimate after each label, with its interval. Needs matplotlib."""
        from . import _show

        shown = self._made_with["loss"]
        name = shown if isinstance(shown, str) else "loss"
        return _show.plot(self._engine.course(float(level), target), name, ax, level)

    def __repr__(self) -> str:
        size, left, draws, labels, _ = self._engine.counts()
        return f"Evaluation(pool_size={size}, draws={draws}, labels={labels}, left={left})"

    def _repr_html_(self) -> str:
        import html

        text = html.escape(repr(self))
        try:
            return f"<p>{text}</p>{self.estimate()._repr_html_()}"
        except _engine.LabelwiseError as error:
            return f"<p>{text}</p><p>{html.escape(str(error))}</p>"

    def __getstate__(self) -> dict[str, Any]:
        return {"made_with": self._made_with, "journal": self._engine.journal()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Every draw is made again and compared: an evaluation is what it was made with, and what happened to it.
        Evaluation.__init__(self, **state["made_with"])
        self._engine.replay(state["journal"])


def _named(thing: Any) -> str:
    """A setting in a word or two."""
    if thing is None:
        return "left to labelwise"
    if isinstance(thing, str):
        return thing
    if isinstance(thing, list | tuple) and all(isinstance(one, str) for one in thing):
        return ", ".join(thing)
    return f"given ({type(thing).__name__})"
