"""Sample sets to try estimators and intervals on, drawn with NumPy alone."""

import math

import numpy as np

SEED = 20210309


class SampleSet:
    """Draws from a pool, with everything that estimators and intervals need."""

    def __init__(self, name, pool_size, columns, sign="non-negative"):
        self.name = name
        self.pool_size = pool_size
        self.sign = sign
        self.q, self.loss, self.control, self.control_total = columns[:4]
        # Bounds of loss / q over the items that could have been drawn.
        self.reach = columns[4] if len(columns) > 4 else None
        self.known = (0, 0.0, 0.0)
        self.unlabelled = None
        self.range = None

    @property
    def budget(self):
        """M."""
        return len(self.loss)

    @property
    def whole_size(self):
        """N with the items that are known without a draw."""
        return self.pool_size + self.known[0]

    def whole(self, open_risk):
        """Return the risk of the whole pool, given that of its open part."""
        return (self.known[1] + self.pool_size * open_risk) / self.whole_size

    def open_share(self):
        """Return the part of the pool that draws speak for."""
        return self.pool_size / self.whole_size

    def certain(self):
        """Return what the pool risk lies between for certain."""
        labelled = self.known[1] + self.loss.sum()
        if self.unlabelled is not None:
            low, high = self.unlabelled
        else:
            low, high = (0.0 if self.sign == "non-negative" else -math.inf), math.inf
        return (labelled + low) / self.whole_size, (labelled + high) / self.whole_size


def race(rng, weights, budget):
    """Draw items without replacement, each with w / (mass left); return both."""
    left = np.arange(len(weights))
    items, q = [], []
    for _ in range(budget):
        probabilities = weights[left] / weights[left].sum()
        place = int(np.searchsorted(np.cumsum(probabilities), rng.random()))
        items.append(int(left[place]))
        q.append(probabilities[place])
        left = np.delete(left, place)
    return items, np.array(q)


def draw(rng, name, losses, expected, scores, budget, rho, bounds=None, **options):
    """Draw a sample set from a pool of known losses."""
    size = len(losses)
    weights = (1.0 - rho) * scores / scores.mean() + rho
    items, q = race(rng, weights, budget)
    totals, lows, highs = [], [], []
    left = np.ones(size, dtype=bool)
    for item in items:
        totals.append(expected[left].sum())
        probabilities = weights[left] / weights[left].sum()
        if bounds is not None:
            low, high = bounds
            lows.append(min(0.0, (low[left] / probabilities).min()))
            highs.append((high[left] / probabilities).max())
        left[item] = False
    columns = [q, losses[items], expected[items], np.array(totals)]
    if bounds is not None:
        columns.append((np.array(lows), np.array(highs)))
    samples = SampleSet(name, size, columns, **options)
    if bounds is not None:
        samples.unlabelled = (bounds[0][left].sum(), bounds[1][left].sum())
    return samples


def sample_sets():
    """Return sample sets that differ in what they ask of an interval."""
    rng = np.random.default_rng(SEED)
    sets = []

    # Uniform draws of a loss without bounds.
    losses = rng.exponential(2.0, 400)
    expected = losses * np.exp(0.5 * rng.standard_normal(400))
    sets.append(draw(rng, "uniform", losses, expected, np.ones(400), 80, 1.0))

    # A large part of a pool, by weights, with bounds of each item's own.
    high = rng.uniform(0.5, 3.0, 300)
    share = rng.beta(0.5, 2.0, 300)
    losses = high * (rng.random(300) < share) * rng.uniform(0.5, 1.0, 300)
    expected = 0.7 * high * share
    bounds = (np.zeros(300), high)
    scores = np.sqrt(share) * high
    weighted = draw(rng, "weighted", losses, expected, scores, 120, 0.3, bounds)
    weighted.range = (0.0, 3.0)
    sets.append(weighted)

    # Few errors of the zero-one loss: too few hits for the ordinary interval.
    wrong = rng.beta(0.25, 8.0, 500)
    losses = (rng.random(500) < wrong).astype(float)
    bounds = (np.zeros(500), np.ones(500))
    rare = draw(rng, "rare", losses, wrong, np.ones(500), 60, 1.0, bounds)
    rare.range = (0.0, 1.0)
    sets.append(rare)

    # The same pool, with one label too few.
    early = draw(rng, "early", losses, wrong, np.sqrt(wrong), 49, 0.5, bounds)
    early.range = (0.0, 1.0)
    sets.append(early)

    # No loss at all was seen. With controls the terms still vary, but there is
    # nothing that an ordinary interval could rest on.
    clean = draw(rng, "clean", np.zeros(500), wrong, np.ones(500), 60, 1.0, bounds)
    clean.range = (0.0, 1.0)
    sets.append(clean)

    # A pool of which a part is known without a label, and just enough labels.
    losses = (rng.random(200) < 0.4) * rng.uniform(0.2, 1.0, 200)
    expected = rng.uniform(0.1, 0.5, 200)
    bounds = (np.zeros(200), np.ones(200))
    known = draw(rng, "known", losses, expected, expected, 50, 0.3, bounds)
    known.range = (0.0, 1.0)
    stratum = rng.uniform(0.0, 0.3, 50)
    known.known = (50, stratum.sum(), (stratum**2).sum())
    sets.append(known)

    # A loss of either sign.
    losses = rng.normal(-0.2, 1.0, 250).clip(-2.0, 2.0)
    expected = losses + rng.normal(0.0, 0.7, 250)
    bounds = (np.full(250, -2.0), np.full(250, 2.0))
    scores = np.exp(0.5 * rng.standard_normal(250))
    signed = draw(
        rng, "signed", losses, expected, scores, 100, 0.3, bounds, sign="signed"
    )
    signed.range = (-2.0, 2.0)
    sets.append(signed)
    return sets
