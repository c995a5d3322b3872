"""Make the numbers that the core's statistics are tested against.

Everything is computed a second time, from the formulas, with NumPy and SciPy:
moments of losses by numerical integration (`reference_losses.py`), estimates
and intervals with SciPy's Student t, Lambert W and root finder
(`reference_intervals.py`). Nothing is shared with the Rust code, so an
agreement of the two means something. `crates/labelwise/tests/fixtures.rs`
compares; `scripts/test_core_fixtures.py` checks that the files are what this
script makes today.

Usage: python scripts/make_core_fixtures.py [FOLDER]
"""

import numpy as np
from scipy import stats

import fixtures
from reference_intervals import (
    anytime,
    betting,
    betting_at_budget,
    ordinary,
    value_variance_freedom,
)
from reference_losses import (
    brier,
    cross_entropy,
    expectation,
    gaussian_nll,
    log_cosh,
    pinball,
    zero_one,
)
from reference_recalibrated import Belief, Run
from reference_samples import SampleSet, sample_sets

DEFAULT_FOLDER = fixtures.folder_of("labelwise")
MADE_BY = fixtures.first_line("make_core_fixtures.py", ["numpy", "scipy"])


def moment_rows():
    """Return the first and second moments of regression losses."""
    rows = [["loss", "f", "sigma2", "mu", "v", "first", "second"]]
    beliefs = [(-1.0, 0.0), (-1.0, 0.04), (0.0, 1.0), (0.3, 0.5), (2.0, 9.0)]
    beliefs.append((2.0, 1e-4))
    losses = {
        "absolute": lambda y, f, _: abs(y - f),
        "squared": lambda y, f, _: (y - f) ** 2,
        "nll": gaussian_nll,
        "log_cosh": lambda y, f, _: log_cosh(y - f),
        "pinball_0.9": pinball(0.9),
        "pinball_0.001": pinball(0.001),
    }
    for name, loss in losses.items():
        for f in (-1.5, 0.0, 2.0):
            for sigma2 in (0.1, 1.0, 4.0) if name == "nll" else (0.0,):
                for mu, v in beliefs:
                    moments = [
                        expectation(lambda y: loss(y, f, sigma2) ** power, mu, v, f)
                        for power in (1, 2)
                    ]
                    rows.append([name, f, sigma2, mu, v, *moments])
    return rows


