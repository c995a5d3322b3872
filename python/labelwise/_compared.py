"""What a comparison is made with, as the engine takes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ._arrays import table
from ._frames import class_names
from ._judge import text_of
from ._options import _loss, _options, _surrogate, _worths, floor_of, seed_of
from ._pools import is_source, model_of, pool_of, width_of


def compared(
    models: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    judge: Mapping[str, Any] | None = None,
    worth: Mapping[Any, float] | None = None,
    classes: Iterable[Any] | None = None,
    positive: Any = None,
    ids: Iterable[Any] | None = None,
    carry: Mapping[str, Mapping[str, Iterable[Any]]] | None = None,
    values: bool = False,
    columns: Mapping[str, Any] | None = None,
    percent: bool = False,
    normalise: bool = False,
    common: bool = False,
    loss: Any = None,
    label_range: Any = None,
    threshold: float | None = None,
    cap: float | None = None,
    surrogate: Any = None,
    acquisition: str | None = None,
    floor: Any = "default",
    seed: Any = 0,
    who: str = "",
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The options of a comparison, and its classes by the names that labels have."""
    if (models is None) == (judge is None):
        raise ValueError("give either models, or judge with what it says of each of two systems")
    judged = judge is not None or bool((columns or {}).get("judge"))
    told: dict[str, Any] | None = None
    names: list[str] | None = None
    if judge is not None:
        pools = _systems(judge, ids, carry)
    elif ids is not None or carry is not None:
        raise ValueError("ids and carry are of a judge: other models have them in their tables")
    else:
        named = models if isinstance(models, Mapping) else _by_name(models or (), judged)
        told = None if values or columns is not None else _shared_classes(named.values())
        names = None if told is None else list(told)
        pools = [(str(name), model_of(model, values, columns, names, percent, normalise)) for name, model in named.items()]
    if not judged and (worth is not None or classes is not None or positive is not None):
        raise ValueError("worth, classes and positive are of a judge: give it with columns, or as judge")
    options = _options(
        pools, common=bool(common), range=label_range, threshold=None if threshold is None else float(threshold),
        worths=_worths(worth), label_classes=[text_of(name) for name in classes or ()],
        positive=None if positive is None else text_of(positive),
        cap=None if cap is None else float(cap), acquisition=acquisition, seed=seed_of(seed),
        floor=None if floor == "default" else floor_of(floor), **_surrogate(surrogate, values, names), **_loss(loss, names),
    )  # fmt: skip
    return options, told


def _by_name(models: Sequence[Any], judged: bool) -> dict[str, Any]:
    """Models by their places; systems in files by the names of these, as the program has it."""
    if judged and all(is_source(model) for model in models):
        stems = [PurePath(model).stem for model in models]
        names = stems if len(set(stems)) == len(stems) else [PurePath(model).name for model in models]
        if len(set(names)) == len(names):
            return dict(zip(names, models, strict=True))
    return {str(place): model for place, model in enumerate(models)}


def _systems(
    judge: Mapping[str, Any], ids: Iterable[Any] | None, carry: Mapping[str, Mapping[str, Iterable[Any]]] | None
) -> list[tuple[str, dict[str, Any]]]:
    """Two systems by what a judge says of their answers."""
    if not isinstance(judge, Mapping) or len(judge) != 2:
        raise ValueError('judge must have what the judge says of two systems by their names: {"v3": scores, "v4": scores}')
    if unknown := sorted(str(name) for name in set(carry or {}) - set(judge)):
        raise ValueError(f"carry has {unknown[0]!r}, but the systems are {', '.join(map(str, judge))}")
    shared = None if ids is None else list(ids)
    pools = [(str(name), pool_of(judge=value, ids=shared, carry=(carry or {}).get(name))) for name, value in judge.items()]
    (one, first), (two, second) = pools
    # A series has a name of its own, which may be that of the system.
    if len(first["judges"]) != len(second["judges"]):
        raise ValueError(f"{one} has {len(first['judges'])} judges and {two} has {len(second['judges'])}: give both the same")
    return pools


def _shared_classes(models: Iterable[Any]) -> dict[str, Any] | None:
    """The classes of models that are arrays: by the first table whose columns have their names, else by their places."""
    widths = [width_of(table("probabilities", model)) for model in models if not is_source(model)]
    if not widths:
        return None
    found = (class_names(model, widths[0]) for model in models if not is_source(model))
    names = next((names for names in found if names is not None), range(widths[0]))
    return {str(name): name for name in names}
