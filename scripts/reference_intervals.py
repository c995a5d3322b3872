"""Estimators and intervals a second time, from the formulas, with SciPy.

Student's t, Lambert's W and the root finder are SciPy's. A function of the
Rust code that leaves a formula some freedom (where the variance of the betting
stakes starts, say) is followed in what it documents, not in how it is written.
"""

import math

import numpy as np
from scipy import optimize, special, stats


def plain_terms(samples):
    """Return a_m = (1/N) (sum of losses before + loss / q)."""
    before = np.concatenate([[0.0], np.cumsum(samples.loss)[:-1]])
    return (before + samples.loss / samples.q) / samples.pool_size


def controls(samples):
    """Return u_m and w_m, which have mean zero given the past."""
    n = samples.pool_size
    left = n - np.arange(samples.budget)
    u = (samples.control / samples.q - samples.control_total) / n
    w = (1.0 / samples.q - left) / n
    return u, w


def coefficients(samples):
    """Return c_m, from the telescoping form of its definition."""
    n, budget = samples.pool_size, samples.budget
    m = np.arange(1, budget + 1)
    return n * (n - budget) / budget * (1.0 / (n - m) - 1.0 / (n - m + 1))


def regression_weights(samples):
    """Return (b0, b1) of the regression estimator.

    Least squares of the controlled terms on 1, w and u, with w before u in a QR
    decomposition: the last column is then the part of u that is orthogonal to
    w. The slopes on w and on that part are shrunk toward zero, as if 3/M of the
    size of the control (about zero, not about its mean) came on top of its
    spread.
    """
    c = coefficients(samples)
    u, w = controls(samples)
    y = plain_terms(samples) - u
    columns = [np.ones_like(w), w, u]
    # Under uniform draws w is nothing but rounding, and says nothing.
    is_uniform = np.abs(w * samples.q).max() < 1e-12
    if is_uniform:
        del columns[1]
    design = c[:, None] * np.column_stack(columns)
    orthogonal, triangle = np.linalg.qr(design)
    along = 0.0 if is_uniform else triangle[1, 2] / triangle[1, 1]

    def slope(place, control):
        spread = triangle[place, place] ** 2
        size = np.sum((c * control) ** 2)
        plain = orthogonal[:, place] @ (c * y) / triangle[place, place]
        return plain * spread / (spread + 3.0 / samples.budget * size)

    # Where q is a mixture of the uniform and of one in proportion to g itself,
    # u is a multiple of w, and nothing of it is left.
    is_copy = abs(triangle[-1, -1]) < 1e-9 * np.linalg.norm(design[:, -1])
    slope_u = 0.0 if is_copy else slope(len(columns) - 1, u - along * w)
    if is_uniform:
        return 0.0, 1.0 + slope_u
    return slope(1, w) - slope_u * along, 1.0 + slope_u


def terms_of(samples, estimator):
    """Return a_m, c_m and the factor of the variance."""
    a, c = plain_terms(samples), coefficients(samples)
    u, w = controls(samples)
    if estimator == "lure":
        return a, c, 1.0
    if estimator == "controlled":
        return a - u, c, 1.0
    if estimator == "regression":
        b0, b1 = regression_weights(samples)
        return a - b1 * u - b0 * w, c, samples.budget / (samples.budget - 3.0)
    if estimator == "pure":
        return a, np.full(samples.budget, 1.0 / samples.budget), 1.0
    raise ValueError(estimator)


def value_variance_freedom(samples, estimator):
    """Return the estimate for the open part, its variance and its freedom."""
    a, c, factor = terms_of(samples, estimator)
    value = c @ a
    x = factor * c**2 * (a - value) ** 2 / (1.0 - 2.0 * c + (c**2).sum())
    variance = x.sum()
    if variance == 0.0:
        return value, 0.0, None
    spread = (x**2).sum() - variance**2 / samples.budget
    most = samples.budget - 1.0
    freedom = 2.0 * variance**2 / spread if spread > 0.0 else most
    return value, variance, min(max(freedom, 1.0), most)


def lure_weights(samples):
    """Return v_m of Eq. (4)."""
    n, budget = samples.pool_size, samples.budget
    m = np.arange(1, budget + 1)
    return 1.0 + (n - budget) / (n - m) * (1.0 / ((n - m + 1) * samples.q) - 1.0)


def loss_variance(samples):
    """Return S^2, the variance of losses between items of the whole pool."""
    v = lure_weights(samples)
    mean = samples.whole((v @ samples.loss) / v.sum())
    drawn = samples.pool_size * (v @ (samples.loss - mean) ** 2) / v.sum()
    count, total, squares = samples.known
    known = squares - 2.0 * mean * total + mean**2 * count
    return (drawn + known) / samples.whole_size


def within(samples, target, low, high):
    """Cut an interval to what is possible."""
    if target == "pool":
        least, most = samples.certain()
    elif samples.range is not None:
        least, most = samples.range
    else:
        least = 0.0 if samples.sign == "non-negative" else -math.inf
        most = math.inf
    return min(max(low, least), most), max(min(high, most), least)


