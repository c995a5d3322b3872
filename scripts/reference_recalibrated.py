"""The default's belief, proposal, estimate and interval, a second time from the formulas.

A belief is an average over recalibrations of one or several experts. It is
weighted by how well each one predicted the labels seen so far, draws items by
the centred deviation of the loss, and says what variance it expects of the
estimate. Everything is written for small pools and to be read.
"""

import numpy as np
from scipy.stats import t as student

TEMPERATURES = np.array([0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0, 8.0])
TEMPERATURE_PRIOR = np.exp(-0.5 * ((np.log(TEMPERATURES) - 0.1) / 0.4) ** 2)
CONSTANTS = np.array([0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99])
# Label noise, spread after an error, and the weights for proposal and interval.
PLAIN = [(0.0, 0.0, 1.0, 1.0)]
MANY_CLASSES = [
    (0.0, 0.0, 1.0, 1.0),
    (0.0, 0.1, 0.0, 4.0),
    (0.0, 0.3, 0.0, 2.0),
    (0.01, 0.0, 0.1, 0.1),
    (0.1, 0.0, 0.1, 0.1),
]
TWO_CLASSES = [(0.0, 0.0, 1.0, 1.0), (0.01, 0.0, 0.3, 1.0), (0.1, 0.0, 0.3, 1.0)]
BETWEEN, FLOOR, RIDGE = 0.2, 0.2, 30.0
# From this part of the pool on, draws count by the variance that is expected.
LARGE, LEAST_VARIANCE = 0.3, 0.04
REFRESHES = (0, 10, 20, 50, 100, 200)
# Shifts of the log-odds of an error, with their weights: for scores only.
SHIFTS = [(0.0, 1.0), (-1.5, 0.1), (1.5, 0.1)]


def clipped(table, least):
    """Return probabilities of at least `least` that sum to one."""
    table = np.clip(table, least, 1.0)
    return table / table.sum(axis=1, keepdims=True)


def with_geometric_mean(tables, least):
    """Return the experts, and the normalised geometric mean of several."""
    experts = [clipped(table, least) for table in tables]
    if len(experts) > 1:
        mean = np.mean([np.log(table) for table in experts], axis=0)
        experts.append(clipped(np.exp(mean), least))
    return experts


class Belief:
    """Moments of the loss under every component, and likelihoods of labels."""

    def __init__(self, losses, experts, kind, *, scores=False):
        """Take `losses[item, class]` and tables of probabilities or scores."""
        self.losses, self.kind = losses, kind
        _, classes = losses.shape
        variants, shifts = PLAIN, SHIFTS[:1]
        if kind == "cross-entropy":
            variants = TWO_CLASSES if classes == 2 else MANY_CLASSES
        if scores:
            shifts = SHIFTS
        experts = with_geometric_mean(experts, 1e-4 if scores else 1e-15)
        rows, priors, self.expert, self.trusted = [], [], [], []
        for number, expert in enumerate(experts):
            for temperature, prior in zip(TEMPERATURES, TEMPERATURE_PRIOR, strict=True):
                p = expert ** (1 / temperature)
                p /= p.sum(axis=1, keepdims=True)
                for noise, spread, proposal, interval in variants:
                    for shift, share in shifts:
                        h = noise + (1 - noise) * spread * (1 - p.max(axis=1))
                        row = (1 - h)[:, None] * p + (h / classes)[:, None]
                        if shift:
                            row = shifted(row, losses, shift)
                        rows.append(row)
                        weights = (proposal * share, interval * share)
                        priors.append([prior * weight for weight in weights])
                        self.expert.append(number)
                        plain = noise == spread == shift == 0
                        self.trusted.append(plain and 0.7 <= temperature <= 2.0)
        # The share of the score that probabilities have as they were given.
        self.raw = experts if kind == "cross-entropy" and classes > 2 else None
        self.late = np.zeros(len(rows), bool)
        if kind == "zero-one":
            right = losses == 0.0
            for rate in CONSTANTS:
                rows.append(np.where(right, 1 - rate, rate / (classes - 1)))
                total = TEMPERATURE_PRIOR.sum() * len(experts)
                priors.append((0.1 * total / len(CONSTANTS),) * 2)
            self.late = np.append(self.late, np.full(len(CONSTANTS), not scores))
        # By component, item and class.
        self.rows = np.array(rows)
        self.first = (self.rows * losses).sum(axis=2).T
        self.second = (self.rows * losses**2).sum(axis=2).T
        mean_spread = deviation(self.first, self.second).mean(axis=0)
        priors = np.array(priors)
        with np.errstate(divide="ignore"):
            self.proposal = np.log(priors[:, 0] / mean_spread**2)
            self.interval = np.log(priors[:, 1] / mean_spread)

    def log_likelihood(self, item, label):
        """Return how well each component predicted a label."""
        if self.kind == "zero-one":
            rate = np.clip(self.first[item], 1e-6, 1 - 1e-6)
            return np.log(rate if self.losses[item, label] == 1.0 else 1 - rate)
        return np.log(self.rows[:, item, label] + 1e-12)


