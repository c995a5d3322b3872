"""Tables of pandas, polars, pyarrow and DuckDB: the names of their columns, and pandas' index kept apart from them.

Nothing is imported: a frame of pandas is known by what it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

# What the program's pools begin the names of class columns with.
_PREFIXES = ("prob_", ".pred_", "p_")
# What a pool's column of ids is called.
_IDS = "id"


def _is_pandas(value: Any) -> bool:
    return hasattr(value, "iloc") and hasattr(value, "index")


def plain(value: Any) -> Any:
    """A frame or series of pandas without its index, which its Arrow stream gives as one more column; all else as it is."""
    if not _is_pandas(value):
        return value
    # A shallow copy: the numbers stay where they are, and the frame that was given keeps its index.
    copied = value.copy(deep=False)
    copied.index = range(len(value))
    return copied


def as_pool(frame: Any, columns: Mapping[str, Any] | None) -> Any:
    """A frame as a pool: an index with a name that means something (ids, or a column that is named) is a column of it."""
    if not _is_pandas(frame):
        return frame
    given = dict(columns or {})
    named = {_IDS, given.get("ids"), given.get("labels"), *_listed(given.get("carry"))} - {None}
    kept = [name for name in frame.index.names if name in named and name not in frame.columns]
    found = plain(frame)
    for name in kept:
        found[name] = frame.index.get_level_values(name).to_numpy()
    return found


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(value or [])


def class_names(value: Any, width: int) -> list[Any] | None:
    """The classes that a table's columns are named after; None where the names only count, as 0, 1, 2 and prob_0 do."""
    names = _column_names(value, width)
    return None if names is None or _only_count([str(name) for name in names]) else names


def _only_count(texts: Sequence[str]) -> bool:
    """Whether names are 0, 1, 2 and so on, after the same word or none."""
    word = texts[0].removesuffix("0")
    return texts[0].endswith("0") and all(text == f"{word}{place}" for place, text in enumerate(texts))


def _column_names(value: Any, width: int) -> list[Any] | None:
    """Different names for every column, without what all names of class columns begin with."""
    if isinstance(value, np.ndarray) or not (hasattr(value, "__arrow_c_stream__") or _is_pandas(value)):
        return None
    # pyarrow's `columns` are the columns themselves.
    names = getattr(value, "column_names", None)
    names = getattr(value, "columns", None) if names is None else names
    if names is None or len(names) != width:
        return None
    names = [name.item() if isinstance(name, np.generic) else name for name in names]
    for prefix in _PREFIXES:
        if all(isinstance(name, str) and name.startswith(prefix) and name != prefix for name in names):
            names = [name.removeprefix(prefix) for name in names]
            break
    return names if len({str(name) for name in names}) == width else None


def ordered(what: str, value: Any, rows: Any, classes: Sequence[str] | None) -> Any:
    """The columns of a table in the order of the classes, where it has their names."""
    names = _column_names(value, rows.shape[1])
    if names is None or classes is None:
        return rows
    texts = [str(name) for name in names]
    if texts == list(classes):
        return rows
    if sorted(texts) == sorted(classes):
        return np.ascontiguousarray(rows[:, [texts.index(name) for name in classes]])
    if len(texts) != len(classes) or _only_count(texts) or _only_count(classes):
        return rows
    other = next(text for text in texts if text not in classes)
    raise ValueError(
        f"{what} has a column {other!r}, but the classes are {', '.join(classes)}; "
        f"rename its columns, or give an array with the columns in the order of the classes"
    )
