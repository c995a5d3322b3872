"""Draws as tables and pictures, by whatever library is there."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

from . import estimators
from ._engine import LabelwiseError
from ._estimate import Estimate


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


def course(
    draws: dict[str, Any], counts: tuple[int, int, int, int, int]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """The estimate after some of the labels, up to all: how many, the values, and 1.96 standard errors."""
    # Of the items that could be drawn: known ones are not among them, nor are those missing at random.
    size, complete = counts[1] + counts[2] - list(draws["state"]).count("missing"), counts[4]
    counted = np.array(draws["state"][:complete]) == "labelled"
    columns = {name: draws[name][:complete][counted] for name in ("loss", "q", "expected_loss", "expected_total")}
    total = int(counted.sum())
    places = np.unique(np.linspace(min(5, total), total, min(total, 120)).astype(int))
    values, errors = [], []
    for end in places:
        part = {name: column[:end] for name, column in columns.items()}
        found = estimators.regression(
            loss=part["loss"], q=part["q"], pool_size=size, control=part["expected_loss"], control_total=part["expected_total"]
        )
        values.append(found.value)
        errors.append(np.nan if found.standard_error is None else 1.96 * found.standard_error)
    return places, np.array(values), np.array(errors)


def plot(
    draws: dict[str, Any], counts: tuple[int, int, int, int, int], estimate: Estimate, ax: Any, level: float
) -> Any:
    """The course of the estimate, label by label."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise LabelwiseError("plot needs matplotlib: install it with `pip install labelwise[plot]`") from None
    places, value, error = course(draws, counts)
    axes = ax if ax is not None else pyplot.subplots()[1]
    axes.fill_between(places, value - error, value + error, alpha=0.2, linewidth=0, label="± 1.96 standard errors")
    axes.plot(places, value, label="estimate")
    # A metric that is shown otherwise than its loss, such as accuracy, has its interval elsewhere.
    if estimate.low is not None and estimate.high is not None and estimate.low <= value[-1] <= estimate.high:
        ends = [[value[-1] - estimate.low], [estimate.high - value[-1]]]
        axes.errorbar([places[-1]], [value[-1]], ends, fmt="o", capsize=3, label=f"{100 * level:.6g} % interval")
    axes.set_xlabel("labels")
    axes.set_ylabel("mean loss")
    axes.legend()
    return axes
