"""Time the program on a large evaluation, with DuckDB beside it.

It writes a Parquet file of class probabilities, and takes turns: DuckDB reads
and sums the same columns, and `labelwise new` makes an evaluation of them. Then
it asks and tells on that evaluation, one process a call, as people do.

Usage: python benches/durable.py PROGRAM [--rows N] [--classes C] [--labels M]
[--rounds R] [--folder FOLDER] [--growth]

With --growth it measures only how the cost of commands grows with the number of
labels. It prints one line a measurement, each with the bar it is held against. Times
are wall times of whole processes; memory is the most that the process held.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GROUP = 1_000_000


def write_pool(path: Path, rows: int, classes: int) -> None:
    """Probabilities of a model that is mostly sure, with ids that rise."""
    random = np.random.default_rng(0)
    names = [f"prob_{c}" for c in range(classes)]
    fields = [("id", pa.int64())] + [(name, pa.float32()) for name in names]
    with pq.ParquetWriter(path, pa.schema(fields)) as writer:
        for start in range(0, rows, GROUP):
            count = min(GROUP, rows - start)
            logits = random.normal(0.0, 2.0, (count, classes)).astype(np.float32)
            exp = np.exp(logits - logits.max(axis=1, keepdims=True))
            probabilities = exp / exp.sum(axis=1, keepdims=True)
            columns = [pa.array(np.arange(start, start + count))]
            columns += [pa.array(probabilities[:, c]) for c in range(classes)]
            writer.write_table(pa.table(columns, schema=pa.schema(fields)))


def sum_by_duckdb(path: Path, classes: int) -> float:
    """Seconds in which DuckDB reads and sums every column of probabilities."""
    import duckdb  # Only here, so that the other measurements do without it.

    connection = duckdb.connect()
    sums = ", ".join(f"sum(prob_{c})" for c in range(classes))
    start = time.perf_counter()
    connection.sql(f"SELECT sum(id), {sums} FROM '{path}'").fetchall()
    return time.perf_counter() - start


# A process that is started by a large one is counted as large: the most it held
# begins with what its parent held. So a small process starts and measures it.
MEASURE = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], "wb"))
_, status, usage = os.wait4(process.pid, 0)
seconds = time.perf_counter() - start
process.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps([process.returncode, seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime]))
"""


def measured(*command: str) -> tuple[float, float, float, str]:
    """Wall seconds, seconds of the processor, mebibytes at the most, and stdout of a program."""
    with tempfile.NamedTemporaryFile("r") as out:
        measure = [sys.executable, "-S", "-c", MEASURE, out.name, *command]
        code, seconds, peak, cpu = json.loads(subprocess.check_output(measure))
        if code != 0:
            raise SystemExit(f"{' '.join(command)} ended with {code}")
        return seconds, cpu, peak, out.read()


def run(*command: str) -> tuple[float, float, str]:
    """Wall seconds, mebibytes at the most, and stdout of a program."""
    seconds, _, peak, out = measured(*command)
    return seconds, peak, out


def milliseconds(times: list[float]) -> str:
    """Median and extremes."""
    ordered = sorted(1000 * t for t in times)
    return f"{statistics.median(ordered):.1f} ms ({ordered[0]:.1f} to {ordered[-1]:.1f})"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--labels", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        if not options.growth:
            measure(options, Path(name))
        growth(options.program, min(options.rows, 1_000_000), options.classes, Path(name))


