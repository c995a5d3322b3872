"""Metrics that are not averages, in every question."""

from __future__ import annotations

from pathlib import Path

import labelwise as lw
import numpy as np
import pytest


@pytest.fixture(scope="module")
def pool() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    p = rng.random(600) ** 2
    return np.column_stack([1 - p, p]), (rng.random(600) < p).astype(int)


@pytest.fixture
def evaluation(pool: tuple[np.ndarray, np.ndarray]) -> lw.Evaluation:
    probabilities, truth = pool
    e = lw.Evaluation(probabilities, loss=["precision", "recall"], positive=1, seed=2)
    for item in e.ask(150):
        e.tell(item, int(truth[item]))
    return e


def test_estimates_are_of_all_metrics_that_draws_were_made_for(evaluation: lw.Evaluation) -> None:
    assert [found.metric for found in evaluation.estimates()] == ["precision", "recall"]


def test_a_report_names_its_metrics(evaluation: lw.Evaluation, pool: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    words = evaluation.report()
    assert words.startswith("precision of class 1 0.") and "\nrecall of class 1 0." in words
    page = Path(evaluation.report(tmp_path / "page.html")).read_text(encoding="utf-8")
    assert "The precision of 1 on this pool of 600 items is estimated at" in page
    probabilities, truth = pool
    accuracy = lw.Evaluation(probabilities, loss="accuracy", seed=2)
    for item in accuracy.ask(60):
        accuracy.tell(item, int(truth[item]))
    assert accuracy.report().startswith(f"accuracy {accuracy.estimate().value:.4f} by ")


def test_thresholds_and_plans(evaluation: lw.Evaluation) -> None:
    value = evaluation.estimate("recall").value
    assert evaluation.check("recall", above=max(value - 0.4, 0.0)).met
    assert not evaluation.check("recall", above=value).decided
    assert evaluation.check("matthews_corrcoef", above=0.05).labels == 150
    with pytest.raises(ValueError, match="no interval that holds at repeated looks"):
        evaluation.check("roc_auc", above=0.5, method="anytime")
    with pytest.raises(ValueError, match="name one of them"):
        evaluation.check(above=0.5)
    plan = evaluation.plan("recall", half_width=0.02)
    assert plan.rests_on == "labels" and plan.half_width is not None and plan.half_width.labels is not None


def test_simulations(pool: tuple[np.ndarray, np.ndarray]) -> None:
    probabilities, truth = pool
    found = lw.simulate(probabilities, labels=truth, budget=100, runs=20, loss="f1", positive=1)
    said = probabilities[:, 1] > 0.5
    both = np.sum(said & (truth == 1))
    assert all(abs(result.truth - 2 * both / (said.sum() + truth.sum())) < 1e-12 for result in found.values())


def test_another_model_on_the_same_labels(evaluation: lw.Evaluation, pool: tuple[np.ndarray, np.ndarray]) -> None:
    probabilities, _ = pool
    turned = evaluation.compare_with(probabilities[:, ::-1].copy(), "recall")
    difference = turned.difference.estimate
    assert abs(turned.own.value - turned.other.value - difference.value) < 1e-12
    same = evaluation.compare_with(probabilities.copy(), "recall").difference
    assert same.estimate.value == 0.0 and not same.decided