def shifted(row, losses, shift):
    """Return probabilities of two classes with shifted log-odds of an error."""
    wrong = np.clip((row * losses).sum(axis=1), 1e-6, 1 - 1e-6)
    wrong = 1 / (1 + np.exp(-(np.log(wrong / (1 - wrong)) + shift)))
    return np.where(losses == 1.0, wrong[:, None], 1 - wrong[:, None])


def deviation(first, second):
    """Return the score of every item, by column."""
    within = np.maximum(second - first**2, 0.0)
    return np.sqrt(within + BETWEEN * (first - first.mean(axis=0)) ** 2)


def normalised(logs):
    """Return weights that sum to one."""
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


class Run:
    """Draws by the belief, with all that the estimate needs of them."""

    def __init__(self, belief, labels, budget, seed):
        """Draw `budget` items, refreshing the proposal as labels come in."""
        self.belief, self.labels = belief, labels
        self.size = len(labels)
        rng = np.random.default_rng(seed)
        left = np.ones(self.size, bool)
        evidence = np.zeros(len(belief.proposal))
        self.items, self.q, self.control, self.control_total = [], [], [], []
        self.batches = []
        edges = [edge for edge in REFRESHES if edge < budget] + [budget]
        for start, end in zip(edges[:-1], edges[1:], strict=True):
            logs = belief.proposal + evidence
            if start < 10:
                logs = np.where(belief.late, -np.inf, logs)
            weights = normalised(logs)
            g, g2 = belief.first @ weights, belief.second @ weights
            score = np.zeros(self.size)
            score[left] = deviation(g[left], g2[left])
            score /= score.sum()
            if belief.raw is not None:
                count = len(belief.expert)
                share = 0.5 * weights[:count][belief.trusted].sum()
                by_expert = np.bincount(belief.expert, weights[:count])
                given = sum(w * p for w, p in zip(by_expert, belief.raw, strict=True))
                moments = [(given * belief.losses**k).sum(axis=1)[left] for k in (1, 2)]
                raw = deviation(*moments)
                score[left] = (1 - share) * score[left] + share * raw / raw.sum()
            w = np.where(left, (1 - FLOOR) * score / score.sum() + FLOOR / left.sum(), 0.0)
            self.batches.append((start, end, w.copy(), g))
            for _ in range(start, end):
                q = np.where(left, w, 0.0) / w[left].sum()
                item = rng.choice(self.size, p=q)
                self.items.append(item)
                self.q.append(q[item])
                self.control.append(g[item])
                self.control_total.append(g[left].sum())
                left[item] = False
                evidence = evidence + belief.log_likelihood(item, labels[item])
        self.left, self.evidence = left, evidence
        self.loss = belief.losses[self.items, labels[self.items]]

    def terms(self):
        """Return the terms of the estimate and their coefficients."""
        n, q = self.size, np.array(self.q)
        m, c = np.arange(len(q)), self.coefficients()
        control, total = np.array(self.control), np.array(self.control_total)
        y = (np.cumsum(self.loss) - self.loss + self.loss / q) / n
        y -= (control / q - total) / n
        z = (control - total / (n - m)) / (n * q)
        w = (1 / q - (n - m)) / n
        table = np.stack([np.ones(len(q)), z, w], axis=1)
        normal = table.T @ (table * (c**2)[:, None])
        normal += np.diag(np.diag(normal) * np.array([0, RIDGE, RIDGE]) / len(q))
        fitted = np.linalg.solve(normal, table.T @ (c**2 * y))
        return y - table[:, 1:] @ fitted[1:], c

    def coefficients(self):
        """Return the coefficients of the terms."""
        n, count = self.size, len(self.q)
        m = np.arange(count)
        if count <= LARGE * n:
            return n * (n - count) / (count * (n - m - 1.0) * (n - m))
        variance, ratio = np.zeros(count), np.zeros(count)
        for (start, end, _, _), one in zip(self.batches, self.one_draw(), strict=True):
            variance[start:end] = one
            ratio[start:end] = (n - m[start:end]) / (n - start)
        inverse = 1 / (np.maximum(variance, LEAST_VARIANCE * variance.mean()) * ratio**2)
        return inverse / inverse.sum()

    def believed(self):
        """Return the moments that are believed now."""
        weights = normalised(self.belief.interval + self.evidence)
        return self.belief.first @ weights, self.belief.second @ weights

    def one_draw(self):
        """Return the variance that the belief expects of a draw, by batch."""
        g, g2 = self.believed()
        found = []
        for _, _, w, h in self.batches:
            on = w > 0
            square = w.sum() * ((g2 - 2 * h * g + h**2)[on] / w[on]).sum()
            found.append(max(square - (g - h)[on].sum() ** 2, 0.0))
        return found

    def expected(self):
        """Return the mean and the variance that the belief expects."""
        n = self.size
        _, c = self.terms()
        g, _ = self.believed()
        variance = 0.0
        for (start, end, _, _), one in zip(self.batches, self.one_draw(), strict=True):
            m = np.arange(start, end)
            variance += ((c[m] * (n - m) / (n - start)) ** 2).sum() * one / n**2
        return (self.loss.sum() + g[self.left].sum()) / n, variance

    def interval(self, bounds, level):
        """Return estimate, lower and upper end."""
        a, c = self.terms()
        count, labelled = len(a), self.loss.sum()
        value = (c * a).sum()
        x = c**2 * (a - value) ** 2 / (1 - 2 * c + (c**2).sum()) * count / (count - 1.5)
        seen = x.sum()
        spread = (x**2).sum() - seen**2 / count
        freedom = np.clip(2 * seen**2 / spread, 1, count - 1)
        believed, expected = self.expected()
        low, high = bounds or (0.0, np.inf)
        most = self.belief.losses[self.left].max(axis=1).sum()
        certain = labelled / self.size, (labelled + most) / self.size
        value = np.clip(value, *certain)
        centre = value
        alike = labelled in (0.0, float(count))
        if self.belief.kind == "zero-one" and alike:
            centre = believed

        def rate(r):
            return (r - low) * (high - r) / (high - low) if bounds else r

        if bounds:
            slack = 1e-6 * (high - low)
            centre = np.clip(centre, low + slack, high - slack)
        ratio = rate(centre) / rate(believed)
        if not bounds:
            ratio = max(ratio, ratio**2)
        variance = max(seen, ratio * expected)
        freedom = np.clip(freedom * (variance / seen) ** 2, 1, count - 1)
        k = student.ppf((1 + level) / 2, freedom) * np.sqrt(variance) / rate(centre)
        up = k if k <= 1 else 1 + np.log(k)
        if bounds:
            z = np.log((centre - low) / (high - centre))
            ends = [low + (high - low) / (1 + np.exp(-(z + s))) for s in (-up, up)]
        else:
            ends = [centre * np.exp(-k), centre * np.exp(up)]
        ends = [min(ends[0], value), max(ends[1], value)]
        if np.all(self.loss == self.loss[0]):
            share = min(-np.log((1 - level) / 2) / count, 1.0)
            alike = labelled + self.loss[0] * (self.size - count)
            alike = np.clip(alike / self.size, *certain)
            ends[0] = min(ends[0], alike - share * (alike - certain[0]))
            ends[1] = max(ends[1], alike + share * (certain[1] - alike))
        return value, max(ends[0], certain[0]), min(ends[1], certain[1])
