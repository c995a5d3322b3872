"""Evaluations on disk: the same file as the program's, over days, across crashes, by several people."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from . import _engine, _show
from ._arrays import natural
from ._calibration import Calibration
from ._estimate import Estimate
from ._evaluation import Interval, Target
from ._npz import columns_of, saved, table_of, written
from ._options import Floor, floor_of, seed_of, when_of
from ._plan import Plan

PathName: TypeAlias = str | PathLike[str]


@dataclass(frozen=True)
class Asked:
    """An item to be labelled."""

    id: str
    """What it is called: pass this to `tell`."""
    item: int
    """Its row in the pool, from 0."""
    place: int
    """Its place among the draws, from 0."""
    carried: Mapping[str, str] = field(default_factory=dict)
    """What the labeller needs, by column."""


class DurableEvaluation:
    """An evaluation in a file. When `tell` returns, the label is on disk.

    Made by `labelwise.create` and `labelwise.open`; `labelwise ask`, `tell` and `estimate` on the command line work on
    the same file, at the same time too.
    """

    def __init__(self, engine: _engine.DurableEngine, decisions: Sequence[str] = (), who: str = "") -> None:
        self._engine = engine
        self.decisions = list(decisions)
        """What was decided where nothing had been said, in sentences."""
        self.who = who
        """Who asks and tells."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the evaluation was made with."""
        return self._engine.settings()

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self._engine.settings()["path"])

    def ask(self, n: int = 1, *, key: str | None = None) -> list[Asked]:
        """The next `n` items to label. Under a key, asking again says the same items again."""
        return [_asked(row) for row in self._engine.ask(natural("n", n), self.who, key)]

    def waiting(self) -> list[Asked]:
        """The items that were asked and wait for a label, in draw order."""
        return [_asked(row) for row in self._engine.open_items()]

    def tell(self, id: Any, label: Any, *, key: str | None = None, note: str | None = None) -> None:
        """Records the label of an item by its id; or of several, all of them or none."""
        self._engine.tell(_pairs(id, label), self.who, key, note)

    def amend(self, id: Any, label: Any, *, key: str | None = None, note: str | None = None) -> None:
        """Corrects labels. Draws made since stay as they were made."""
        self._engine.amend(_pairs(id, label), self.who, key, note)

    def skip(self, id: Any, *, note: str | None = None) -> None:
        """Gives up on a label that may be missing because it is hard."""
        self._engine.give_up([_id(one) for one in _several(id)], False, self.who, note)

    def missing_at_random(self, id: Any, *, note: str | None = None) -> None:
        """Declares that a label will never come for reasons that have nothing to do with it."""
        self._engine.give_up([_id(one) for one in _several(id)], True, self.who, note)

    def estimate(
        self,
        metric: str | None = None,
        *,
        level: float = 0.95,
        target: Target = "pool",
        interval: Interval = "ordinary",
        planned: int | None = None,
        estimator: str = "regression",
        positive: str | None = None,
    ) -> Estimate:
        """The estimate by the labels so far, with its interval: see `Evaluation.estimate`."""
        found = self.estimates(
            *([] if metric is None else [metric]),
            level=level, target=target, interval=interval, planned=planned, estimator=estimator, positive=positive,
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
        estimator: str = "regression",
        positive: str | None = None,
        by: str | None = None,
        group: str | None = None,
    ) -> list[Estimate]:
        """Several metrics from the same labels. `by` is a column whose values are slices, `group` one whose values are
        groups of like items."""
        rows = self._engine.estimate(
            list(metrics), float(level), target, interval, planned, estimator, positive, by, group
        )
        return [Estimate._of(row) for row in rows]

    def calibration(self, *, level: float = 0.95, target: Target = "pool") -> Calibration:
        """Confidence minus accuracy, in ten bins of confidence."""
        return Calibration._of(self._engine.calibration(float(level), target))

    def plan(
        self,
        metric: str | None = None,
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
        return Plan._of(self._engine.plan(metric, half_width, bar, float(level), target, method))

    @property
    def pool_size(self) -> int:
        """N, the items of the pool."""
        return self._engine.counts()[0]

    @property
    def left(self) -> int:
        """How many are left to be asked."""
        return self._engine.counts()[1]

    @property
    def labels(self) -> int:
        """How many items have a label."""
        return self._engine.counts()[3]

    def draws(self) -> dict[str, Any]:
        """Every draw as columns: id, item, q, label, loss, what became of it, when and by whom it was asked."""
        return self._engine.draws()

    def to_frame(self, library: Literal["pandas", "polars", "dict"] | None = None) -> Any:
        """Every draw as a table: of pandas or polars, whichever is there, or a dictionary of columns."""
        return _show.frame(self.draws(), library)

    def verify(self) -> dict[str, float]:
        """Makes every proposal and every draw again from the file, and compares."""
        names = ("refreshes", "draws", "events", "largest_difference")
        return dict(zip(names, self._engine.verify(), strict=True))

    def report(
        self,
        path: PathName,
        metric: str | None = None,
        *,
        title: str | None = None,
        level: float = 0.95,
        target: Target = "pool",
    ) -> Path:
        """Writes the report of a mean loss as one page, which can be mailed and printed: the program's `labelwise report`."""
        return _show.written(path, self._engine.page(title, metric, float(level), target))

    def plot(self, ax: Any = None, metric: str | None = None, *, level: float = 0.95, target: Target = "pool") -> Any:
        """The estimate of a mean loss after each label, with its interval. Needs matplotlib."""
        shown = metric or self.settings["loss"]
        return _show.plot(self._engine.course(metric, float(level), target), shown, ax, level)

    def __repr__(self) -> str:
        size, left, draws, labels = self._engine.counts()
        return f"DurableEvaluation({str(self.path)!r}, pool_size={size}, draws={draws}, labels={labels}, left={left})"

    def _repr_html_(self) -> str:
        import html

        text = html.escape(repr(self))
        try:
            return f"<p>{text}</p>{self.estimate()._repr_html_()}"
        except _engine.LabelwiseError as error:
            return f"<p>{text}</p><p>{html.escape(str(error))}</p>"

    def __reduce__(self) -> tuple[Any, ...]:
        # All of it is in the file, so the file is what is handed on.
        return (open_evaluation, (str(self.path.resolve()),))


def _asked(row: tuple[int, str, int, list[tuple[str, str]]]) -> Asked:
    place, name, item, carried = row
    return Asked(name, item, place, dict(carried))


def _several(one: Any) -> list[Any]:
    if isinstance(one, str | Asked | int | np.integer):
        return [one]
    return list(one)


def _id(one: Any) -> str:
    return one.id if isinstance(one, Asked) else str(one)


def _label(label: Any) -> str:
    if label is None or (isinstance(label, float) and np.isnan(label)):
        raise ValueError(f"label is {label!r}: use skip for items that nobody will label")
    if isinstance(label, bool | np.bool_):
        return str(int(label))
    return repr(float(label)) if isinstance(label, float | np.floating) else str(label)


def _pairs(ids: Any, labels: Any) -> list[tuple[str, str]]:
    if isinstance(ids, str | Asked | int | np.integer):
        return [(_id(ids), _label(labels))]
    ids, labels = list(ids), list(labels)
    if len(ids) != len(labels):
        raise ValueError(f"there are {len(ids)} ids and {len(labels)} labels: give one label an id")
    return [(_id(one), _label(label)) for one, label in zip(ids, labels, strict=True)]


def open_evaluation(path: PathName, *, mode: Literal["r+", "r"] = "r+", who: str = "") -> DurableEvaluation:
    """Opens an evaluation that `labelwise new` or `labelwise.create` made; mode `"r"` is for reading only."""
    if mode not in ("r", "r+"):
        raise ValueError(f'mode is {mode!r}, but must be "r+" (to ask and tell) or "r" (to look)')
    return DurableEvaluation(_engine.DurableEngine.open(os.fspath(path), mode == "r+"), who=who)


def _patterns(patterns: str | Iterable[str] | None) -> list[str]:
    return [] if patterns is None else [patterns] if isinstance(patterns, str) else list(patterns)


def read_pool(
    path: PathName,
    *,
    format: str | None = None,
    probabilities: str | None = None,
    logits: str | None = None,
    mean: str | None = None,
    variance: str | None = None,
    hard: str | None = None,
    scores: str | None = None,
    id: str | None = None,
    labels: str | None = None,
    features: str | Iterable[str] | None = None,
) -> dict[str, Any]:
    """Reads a pool file as the program does: CSV, JSON Lines, Parquet, Arrow, NumPy, and logs of evaluations.

    The arguments are names or patterns of columns, such as `prob_*`. What comes back has `ids`, `classes`, `probabilities`,
    `mean`, `variance`, `predicted`, `scores`, `labels` and `features`; what the file does not have is None.
    """
    columns = columns_of(
        format=format, probabilities=probabilities, logits=logits, mean=mean, variance=variance, hard=hard, scores=scores,
        ids=id, labels=labels, features=_patterns(features),
    )  # fmt: skip
    return _engine.read_pool(os.fspath(path), columns)


def create(
    path: PathName,
    pool: Any = None,
    *,
    probabilities: Any = None,
    mean: Any = None,
    variance: Any = None,
    ids: Iterable[Any] | None = None,
    classes: Iterable[Any] | None = None,
    columns: Mapping[str, Any] | None = None,
    loss: str | Sequence[str] | None = None,
    positive: str | None = None,
    label_range: tuple[float, float] | None = None,
    surrogate: Any = None,
    features: Any = None,
    train: tuple[Any, Any] | None = None,
    retrain: int | Sequence[int] | None | Literal["default"] = "default",
    acquisition: str | None = None,
    floor: Floor | Literal["default"] = "default",
    rescore: int | Sequence[int] | None = None,
    design: Literal["adaptive", "one_shot", "stratified"] = "adaptive",
    budget: int | None = None,
    strata: int | None = None,
    seed: int = 0,
    who: str = "",
) -> DurableEvaluation:
    """Makes an evaluation in a new file.

    The pool is a file as the program takes it, or a table of pandas, polars, pyarrow or DuckDB with the same columns (`id`,
    `prob_*`, texts for the labeller and so on), with `columns` saying what is what (`probabilities`, `logits`, `mean`,
    `variance`, `hard`, `scores`, `ids`, `features`, `carry`, `format`, each a name or a pattern such as `prob_*`); or it is
    given as arrays: `probabilities`, or `mean` and `variance`, with `ids`, `classes` and `features`.

    `surrogate` is a name, a path of another model's predictions, an array of them, or a list of such. `train` is
    (features, labels), or (a path, the name of its column of labels).
    """
    named = [name for name, value in (("pool", pool), ("probabilities", probabilities), ("mean", mean)) if value is not None]
    if len(named) != 1:
        raise ValueError("give one of pool (a file), probabilities and mean")
    frame = pool if hasattr(pool, "__arrow_c_stream__") else None
    if pool is not None and frame is None and not isinstance(pool, str | PathLike):
        probabilities, pool = pool, None
    aims = [] if loss is None else [loss] if isinstance(loss, str) else list(loss)
    options: dict[str, Any] = {
        "columns": columns_of(), "carry_texts": pool is not None, "aims": aims, "positive": positive, "range": label_range, "surrogate": None,
        "surrogate_columns": [], "surrogate_files": [], "train": None,
        "retrain": None if retrain == "default" else [] if retrain is None else when_of("retrain", retrain),
        "acquisition": acquisition, "floor": None if floor == "default" else floor_of(floor), "rescore": when_of("rescore", rescore),
        "seed": seed_of(seed), "design": design, "budget": None if budget is None else natural("budget", budget, 1),
        "strata": None if strata is None else natural("strata", strata, 1),
    }  # fmt: skip
    if isinstance(surrogate, str) and not Path(surrogate).suffix:
        options["surrogate"], surrogate = surrogate, None
    if pool is not None:
        given = dict(columns or {})
        for name in ("features", "carry"):
            given[name] = _patterns(given.get(name))
        options["surrogate_columns"] = _patterns(given.pop("surrogate", None))
        unknown = set(given) - set(columns_of())
        if unknown:
            raise ValueError(f"columns has {sorted(unknown)[0]!r}, but its names are {', '.join(columns_of())} and surrogate")
        options["columns"] = columns_of(**given)
        if train is not None:
            options["train"] = (os.fspath(train[0]), str(train[1]))
        options["surrogate_files"] = [os.fspath(file) for file in _files(surrogate)]
        if frame is None:
            options["pool"] = os.fspath(pool)
            return _made(path, options, who)
        with tempfile.TemporaryDirectory() as folder:
            options["pool"] = os.fspath(saved(Path(folder) / "pool.npz", table_of(frame), None))
            return _made(path, options, who)
    with tempfile.TemporaryDirectory() as folder:
        # Arrays go through a file of the kind the program reads, so that both doors lead to the same evaluation.
        written(Path(folder), options, probabilities, mean, variance, ids, classes, surrogate, features, train)
        return _made(path, options, who)


def _made(path: PathName, options: dict[str, Any], who: str) -> DurableEvaluation:
    engine, decisions = _engine.DurableEngine.create(os.fspath(path), options)
    return DurableEvaluation(engine, decisions, who)


def _files(surrogate: Any) -> list[Any]:
    if surrogate is None:
        return []
    return [surrogate] if isinstance(surrogate, str | PathLike) else list(surrogate)
