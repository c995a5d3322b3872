"""Make the data and scores that the random forest is tested against.

Two random forests agree when their scores have the same distribution over
seeds, so this script scores scikit-learn's forests with twenty seeds each.
Single trees with all features and all rows have no randomness but ties; there
the predictions themselves are kept. `crates/labelwise-models/tests/forest`
compares; `scripts/test_forest_fixtures.py` checks that the files are what this
script makes today.

Every feature is a whole number, or a whole number over 65,536. scikit-learn
reads features as 32-bit floats, and such numbers are exact in 32 and 64 bits.

Usage: python scripts/make_forest_fixtures.py [FOLDER]
"""

import numpy as np
from sklearn.datasets import load_digits, make_friedman1, make_moons
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import fixtures

DEFAULT_FOLDER = fixtures.folder_of("labelwise-models")
MADE_BY = fixtures.first_line("make_forest_fixtures.py", ["numpy", "scikit-learn"])

SEEDS = range(20)
SCALE = 65_536
EPSILON = 1e-15

# Single trees learn from and predict at most so many rows.
TREE_ROWS = 250

# The images: a sum of blobs a class, moved and dimmed from image to image.
SIDE = 28
CLASSES = 10
BLOBS = 5
DRAWS_A_BLOB = 3
DRAWS_AN_IMAGE = 1 + BLOBS * DRAWS_A_BLOB + SIDE * SIDE


def whole_numbers(seed, first, count):
    """Return numbers `first` to `first + count` of a stream, as SplitMix64 has them.

    Any number can be had by itself, and the tests have the same in Rust.
    """
    places = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + places * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(33)).astype(np.int64)


def images(seed, count):
    """Return images of 784 pixels from 0 to 255, and their classes.

    Clothes in Fashion-MNIST are smooth grey shapes on black, alike within a
    class but for cut and shade; so are these, in whole numbers throughout.
    """
    shapes = whole_numbers(1, 0, CLASSES * BLOBS * 4).reshape(CLASSES, BLOBS, 4)
    middle_x = 5 + shapes[..., 0] % 18
    middle_y = 5 + shapes[..., 1] % 18
    radius = 4 + shapes[..., 2] % 6
    shade = 60 + shapes[..., 3] % 120

    draws = whole_numbers(seed, 0, count * DRAWS_AN_IMAGE).reshape(count, -1)
    labels = draws[:, 0] % CLASSES
    moves = draws[:, 1 : 1 + BLOBS * DRAWS_A_BLOB].reshape(count, BLOBS, -1)
    grain = draws[:, 1 + BLOBS * DRAWS_A_BLOB :].reshape(count, SIDE, SIDE)
    row, column = np.mgrid[0:SIDE, 0:SIDE]
    light = np.zeros((count, SIDE, SIDE), dtype=np.int64)
    for blob in range(BLOBS):
        x = middle_x[labels, blob] + moves[:, blob, 0] % 9 - 4
        y = middle_y[labels, blob] + moves[:, blob, 1] % 9 - 4
        bright = shade[labels, blob] * (32 + moves[:, blob, 2] % 64) // 64
        reach = radius[labels, blob] ** 2
        distance = (column - x[:, None, None]) ** 2 + (row - y[:, None, None]) ** 2
        inside = np.maximum(reach[:, None, None] - distance, 0)
        light += bright[:, None, None] * inside // reach[:, None, None]
    light = np.where(light > 0, light + grain % 40 - 20, 0)
    return np.clip(light, 0, 255).reshape(count, -1), labels


def moons():
    """Return two moons of 500 points over 65,536, and their classes."""
    features, labels = make_moons(500, noise=0.1, random_state=0)
    return np.rint(features * SCALE).astype(np.int64), labels


def friedman():
    """Return 500 rows and values of Friedman's first function, over 65,536."""
    features, values = make_friedman1(500, n_features=8, noise=1.0, random_state=0)
    whole = [np.rint(table * SCALE).astype(np.int64) for table in (features, values)]
    return whole[0], whole[1]


def digits():
    """Return scikit-learn's digits in an order of their own, and their classes."""
    features, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    return features[order].astype(np.int64), labels[order]


def data_sets():
    """Return (train features, train labels, test features, test labels) by name."""
    x, y = moons()
    sets = {"moons": (x[:50] / SCALE, y[:50], x[50:] / SCALE, y[50:])}
    x, y = digits()
    sets["digits"] = (x[:200], y[:200], x[200:], y[200:])
    x, y = images(2, 1250)
    sets["images"] = (x[:250], y[:250], x[250:], y[250:])
    x, y = (table / SCALE for table in friedman())
    sets["friedman"] = (x[:200], y[:200], x[200:], y[200:])
    return sets


