"""The parts, beside plain NumPy: Eq. (3) and (4) of the paper, and our default estimator."""

from __future__ import annotations

import labelwise as lw
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from labelwise import estimators


def weights_by_numpy(q: np.ndarray, size: int) -> np.ndarray:
    """Eq. (4)."""
    budget = len(q)
    if budget == size:
        return np.ones(budget)
    m = np.arange(1, budget + 1)
    return 1 + (size - budget) / (size - m) * (1 / ((size - m + 1) * q) - 1)


def lure_by_numpy(loss: np.ndarray, q: np.ndarray, size: int) -> float:
    """Eq. (3)."""
    return float(np.mean(weights_by_numpy(q, size) * loss))


@st.composite
def draws(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """A run of draws from random scores: losses, q, what was expected of the item and of all that were left, and N."""
    size = draw(st.integers(3, 40))
    budget = draw(st.integers(2, size))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.exponential(size=size) + 0.05
    expected = rng.exponential(size=size)
    order, q, total = [], [], []
    left = list(range(size))
    for _ in range(budget):
        share = scores[left] / scores[left].sum()
        place = int(rng.choice(len(left), p=share))
        q.append(share[place])
        total.append(expected[left].sum())
        order.append(left.pop(place))
    items = np.array(order)
    loss = np.maximum(0.0, expected + rng.normal(size=size))[items]
    return loss, np.array(q), expected[items], np.array(total), size


@given(draws())
def test_weights_are_eq_4(case) -> None:
    _, q, _, _, size = case
    np.testing.assert_allclose(estimators.weights(q=q, pool_size=size), weights_by_numpy(q, size), rtol=1e-9)


@given(draws())
def test_lure_is_eq_3(case) -> None:
    loss, q, _, _, size = case
    found = estimators.lure(loss=loss, q=q, pool_size=size)
    assert found.value == pytest.approx(lure_by_numpy(loss, q, size), rel=1e-9, abs=1e-12)
    assert float(found) == found.value


@given(draws())
def test_controlled_lure_is_lure_of_what_was_not_expected(case) -> None:
    loss, q, control, total, size = case
    # a_m with the control, and the coefficients that make LURE of the plain a_m.
    before = np.concatenate([[0.0], np.cumsum(loss)[:-1]])
    terms = (before + total + (loss - control) / q) / size
    m = np.arange(1, len(q) + 1)
    if len(q) == size:
        expected = loss.mean()
    else:
        c = size * (size - len(q)) / len(q) / ((size - m) * (size - m + 1))
        expected = float(c @ terms)
    found = estimators.controlled(loss=loss, q=q, pool_size=size, control=control, control_total=total)
    assert found.value == pytest.approx(expected, rel=1e-8, abs=1e-10)


def regression_by_numpy(
    loss: np.ndarray, q: np.ndarray, control: np.ndarray, total: np.ndarray, size: int
) -> tuple[float, float, float]:
    """Our default: LURE's terms less two fitted controls, pulled to controlled LURE by three labels."""
    budget = len(loss)
    m = np.arange(1, budget + 1)
    if budget == size:
        c = np.where(m == size, 1.0, 0.0)
    else:
        c = size * (size - budget) / (budget * (size - m) * (size - m + 1.0))
    before = np.concatenate([[0.0], np.cumsum(loss)[:-1]])
    u = (control / q - total) / size
    w = (1 / q - (size - m + 1)) / size
    y = (before + loss / q) / size - u
    weight = c**2

    def dot(one: np.ndarray, other: np.ndarray) -> float:
        one, other = (x - np.average(x, weights=weight) for x in (one, other))
        return float(np.sum(weight * one * other))

    def pulled(x: np.ndarray, dust: float) -> float:
        square, size_of_x = dot(x, x), np.sum(weight * x**2)
        # A mean that is many standard errors from zero: such a sample says little about slopes.
        odd = max(1.0, budget * (1 - square / size_of_x) / 9) if size_of_x > 0 else 1.0
        return dot(x, y) / (square + 3 * odd**2 / budget * size_of_x) if square > dust else 0.0

    w_dust = 1e-22 * np.sum(weight * (1 / q / size) ** 2)
    u_dust = 1e-22 * np.sum(weight * ((np.abs(control) / q + np.abs(total)) / size) ** 2)
    b_w = pulled(w, w_dust)
    slope = dot(u, w) / dot(w, w) if dot(w, w) > w_dust else 0.0
    apart = u - slope * w
    b_u = pulled(apart, u_dust)
    return float(c @ (y - b_w * w - b_u * apart)), b_w - b_u * slope, 1 + b_u


@given(draws())
def test_the_default_is_lure_less_two_fitted_controls(case) -> None:
    loss, q, control, total, size = case
    found = estimators.regression(loss=loss, q=q, pool_size=size, control=control, control_total=total)
    value, b0, b1 = regression_by_numpy(loss, q, control, total, size)
    assert found.value == pytest.approx(value, rel=1e-7, abs=1e-9)
    if len(loss) < size:
        assert found.controls == pytest.approx((b0, b1), rel=1e-5, abs=1e-6)


@settings(max_examples=40)
@example(seed=301, size=20)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(20, 120))
def test_an_evaluation_estimates_what_its_draws_say(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(3), size)
    labels = rng.integers(0, 3, size)
    e = lw.Evaluation(probabilities, seed=seed, loss="brier", recipe="root_mean_square")
    items = e.ask(size // 2)
    e.tell(items, labels[items])
    drawn = e.draws()
    named = {"loss": drawn["loss"], "q": drawn["q"], "pool_size": size}
    brier = np.sum((probabilities[items] - np.eye(3)[labels[items]]) ** 2, axis=1)
    np.testing.assert_allclose(drawn["loss"], brier, rtol=1e-9)
    assert e.estimate(estimator="lure").value == pytest.approx(lure_by_numpy(brier, drawn["q"], size))
    controls = {"control": drawn["expected_loss"], "control_total": drawn["expected_total"]}
    # An estimate that has some bias anyway is kept within what is certain: labelled losses, and the bounds of the others.
    others = np.delete(probabilities, items, axis=0)
    most = np.sum(others**2, axis=1) + 1 - 2 * others.min(axis=1)
    certain = brier.sum() / size, (brier.sum() + most.sum()) / size
    expected = np.clip(estimators.regression(**named, **controls).value, *certain)
    assert e.estimate().value == pytest.approx(expected)
    assert e.estimate().standard_error == pytest.approx(estimators.regression(**named, **controls).standard_error)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.sampled_from([0.3, 1.0, "paper", ("clip", 0.5)]))
