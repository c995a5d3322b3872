"""What an evaluation is made with, as the engine takes it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from . import _engine
from ._arrays import natural, table
from ._frames import class_names, ordered
from ._judge import text_of
from ._pools import is_source, pool_of, width_of
from ._surrogates import Taught, learns

Floor: TypeAlias = float | tuple[Literal["mixture", "clip"], float] | Literal["paper"] | None
"""How q is kept from zero: a uniform part, the paper's clip, or nothing."""

class CostMatrix:
    """A loss by costs of decisions: a row per predicted class, a column per label.

    >>> import labelwise as lw
    >>> e = lw.Evaluation([[0.9, 0.1], [0.4, 0.6]], loss=lw.CostMatrix([[0, 10], [1, 0]]))
    """

    def __init__(self, costs: Any) -> None:
        self.costs = np.ascontiguousarray(table("costs", costs), dtype=np.float64)


def floor_of(floor: Any) -> tuple[str, float]:
    """A floor as the engine takes it."""
    if floor is None:
        return ("none", 0.0)
    if floor == "paper":
        return ("clip", 0.2)
    if isinstance(floor, tuple):
        return (str(floor[0]), float(floor[1]))
    if isinstance(floor, str):
        raise ValueError(f'floor is {floor!r}, but must be a number, ("clip", a number), "paper" or None')
    return ("mixture", float(floor))


def seed_of(seed: Any) -> int:
    """A seed as the engine takes it."""
    if not isinstance(seed, int | np.integer) or not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed is {seed!r}, but must be a whole number from 0 up to 2**64 - 1")
    return int(seed)


def when_of(name: str, when: Any) -> int | list[int] | None:
    """A schedule as the engine takes it: nothing is left to the engine, an empty list is never."""
    if isinstance(when, str) and when == "default":
        return None
    if when is None:
        return []
    if isinstance(when, int | np.integer):
        if when < 1:
            raise ValueError(f"{name} is {when}, but must be a number of labels above 0, a list of numbers, or None")
        return int(when)
    return [natural(name, number) for number in when]


_GROUP = "group"
"""The passthrough column of groups that are given by item."""


def _options(models: list[tuple[str, dict[str, Any]]], **options: Any) -> dict[str, Any]:
    """Everything that the engine wants to be told; what is not said here is left to it."""
    return {
        "models": models, "common": False, "aims": [], "per_class": None, "costs": None, "function": None, "signed": False,
        "labels": None, "range": None, "worths": [], "label_classes": [], "group": None, "prior": None, "positive": None, "threshold": None, "cap": None, "surrogate": None, "members": [], "surrogate_files": [],
        "learner": None, "train_file": None, "train_rows": None, "retrain": None, "recipe": None,
        "calibration_file": None, "calibration_rows": None,
        "belief": None, "refresh": None, "acquisition": None, "floor": None,
        "rescore": None, "on_bad_score": "reject", "known": [], "design": "adaptive", "budget": None, "strata": None,
        "seed": 0, **options,
    }  # fmt: skip


