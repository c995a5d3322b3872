"""Time evaluations that keep draws and not the pool, with DuckDB beside them.

It writes folders of Parquet files, and takes turns: DuckDB reads and sums the
same columns (of class probabilities), or draws by its own top-k query (of
scores), and `labelwise new --elsewhere` makes an evaluation.

Usage: python benches/elsewhere.py PROGRAM [--rows N] [--classes C] [--scores N]
[--rounds R] [--folder FOLDER]

It prints one line a measurement. Times are wall times of whole processes;
memory is the most that the process held. Quarter, half and twice the rows show
that the cost is linear.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
from durable import run, sum_by_duckdb, write_pool

FILE_ROWS = 2_500_000
GROUP = 500_000


def write_classes(folder: Path, rows: int, classes: int) -> None:
    """A folder of files with class probabilities."""
    for number, start in enumerate(range(0, rows, FILE_ROWS)):
        path = folder / f"part-{number}.parquet"
        write_pool(path, min(FILE_ROWS, rows - start), classes)
        if start:
            # Every file begins with id 0.
            table = pq.read_table(path)
            ids = pa.array(np.arange(start, start + table.num_rows))
            pq.write_table(table.set_column(0, "id", ids), path, row_group_size=1_000_000)


def write_scores(folder: Path, rows: int) -> None:
    """A folder of files with an id and a score."""
    random = np.random.default_rng(0)
    schema = pa.schema([("id", pa.int64()), ("score", pa.float32())])
    for number, start in enumerate(range(0, rows, 10 * GROUP)):
        with pq.ParquetWriter(folder / f"part-{number}.parquet", schema) as writer:
            for first in range(start, min(rows, start + 10 * GROUP), GROUP):
                count = min(GROUP, rows - first)
                scores = random.beta(0.3, 3.0, count).astype(np.float32)
                columns = [pa.array(np.arange(first, first + count)), pa.array(scores)]
                writer.write_table(pa.table(columns, schema=schema))


def top_by_duckdb(pattern: str, ahead: int) -> float:
    """Seconds of DuckDB's own top-k by a weighted key, with its own hash, and of the sum of the scores."""
    connection = duckdb.connect()
    start = time.perf_counter()
    uniform = "((hash(id) >> 12)::DOUBLE + 0.5) / 4503599627370496.0"
    connection.sql(
        f"SELECT id, score FROM '{pattern}' WHERE score > 0 ORDER BY -ln({uniform}) / score LIMIT {ahead}"
    ).fetchall()
    connection.sql(f"SELECT count(*), sum(score) FROM '{pattern}'").fetchall()
    return time.perf_counter() - start


def compare(name: str, peer, command: list[str], evaluation: Path, rounds: int) -> float:
    """The median ratio of turns, printed."""
    peer()  # The files are in the system's cache for both.
    ratios, times, peers, peaks = [], [], [], []
    for _ in range(rounds):
        evaluation.unlink(missing_ok=True)
        peers.append(peer())
        seconds, peak, _ = run(*command)
        times.append(seconds)
        peaks.append(peak)
        ratios.append(seconds / peers[-1])
    ratio = statistics.median(ratios)
    size = evaluation.stat().st_size / 1e6
    print(
        f"{name}: {ratio:.2f} times DuckDB ({min(ratios):.2f} to {max(ratios):.2f}); "
        f"{statistics.median(times):.2f} s, DuckDB {statistics.median(peers):.2f} s, "
        f"at most {max(peaks):.0f} MiB, evaluation {size:.1f} MB",
        flush=True,
    )
    return statistics.median(times)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--scores", type=int, default=200_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        measure(options, Path(name))


def measure(options: argparse.Namespace, folder: Path) -> None:
    """All measurements in one folder."""
    pool, evaluation = folder / "pool", folder / "pool.labelwise"
    pattern = str(pool / "*.parquet")
    make = [options.program, "new", pattern, "--elsewhere", "--out", str(evaluation)]
    for share in (0.25, 0.5, 1.0, 2.0):
        rows = int(share * options.rows)
        pool.mkdir()
        write_classes(pool, rows, options.classes)
        peer = lambda: sum_by_duckdb(Path(pattern), options.classes)  # noqa: E731
        for loss in ("cross-entropy", "zero-one"):
            name = f"{rows} rows x {options.classes} classes, {loss}"
            seconds = compare(name, peer, [*make, "--loss", loss], evaluation, options.rounds)
            print(f"  {1e9 * seconds / rows:.0f} ns a row")
        shutil.rmtree(pool)
    if options.scores:
        pool.mkdir()
        write_scores(pool, options.scores)
        peer = lambda: top_by_duckdb(pattern, 16_384)  # noqa: E731
        name = f"{options.scores} rows of id and score"
        compare(name, peer, [*make, "--scores", "score"], evaluation, options.rounds)


if __name__ == "__main__":
    main()
