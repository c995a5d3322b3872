"""Make the numbers that the statistics of repeated runs are tested against.

NumPy and SciPy compute them: moments, quantiles and order statistics, the
jackknife by really leaving out each run, relative labelling costs by
a root finder, and Wilcoxon's signed-rank test far into its tails.
`crates/labelwise-paper/tests/statistics.rs` compares;
`scripts/test_statistics_fixtures.py` checks that the files are what this
script makes today.

Usage: python scripts/make_statistics_fixtures.py [FOLDER]
"""

import math

import numpy as np
from scipy import optimize, special, stats

import fixtures

DEFAULT_FOLDER = fixtures.folder_of("labelwise-paper")
MADE_BY = fixtures.first_line("make_statistics_fixtures.py", ["numpy", "scipy"])

SHARES = [0.0, 0.01, 0.05, 0.1, 0.25, 1.0 / 3.0, 0.5, 0.75, 0.9, 0.95, 0.999, 1.0]

# Sizes of samples for the interval of the median; the last are the paper's runs.
SIZES = [*range(1, 60), 99, 100, 101, 872, 1000, 1085, 2500, 5000, 7000, 10_000]


def samples():
    """Return samples of errors by name, from small and awkward to heavy tails."""
    rng = np.random.default_rng(20210309)
    heavy = np.exp(1.5 * rng.standard_normal(400)) * rng.choice([-1.0, 1.0], 400)
    exact = rng.choice([0.0, 0.0, 2.0**-53, -(2.0**-54), 2.0**-56], 60)
    return {
        "one": np.array([-0.3]),
        "two": np.array([0.25, -0.5]),
        "three": np.array([1.0, 4.0, 2.0]),
        "five": rng.standard_normal(5),
        "six": rng.standard_normal(6),
        "zero": np.zeros(8),
        "same": np.full(7, 0.125),
        "single-hit": np.array([0.0] * 9 + [3.0]),
        "normal": 0.02 + 0.1 * rng.standard_normal(301),
        "heavy": 1e-3 * heavy,
        "exact": exact,
        "biased": 1e3 + rng.standard_normal(150),
    }


def sample_rows():
    """Return one row an error."""
    rows = [["sample", "error"]]
    return rows + [[name, x] for name, xs in samples().items() for x in xs]


def jackknife(errors):
    """Return the jackknife's standard error of the standard deviation."""
    size = len(errors)
    without = [np.delete(errors, run).std(ddof=1) for run in range(size)]
    return math.sqrt((size - 1) * np.var(without))


def summary(errors):
    """Return the values of a summary by name; an empty one does not exist."""
    squares = errors**2
    logs = np.log(squares[errors != 0.0])
    several, several_logs = len(errors) > 1, len(logs) > 1
    varied = len(errors) > 2 and np.ptp(errors) > 0.0
    ends = stats.quantile_test(squares, p=0.5).confidence_interval(0.95)
    known = len(errors) > 5
    values = {
        "runs": len(errors),
        "mean": math.fsum(errors) / len(errors),
        "mean_std_error": stats.sem(errors) if several else "",
        "std_dev": errors.std(ddof=1) if several else "",
        "std_dev_std_error": jackknife(errors) if varied else "",
        "mean_squared_error": math.fsum(squares) / len(errors),
        "mean_squared_error_std_error": stats.sem(squares) if several else "",
        "median_squared_error": np.median(squares),
        "low": ends.low if known else "",
        "high": ends.high if known else "",
    }
    for percent in (5, 10, 25, 75, 90, 95):
        values[f"q{percent:02d}"] = np.quantile(squares, percent / 100)
    values["mean_log"] = logs.mean() if len(logs) > 0 else ""
    values["mean_log_std_error"] = stats.sem(logs) if several_logs else ""
    values["exact_runs"] = len(errors) - len(logs)
    return values


def summary_rows():
    """Return one row a sample."""
    found = {name: summary(errors) for name, errors in samples().items()}
    rows = [["sample", *found["one"]]]
    return rows + [[name, *values.values()] for name, values in found.items()]


def quantile_rows():
    """Return quantiles of the errors themselves."""
    rows = [["sample", "share", "quantile"]]
    for name, errors in samples().items():
        rows += [[name, share, np.quantile(errors, share)] for share in SHARES]
    return rows


def median_rows():
    """Return which values of a sample, counted from 1, enclose its median.

    How many values lie below the median is binomial.
    """
    rows = [["runs", "low", "high"]]
    for size in SIZES:
        low = int(stats.binom.ppf(0.025, size, 0.5))
        # One more may be below with no more than 2.5 %, if it is that exactly.
        low += int(stats.binom.cdf(low, size, 0.5) <= 0.025)
        rows.append([size, *((low, size + 1 - low) if low > 0 else ("", ""))])
    return rows


def curves():
    """Return (active, uniform) curves of errors by name."""
    rng = np.random.default_rng(5)
    labels = np.arange(1, 61)
    noise = np.exp(0.1 * rng.standard_normal((4, 60)))
    return {
        "quarter": (0.25 / labels, 1.0 / labels),
        "noisy": (0.5 / labels * noise[0], 1.0 / labels * noise[1]),
        "worse": (2.0 / labels * noise[2], 1.0 / labels * noise[3]),
        "same": (1.0 / labels * noise[1], 1.0 / labels * noise[1]),
        "to-zero": (1.0 / labels - 1.0 / 60.0, 3.0 / labels - 0.05),
    }


