"""What is taken as numbers, and what is refused by name, row and value."""

from __future__ import annotations

import sys
import tracemalloc
import weakref

import labelwise as lw
import numpy as np
import pytest


def test_arrays_are_read_where_they_lie_and_kept_alive() -> None:
    rng = np.random.default_rng(0)
    for kind in (np.float32, np.float64):
        p = rng.random(200_000).astype(kind)
        probabilities = np.column_stack([1 - p, p])
        before = sys.getrefcount(probabilities)
        tracemalloc.start()
        e = lw.Evaluation(probabilities, loss="zero_one")
        copied = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # NumPy reports the memory of arrays to tracemalloc: a copy would be seen.
        assert copied < probabilities.nbytes / 4
        assert sys.getrefcount(probabilities) > before
        alive = weakref.ref(probabilities)
        del probabilities
        assert alive() is not None
        assert len(e.ask(10)) == 10
        del e
        assert alive() is None


def test_other_layouts_are_copied_once_and_mean_the_same() -> None:
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet(np.ones(4), 300)
    expected = lw.Evaluation(probabilities).ask(50).tolist()
    wide = np.zeros((300, 8))
    wide[:, ::2] = probabilities
    for other in (
        np.asfortranarray(probabilities),
        wide[:, ::2],
        probabilities.astype(">f8"),
        probabilities.tolist(),
        [tuple(row) for row in probabilities],
        probabilities.astype(object),
    ):
        assert lw.Evaluation(other).ask(50).tolist() == expected
    whole = np.eye(3, dtype=int)[rng.integers(0, 3, 50)]
    assert lw.Evaluation(whole, loss="accuracy").pool_size == 50


def test_anything_with_dlpack_or_an_array_protocol() -> None:
    probabilities = np.random.default_rng(2).dirichlet(np.ones(3), 100)

    class Tensor:
        """As torch's tensors on the CPU: DLPack, and a graph to let go of first."""

        def __init__(self, array: np.ndarray, detached: bool = False) -> None:
            self.array, self.detached = array, detached

        def detach(self) -> Tensor:
            return Tensor(self.array, True)

        def __dlpack__(self, **options: object) -> object:
            assert self.detached, "Can't export tensors that require gradient"
            return self.array.__dlpack__(**options)  # type: ignore[arg-type]

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.array.__dlpack_device__()

    class Protocol:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return probabilities

    expected = lw.Evaluation(probabilities).ask(20).tolist()
    assert lw.Evaluation(Tensor(probabilities)).ask(20).tolist() == expected
    assert lw.Evaluation(Protocol()).ask(20).tolist() == expected


