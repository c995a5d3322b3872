"""Compare ways to use a surrogate that learns from the labels.

A random forest learns from training rows and from the labels of the pool, anew
after every 25 of them. `blend` is the default: the mean of the forest, tempered
by what it says out of bag, and of the model. In `experts` the forest is one of
the experts that the recalibrated belief averages; the labels it learnt from are
told to the belief by their out-of-bag probabilities. `fixed` is the same with a
forest that learns from training rows alone, and `model` has no forest.

It prints errors relative to uniform sampling, from the variance of each draw
given the draws before it, with the best linear controls.

Usage: python scripts/compare_learning_surrogates.py [RUNS]
"""

import sys
import warnings

import numpy as np
import reference_recalibrated as reference
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier

WAYS = ("model", "fixed", "experts", "blend")
BUDGETS = (50, 100, 200)
REFRESHES = (10, 20, 50, 100, 200)
REFIT = 25
TREES = 100


def made(rows, columns, informative, classes, flipped, seed):
    """Return a synthetic set."""
    return make_classification(
        rows,
        columns,
        n_informative=informative,
        n_classes=classes,
        flip_y=flipped,
        random_state=seed,
    )


def pools():
    """Yield name, features, labels, a model and its number of training rows."""
    digits = load_digits(return_X_y=True)
    network = MLPClassifier((30,), max_iter=300, random_state=0)
    trees = GradientBoostingClassifier(random_state=0, n_estimators=40)
    yield "digits, logistic", *digits, LogisticRegression(max_iter=300), 100
    yield "digits, naive Bayes", *digits, GaussianNB(), 200
    yield "digits, network", *digits, network, 200
    four = made(3000, 20, 8, 4, 0.05, 1)
    yield "four classes, logistic", *four, LogisticRegression(max_iter=500), 200
    two = made(3000, 20, 8, 2, 0.02, 2)
    yield "two classes, logistic", *two, LogisticRegression(max_iter=500), 200
    yield "three classes, trees", *made(3000, 12, 6, 3, 0.0, 3), trees, 150


def losses(probabilities, kind):
    """Return the loss of every item and class."""
    if kind == "cross-entropy":
        return -np.log(np.clip(probabilities, 1e-15, 1))
    return 1.0 - np.eye(probabilities.shape[1])[probabilities.argmax(1)]


def smoothed(forest, probabilities, classes):
    """Return what a forest says, as if half a tree said every class."""
    table = np.zeros((len(probabilities), classes))
    table[:, forest.classes_.astype(int)] = np.nan_to_num(probabilities, nan=1 / classes)
    return (table * TREES + 0.5 / classes) / (TREES + 0.5)


def tempered(table, temperature):
    """Return probabilities at a temperature."""
    logs = np.log(np.clip(table, 1e-3, 1)) / temperature
    return np.exp(logs - np.log(np.exp(logs).sum(1, keepdims=True)))


def best_temperature(table, labels):
    """Return the temperature at which labels are most likely."""
    grid = np.exp(np.linspace(-2, 2, 41))
    rows = np.arange(len(labels))
    return min(grid, key=lambda t: -np.log(tempered(table, t)[rows, labels]).mean())


