"""Estimates among the runs of a tracker: MLflow or Weights & Biases, with the report as an artefact.

>>> from labelwise import tracking
>>> tracking.mlflow(evaluation, "accuracy", "f1_macro")     # doctest: +SKIP
>>> tracking.wandb(evaluation, "accuracy", "f1_macro")      # doctest: +SKIP

Each metric becomes three numbers, such as `labelwise/accuracy`, `labelwise/accuracy_low` and `labelwise/accuracy_high`; the step
is the number of labels, so that a chart shows how the interval closed in. Calls after every batch of labels make that chart.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from ._estimate import Estimate
from ._study import Study

__all__ = ["mlflow", "numbers", "wandb"]


def numbers(estimates: list[Estimate], prefix: str = "labelwise/") -> dict[str, float]:
    """Estimates as named numbers; ends of intervals that do not exist yet are left out.

    >>> import labelwise as lw
    >>> numbers([lw.Estimate(value=0.9, low=0.8, high=0.95, level=0.95, labels=60, metric="accuracy")])
    {'labelwise/accuracy': 0.9, 'labelwise/accuracy_low': 0.8, 'labelwise/accuracy_high': 0.95}
    """
    found: dict[str, float] = {}
    for estimate in estimates:
        of = [estimate.metric, *([] if estimate.class_ is None else [estimate.class_])]
        # What both trackers allow in a name.
        name = prefix + "_".join(re.sub(r"[^\w.-]+", "_", str(part)) for part in of)
        found[name] = estimate.value
        if estimate.low is not None and estimate.high is not None:
            found |= {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return found


def mlflow(evaluation: Study, *metrics: str, prefix: str = "labelwise/", report: bool = True, **options: Any) -> list[Estimate]:
    """Logs estimates to the active run of MLflow, which starts one if there is none, and the report as `labelwise/report.html`.

    Without metrics they are those that the evaluation was made for; `options` are those of `Evaluation.estimates`.
    """
    import mlflow as tracker

    estimates = evaluation.estimates(*metrics, **options)
    tracker.log_metrics({**numbers(estimates, prefix), f"{prefix}labels": float(evaluation.labels)}, step=evaluation.labels)
    if report:
        with tempfile.TemporaryDirectory() as folder:
            tracker.log_artifact(str(evaluation.report(Path(folder) / "report.html")), "labelwise")
    return estimates


def wandb(
    evaluation: Study, *metrics: str, run: Any = None, prefix: str = "labelwise/", report: bool = True, **options: Any
) -> list[Estimate]:
    """Logs estimates to a run of Weights & Biases (by default the current one), and the report as an artefact and a panel.

    Without metrics they are those that the evaluation was made for; `options` are those of `Evaluation.estimates`.
    """
    import wandb as tracker

    run = run if run is not None else tracker.run
    if run is None:
        raise ValueError("no run of Weights & Biases is active: call wandb.init() first, or give run=")
    estimates = evaluation.estimates(*metrics, **options)
    labels = f"{prefix}labels"
    # Steps of a run only go up, and belong to whoever trains: the number of labels is the axis instead.
    run.define_metric(labels, hidden=True)
    run.define_metric(f"{prefix}*", step_metric=labels)
    logged: dict[str, Any] = {**numbers(estimates, prefix), labels: evaluation.labels}
    if report:
        with tempfile.TemporaryDirectory() as folder:
            page = evaluation.report(Path(folder) / "report.html")
            logged[f"{prefix}report"] = tracker.Html(page.read_text(encoding="utf-8"), inject=False)
            artefact = tracker.Artifact(f"labelwise-{run.id}", type="labelwise-report")
            artefact.add_file(str(page))
            run.log_artifact(artefact)
    run.log(logged)
    return estimates
