"""What every evaluation can be asked, in memory and in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from . import _engine
from ._arrays import natural
from ._estimate import Estimate
from ._plan import Check, Plan

if TYPE_CHECKING:
    from ._calibration import Calibration
    from ._compare import Difference, Shared, SystemRate
    from ._durable import DurableEvaluation
    from ._evaluation import Evaluation
    from ._judge import Applied, Disagreement, Worth

PathName: TypeAlias = str | PathLike[str]
Target: TypeAlias = Literal["pool", "population"]
"""Whose metric: of this very pool, or of the population that the pool was drawn from."""
Interval: TypeAlias = Literal["ordinary", "guaranteed", "guaranteed_at_budget", "anytime"]
"""How an interval is made: see `Evaluation.estimate`."""
Method: TypeAlias = Literal["anytime", "guaranteed", "once"]
"""How sure an answer about a threshold is: see `Evaluation.check`."""


def how_of(
    level: float, target: str, interval: str = "ordinary", planned: int | None = None, estimator: str = "suited"
) -> dict[str, Any]:
    """How a question is to be answered, as the engine takes it."""
    planned = None if planned is None else natural("planned", planned, 1)
    return {"level": float(level), "target": target, "interval": interval, "planned": planned, "estimator": estimator}


class Questions:
    """Estimates, plans, decisions, comparisons and reports of an evaluation."""

    _engine: _engine.Study
    _told: Mapping[str, Any] | None

    @property
    def settings(self) -> dict[str, Any]:
        """What the evaluation was made with, and how far it has come: the same as `labelwise status` says."""
        return self._engine.status()

    def estimate(
        self,
        metric: str | None = None,
        *,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
        estimator: str = "suited",
        positive: Any = None,
        threshold: float | None = None,
    ) -> Estimate:
        """The estimate by the labels so far, with its interval.

        Arguments:
            metric: another one than draws were made for: any that `loss` takes by name.
            level: the probability with which the interval is to cover.
            target: `"pool"`, the loss on this very pool, or `"population"`, on what it was drawn from.
            interval: `"ordinary"`; `"guaranteed"`, which covers at all times at once for losses with bounds;
                `"guaranteed_at_budget"`, narrower, for a number of labels fixed in advance; or `"anytime"`, which may be
                looked at again and again, narrowest at about `planned` labels.
            estimator: `"suited"` (the default: the one that the evaluation was created with, or the stratified mean of a
                stratified design), `"centred"`, `"regression"`, `"lure"` (the paper's), `"controlled"`, `"pure"`,
                `"importance_sampling"`, `"hansen_hurwitz"` or `"iid"` (the plain mean).
            positive: the class that a metric of one class is about.
            threshold: of two classes, the probability from which on the positive one is predicted, for metrics of predicted
                classes [default: that of the evaluation].
        """
        found = self.estimates(
            *([] if metric is None else [metric]),
            level=level, target=target, interval=interval, planned=planned, estimator=estimator, positive=positive,
            threshold=threshold,
        )  # fmt: skip
        if metric is not None and len(found) != 1:
            raise ValueError(f"metric {metric!r} is {len(found)} numbers: use `estimates`")
        return found[0]

    def estimates(
        self,
        *metrics: str,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
        estimator: str = "suited",
        positive: Any = None,
        threshold: float | None = None,
        by: str | None = None,
        group: str | None = None,
    ) -> list[Estimate]:
        """Several metrics from the same labels; one of every class, such as `f1_per_class`, is an estimate per class.

        `by` is a passthrough column whose values are slices: each metric is estimated for all items and for each slice.
        `group` is one whose values are groups of similar items, which matter if the target is the population.
        """
        positive = None if positive is None else str(positive)
        rows = self._engine.estimate(
            list(metrics), how_of(level, target, interval, planned, estimator), positive,
            None if threshold is None else float(threshold), by, group,
        )
        for row in rows:
            row["class"] = None if row["class"] is None else self._label(row["class"])
        return [Estimate._of(row) for row in rows]

    def _label(self, text: str) -> Any:
        """A label as it was told."""
        return text if self._told is None else self._told.get(text, text)

    def calibration(self, *, bins: int = 10, level: float = 0.95, target: Target = "pool") -> Calibration:
        """Confidence minus accuracy, in bins of confidence."""
        from ._calibration import Calibration

        return Calibration._of(self._engine.calibration(natural("bins", bins, 1), how_of(level, target)))

    @overload
    def report(
        self,
        path: None = None,
        metric: str | None = None,
        *,
        positive: Any = None,
        level: float = 0.95,
        target: Target = "pool",
    ) -> str: ...
    @overload
    def report(
        self,
        path: PathName,
        metric: str | None = None,
        *,
        title: str | None = None,
        positive: Any = None,
        level: float = 0.95,
        target: Target = "pool",
    ) -> Path: ...
    def report(
        self,
        path: PathName | None = None,
        metric: str | None = None,
        *,
        title: str | None = None,
        positive: Any = None,
        level: float = 0.95,
        target: Target = "pool",
    ) -> str | Path:
        """Estimate, interval and diagnostics of a metric in words; or, with a path, as a page that can be mailed and
        printed, the same as `labelwise report` writes. Without a metric, words are about all metrics that the evaluation
        was made for, and a page is about the first of them."""
        how = how_of(level, target)
        named = None if positive is None else str(positive)
        if path is None:
            return self._engine.words(metric, how, named)
        from . import _show

        return _show.written(path, self._engine.html(title, metric, how, named))

    def plan(
        self,
        metric: str | None = None,
        *,
        half_width: float | None = None,
        bar: float | None = None,
        positive: Any = None,
        level: float = 0.95,
        target: Target = "pool",
        method: Method | None = None,
    ) -> Plan:
        """How many labels an interval of this half-width needs, or a decision on which side of a threshold (`bar`) the
        metric is. Metrics that are not averages need 50 labels first. The method is that of `check`."""
        if half_width is None and bar is None:
            raise ValueError("give half_width, or bar, or both")
        named = None if positive is None else str(positive)
        return Plan._of(self._engine.plan(metric, half_width, bar, float(level), target, method, named))

    def worth(self) -> Worth:
        """What one label is worth by the judge alone and with items chosen by it, in labels of uniform sampling. With fewer
        than 50 labels it is what the judge itself promises."""
        from ._judge import Worth

        return Worth(*_engine.judge_worth(self._engine))

    def disagreements(self, n: int = 20) -> list[Disagreement]:
        """The labelled items on which the judge was surest and wrong, at most `n`, the surest first."""
        from ._judge import Disagreement

        return [Disagreement._of(row) for row in _engine.disagreements(self._engine, natural("n", n))]

    def apply(self, judge: Any, *, columns: Mapping[str, Any] | None = None, level: float = 0.95) -> Applied:
        """The rate or the mean value of a next batch that has the verdicts of the same judges and no labels, by two assumptions
        about what stayed the same. `judge` is as in `Evaluation`, with the same names of columns; or a file, or a table with
        `columns`."""
        from ._judge import Applied

        return Applied._of(_engine.apply(self._engine, self._batch(judge, columns), float(level)))

    def next_batch(
        self,
        judge: Any,
        *,
        path: PathName | None = None,
        columns: Mapping[str, Any] | None = None,
        ids: Iterable[Any] | None = None,
        carry: Mapping[str, Iterable[Any]] | None = None,
        seed: int | None = None,
        who: str = "",
    ) -> Evaluation | DurableEvaluation:
        """An evaluation of a next batch, which begins with what these labels say of the judges: 50 labels of it are a measurement,
        and cannot be wrong because of the prior.

        Loss, positive class, worths and range are those of this evaluation, and so is the seed unless another is given. With a
        path it is a file, as that of `labelwise apply --out`.

        Arguments:
            judge: what the same judges say of the next batch, as for `apply`.
            ids, carry: as in `Evaluation`.
        """
        from ._durable import create
        from ._evaluation import Evaluation

        options: dict[str, Any] = {"ids": ids, "carry": carry, "prior": self, "who": who}
        options["seed"] = self.settings["seed"] if seed is None else seed
        if self._is_pool(judge, columns):
            options |= {"pool": judge, "columns": {"judge": _engine.judges(self._engine), **(columns or {})}}
        else:
            options["judge"] = judge
        return Evaluation(**options) if path is None else create(path, **options)

    def _batch(self, judge: Any, columns: Mapping[str, Any] | None) -> dict[str, Any]:
        """A next batch as the engine takes it."""
        from ._pools import pool_of

        if self._is_pool(judge, columns):
            return pool_of(judge, columns={"judge": _engine.judges(self._engine), **(columns or {})})
        return pool_of(judge=judge)

    @staticmethod
    def _is_pool(judge: Any, columns: Mapping[str, Any] | None) -> bool:
        return columns is not None or isinstance(judge, str | PathLike)

    def rates(self, *, level: float = 0.95) -> list[SystemRate]:
        """Of two systems whose answers each have a label: the rate or the mean value of each. Draws are made for the difference,
        so these are less sure."""
        from ._compare import SystemRate

        return [SystemRate(*row) for row in _engine.pair_rates(self._engine, float(level))]

    def check(
        self,
        metric: str | None = None,
        *,
        below: float | None = None,
        above: float | None = None,
        positive: Any = None,
        level: float = 0.95,
        target: Target = "pool",
        method: Method | None = None,
    ) -> Check:
        """Whether a metric is below or above a threshold. You can check after every label and stop at the first answer:
        it is wrong with probability at most 1 - level.

        The method is `"anytime"`; `"guaranteed"`, for any pool and surrogate, with more labels; or `"once"`, by the
        ordinary interval, for a number of labels that was fixed in advance. By default it is `"anytime"`, and `"once"` for
        metrics that have no interval for repeated looks: Matthews' correlation, AUC, R² and calibration.
        """
        if (below is None) == (above is None):
            raise ValueError("give either below or above, and not both")
        value = below if below is not None else above
        assert value is not None
        named = None if positive is None else str(positive)
        row = self._engine.check(metric, float(value), above is not None, float(level), target, method, named)
        return Check._of(row)

    def compare_with(
        self,
        other: Any,
        metric: str | None = None,
        *,
        columns: Mapping[str, Any] | None = None,
        positive: Any = None,
        percent: bool = False,
        normalise: bool = False,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
        estimator: str = "suited",
    ) -> Shared:
        """Another model on the labels of this evaluation: its metric, and how the two differ. Metrics that are not averages
        have the ordinary interval, and `positive` names their class.

        The other model is an array of probabilities or of means in the order of the pool, a pair of means and variances, a
        file, or a table of pandas, polars, pyarrow or DuckDB with ids, of which `columns` says what is what; `percent` and
        `normalise` are those of `Evaluation`. The labels were asked for this model; the estimates for the other one are as valid, but may need more labels.
        """
        from ._compare import Shared
        from ._pools import model_of

        how = how_of(level, target, interval, planned, estimator)
        is_values = self.settings["classes"] is None
        pool = model_of(other, is_values, columns, self.settings["classes"], percent, normalise)
        named = None if positive is None else str(positive)
        return Shared._of(self._engine.compare_with(pool, metric, how, named))

    def differences(
        self,
        *,
        baseline: str | None = None,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
        estimator: str = "suited",
    ) -> list[Difference]:
        """Of a comparison: every model against the baseline, or against the one that leads by the labels so far. Of two systems
        whose answers each have a label, it is always the second against the first."""
        from ._compare import Difference

        reference, rows = self._engine.standings(baseline, how_of(level, target, interval, planned, estimator))
        return [Difference._of(row["model"], reference, row["difference"]) for row in rows if row["difference"]]

    def plot(self, ax: Any = None, metric: str | None = None, *, level: float = 0.95, target: Target = "pool") -> Any:
        """The estimate of a mean loss after each label, with its interval. Needs matplotlib."""
        from . import _show

        shown = metric or self.settings["loss"]
        return _show.plot(self._engine.course(metric, how_of(level, target)), shown, ax, level)