def test_draws_have_the_q_they_were_made_with(seed: int, size: int, floor) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.exponential(size=size)
    items, q = lw.draw(scores, size, seed=seed, floor=floor)
    assert sorted(items.tolist()) == list(range(size))
    share = scores / scores.sum()
    if floor == 0.3:
        weights = 0.7 * share + 0.3 / size
    elif floor == 1.0:
        weights = np.full(size, 1 / size)
    else:
        weights = np.maximum(share, (0.2 if floor == "paper" else 0.5) / size)
    drawn = weights[items]
    left = drawn[::-1].cumsum()[::-1]
    np.testing.assert_allclose(q, drawn / left, rtol=1e-8)


def test_bad_parts_are_named() -> None:
    good = {"loss": [0.5, 0.1], "q": [0.5, 0.5], "pool_size": 3}
    for wrong, sentence in (
        ({"q": [0.5]}, "q has 1 values, but needs 2"),
        ({"q": [0.5, 0.0]}, "sample 2 .* q = 0"),
        ({"loss": [0.5, float("nan")]}, "sample 2 .* loss = NaN"),
        ({"pool_size": -1}, "pool_size is -1"),
        ({"pool_size": 1}, "2 samples cannot be drawn from a pool of 1"),
        ({"loss": []}, "q has 2 values, but needs 0"),
    ):
        with pytest.raises(ValueError, match=sentence):
            estimators.lure(**{**good, **wrong})  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        estimators.regression([0.5], [0.5], 3, [0.1], [0.3])  # type: ignore[misc]
    assert estimators.lure([0.5], [0.5], 3) == estimators.lure(loss=[0.5], q=[0.5], pool_size=3)
    with pytest.raises(ValueError, match=r"q\[1\] is 2"):
        estimators.weights(q=[0.5, 2.0], pool_size=4)
    with pytest.raises(ValueError, match="score of item 1 is -1"):
        lw.draw([1.0, -1.0], 1)
    with pytest.raises(ValueError, match="3 items were asked for"):
        lw.draw([1.0, 1.0], 3)
    with pytest.raises(ValueError, match="only 1 of them are above 0"):
        lw.draw([1.0, 0.0], 2, floor=None)
