"""Judges and histories: what they say as columns of texts, what one label is worth with them, and where they were wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._html import Shown


@dataclass(frozen=True)
class Worth(Shown):
    """The number of uniformly sampled labels that one label is worth: by the judge alone, and with items chosen by it."""

    judge: float
    choosing: float
    judge_range: tuple[float, float]
    choosing_range: tuple[float, float]
    labels: int
    """Labels that it was measured from; 0 for what the judge itself promises."""
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Disagreement(Shown):
    """A labelled item on which the judge was wrong."""

    item: int
    id: str
    judge: str
    label: str
    surety: float
    texts: dict[str, str]
    """The passthrough columns of the item."""

    @classmethod
    def _of(cls, row: tuple[int, str, str, str, float, list[tuple[str, str]]]) -> Disagreement:
        item, id, judge, label, surety, texts = row
        return cls(item, id, judge, label, surety, dict(texts))


@dataclass(frozen=True)
class NextRate:
    """An estimate for a next batch. Its interval does not know whether the assumption holds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Applied(Shown):
    """What labels of one batch say of the next one, which has a judge's verdicts and no labels.

    Both estimates rest on an assumption that these verdicts cannot test: between real batches they were wrong by up to 31
    points. 50 labels of the next batch are a measurement.
    """

    items: int
    labels: int
    judged: tuple[float, float]
    """What the judges say of this batch and of the next one, taken at their word."""
    by_error_rates: NextRate | None
    """If the judge errs as often as here, on positive items and on others."""
    without_error_rates: str | None
    """Why there is no such estimate."""
    by_verdicts: NextRate
    """If a verdict means what it means here."""
    unseen: float
    """The share of the next batch with verdicts that this batch does not have."""

    @classmethod
    def _of(cls, row: tuple[Any, ...]) -> Applied:
        items, labels, judged, rates, reason, verdicts, unseen = row
        return cls(items, labels, judged, rates and NextRate(*rates), reason, NextRate(*verdicts), unseen)


def text_of(value: Any) -> str:
    """A verdict as text; what is missing is blank, and whole numbers have no fraction."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool | np.bool_):
        return "1" if value else "0"
    if isinstance(value, float | np.floating):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)


def said(name: str, value: Any) -> list[tuple[str, list[str]]]:
    """Columns by their names: of a frame, a mapping, a series, or an array with a column per judge."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [(str(key), _texts(column)) for key, column in value.items()]
    columns = getattr(value, "columns", None)
    if columns is not None and hasattr(value, "__getitem__"):
        return [(str(key), _texts(value[key])) for key in columns]
    own = getattr(value, "name", None)
    rows = np.asarray(value, dtype=object) if not isinstance(value, np.ndarray) else value
    if rows.ndim == 1:
        return [(str(own) if own is not None else name, _texts(rows))]
    if rows.ndim != 2:
        raise ValueError(f"{name} has {rows.ndim} dimensions, but must have one (an item) or two (items and columns)")
    return [(f"{name}_{place}", _texts(rows[:, place])) for place in range(rows.shape[1])]


def _texts(column: Iterable[Any]) -> list[str]:
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [text_of(value) for value in values]