def probability_table():
    """Return rows of class probabilities, the awkward ones included."""
    return np.array(
        [
            [0.7, 0.2, 0.1],
            [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
            [0.98, 0.015, 0.005],
            [1.0, 0.0, 0.0],
            [0.0, 0.5, 0.5],
            [1e-17, 1e-3, 0.999],
            [0.6004, 0.3, 0.1],
            [0.05, 0.9495, 0.0],
        ]
    )


def classification_rows():
    """Return cross-entropy and Brier score of each label, and their moments."""
    rows = [["loss", "p0", "p1", "p2", "l0", "l1", "l2", "b0", "b1", "b2"]]
    rows[0] += ["first", "second"]
    table = probability_table()
    beliefs = np.roll(table[:3], 1, axis=1)
    for name, function in (("cross_entropy", cross_entropy), ("brier", brier)):
        for number, losses in enumerate(function(table)):
            row, belief = table[number], beliefs[number % len(beliefs)]
            moments = [belief @ losses, belief @ losses**2]
            rows.append([name, *row, *losses, *belief, *moments])
    return rows


def pool_rows(sets):
    """Return one row a sample set: all but its samples."""
    rows = [["set", "pool_size", "sign", "known_count", "known_sum"]]
    rows[0] += ["known_square_sum", "unlabelled_low", "unlabelled_high"]
    rows[0] += ["range_low", "range_high"]
    for samples in sets:
        unlabelled = samples.unlabelled or ("", "")
        span = samples.range or ("", "")
        head = [samples.name, samples.pool_size, samples.sign, *samples.known]
        rows.append([*head, *unlabelled, *span])
    return rows


def sample_rows(sets):
    """Return one row a sample, in draw order."""
    rows = [["set", "q", "loss", "control", "control_total", "reach_low", "reach_high"]]
    for samples in sets:
        columns = [samples.q, samples.loss, samples.control, samples.control_total]
        columns += samples.reach or [[""] * samples.budget] * 2
        rows += [[samples.name, *row] for row in zip(*columns, strict=True)]
    return rows


def estimate_rows(sets):
    """Return estimate, variance and freedom for the open part of each set."""
    rows = [["set", "estimator", "value", "variance", "freedom"]]
    for samples in sets:
        for estimator in ("lure", "pure", "controlled", "regression"):
            value, variance, freedom = value_variance_freedom(samples, estimator)
            # Terms that do not vary have no degrees of freedom.
            freedom = "" if freedom is None else freedom
            rows.append([samples.name, estimator, value, variance, freedom])
    return rows


def interval_rows(sets):
    """Return every interval that each sample set allows."""
    rows = [["set", "estimator", "method", "planned", "target", "level", "low", "high"]]
    for samples in sets:
        for target in ("pool", "population"):
            for level in (0.9, 0.95, 0.999):
                for how, ends in intervals(samples, target, level):
                    rows.append([samples.name, *how, target, level, *ends])
    return rows


def intervals(samples, target, level):
    """Return (estimator, method, planned) and the ends of each interval."""
    found = []
    for estimator in ("lure", "controlled", "regression"):
        ends = ordinary(samples, estimator, target, level)
        found.append(((estimator, "ordinary", ""), ends))
        # Tuned for this very budget, and for another.
        for planned in (samples.budget, 40):
            ends = anytime(samples, estimator, planned, target, level)
            found.append(((estimator, "anytime", planned), ends))
    if samples.reach is not None:
        ends = betting(samples, target, level)
        found.append((("lure", "guaranteed", ""), ends))
        ends = betting_at_budget(samples, target, level)
        found.append((("lure", "at_budget", ""), ends))
    return found


def is_hit(m, hits, budget):
    """Tell whether draw m is one of the hits, which are spread evenly."""
    return (m * hits) % budget < hits


def quantile_rows():
    """Return intervals whose width is nothing but Student's t.

    Of M uniform draws from a large pool, K have loss 1 and the others 0; few
    hits make few degrees of freedom. Four levels have the tails 0.05, 0.025,
    0.005 and 0.0005.
    """
    rows = [["labels", "hits", "pool_size", "level", "freedom", "t", "low", "high"]]
    shapes = [(2, 1), (3, 1), (4, 1), (12, 1), (60, 1), (60, 2), (60, 6), (80, 25)]
    shapes += [(200, 100), (4001, 2000)]
    for budget, hits in shapes:
        size = 10_000
        m = np.arange(1, budget + 1)
        losses = np.array([float(is_hit(one, hits, budget)) for one in m])
        nothing = np.zeros(budget)
        samples = SampleSet("", size, [1.0 / (size - m + 1), losses, nothing, nothing])
        freedom = value_variance_freedom(samples, "lure")[2]
        for level in (0.9, 0.95, 0.99, 0.999):
            t = stats.t.isf((1.0 - level) / 2.0, freedom)
            ends = ordinary(samples, "lure", "pool", level)
            rows.append([budget, hits, size, level, freedom, t, *ends])
    return rows


def recalibrated_runs():
    """Return the settings and runs of the default's belief on small pools."""
    settings = [
        ("cross-entropy", 3, 1, False),
        ("cross-entropy", 2, 1, False),
        ("cross-entropy", 4, 2, False),
        ("zero-one", 3, 1, False),
        ("zero-one", 2, 2, False),
        ("zero-one", 3, 1, True),
        ("brier", 3, 1, False),
        ("score", 2, 1, False),
        ("score", 2, 2, False),
    ]
    tables = {"cross-entropy": cross_entropy, "brier": brier, "zero-one": zero_one}
    ranges = {"cross-entropy": None, "brier": (0.0, 2.01), "zero-one": (0.0, 1.0)}
    for number, (kind, classes, experts, alike) in enumerate(settings):
        rng = np.random.default_rng([2026, number])
        truth = rng.dirichlet(np.full(classes, 0.4), size=80)
        # Over-confident experts, each with errors of its own.
        noisy = [
            truth**2.5 * rng.gamma(4.0, size=truth.shape) + 1e-9 for _ in range(experts)
        ]
        probabilities = [table / table.sum(axis=1, keepdims=True) for table in noisy]
        labels = np.array([rng.choice(classes, p=row) for row in truth])
        if alike:
            labels = probabilities[-1].argmax(axis=1)
        # The last expert is the model under test.
        name, scores = f"{kind}-{number}", kind == "score"
        kind = "zero-one" if scores else kind
        losses = tables[kind](probabilities[-1])
        belief = Belief(losses, probabilities, kind, scores=scores)
        run = Run(belief, labels, budget=60, seed=number)
        yield name, probabilities, labels, run, ranges[kind]


def recalibrated_pool_rows():
    """Return the pools: label, and the probabilities of each expert in turn."""
    rows = [["run", "item", "label", "probabilities"]]
    for name, probabilities, labels, _, _ in recalibrated_runs():
        for item, label in enumerate(labels):
            numbers = np.concatenate([table[item] for table in probabilities])
            rows.append([name, item, label, *numbers])
    return rows


def recalibrated_draw_rows():
    """Return the draws: item, q, control and the sum of all controls."""
    rows = [["run", "item", "q", "control", "control_total"]]
    for name, _, _, run, _ in recalibrated_runs():
        columns = (run.items, run.q, run.control, run.control_total)
        rows += [[name, *values] for values in zip(*columns, strict=True)]
    return rows


def recalibrated_estimate_rows():
    """Return what follows from the draws."""
    rows = [["run", "believed", "expected", "estimate", "low", "high"]]
    for name, _, _, run, bounds in recalibrated_runs():
        rows.append([name, *run.expected(), *run.interval(bounds, 0.95)])
    return rows


def write_fixtures(folder):
    """Write every file to `folder` and return their names."""
    sets = sample_sets()
    files = {
        "moments.csv": moment_rows(),
        "classification.csv": classification_rows(),
        "quantiles.csv": quantile_rows(),
        "pools.csv": pool_rows(sets),
        "samples.csv": sample_rows(sets),
        "estimates.csv": estimate_rows(sets),
        "intervals.csv": interval_rows(sets),
        "recalibrated_pools.csv": recalibrated_pool_rows(),
        "recalibrated_draws.csv": recalibrated_draw_rows(),
        "recalibrated_estimates.csv": recalibrated_estimate_rows(),
    }
    return fixtures.write_files(folder, files, MADE_BY)


if __name__ == "__main__":
    fixtures.main(__doc__, DEFAULT_FOLDER, write_fixtures)
