"""Make the numbers that metrics which are no means are tested against.

scikit-learn computes them, of items with weights: metrics of classes and of
values. Calibration is computed with NumPy from its formula.
`crates/labelwise/tests/metrics` compares; `scripts/test_metric_fixtures.py`
checks that the files are what this script makes today.

Usage: python scripts/make_metric_fixtures.py [FOLDER]
"""

import numpy as np
from sklearn import metrics

import fixtures

DEFAULT_FOLDER = fixtures.folder_of("labelwise")
MADE_BY = fixtures.first_line("make_metric_fixtures.py", ["numpy", "scikit-learn"])

BINS = 10
SHARES = [0.3, 0.8]
THRESHOLD = 0.3
# Shares are ratios of sums, which rounding moves.
SLACK = 1e-12


def classified(rng, size, classes, sureness, shift):
    """Return weights, probabilities and labels; `shift` makes class 0 common."""
    logits = rng.normal(size=(size, classes)) * sureness
    logits[:, 0] += shift
    rows = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    # Rounded, so that some scores are tied.
    rows = np.round(rows, 2)
    rows[:, 0] += 1.0 - rows.sum(axis=1)
    truths = np.exp(0.7 * logits)
    truths /= truths.sum(axis=1, keepdims=True)
    labels = np.array([rng.choice(classes, p=truth) for truth in truths])
    return rng.gamma(2.0, size=size), np.round(rows, 2), labels


def class_pools():
    """Return pools of classes by name."""
    rng = np.random.default_rng(20210310)
    pools = {
        "even": classified(rng, 120, 2, 1.5, 0.0),
        "rare": classified(rng, 400, 2, 1.0, 2.5),
        "four": classified(rng, 200, 4, 1.2, 0.5),
    }
    weights, rows, labels = pools["four"]
    pools["four, all alike"] = (np.full_like(weights, 1.0 / 200.0), rows, labels)
    return pools


def squared_calibration_error(weights, rows, right):
    """Return the mean squared gap of bins of one width over the top probability."""
    confidence = rows.max(axis=1)
    least = 1.0 / rows.shape[1]
    place = np.floor((confidence - least) / (1.0 - least) * BINS).astype(int)
    place = np.clip(place, 0, BINS - 1)
    total = 0.0
    for number in range(BINS):
        inside = place == number
        mass = weights[inside].sum()
        if mass > 0.0:
            gap = np.average((confidence - right)[inside], weights=weights[inside])
            total += mass / weights.sum() * gap**2
    return total


def curve_values(truth, scores, class_, of):
    """Return average precision and points of the precision-recall curve."""
    area = metrics.average_precision_score(truth, scores, **of)
    precision, recall, _ = metrics.precision_recall_curve(truth, scores, **of)
    values = {f"average {class_}": area}
    for share in SHARES:
        # Thresholds increase, so the last that reaches the recall is the largest.
        reached = np.flatnonzero(recall >= share - SLACK)
        values[f"precision@{share} {class_}"] = precision[reached[-1]]
        values[f"recall@{share} {class_}"] = recall[precision >= share - SLACK].max()
    return values


def threshold_values(labels, scores, of):
    """Return metrics of class 1 where it is predicted from a threshold on."""
    predicted = (scores >= THRESHOLD).astype(int)
    return {
        f"from {name}": score(labels, predicted, **of)
        for name, score in [
            ("accuracy", metrics.accuracy_score),
            ("precision", metrics.precision_score),
            ("recall", metrics.recall_score),
            ("f1", metrics.f1_score),
            ("balanced", metrics.balanced_accuracy_score),
            ("matthews", metrics.matthews_corrcoef),
        ]
    }


def class_values(weights, rows, labels):
    """Return the value of every metric of classes by name."""
    predicted = rows.argmax(axis=1)
    of = {"sample_weight": weights}
    classes = list(range(rows.shape[1]))
    each = {"labels": classes, "average": None} | of
    values = {"matthews": metrics.matthews_corrcoef(labels, predicted, **of)}
    for name, weighted in [("kappa", None), ("weighted", "quadratic")]:
        values[name] = metrics.cohen_kappa_score(
            labels, predicted, labels=classes, weights=weighted, **of
        )
    values["balanced"] = metrics.balanced_accuracy_score(labels, predicted, **of)
    values["accuracy"] = metrics.accuracy_score(labels, predicted, **of)
    for name, score in [
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("f1", metrics.f1_score),
    ]:
        values[f"macro {name}"] = score(labels, predicted, average="macro", **of)
        for class_, value in enumerate(score(labels, predicted, **each)):
            values[f"{name} {class_}"] = value
    for class_ in classes:
        values[f"auc {class_}"] = metrics.roc_auc_score(
            labels == class_, rows[:, class_], **of
        )
        values |= curve_values(labels == class_, rows[:, class_], class_, of)
    if len(classes) == 2:
        values |= threshold_values(labels, rows[:, 1], of)
    right = (labels == predicted).astype(float)
    values["squared calibration"] = squared_calibration_error(weights, rows, right)
    return values


def value_pools():
    """Return pools of predicted numbers by name: weights, predictions, labels."""
    rng = np.random.default_rng(20210311)
    truth = rng.normal(size=150) * 3.0 + 10.0
    return {
        "good": (rng.gamma(2.0, size=150), truth + rng.normal(size=150), truth),
        "useless": (rng.gamma(2.0, size=150), rng.normal(size=150) + 9.0, truth),
        "all alike": (np.full(150, 1.0 / 150.0), 0.5 * truth + 5.0, truth),
    }


def value_values(weights, predictions, labels):
    """Return the value of every metric of numbers by name."""
    of = {"sample_weight": weights}
    return {
        "rmse": metrics.root_mean_squared_error(labels, predictions, **of),
        "r2": metrics.r2_score(labels, predictions, **of),
    }


def write_fixtures(folder):
    """Write all files into the folder and return their names."""
    points = [["pool", "weight", "label", "row"]]
    values = [["pool", "metric", "value"]]
    for name, (weights, rows, labels) in class_pools().items():
        name = name.replace(",", "")
        for weight, row, label in zip(weights, rows, labels, strict=True):
            points.append([name, weight, int(label), *row])
        pool = class_values(weights, rows, labels)
        values += [[name, metric, value] for metric, value in pool.items()]
    numbers = [["pool", "weight", "label", "prediction"]]
    for name, (weights, predictions, labels) in value_pools().items():
        for weight, prediction, label in zip(weights, predictions, labels, strict=True):
            numbers.append([name, weight, label, prediction])
        pool = value_values(weights, predictions, labels)
        values += [[name, metric, value] for metric, value in pool.items()]
    files = {
        "metric_classes.csv": points,
        "metric_numbers.csv": numbers,
        "metric_values.csv": values,
    }
    return fixtures.write_files(folder, files, MADE_BY)


if __name__ == "__main__":
    fixtures.main(__doc__, DEFAULT_FOLDER, write_fixtures)
