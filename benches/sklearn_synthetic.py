"""Run the paper's synthetic experiments with scikit-learn and NumPy.

Every run draws new data, splits them at random, fits the model and evaluates it
by each acquisition, with an estimate after every label. It is the peer of our
own runs of these experiments.

Usage: python benches/sklearn_synthetic.py (gp (sklearn|lean) | moons
(sklearn|core)) --runs R --seed S [--steps K] [--alpha A]

`sklearn` is what users write: objects of scikit-learn, fitted and asked at each
step, and each estimate made from all labels so far. `lean` has one covariance
matrix for all runs and solves with the part of it that a step needs; `core`
drives the compiled tree builder directly; both make all estimates of a run at
once. `sklearn` and `lean` draw alike, so they differ by rounding alone.

It prints one line of JSON: CPU seconds of all runs, and of what they were spent
on, and errors of the estimates after some labels.
"""

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial

# More threads than one would only add to the CPU time of problems this small.
# The libraries read these as they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern
from sklearn_forest import core_fit, core_probabilities

LINE_POINTS, LINE_TRAINING = 50, 5
LINE = np.linspace(0.0, 1.0, LINE_POINTS)[:, None]
KERNEL = Matern(1.0, nu=1.5)
MOON_POINTS, MOON_TRAINING, MOON_NOISE = 500, 50, 0.1
# What scikit-learn adds to the diagonal unless told otherwise.
JITTER = 1e-10
EPSILON = 1e-15
CHECKED_STEPS = [1, 2, 5, 10, 20, 30, 40]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
# Takes the points observed so far and those that remain; scores the latter.
Score = Callable[[Ints, Ints], Floats]
# The model's loss at each test point, and a score by each acquisition.
Task = tuple[Floats, dict[str, Score]]


def proposal(scores: Floats, alpha: float) -> Floats:
    """Normalise scores, with at least alpha times the uniform share for each."""
    total = scores.sum()
    if total <= 0.0:
        return np.full(len(scores), 1.0 / len(scores))
    shares = scores / total
    if alpha > 0.0:
        shares = np.maximum(shares, alpha / len(shares))
        shares /= shares.sum()
    return shares


def lure(pool: int, drawn_with: Floats, losses: Floats) -> float:
    """Return the unbiased estimate of the pool's mean loss from these draws."""
    m = np.arange(1, len(losses) + 1)
    # The last point of a pool is drawn with certainty and needs no correction.
    correction = (1.0 / ((pool - m + 1) * drawn_with) - 1.0) / np.maximum(pool - m, 1)
    return float(((1.0 + (pool - len(losses)) * correction) * losses).mean())


def all_lure(pool: int, drawn_with: Floats, losses: Floats) -> Floats:
    """Return that estimate after each draw, from running sums."""
    m = np.arange(1, len(losses) + 1)
    correction = (1.0 / ((pool - m + 1) * drawn_with) - 1.0) / np.maximum(pool - m, 1)
    return (losses.cumsum() + (pool - m) * (correction * losses).cumsum()) / m


def all_means(losses: Floats, lean: bool) -> Floats:
    """Return the mean loss after each draw."""
    m = np.arange(1, len(losses) + 1)
    return losses.cumsum() / m if lean else np.array([losses[:k].mean() for k in m])


def acquire(
    rng: RandomState, losses: Floats, score: Score, options: argparse.Namespace
) -> tuple[Floats, Floats]:
    """Label points one by one; return their losses, and R_LURE after each."""
    pool, steps, lean = len(losses), options.steps, options.way != "sklearn"
    remaining = np.arange(pool)
    observed, drawn_with = np.empty(steps, dtype=np.intp), np.empty(steps)
    estimates = []
    for step in range(steps):
        shares = proposal(score(observed[:step], remaining), options.alpha)
        if lean:
            # As `choice` does, without its checks.
            cumulative = shares.cumsum()
            threshold = rng.random_sample() * cumulative[-1]
            position = cumulative.searchsorted(threshold, side="right")
        else:
            position = rng.choice(len(shares), p=shares)
        observed[step] = remaining[position]
        drawn_with[step] = shares[position]
        remaining = remaining[remaining != observed[step]]
        if not lean:
            seen = losses[observed[: step + 1]]
            estimates.append(lure(pool, drawn_with[: step + 1], seen))
    seen = losses[observed]
    return seen, all_lure(pool, drawn_with, seen) if lean else np.array(estimates)


