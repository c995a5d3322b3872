"""Ask, tell, and what can be known of it."""

from __future__ import annotations

import copy
import pickle
import re

import labelwise as lw
import numpy as np
import pytest


def spend(e: lw.Evaluation, labels: np.ndarray, budget: int) -> None:
    for _ in range(budget):
        i = e.ask()
        e.tell(i, labels[i])


def test_equal_seeds_give_equal_draws_and_batches_are_single_draws(pool) -> None:
    one = lw.Evaluation(pool.probabilities, seed=3)
    two = lw.Evaluation(pool.probabilities, seed=3)
    other = lw.Evaluation(pool.probabilities, seed=4)
    batch = one.ask(40)
    assert batch.dtype == np.int64
    assert batch.tolist() == [two.ask() for _ in range(40)]
    assert batch.tolist() != other.ask(40).tolist()
    assert len(set(batch.tolist())) == 40


def test_f32_and_f64_of_the_same_values_give_equal_draws(pool) -> None:
    single = pool.probabilities.astype(np.float32)
    one, two = lw.Evaluation(single), lw.Evaluation(single.astype(np.float64))
    assert one.ask(50).tolist() == two.ask(50).tolist()


def test_the_whole_pool_is_exact(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="log_loss")
    items = e.ask(500)
    e.tell(items, pool.labels[items])
    found = e.estimate()
    assert found.value == pytest.approx(pool.log_loss, rel=1e-9)
    assert found.low == found.high == pytest.approx(found.value)
    right = (pool.probabilities.argmax(axis=1) == pool.labels).mean()
    assert e.estimate("accuracy").value == pytest.approx(right, rel=1e-12)
    assert e.left == 0


def test_scikit_learn_names_turn_the_sign_and_the_interval(pool) -> None:
    plain = lw.Evaluation(pool.probabilities, loss="log_loss", seed=1)
    negative = lw.Evaluation(pool.probabilities, loss="neg_log_loss", seed=1)
    spend(plain, pool.labels, 80)
    spend(negative, pool.labels, 80)
    one, two = plain.estimate(), negative.estimate()
    assert one.value == -two.value
    assert (one.low, one.high) == (-two.high, -two.low)
    with pytest.raises(ValueError, match="is not a metric"):
        lw.Evaluation(pool.probabilities, loss="logloss_")


def test_metrics_that_are_no_means_agree_with_scikit_learn_on_the_whole_pool(pool) -> None:
    from sklearn import metrics

    e = lw.Evaluation(pool.probabilities, loss=["f1_macro", "accuracy"])
    items = e.ask(500)
    e.tell(items, pool.labels[items])
    predicted = pool.probabilities.argmax(axis=1)
    truth = pool.labels
    expected = {
        "f1_macro": metrics.f1_score(truth, predicted, average="macro"),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
        "matthews_corrcoef": metrics.matthews_corrcoef(truth, predicted),
    }
    for name, value in expected.items():
        assert e.estimate(name).value == pytest.approx(value, rel=1e-9), name
    per_class = e.estimates("recall_per_class")
    assert [one.class_ for one in per_class] == [0, 1, 2]
    assert [one.value for one in per_class] == pytest.approx(metrics.recall_score(truth, predicted, average=None))
    auc = metrics.roc_auc_score(truth == 2, pool.probabilities[:, 2])
    assert e.estimate("roc_auc", positive=2).value == pytest.approx(auc, rel=1e-9)
    with pytest.raises(ValueError, match="positive"):
        e.estimate("f1")
    with pytest.raises(ValueError, match="use `estimates`"):
        e.estimate("f1_per_class")


def test_calibration_on_the_whole_pool_is_confidence_minus_accuracy(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="accuracy")
    items = e.ask(500)
    e.tell(items, pool.labels[items])
    found = e.calibration(bins=5)
    confidence = pool.probabilities.max(axis=1)
    right = pool.probabilities.argmax(axis=1) == pool.labels
    for one in found.bins:
        inside = (one.low <= confidence) & (confidence < one.high if one.high < 1 else True)
        assert one.labels == inside.sum() and one.share == pytest.approx(inside.mean())
        assert one.gap == pytest.approx((confidence - right)[inside].mean(), abs=1e-9)
    with pytest.raises(ValueError, match="calibration\\(\\)"):
        e.estimate("ece")
    with pytest.raises(ValueError, match="calibration cannot be measured on values"):
        lw.Evaluation(mean=[1.0, 2.0]).calibration()


