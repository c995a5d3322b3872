"""Detectors: decision thresholds, the precision-recall curve, and the cap of cross-entropy."""

from __future__ import annotations

import labelwise as lw
import numpy as np
import pytest

SIZE = 400


@pytest.fixture(scope="module")
def detector() -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the second class, with ties, and labels."""
    rng = np.random.default_rng(11)
    p = np.round(rng.random(SIZE) ** 3, 2)
    return p, (rng.random(SIZE) < 0.05 + 0.8 * p).astype(int)


def all_labelled(p: np.ndarray, labels: np.ndarray, **options: object) -> lw.Evaluation:
    e = lw.Evaluation(p, **options)
    items = e.ask(SIZE)
    e.tell(items, labels[items])
    return e


def test_with_every_label_metrics_are_those_of_scikit_learn(detector) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    p, labels = detector
    names = ["accuracy", "precision", "recall", "f1", "balanced_accuracy", "matthews_corrcoef"]
    scores = [
        metrics.accuracy_score, metrics.precision_score, metrics.recall_score, metrics.f1_score,
        metrics.balanced_accuracy_score, metrics.matthews_corrcoef,
    ]  # fmt: skip
    e = all_labelled(p, labels, loss=names, threshold=0.3, seed=2)
    assert e.settings["threshold"] == 0.3 and e.settings["positive"] == "1"
    assert any("at least 0.3" in decision for decision in e.decisions)
    for threshold in (None, 0.3, 0.07, 0.8):
        predicted = (p >= (0.3 if threshold is None else threshold)).astype(int)
        for found, score in zip(e.estimates(*names, threshold=threshold), scores, strict=True):
            assert found.value == pytest.approx(score(labels, predicted), abs=1e-12)
    curve = e.estimates("average_precision", "precision_at_recall_0.8", "recall_at_precision_0.5")
    precision, recall, _ = metrics.precision_recall_curve(labels, p)
    expected = [
        metrics.average_precision_score(labels, p),
        precision[np.flatnonzero(recall >= 0.8 - 1e-12)[-1]],
        recall[precision >= 0.5 - 1e-12].max(),
    ]
    assert [found.value for found in curve] == pytest.approx(expected, abs=1e-12)


def test_draws_use_the_threshold(detector) -> None:
    p, _ = detector
    at = lambda threshold: lw.Evaluation(p, loss="precision", threshold=threshold, floor=None).ask(10)  # noqa: E731
    # Only items that are predicted as positive matter for the precision.
    assert (p[at(0.8)] >= 0.8).all() and not (p[at(0.2)] >= 0.8).all()
    single = p.astype(np.float32)
    assert lw.Evaluation(single, loss="accuracy", threshold=0.07).ask(20).tolist() == lw.Evaluation(
        p, loss="accuracy", threshold=0.07
    ).ask(20).tolist()


def test_thresholds_in_files_and_simulations(tmp_path, detector) -> None:
    p, labels = detector
    e = lw.create(tmp_path / "e.labelwise", np.column_stack([1 - p, p]), loss="recall", threshold=0.4)
    opened = lw.open(tmp_path / "e.labelwise")
    assert opened.settings["threshold"] == 0.4 and e.settings["cap"] == 1e-15
    found = lw.simulate(p, labels=labels, budget=20, runs=2, loss="accuracy", threshold=0.4)
    assert found["active"].truth == pytest.approx(((p >= 0.4) == labels).mean())


def test_the_cap_of_cross_entropy(detector) -> None:
    p, labels = detector
    zeros = int((p == 0).sum() + (p == 1).sum())
    assert zeros > 5
    e = all_labelled(p, labels, loss="log_loss")
    assert any(f"{zeros} probabilities are 0" in decision and "34.5" in decision for decision in e.decisions)
    assert any("hangs on the cap" in warning for warning in e.estimate().warnings)
    other = all_labelled(p, labels, loss="log_loss", cap=2.2e-16)
    own = np.clip(np.where(labels == 1, p, 1 - p), 2.2e-16, 1)
    assert other.estimate().value == pytest.approx(-np.log(own).mean(), rel=1e-9)
    assert other.settings["cap"] == 2.2e-16


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"threshold": 30}, "did you mean 0.3"),
        ({"threshold": 0.5, "classes": ["ok", "bad"], "positive": "worse"}, '"worse" is not a class'),
        ({"cap": 0.7}, "above 0 and below 0.5"),
        ({"loss": "precision_at_recall_2"}, "is not a share"),
    ],
)
def test_nonsense_is_named(detector, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        lw.Evaluation(detector[0], **options)


def test_a_threshold_needs_two_classes_and_a_metric_of_predictions(detector) -> None:
    with pytest.raises(ValueError, match="probabilities of two classes"):
        lw.Evaluation(np.full((4, 3), 1 / 3), threshold=0.5)
    p, labels = detector
    e = all_labelled(p, labels, loss="log_loss")
    with pytest.raises(ValueError, match="no metric here is about predicted classes"):
        e.estimate("log_loss", threshold=0.5)
