"""Pages, tables and pictures of evaluations in memory."""

from __future__ import annotations

import labelwise as lw
import numpy as np
import pytest
from test_evaluation import spend


def test_a_report_is_one_page_that_holds_what_the_estimate_says(tmp_path, pool) -> None:
    e = lw.Evaluation(pool.probabilities, loss="log_loss", classes=["<a>", "b&", "c"], seed=3)
    items = e.ask(60)
    e.tell(items, np.array(["<a>", "b&", "c"])[pool.labels[items]])
    e.skip(e.ask())
    e.report(tmp_path / "report.html", title="Cats & dogs", level=0.9)
    page = (tmp_path / "report.html").read_text()
    found = e.estimate(level=0.9)
    assert f"{found.value:.2f}" in page and f"{found.low:.2f}" in page and f"{found.high:.2f}" in page
    assert "Cats &amp; dogs" in page and "&lt;a&gt;" in page and "<a>" not in page and "skipped" in page
    assert "Accuracy" in page and "labelwise verify" not in page and ">Who<" not in page
    assert "<script" not in page and 'src="' not in page and 'href="http' not in page
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    mean = lw.Evaluation(mean=[1.0, 2.0, 3.0])
    mean.tell(mean.ask(3), [1.0, 2.0, 2.0])
    mean.report(tmp_path / "mean.html")
    page = (tmp_path / "mean.html").read_text()
    assert "squared-error" in page and "exactly: every item has its label" in page


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path, pool) -> None:
    e = lw.Evaluation(pool.probabilities)
    with pytest.raises(lw.LabelwiseError, match="no label to estimate from"):
        e.report(tmp_path / "early.html")
    spend(e, pool.labels, 10)
    with pytest.raises(OSError):
        e.report(tmp_path / "no such folder" / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_frames_of_draws(pool) -> None:
    import pandas as pd
    import polars as pl

    e = lw.Evaluation(pool.probabilities)
    spend(e, pool.labels, 5)
    assert isinstance(e.to_frame(), pd.DataFrame)
    assert isinstance(e.to_frame("polars"), pl.DataFrame)
    columns = e.to_frame("dict")
    assert columns["item"].tolist() == e.to_frame("pandas")["item"].tolist()
    assert (0 < columns["q"]).all()


def test_a_plot_of_the_course(pool) -> None:
    import matplotlib

    matplotlib.use("Agg")
    e = lw.Evaluation(pool.probabilities)
    spend(e, pool.labels, 60)
    axes = e.plot()
    line = axes.get_lines()[0].get_ydata()
    assert line[-1] == pytest.approx(e.estimate().value, rel=1e-9)
    e = lw.Evaluation(pool.probabilities, loss="accuracy")
    spend(e, pool.labels, 60)
    axes = e.plot()
    assert axes.get_lines()[0].get_ydata()[-1] == e.estimate().value and axes.get_ylabel() == "accuracy"
