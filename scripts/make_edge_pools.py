"""Write synthetic pools at the edge, for the example `defaults`.

`rare` has 30 positives in 100,000 items, `thousand` has 1,000 classes, in
`adverse` the model is wrong more often where it is surer, and in `useless30`
its confidence says nothing. `noise1` and `noise5` have a model that is nearly
certain and labels of which 1 % and 5 % are random.

Usage: python scripts/make_edge_pools.py OUT
"""

import math
import pathlib
import random
import sys


def softmax(logits):
    """Probabilities of logits."""
    top = max(logits)
    powers = [math.exp(logit - top) for logit in logits]
    total = sum(powers)
    return [power / total for power in powers]


def drawn(probabilities, number):
    """The class at a number from 0 to 1."""
    reached = 0.0
    for place, probability in enumerate(probabilities):
        reached += probability
        if reached >= number:
            return place
    return len(probabilities) - 1


def header(classes):
    """The columns of a pool."""
    return ",".join(f"prob_{place}" for place in range(classes)) + ",label\n"


def rare(file, source):
    """Scores that rank the few positives well."""
    file.write(header(2))
    for item in range(100_000):
        label = 1 if item < 30 else 0
        score = source.gauss(3.0, 2.0) if label else source.gauss(-5, 1.5)
        p = min(max(1 / (1 + math.exp(-(score - 2))), 1e-9), 1 - 1e-9)
        file.write(f"{1 - p:.9g},{p:.9g},{label}\n")


def thousand(file, source):
    """Three classes in question for each item; the model is a little too sure."""
    classes = 1000
    file.write(header(classes))
    for _ in range(2000):
        logits = [source.gauss(0, 1) for _ in range(classes)]
        for _ in range(3):
            logits[source.randrange(classes)] += source.uniform(4, 11)
        label = drawn(softmax(logits), source.random())
        said = softmax([1.3 * logit for logit in logits])
        file.write(",".join(f"{p:.4g}" for p in said) + f",{label}\n")


def wrong_at(rate):
    """Three classes; the share of errors depends on how sure the model is."""

    def pool(file, source):
        file.write(header(3))
        for _ in range(5000):
            sure = source.random()
            top = 0.4 + 0.59 * sure
            is_wrong = source.random() < rate(sure)
            second = (1 - top) * 0.6
            third = (1 - top) - round(second, 6)
            label = source.choice((1, 2)) if is_wrong else 0
            file.write(f"{top:.6f},{second:.6f},{third:.6f},{label}\n")

    return pool


def noisy(classes, scale, noise, has_tail):
    """A calibrated, nearly certain model, and some random labels."""

    def pool(file, source):
        file.write(header(classes))
        for _ in range(4000):
            size = scale * (math.exp(source.gauss(0, 0.7)) if has_tail else 1)
            probabilities = softmax([size * source.gauss(0, 1) for _ in range(classes)])
            label = drawn(probabilities, source.random())
            if source.random() < noise:
                label = source.randrange(classes)
            said = [max(p, 1e-9) for p in probabilities]
            total = sum(said)
            file.write(",".join(f"{p / total:.9g}" for p in said) + f",{label}\n")

    return pool


def main():
    """Write every pool."""
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    # One stream for the first four, in this order.
    edge = random.Random(1)
    pools = [
        ("rare", rare, edge),
        ("thousand", thousand, edge),
        ("adverse", wrong_at(lambda sure: 0.05 + 0.5 * sure), edge),
        ("useless30", wrong_at(lambda _: 0.3), edge),
        ("noise5", noisy(5, 8, 0.05, False), random.Random(4)),
        ("noise1", noisy(10, 10, 0.01, True), random.Random(5)),
    ]
    for name, pool, source in pools:
        with (out / f"{name}.csv").open("w") as file:
            pool(file, source)


if __name__ == "__main__":
    main()
