"""Estimators of scikit-learn, and objects like them, as surrogates that learn."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def learns(surrogate: Any) -> bool:
    """Whether an object can be fitted and then says what it believes."""
    return hasattr(surrogate, "fit") and (hasattr(surrogate, "predict_proba") or hasattr(surrogate, "predict"))


def _rows(features: Any) -> Any:
    """Features that can be indexed by arrays of rows: arrays, frames of pandas and sparse matrices as they are."""
    if hasattr(features, "iloc") or isinstance(features, np.ndarray):
        return features
    if hasattr(features, "tocsr"):
        return features.tocsr()
    if hasattr(features, "__arrow_c_stream__"):
        from . import _engine

        return _engine.numbers("features", features)
    if isinstance(features, Sequence):
        # Texts, and whatever else a pipeline begins with.
        if features and isinstance(features[0], str):
            return np.array(features, dtype=object)
        return np.asarray(features)
    return np.asarray(features)


def _take(rows: Any, items: npt.NDArray[np.int64]) -> Any:
    return rows.iloc[items] if hasattr(rows, "iloc") else rows[items]


def _columns(rows: Any) -> str:
    """The columns of a table in words; texts have one."""
    count = rows.shape[1] if len(rows.shape) > 1 else 1
    return "1 column" if count == 1 else f"{count} columns"


def _join(one: Any, other: Any) -> Any:
    if hasattr(one, "iloc"):
        import pandas as pd

        return pd.concat([one, other])
    if hasattr(one, "tocsr"):
        import scipy.sparse as sparse

        return sparse.vstack([one, other]).tocsr()
    return np.concatenate([one, other])


class Taught:
    """What an object believes about the pool, fitted to the rows it was given and the labels told so far."""

    def __init__(self, surrogate: Any, features: Any, train: tuple[Any, Any] | None) -> None:
        if features is None:
            raise ValueError("surrogate: an object that learns needs `features`, one row per item")
        self.surrogate, self.features = surrogate, _rows(features)
        self.rows = None if train is None else _rows(train[0])
        self.known: npt.NDArray[Any] = np.array([] if train is None else list(train[1]))
        self.classes: int | None = None
        if self.rows is not None and self.rows.shape[0] != len(self.known):
            rows, labels = self.rows.shape[0], len(self.known)
            raise ValueError(f"train has {rows} rows of features and {labels} labels: give one label per row")
        if self.rows is not None and self.rows.shape[1:] != self.features.shape[1:]:
            one, other = _columns(self.rows), _columns(self.features)
            raise ValueError(f"train has {one} of features, but the items have {other}: give the same columns to both")

    def prepare(self, classes: list[str] | None, size: int) -> npt.NDArray[np.float64]:
        """The labels of its own rows as numbers; the engine calls it once, with the classes of the pool."""
        if self.features.shape[0] != size:
            raise ValueError(f"features has {self.features.shape[0]} rows, but needs {size}, one per item in the pool's order")
        if classes is not None:
            if not hasattr(self.surrogate, "predict_proba"):
                name = type(self.surrogate).__name__
                raise ValueError(f"surrogate: {name} has no predict_proba, which probabilities need")
            places = {name: place for place, name in enumerate(classes)}
            for row, label in enumerate(self.known):
                if str(label) not in places:
                    raise ValueError(f"train: label {label} of row {row} is not one of the {len(classes)} classes")
            self.classes = len(classes)
            self.known = np.array([places[str(label)] for label in self.known], dtype=np.int64)
        else:
            self.known = self.known.astype(np.float64)
        return self.known.astype(np.float64)

    def __call__(self, seed: int, items: npt.NDArray[np.int64], labels: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        rows, known = _take(self.features, items), labels
        if self.rows is not None:
            rows, known = _join(self.rows, rows), np.concatenate([self.known, labels])
        fitted = _seeded(self.surrogate, seed)
        # Some objects fit in place and return nothing.
        fitted = fitted.fit(rows, known) or fitted
        return self._classes(fitted) if self.classes is not None else self._values(fitted)

    def _classes(self, fitted: Any) -> npt.NDArray[np.float64]:
        said = np.asarray(fitted.predict_proba(self.features), dtype=np.float64)
        own = np.asarray(getattr(fitted, "classes_", np.arange(said.shape[1] if said.ndim == 2 else 0)))
        assert self.classes is not None
        if said.ndim != 2 or said.shape[0] != self.features.shape[0] or said.shape[1] != len(own):
            raise ValueError(f"surrogate: predict_proba gave an array of shape {said.shape}, not a row per item")
        if said.shape[1] == self.classes:
            return np.ascontiguousarray(said)
        # A class that is absent from the labels has no column of its own.
        beliefs = np.zeros((len(said), self.classes))
        beliefs[:, own.astype(np.int64)] = said
        return beliefs

    def _values(self, fitted: Any) -> npt.NDArray[np.float64]:
        try:
            mean, deviation = fitted.predict(self.features, return_std=True)
        except TypeError:
            members = getattr(fitted, "estimators_", None)
            if members is None:
                raise ValueError(
                    f"surrogate: {type(fitted).__name__}.predict takes no return_std, and how sure it is must be known"
                ) from None
            said = np.array([member.predict(self.features) for member in np.ravel(members)])
            mean, deviation = said.mean(axis=0), said.std(axis=0)
        mean, deviation = np.asarray(mean, dtype=np.float64), np.asarray(deviation, dtype=np.float64)
        # Some objects predict a column.
        mean, deviation = (np.ravel(one) if one.ndim == 2 and one.shape[1] == 1 else one for one in (mean, deviation))
        for name, one in (("means", mean), ("standard deviations", deviation)):
            if one.shape != (self.features.shape[0],):
                raise ValueError(f"surrogate: predict gave {name} of shape {one.shape}, not one number per item")
        return np.column_stack([mean, np.square(deviation)])


def _seeded(surrogate: Any, seed: int) -> Any:
    """A fresh copy; one that would draw its own randomness draws it from our seed, so that runs can be repeated."""
    fresh = copy.deepcopy(surrogate)
    if hasattr(fresh, "get_params") and hasattr(fresh, "set_params"):
        names = [name for name in fresh.get_params() if name == "random_state" or name.endswith("__random_state")]
        unset = {name: seed % 2**31 for name in names if fresh.get_params()[name] is None}
        if unset:
            fresh.set_params(**unset)
    return fresh
