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


def test_every_answer_is_a_table_in_a_notebook(pool) -> None:
    from dataclasses import is_dataclass

    other = np.full_like(pool.probabilities, 1 / 3)
    comparison = lw.compare({"<first>": pool.probabilities, "second": other}, loss="accuracy", seed=1)
    spend(comparison, pool.labels, 60)
    judged = lw.Evaluation(judge=pool.probabilities[:, 0], loss="rate", positive="yes", seed=1, carry={"text": ["<b>"] * 500})
    judged.run(60, lambda item: "yes" if pool.labels[item] == 0 else "no")
    e = lw.Evaluation(pool.probabilities, loss="accuracy")
    spend(e, pool.labels, 60)
    found = lw.simulate(pool.probabilities, labels=pool.labels, budget=20, runs=2, loss="accuracy")
    answers = [
        comparison, *comparison.differences(), e, e.estimate(), e.check(above=0.1), e.plan(half_width=0.05), e.calibration(bins=2), found,
        *found.values(), judged.worth(), *judged.disagreements(1), e.compare_with(other), lw.Refused(0, "<i>", "no"), lw.Asked("<i>", 0, 0, {"a": "<b>"}),
    ]  # fmt: skip
    for answer in answers:
        page = answer._repr_html_()
        assert "<table>" in page, answer
        assert "<first>" not in page and "<i>" not in page, answer
    assert "&lt;first&gt;" in comparison.differences()[0]._repr_html_()
    assert found._repr_html_().count("<tr>") == 3
    # Whatever is public and holds an answer has such a table.
    for name in lw.__all__:
        value = getattr(lw, name)
        if isinstance(value, type) and is_dataclass(value):
            assert hasattr(value, "_repr_html_"), name
