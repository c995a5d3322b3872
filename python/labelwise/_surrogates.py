"""Estimators of scikit-learn, and objects like them, as surrogates that learn."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# Fewer labels than this teach nothing; until then the model's own predictions have to do.
FIRST_LABELS = 20


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
        from ._arrays import table

        return table("features", features)
    if isinstance(features, Sequence):
        # Texts, and whatever else a pipeline begins with.
        if features and isinstance(features[0], str):
            return np.array(features, dtype=object)
        return np.asarray(features)
    return np.asarray(features)


def _take(rows: Any, items: npt.NDArray[np.int64]) -> Any:
    return rows.iloc[items] if hasattr(rows, "iloc") else rows[items]


def _join(one: Any, other: Any) -> Any:
    if hasattr(one, "iloc"):
        import pandas as pd

        return pd.concat([one, other])
    if hasattr(one, "tocsr"):
        import scipy.sparse as sparse

        return sparse.vstack([one, other]).tocsr()
    return np.concatenate([one, other])


def count(features: Any) -> int:
    """How many rows there are."""
    rows = _rows(features)
    return int(rows.shape[0])


class Taught:
    """What an object believes about the pool, fitted to the rows it was given and the labels told so far."""

    def __init__(
        self,
        surrogate: Any,
        features: Any,
        train: tuple[Any, npt.NDArray[Any]] | None,
        classes: int | None,
        before: npt.NDArray[Any],
    ) -> None:
        if features is None:
            raise ValueError("surrogate: an object that learns needs `features`, one row an item")
        self.surrogate, self.features, self.classes, self.before = surrogate, _rows(features), classes, before
        self.train = None if train is None else (_rows(train[0]), train[1])
        if classes is not None and not hasattr(surrogate, "predict_proba"):
            raise ValueError(f"surrogate: {type(surrogate).__name__} has no predict_proba, which probabilities need")

    def __call__(self, seed: int, items: npt.NDArray[np.int64], labels: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        rows, known = _take(self.features, items), labels
        if self.train is not None:
            rows, known = _join(self.train[0], rows), np.concatenate([self.train[1], labels])
        if len(known) < FIRST_LABELS or (self.classes is not None and len(np.unique(known)) < 2):
            return self.before
        fitted = _seeded(self.surrogate, seed)
        # Some objects fit in place and return nothing.
        fitted = fitted.fit(rows, known) or fitted
        return self._classes(fitted) if self.classes is not None else self._values(fitted)

    def _classes(self, fitted: Any) -> npt.NDArray[np.float64]:
        said = np.asarray(fitted.predict_proba(self.features), dtype=np.float64)
        own = np.asarray(getattr(fitted, "classes_", np.arange(said.shape[1] if said.ndim == 2 else 0)))
        assert self.classes is not None
        if said.ndim != 2 or said.shape[0] != len(self.before) or said.shape[1] != len(own):
            raise ValueError(f"surrogate: predict_proba gave an array of shape {said.shape}, not a row an item")
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
        return np.column_stack([np.asarray(mean, dtype=np.float64), np.square(np.asarray(deviation, dtype=np.float64))])


def _seeded(surrogate: Any, seed: int) -> Any:
    """A fresh copy; one that would draw its own randomness draws it from our seed, so that runs can be repeated."""
    fresh = copy.deepcopy(surrogate)
    if hasattr(fresh, "get_params") and hasattr(fresh, "set_params"):
        names = [name for name in fresh.get_params() if name == "random_state" or name.endswith("__random_state")]
        unset = {name: seed % 2**31 for name in names if fresh.get_params()[name] is None}
        if unset:
            fresh.set_params(**unset)
    return fresh
