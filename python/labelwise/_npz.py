"""Arrays and frames as files of the kind that the program reads: both doors lead to the same evaluation."""

from __future__ import annotations

import os
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ._arrays import table, vector


def columns_of(**named: Any) -> dict[str, Any]:
    """Which columns are what, as the engine takes it."""
    columns: dict[str, Any] = dict.fromkeys(
        ("format", "probabilities", "logits", "mean", "variance", "hard", "scores", "ids", "labels")
    )
    return {**columns, "features": [], "carry": [], **named}


def written(
    folder: Path, options: dict[str, Any], probabilities: Any, mean: Any, variance: Any, ids: Any, classes: Any,
    surrogate: Any, features: Any, train: Any,
) -> None:  # fmt: skip
    """Writes a pool, surrogates and training rows into a folder, and says so in the options."""
    arrays: dict[str, Any] = {}
    columns: dict[str, Any] = {}
    is_values = mean is not None
    if is_values:
        arrays["mean"], columns["mean"] = vector("mean", mean), "mean"
        if variance is not None:
            arrays["variance"], columns["variance"] = vector("variance", variance, len(arrays["mean"])), "variance"
    else:
        arrays["probs"] = table("probabilities", probabilities)
        columns["probabilities"] = "probs"
    size = len(next(iter(arrays.values())))
    names = _texts("classes", classes)
    if ids is not None:
        arrays["id"], columns["ids"] = _texts("ids", ids, size), "id"
    if features is not None:
        arrays["features"], columns["features"] = table("features", features, size), ["features"]
    options["pool"] = os.fspath(saved(folder / "pool.npz", arrays, names))
    options["columns"] = columns_of(**columns)
    if surrogate is not None:
        members = list(surrogate) if isinstance(surrogate, list | tuple) else [surrogate]
        kept = {key: arrays[key] for key in ("id",) if key in arrays}
        for place, member in enumerate(members):
            if isinstance(member, str | PathLike):
                options["surrogate_files"].append(os.fspath(member))
                continue
            said = table("surrogate", member, size)
            own = {"mean": said[:, 0], "variance": said[:, 1]} if is_values and said.shape[1] > 1 else {"probs": said}
            file = saved(folder / f"surrogate-{place}.npz", {**kept, **own}, names)
            options["surrogate_files"].append(os.fspath(file))
    if train is not None:
        rows = table("train", train[0])
        labels = vector("train labels", train[1], len(rows)) if is_values else _texts("train labels", train[1], len(rows))
        file = saved(folder / "train.npz", {"features": rows, "label": labels}, None)
        options["train"] = (os.fspath(file), "label")


def _texts(name: str, values: Any, size: int | None = None) -> Any:
    if values is None:
        return None
    texts = np.array([str(value) for value in values], dtype=np.str_)
    if size is not None and len(texts) != size:
        raise ValueError(f"{name} has {len(texts)} values, but needs {size}")
    return texts


def saved(file: Path, arrays: dict[str, Any], classes: Any) -> Path:
    """Writes arrays into a file by name."""
    named = arrays if classes is None else {**arrays, "classes": classes}
    # As numpy.savez does it, which however takes no column called `file`.
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in named.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
    return file


def table_of(frame: Any) -> dict[str, Any]:
    """The columns of a frame, texts as NumPy has them."""
    from ._arrow import columns

    found = columns(frame, "pool")
    return {name: _texts(name, column) if column.dtype.kind == "O" else column for name, column in found.items()}
