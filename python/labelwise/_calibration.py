"""Whether a model is as sure as it should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._html import Shown


@dataclass(frozen=True)
class Bin(Shown):
    """The items of about the same confidence."""

    low: float
    """The least confidence of the bin."""
    high: float
    """The largest."""
    share: float
    """The share of the pool that is in it."""
    confidence: float | None
    """The mean confidence of its labelled items; none without labels."""
    gap: float | None
    """Confidence minus accuracy: above 0 the model is too sure of itself."""
    gap_low: float | None
    gap_high: float | None
    labels: int
    """The labels in it."""


@dataclass(frozen=True)
class Calibration(Shown):
    """Confidence minus accuracy in bins of confidence, and the mean of its square."""

    squared_error: float | None
    """The squared expected calibration error without its own noise; it may be below 0, and then nothing speaks against
    the model. None while a bin has too few labels."""
    interval: tuple[float, float] | None
    """Where it lies."""
    labels: int
    """The labels behind it."""
    bins: tuple[Bin, ...]
    """The bins from the least confident up."""

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Calibration:
        return cls(**{**row, "bins": tuple(Bin(**one) for one in row["bins"])})
