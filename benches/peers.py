"""Compare labelwise with the packages that correct a judge, and with uniform sampling, in one run.

Each package estimates a pass rate from the same judge's scores and as many labels, many times over, on pools whose labels are all
known. Packages for uniform samples get the same samples. It prints a table per pool and number of labels: the root mean squared
error relative to uniform sampling, how many uniform labels one label is worth (the inverse square of that), how often the 95 %
interval covers the pool's rate, its mean width, labels used, and milliseconds per evaluation.

Usage: python benches/peers.py [--runs R] [--labels M ...] [--pool FILE:JUDGE:LABEL:POSITIVE ...]

Without --pool it takes the answers of examples/ and the digits that are bundled with the program. A judge that is a column of
verdicts counts as 1 where it says POSITIVE.
"""

import argparse
import csv
import math
import sys
import time
import warnings
from pathlib import Path

import evalstats
import numpy as np
import ppi_py
import truescore
from scipy import stats

import labelwise as lw

ROOT = Path(__file__).resolve().parents[1]
LEVEL = 0.95
STRATA = 10


class Pool:
    """Scores of a judge for every item, and the labels."""

    def __init__(self, name, judge, passed, evaluation):
        self.name, self.judge, self.passed = name, np.asarray(judge, float), np.asarray(passed, float)
        self.evaluation = evaluation
        self.truth = float(self.passed.mean())

    def __len__(self):
        return len(self.passed)


