"""Items that are asked for, and labels that were refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._html import Shown


@dataclass(frozen=True)
class Asked(Shown):
    """An item to be labelled."""

    id: str
    """What it is called: pass this to `tell`."""
    item: int
    """Its row in the pool, from 0."""
    place: int
    """Its place among the draws, from 0."""
    carried: Mapping[str, str] = field(default_factory=dict)
    """What the labeller needs, by column."""

    @classmethod
    def _of(cls, row: tuple[int, str, int, list[tuple[str, str]]]) -> Asked:
        place, name, item, carried = row
        return cls(name, item, place, dict(carried))


@dataclass(frozen=True)
class Refused(Shown):
    """A label that `tell(..., partial=True)` did not record."""

    place: int
    """Its place among the items of the call, from 0."""
    id: str
    """The id of the item, or what was given for it."""
    reason: str
    """Why, in a sentence."""


def is_one(item: Any) -> bool:
    """Whether this is one item, not several."""
    return isinstance(item, str) or not hasattr(item, "__iter__")


def several(item: Any) -> Any:
    """Items, also of one."""
    return [item] if is_one(item) else item


def pairs(item: Any, label: Any) -> tuple[Any, Any]:
    """Items and labels, also of one."""
    return ([item], [label]) if is_one(item) else (item, label)
