"""Check that the pool files of the tests are what their script makes today."""

import json
import tempfile
import unittest
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
from inspect_ai.log import read_eval_log

import make_pool_fixtures


def arrays(path):
    """Return what NumPy reads, by name."""
    held = np.load(path, allow_pickle=path.name == "objects.npy")
    return (
        {name: held[name].tolist() for name in held}
        if path.suffix == ".npz"
        else held.tolist()
    )


def log(path):
    """Return the samples of a log, without what Inspect adds on its own."""
    kept = ("id", "epoch", "input", "target", "output", "scores", "error")
    samples = read_eval_log(str(path)).samples
    return [json.loads(sample.model_dump_json(include=set(kept))) for sample in samples]


def stream(path):
    """Return the table of an Arrow stream."""
    with pa.OSFile(str(path), "rb") as source:
        return pa.ipc.open_stream(source).read_all()


def content(path):
    """Return what a file holds, read by the library that wrote it."""
    if path.name.startswith("inspect"):
        # Times and ids of messages differ from run to run.
        return [
            (
                one["id"],
                one["epoch"],
                one["input"],
                one["target"],
                one["scores"] and one["scores"]["match"]["value"],
            )
            for one in log(path)
        ]
    readers = {
        ".parquet": lambda: pq.read_table(path),
        ".arrow": lambda: feather.read_table(path),
        ".feather": lambda: feather.read_table(path),
        ".arrows": lambda: stream(path),
        ".npy": lambda: arrays(path),
        ".npz": lambda: arrays(path),
    }
    return readers.get(path.suffix, lambda: path.read_text(encoding="utf-8"))()


class PoolFixtures(unittest.TestCase):
    """The committed files, and the files made again."""

    def test_files_are_what_the_script_makes(self):
        committed = make_pool_fixtures.DEFAULT_FOLDER
        with tempfile.TemporaryDirectory() as folder:
            names = make_pool_fixtures.write_fixtures(folder)
            self.assertEqual(names, sorted(path.name for path in committed.iterdir()))
            for name in names:
                with self.subTest(name):
                    before, now = (
                        content(committed / name),
                        content(Path(folder) / name),
                    )
                    same = (
                        before.equals(now)
                        if isinstance(before, pa.Table)
                        else before == now
                    )
                    self.assertTrue(same)

    def test_logs_in_archives_are_compressed_by_zstd(self):
        with zipfile.ZipFile(
            make_pool_fixtures.DEFAULT_FOLDER / "inspect.eval"
        ) as archive:
            methods = {entry.compress_type for entry in archive.infolist()}
        self.assertEqual(methods, {93})


if __name__ == "__main__":
    unittest.main()