def test_regression_by_every_loss() -> None:
    rng = np.random.default_rng(1)
    mean, variance = rng.normal(size=300), rng.uniform(0.1, 0.5, 300)
    labels = mean + rng.normal(size=300) * np.sqrt(variance)
    e = lw.Evaluation(mean=mean, variance=variance, loss="gaussian_nll")
    items = e.ask(300)
    e.tell(items, labels[items])
    errors = labels - mean
    assert e.estimate("squared_error").value == pytest.approx(np.mean(errors**2))
    assert e.estimate("neg_mean_absolute_error").value == pytest.approx(-np.mean(np.abs(errors)))
    assert e.estimate("rmse").value == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert e.estimate("r2").value == pytest.approx(1 - np.sum(errors**2) / np.sum((labels - labels.mean()) ** 2))
    nll = 0.5 * (np.log(2 * np.pi * variance) + errors**2 / variance)
    assert e.estimate().value == pytest.approx(nll.mean())
    with pytest.raises(ValueError, match="gaussian-nll cannot be measured on values"):
        lw.Evaluation(mean=mean, loss="gaussian_nll")


def test_own_losses_are_arrays_functions_and_costs(pool) -> None:
    losses = (np.arange(3)[None, :] != pool.probabilities.argmax(axis=1)[:, None]).astype(float)
    by_array = lw.Evaluation(pool.probabilities, loss=losses, seed=5)
    by_function = lw.Evaluation(pool.probabilities, loss=lambda row, label: float(row.argmax() != label), seed=5)
    # Losses of one's own use beliefs as they are given.
    by_name = lw.Evaluation(pool.probabilities, loss="zero_one", recipe="root_mean_square", seed=5)
    by_costs = lw.Evaluation(pool.probabilities, loss=lw.CostMatrix(1 - np.eye(3)), seed=5)
    for e in (by_array, by_function, by_name, by_costs):
        spend(e, pool.labels, 70)
    assert by_array.estimate().value == pytest.approx(by_name.estimate().value, rel=1e-9)
    assert by_array.estimate() == by_function.estimate()
    assert by_costs.estimate().value == pytest.approx(by_name.estimate().value, rel=1e-9)
    # Draws made for a loss of one's own serve the losses that have a name.
    assert by_array.estimate("accuracy").value == pytest.approx(by_name.estimate("accuracy").value, rel=1e-9)
    with pytest.raises(ValueError, match="loss: that of item 3 with label 1 is NaN"):
        bad = losses.copy()
        bad[3, 1] = np.nan
        lw.Evaluation(pool.probabilities, loss=bad)
    with pytest.raises(ValueError, match="signed=True"):
        lw.Evaluation(pool.probabilities, loss=losses - 0.5)
    assert lw.Evaluation(pool.probabilities, loss=losses - 0.5, signed=True).pool_size == 500


def test_a_function_of_a_regression_and_what_it_raises() -> None:
    mean = np.linspace(0, 1, 60)
    labels = mean + np.sin(np.arange(60))
    own = lw.Evaluation(mean=mean, loss=lambda f, y: (f - y) ** 2, seed=2, surrogate=np.column_stack([mean, np.ones(60)]))
    named = lw.Evaluation(mean=mean, loss="squared_error", seed=2, surrogate=np.column_stack([mean, np.ones(60)]))
    for e in (own, named):
        items = e.ask(60)
        e.tell(items, labels[items])
    assert own.estimate().value == pytest.approx(named.estimate().value)

    def refuses(f: float, y: float) -> float:
        raise ZeroDivisionError("not today")

    with pytest.raises(ZeroDivisionError, match="not today"):
        lw.Evaluation(mean=mean, loss=refuses)


