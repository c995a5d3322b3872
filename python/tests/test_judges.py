"""Judges and histories from Python: rates, worths, agreement, worth of a label, disagreements."""

import math

import numpy as np
import pytest

import labelwise as lw

RNG = np.random.default_rng(5)
SIZE = 400
SCORES = RNG.random(SIZE)
PASSES = RNG.random(SIZE) < 0.1 + 0.8 * SCORES


def test_rate_of_a_judge_from_few_labels_to_all():
    e = lw.Evaluation(judge=SCORES, loss="rate", positive="pass", seed=0)
    before = e.worth()
    assert before.labels == 0 and before.judge > 1 and "if the judge is as good as it says" in str(before)
    oracle = lambda i: "pass" if PASSES[i] else "fail"
    e.run(100, oracle)
    found = e.estimate()
    assert found.low <= PASSES.mean() <= found.high
    assert e.worth().labels == 100
    wrong = e.disagreements(5)
    assert 0 < len(wrong) <= 5 and all(one.judge != one.label for one in wrong)
    assert [one.surety for one in wrong] == sorted((one.surety for one in wrong), reverse=True)
    kappa = e.estimate("kappa")
    assert kappa.low < kappa.value < kappa.high
    e.run(SIZE - 100, oracle)
    assert math.isclose(e.estimate("rate").value, PASSES.mean(), abs_tol=1e-9)
    both = (SCORES > 0.5) & PASSES
    assert math.isclose(e.estimate("sensitivity").value, both.sum() / PASSES.sum(), abs_tol=1e-9)


def test_worths_and_two_judges():
    names = np.array(["B", "tie", "A"])
    truth = np.clip((3 * SCORES).astype(int), 0, 2)
    noisy = names[np.clip(truth + RNG.integers(-1, 2, SIZE), 0, 2)]
    other = [None if i % 40 == 3 else name for i, name in enumerate(names[truth])]
    judges = {"gpt": noisy, "claude": other}
    e = lw.Evaluation(judge=judges, worth={"A": 1, "tie": 0.5, "B": 0}, loss="value", seed=0)
    assert any("claude has no verdict on 10 of 400 items" in said for said in e.decisions)
    e.run(SIZE, lambda i: names[truth[i]])
    assert math.isclose(e.estimate().value, (truth / 2).mean(), abs_tol=1e-9)


def test_history():
    results = (SCORES[:, None] + 0.4 * RNG.random((SIZE, 9)) > 0.7).astype(float)
    results[RNG.random((SIZE, 9)) < 0.05] = np.nan
    e = lw.Evaluation(history=results, loss="rate", positive=1, seed=0)
    target = (SCORES + 0.4 * RNG.random(SIZE) > 0.7).astype(int)
    e.run(80, lambda i: int(target[i]))
    assert e.estimate().low <= target.mean() <= e.estimate().high


def test_refusals_name_the_way_out():
    with pytest.raises(ValueError, match="for every item"):
        lw.Evaluation(judge=[0.5] * 10, loss="rate", positive="pass")
    with pytest.raises(ValueError, match="range|worth"):
        lw.Evaluation(judge=[1, 2, 3], loss="value")
    with pytest.raises(ValueError, match="has no judge"):
        lw.Evaluation([[0.5, 0.5], [0.1, 0.9]]).worth()