@pytest.mark.parametrize(
    ("probabilities", "sentence"),
    [
        ([[0.5, 0.5], [0.1, 0.2, 0.7]], "probabilities: row 1 has 3 values, but row 0 has 2"),
        ([[0.5, 0.5], [float("nan"), 0.5]], "probabilities.* of item 1: the probability of class 0 is NaN"),
        ([[0.5, 0.5], [0.5, 0.6]], "probabilities.* of item 1: the class probabilities sum to 1.1"),
        ([[0.5, 0.5], [-0.5, 1.5]], "probabilities.* of item 1: the probability of class 0 is -0.5"),
        ([[0.5, 0.5], ["x", 0.5]], r"probabilities\[1, 0\] is 'x', but must be a number"),
        (np.array([[0.5, None]], dtype=object), r"probabilities\[0, 1\] is None, but must be a number"),
        ([0.1, 1.9], "row 2: its probability is 1.9, but must be between 0 and 1"),
        ([40.0, 97.0], "percent=True"),
        ([[97.0, 3.0], [40.0, 60.0]], "of class 0 is 97.*these look like percentages: give percent=True"),
        ([[0.97, 0.04], [0.4, 0.6]], "sum to 1.01.*rounded probabilities: give normalise=True"),
        ([[-1.0, 2.0], [3.0, 0.5]], "if these are logits: give them as logits="),
        (np.zeros((2, 2, 2)), "probabilities has 3 dimensions"),
        (np.array([[1 + 2j, 0.5]]), "complex128"),
        (np.zeros((3, 0)), "rows"),
        (np.zeros((0, 2)), "empty"),
        (7, "probabilities is 7, but must be an array"),
    ],
)
def test_bad_probabilities_are_named(probabilities: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        lw.Evaluation(probabilities)


def test_a_text_is_a_file() -> None:
    for missing in ("", "nowhere.csv"):
        with pytest.raises(FileNotFoundError, match="cannot be read"):
            lw.Evaluation(missing)


def test_bad_companions_are_named(pool) -> None:
    p = pool.probabilities
    for options, sentence in (
        ({"features": pool.features[:10]}, "features has 10 rows, but needs 500"),
        ({"features": np.where(pool.features > 0, np.nan, pool.features)}, "features: .*NaN"),
        ({"surrogate": p[:, :2]}, "surrogate: .*columns"),
        ({"surrogate": p[:7]}, "surrogate: .*7 rows, but the pool has 500 items"),
        ({"surrogate": 2 * p}, "surrogate: beliefs of item 0"),
        ({"surrogate": "oracle"}, '"oracle" is not a choice of surrogate'),
        ({"surrogate": "forest"}, "needs? features|learns from features"),
        ({"features": pool.features, "train": (pool.features[:5], [0, 1])}, "train has 5 rows of features and 2 labels"),
        ({"features": pool.features, "train": (pool.features[:2], [0, 9])}, 'has label "9"'),
        ({"features": pool.features, "train": 3}, "train must be two"),
        ({"acquisition": "luck"}, '"luck" is not a choice of acquisition'),
        ({"floor": 1.5}, "rho is 1.5"),
        ({"floor": "high"}, "floor is 'high'"),
        ({"seed": -1}, "seed is -1"),
        ({"retrain": 0}, "retrain is 0"),
        ({"calibration": 3}, "calibration must be two"),
        ({"known": {3: 99.0}, "loss": "zero_one"}, "known loss of item 3 is 99"),
        ({"loss": np.zeros((5, 3))}, "loss: an array of losses needs 500 rows and 3 columns"),
        ({"loss": "squared_error"}, "squared-error cannot be measured"),
        ({"classes": ["a", "b"]}, "classes has 2 different names"),
        ({"mean": [1.0]}, "either probabilities"),
    ):
        with pytest.raises(ValueError, match=sentence):
            lw.Evaluation(p, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="either probabilities"):
        lw.Evaluation()
    with pytest.raises(ValueError, match="mean.*item 1: column 0 is (NaN|inf)"):
        lw.Evaluation(mean=[1.0, float("inf")])
    with pytest.raises(ValueError, match="variance has 1 values, but needs 2"):
        lw.Evaluation(mean=[1.0, 2.0], variance=[1.0])
    with pytest.raises(ValueError, match="variance is -1"):
        lw.Evaluation(mean=[1.0, 2.0], variance=[1.0, -1.0])


def test_frames_of_pandas_polars_pyarrow_and_duckdb(pool) -> None:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    p = pool.probabilities
    expected = lw.Evaluation(p).ask(30).tolist()
    named = {f"prob_{place}": p[:, place] for place in range(3)}
    frame = pd.DataFrame(named)
    arrow = pa.table(named)
    chunks = pa.concat_tables([arrow.slice(0, 100), arrow.slice(100, 33), arrow.slice(133)])
    lists = pa.table({"probs": pa.FixedSizeListArray.from_arrays(pa.array(p.ravel()), 3)})
    ragged = pa.table({"probs": pa.array([[0.5, 0.5], [1.0]])})
    for table in (frame, pl.DataFrame(named), arrow, chunks, lists, lists.slice(0), pl.DataFrame(named).lazy().collect(),
                  duckdb.sql("select * from frame"), pa.table({"probs": pa.array(p.tolist())})):  # fmt: skip
        assert lw.Evaluation(table).ask(30).tolist() == expected, type(table)
    single = pa.table({name: pa.array(column.astype(np.float32)) for name, column in named.items()})
    assert lw.Evaluation(single).ask(30).tolist() == lw.Evaluation(p.astype(np.float32)).ask(30).tolist()
    sliced = lists.slice(100, 50)
    assert lw.Evaluation(sliced).ask(9).tolist() == lw.Evaluation(np.ascontiguousarray(p[100:150])).ask(9).tolist()
    with pytest.raises(ValueError, match="probabilities has invalid rows:\n  row 2: `probs` has 1 numbers"):
        lw.Evaluation(ragged)
    with pytest.raises(ValueError, match="row 1: `name` is `x`, not a number"):
        lw.Evaluation(pl.DataFrame({"a": [0.5, 0.5], "name": ["x", "a text of more than twelve bytes"]}))
    with pytest.raises(ValueError, match="row 2: `a` is empty"):
        lw.Evaluation(pa.table({"a": [0.5, None], "b": [0.5, 0.5]}))
    mean = pl.Series("mean", [0.1, 0.2, 0.3])
    assert lw.Evaluation(mean=mean, variance=pd.Series([1.0, 1.0, 2.0])).pool_size == 3
    # Labels and items come as series too.
    e = lw.Evaluation(frame)
    items = e.ask(10)
    e.tell(pl.Series(items), pd.Series(pool.labels[items]))
    assert e.labels == 10


def test_texts_of_arrow_in_all_their_forms() -> None:
    import pyarrow as pa

    texts = ["ä", "", "a text that does not fit into a view", "short"]
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        table = pa.table({"id": pa.array(["a", "b", "c", "d"], kind), "t": pa.array(texts).cast(kind), "prob_0": [0.5] * 4, "prob_1": [0.5] * 4})
        e = lw.Evaluation(pool=table)
        e.ask(4)
        assert {one.id: one.carried["t"] for one in e.waiting()} == dict(zip("abcd", texts, strict=True))


def test_numbers_of_arrow_in_all_their_forms() -> None:
    import polars as pl
    import pyarrow as pa

    for kind in (pa.int8(), pa.uint64(), pa.int32(), pa.bool_(), pa.float16(), pa.float32()):
        ones = pa.array([True, False, True]).cast(pa.int8()).cast(kind) if kind != pa.bool_() else pa.array([True, False, True])
        other = pa.array([False, True, False]).cast(pa.int8()).cast(kind) if kind != pa.bool_() else pa.array([False, True, False])
        assert lw.Evaluation(pa.table({"a": ones, "b": other}), loss="zero_one").pool_size == 3
    assert lw.Evaluation(mean=pl.Series([1, 2, 3])).pool_size == 3
    assert lw.Evaluation(mean=pa.chunked_array([[1.0], [2.0, 3.0]])).pool_size == 3


def test_files_are_read_as_the_program_reads_them(tmp_path, pool) -> None:
    path = tmp_path / "pool.csv"
    rows = "".join(f"i{n},{a:.17g},{b:.17g},{c:.17g},{pool.labels[n]}\n" for n, (a, b, c) in enumerate(pool.probabilities))
    path.write_text("id,prob_0,prob_1,prob_2,label\n" + rows)
    found = lw.read_pool(path, labels="label")
    assert found["ids"][3] == "i3" and found["classes"] == ["0", "1", "2"]
    assert np.array_equal(found["probabilities"], pool.probabilities)
    assert found["labels"].tolist() == pool.labels.tolist()
    e = lw.Evaluation(path)
    assert e.ask(20).tolist() == lw.Evaluation(pool.probabilities).ask(20).tolist()
    with pytest.raises(FileNotFoundError):
        lw.read_pool(tmp_path / "nothing.csv")
    path.write_text("id,prob_0,prob_1\na,0.5,0.6\n")
    with pytest.raises(ValueError, match="sum to 1.1"):
        lw.read_pool(path)


def test_numbers_mean_the_same_however_they_are_written(tmp_path) -> None:
    rng = np.random.default_rng(7)
    hundredths = rng.integers(2, 99, 200)
    p = hundredths / 100
    rows = np.column_stack([1 - p, p])
    labels = (rng.random(200) < p).astype(int)
    told = dict(loss="log_loss", seed=3)
    plain = lw.Evaluation(rows, **told)
    expected = plain.ask(40).tolist()
    logits = np.log(rows) + 1.5
    for other in (
        lw.Evaluation(p, **told),
        lw.Evaluation(p.reshape(-1, 1), classes=[False, True], **told),
        lw.Evaluation(np.column_stack([100 - hundredths, hundredths]), percent=True, **told),
        lw.Evaluation(1.0 * hundredths, percent=True, **told),
        lw.Evaluation(logits=logits, **told),
        lw.Evaluation(logits=logits[:, 1] - logits[:, 0], **told),
        lw.Evaluation(1.01 * rows, normalise=True, **told),
        lw.Evaluation(rows, surrogate=100 * rows, percent=True, **told),
        lw.Evaluation(rows, surrogate=p, **told),
        lw.Evaluation(rows, surrogate=[p, p], **told),
    ):
        assert other.ask(40).tolist() == expected
    path = tmp_path / "one.csv"
    path.write_text("prob_1\n" + "".join(f"{number}\n" for number in p))
    one = {"probability": "prob_1", "classes": ["ok", "fraud"]}
    e = lw.Evaluation(path, columns=one, **told)
    assert e.ask(40).tolist() == expected and e.settings["classes"] == ["ok", "fraud"]
    assert any("prob_1" in decision and "fraud" in decision for decision in e.decisions)
    assert lw.read_pool(path, probability="prob_1")["classes"] == ["0", "1"]
    assert lw.read_pool(path, probability="prob_1", classes=["a", "b"])["classes"] == ["a", "b"]
    found = lw.simulate(p, labels=labels, budget=20, runs=2, loss="log_loss")
    assert found["active"].truth == pytest.approx(-np.log(np.where(labels == 1, p, 1 - p)).mean())
    percent = 100 * rows
    assert lw.compare({"a": rows, "b": percent[::-1]}, percent=True).pool_size == 200
    with pytest.raises(ValueError, match="give percent=True"):
        lw.compare({"a": rows, "b": percent})


def test_standard_deviations_are_squared_and_names_are_read(tmp_path) -> None:
    rng = np.random.default_rng(8)
    mean, std = rng.normal(size=150), 0.5 + rng.random(150)
    expected = lw.Evaluation(mean=mean, variance=std**2, seed=1).ask(30).tolist()
    assert lw.Evaluation(mean=mean, std=std, seed=1).ask(30).tolist() == expected
    path = tmp_path / "values.csv"
    path.write_text("m,std\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(mean.tolist(), std.tolist(), strict=True)))
    assert lw.Evaluation(path, columns={"mean": "m", "std": "std"}, seed=1).ask(30).tolist() == expected
    with pytest.raises(ValueError, match='named like standard deviations.*\n.*"std": "std"'):
        lw.Evaluation(path, columns={"mean": "m", "variance": "std"})
    with pytest.raises(ValueError, match="different decimals"):
        lw.Evaluation(path, columns={"hard": "std"})
    with pytest.raises(ValueError, match="give one of them"):
        lw.Evaluation(mean=mean, std=std, variance=std)
    with pytest.raises(ValueError, match=r"std\[0\] is -1"):
        lw.Evaluation(mean=mean, std=-np.ones(150))
    with pytest.raises(ValueError, match="`percent` is only for class probabilities"):
        lw.Evaluation(mean=mean, percent=True)


def test_a_hint_of_a_file_names_the_argument(tmp_path) -> None:
    path = tmp_path / "pool.csv"
    for text, options, sentence in (
        ("prob_a,prob_b\n97,3\n40,60\n", {}, "give percent=True"),
        ("prob_a,prob_b\n0.97,0.04\n", {}, "give normalise=True"),
        ("prob_a,prob_b\n-1,4\n", {}, 'if these are logits: columns={"logits": "prob_\\*"}'),
        ("prob_a,prob_b\n97,3\n", {"logits": "prob_*"}, 'columns={"probabilities": "prob_\\*"}, with percent=True'),
        ("id,prob_1\n1,0.3\n", {}, 'columns={"probability": "prob_1"}'),
        ("id,prob_1\n1,0.3\n", {"probabilities": "prob_1"}, 'columns={"probability": "prob_1"}'),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=sentence):
            lw.Evaluation(path, columns=options)