def test_labels_by_name(pool) -> None:
    names = ["ant", "bee", "cow"]
    e = lw.Evaluation(pool.probabilities, classes=names, loss=["accuracy", "f1"], positive="cow")
    i = e.ask()
    e.tell(i, "bee")
    items = e.ask(30)
    e.tell(items, np.array(names)[pool.labels[items]])
    assert e.draws()["label"][0] == "bee"
    assert [one.class_ for one in e.estimates("f1_per_class")] == names
    assert e.estimate("f1").class_ == "cow"
    with pytest.raises(ValueError, match='"dog", but a label must be one of the classes "ant", "bee", "cow"'):
        e.tell(e.ask(), "dog")
    with pytest.raises(ValueError, match="no metric here is about one class"):
        lw.Evaluation(pool.probabilities, classes=names, loss="accuracy", positive="cow")
    numbers = lw.Evaluation(pool.probabilities[:, :2] / pool.probabilities[:, :2].sum(axis=1, keepdims=True), classes=[False, True])
    i, j = numbers.ask(2)
    numbers.tell(i, np.bool_(True))
    numbers.tell(j, False)
    assert numbers.draws()["label"] == [True, False]


def test_skips_amendments_and_what_is_missing(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="accuracy")
    a, b, c, d = e.ask(4).tolist()
    e.tell([a, b], pool.labels[[a, b]])
    e.skip(c)
    e.missing_at_random(d)
    found = e.estimate()
    assert found.skipped is not None and found.labels == 2
    assert any("skipped" in warning for warning in found.warnings)
    e.tell(a, pool.labels[a])  # The same again changes nothing.
    other = (int(pool.labels[a]) + 1) % 3
    with pytest.raises(ValueError, match="use amend"):
        e.tell(a, other)
    e.amend(a, other)
    assert e.draws()["label"][0] == other
    assert e.draws()["state"] == ["labelled", "labelled", "skipped", "missing"]
    with pytest.raises(ValueError, match="cannot be skipped"):
        e.skip(a)


def test_a_batch_is_told_as_a_whole_or_not_at_all(pool) -> None:
    e = lw.Evaluation(pool.probabilities)
    items = e.ask(5)
    for wrong in ([0, 1, 2, 0, 3], [0, 1, 2, 0, -1], [0, 1, 0.5, 0, 1]):
        with pytest.raises(ValueError):
            e.tell(items, wrong)
        assert e.labels == 0
    never = next(i for i in range(500) if i not in items)
    with pytest.raises(KeyError, match="was not asked for"):
        e.tell([items[0], never], [0, 0])
    with pytest.raises(ValueError, match="one label per item"):
        e.tell(items, [0])
    with pytest.raises(ValueError, match="two different answers"):
        e.tell([items[0], items[0]], [0, 1])
    assert e.labels == 0
    e.tell(items, [0, 1, 2, 0, 1])
    assert e.labels == 5


def test_the_valid_part_of_a_batch_is_recorded_and_the_rest_is_returned(pool) -> None:
    e = lw.Evaluation(pool.probabilities, classes=["ant", "bee", "cow"])
    items = e.ask(6).tolist()
    never = next(i for i in range(500) if i not in items)
    told = [*items[:4], never, 1000, items[4], items[4], items[5]]
    labels = ["ant", "wasp", None, "cow", "bee", "bee", "ant", "bee", "cow"]
    refused = e.tell(told, labels, partial=True, note="by Ann")
    assert [(one.place, one.id) for one in refused] == [
        (1, str(items[1])), (2, str(items[2])), (4, str(never)), (5, "1000"), (6, str(items[4])), (7, str(items[4])),
    ]  # fmt: skip
    reasons = ["did you mean|must be one of the classes", "use skip", "was not asked for", "not in the pool", "two different"]
    for one, reason in zip(refused, [*reasons, reasons[-1]], strict=True):
        assert re.search(reason, one.reason), one
    assert e.labels == 3
    assert e.tell(items[1], "bee", partial=True) == []
    assert e.tell(items[1], "bee") is None  # type: ignore[func-returns-value]
    # Classes are called by their names.
    [one] = e.tell(items[0], "cow", partial=True)
    assert 'already has label "ant", not "cow"' in one.reason
    with pytest.raises(ValueError, match="one label per item"):
        e.tell(items, ["ant"], partial=True)


