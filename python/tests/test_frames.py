"""Frames of pandas: an index is never a class or a feature, and the names of columns are the classes."""

from __future__ import annotations

from typing import Any

import labelwise as lw
import numpy as np
import pandas as pd
import polars as pl
import pytest

NAMES = ["one", "six", "nine"]


def indices(size: int) -> list[Any]:
    """As they are after a split, after a filter, by name, all alike, and of two levels."""
    shuffled = np.random.default_rng(3).permutation(size)
    return [
        shuffled + 1000, shuffled / 7, [f"row {row}" for row in shuffled], np.zeros(size),
        pd.MultiIndex.from_arrays([shuffled, shuffled]), pd.Index(shuffled, name="prob_3"),
    ]  # fmt: skip


def test_the_index_is_not_a_class(pool) -> None:
    expected = lw.Evaluation(pool.probabilities).ask(40).tolist()
    for index in indices(500):
        frame = pd.DataFrame(pool.probabilities, columns=NAMES, index=index)
        e = lw.Evaluation(frame)
        assert e.settings["classes"] == NAMES
        assert e.ask(40).tolist() == expected
        assert frame.index.equals(pd.Index(index) if not isinstance(index, pd.MultiIndex) else index)
        other = lw.Evaluation(pool.probabilities, surrogate=frame)
        assert other.ask(40).tolist() == expected
        table = lw.Evaluation(pool=frame.add_prefix("prob_"))
        assert table.settings["classes"] == NAMES
        assert table.ask(40).tolist() == expected
        assert table.waiting()[0].carried == {}
        models = lw.compare({"a": frame, "b": pool.probabilities[:, ::-1].copy()})
        assert models.settings["classes"] == NAMES


def test_the_index_is_not_a_feature(pool) -> None:
    plain = {"surrogate": "forest", "features": pool.features, "train": (pool.features[:60], pool.labels[:60])}
    expected = lw.Evaluation(pool.probabilities, **plain).ask(40).tolist()
    for index in indices(500):
        rows = pd.DataFrame(pool.features, index=index)
        framed = {**plain, "features": rows, "train": (rows[:60], pd.Series(pool.labels[:60], index=rows.index[:60]))}
        assert lw.Evaluation(pool.probabilities, **framed).ask(40).tolist() == expected


def test_an_index_of_ids_names_the_items(pool) -> None:
    ids = pd.Index([f"doc {row}" for row in range(500)], name="id")
    frame = pd.DataFrame(pool.probabilities, columns=[f"prob_{name}" for name in NAMES], index=ids)
    e = lw.Evaluation(pool=frame)
    e.ask(1)
    assert e.waiting()[0].id.startswith("doc ")
    e = lw.Evaluation(pool=frame.rename_axis("document"), columns={"ids": "document"})
    e.ask(1)
    assert e.waiting()[0].id.startswith("doc ")


def test_names_of_columns_are_the_classes(pool) -> None:
    p = pool.probabilities
    for frame in (pd.DataFrame(p, columns=NAMES), pl.DataFrame(p, schema=NAMES)):
        e = lw.Evaluation(frame, loss="accuracy")
        items = e.ask(60)
        e.tell(items, [NAMES[label] for label in pool.labels[items]])
        by_place = lw.Evaluation(p, loss="accuracy")
        by_place.tell(by_place.ask(60), pool.labels[items])
        assert e.estimate().value == by_place.estimate().value
        assert set(e.draws()["label"]) <= set(NAMES)
        with pytest.raises(ValueError, match='item "[0-9]+" already has label "(one|six|nine)", not "(one|six|nine)"'):
            e.tell(int(items[0]), NAMES[(pool.labels[items[0]] + 1) % 3])
    whole = lw.Evaluation(pd.DataFrame(p, columns=np.array([3, 5, 8])))
    whole.tell(whole.ask(), 5)
    assert whole.draws()["label"].tolist() == [5.0]
    # Names that only count are the places.
    for names in (None, ["0", "1", "2"], ["column_0", "column_1", "column_2"], ["prob_0", "prob_1", "prob_2"]):
        e = lw.Evaluation(pd.DataFrame(p, columns=names))
        e.tell(e.ask(), 2)
        assert e.settings["classes"] == ["0", "1", "2"]
    given = lw.Evaluation(pd.DataFrame(p, columns=NAMES), classes=["a", "b", "c"])
    assert given.settings["classes"] == ["a", "b", "c"]


def test_columns_of_companions_are_matched_by_name(pool) -> None:
    frame = pd.DataFrame(pool.probabilities, columns=NAMES)
    turned = frame[["nine", "one", "six"]]
    expected = lw.Evaluation(frame, surrogate=frame).ask(40).tolist()
    assert lw.Evaluation(frame, surrogate=turned).ask(40).tolist() == expected
    assert lw.Evaluation(frame, surrogate=frame.to_numpy()).ask(40).tolist() == expected
    costs = pd.DataFrame(1.0 - pool.probabilities, columns=NAMES)
    assert lw.Evaluation(frame, loss=costs).ask(40).tolist() == lw.Evaluation(frame, loss=costs[turned.columns]).ask(40).tolist()
    with pytest.raises(ValueError, match="the two models never differ"):
        lw.compare({"a": frame, "b": turned}, loss="accuracy")
    with pytest.raises(ValueError, match="surrogate has a column 'two', but the classes are one, six, nine"):
        lw.Evaluation(frame, surrogate=frame.rename(columns={"six": "two"}))


def test_texts_of_training_labels_name_the_classes(pool) -> None:
    labels = np.array(["ant", "bee", "cat"])[pool.labels]
    e = lw.Evaluation(pool.probabilities, features=pool.features, train=(pool.features[:90], labels[:90]))
    items = e.ask(30)
    e.tell(items, labels[items])
    assert e.settings["classes"] == ["ant", "bee", "cat"]
    # Two of three classes do not say which column is whose.
    some = labels != "cat"
    with pytest.raises(ValueError, match='has label "(ant|bee)"'):
        lw.Evaluation(pool.probabilities, features=pool.features, train=(pool.features[some], labels[some]))