def distance_score(places: Floats, lean: bool) -> Score:
    """Score by the mean distance to observed points; `lean` measures once."""
    distances = cdist(places, places) if lean else np.empty((0, 0))

    def score(observed: Ints, remaining: Ints) -> Floats:
        if len(observed) == 0:
            return np.ones(len(remaining))
        if not lean:
            return softmax(cdist(places[remaining], places[observed]).mean(axis=1))
        means = distances[observed].mean(axis=0)[remaining]
        return np.exp(means - means.max())

    return score


def gp_task(draw: Callable, posterior: Callable, lean: bool, rng: RandomState) -> Task:
    """Draw a function, split its points at random and fit the model."""
    values = draw(rng)
    train, test = np.split(rng.permutation(LINE_POINTS), [LINE_TRAINING])
    predictions, variances = posterior(train, test, values)

    def surrogate(observed: Ints, remaining: Ints) -> Floats:
        known = np.concatenate((train, test[observed]))
        means, spreads = posterior(known, test[remaining], values)
        return (predictions[remaining] - means) ** 2 + spreads

    losses = (predictions - values[test]) ** 2
    return losses, {
        "distance": distance_score(LINE[test], lean),
        "gp surrogate": surrogate,
        "gp uncertainty": lambda _, remaining: variances[remaining],
        "true loss": lambda _, remaining: losses[remaining],
    }


def gp_sklearn() -> Callable[[RandomState], Task]:
    """Return what makes the data of a run, with a new object for each fit."""
    process = partial(GaussianProcessRegressor, KERNEL, optimizer=None)

    def posterior(known: Ints, rest: Ints, values: Floats) -> tuple[Floats, Floats]:
        fitted = process().fit(LINE[known], values[known])
        means, std_devs = fitted.predict(LINE[rest], return_std=True)
        return means, std_devs**2

    def draw(rng: RandomState) -> Floats:
        return process().sample_y(LINE, random_state=rng)[:, 0]

    return partial(gp_task, draw, posterior, False)


def gp_lean() -> Callable[[RandomState], Task]:
    """Return the same with one covariance matrix, of which each step solves a part."""
    covariance = KERNEL(LINE)
    # The decomposition that scikit-learn draws with, made once.
    _, strengths, axes = np.linalg.svd(covariance)
    root = np.sqrt(strengths)[:, None] * axes
    covariance[np.diag_indices(LINE_POINTS)] += JITTER

    def posterior(known: Ints, rest: Ints, values: Floats) -> tuple[Floats, Floats]:
        columns = covariance.take(known, axis=1)
        # Transposed, they have the order that LAPACK wants, and need no copy.
        own, cross = columns.take(known, axis=0).T, columns.take(rest, axis=0).T
        _, solved, _ = dposv(own, cross, lower=True, overwrite_a=True)
        variances = 1.0 - (cross * solved).sum(axis=0)
        return values[known] @ solved, np.maximum(variances, 0.0)

    def draw(rng: RandomState) -> Floats:
        return rng.standard_normal(LINE_POINTS) @ root

    return partial(gp_task, draw, posterior, True)


def public_forest(rng: RandomState, x: Floats, y: Ints, asked: Floats) -> Floats:
    """Fit a forest and predict, as users do."""
    return RandomForestClassifier(random_state=rng).fit(x, y).predict_proba(asked)


def core_forest(rng: RandomState, x: Floats, y: Ints, asked: Floats) -> Floats:
    """Fit a forest and predict by the compiled builder."""
    return core_probabilities(core_fit("gini", x, y, rng.randint(2**31 - 1)), asked)


