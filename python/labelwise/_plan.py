"""How many labels it will take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._html import Shown


@dataclass(frozen=True)
class Labels(Shown):
    """A number of labels, and the range it is likely in."""

    expected: int
    low: int
    high: int

    def __int__(self) -> int:
        return self.expected


@dataclass(frozen=True)
class Goal(Shown):
    """The labels that reach a goal by draws as they are made, and by uniform ones; none where nothing can be said."""

    labels: Labels | None
    uniform: Labels | None


@dataclass(frozen=True)
class Check(Shown):
    """Whether a metric is below or above a threshold."""

    verdict: str
    """`met`, `not met` or `undecided`."""
    low: float | None
    """The lower end of the range that is left for the metric; none if there is no bound."""
    high: float | None
    """Its upper end."""
    labels: int
    """The labels behind the answer."""
    certain: bool
    """Whether the labels leave no doubt, whatever the other items are."""
    more: Labels | None
    """How many more labels will probably decide; none where it is decided or cannot be foreseen."""

    @property
    def decided(self) -> bool:
        """Whether there is an answer."""
        return self.verdict != "undecided"

    @property
    def met(self) -> bool:
        """Whether the answer is that the threshold is met."""
        return self.verdict == "met"

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Check:
        return cls(**{**row, "more": None if row["more"] is None else Labels(*row["more"])})


@dataclass(frozen=True)
class Plan(Shown):
    """What labels will buy.

    It rests on the surrogate before there are enough labels, and that may be wrong; on the labels' variance after that.
    """

    expected: float | None
    """The metric as expected, or as estimated."""
    rests_on: str | None
    """`surrogate` or `labels`; none where neither says anything."""
    labels: int
    """The labels so far."""
    pool_size: int
    """The items of the pool."""
    half_width: Goal | None
    """For an interval of the half-width that was asked for."""
    bar: Goal | None
    """For a decision on which side of the threshold the metric is."""

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Plan:
        def labels(triple: tuple[int, int, int] | None) -> Labels | None:
            return None if triple is None else Labels(*triple)

        def goal(pair: tuple[Any, Any] | None) -> Goal | None:
            return None if pair is None else Goal(labels(pair[0]), labels(pair[1]))

        return cls(**{**row, "half_width": goal(row["half_width"]), "bar": goal(row["bar"])})
