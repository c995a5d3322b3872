"""Time the Python package beside the Rust core, activeeval and a NumPy loop.

It makes a table of class probabilities and takes turns: the Rust core and the
package each construct an evaluation and ask for items in one batch. Then one
ask and one tell at a time, on a smaller pool, beside a NumPy loop that scores
anew at every step, and beside activeeval where that can be had from PyPI. Last,
what `import labelwise` costs beyond NumPy.

Usage: python benches/python.py ASKING [--rows N] [--small N] [--rounds R]

ASKING is the example `asking` of the core. It prints one line a measurement,
each with the bar it is held against.
"""

import argparse
import importlib.util
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import labelwise as lw

CLASSES = 10
ITEMS = 10_000


def probabilities(rows: int) -> np.ndarray:
    """Those of a model that is mostly sure, in f32."""
    random = np.random.default_rng(0)
    table = np.empty((rows, CLASSES), dtype=np.float32)
    for start in range(0, rows, 1_000_000):
        part = table[start : start + 1_000_000]
        np.exp(random.normal(0.0, 2.0, part.shape).astype(np.float32), out=part)
        part /= part.sum(axis=1, keepdims=True)
    return table


def constructing(asking: str, rows: int, rounds: int) -> None:
    """The package beside the core, on the same numbers."""
    table = probabilities(rows)
    items = min(ITEMS, rows)
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probabilities.f32"
        table.tofile(path)
        for _ in range(rounds):
            said = subprocess.run(
                [asking, str(path), str(CLASSES), str(items)], capture_output=True, text=True, check=True
            ).stdout.split()
            theirs.append(float(said[0]))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            start = time.perf_counter()
            evaluation = lw.Evaluation(table, loss="log_loss", seed=7)
            drawn = evaluation.ask(items)
            ours.append(time.perf_counter() - start)
            more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
            assert int(said[1]) == int(drawn[0]), "both doors draw the same items"
            del evaluation
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(
        f"{rows} x {CLASSES} f32, construct and ask {items}: labelwise {statistics.median(ours):.3f} s, "
        f"Rust {statistics.median(theirs):.3f} s, ratio {ratio:.2f} (bar 1.3)"
    )
    print(f"  the most memory grew by {more:.0f} MiB in the last round; the table has {table.nbytes / 2**20:.0f} MiB")


def one_by_one(rows: int, labels: int) -> None:
    """One ask and one tell at a time with a fixed surrogate."""
    table = probabilities(rows)
    truth = np.random.default_rng(1).integers(0, CLASSES, rows)
    evaluation = lw.Evaluation(table, loss="log_loss", seed=7)
    evaluation.tell(evaluation.ask(), 0)
    start = time.perf_counter()
    for _ in range(labels):
        item = evaluation.ask()
        evaluation.tell(item, truth[item])
    each = (time.perf_counter() - start) / labels * 1e6
    print(f"one ask and tell at N = {rows}: {each:.1f} µs (bar 20 µs at a million)")
    steps = max(2, min(20, 20_000_000 // rows))
    each = numpy_loop(table, truth, steps) * 1e6
    print(f"  a NumPy loop that scores all items anew: {each:.0f} µs a step ({steps} steps)")


def numpy_loop(table: np.ndarray, truth: np.ndarray, steps: int) -> float:
    """Seconds a step of the paper's Algorithm 1, as it is written in NumPy."""
    random = np.random.default_rng(2)
    left = np.ones(len(table), dtype=bool)
    losses, weights = [], []
    start = time.perf_counter()
    for step in range(1, steps + 1):
        rows = np.flatnonzero(left)
        logs = np.log(table[rows])
        scores = -(table[rows] * logs).sum(axis=1)
        q = scores / scores.sum()
        place = random.choice(len(rows), p=q / q.sum())
        item = rows[place]
        left[item] = False
        losses.append(-logs[place, truth[item]])
        weights.append(1 / ((len(table) - step + 1) * q[place]))
    return (time.perf_counter() - start) / steps


def activeeval(rows: int) -> None:
    """The peer with the same two verbs, where it can be had."""
    if importlib.util.find_spec("activeeval") is None:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "activeeval"], capture_output=True, text=True, check=False
        )
        if done.returncode or importlib.util.find_spec("activeeval") is None:
            print("activeeval: cannot be installed from PyPI, so there is no time of it")
            return
    try:
        import activeeval
    except ImportError as error:
        print(f"activeeval: installed but cannot be imported ({error}), so there is no time of it")
        return
    print(f"activeeval {getattr(activeeval, '__version__', '')} is there; it has no cross-entropy to compare at N = {rows}")


def importing(rounds: int) -> None:
    """What an import costs beyond NumPy's, in fresh processes."""
    code = (
        "import time, numpy; start = time.perf_counter(); import labelwise; "
        "print(1e3 * (time.perf_counter() - start))"
    )
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(rounds)
    ]
    print(f"import labelwise beyond numpy: {statistics.median(times):.1f} ms (bar 60 ms)")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("asking")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--small", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    constructing(options.asking, options.rows, options.rounds)
    one_by_one(options.small, min(5_000, options.small // 2))
    activeeval(options.small)
    importing(max(5, options.rounds))


if __name__ == "__main__":
    main()