def moons_task(forest: Callable, lean: bool, rng: RandomState) -> Task:
    """Draw two moons, split them at random and fit the model."""
    x, y = make_moons(MOON_POINTS, noise=MOON_NOISE, random_state=rng)
    train, test = np.split(rng.permutation(MOON_POINTS), [MOON_TRAINING])
    model = forest(rng, x[train], y[train], x[test])
    clipped = np.clip(model, EPSILON, 1.0 - EPSILON)
    costs = -np.log(clipped / clipped.sum(axis=1, keepdims=True))

    def surrogate(observed: Ints, remaining: Ints) -> Floats:
        known = np.concatenate((train, test[observed]))
        beliefs = forest(rng, x[known], y[known], x[test[remaining]])
        return (beliefs * costs[remaining]).sum(axis=1)

    losses = costs[np.arange(len(test)), y[test]]
    entropies = (model * costs).sum(axis=1)
    return losses, {
        "own entropy": lambda _, remaining: entropies[remaining],
        "forest surrogate": surrogate,
        "distance": distance_score(x[test], lean),
        "true loss": lambda _, remaining: losses[remaining],
    }


WAYS = {
    ("gp", "sklearn"): gp_sklearn,
    ("gp", "lean"): gp_lean,
    ("moons", "sklearn"): lambda: partial(moons_task, public_forest, False),
    ("moons", "core"): lambda: partial(moons_task, core_forest, True),
}


def summary(rows: list[Floats]) -> dict[str, list[float]]:
    """Sum up errors, a row for each run, at the steps that are checked."""
    errors = np.array(rows)[:, [k - 1 for k in CHECKED_STEPS if k <= len(rows[0])]]
    return {
        "std": errors.std(axis=0).tolist(),
        "mean": errors.mean(axis=0).tolist(),
        "median_squared": np.median(errors**2, axis=0).tolist(),
    }


def run_all(options: argparse.Namespace) -> dict[str, object]:
    """Go through all runs; return CPU times and errors."""
    rng, lean = RandomState(options.seed), options.way != "sklearn"
    seconds: dict[str, float] = defaultdict(float)
    errors: dict[str, list[Floats]] = defaultdict(list)
    truths = []
    start = time.process_time()
    new_task = WAYS[options.problem, options.way]()
    for _ in range(options.runs):
        before = time.process_time()
        losses, scores = new_task(rng)
        truth = losses.mean()
        truths.append(truth)
        seconds["data and model"] += time.process_time() - before
        before = time.process_time()
        seen = losses[rng.permutation(len(losses))[: options.steps]]
        errors["uniform, R_iid"].append(all_means(seen, lean) - truth)
        seconds["uniform"] += time.process_time() - before
        for kind, score in scores.items():
            before = time.process_time()
            seen, estimates = acquire(rng, losses, score, options)
            errors[f"{kind}, R_LURE"].append(estimates - truth)
            if kind == "gp surrogate":
                errors[f"{kind}, R_iid"].append(all_means(seen, lean) - truth)
            seconds[kind] += time.process_time() - before
    return {
        "seconds_cpu": time.process_time() - start,
        "seconds_by_kind": seconds,
        "pool_loss": {"mean": np.mean(truths), "median": np.median(truths)},
        "checked_steps": [step for step in CHECKED_STEPS if step <= options.steps],
        "errors": {name: summary(rows) for name, rows in errors.items()},
    }


def main() -> None:
    """Read the command line, go through the runs and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", choices=["gp", "moons"])
    parser.add_argument("way", choices=["sklearn", "lean", "core"])
    parser.add_argument("--runs", type=int, required=True, help="how often")
    parser.add_argument("--seed", type=int, required=True, help="random seed")
    parser.add_argument("--steps", type=int, help="labels; gp: 45, moons: 50")
    parser.add_argument("--alpha", type=float, default=0.2, help="share of uniform")
    options = parser.parse_args()
    if (options.problem, options.way) not in WAYS:
        parser.error(f"{options.problem} {options.way} is none of {list(WAYS)}")
    pool, usual = (45, 45) if options.problem == "gp" else (450, 50)
    options.steps = usual if options.steps is None else options.steps
    if options.runs < 1 or not 1 <= options.steps <= pool:
        parser.error(f"--runs is at least 1, --steps between 1 and {pool}")
    print(json.dumps({**vars(options), **run_all(options)}, allow_nan=False))


if __name__ == "__main__":
    main()