def labels_to_reach(error, lows):
    """Return where straight lines through errors first come down to one of them."""
    if error < lows[-1]:
        return math.nan
    numbers = np.arange(1, len(lows) + 1)
    first = numbers[lows <= error][0]
    if first == 1:
        return 1.0
    return optimize.brentq(
        lambda labels: np.interp(labels, numbers, lows) - error,
        first - 1,
        first,
        xtol=1e-13,
    )


def labelling_costs(active, uniform):
    """Return the relative labelling cost at each number of uniform labels."""
    lows, reached = np.minimum.accumulate(active), np.minimum.accumulate(uniform)
    costs = [
        labels_to_reach(error, lows) / (1 + np.flatnonzero(reached == error)[0])
        for error in reached
    ]
    return ["" if math.isnan(cost) else cost for cost in costs]


def curve_rows():
    """Return both curves and the cost, one row a number of labels."""
    rows = [["curve", "active", "uniform", "cost"]]
    for name, (active, uniform) in curves().items():
        costs = labelling_costs(active, uniform)
        for row in zip(active, uniform, costs, strict=True):
            rows.append([name, *row])
    return rows


def pairs(count, bits, lift):
    """Return two samples of whole numbers, which the tests make as well.

    Numbers of a linear congruential generator lose their last `bits`, so that
    some pairs are equal and some differences have the same size. The second
    sample is higher by `lift`.
    """
    state, values = count, []
    for _ in range(2 * count):
        state = (1_103_515_245 * state + 12_345) % 2**31
        values.append(float(state >> bits))
    return np.array(values[::2]), np.array(values[1::2]) + lift


def p_value(first, second, alternative, method, correction=False):
    """Return SciPy's p-value.

    The upper tail of its exact law is one minus the rest, of which only sixteen
    digits after the point are right; the other way round it is a lower tail.
    """
    if alternative == "greater":
        first, second, alternative = second, first, "less"
    options = {"alternative": alternative, "method": method}
    return stats.wilcoxon(first, second, correction=correction, **options).pvalue


def normal_cases():
    """Return (pairs, bits, lift) from the middle to far into both tails."""
    cases = [(60, 0, 0), (60, 24, 3), (200, 28, 0), (200, 28, 2), (51, 30, 0)]
    cases += [(1000, 16, lift) for lift in (0, 500, 2_000, 8_000, 16_000, 32_768)]
    cases += [(1500, 0, lift * 2**27) for lift in (-16, -8, -1, 1, 4, 8, 12, 16)]
    return cases + [(10_000, 0, 2**31), (10_000, 16, -20_000)]


def exact_cases():
    """Return (pairs, bits, lift) of small samples; only small ones have ties."""
    cases = [(count, 0, lift * 2**28) for count in (1, 2, 9, 30) for lift in (0, 3)]
    cases += [(50, 0, lift * 2**28) for lift in (-12, -4, 0, 4, 12)]
    return cases + [(7, 28, 0), (8, 27, 5), (9, 29, 0), (9, 29, 1), (10, 28, 1)]


def rank_rows():
    """Return rank sums, z and p-values of signed-rank tests."""
    rows = [["method", "pairs", "bits", "lift", "alternative"]]
    rows[0] += ["differing", "positive", "negative", "z", "p", "log10_p"]
    for case in normal_cases():
        for method in ("normal", "normal_corrected"):
            rows += signed_rank_rows(method, case, "asymptotic")
    for case in exact_cases():
        # With few pairs and ties SciPy goes through all signs.
        rows += signed_rank_rows("exact", case, "exact" if case[1] == 0 else "auto")
    return rows


def signed_rank_rows(method, case, scipy_method):
    """Return one row an alternative."""
    first, second = pairs(*case)
    differences = (first - second)[first != second]
    ranks = stats.rankdata(np.abs(differences))
    sums = [ranks[differences > 0.0].sum(), ranks[differences < 0.0].sum()]
    rows = []
    for alternative in ("less", "greater", "two-sided"):
        correction = method == "normal_corrected"
        p = p_value(first, second, alternative, scipy_method, correction)
        z, log10 = "", math.log10(p) if p > 0.0 else ""
        if method != "exact":
            options = {"alternative": alternative, "method": "asymptotic"}
            test = stats.wilcoxon(first, second, correction=correction, **options)
            # SciPy has a z below 0 whenever the alternative is two-sided.
            z = test.zstatistic
            z = abs(z) if alternative == "two-sided" and sums[0] > sums[1] else z
            tail = {"less": z, "greater": -z, "two-sided": -abs(z)}[alternative]
            doubled = math.log(2.0) if alternative == "two-sided" else 0.0
            log10 = (special.log_ndtr(tail) + doubled) / math.log(10.0)
        head = [method, *case, alternative.replace("-", "_"), len(differences)]
        rows.append([*head, *sums, z, p, log10])
    return rows


def write_fixtures(folder):
    """Write every file to `folder` and return their names."""
    files = {
        "statistics_samples.csv": sample_rows(),
        "statistics_summaries.csv": summary_rows(),
        "statistics_quantiles.csv": quantile_rows(),
        "statistics_medians.csv": median_rows(),
        "statistics_curves.csv": curve_rows(),
        "statistics_ranks.csv": rank_rows(),
    }
    return fixtures.write_files(folder, files, MADE_BY)


if __name__ == "__main__":
    fixtures.main(__doc__, DEFAULT_FOLDER, write_fixtures)
