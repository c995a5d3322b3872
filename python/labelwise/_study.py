"""What every evaluation can be told and asked, in memory and in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import above_zero, natural
from ._asked import Asked, Refused, pairs, several
from ._estimate import Estimate
from ._plan import Check, Plan

if TYPE_CHECKING:
    from ._calibration import Calibration
    from ._compare import Difference, Shared
    from ._judge import Disagreement, Worth
    from ._label import LabelPage

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


class Study:
    """An evaluation, in memory (`Evaluation`), in a file (`DurableEvaluation`), or of several models (`Comparison`)."""

    def __init__(
        self, engine: _engine.Study, decisions: Sequence[str], told: Mapping[str, Any] | None, who: str = ""
    ) -> None:
        self._engine = engine
        self._told = told
        self.decisions = list(decisions)
        """What was decided where nothing had been said, in sentences."""
        self.who = who
        """Who asks and tells."""

    @overload
    def tell(
        self, item: Any, label: Any, *, key: str | None = None, note: str | None = None, partial: Literal[False] = False
    ) -> None: ...
    @overload
    def tell(
        self, item: Any, label: Any, *, key: str | None = None, note: str | None = None, partial: Literal[True]
    ) -> list[Refused]: ...
    def tell(
        self, item: Any, label: Any, *, key: str | None = None, note: str | None = None, partial: bool = False
    ) -> list[Refused] | None:
        """Records the label of an item that was asked; or of several, all of them or none.

        An item is its row in the pool, its id, or what `waiting` gives; a number is a row in memory, and an id in a file.
        The same label again changes nothing. Another is refused: `amend` corrects labels. Repeating a call with the same key
        records nothing new. With `partial`, the valid labels are recorded, and the others are returned with the reason.
        """
        if partial:
            return [Refused(*row) for row in self._engine.tell_partly(*pairs(item, label), self.who, key, note)]
        if type(item) is int and key is None and note is None:
            self._engine.tell_one(item, label, self.who)
        else:
            self._engine.tell(*pairs(item, label), self.who, key, note, False)
        return None

    def amend(self, item: Any, label: Any, *, key: str | None = None, note: str | None = None) -> None:
        """Corrects labels. Draws made since stay as they were made."""
        self._engine.tell(*pairs(item, label), self.who, key, note, True)

    def skip(self, item: Any, *, note: str | None = None) -> None:
        """Gives up on labels that may be missing because they are hard. Estimates then carry the bounds of their losses."""
        self._engine.give_up(several(item), False, self.who, note)

    def missing_at_random(self, item: Any, *, note: str | None = None) -> None:
        """Declares that labels will never come for reasons that have nothing to do with them: the items leave the pool."""
        self._engine.give_up(several(item), True, self.who, note)

    def waiting(self) -> list[Asked]:
        """The items that were asked and wait for a label, in draw order, with what the labeller needs."""
        return [Asked._of(row) for row in self._engine.waiting()]

    @property
    def open_items(self) -> npt.NDArray[np.int64]:
        """The rows of the items that were asked and wait for a label, in draw order."""
        return np.array([row[2] for row in self._engine.waiting()], dtype=np.int64)

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

    def label(
        self,
        *,
        who: str | None = None,
        browser: bool = True,
        wait: bool = True,
        port: int | None = None,
        invite: Iterable[str] = (),
        goal: int | None = None,
        batch: int = 5,
        overlap: int = 1,
        lease: float = 600.0,
        guide: PathName | None = None,
        question: str | None = None,
        show: Iterable[str] = (),
        fold: Iterable[str] = (),
        pair: tuple[str, str] | None = None,
        media: PathName | None = None,
        title: str | None = None,
    ) -> LabelPage:
        """Opens the labelling page of this evaluation in the browser, as `labelwise label` does.

        It waits until you interrupt it (Ctrl-C, or the stop button of a notebook), and closes the page. With `wait=False` it
        returns at once; the page stays open until `close()`, and labels arrive in this object meanwhile.

        Arguments:
            who: your name, stored with each label [default: that of the evaluation; the page asks if there is none].
            browser: whether to open a browser; the address is `page.address`, and works once.
            wait: whether to wait until you interrupt.
            port: the port of the page [default: 8931, or any free one].
            invite: names of people who get an address of their own, in `page.invitations`.
            goal: number of items to ask in all [default: as last time until that is reached; else the items that wait, or 200 more].
            batch: number of items that are drawn for one person at a time.
            overlap: number of people who label each item; the first label counts, the others are second opinions.
            lease: seconds after which an item that is not answered is given to somebody else.
            guide: a file of instructions in Markdown, recorded with the evaluation.
            question: what stands above the answers.
            show, fold: columns to show, and to show folded [default: all].
            pair: two columns to compare side by side, in random order.
            media: the folder of images and audio that columns name.
            title: the name of the evaluation on the page.
        """
        from ._label import LabelPage

        options = {
            "title": title or self._title(),
            "port": port,
            "who": who or self.who or None,
            "invite": list(invite),
            "goal": None if goal is None else natural("goal", goal, 1),
            "batch": natural("batch", batch, 1),
            "overlap": natural("overlap", overlap, 1),
            "lease": above_zero("lease", lease),
            "guide": None if guide is None else (Path(guide).name, Path(guide).read_text(encoding="utf-8")),
            "question": question,
            "show": list(show),
            "fold": list(fold),
            "pair": pair,
            "media": None if media is None else Path(media),
        }
        page = LabelPage(self._engine.label(options))
        if browser:
            page.open_browser()
        if wait:
            page.wait()
        return page

    def _title(self) -> str:
        path = getattr(self, "path", None)
        return Path(path).stem if path else "An evaluation in memory"

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

        return Worth(*self._engine.worth())

    def disagreements(self, n: int = 20) -> list[Disagreement]:
        """The labelled items on which the judge was surest and wrong, at most `n`, the surest first."""
        from ._judge import Disagreement

        return [Disagreement(*row) for row in self._engine.disagreements(natural("n", n))]

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
        from ._options import model_of

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
        """Of a comparison: every model against the baseline, or against the one that leads by the labels so far."""
        from ._compare import Difference

        reference, rows = self._engine.standings(baseline, how_of(level, target, interval, planned, estimator))
        return [Difference._of(row["model"], reference, row["difference"]) for row in rows if row["difference"]]

    @property
    def settings(self) -> dict[str, Any]:
        """What the evaluation was made with, and how far it has come: the same as `labelwise status` says."""
        return self._engine.status()

    @property
    def fell_back(self) -> str | None:
        """Why the surrogate could not learn when it last was due, if it could not: until it learns again, draws are made by
        what it believed before the first label."""
        found: str | None = self._engine.status()["fell_back"]
        return found

    @property
    def models(self) -> list[str]:
        """The names of the models of a comparison."""
        names: list[str] = self._engine.status()["models"]
        return names

    @property
    def ties(self) -> int:
        """The items of a comparison on which the models cannot differ, whatever the label: they are never asked."""
        return int(self._engine.status()["ties"])

    @property
    def pool_size(self) -> int:
        """N, the items of the pool."""
        return self._engine.counts()[0]

    @property
    def left(self) -> int:
        """How many items can still be asked."""
        return self._engine.counts()[1]

    @property
    def labels(self) -> int:
        """How many items have a label."""
        return self._engine.counts()[3]

    def draws(self) -> dict[str, Any]:
        """Every draw as columns: id, item, q, label, loss, what the surrogate expected, what became of it, and in a file when
        (`at`, microseconds since 1970) and by whom it was asked."""
        columns = self._engine.draws()
        texts: list[str | None] = columns["label"]
        told = self._told
        if self.settings["predictions"] in ("values", "scores"):
            columns["label"] = np.array([np.nan if text is None else float(text) for text in texts])
        elif told is not None and all(type(label) is int for label in told.values()):
            columns["label"] = np.array([np.nan if text is None else told[text] for text in texts], dtype=np.float64)
        else:
            columns["label"] = [None if text is None else self._label(text) for text in texts]
        return columns

    def history(self) -> list[dict[str, Any]]:
        """Everything that was told, in order: what, of which item, the label, a note, when and by whom."""
        return self._engine.history()

    def to_frame(self, library: Literal["pandas", "polars", "dict"] | None = None) -> Any:
        """Every draw as a table: of pandas or polars, whichever is there, or a dictionary of columns."""
        from . import _show

        return _show.frame(self.draws(), library)

    def plot(self, ax: Any = None, metric: str | None = None, *, level: float = 0.95, target: Target = "pool") -> Any:
        """The estimate of a mean loss after each label, with its interval. Needs matplotlib."""
        from . import _show

        shown = metric or self.settings["loss"]
        return _show.plot(self._engine.course(metric, how_of(level, target)), shown, ax, level)

    def verify(self) -> dict[str, float]:
        """Makes every proposal and every draw again, and compares."""
        names = ("refreshes", "draws", "events", "largest_difference")
        return dict(zip(names, self._engine.verify(), strict=True))

    def backup(self, path: PathName) -> Path:
        """Copies an evaluation that is a file into a new file, with every label, while others may go on with it."""
        self._engine.backup(path)
        return Path(path)

    def _counts(self) -> str:
        size, left, draws, labels = self._engine.counts()
        return f"pool_size={size}, draws={draws}, labels={labels}, left={left}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._counts()})"

    def _repr_html_(self) -> str:
        import html

        text = html.escape(repr(self))
        try:
            return f"<p>{text}</p>{self.estimate()._repr_html_()}"
        except (_engine.LabelwiseError, ValueError) as error:
            return f"<p>{text}</p><p>{html.escape(str(error))}</p>"
