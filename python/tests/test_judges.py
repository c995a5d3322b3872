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


def test_disagreements_show_the_item():
    carry = {"text": [f"answer {i}" for i in range(SIZE)]}
    e = lw.Evaluation(judge=SCORES, loss="rate", positive="pass", carry=carry, seed=0)
    e.run(100, lambda i: "pass" if PASSES[i] else "fail")
    wrong = e.disagreements(3)
    assert all(one.texts == {"text": f"answer {one.item}"} for one in wrong) and len(wrong) == 3


def test_kappa_of_all_labels_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    names, scale = np.array(["fail", "partial", "pass"]), [0, 1, 2]
    truth = np.clip((3 * SCORES + RNG.normal(0, 0.6, SIZE)).astype(int), 0, 2)
    said = np.clip((3 * SCORES).astype(int), 0, 2)
    e = lw.Evaluation(judge=names[said], worth={"fail": 0, "partial": 0.5, "pass": 1}, loss="value", seed=0)
    e.run(SIZE, lambda i: names[truth[i]])
    for metric, weights in [("kappa", None), ("weighted_kappa", "quadratic")]:
        found = e.estimate(metric)
        expected = metrics.cohen_kappa_score(said, truth, weights=weights, labels=scale)
        assert math.isclose(found.value, expected, abs_tol=1e-9)
        assert math.isclose(found.low, expected, abs_tol=1e-9) and math.isclose(found.high, expected, abs_tol=1e-9)
    verdicts, labels = SCORES > 0.5, PASSES
    e = lw.Evaluation(judge=SCORES, loss="rate", positive="pass", seed=0)
    e.run(SIZE, lambda i: "pass" if labels[i] else "fail")
    assert math.isclose(e.estimate("kappa").value, metrics.cohen_kappa_score(verdicts, labels), abs_tol=1e-9)
    assert math.isclose(e.estimate("sensitivity").value, metrics.recall_score(labels, verdicts), abs_tol=1e-9)
    assert math.isclose(e.estimate("ppv").value, metrics.precision_score(labels, verdicts), abs_tol=1e-9)


def test_groups_are_drawn_whole():
    group = [f"p{i // 4}" for i in range(SIZE)]
    e = lw.Evaluation(judge=SCORES, group=group, loss=["pass@2", "pass^4"], positive="pass", seed=0)
    passes = PASSES.reshape(-1, 4).sum(axis=1)
    e.run(SIZE // 4, lambda i: int(passes[i]))
    any_of_two = 1 - (4 - passes) * (3 - passes) / 12
    assert math.isclose(e.estimate("pass@2").value, any_of_two.mean(), abs_tol=1e-9)
    assert math.isclose(e.estimate("pass^4").value, (passes == 4).mean(), abs_tol=1e-9)


def test_a_next_batch_by_two_assumptions():
    e = lw.Evaluation(judge=SCORES, loss="rate", positive="pass", seed=0)
    e.run(SIZE, lambda i: "pass" if PASSES[i] else "fail")
    # The same verdicts again: both assumptions hold.
    found = e.apply(SCORES)
    assert found.items == SIZE and found.labels == SIZE and found.unseen == 0
    for rate in (found.by_error_rates, found.by_verdicts):
        assert math.isclose(rate.value, PASSES.mean(), abs_tol=1e-6) and rate.low < rate.value < rate.high
    assert e.apply(SCORES / 2).by_verdicts.value < PASSES.mean()
    with pytest.raises(ValueError, match="other judges"):
        e.apply({"another": SCORES})


def test_refusals_name_the_way_out():
    with pytest.raises(ValueError, match="for every item"):
        lw.Evaluation(judge=[0.5] * 10, loss="rate", positive="pass")
    with pytest.raises(ValueError, match="range|worth"):
        lw.Evaluation(judge=[1, 2, 3], loss="value")
    with pytest.raises(ValueError, match="has no judge"):
        lw.Evaluation([[0.5, 0.5], [0.1, 0.9]]).worth()