def ordinary(samples, estimator, target, level):
    """Return log-t-adapt, or its replacement by betting where the guard acts."""
    value, variance, freedom = value_variance_freedom(samples, estimator)
    plain_freedom = value_variance_freedom(samples, "lure")[2]
    hits = min(freedom or 0.0, plain_freedom or 0.0) / 2.0
    guarded = samples.budget < 50 or hits < 3.0
    bounded = samples.reach is not None
    if guarded and bounded and (target == "pool" or samples.range is not None):
        return betting_at_budget(samples, target, level)
    value = samples.whole(value)
    variance *= samples.open_share() ** 2
    if target == "population":
        most = samples.budget - 1.0
        pool = loss_variance(samples) / samples.whole_size
        both = variance + pool
        # Welch and Satterthwaite: the two variances have freedoms of their own.
        freedom = both**2 / (variance**2 / freedom + pool**2 / most)
        variance, freedom = both, min(max(freedom, 1.0), most)
    half = stats.t.isf((1.0 - level) / 2.0, freedom) * math.sqrt(variance)
    if samples.sign == "non-negative" and value > 0.0:
        k = half / value
        up = math.exp(k) if k <= 1.0 else math.e * k
        return within(samples, target, value * math.exp(-k), value * up)
    return within(samples, target, value - half, value + half)


def anytime(samples, estimator, planned, target, level):
    """Return the asymptotic confidence sequence of Robbins' normal mixture."""
    value, variance, _ = value_variance_freedom(samples, estimator)
    variance *= samples.open_share() ** 2
    alpha, aside = 1.0 - level, 0.0
    if target == "population":
        # Half of the error probability is for the pool's own distance.
        pool = loss_variance(samples) / samples.whole_size
        aside = stats.norm.isf(alpha / 4.0) * math.sqrt(pool)
        alpha /= 2.0
    kappa = -special.lambertw(-(alpha**2) / math.e, -1).real - 1.0
    n = samples.pool_size
    clock = [t / (n * (n - t)) for t in (samples.budget, planned)]
    u = kappa * clock[0] / clock[1]
    half = math.sqrt(variance * (1.0 + 1.0 / u) * math.log((1.0 + u) / alpha**2))
    value = samples.whole(value)
    return within(samples, target, value - half - aside, value + half + aside)


FRACTIONS = np.array(
    [0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99]
)


def rounds(samples):
    """Return a_m and what it lay between, whichever item had been drawn."""
    before = np.concatenate([[0.0], np.cumsum(samples.loss)[:-1]])
    low, high = samples.reach
    n = samples.pool_size
    return plain_terms(samples), (before + low) / n, (before + high) / n


def log_wealth_sequence(samples, r, above):
    """Return the largest log wealth so far of the spread of stakes."""
    a, low, high = rounds(samples)
    gain = (a - r) / (r - low) if above else (r - a) / (high - r)
    paths = np.cumsum(np.log1p(FRACTIONS[None, :] * gain[:, None]), axis=0)
    return (special.logsumexp(paths, axis=1) - math.log(len(FRACTIONS))).max()


def stakes_at_budget(samples, bar):
    """Return the stakes for a budget fixed in advance."""
    a, low, high = rounds(samples)
    width = high - low
    stakes = []
    for m in range(samples.budget):
        # The variance of the rounds before, about the mean before each of
        # them; half of the first round's width stands for one more.
        means = [0.5 * (low[0] + high[0])] + [a[:t].mean() for t in range(1, m)]
        squares = (width[0] / 2.0) ** 2 + sum((a[:m] - means[:m]) ** 2 if m else [])
        tuned = math.sqrt(2.0 * bar / (samples.budget * squares / (m + 1)))
        stakes.append(tuned)
    return np.array(stakes)


def solve(samples, wealth, bar):
    """Return where the wealth of the two gamblers reaches the bar."""
    _, low, high = rounds(samples)
    least, most = samples.certain()
    # Everything is played on the part of the pool that draws speak for.
    size, (_, known_sum, _) = samples.whole_size, samples.known
    least = max((least * size - known_sum) / samples.pool_size, low.max())
    most = min((most * size - known_sum) / samples.pool_size, high.min())
    # On the bounds themselves a gain may be infinite: stay a hair inside.
    hair = 1e-13 * (most - least)
    inside = (least + hair, most - hair)
    return end(wealth, True, bar, inside, least), end(wealth, False, bar, inside, most)


def end(wealth, above, bar, inside, furthest):
    """Return where a gambler reaches the bar, or the furthest end if nowhere."""

    def excess(r):
        return wealth(r, above) - bar

    if excess(inside[0 if above else 1]) < 0.0:
        return furthest
    return optimize.brentq(excess, *inside, xtol=1e-15, rtol=1e-14)


def with_population(samples, target, level, make):
    """Return the interval that `make` gives, widened for the population."""
    alpha, aside = 1.0 - level, 0.0
    if target == "population":
        # A fifth of the error probability is Hoeffding's, for the pool itself.
        spent = 0.2 * alpha
        span = samples.range[1] - samples.range[0]
        aside = span * math.sqrt(math.log(2.0 / spent) / (2.0 * samples.whole_size))
        alpha -= spent
    low, high = make(math.log(2.0 / alpha))
    low, high = samples.whole(low) - aside, samples.whole(high) + aside
    return within(samples, target, low, high) if target == "population" else (low, high)


def betting(samples, target, level):
    """Return the betting confidence sequence, intersected over time."""

    def wealth(r, above):
        return log_wealth_sequence(samples, r, above)

    return with_population(
        samples, target, level, lambda bar: solve(samples, wealth, bar)
    )


def betting_at_budget(samples, target, level):
    """Return the betting interval for a budget fixed in advance."""
    a, low, high = rounds(samples)

    def make(bar):
        stakes = stakes_at_budget(samples, bar)

        def wealth(r, above):
            # No bet may lose more than nine tenths to the worst outcome.
            room = r - low if above else high - r
            bets = np.minimum(stakes, 0.9 / room)
            return np.log1p(bets * (a - r if above else r - a)).sum()

        return solve(samples, wealth, bar)

    return with_population(samples, target, level, make)