def forests():
    """Return the forests to score, as name -> (data set, class, options)."""
    classes, values = RandomForestClassifier, RandomForestRegressor
    short = {"max_depth": 6, "min_samples_leaf": 3, "min_samples_split": 10}
    third = {"max_features": 1 / 3, "min_samples_leaf": 5}
    return {
        "moons": ("moons", classes, {}),
        "moons-random": ("moons", ExtraTreesClassifier, {}),
        "digits": ("digits", classes, {}),
        "digits-entropy-short": (
            "digits",
            classes,
            {"criterion": "entropy", "bootstrap": False, **short},
        ),
        "digits-random": ("digits", ExtraTreesClassifier, {}),
        "images-entropy": ("images", classes, {"criterion": "entropy"}),
        "images-all": ("images", classes, {"n_estimators": 10, "max_features": None}),
        "friedman": ("friedman", values, {}),
        "friedman-third": ("friedman", values, third),
        "friedman-random": ("friedman", ExtraTreesRegressor, {"min_samples_leaf": 5}),
    }


def class_scores(probabilities, labels):
    """Return accuracy, mean cross-entropy and mean Brier score."""
    clipped = np.clip(probabilities, EPSILON, 1 - EPSILON)
    told = np.arange(len(labels)), labels
    squares = (probabilities - np.eye(probabilities.shape[1])[labels]) ** 2
    return [
        (probabilities.argmax(axis=1) == labels).mean(),
        -np.log(clipped[told]).mean(),
        squares.sum(axis=1).mean(),
    ]


def value_scores(forest, features, values):
    """Return mean squared error, and mean aleatoric and epistemic variance."""
    narrow = features.astype(np.float32)
    trees = [tree.tree_ for tree in forest.estimators_]
    means = np.array([tree.predict(narrow).ravel() for tree in trees])
    noise = np.array([tree.impurity[tree.apply(narrow)] for tree in trees])
    return [
        ((means.mean(axis=0) - values) ** 2).mean(),
        noise.mean(),
        means.var(axis=0).mean(),
    ]


def score_rows(seeds):
    """Return the scores of every forest with each of the seeds."""
    rows = [["forest", "seed", "first", "second", "third"]]
    sets = data_sets()
    for name, (data, forest, options) in forests().items():
        train_x, train_y, test_x, test_y = sets[data]
        for seed in seeds:
            fitted = forest(random_state=seed, **options).fit(train_x, train_y)
            if data == "friedman":
                scores = value_scores(fitted, test_x, test_y)
            else:
                probabilities = np.zeros((len(test_y), max(test_y) + 1))
                probabilities[:, fitted.classes_] = fitted.predict_proba(test_x)
                scores = class_scores(probabilities, test_y)
            rows.append([name, seed, *(f"{score:.17g}" for score in scores)])
    return rows


def trees():
    """Return single trees whose splits are unique: no tie is broken by chance."""
    classes, values = DecisionTreeClassifier, DecisionTreeRegressor
    entropy = {"criterion": "entropy"}
    return {
        "moons-leaf-5": ("moons", classes(min_samples_leaf=5)),
        "digits-split-40": ("digits", classes(min_samples_split=40)),
        "digits-entropy-split-40": ("digits", classes(min_samples_split=40, **entropy)),
        "images-entropy-depth-2": ("images", classes(max_depth=2, **entropy)),
        "friedman-leaf-5": ("friedman", values(min_samples_leaf=5)),
    }


def tree_rows():
    """Return what single trees predict.

    A value and its variance, or the most probable class and its probability.
    """
    rows = [["tree", "item", "first", "second"]]
    sets = data_sets()
    for name, (data, tree) in trees().items():
        train_x, train_y, test_x = (table[:TREE_ROWS] for table in sets[data][:3])
        found = []
        for seed in SEEDS:
            fitted = tree.set_params(random_state=seed).fit(train_x, train_y)
            if data == "friedman":
                values = fitted.predict(test_x)
                noise = fitted.tree_.impurity[fitted.apply(test_x)]
                found.append(np.column_stack([values, noise]))
            else:
                probabilities = fitted.predict_proba(test_x)
                best = fitted.classes_[probabilities.argmax(axis=1)]
                found.append(np.column_stack([best, probabilities.max(axis=1)]))
        if any(np.abs(other - found[0]).max() > 1e-12 for other in found):
            raise ValueError(
                f"the tree {name} has ties: its predictions depend on the seed"
            )
        pairs = enumerate(found[0])
        rows += [[name, item, f"{a:.17g}", f"{b:.17g}"] for item, (a, b) in pairs]
    return rows


def tables(seeds):
    """Return the rows of every fixture file by name."""
    x, y = moons()
    moon_rows = [["x0", "x1", "label"], *np.column_stack([x, y]).tolist()]
    x, y = digits()
    letters = ["".join(chr(ord("a") + pixel) for pixel in row) for row in x]
    digit_rows = [["label", "pixels"], *([int(a), b] for a, b in zip(y, letters))]
    x, y = friedman()
    names = [f"x{place}" for place in range(x.shape[1])]
    friedman_rows = [[*names, "value"], *np.column_stack([x, y]).tolist()]
    return {
        "forest_moons.csv": moon_rows,
        "forest_digits.csv": digit_rows,
        "forest_friedman.csv": friedman_rows,
        "forest_scores.csv": score_rows(seeds),
        "forest_trees.csv": tree_rows(),
    }


def write_fixtures(folder, seeds=SEEDS):
    """Write every file into `folder` and return their names."""
    return fixtures.write_files(folder, tables(seeds), MADE_BY)


if __name__ == "__main__":
    fixtures.main(__doc__, DEFAULT_FOLDER, write_fixtures)
