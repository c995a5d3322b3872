"""Time scikit-learn's random forest, as users call it and as cheaply as it can be.

The `forest` benchmark of labelwise-models runs this beside its own forest on
the same data. The public class spends much of its time on checks and on
bookkeeping around each tree, so the compiled tree builder is also driven
directly, with nothing but a bootstrap sample and one call a tree.

Usage: python benches/sklearn_forest.py (moons|images) TRAIN TEST REPEATS

It prints four numbers: CPU seconds of fit and of probabilities by the public
class, then of both by the compiled core, each the least of the repeats.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree._criterion import Entropy, Gini
from sklearn.tree._splitter import BestSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

import make_forest_fixtures

TREES = 100


def public_fit(criterion, features, labels, seed):
    """Fit as users do."""
    forest = RandomForestClassifier(TREES, criterion=criterion, random_state=seed)
    return forest.fit(features, labels)


def public_probabilities(forest, features):
    """Predict as users do."""
    return forest.predict_proba(features)


def core_fit(criterion, features, labels, seed):
    """Call the compiled builder, with one splitter for all trees."""
    rng = np.random.RandomState(seed)
    narrow = np.ascontiguousarray(features, dtype=np.float32)
    targets = labels.astype(np.float64).reshape(-1, 1)
    rows, columns = narrow.shape
    classes = np.array([labels.max() + 1], dtype=np.intp)
    measure = {"gini": Gini, "entropy": Entropy}[criterion](1, classes)
    wanted = max(1, int(np.sqrt(columns)))
    splitter = BestSplitter(measure, wanted, 1, 0.0, rng, None)
    deepest = np.iinfo(np.int32).max
    builder = DepthFirstTreeBuilder(splitter, 2, 1, 0.0, deepest, 0.0)
    trees = []
    for _ in range(TREES):
        bag = np.bincount(rng.randint(0, rows, rows), minlength=rows)
        tree = Tree(columns, classes, 1)
        builder.build(tree, narrow, targets, bag.astype(np.float64))
        trees.append(tree)
    return trees


def core_probabilities(trees, features):
    """Sum the compiled predictions."""
    narrow = np.ascontiguousarray(features, dtype=np.float32)
    total = trees[0].predict(narrow)
    for tree in trees[1:]:
        total += tree.predict(narrow)
    return total / len(trees)


def least_times(fit, probabilities, criterion, data, repeats):
    """Return the least CPU seconds of fit and of probabilities."""
    train_x, train_y, test_x = data
    best = [np.inf, np.inf]
    for seed in range(repeats):
        start = time.process_time()
        fitted = fit(criterion, train_x, train_y, seed)
        middle = time.process_time()
        probabilities(fitted, test_x)
        end = time.process_time()
        best = [min(best[0], middle - start), min(best[1], end - middle)]
    return best


def load(name, train, test):
    """Return training features and labels, and features to predict."""
    if name == "moons":
        features, labels = make_forest_fixtures.moons()
        features = features / make_forest_fixtures.SCALE
    else:
        features, labels = make_forest_fixtures.images(3, train + test)
    features = features.astype(np.float64)
    return features[:train], labels[:train], features[-test:]


def main():
    """Read the command line, time both and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["moons", "images"])
    parser.add_argument("train", type=int)
    parser.add_argument("test", type=int)
    parser.add_argument("repeats", type=int)
    options = parser.parse_args()
    data = load(options.name, options.train, options.test)
    criterion = "gini" if options.name == "moons" else "entropy"
    public = public_fit, public_probabilities, criterion, data, options.repeats
    core = core_fit, core_probabilities, criterion, data, options.repeats
    print(*least_times(*public), *least_times(*core))


if __name__ == "__main__":
    main()
