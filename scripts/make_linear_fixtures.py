"""Make the numbers that linear and logistic regression are tested against.

scikit-learn fits, and NumPy adds the variances that scikit-learn does not
give. Features are rounded before the fit, so that the files hold the very
numbers that were fitted. `crates/labelwise-models/tests/linear.rs` and
`logistic.rs` compare; `scripts/test_linear_fixtures.py` checks that the files
are what this script makes today.

Usage: python scripts/make_linear_fixtures.py [FOLDER]
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

import fixtures

SEED = 20210309

# Every solver of scikit-learn has the same minimum in mind. L-BFGS, the
# default, stops up to 1e-5 away from it however small its tolerance is.
SOLVER = "newton-cholesky"

DEFAULT_FOLDER = fixtures.folder_of("labelwise-models")
MADE_BY = fixtures.first_line(
    "make_linear_fixtures.py", ["numpy", "scipy", "scikit-learn"]
)


def linear_problems():
    """Return (name, ridges, train features, labels, test features) each.

    A ridge of 0 is plain least squares. `offset` has features far from 0 and
    of very different scales; `wide` has fewer rows than features, and `twins`
    the same feature twice, which only a ridge can fit.
    """
    rng = np.random.default_rng(SEED)
    problems = []
    shapes = {"plain": (20, 3), "offset": (30, 4), "wide": (6, 9), "twins": (15, 3)}
    for name, (rows, columns) in shapes.items():
        features = rng.normal(size=(rows + 6, columns))
        if name == "offset":
            features = 1000.0 + features * 10.0 ** np.arange(-1, 3)
        if name == "twins":
            features[:, 2] = features[:, 0]
        # A few test rows lie far outside, where variances are large.
        features[-2:] += 5.0
        features = features.round(3)
        slopes = rng.normal(size=columns)
        labels = features[:rows] @ slopes + 2.0 + 0.5 * rng.normal(size=rows)
        ridges = [0.1, 10.0] if name in ("wide", "twins") else [0.0, 0.1, 10.0]
        train, test = features[:rows], features[rows:]
        problems.append((name, ridges, train, labels.round(4), test))
    return problems


def linear_fit(ridge, train, labels):
    """Return scikit-learn's intercept and coefficients."""
    if ridge == 0.0:
        model = LinearRegression(tol=1e-14).fit(train, labels)
    else:
        model = Ridge(alpha=ridge, solver="svd").fit(train, labels)
    return float(model.intercept_), model.coef_


def linear_beliefs(ridge, train, labels, test):
    """Return mean, aleatoric and epistemic variance of each test row.

    With the intercept as a column of ones and P as the penalty, which spares
    it, A'A + P = R'R; R comes from the QR of A over the root of P.
    """
    rows, columns = train.shape
    design = np.column_stack([np.ones(rows), train])
    root = np.sqrt(ridge) * np.eye(columns + 1)[1:]
    triangle = np.linalg.qr(np.vstack([design, root]), mode="r")
    hat = np.linalg.solve(triangle.T, design.T)
    freedom = rows - np.sum(hat**2)
    intercept, slopes = linear_fit(ridge, train, labels)
    residuals = labels - intercept - train @ slopes
    variance = np.sum(residuals**2) / freedom
    ones = np.column_stack([np.ones(len(test)), test])
    leverage = np.sum(np.linalg.solve(triangle.T, ones.T) ** 2, axis=0)
    means = intercept + test @ slopes
    return np.column_stack([means, np.full(len(test), variance), variance * leverage])


def linear_files():
    """Return the data, the coefficients and the beliefs as rows of fields."""
    data = [["problem", "part", "label", "features"]]
    fits = [["problem", "ridge", "intercept", "coefficients"]]
    beliefs = [["problem", "ridge", "mean", "aleatoric", "epistemic"]]
    for name, ridges, train, labels, test in linear_problems():
        data += [[name, "train", y, *row] for row, y in zip(train, labels, strict=True)]
        data += [[name, "test", "", *row] for row in test]
        for ridge in ridges:
            intercept, slopes = linear_fit(ridge, train, labels)
            fits.append([name, ridge, intercept, *slopes])
            for row in linear_beliefs(ridge, train, labels, test):
                beliefs.append([name, ridge, *row])
    return {
        "linear_data.csv": data,
        "linear_fits.csv": fits,
        "linear_beliefs.csv": beliefs,
    }


