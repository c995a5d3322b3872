"""Estimates logged to the real MLflow and to the real client of Weights & Biases, offline."""

from __future__ import annotations

import json
import os
from pathlib import Path

import labelwise as lw
import pytest
from labelwise import tracking
from test_evaluation import spend


@pytest.fixture
def evaluation(pool) -> lw.Evaluation:
    e = lw.Evaluation(pool.probabilities, loss="accuracy", seed=5)
    spend(e, pool.labels, 40)
    return e


def test_mlflow_has_the_numbers_by_labels_and_the_report(tmp_path, monkeypatch, evaluation, pool) -> None:
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    import mlflow

    # SQLite needs a package more than the client alone; a folder does not.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        first = tracking.mlflow(evaluation, "accuracy", "f1_per_class")
        spend(evaluation, pool.labels, 20)
        last = tracking.mlflow(evaluation, "accuracy", report=False, level=0.9)
    client = mlflow.MlflowClient()
    found = [(point.step, point.value) for point in client.get_metric_history(run.info.run_id, "labelwise/accuracy")]
    assert found == [(40, first[0].value), (60, last[0].value)]
    metrics = client.get_run(run.info.run_id).data.metrics
    assert metrics["labelwise/accuracy_low"] == last[0].low and metrics["labelwise/labels"] == 60
    assert metrics["labelwise/f1_per_class_2"] == first[3].value
    page = Path(client.download_artifacts(run.info.run_id, "labelwise/report.html", str(tmp_path)))
    assert "Accuracy" in page.read_text(encoding="utf-8")


def test_weights_and_biases_has_the_numbers_and_the_report(tmp_path, monkeypatch, evaluation) -> None:
    with pytest.raises(ValueError, match=r"wandb\.init\(\) first"):
        tracking.wandb(evaluation)
    for name, value in {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    import wandb

    with wandb.init(project="labelwise-test", dir=tmp_path) as run:
        found = tracking.wandb(evaluation, "accuracy")
        summary = {key: run.summary[key] for key in ("labelwise/accuracy", "labelwise/accuracy_high", "labelwise/labels")}
        media = Path(run.dir) / run.summary["labelwise/report"]["path"]
        assert "Accuracy" in media.read_text(encoding="utf-8")
    assert summary == {"labelwise/accuracy": found[0].value, "labelwise/accuracy_high": found[0].high, "labelwise/labels": 40}
    # The run as it would be synced later.
    assert list(tmp_path.glob("wandb/offline-run-*/*.wandb"))


def test_names_are_what_trackers_allow() -> None:
    estimate = lw.Estimate(value=1.0, low=None, high=None, level=0.95, labels=1, metric="recall(0.5)", class_="a b/c")
    assert tracking.numbers([estimate], prefix="") == {"recall_0.5__a_b_c": 1.0}