def test_exceptions_have_the_words_of_the_study(pool) -> None:
    e = lw.Evaluation(pool.probabilities)
    with pytest.raises(lw.LabelwiseError, match="no label to estimate from"):
        e.estimate()
    with pytest.raises(KeyError, match="not in the pool"):
        e.tell(1000, 0)
    with pytest.raises(KeyError, match="not in the pool"):
        e.tell(-1, 0)
    for verb in (e.skip, e.missing_at_random):
        with pytest.raises(KeyError, match="not in the pool"):
            verb(-1)
    with pytest.raises(KeyError, match="not in the pool"):
        e.amend(-3, 0)
    for wrong in (-1, 1.5, True):
        with pytest.raises(ValueError, match="n is .*, but must be a whole number, at least 0"):
            e.ask(wrong)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="planned is 0"):
        e.estimate(interval="anytime", planned=0)
    i = e.ask()
    with pytest.raises(ValueError, match='"x", but a label must be one of the classes "0", "1", "2"'):
        e.tell(i, "x")
    with pytest.raises(ValueError, match='"7", but a label must be one of the classes'):
        e.tell(i, 7)
    for nothing in (None, float("nan"), np.float32("nan")):
        with pytest.raises(ValueError, match="use skip"):
            e.tell(i, nothing)
    with pytest.raises(KeyError, match="not in the pool"):
        e.tell(1.5, 0)
    with pytest.raises(ValueError, match="501 items were asked for"):
        e.ask(501)
    with pytest.raises(ValueError, match='"both" is not a choice of target'):
        e.estimate(target="both")  # type: ignore[arg-type]
    e.tell(i, 0)
    with pytest.raises(ValueError, match='"-1"'):
        e.estimate("f1", positive=-1)
    for bad in ({"interval": "wide"}, {"estimator": "best"}, {"level": 1.5}):
        with pytest.raises(ValueError):
            e.estimate(**bad)  # type: ignore[arg-type]


def test_intervals_and_estimators_by_name(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="accuracy", seed=2)
    spend(e, pool.labels, 120)
    ordinary = e.estimate()
    guaranteed = e.estimate(interval="guaranteed")
    anytime = e.estimate(interval="anytime", planned=120)
    assert guaranteed.half_width > anytime.half_width > ordinary.half_width
    assert "guaranteed" in guaranteed.basis
    assert e.estimate(level=0.5).half_width < ordinary.half_width
    assert e.estimate(target="population").half_width > ordinary.half_width
    values = {name: e.estimate(estimator=name).value for name in ("regression", "lure", "controlled", "pure", "iid")}
    assert len(set(values.values())) == 5
    assert any("biased" in note for note in e.estimate(estimator="iid").warnings)


def test_known_losses_are_never_drawn(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="zero_one", known={i: 0.0 for i in range(100)})
    assert e.left == 400
    assert e.ask(400).min() >= 100


def test_shown_in_words_and_pages(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="log_loss")
    assert repr(e) == "Evaluation(pool_size=500, draws=0, labels=0, left=500)"
    assert "no label to estimate from" in e._repr_html_()
    spend(e, pool.labels, 60)
    found = e.estimate()
    assert repr(found).startswith("Estimate(value=0.")
    assert "<table>" in found._repr_html_() and "labels" in e._repr_html_()
    assert "by centred regression LURE from 60 of 500 items" in e.report()
    assert float(found) == found.value


def test_a_plan_of_another_metric_needs_labels_first(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="f1_macro")
    plan = e.plan(half_width=0.05)
    assert plan.rests_on is None and plan.half_width is not None and plan.half_width.labels is None


def test_pickles_and_copies_go_on_where_they_were(pool) -> None:
    e = lw.Evaluation(pool.probabilities, features=pool.features, train=(pool.features[:50], pool.labels[:50]), seed=9)
    spend(e, pool.labels, 30)
    e.skip(e.ask())
    for again in (pickle.loads(pickle.dumps(e)), copy.deepcopy(e)):
        assert again.draws()["item"].tolist() == e.draws()["item"].tolist()
        assert again.estimate() == e.estimate()
        assert again.ask(30).tolist() == copy.deepcopy(e).ask(30).tolist()


def test_a_plan_before_and_after_labels(pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="accuracy")
    before = e.plan(half_width=0.05, bar=0.9)
    assert before.rests_on == "surrogate" and before.half_width.labels.low <= before.half_width.labels.expected
    spend(e, pool.labels, 100)
    after = e.plan(half_width=0.05)
    assert after.rests_on == "labels" and after.labels == 100
    with pytest.raises(ValueError, match="half_width"):
        e.plan()


def test_run_takes_waiting_items_first(pool) -> None:
    e = lw.Evaluation(pool.probabilities)
    waiting = e.ask(3).tolist()
    seen: list[int] = []

    def oracle(item: int) -> int:
        seen.append(item)
        return int(pool.labels[item])

    assert e.run(10, oracle).labels == 10
    assert seen[:3] == waiting