class Pool:
    """A model's probabilities on a pool with features and known labels."""

    def __init__(self, features, labels, model, train, kind):
        """Fit the model to the first rows of a shuffle, and keep the others."""
        order = np.random.default_rng(0).permutation(len(labels))
        taught, rest = order[:train], order[train:]
        self.train = features[taught], labels[taught]
        self.features, self.labels = features[rest], labels[rest]
        self.rows = model.fit(*self.train).predict_proba(self.features)
        self.kind, self.table = kind, losses(self.rows, kind)
        self.size, self.classes = self.rows.shape
        self.loss = self.table[np.arange(self.size), self.labels]
        self.known = None

    def uniform(self, budget):
        """Return the variance of uniform sampling."""
        return self.loss.var(ddof=1) * (1 / budget - 1 / self.size)

    def forest(self, told, seed):
        """Return what a forest says of the pool, and out of bag of its rows."""
        features, labels = self.train
        features = np.vstack([features, self.features[told]])
        labels = np.append(labels, self.labels[told])
        forest = RandomForestClassifier(TREES, oob_score=True, random_state=seed)
        forest.fit(features, labels)
        pool = smoothed(forest, forest.predict_proba(self.features), self.classes)
        return pool, smoothed(forest, forest.oob_decision_function_, self.classes), labels

    def weights(self, way, told, left, seed):
        """Return the weights of a proposal, and what it expects of items."""
        if way == "blend":
            pool, unseen, labels = self.forest(told, seed)
            pool = tempered(pool, best_temperature(unseen, labels))
            belief = 0.5 * (pool + self.rows)
            first, second = ((belief * self.table**k).sum(1) for k in (1, 2))
            score = np.where(left, np.sqrt(second), 0.0)
            weights = 0.7 * score / score.sum() + 0.3 / left.sum()
            return np.where(left, weights, 0.0), first
        seen = [self.rows[told]]
        if way == "experts":
            pool, unseen, _ = self.forest(told, seed)
            belief = reference.Belief(self.table, [pool, self.rows], self.kind)
            seen = [unseen[len(self.train[1]) :], *seen]
        else:
            if self.known is None:
                forest = [self.forest([], seed)[0]] if way == "fixed" else []
                self.known = (
                    reference.Belief(self.table, [*forest, self.rows], self.kind),
                    forest,
                )
            belief, forest = self.known
            seen = [*(table[told] for table in forest), *seen]
        logs = belief.proposal
        if told:
            of_labels = reference.Belief(self.table[told], seen, self.kind)
            told_labels = enumerate(self.labels[told])
            logs = logs + sum(of_labels.log_likelihood(*one) for one in told_labels)
        if len(told) < 10:
            logs = np.where(belief.late, -np.inf, logs)
        shares = reference.normalised(logs)
        first, second = belief.first @ shares, belief.second @ shares
        score = np.zeros(self.size)
        score[left] = reference.deviation(first[left], second[left])
        score /= score.sum()
        if belief.raw is not None:
            count = len(belief.expert)
            trust = 0.5 * shares[:count][belief.trusted].sum()
            by_expert = np.bincount(belief.expert, shares[:count])
            given = sum(w * p for w, p in zip(by_expert, belief.raw, strict=True))
            moments = [(given * self.table**k).sum(1)[left] for k in (1, 2)]
            raw = reference.deviation(*moments)
            score[left] = (1 - trust) * score[left] + trust * raw / raw.sum()
        return np.where(left, 0.8 * score + 0.2 / left.sum(), 0.0), first

    def variances(self, way, seed):
        """Return the variance of an estimate at each number of labels."""
        rng = np.random.default_rng(seed)
        self.known = None if way == "fixed" else self.known
        most = max(BUDGETS)
        learns = range(REFIT, most, REFIT) if way in ("experts", "blend") else ()
        starts = sorted({0, *(at for at in REFRESHES if at < most), *learns})
        left, told, proposals = np.ones(self.size, bool), [], []
        for start, end in zip(starts, [*starts[1:], most], strict=True):
            weights, first = self.weights(way, told, left, seed)
            columns = np.stack([self.loss, first, np.ones(self.size)], 1)[left]
            total = columns.sum(0)
            square = weights.sum() * columns.T @ (columns / weights[left][:, None])
            proposals.append((start, square - np.outer(total, total)))
            for _ in range(start, end):
                share = np.where(left, weights, 0.0)
                item = rng.choice(self.size, p=share / share.sum())
                told.append(int(item))
                left[item] = False
        return [self.variance(proposals, budget) for budget in BUDGETS]

    def variance(self, proposals, budget):
        """Return the variance that the best linear controls leave."""
        n, both = self.size, np.zeros((3, 3))
        used = [one for one in proposals if one[0] < budget]
        ends = [start for start, _ in used[1:]] + [budget]
        for (start, covariance), end in zip(used, ends, strict=True):
            m = np.arange(start, end)
            c = n * (n - budget) / (budget * (n - m - 1.0) * (n - m))
            both += ((c * (n - m) / (n - start)) ** 2).sum() / n**2 * covariance
        fitted = np.linalg.lstsq(both[1:, 1:], both[0, 1:], rcond=1e-10)[0]
        return both[0, 0] - both[0, 1:] @ fitted


def main():
    """Print a table."""
    warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    print(f"{runs} runs, labels {BUDGETS}\n\n| pool | loss |", " | ".join(WAYS), "|")
    print("|---" * (2 + len(WAYS)) + "|")
    found = {way: [] for way in WAYS}
    for name, features, labels, model, train in pools():
        for kind in ("cross-entropy", "zero-one"):
            pool = Pool(features, labels, model, train, kind)
            uniform = [pool.uniform(budget) for budget in BUDGETS]
            cells = []
            for way in WAYS:
                pool.known = None
                mean = np.mean([pool.variances(way, seed) for seed in range(runs)], 0)
                found[way].append(np.sqrt(mean / uniform))
                cells.append(", ".join(f"{ratio:.2f}" for ratio in found[way][-1]))
            print(f"| {name} | {kind} |", " | ".join(cells), "|", flush=True)
    means = [np.exp(np.mean(np.log(found[way]), 0)) for way in WAYS]
    cells = [", ".join(f"{ratio:.2f}" for ratio in mean) for mean in means]
    print("| geometric mean | |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