def judged(name, path, judge, label, positive):
    """A pool of a CSV file with a judge's column."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    said, passed = [row[judge] for row in rows], [row[label] == positive for row in rows]
    try:
        scores = [float(text) for text in said]
    except ValueError:
        scores = [float(text == positive) for text in said]

    def evaluation(seed):
        e = lw.Evaluation(judge=scores, loss="rate", positive=positive, classes=sorted({row[label] for row in rows}), seed=seed)
        return e, lambda item: rows[item][label]

    return Pool(name, scores, passed, evaluation)


def digits():
    """Accuracy of the bundled classifier of digits. The model's largest probability is the judge of its own answer."""
    with (ROOT / "crates/labelwise-cli/data/digits.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    probabilities = np.array([[float(row[f"model_{digit}"]) for digit in range(10)] for row in rows])
    labels = np.array([int(row["label"]) for row in rows])

    def evaluation(seed):
        return lw.Evaluation(probabilities, loss="accuracy", seed=seed), lambda item: int(labels[item])

    return Pool("digits", probabilities.max(axis=1), probabilities.argmax(axis=1) == labels, evaluation)


def labelled(pool, seed, count):
    """A uniform sample: which items, and which not."""
    chosen = np.zeros(len(pool), bool)
    chosen[np.random.default_rng(seed).choice(len(pool), count, replace=False)] = True
    return chosen


def with_gaps(pool, chosen):
    """Labels where they are known, and nothing elsewhere."""
    return np.where(chosen, pool.passed, np.nan)


def uniform(pool, seed, count):
    """The mean of a uniform sample, with Student's interval for a finite pool."""
    values = pool.passed[labelled(pool, seed, count)]
    error = values.std(ddof=1) * math.sqrt((1 - count / len(pool)) / count) * stats.t.ppf((1 + LEVEL) / 2, count - 1)
    return values.mean(), values.mean() - error, values.mean() + error, count


def ppi_python(pool, seed, count):
    """PPI++ of ppi-python."""
    chosen = labelled(pool, seed, count)
    parts = pool.passed[chosen], pool.judge[chosen], pool.judge[~chosen]
    low, high = ppi_py.ppi_mean_ci(*parts, alpha=1 - LEVEL)
    return float(ppi_py.ppi_mean_pointestimate(*parts)[0]), float(low[0]), float(high[0]), count


def truescore_ppi(pool, seed, count):
    """PPI++ of truescore."""
    chosen = labelled(pool, seed, count)
    found = truescore.ppi_estimate(pool.judge, pool.passed[chosen], np.flatnonzero(chosen), alpha=1 - LEVEL)
    return found.point, found.low, found.high, count


def evalstats_ppi(pool, seed, count):
    """The corrected mean of evalstats."""
    labels = with_gaps(pool, labelled(pool, seed, count))
    found = evalstats.judge_debias_mean_ci(pool.judge, labels, alpha=1 - LEVEL, rng=seed)
    return found.mean, found.ci_low, found.ci_high, count


def of_glide(found, labels):
    ends = found.confidence_interval
    return found.mean, ends.lower_bound, ends.upper_bound, labels


def glide_stratified(pool, seed, count):
    """glide: strata of about equal size by the judge's score, as many labels in proportion, PPI++ in each. It refuses strata in which
    a judge says the same of every item, so scores get a noise of a millionth."""
    from glide.estimators import StratifiedPPIMeanEstimator
    from glide.samplers import StratifiedSampler

    edges = np.unique(np.quantile(pool.judge, np.arange(1, STRATA) / STRATA))
    groups = np.unique(np.searchsorted(edges, pool.judge), return_inverse=True)[1]
    judge = pool.judge + 1e-6 * np.random.default_rng(0).random(len(pool))
    chosen = StratifiedSampler().sample(judge, groups, count, strategy="proportional", random_seed=seed) == 1
    found = StratifiedPPIMeanEstimator().estimate(with_gaps(pool, chosen), judge, groups, confidence_level=LEVEL)
    return of_glide(found, int(chosen.sum()))


def glide_active(pool, seed, count):
    """glide: active statistical inference, items drawn by the judge's own uncertainty."""
    from glide.estimators import ASIMeanEstimator
    from glide.samplers import ActiveSampler

    doubt = np.sqrt(np.clip(pool.judge * (1 - pool.judge), 0.01, None))
    pi, drawn = ActiveSampler().sample(doubt, count, random_seed=seed)
    found = ASIMeanEstimator().estimate(with_gaps(pool, drawn == 1), pool.judge, pi, confidence_level=LEVEL)
    return of_glide(found, int((drawn == 1).sum()))


def labelwise(pool, seed, count):
    """labelwise with its defaults, one item at a time."""
    e, label = pool.evaluation(seed)
    e.run(count, label)
    found = e.estimate(level=LEVEL)
    return found.value, found.low, found.high, found.labels


PACKAGES = {
    "uniform sampling": uniform,
    "ppi-python": ppi_python,
    "truescore": truescore_ppi,
    "evalstats": evalstats_ppi,
    "glide-py, stratified": glide_stratified,
    "glide-py, active": glide_active,
    "labelwise": labelwise,
}


def spent(package, pool, count, runs):
    """Errors, covers, widths, labels, seconds and failures of many runs."""
    rows, failed, start = [], set(), time.process_time()
    for seed in range(runs):
        try:
            rows.append(package(pool, seed, count))
        except ValueError as error:
            failed.add(str(error))
    return np.array(rows), (time.process_time() - start) / runs, runs - len(rows), failed


def table(pool, count, runs, packages):
    """A table in Markdown."""
    print(f"\n### {pool.name}: {len(pool)} items, rate {pool.truth:.4f}, {count} labels\n")
    print("| | RMSE / uniform | one label is worth | covers | mean width | labels | ms |\n|---|---|---|---|---|---|---|")
    reference = None
    for name, package in packages.items():
        rows, seconds, failures, why = spent(package, pool, count, runs)
        if len(rows) < runs / 2:
            print(f"| {name} | refuses: {'; '.join(sorted(why))[:100]} | | | | | |")
            continue
        values, low, high, labels = rows.T
        rmse = float(np.sqrt(np.mean((values - pool.truth) ** 2)))
        reference = reference or rmse
        covers = np.mean((low <= pool.truth) & (pool.truth <= high))
        note = f" ({failures} runs refused)" if failures else ""
        print(
            f"| {name}{note} | {rmse / reference:.2f} | {(reference / rmse) ** 2:.2f} | {covers:.3f} | {np.mean(high - low):.3f} "
            f"| {labels.mean():.1f} | {1000 * seconds:.1f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--pool", action="append", default=[], metavar="FILE:JUDGE:LABEL:POSITIVE")
    options = parser.parse_args()
    # Each peer warns of what the page says: the sample is uniform, as they ask for.
    warnings.simplefilter("ignore")
    pools = [judged(Path(one.split(":")[0]).stem, *one.rsplit(":", 3)) for one in options.pool]
    pools = pools or [judged("answers", ROOT / "examples/answers.csv", "judge_score", "label", "pass"), digits()]
    packages = dict(PACKAGES)
    try:
        import glide  # noqa: F401
    except ImportError:
        print("glide-py needs Python 3.12: its rows are left out", file=sys.stderr)
        packages = {name: package for name, package in packages.items() if "glide" not in name}
    print(f"{options.runs} runs, seeds 0 to {options.runs - 1}, CPU time of this process")
    for pool in pools:
        for count in options.labels:
            table(pool, count, options.runs, packages)


if __name__ == "__main__":
    main()
