"""Evaluations on disk: the same file as the program's, over days, across crashes, by several people."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from . import _engine
from ._arrays import natural
from ._asked import Asked
from ._options import chosen
from ._pools import columns_of
from ._questions import PathName
from ._study import Study


class DurableEvaluation(Study):
    """An evaluation in a file. When `tell` returns, the label is on disk.

    Made by `labelwise.create` and `labelwise.open`; `labelwise ask`, `tell` and `estimate` on the command line work on
    the same file, at the same time too.
    """

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.settings["path"])

    def ask(self, n: int = 1, *, key: str | None = None) -> list[Asked]:
        """The next `n` items to label. Repeating a call with the same key gives the same items again."""
        return [Asked._of(row) for row in self._engine.ask(natural("n", n), self.who, key)]

    def __repr__(self) -> str:
        return f"DurableEvaluation({str(self.path)!r}, {self._counts()})"

    def __reduce__(self) -> tuple[Any, ...]:
        # All of it is in the file, so the file is what is handed on.
        return (open_evaluation, (str(self.path.resolve()),))


def open_evaluation(path: PathName, *, mode: Literal["r+", "r"] = "r+", who: str = "") -> DurableEvaluation:
    """Opens an evaluation that `labelwise new` or `labelwise.create` made; mode `"r"` is for reading only."""
    if mode not in ("r", "r+"):
        raise ValueError(f'mode is {mode!r}, but must be "r+" (to ask and tell) or "r" (read-only)')
    return DurableEvaluation(_engine.Study.open(os.fspath(path), mode == "r+"), (), None, who)


def create(path: PathName, pool: Any = None, *, who: str = "", **options: Any) -> DurableEvaluation:
    """Makes an evaluation in a new file.

    The pool is a file as the program takes it, a table of pandas, polars, pyarrow or DuckDB with the same columns (`id`,
    `prob_*`, texts for the labeller and so on), or an array of probabilities. The options are those of `Evaluation`; a loss
    or a surrogate of your own is refused, since a file cannot keep it.
    """
    if pool is not None:
        is_pool = isinstance(pool, str | os.PathLike) or hasattr(pool, "__arrow_c_stream__")
        options["pool" if is_pool else "probabilities"] = pool
    made, told = chosen(**options)
    return DurableEvaluation(*_engine.Study.create(os.fspath(path), made), told, who)


def read_pool(
    path: PathName,
    *,
    format: str | None = None,
    probabilities: str | None = None,
    probability: str | None = None,
    classes: Iterable[str] | None = None,
    percent: bool = False,
    normalise: bool = False,
    logits: str | None = None,
    mean: str | None = None,
    variance: str | None = None,
    std: str | None = None,
    hard: str | None = None,
    scores: str | None = None,
    id: str | None = None,
    labels: str | None = None,
    features: str | Iterable[str] | None = None,
    filter: str | None = None,
    epoch: int | None = None,
    single: bool = False,
) -> dict[str, Any]:
    """Reads a pool file as the program does: CSV, JSON Lines, Parquet, Arrow, NumPy, and logs of evaluations, recognised by
    its contents.

    The arguments are names or patterns of columns, such as `prob_*`; `classes`, `percent` and `normalise` are those of
    `Evaluation`; `filter` and `epoch` choose among the results of a log, and `single` keeps numbers in single precision. What comes back has `ids`, `classes`, `probabilities`,
    `mean`, `variance`, `predicted`, `scores`, `labels` and `features`; what the file does not have is None.
    """
    columns = columns_of({
        "format": format, "probabilities": probabilities, "probability": probability, "classes": classes, "logits": logits,
        "mean": mean, "variance": variance, "std": std, "hard": hard, "scores": scores, "ids": id, "labels": labels,
        "features": features, "filter": filter, "epoch": epoch, "single": single,
    }, percent, normalise)  # fmt: skip
    return _engine.read_pool(os.fspath(path), columns)


def doctor(path: PathName, *, format: str | None = None, filter: str | None = None, epoch: int | None = None) -> dict[str, Any]:
    """What is in a file, what each column can be used as, and which command comes next: the same as `labelwise doctor --json`
    says."""
    found: dict[str, Any] = json.loads(_engine.doctor(path, columns_of({"format": format, "filter": filter, "epoch": epoch})))
    return found