def logistic_problems():
    """Return (name, Cs, train features, labels, test features) each.

    `absent` and `pair` have four classes too, of which the data lack one and
    two. `uneven` has features far from 0 and of very different scales;
    `separable` has classes that a line parts without error.
    """
    rng = np.random.default_rng(SEED + 1)
    kept = {
        "two": [0, 1],
        "four": [0, 1, 2, 3],
        "absent": [0, 2, 3],
        "pair": [1, 3],
        "uneven": [0, 1, 2],
        "separable": [0, 1, 2],
    }
    problems = []
    for name, classes in kept.items():
        rows, columns = (60, 3)
        labels = rng.choice(classes, size=rows)
        spread = 8.0 if name == "separable" else 1.0
        centres = spread * rng.normal(size=(4, columns))
        features = rng.normal(size=(rows + 10, columns))
        features[:rows] += centres[labels]
        features[rows:] *= 3.0
        if name == "uneven":
            features = 100.0 + features * np.array([0.1, 1.0, 10.0])
        cs = [0.01, 1.0, 100.0]
        features = features.round(3)
        problems.append((name, cs, features[:rows], labels, features[rows:]))
    return problems


def digits():
    """Return 200 training and 100 test images, with pixels from 0 to 16."""
    images, labels = load_digits(return_X_y=True)
    chosen = np.random.default_rng(SEED + 2).permutation(len(labels))[:300]
    return images[chosen].astype(int), labels[chosen]


def logistic_probabilities(c, train, labels, test, classes, solver=SOLVER):
    """Return one column a class; a class that the data lack has zeros."""
    model = LogisticRegression(C=c, solver=solver, tol=1e-10, max_iter=100_000)
    model.fit(train, labels)
    probabilities = np.zeros((len(test), classes))
    probabilities[:, model.classes_] = model.predict_proba(test)
    return probabilities


def class_count(name):
    """Return how many classes a problem has, whether its data have them or not."""
    return {"two": 2, "uneven": 3, "separable": 3}.get(name, 4)


def logistic_files():
    """Return data and probabilities, of small problems and of digits."""
    data = [["problem", "part", "label", "features"]]
    expected = [["problem", "classes", "c", "probabilities"]]
    for name, cs, train, labels, test in logistic_problems():
        data += [[name, "train", y, *row] for row, y in zip(train, labels, strict=True)]
        data += [[name, "test", "", *row] for row in test]
        classes = class_count(name)
        for c in cs:
            for row in logistic_probabilities(c, train, labels, test, classes):
                expected.append([name, classes, c, *(f"{p:.10g}" for p in row)])
    images, labels = digits()
    pixels = [["part", "label", "pixels"]]
    for place, (image, label) in enumerate(zip(images, labels, strict=True)):
        pixels.append(["train" if place < 200 else "test", label, *image])
    scaled = images / 16.0
    digit_rows = [["c", "probabilities"]]
    for c in (1.0, 100.0):
        for row in logistic_probabilities(
            c, scaled[:200], labels[:200], scaled[200:], 10
        ):
            digit_rows.append([c, *(f"{p:.8f}" for p in row)])
    return {
        "logistic_data.csv": data,
        "logistic_probabilities.csv": expected,
        "logistic_digits.csv": pixels,
        "logistic_digits_probabilities.csv": digit_rows,
    }


def write_fixtures(folder):
    """Write every file to `folder` and return their names."""
    return fixtures.write_files(folder, linear_files() | logistic_files(), MADE_BY)


if __name__ == "__main__":
    fixtures.main(__doc__, DEFAULT_FOLDER, write_fixtures)
