"""Make the pool files that the readers of labelwise-pool are tested with.

One small pool is written in every format by the library that users write it
with: NumPy, pandas, pyarrow, Inspect. The log of lm-evaluation-harness is
written in the shape of version 0.4.13. `crates/labelwise-pool/tests`
reads them; `scripts/test_pool_fixtures.py` checks that the files are what this
script makes today.

Usage: python scripts/make_pool_fixtures.py [FOLDER]
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSample
from inspect_ai.log import EvalSpec, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

import fixtures

DEFAULT_FOLDER = fixtures.folder_of("labelwise-pool") / "pools"

CLASSES = ["cat", "dog", "owl"]
IDS = [f"item-{number}" for number in (4, 1, 7, 2, 9, 3)]
LABELS = ["cat", "dog", "owl", "cat", "owl", "dog"]
TEXTS = ["purrs", 'says "woof", twice', "two\nlines", "", "née", "🦉 hoots"]
NUMBERS = [4, 1, 7, 2, 9, 3]

# Thirds and tenths are not the same number in f32 and f64.
PROBABILITIES = np.array(
    [
        [0.7, 0.2, 0.1],
        [1 / 3, 1 / 3, 1 / 3],
        [0.0, 0.0, 1.0],
        [0.5, 0.25, 0.25],
        [0.9, 0.05, 0.05],
        [0.15, 0.6, 0.25],
    ]
)
BELIEFS = PROBABILITIES[::-1]
FEATURES = np.array(
    [[0.5, -1.0], [1.5, 2.0], [0.0, 0.25], [3.0, 1e-3], [-2.0, 8.0], [1.0, 1.0]]
)
MEANS = [1.5, -2.25, 0.1, 3.0, 0.0, 7.5]
VARIANCES = [0.5, 1.0, 0.25, 0.0, 2.0, 0.125]
SCORES = [0.5, 0.0, 2.0, 1.25, 0.1, 3.0]


def frame(dtype):
    """Return the pool as a table with one column a class."""
    columns = {"id": IDS}
    for place, name in enumerate(CLASSES):
        columns[f"prob_{name}"] = PROBABILITIES[:, place].astype(dtype)
    for place, name in enumerate(CLASSES):
        columns[f"other_{name}"] = BELIEFS[:, place].astype(dtype)
    columns |= {"x1": FEATURES[:, 0], "x2": FEATURES[:, 1]}
    columns |= {"mean": MEANS, "variance": VARIANCES, "score": SCORES}
    columns |= {"label": LABELS, "text": TEXTS, "number": NUMBERS}
    return pd.DataFrame(columns)


def lists(dtype, list_type):
    """Return the pool as a table with one column of lists."""
    rows = [row.tolist() for row in PROBABILITIES.astype(dtype)]
    value_type = pa.float32() if dtype == np.float32 else pa.float64()
    probs = pa.array(rows, type=list_type(value_type))
    return pa.table({"id": pa.array(NUMBERS, type=pa.int64()), "probs": probs})


def write_text(folder):
    """Write CSV, TSV, JSON Lines and the table of MLflow and W&B."""
    table = frame(np.float64)
    table.to_csv(folder / "pool.csv", index=False, lineterminator="\n")
    table.to_csv(folder / "pool.tsv", index=False, sep="\t", lineterminator="\n")
    options = {"double_precision": 15, "force_ascii": False}
    table.to_json(folder / "pool.jsonl", orient="records", lines=True, **options)
    # MLflow's log_table calls pandas in just this way.
    table.to_json(folder / "table.json", orient="split", index=False, **options)
    with open(folder / "lists.jsonl", "w", encoding="utf-8", newline="\n") as file:
        for number, row in zip(NUMBERS, PROBABILITIES.tolist(), strict=True):
            print(json.dumps({"id": number, "probs": row}), file=file)


def write_parquet(folder):
    """Write Parquet with each codec, with and without empty places, and lists."""
    single = pa.Table.from_pandas(frame(np.float32), preserve_index=False)
    double = pa.Table.from_pandas(frame(np.float64), preserve_index=False)
    # Row groups that end inside of the pool.
    pq.write_table(single, folder / "pool.parquet", row_group_size=4)
    for codec in ("none", "gzip", "zstd", "lz4"):
        pq.write_table(
            double,
            folder / f"{codec}.parquet",
            compression=codec,
            use_dictionary=codec == "zstd",
        )
    schema = pa.schema([field.with_nullable(False) for field in single.schema])
    pq.write_table(
        single.cast(schema), folder / "required.parquet", data_page_version="2.0"
    )
    pq.write_table(
        lists(np.float32, pa.list_), folder / "lists.parquet", row_group_size=4
    )
    holes = double.to_pandas()
    holes.loc[1, "prob_dog"] = None
    holes.loc[4, "id"] = None
    pq.write_table(
        pa.Table.from_pandas(holes, preserve_index=False), folder / "holes.parquet"
    )


def write_arrow(folder):
    """Write Arrow as a file and as a stream, compressed, with lists and categories."""
    single = pa.Table.from_pandas(frame(np.float32), preserve_index=False)
    double = pa.Table.from_pandas(frame(np.float64), preserve_index=False)
    plain = single.replace_schema_metadata(None)
    with pa.OSFile(str(folder / "pool.arrow"), "wb") as sink:
        with pa.ipc.new_file(sink, plain.schema) as writer:
            writer.write_table(plain, max_chunksize=4)
    with pa.OSFile(str(folder / "pool.arrows"), "wb") as sink:
        with pa.ipc.new_stream(sink, plain.schema) as writer:
            writer.write_table(plain, max_chunksize=4)
    feather.write_feather(double, str(folder / "lz4.feather"), compression="lz4")
    feather.write_feather(double, str(folder / "zstd.feather"), compression="zstd")
    for name, kind in {
        "lists": pa.list_,
        "large_lists": pa.large_list,
        "fixed_lists": lambda value: pa.list_(value, 3),
    }.items():
        table = lists(np.float32, kind)
        with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as sink:
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
    texts = {
        "dictionary": pa.dictionary(pa.int8(), pa.string()),
        "large": pa.large_string(),
    }
    for name, kind in (texts | {"view": pa.string_view()}).items():
        table = plain
        for column in ("id", "text"):
            place = plain.schema.get_field_index(column)
            table = table.set_column(place, column, plain[column].cast(kind))
        with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as sink:
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)


def write_numpy(folder):
    """Write arrays in both orders, both byte orders and three precisions."""
    single = PROBABILITIES.astype(np.float32)
    np.save(folder / "probs.npy", single)
    np.save(folder / "fortran.npy", np.asfortranarray(single))
    np.save(folder / "big_endian.npy", PROBABILITIES.astype(">f8"))
    np.save(folder / "half.npy", np.array([[0.5, 0.5], [0.25, 0.75]], dtype=np.float16))
    np.save(folder / "values.npy", np.array(SCORES))
    np.save(folder / "objects.npy", np.array(IDS, dtype=object), allow_pickle=True)
    arrays = {
        "probs": single,
        "ids": np.array(IDS),
        "labels": np.array([CLASSES.index(label) for label in LABELS], dtype=np.int16),
        "classes": np.array(["0", "1", "2"]),
        "features": FEATURES,
        "texts": np.array(TEXTS),
    }
    np.savez(folder / "pool.npz", **arrays)
    np.savez_compressed(folder / "compressed.npz", **arrays)


def write_lm_eval(folder):
    """Write samples of lm-evaluation-harness: choices, answers, two filters."""

    def write(name, rows):
        with open(folder / name, "w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                print(json.dumps(row), file=file)

    def row(number, target, answers, name, **metrics):
        return {
            "doc_id": number,
            "doc": {"question": f"question {number}"},
            "target": target,
            "arguments": {"gen_args_0": {"arg_0": f"question {number}", "arg_1": " a"}},
            "resps": [[answer] for answer in answers],
            "filtered_resps": answers,
            "filter": name,
            "metrics": list(metrics),
            "doc_hash": f"{number:064x}",
            "prompt_hash": "0" * 64,
            "target_hash": "0" * 64,
            **metrics,
        }

    def choices(*likelihoods):
        best = max(likelihoods)
        return [[str(value), str(value == best)] for value in likelihoods]

    write(
        "lm_eval_choices.jsonl",
        [
            row(0, "0", choices(-0.5, -2.0, -3.0), "none", acc=1.0, acc_norm=1.0),
            # A document with one choice less than the others.
            row(1, "1", choices(-4.0, -1.0), "none", acc=1.0, acc_norm=0.0),
            row(2, "2", choices(-1.0, -1.5, -1.25), "none", acc=0.0, acc_norm=0.0),
        ],
    )
    both = ("strict-match", "flexible-extract")
    write(
        "lm_eval_filters.jsonl",
        [
            row(
                number,
                str(10 + number),
                [str(10 + number * shift)],
                name,
                exact_match=float(shift == 1 or number == 0),
            )
            for shift, name in enumerate(both)
            for number in range(3)
        ],
    )


def inspect_log(samples, status="success"):
    """Return a log of Inspect with these samples."""
    spec = EvalSpec(
        eval_id="fixture",
        run_id="fixture",
        created="2026-11-01T00:00:00+00:00",
        task="animals",
        task_id="fixture",
        dataset=EvalDataset(name="animals", samples=3),
        model="mockllm/model",
        config=EvalConfig(),
        packages={},
    )
    return EvalLog(eval=spec, status=status, samples=samples)


def inspect_sample(number, target, answer, grade, epoch=1, error=None):
    """Return a sample of a log of Inspect."""
    scores = None if grade is None else {"match": Score(value=grade, answer=answer)}
    output = (
        ModelOutput()
        if answer is None
        else ModelOutput.from_content("mockllm/model", answer)
    )
    failure = error and EvalError(message=error, traceback="", traceback_ansi="")
    return EvalSample(
        id=number,
        epoch=epoch,
        input=f"question {number}",
        target=target,
        output=output,
        scores=scores,
        error=failure,
        uuid=f"{number}-{epoch}",
    )


def write_inspect(folder):
    """Write logs of Inspect in both of its formats."""
    answers = [(10, "dog", "cat", "I"), (2, "cat", "cat", "C"), (1, "owl", "owls", "P")]
    plain = inspect_log([inspect_sample(*answer) for answer in answers])
    twice = inspect_log(
        [inspect_sample(*answer, epoch=epoch) for epoch in (1, 2) for answer in answers]
    )
    failed = inspect_log(
        [
            inspect_sample(*answers[0]),
            inspect_sample(2, "cat", None, None, error="out of time"),
        ],
        status="error",
    )
    write_eval_log(plain, str(folder / "inspect.eval"))
    write_eval_log(plain, str(folder / "inspect.json"))
    write_eval_log(twice, str(folder / "inspect_epochs.eval"))
    write_eval_log(failed, str(folder / "inspect_failed.json"))


def write_fixtures(folder):
    """Write every file and return the names."""
    folder = Path(folder)
    write_text(folder)
    write_parquet(folder)
    write_arrow(folder)
    write_numpy(folder)
    write_lm_eval(folder)
    write_inspect(folder)
    return sorted(path.name for path in folder.iterdir())


if __name__ == "__main__":
    fixtures.main(__doc__, DEFAULT_FOLDER, write_fixtures)
