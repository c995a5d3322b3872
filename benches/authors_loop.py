"""Time active testing as the paper's research code does it, in plain NumPy.

At every acquisition that code scores all remaining points afresh, so a run
costs pool size times budget. This is our own restatement of those steps on
made-up probabilities, without the training and bookkeeping around them; it is
the peer that the `scaling` benchmark of labelwise compares itself with.

Usage: python benches/authors_loop.py --pool N --classes C --budget M --seed S

It prints one line of JSON. The times are those of the acquisition loop and
the estimate; making the pool is not counted.
"""

import argparse
import json
import time

import numpy as np

EPSILON = 1e-15
# No point is drawn with less than this share of its uniform probability.
UNIFORM_SHARE = 0.2


def random_probabilities(rng, pool, classes):
    """Return rows of probabilities: the softmax of 3 times normal logits."""
    rows = 3.0 * rng.standard_normal((pool, classes))
    rows -= rows.max(axis=1, keepdims=True)
    np.exp(rows, out=rows)
    rows /= rows.sum(axis=1, keepdims=True)
    return rows


def draw_labels(rng, probabilities):
    """Draw one class per row from that row's probabilities."""
    cumulative = probabilities.cumsum(axis=1)
    # Scaling by the last column keeps a rounded sum below 1 from giving a
    # class that does not exist.
    threshold = rng.random((len(probabilities), 1)) * cumulative[:, -1:]
    return (cumulative <= threshold).sum(axis=1)


def losses(predictions, labels):
    """Return the cross-entropy of each row's true class."""
    predictions = np.clip(predictions, EPSILON, 1.0 - EPSILON)
    predictions /= predictions.sum(axis=1, keepdims=True)
    return -np.log(predictions[np.arange(len(labels)), labels])


def acquisition_probabilities(model, surrogate, remaining):
    """Score every remaining point and return its probability of being drawn."""
    predictions = np.clip(model[remaining], EPSILON, 1.0 - EPSILON)
    predictions /= predictions.sum(axis=1, keepdims=True)
    scores = -(surrogate[remaining] * np.log(predictions)).sum(axis=1)
    scores /= scores.sum()
    scores = np.maximum(scores, UNIFORM_SHARE / len(scores))
    scores /= scores.sum()
    return scores


def draw(rng, probabilities):
    """Draw one position, as the research code does."""
    # Rounding may leave the sum a hair above 1, which the generator refuses.
    counts = rng.multinomial(1, probabilities / max(1.0, probabilities[:-1].sum()))
    return int(counts.argmax())


def lure(pool, drawn_with, observed_losses):
    """Return the unbiased estimate of the pool's mean loss from the M draws."""
    budget = len(observed_losses)
    if budget == pool:
        # Everything has been labelled, so the mean is the answer itself.
        return observed_losses.mean()
    m = np.arange(1, budget + 1)
    correction = 1.0 / ((pool - m + 1) * drawn_with) - 1.0
    weights = 1.0 + (pool - budget) / (pool - m) * correction
    return (weights * observed_losses).mean()


def run(rng, model, surrogate, labels, budget):
    """Label `budget` points one after the other and return the estimate."""
    remaining = np.arange(len(labels))
    drawn_with = np.empty(budget)
    observed_losses = np.empty(budget)
    for step in range(budget):
        probabilities = acquisition_probabilities(model, surrogate, remaining)
        position = draw(rng, probabilities)
        point = remaining[position]
        drawn_with[step] = probabilities[position]
        observed_losses[step] = losses(model[[point]], labels[[point]])[0]
        remaining = remaining[remaining != point]
    return lure(len(labels), drawn_with, observed_losses)


def positive(text):
    """Read a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def main():
    """Read the command line, make the pool, time the loop and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", type=positive, required=True, help="points")
    parser.add_argument("--classes", type=positive, required=True, help="classes")
    parser.add_argument("--budget", type=positive, required=True, help="labels to buy")
    parser.add_argument("--seed", type=int, required=True, help="random seed")
    options = parser.parse_args()
    if options.budget > options.pool:
        parser.error("--budget is larger than --pool")

    rng = np.random.default_rng(options.seed)
    model = random_probabilities(rng, options.pool, options.classes)
    surrogate = random_probabilities(rng, options.pool, options.classes)
    labels = draw_labels(rng, surrogate)

    wall, cpu = time.perf_counter(), time.process_time()
    estimate = run(rng, model, surrogate, labels, options.budget)
    seconds_cpu = time.process_time() - cpu
    seconds_wall = time.perf_counter() - wall

    result = {
        "pool": options.pool,
        "classes": options.classes,
        "budget": options.budget,
        "seconds_cpu": seconds_cpu,
        "seconds_wall": seconds_wall,
        "estimate": float(estimate),
        "pool_risk": float(losses(model, labels).mean()),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
