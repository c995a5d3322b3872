"""Evaluations on disk: the same file as the program's, and the same draws through every door."""

from __future__ import annotations

import csv
import json
import pickle
from io import StringIO
from pathlib import Path

import labelwise as lw
import numpy as np
import pytest
from conftest import Pool, run


def written(folder: Path, pool: Pool) -> Path:
    path = folder / "pool.csv"
    rows = "".join(
        f"item-{n},{a!r},{b!r},{c!r},word {n % 5}\n" for n, (a, b, c) in enumerate(pool.probabilities.tolist())
    )
    path.write_text("id,prob_ant,prob_bee,prob_cow,text\n" + rows)
    return path


NAMES = np.array(["ant", "bee", "cow"])


def test_the_program_and_python_share_a_file(tmp_path, pool, program) -> None:
    source = written(tmp_path, pool)
    e = lw.create(tmp_path / "e.labelwise", source, loss="log_loss", seed=7, who="ann")
    assert e.path.name == "e.labelwise" and e.pool_size == 500
    asked = e.ask(10)
    assert asked[0].id == f"item-{asked[0].item}" and asked[0].carried == {"text": f"word {asked[0].item % 5}"}
    # The program goes on where Python was.
    printed = run(program, "ask", "e.labelwise", "-n", "15", "--format", "csv", folder=tmp_path)
    by_program = [row["id"] for row in csv.DictReader(StringIO(printed))]
    assert len(by_program) == 15 and not {a.id for a in asked} & set(by_program)
    e.tell([a.id for a in asked], [NAMES[pool.labels[a.item]] for a in asked])
    labels = "".join(f"{name},{NAMES[pool.labels[int(name[5:])]]}\n" for name in by_program)
    (tmp_path / "labels.csv").write_text("id,label\n" + labels)
    run(program, "tell", "e.labelwise", "labels.csv", folder=tmp_path)
    assert e.labels == 25 and [one.id for one in e.waiting()] == []
    printed = run(program, "estimate", "e.labelwise", "--loss", "log_loss,accuracy", "--json", folder=tmp_path)
    ours = e.estimates("log_loss", "accuracy")
    for here, there in zip(ours, json.loads(printed), strict=True):
        assert (here.value, here.low, here.high) == (there["estimate"], there["low"], there["high"])
    again = lw.open(tmp_path / "e.labelwise", mode="r")
    assert again.estimate() == e.estimate()
    assert run(program, "verify", "e.labelwise", folder=tmp_path)
    assert e.verify()["draws"] == 25
    assert lw.open(e.backup(tmp_path / "copy.labelwise")).estimate() == e.estimate()
    with pytest.raises(ValueError, match="in memory|no file|memory"):
        lw.Evaluation([[0.5, 0.5]]).backup(tmp_path / "none.labelwise")
    page = e.report(tmp_path / "report.html", title="The same")
    printed = run(program, "report", "e.labelwise", "--out", "theirs.html", "--title", "The same", folder=tmp_path)
    theirs = (tmp_path / printed.strip()).read_text()
    # But for the moments and the path as it was given.
    assert len(page.read_text().splitlines()) == len(theirs.splitlines()) and "The same" in theirs
    line = e.plot().get_lines()[0].get_ydata()
    assert line[-1] == e.estimate().value


def test_one_trace_through_three_doors(tmp_path, pool, program) -> None:
    source = written(tmp_path, pool)
    run(program, "new", "pool.csv", "--out", "p.labelwise", "--loss", "cross-entropy", "--seed", "11", folder=tmp_path)
    on_disk = lw.create(tmp_path / "q.labelwise", source, loss="log_loss", seed=11)
    from_arrays = lw.create(
        tmp_path / "r.labelwise", probabilities=pool.probabilities, classes=NAMES, loss="log_loss", seed=11,
        ids=[f"item-{n}" for n in range(500)],
    )  # fmt: skip
    in_memory = lw.Evaluation(pool.probabilities, loss="log_loss", seed=11)
    by_program = lw.open(tmp_path / "p.labelwise")
    items = in_memory.ask(60)
    in_memory.tell(items, pool.labels[items])
    printed = run(program, "ask", "p.labelwise", "-n", "60", "--format", "csv", folder=tmp_path)
    names = [row["id"] for row in csv.DictReader(StringIO(printed))]
    assert names == [f"item-{i}" for i in items]
    for e in (on_disk, from_arrays):
        assert [one.item for one in e.ask(60)] == items.tolist()
    q = in_memory.draws()["q"].tolist()
    for e in (on_disk, from_arrays, by_program):
        assert e.draws()["q"].tolist() == q
        e.tell(names, NAMES[pool.labels[items]])
        found, expected = e.estimate(), in_memory.estimate()
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    printed = json.loads(run(program, "estimate", "p.labelwise", "--json", folder=tmp_path))
    assert printed["estimate"] == in_memory.estimate().value


def test_labels_are_on_record_once_and_refusals_change_nothing(tmp_path, pool) -> None:
    e = lw.create(tmp_path / "e.labelwise", written(tmp_path, pool))
    a, b, c, d = e.ask(4)
    e.tell(a, NAMES[pool.labels[a.item]])
    e.tell(a.id, NAMES[pool.labels[a.item]])
    assert e.labels == 1
    with pytest.raises(ValueError, match="use amend"):
        e.tell(a, NAMES[(pool.labels[a.item] + 1) % 3])
    with pytest.raises(KeyError, match="was not asked for"):
        e.tell("item-none", "ant")
    with pytest.raises(ValueError, match='one of the classes "ant", "bee", "cow"'):
        e.tell([b, c], ["ant", "dog"])
    with pytest.raises(ValueError, match="use skip"):
        e.tell(b, None)
    assert e.labels == 1
    e.amend(a, "bee", note="misread")
    e.skip(b, note="blurred")
    e.missing_at_random(c)
    assert e.draws()["state"] == ["labelled", "skipped", "missing", "open"]
    assert [one.id for one in e.waiting()] == [d.id]
    assert e.to_frame("pandas")["label"].tolist()[0] == "bee"


