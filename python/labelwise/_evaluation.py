"""An evaluation in memory: which items to label, and what their labels say of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import natural
from ._estimate import Estimate
from ._options import CostMatrix, Floor, chosen
from ._study import Study


class Evaluation(Study):
    """An evaluation of a model on a pool of items whose labels are not known yet.

    The model is its predictions: `probabilities`, one row per item and one column per class, or `mean` (and `variance` or
    `std`) of a regression. Arrays of f32 or f64 are read where they lie: do not change them while the evaluation lives.

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
        probabilities: N x C numbers: an array, a table (pandas, polars, pyarrow, DuckDB), a tensor on the CPU, or lists. One
            number per item is the probability of the second of two classes. A path is a pool. The index of a pandas frame is
            not read.
        pool: a file as the program takes it, or a table of pandas, polars, pyarrow or DuckDB with the same columns: `id`,
            `prob_*`, texts for the labeller and so on.
        columns: what the columns of a pool are: `probabilities`, `logits`, `mean`, `variance`, `std`, `hard`, `scores`, `ids`,
            `features`, `carry`, `surrogate`, `judge`, `history`, `format`, each a name or a pattern such as `prob_*`; `probability`
            is the one column of a model with two classes, and `classes` are their names, that of the column last. `filter` and
            `epoch` choose among the results of a log; `single=True` keeps numbers in single precision.
        percent: whether probabilities that sum to 100 are percentages.
        normalise: whether rows of probabilities are divided by their sums, which rounding has moved away from 1.
        logits: numbers as `probabilities`, before the softmax.
        mean: predicted values of a regression.
        variance, std: how sure the model is of each value: its variance, or its standard deviation.
        ids: what items are called, if not by their row.
        classes: the labels as you tell them, in the order of the columns, such as `model.classes_` [default: the names of a
            table's columns, unless they only count; else the sorted texts of the labels in `train`, if they are one per
            column; else 0, 1, 2, ...].
        judge: what a cheap judge says of each item, in the place of predictions: scores from 0 to 1, verdicts, or ratings (with
            `label_range`); a frame or a mapping has a column per judge. What is missing is None or NaN.
        history: results of other models on the items, from 0 to 1, one column per model; NaN where a model did not run. A
            `judge` beside it is the model's own confidence.
        worth: what each class is worth, for the loss `"value"`: `{"A": 1, "tie": 0.5, "B": 0}`.
        group: samples of one prompt, which are drawn and labelled together, for the losses `pass@k` and `pass^k`: the group of each
            item, or the name of a passthrough column. A label is how many of a group's samples are positive, or the class of
            each, such as `"pass|fail|pass"`; items are then groups, in the order in which they first appear.
        prior: an evaluation of an earlier batch with the same judges: what its labels say of them is the prior, and its loss,
            positive class, worths and range are those of this evaluation. `next_batch` of the earlier one does the same.
        carry: passthrough columns for the labeller, and for slices and groups of estimates, by name.
        loss: a name (`rate`, `value`; `log_loss`, `zero_one`, `accuracy`, `brier`; `squared_error`, `absolute_error`, `gaussian_nll`;
            `f1`, `recall`, `roc_auc`, `average_precision`, `rmse`, `r2` and scikit-learn's names of scorers), a list of names that draws are
            shared for, an N x C array with the loss of every item for every label, a `CostMatrix`, or a function of a
            prediction and a label. Of classes the function is called once for every item and class.
        signed: whether a loss of your own may be negative.
        label_range: what labels of a regression lie between, which guaranteed intervals need; of a function of your own,
            what its values lie between.
        positive: the class that metrics of one class are about [default: of two classes, the one named 1, true or yes].
        threshold: of two classes, the probability from which on the positive one is predicted [default: the most probable class
            is predicted].
        cap: the cap of cross-entropy: smaller probabilities count as this one [default: 1e-15].
        surrogate: what is believed about labels that are not known: `"own"` (the model itself), `"none"`, `"forest"`,
            `"logistic"`, `"gp"` or `"linear"` on features, an array of predictions, a file of them, a list of such (an
            ensemble), or any object with `fit` and `predict_proba`, or `predict(..., return_std=True)` [default: a forest if
            there are features, else the model itself].
        features: what a surrogate learns from, one row per item.
        train: rows of features and their labels, which it also learns from; or a file and its column of labels.
        retrain: after how many labels it learns again; a list of numbers of labels; None for never [default: 25].
        calibration: probabilities of items that are not in the pool and their labels, which recalibrate beliefs before the
            first draw; or a file and its column of labels.
        recipe: choices that go together: `"labelwise"`, `"root_mean_square"` or `"paper"` (the paper's); what you give
            besides replaces one of them.
        belief: how the surrogate's beliefs are used: `"recalibrated"` by the labels, or `"as_given"` [default: recalibrated,
            if they are class probabilities and the loss is a mean].
        refresh: after how many labels recalibrated beliefs follow the labels; a list of numbers of labels; None for never
            [default: 10, 20, 50, 100, 200, 400, ...].
        acquisition: how items are scored [default: by the centred deviation of the loss with recalibrated beliefs, else
            by the root mean square of the expected loss].
        floor: the uniform part of every draw [default: 0.2 with recalibrated beliefs, else 0.3]; `"paper"` is the paper's clip.
        rescore: when scores are computed again although the surrogate did not change.
        on_bad_score: `"reject"` a score that is not a number, or take the `"median"` of the others.
        known: losses that are known without a label, by item. They are never drawn, and count exactly.
        design: `"adaptive"`; or, if all items must be chosen before the first label, `"one_shot"` or `"stratified"` with a
            `budget` (and a maximum number of `strata`).
        seed: of all that is random. Equal inputs and seeds give equal draws.
        who: who asks and tells.
    """

    def __init__(
        self,
        probabilities: Any = None,
        *,
        pool: Any = None,
        columns: Mapping[str, Any] | None = None,
        percent: bool = False,
        normalise: bool = False,
        logits: Any = None,
        mean: Any = None,
        variance: Any = None,
        std: Any = None,
        ids: Iterable[Any] | None = None,
        classes: Iterable[Any] | None = None,
        carry: Mapping[str, Iterable[Any]] | None = None,
        judge: Any = None,
        history: Any = None,
        worth: Mapping[Any, float] | None = None,
        group: Any = None,
        prior: Study | None = None,
        loss: str | Sequence[str] | CostMatrix | Callable[[Any, Any], float] | npt.ArrayLike | None = None,
        signed: bool = False,
        label_range: tuple[float, float] | None = None,
        positive: Any = None,
        threshold: float | None = None,
        cap: float | None = None,
        surrogate: Any = None,
        features: Any = None,
        train: tuple[Any, Any] | None = None,
        retrain: int | Sequence[int] | None | Literal["default"] = "default",
        calibration: tuple[Any, Any] | None = None,
        recipe: str | None = None,
        belief: str | None = None,
        refresh: int | Sequence[int] | None | Literal["default"] = "default",
        acquisition: str | None = None,
        floor: Floor | Literal["default"] = "default",
        rescore: int | Sequence[int] | None | Literal["default"] = "default",
        on_bad_score: Literal["reject", "median"] = "reject",
        known: Mapping[int, float] | None = None,
        design: Literal["adaptive", "one_shot", "stratified"] = "adaptive",
        budget: int | None = None,
        strata: int | None = None,
        seed: int = 0,
        who: str = "",
    ) -> None:
        made_with = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        self._made_with = made_with
        options, told = chosen(**made_with)
        if prior is not None:
            made_with["prior"] = options["earlier"]
        super().__init__(*_engine.Study.create(None, options), told, who)

    @overload
    def ask(self, n: None = None) -> int: ...
    @overload
    def ask(self, n: int) -> npt.NDArray[np.int64]: ...
    def ask(self, n: int | None = None) -> int | npt.NDArray[np.int64]:
        """The next item to label, by its row; or the next `n` of them, whose labels may come in any order.

        A surrogate that is due learns first. If it fails, draws go on by what it believed before the first label, and
        `fell_back` says why.
        """
        if n is None:
            return self._engine.ask_one(self.who)
        return self._engine.ask_rows(natural("n", n), self.who, None)

    def run(self, budget: int, oracle: Callable[[int], Any]) -> Estimate:
        """Asks and tells what `oracle` answers, until `budget` more items are labelled. Algorithm 1 of the paper."""
        waiting = self.open_items.tolist()[:budget]
        for place in range(budget):
            item = waiting[place] if place < len(waiting) else self.ask()
            self.tell(item, oracle(item))
        return self.estimate()

    def __getstate__(self) -> dict[str, Any]:
        return {"made_with": self._made_with, "steps": self._engine.steps(), "who": self.who}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Every draw is made again and compared: an evaluation is what it was made with, and what happened to it.
        Evaluation.__init__(self, **state["made_with"])
        self.who = state.get("who", self.who)
        self._engine.replay(state["steps"], self.who)
