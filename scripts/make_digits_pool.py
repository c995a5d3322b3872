"""Make the pool of handwritten digits that is bundled with `labelwise demo`.

Of scikit-learn's 1,797 digits, 200 train a model under test (logistic
regression) and a surrogate (a tempered random forest); the other 1,597 are the
pool. The file holds each pool image's true digit and the probabilities that
both give to the ten digits. The same versions of the packages give the same
file, because every random choice has a fixed seed.

Usage: python scripts/make_digits_pool.py [OUTPUT]
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

SEED = 20210309
TRAINING_SIZE = 200
CLASSES = 10

# A forest of 100 trees often gives a class no vote at all. A floor keeps the
# logarithm finite and says that such a class is unlikely, not impossible.
FLOOR = 1e-3

DEFAULT_OUTPUT = (
    Path(__file__).resolve().parent.parent
    / "crates"
    / "labelwise-cli"
    / "data"
    / "digits.csv"
)


def temper(probabilities, temperature):
    """Raise floored probabilities to the power 1/temperature and renormalise."""
    powered = np.clip(probabilities, FLOOR, 1.0) ** (1.0 / temperature)
    return powered / powered.sum(axis=1, keepdims=True)


def mean_cross_entropy(probabilities, labels):
    """Return the mean of -log p(true class)."""
    return -np.log(probabilities[np.arange(len(labels)), labels]).mean()


def accuracy(probabilities, labels):
    """Return the share of rows whose most probable class is the true one."""
    return (probabilities.argmax(axis=1) == labels).mean()


def best_temperature(probabilities, labels):
    """Return the temperature with the lowest mean cross-entropy."""
    # The search is over the logarithm, so that halving and doubling the
    # temperature are steps of the same length.
    found = minimize_scalar(
        lambda log_t: mean_cross_entropy(temper(probabilities, np.exp(log_t)), labels),
        bounds=(np.log(0.05), np.log(20.0)),
        method="bounded",
        options={"xatol": 1e-8},
    )
    return float(np.exp(found.x))


def write_pool(output):
    """Write the pool to `output` and return the lines that describe it."""
    pixels, labels = load_digits(return_X_y=True)
    features = pixels / 16.0
    training, pool = train_test_split(
        np.arange(len(labels)),
        train_size=TRAINING_SIZE,
        stratify=labels,
        random_state=SEED,
    )
    # The split shuffles; the file reads better in the order of the data set.
    pool.sort()

    logistic = LogisticRegression(max_iter=10_000)
    logistic.fit(features[training], labels[training])
    model = logistic.predict_proba(features[pool])

    forest = RandomForestClassifier(
        n_estimators=100, oob_score=True, random_state=SEED
    )
    forest.fit(features[training], labels[training])
    # Each training row is judged only by the trees that did not see it, so the
    # temperature is not fooled by how well the forest knows its own rows.
    temperature = best_temperature(forest.oob_decision_function_, labels[training])
    surrogate = temper(forest.predict_proba(features[pool]), temperature)

    write_csv(output, pool, labels[pool], model, surrogate)
    return [
        f"rows: {len(pool)}",
        f"model: accuracy {accuracy(model, labels[pool]):.4f}, "
        f"mean cross-entropy {mean_cross_entropy(model, labels[pool]):.4f}",
        f"surrogate: accuracy {accuracy(surrogate, labels[pool]):.4f}, "
        f"mean cross-entropy {mean_cross_entropy(surrogate, labels[pool]):.4f}",
        f"surrogate temperature: {temperature:.4f}",
    ]


def write_csv(output, rows, labels, model, surrogate):
    """Write one line per row of the pool."""
    header = ["id", "label"]
    header += [f"model_{digit}" for digit in range(CLASSES)]
    header += [f"surrogate_{digit}" for digit in range(CLASSES)]
    # The line ending is fixed so that the file is the same on every system.
    with open(output, "w", encoding="utf-8", newline="\n") as file:
        print(",".join(header), file=file)
        for row, label, *probabilities in zip(
            rows, labels, *model.T, *surrogate.T, strict=True
        ):
            fields = [f"digit-{row:04d}", str(label)]
            fields += [f"{probability:.5f}" for probability in probabilities]
            print(",".join(fields), file=file)


def main():
    """Read the command line, write the file and print what is in it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "output",
        nargs="?",
        type=Path,
        default=DEFAULT_OUTPUT,
        help="where to write the pool (the file bundled with the demo if not given)",
    )
    for line in write_pool(parser.parse_args().output):
        print(line)


if __name__ == "__main__":
    main()
