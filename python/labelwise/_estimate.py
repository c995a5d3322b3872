"""An estimate with its interval, as it is shown and handed around."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._engine import LabelwiseError


def _short(number: float | None) -> str:
    return "None" if number is None else f"{number:.4g}"


@dataclass(frozen=True, repr=False)
class Estimate:
    """An estimate of a metric, and how far off it may be.

    >>> import labelwise as lw
    >>> lw.Estimate(value=0.31, low=0.27, high=0.36, level=0.95, labels=200)
    Estimate(value=0.31, low=0.27, high=0.36, level=0.95, labels=200)
    """

    value: float
    """The estimate."""
    low: float | None
    """The lower end of the interval; none while there are too few labels for one."""
    high: float | None
    """Its upper end."""
    level: float
    """The probability with which the interval is to cover."""
    labels: int
    """The labels behind the estimate."""
    standard_error: float | None = None
    """The standard error of the loss's mean, or of a metric that is no mean."""
    warnings: tuple[str, ...] = ()
    """What to keep in mind before the numbers are used; empty when nothing stands out."""
    metric: str = "loss"
    """What was measured."""
    class_: str | int | None = None
    """The class that a metric of one class is about."""
    slice: tuple[str, str] | None = None
    """The column and the value of the slice that it is about."""
    target: str = "pool"
    """Whose metric: of this very pool, or of the population it was drawn from."""
    basis: str | None = None
    """What the interval rests on."""
    estimator: str = ""
    """What made the estimate."""
    bias: str = "none"
    """What is known of its bias: none, negligible compared with the standard error, or present unless draws were uniform."""
    pool_size: int = 0
    """The items of the pool, or of the slice."""
    skipped: tuple[float, float] | None = None
    """Where the value would be with every skipped loss at its lower and at its upper bound."""
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    """How the estimate came about: effective hits, effective number of weights, and so on."""

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Estimate:
        if row["value"] is None:
            raise LabelwiseError(f"{row['metric']} has no value: {row['undefined']}")
        named = {key: value for key, value in row.items() if key not in ("undefined", "class", "warnings")}
        return cls(class_=row["class"], warnings=tuple(row["warnings"]), **named)

    @property
    def half_width(self) -> float | None:
        """Half of the interval's width."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def covers(self, value: float) -> bool:
        """Whether a value lies in the interval, but for rounding."""
        if self.low is None or self.high is None:
            return False
        slack = 1e-12 * (1 + abs(value))
        return bool(self.low - slack <= value <= self.high + slack)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        text = f"Estimate(value={_short(self.value)}, low={_short(self.low)}, high={_short(self.high)}"
        return f"{text}, level={self.level:.6g}, labels={self.labels})"

    def __str__(self) -> str:
        between = "no interval yet"
        if self.low is not None and self.high is not None:
            between = f"{100 * self.level:.6g} % interval {self.low:.4f} to {self.high:.4f}"
        about = f" of class {self.class_}" if self.class_ is not None else ""
        return f"{self.metric}{about} {self.value:.4f}, {between}, {self.labels} labels"

    def _repr_html_(self) -> str:
        import html

        between = "no interval yet"
        if self.low is not None and self.high is not None:
            between = f"{self.low:.4g} to {self.high:.4g} ({100 * self.level:.6g} %, {html.escape(self.basis or '')})"
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.warnings)
        notes = f"<ul>{notes}</ul>" if notes else ""
        of = f" of {self.pool_size} items" if self.pool_size else ""
        return (
            f"<table><tr><th>{html.escape(self.metric)}</th><td><b>{self.value:.4g}</b></td></tr>"
            f"<tr><th>interval</th><td>{between}</td></tr><tr><th>labels</th><td>{self.labels}{of}</td></tr></table>{notes}"
        )