def test_requests_under_a_key_are_answered_once(tmp_path, pool) -> None:
    e = lw.create(tmp_path / "e.labelwise", written(tmp_path, pool))
    assert e.ask(3, key="first") == e.ask(3, key="first")
    with pytest.raises(lw.LabelwiseError, match="first"):
        e.ask(4, key="first")


def test_files_that_are_there_or_not(tmp_path, pool) -> None:
    source = written(tmp_path, pool)
    e = lw.create(tmp_path / "e.labelwise", source)
    with pytest.raises(FileExistsError):
        lw.create(tmp_path / "e.labelwise", source)
    with pytest.raises(FileNotFoundError):
        lw.open(tmp_path / "none.labelwise")
    with pytest.raises(lw.LabelwiseError, match="not an evaluation"):
        lw.open(source)
    with pytest.raises(FileNotFoundError):
        lw.create(tmp_path / "f.labelwise", tmp_path / "none.csv")
    with pytest.raises(ValueError, match="mode"):
        lw.open(tmp_path / "e.labelwise", mode="w")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="columns has 'probs'"):
        lw.create(tmp_path / "f.labelwise", source, columns={"probs": "p_*"})
    assert pickle.loads(pickle.dumps(e)).path == e.path.resolve()
    assert repr(e).startswith("DurableEvaluation(")
    assert "no label" in e._repr_html_()


def test_learners_values_metrics_and_slices_on_disk(tmp_path, pool) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 2))
    labels = x[:, 0] + 0.1 * rng.normal(size=200)
    e = lw.create(
        tmp_path / "v.labelwise", mean=np.zeros(200), features=x, train=(x[:40], labels[:40]), surrogate="linear",
        retrain=20, label_range=(-10.0, 10.0),
    )  # fmt: skip
    for one in e.ask(50):
        e.tell(one, labels[one.item])
    assert e.estimate("rmse").value == pytest.approx(np.sqrt(e.estimate().value))
    assert e.estimate(interval="guaranteed").half_width > e.estimate().half_width
    by_frame = lw.create(
        tmp_path / "c.labelwise", pool.probabilities, features=pool.features, loss=["f1_macro", "accuracy"],
        train=(pool.features[:60], pool.labels[:60]), surrogate="forest",
    )  # fmt: skip
    for one in by_frame.ask(80):
        by_frame.tell(one, pool.labels[one.item])
    assert sum(one.labels for one in by_frame.calibration().bins) == 80
    assert [one.metric for one in by_frame.estimates()] == ["f1_macro", "accuracy"]
    sliced = lw.create(tmp_path / "s.labelwise", written(tmp_path, pool), loss="accuracy")
    asked = sliced.ask(120)
    sliced.tell(asked, [NAMES[pool.labels[one.item]] for one in asked])
    parts = sliced.estimates("accuracy", by="text")
    assert [one.slice for one in parts[1:]] == [("text", f"word {n}") for n in range(5)]
    assert sliced.plan(half_width=0.05).rests_on == "labels"


def test_designs_and_surrogates_that_are_given(tmp_path, pool) -> None:
    other = np.roll(pool.probabilities, 1, axis=1)
    given = lw.create(tmp_path / "g.labelwise", pool.probabilities, surrogate=[pool.probabilities, other], seed=2)
    memory = lw.Evaluation(pool.probabilities, surrogate=[pool.probabilities, other], seed=2)
    assert [one.item for one in given.ask(30)] == memory.ask(30).tolist()
    batch = lw.create(tmp_path / "b.labelwise", pool.probabilities, design="stratified", budget=60)
    assert batch.left == 60
    asked = batch.ask(60)
    batch.tell(asked, pool.labels[[one.item for one in asked]])
    assert batch.estimate().labels == 60
    with pytest.raises(ValueError, match="needs a budget"):
        lw.create(tmp_path / "n.labelwise", pool.probabilities, design="one_shot")
    with pytest.raises(ValueError, match='"oracle" is not a choice of surrogate'):
        lw.create(tmp_path / "n.labelwise", pool.probabilities, surrogate="oracle")


def test_frames_are_pools_as_files_are(tmp_path, pool) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    source = written(tmp_path, pool)
    expected = lw.create(tmp_path / "csv.labelwise", source, seed=5).ask(40)
    frame = pl.read_csv(source).rename({"text": "file"})
    for name, each in (("pl", frame), ("pd", pd.read_csv(source).rename(columns={"text": "file"})), ("pa", frame.to_arrow())):
        asked = lw.create(tmp_path / f"{name}.labelwise", each, seed=5).ask(40)
        assert [one.id for one in asked] == [one.id for one in expected]
        assert asked[0].carried == {"file": expected[0].carried["text"]}
    hard = pa.table({"id": ["a", "b", "c"], "said": ["cat", "dog", "cat"]})
    e = lw.create(tmp_path / "hard.labelwise", hard, columns={"hard": "said"})
    for one in e.ask(3):
        e.tell(one, "cat")
    assert e.estimate("accuracy").value == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="no columns that are recognised as class probabilities"):
        lw.create(tmp_path / "none.labelwise", hard)
