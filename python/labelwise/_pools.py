"""The predictions of a model as the engine takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._arrays import natural, table, vector
from ._frames import as_pool, ordered
from ._judge import said

_NAMES = (
    "format", "probabilities", "probability", "classes", "logits", "mean", "variance", "std", "hard", "scores", "ids", "labels",
    "filter", "epoch",
)  # fmt: skip
_LISTS = ("features", "carry", "surrogate", "judge", "history")


def columns_of(columns: Mapping[str, Any] | None, percent: bool = False, normalise: bool = False) -> dict[str, Any]:
    """Which columns of a pool are what, and how probabilities are written, as the engine takes it."""
    given = dict(columns or {})
    unknown = sorted(set(given) - {*_NAMES, *_LISTS, "single"})
    if unknown:
        raise ValueError(f"columns has {unknown[0]!r}, but its names are {', '.join((*_NAMES, *_LISTS, 'single'))}")
    lists = {name: given.get(name) or [] for name in _LISTS}
    lists = {name: [one] if isinstance(one, str) else list(one) for name, one in lists.items()}
    names = given.get("classes")
    if names is not None:
        given["classes"] = [str(name) for name in names]
        if isinstance(names, str) or len(set(given["classes"])) != 2 or len(given["classes"]) != 2:
            raise ValueError(f"columns has classes={names!r}, but they must be two names, that of the column last")
    if given.get("variance") is not None and given.get("std") is not None:
        raise ValueError("columns has variance and std: give one of them")
    given["single"] = bool(given.get("single", False))
    if given.get("epoch") is not None:
        given["epoch"] = natural("epoch", given["epoch"], 1)
    return {**dict.fromkeys(_NAMES), **given, **lists, "percent": bool(percent), "normalise": bool(normalise)}


def is_source(pool: Any) -> bool:
    return isinstance(pool, str | os.PathLike)


def _texts(values: Iterable[Any] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]


def pool_of(
    source: Any = None,
    *,
    columns: Mapping[str, Any] | None = None,
    percent: bool = False,
    normalise: bool = False,
    probabilities: Any = None,
    logits: Any = None,
    mean: Any = None,
    variance: Any = None,
    std: Any = None,
    classes: Sequence[str] | None = None,
    ids: Iterable[Any] | None = None,
    carry: Mapping[str, Iterable[Any]] | None = None,
    features: Any = None,
    judge: Any = None,
    history: Any = None,
) -> dict[str, Any]:
    """The predictions of a model as the engine takes them: a file, a table, or arrays."""
    if source is None and columns is not None:
        raise ValueError("columns are of a pool that is a file or a table: give `pool` with them")
    if variance is not None and std is not None:
        raise ValueError("variance and std say the same: give one of them")
    if (percent or normalise) and mean is not None:
        raise ValueError(f"`{'percent' if percent else 'normalise'}` is only for class probabilities: remove it")
    rows = None if probabilities is None else table("probabilities", probabilities)
    rows_of_logits = None if logits is None else table("logits", logits)
    means = None if mean is None else vector("mean", mean)
    size = next((len(given) for given in (rows, rows_of_logits, means) if given is not None), None)
    of_classes = rows if rows is not None else rows_of_logits
    if of_classes is not None and classes is not None:
        width = width_of(of_classes)
        if len(classes) != width or len(set(classes)) != width:
            raise ValueError(f"classes has {len(set(classes))} different names, but there are {width} columns of probabilities")
    return {
        "source": os.fspath(source) if is_source(source) else as_pool(source, columns),
        "columns": columns_of(columns, percent, normalise), "probabilities": rows, "logits": rows_of_logits, "mean": means,
        "variance": None if variance is None else vector("variance", variance, size),
        "std": None if std is None else vector("std", std, size),
        "classes": None if classes is None else list(classes), "ids": _texts(ids),
        "carry": [(str(name), _texts(values)) for name, values in (carry or {}).items()],
        "features": None if features is None else table("features", features, size),
        "judges": said("judge", judge), "history": said("history", history),
    }  # fmt: skip


def width_of(rows: Any) -> int:
    """The number of classes of an array: one column alone is the probability of the second of two."""
    return 2 if rows.shape[1] == 1 else int(rows.shape[1])


def model_of(
    model: Any, is_values: bool, columns: Mapping[str, Any] | None, classes: Any, percent: bool, normalise: bool
) -> dict[str, Any]:
    """A model of a comparison: a file, a table with ids, or arrays."""
    if is_source(model) or (columns is not None and hasattr(model, "__arrow_c_stream__")):
        return pool_of(model, columns=columns, percent=percent, normalise=normalise)
    if is_values:
        mean, variance = model if isinstance(model, tuple) else (model, None)
        return pool_of(mean=mean, variance=variance)
    rows = table("probabilities", model)
    rows = ordered("probabilities", model, rows, classes)
    return pool_of(probabilities=rows, classes=classes, percent=percent, normalise=normalise)