def chosen(
    probabilities: Any = None,
    *,
    pool: Any = None,
    columns: Mapping[str, Any] | None = None,
    percent: bool = False,
    normalise: bool = False,
    logits: Any = None,
    mean: Any = None,
    variance: Any = None,
    std: Any = None,
    ids: Any = None,
    classes: Any = None,
    carry: Any = None,
    judge: Any = None,
    history: Any = None,
    worth: Mapping[Any, float] | None = None,
    group: Any = None,
    prior: Any = None,
    loss: Any = None,
    signed: bool = False,
    label_range: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    cap: float | None = None,
    surrogate: Any = None,
    features: Any = None,
    train: Any = None,
    retrain: Any = "default",
    calibration: Any = None,
    recipe: str | None = None,
    belief: str | None = None,
    refresh: Any = "default",
    acquisition: str | None = None,
    floor: Any = "default",
    rescore: Any = "default",
    on_bad_score: str = "reject",
    known: Any = None,
    design: str = "adaptive",
    budget: int | None = None,
    strata: int | None = None,
    seed: Any = 0,
    who: str = "",
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The options of an evaluation, and its classes by the names that labels have."""
    if is_source(probabilities):
        pool, probabilities = probabilities, None
    judged = judge is not None or history is not None
    if sum(given is not None for given in (pool, probabilities, logits, mean)) + judged != 1:
        raise ValueError(
            "give either probabilities (a row per item), or logits, or mean, or pool (a file or a table), or judge and "
            "history, and not several"
        )
    told: dict[str, Any] | None = None
    names: list[str] | None = None
    of_classes = probabilities if probabilities is not None else logits
    if classes is not None and of_classes is None and not judged:
        raise ValueError("classes name the columns of `probabilities`: a pool has its own names, and `mean` has none")
    if of_classes is not None:
        rows = table("logits" if probabilities is None else "probabilities", of_classes)
        width = width_of(rows)
        if classes is None:
            classes = class_names(of_classes, rows.shape[1]) if rows.shape[1] > 1 else None
            classes = classes or _classes_of(train, width)
        if probabilities is None:
            logits = rows
        else:
            probabilities = rows
        objects = range(width) if classes is None else classes
        objects = [name.item() if isinstance(name, np.generic) else name for name in objects]
        told, names = {str(name): name for name in objects}, [str(name) for name in objects]
    if group is not None and not isinstance(group, str):
        carry, group = {**(carry or {}), _GROUP: group}, _GROUP
    taught = learns(surrogate)
    # What an object of Python learns from is its own affair; distances are between numbers.
    for_table = features if not taught or acquisition == "distance" else None
    model = pool_of(
        pool, columns=columns, percent=percent, normalise=normalise, probabilities=probabilities, logits=logits,
        mean=mean, variance=variance, std=std, classes=names, ids=ids, carry=carry, features=for_table, judge=judge, history=history,
    )  # fmt: skip
    if train is not None and (not isinstance(train, tuple | list) or len(train) != 2):
        raise ValueError("train must be two: rows of features, and their labels")
    options = _options(
        [("model", model)], signed=bool(signed), range=label_range,
        worths=_worths(worth),
        label_classes=[text_of(name) for name in classes] if judged and classes is not None else [], group=group,
        positive=None if positive is None else text_of(positive),
        threshold=None if threshold is None else float(threshold), cap=None if cap is None else float(cap),
        labels=None if told is None else list(told.values()), retrain=when_of("retrain", retrain), recipe=recipe,
        belief=belief, refresh=when_of("refresh", refresh), acquisition=acquisition,
        floor=None if floor == "default" else floor_of(floor), rescore=when_of("rescore", rescore),
        on_bad_score=on_bad_score, design=design, seed=seed_of(seed),
        known=[(natural("known item", item), float(value)) for item, value in (known or {}).items()],
        budget=None if budget is None else natural("budget", budget, 1),
        strata=None if strata is None else natural("strata", strata, 1),
    )  # fmt: skip
    options.update(_loss(loss, names))
    if prior is not None:
        given = {"loss": loss, "positive": positive, "worth": worth, "classes": classes, "label_range": label_range}
        options.update(_earlier(prior, model, [name for name, value in given.items() if value is not None]))
    options.update(_calibration(calibration, names))
    if taught:
        options["learner"] = Taught(surrogate, features, None if train is None else tuple(train))
    else:
        options.update(_surrogate(surrogate, mean is not None, names))
        options.update(_train(train))
    return options, told


def _worths(worth: Mapping[Any, float] | None) -> list[tuple[str, float]]:
    return [(text_of(name), float(value)) for name, value in (worth or {}).items()]


def _classes_of(train: Any, width: int) -> list[str] | None:
    """The classes of labelled rows in sorted order, as scikit-learn orders a model's columns; None unless they are texts,
    as many as there are columns."""
    if not isinstance(train, tuple | list) or len(train) != 2 or is_source(train[0]) or isinstance(train[1], str):
        return None
    found = set(train[1])
    return sorted(found) if len(found) == width and all(isinstance(label, str) for label in found) else None


def _loss(loss: Any, classes: Sequence[str] | None) -> dict[str, Any]:
    """A loss as the engine takes it."""
    if loss is None:
        return {}
    if isinstance(loss, str):
        return {"aims": [loss]}
    if isinstance(loss, CostMatrix):
        return {"costs": loss.costs}
    if callable(loss):
        return {"function": loss}
    if isinstance(loss, list | tuple) and loss and all(isinstance(name, str) for name in loss):
        return {"aims": list(loss)}
    return {"per_class": np.ascontiguousarray(ordered("loss", loss, table("loss", loss), classes), dtype=np.float64)}


def _surrogate(surrogate: Any, is_values: bool, classes: Sequence[str] | None) -> dict[str, Any]:
    """A surrogate as the engine takes it, unless it is one that Python fits."""
    if surrogate is None:
        return {}
    if isinstance(surrogate, str) and not os.path.splitext(surrogate)[1]:
        return {"surrogate": surrogate}
    several = isinstance(surrogate, list | tuple) and surrogate
    # One row per item is a list of lists of numbers too: members of an ensemble are arrays, tables or files.
    if several and (is_source(surrogate[0]) or np.ndim(surrogate[0]) >= (1 if is_values else 2) or _is_array(surrogate[0])):
        members = list(surrogate)
    else:
        members = [surrogate]
    files = [os.fspath(member) for member in members if is_source(member)]
    arrays = [_beliefs(member, is_values, classes) for member in members if not is_source(member)]
    return {"surrogate": "given", "members": arrays, "surrogate_files": files}


def _is_array(member: Any) -> bool:
    return isinstance(member, np.ndarray) and member.ndim == 1


def _beliefs(member: Any, is_values: bool, classes: Sequence[str] | None) -> Any:
    """What a surrogate believes, as an array: a column per class, or means and perhaps variances."""
    if is_values:
        return table("surrogate", np.reshape(member, (-1, 1)) if np.ndim(member) == 1 else member)
    return ordered("surrogate", member, table("surrogate", member), classes)


def _earlier(prior: Any, model: dict[str, Any], given: list[str]) -> dict[str, Any]:
    """What an evaluation takes over from one of an earlier batch."""
    if given:
        raise ValueError(f"{given[0]} is that of the evaluation in prior: remove it")
    if not isinstance(prior, Mapping):
        if not hasattr(prior, "_engine"):
            raise ValueError(f"prior is {prior!r}, but must be an evaluation of an earlier batch with the same judges")
        prior = {name: value for name, value in _engine.successor(prior._engine, model).items() if name != "seed"}
    # Kept apart, so that a copy of the evaluation does not follow labels that the earlier one gets later.
    return {**prior, "earlier": prior}


def _calibration(calibration: Any, classes: Sequence[str] | None) -> dict[str, Any]:
    """Labelled items that are not of the pool as the engine takes them."""
    if calibration is None:
        return {}
    if not isinstance(calibration, tuple | list) or len(calibration) != 2:
        raise ValueError("calibration must be two: probabilities of other items, and their labels")
    rows, labels = calibration
    if is_source(rows):
        return {"calibration_file": (os.fspath(rows), str(labels))}
    rows = ordered("calibration", rows, table("calibration", rows), classes)
    labels = list(labels)
    if len(rows) != len(labels):
        raise ValueError(f"calibration has {len(rows)} rows of probabilities and {len(labels)} labels: give one label per row")
    return {"calibration_rows": (rows, labels)}


def _train(train: Any) -> dict[str, Any]:
    """Labelled rows as the engine takes them."""
    if train is None:
        return {}
    features, labels = train
    if is_source(features):
        return {"train_file": (os.fspath(features), str(labels))}
    rows = table("features" if np.ndim(features) == 1 else "train", features)
    labels = list(labels)
    if len(rows) != len(labels):
        raise ValueError(f"train has {len(rows)} rows of features and {len(labels)} labels: give one label per row")
    return {"train_rows": (rows, labels)}