def growth(program: str, rows: int, classes: int, folder: Path) -> None:
    """How the processor's time of commands grows with the number of labels."""
    pool, evaluation, labels = folder / "growth.parquet", folder / "growth.labelwise", folder / "growth.csv"
    write_pool(pool, rows, classes)
    run(program, "new", str(pool), "--out", str(evaluation))
    cpu = lambda *command: 1000 * min(measured(program, *command)[1] for _ in range(7))  # noqa: E731
    print(f"milliseconds of the processor, the least of 7, with {rows:,} items:")
    print("labels     ask -n 1   tell   estimate   estimate / 1,000 labels")
    told = 0
    for goal in (0, rows // 80, rows // 40, rows // 20, rows // 10):
        if goal > told:
            _, _, out = run(program, "ask", str(evaluation), "-n", str(goal - told), "--format", "csv")
            with labels.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["id", "label"])
                writer.writerows((item, int(item) % classes) for item in out.split()[1:])
            told += len(out.split()) - 1
            run(program, "tell", str(evaluation), str(labels))
        ask, tells = cpu("ask", str(evaluation), "-n", "1"), []
        for item in run(program, "ask", str(evaluation), "--waiting", "--format", "csv")[2].split()[1:]:
            tells.append(1000 * measured(program, "tell", str(evaluation), f"{item}={int(item) % classes}")[1])
            told += 1
        estimate = cpu("estimate", str(evaluation))
        print(f"{told:<9,}  {ask:<9.1f}  {min(tells):<6.1f} {estimate:<10.1f} {1000 * estimate / told:.2f}")


def measure(options: argparse.Namespace, folder: Path) -> None:
    """All measurements in one folder."""
    program, rows, classes = options.program, options.rows, options.classes
    pool, evaluation = folder / "pool.parquet", folder / "large.labelwise"
    write_pool(pool, rows, classes)
    megabytes = pool.stat().st_size / 1e6
    print(f"pool: {rows} rows x {classes} classes, {megabytes:.0f} MB of Parquet")
    sum_by_duckdb(pool, classes)  # The file is in the system's cache for both.

    ratios, peaks, news = [], [], []
    for _ in range(options.rounds):
        evaluation.unlink(missing_ok=True)
        peer = sum_by_duckdb(pool, classes)
        seconds, peak, _ = run(program, "new", str(pool), "--out", str(evaluation))
        news.append(seconds)
        ratios.append(seconds / peer)
        peaks.append(peak)
        print(f"  new {seconds:.2f} s, DuckDB {peer:.2f} s, at most {peak:.0f} MiB")
    needed = rows * (4 * classes + 8) / 2**20
    single = rows * 4 * (classes + 1) / 2**20
    ratio = statistics.median(ratios)
    print(f"new: {ratio:.2f} times DuckDB's time (bar 3)")
    print(
        f"memory of new: {max(peaks) / single:.2f} times the columns in f32 (bar 1.3), "
        f"{max(peaks) / needed:.2f} times with ids as the whole numbers they are"
    )
    size = evaluation.stat().st_size / 1e6
    print(f"the evaluation: {size:.0f} MB")

    starts = [run(program, "--version")[0] for _ in range(20)]
    print(f"program start: {milliseconds(starts)} (bar 15)")
    asks, tells, estimates = [], [], []
    for _ in range(20):
        seconds, _, out = run(program, "ask", str(evaluation), "-n", "20", "--jsonl")
        asks.append(seconds)
        ids = [json.loads(line)["id"] for line in out.splitlines()]
        answers = [f"{item}={int(item) % classes}" for item in ids]
        tells.append(run(program, "tell", str(evaluation), *answers)[0])
    print(f"ask of 20 items: {milliseconds(asks)} (bar 50)")
    print(f"tell of 20 labels: {milliseconds(tells)} (bar 50)")

    rest = options.labels - 400
    asked, _, out = run(program, "ask", str(evaluation), "-n", str(rest), "--format", "csv")
    labels = folder / "labels.csv"
    with labels.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label"])
        writer.writerows((item, int(item) % classes) for item in out.split()[1:])
    told = run(program, "tell", str(evaluation), str(labels))[0]
    print(f"{rest} more at once: asked in {1000 * asked:.0f} ms, told in {1000 * told:.0f} ms")
    estimates = [run(program, "estimate", str(evaluation))[0] for _ in range(20)]
    print(f"estimate with {options.labels} labels: {milliseconds(estimates)} (bar 50)")
    asks = [run(program, "ask", str(evaluation))[0] for _ in range(20)]
    print(f"ask of one item then: {milliseconds(asks)} (bar 50)")
    seconds, peak, _ = run(program, "verify", str(evaluation))
    print(f"verify: {seconds:.2f} s, at most {peak:.0f} MiB")


if __name__ == "__main__":
    main()
