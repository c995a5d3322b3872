"""Draws as tables and pictures, by whatever library is there."""

from __future__ import annotations

import importlib
from os import PathLike
from pathlib import Path
from typing import Any

from ._engine import LabelwiseError


def frame(columns: dict[str, Any], library: str | None) -> Any:
    """A table of pandas or polars, or the columns as they are."""
    if library not in (None, "pandas", "polars", "dict"):
        raise ValueError(f'library is {library!r}, but must be one of "pandas", "polars" and "dict"')
    for name in ("pandas", "polars") if library is None else (library,):
        if name == "dict":
            break
        try:
            return importlib.import_module(name).DataFrame(columns)
        except ImportError:
            if library is not None:
                raise LabelwiseError(f"{name} is not installed: install it, or ask for library='dict'") from None
    return columns


def plot(
    course: list[tuple[int, float, tuple[float, float] | None, tuple[float, float] | None]], name: str, ax: Any, level: float
) -> Any:
    """The course of the estimate, label by label, compared with what uniform sampling is expected to give."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise LabelwiseError("plot needs matplotlib: install it with `pip install labelwise[plot]`") from None
    axes = ax if ax is not None else pyplot.subplots()[1]
    percent = f"{100 * level:.6g} %"

    def band(drawn: list[tuple[int, float, float]], said: str, colour: str) -> None:
        if drawn:
            labels, low, high = zip(*drawn, strict=True)
            axes.fill_between(labels, low, high, alpha=0.25, linewidth=0, color=colour, label=said)

    uniform = [(labels, *ends) for labels, _, _, ends in course if ends is not None]
    band(uniform, f"{percent} interval of uniform sampling, expected", "0.5")
    band([(labels, *ends) for labels, _, ends, _ in course if ends is not None], f"{percent} interval", "C0")
    axes.plot([stop[0] for stop in course], [stop[1] for stop in course], label="estimate")
    # Early intervals are wide, and would flatten everything that comes later.
    late = [end for stop in course[len(course) // 3 :] if stop[2] is not None for end in stop[2]]
    if late and min(late) < max(late):
        room = 0.15 * (max(late) - min(late))
        axes.set_ylim(min(late) - room, max(late) + room)
    axes.set_xlabel("labels")
    axes.set_ylabel(name)
    axes.legend()
    return axes


def written(path: str | PathLike[str], text: str) -> Path:
    """Writes a file, whole or not at all."""
    path = Path(path)
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
