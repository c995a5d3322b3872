"""Models compared on shared labels, and simulations."""

from __future__ import annotations

import labelwise as lw
import numpy as np
import pytest


def test_the_better_model_is_found_and_its_lead_is_exact_with_every_label(pool) -> None:
    p = pool.probabilities
    worse = 0.5 * p + 0.5 / 3
    worst = np.full_like(p, 1 / 3)
    c = lw.compare({"own": p, "worse": worse, "worst": worst}, loss="log_loss", seed=1)
    items = c.ask(500)
    c.tell(items, pool.labels[items])
    chosen = np.arange(500), pool.labels
    own, other = -np.log(p[chosen]).mean(), -np.log(worst[chosen]).mean()
    against = {d.model: d for d in c.differences(baseline="own")}
    assert against["worst"].estimate.value == pytest.approx(other - own, rel=1e-6)
    assert against["worst"].decided and against["worst"].p_value < 1e-6
    assert all(d.against == "own" for d in c.differences())
    with pytest.raises(KeyError, match='"none" is not a model'):
        c.differences(baseline="none")


def test_accuracies_are_compared_as_they_are_shown(pool) -> None:
    p = pool.probabilities
    c = lw.compare([p, np.roll(p, 1, axis=1)], loss="accuracy")
    assert c.models == ["0", "1"]
    found = c.run(80, lambda item: int(pool.labels[item]))
    assert found[0].against == "0" and found[0].estimate.value < 0
    assert c.labels == 80


def test_items_on_which_models_agree_are_never_asked(pool) -> None:
    p = pool.probabilities
    other = p.copy()
    other[:20] = np.roll(p[:20], 1, axis=1)
    c = lw.compare([p, other], loss="zero_one")
    assert lw.compare(p, other, loss="zero_one").ties == c.ties
    assert c.ties >= 480
    with pytest.raises(ValueError, match="100 items were asked for"):
        c.ask(100)
    with pytest.raises(ValueError, match="never differ|cannot differ|same"):
        lw.compare([p, p])


def test_regressions_and_bad_models() -> None:
    rng = np.random.default_rng(0)
    labels = rng.normal(size=200)
    c = lw.compare({"good": (labels + 0.1, np.ones(200)), "poor": (labels + 1.0, np.ones(200))}, values=True, seed=2)
    found = c.run(60, lambda item: labels[item])
    assert found[0].model == "poor" and found[0].estimate.value == pytest.approx(0.99, abs=0.2)
    with pytest.raises(ValueError):
        lw.compare([np.full((5, 2), 0.5), np.full((4, 2), 0.5)])
    with pytest.raises(ValueError, match="comparisons are by a mean loss, .*, and f1 is not one"):
        lw.compare([np.full((5, 2), 0.5), np.eye(2)[[0, 1, 0, 1, 0]]], loss="f1")


def test_simulations_know_the_truth(pool) -> None:
    found = lw.simulate(
        pool.probabilities, labels=pool.labels, budget=60, runs=40, loss="log_loss",
        strategies=("active", "paper", "uniform"), seed=3,
    )  # fmt: skip
    assert set(found) == {"active", "paper", "uniform"}
    for one in found.values():
        assert one.truth == pytest.approx(pool.log_loss, rel=1e-9)
        assert one.values.shape == (40,) and 0.5 <= one.coverage <= 1
    assert found["active"].worth(found["uniform"]) > 1
    again = lw.simulate(pool.probabilities, labels=pool.labels, budget=60, runs=40, loss="log_loss", strategies=("active",), seed=3)
    assert again["active"].values.tolist() == found["active"].values.tolist()
    # Batches between which nothing is learnt are single draws.
    options = {"features": pool.features, "surrogate": "logistic", "retrain": 20, "loss": "brier"}
    learnt = lw.simulate(pool.probabilities, labels=pool.labels, budget=50, runs=2, strategies=("active",), **options)
    e = lw.Evaluation(pool.probabilities, **options, seed=_first_seed())
    for _ in range(50):
        i = e.ask()
        e.tell(i, pool.labels[i])
    assert e.estimate().value == learnt["active"].values[0]
    # The paper's recipe is an evaluation that clips the items left at every step.
    paper = lw.simulate(pool.probabilities, labels=pool.labels, budget=50, runs=2, strategies=("paper",))
    e = lw.Evaluation(pool.probabilities, recipe="paper", seed=_first_seed())
    for _ in range(50):
        i = e.ask()
        e.tell(i, pool.labels[i])
    assert e.estimate().value == paper["paper"].values[0]
    with pytest.raises(ValueError, match="strategy 'luck'"):
        lw.simulate(pool.probabilities, labels=pool.labels, budget=5, strategies=("luck",))
    with pytest.raises(ValueError, match="labels has 3 entries"):
        lw.simulate(pool.probabilities, labels=[0, 1, 2], budget=3)


def _first_seed() -> int:
    # The first number of SplitMix64 started at 0.
    return 16294208416658607535
