"""Make the numbers that Gaussian process regression is tested against.

scikit-learn computes them: values of kernels, posterior means and standard
deviations, log marginal likelihoods, and the likelihoods that its search for
hyperparameters reaches. `crates/labelwise-models/tests/gp.rs` compares;
`scripts/test_gp_fixtures.py` checks that the files are what this script makes
today.

Usage: python scripts/make_gp_fixtures.py [FOLDER]
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

import fixtures

DEFAULT_FOLDER = fixtures.folder_of("labelwise-models")
MADE_BY = fixtures.first_line("make_gp_fixtures.py", ["numpy", "scipy", "scikit-learn"])

FAMILIES = {
    "matern12": lambda scales: Matern(scales, nu=0.5),
    "matern32": lambda scales: Matern(scales, nu=1.5),
    "matern52": lambda scales: Matern(scales, nu=2.5),
    "rbf": RBF,
}

# Every table has room for this many features; unused fields are empty.
FEATURES = 3

# Searches from random places, besides the one from the values given.
RESTARTS = 5


def kernel(family, variance, scales, noise=0.0):
    """Return scikit-learn's kernel; a single length scale is shared."""
    scales = scales[0] if len(scales) == 1 else scales
    signal = ConstantKernel(variance) * FAMILIES[family](scales)
    return signal + WhiteKernel(noise) if noise > 0.0 else signal


def data_sets():
    """Return name -> (features, labels, features to predict at)."""
    rng = np.random.default_rng(20210309)
    line = np.sort(rng.uniform(0.0, 2.0, 12))[:, None]
    cube = rng.uniform(0.0, 1.0, (25, 3))
    noisy = rng.uniform(0.0, 5.0, (40, 1))
    grid = np.linspace(0.0, 1.0, 50)[:, None]
    return {
        # The last places are a training point, and far away from all of them.
        "line": (
            line,
            np.sin(3.0 * line[:, 0]) + 0.3 * line[:, 0],
            np.vstack([np.linspace(-0.5, 2.5, 9)[:, None], line[4:5], [[40.0]]]),
        ),
        "cube": (
            cube,
            np.sin(4.0 * cube[:, 0]) + cube[:, 1] ** 2 - 0.5 * cube[:, 2],
            np.vstack([rng.uniform(-0.2, 1.2, (9, 3)), cube[7:8]]),
        ),
        "noisy": (
            noisy,
            np.sin(noisy[:, 0]) + 0.2 * rng.standard_normal(40),
            np.linspace(0.0, 5.0, 8)[:, None],
        ),
        "grid": (grid[::2], np.sin(6.0 * grid[::2, 0]), grid[1::2]),
    }


def cases(name):
    """Return (family, variance, length scales, noise) to predict with.

    Labels with noise are given to no process without: their covariances would
    be so close to singular that only rounding was compared.
    """
    if name == "grid":
        return [("matern32", 1.0, [1.0], 0.0)]
    settings = {
        "line": [(1.0, [0.3], 0.0), (1.7, [0.8], 0.05), (0.2, [2.0], 0.3)],
        "noisy": [(1.0, [0.3], 0.1), (1.7, [0.8], 0.05)],
        "cube": [
            (1.0, [1.0], 0.0),
            (1.7, [0.4], 0.05),
            (0.6, [0.3, 1.0, 2.5], 0.0),
            (2.5, [0.5, 0.2, 4.0], 0.01),
        ],
    }
    return [(family, *setting) for family in FAMILIES for setting in settings[name]]


def padded(values):
    """Return the values with empty fields up to the number of features."""
    return [*values, *[""] * (FEATURES - len(values))]


def columns(*names):
    """Return the names, each numbered once a feature."""
    return [f"{name}{number}" for name in names for number in range(1, FEATURES + 1)]


def data_rows(sets):
    """Return training rows with labels, and rows to predict at without."""
    rows = [["set", *columns("x"), "label"]]
    for name, (train, labels, test) in sets.items():
        rows += [[name, *padded(x), y] for x, y in zip(train, labels, strict=True)]
        rows += [[name, *padded(x), ""] for x in test]
    return rows


def kernel_rows():
    """Return covariances of pairs of points, near and far."""
    rng = np.random.default_rng(7)
    rows = [["family", "variance", *columns("l", "a", "b"), "covariance"]]
    for family in FAMILIES:
        for size in (1, 3):
            for scales in ([1.0], [0.3]) if size == 1 else ([0.7], [0.3, 1.0, 2.5]):
                for distance in (0.0, 1e-9, 0.01, 0.5, 3.0, 50.0):
                    a = rng.uniform(-1.0, 1.0, size)
                    b = a + distance * rng.uniform(0.5, 1.0, size)
                    variance = rng.uniform(0.1, 5.0)
                    value = kernel(family, variance, scales)(a[None], b[None])[0, 0]
                    places = [*padded(scales), *padded(a), *padded(b)]
                    rows.append([family, variance, *places, value])
    return rows


def regressor(family, variance, scales, noise, **options):
    """Return scikit-learn's regressor with its default jitter of 1e-10."""
    return GaussianProcessRegressor(kernel(family, variance, scales, noise), **options)


def predictions(sets):
    """Return rows of posteriors and rows of likelihoods, nothing learnt."""
    head = ["set", "family", "variance", *columns("l"), "noise"]
    posterior, likelihood = [[*head, "item", "mean", "std_dev"]], [[*head, "value"]]
    for name, (train, labels, test) in sets.items():
        for family, variance, scales, noise in cases(name):
            model = regressor(family, variance, scales, noise, optimizer=None)
            model.fit(train, labels)
            row = [name, family, variance, *padded(scales), noise]
            likelihood.append([*row, model.log_marginal_likelihood_value_])
            means, std_devs = model.predict(test, return_std=True)
            for item, numbers in enumerate(zip(means, std_devs, strict=True)):
                posterior.append([*row, item, *numbers])
    return posterior, likelihood


def searches(sets):
    """Return the best likelihood that scikit-learn finds from each start."""
    rows = [["set", "family", "variance", *columns("l"), "noise", "restarts", "best"]]
    for name, scales, noise in (
        ("line", [1.0], 0.0),
        ("line", [1.0], 0.1),
        ("noisy", [1.0], 0.1),
        ("cube", [1.0], 0.1),
        ("cube", [1.0, 1.0, 1.0], 0.0),
        ("cube", [1.0, 1.0, 1.0], 0.1),
    ):
        train, labels, _ = sets[name]
        for family in FAMILIES:
            if family == "rbf" and noise == 0.0:
                # It is so smooth that the best place depends on rounding.
                continue
            options = {"n_restarts_optimizer": RESTARTS, "random_state": 0}
            model = regressor(family, 1.0, scales, noise, **options)
            with warnings.catch_warnings():
                # Some optima lie on the bounds, which it warns about.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(train, labels)
            best = model.log_marginal_likelihood_value_
            rows.append([name, family, 1.0, *padded(scales), noise, RESTARTS, best])
    return rows


def write_fixtures(folder):
    """Write every file to `folder` and return their names."""
    sets = data_sets()
    posterior, likelihood = predictions(sets)
    files = {
        "gp_data.csv": data_rows(sets),
        "gp_kernels.csv": kernel_rows(),
        "gp_posterior.csv": posterior,
        "gp_likelihood.csv": likelihood,
        "gp_search.csv": searches(sets),
    }
    return fixtures.write_files(folder, files, MADE_BY)


if __name__ == "__main__":
    fixtures.main(__doc__, DEFAULT_FOLDER, write_fixtures)
