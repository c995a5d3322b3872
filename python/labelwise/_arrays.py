"""Whatever holds numbers becomes an array: NumPy as it is, everything else copied at most once.

Nothing is imported but NumPy. Tables of pandas, polars, pyarrow and DuckDB are read by the Arrow stream they offer,
tensors of PyTorch by DLPack.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._frames import plain

FloatTable = npt.NDArray[np.float32] | npt.NDArray[np.float64]


def _from(name: str, value: Any) -> npt.NDArray[Any]:
    """An array of anything that holds numbers; rows of unequal length and objects are refused by name."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__arrow_c_stream__"):
        return _engine.numbers(name, plain(value))
    if hasattr(value, "__dlpack__"):
        # A tensor that remembers gradients does not lend its numbers.
        return np.from_dlpack(value.detach() if hasattr(value, "detach") else value)
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        raise ValueError(f"{name} is {value!r}, but must be an array, a table or a list of numbers")
    rows = list(value)
    if rows and hasattr(rows[0], "__len__") and not isinstance(rows[0], str | bytes):
        width = len(rows[0])
        for place, row in enumerate(rows):
            length = len(row) if hasattr(row, "__len__") else 1
            if length != width:
                raise ValueError(f"{name}: row {place} has {length} values, but row 0 has {width}: give all the same")
    try:
        array = np.array(rows)
        # A text among numbers makes texts of all; as objects they show which it is.
        return np.array(rows, dtype=object) if array.dtype.kind in "SU" else array
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None


def _numbers(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Refuses what is no number, and says where it is."""
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind == "O":
        for place, value in np.ndenumerate(array):
            if isinstance(value, bool | int | float | np.number):
                continue
            where = ", ".join(str(index) for index in place)
            raise ValueError(f"{name}[{where}] is {value!r}, but must be a number")
        return array.astype(np.float64)
    first = f", such as {array.flat[0]!r}" if array.size else ""
    raise ValueError(f"{name} holds {array.dtype}{first}, but must hold numbers")


def table(name: str, value: Any, rows: int | None = None) -> FloatTable:
    """An array of f32 or f64 with a row per item; one that is so already is not copied."""
    array = _numbers(name, _from(name, value))
    # One number per item: a feature, a mean, or the probability of the second of two classes.
    if array.ndim == 1 and name in ("features", "mean", "variance", "probabilities", "logits", "surrogate"):
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions, but needs two: a row per item, a column per number")
    if rows is not None and array.shape[0] != rows:
        raise ValueError(f"{name} has {array.shape[0]} rows, but needs {rows}, one per item in the pool's order")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return np.require(array, requirements=["C", "A"])


def vector(name: str, value: Any, size: int | None = None) -> npt.NDArray[np.float64]:
    """An array of f64 with one dimension."""
    array = _numbers(name, _from(name, value))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions, but needs one")
    if size is not None and len(array) != size:
        raise ValueError(f"{name} has {len(array)} values, but needs {size}")
    return np.ascontiguousarray(array, dtype=np.float64)


def natural(name: str, value: Any, least: int = 0) -> int:
    """A whole number that is not below the least one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} is {value!r}, but must be a whole number, at least {least}")
    return int(value)


def above_zero(name: str, value: Any) -> float:
    """A finite number above 0."""
    number = float(value)
    if not 0 < number < float("inf"):
        raise ValueError(f"{name} is {value!r}, but must be a number above 0")
    return number
