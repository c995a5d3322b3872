"""What one door refuses, every door refuses with the same sentence; what only Python can have is refused by files."""

from __future__ import annotations

from typing import Any

import labelwise as lw
import numpy as np
import pytest
from doors import CHOICES, CLASSES, SIZE, Doors, refreshed_at, sentence, world


def test_a_surrogate_or_a_loss_of_python_lives_in_memory_only(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    p, features = place.predictions["probabilities"], place.features

    class Told:
        """What the other model says, once there are labels."""

        def fit(self, rows: np.ndarray, labels: np.ndarray) -> Told:
            assert len(rows) == len(labels) >= 20
            return self

        def predict_proba(self, rows: np.ndarray) -> np.ndarray:
            return place.other

    options = {"probabilities": p, "classes": CLASSES.tolist(), "seed": 7}
    taught = lw.Evaluation(**options, surrogate=Told(), features=features)
    items = lw.Evaluation(**options, recipe="root_mean_square").ask(25).tolist()
    # Until there are labels to learn from, the model is its own surrogate, as for every learner; beliefs are as given.
    assert taught.ask(25).tolist() == items
    taught.tell(items, place.labels[items])
    taught.ask(10)
    assert refreshed_at(taught) == [25]
    assert taught.verify()["largest_difference"] == 0
    for own in (
        {"surrogate": Told(), "features": features}, {"loss": lw.CostMatrix(1 - np.eye(3))},
        {"loss": lambda row, label: 0.5}, {"loss": np.ones((SIZE, 3))},
    ):  # fmt: skip
        assert lw.Evaluation(**options, **own).pool_size == SIZE
        with pytest.raises(ValueError, match="lives in this process and cannot be stored in a file"):
            lw.create(tmp_path / "none.labelwise", **options, **own)
    assert not (tmp_path / "none.labelwise").exists()


REFUSED: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
    ("classes", ("--surrogate", "gp", "--features", "x_*"), {"surrogate": "gp", "columns": {"features": "x_*"}}),
    ("classes", ("--surrogate", "forest"), {"surrogate": "forest"}),
    ("classes", ("--retrain", "10"), {"retrain": 10}),
    ("classes", ("--surrogate", "forest", "--features", "x_*", "--retrain", "never"),
     {"surrogate": "forest", "columns": {"features": "x_*"}, "retrain": None}),
    ("classes", ("--surrogate", "none", "--acquisition", "expected-loss"), {"surrogate": "none", "acquisition": "expected_loss"}),
    ("classes", ("--loss", "squared-error"), {"loss": "squared-error"}),
    ("classes", ("--loss", "f1"), {"loss": "f1"}),
    ("classes", ("--loss", "accuracy", "--positive", "bee"), {"loss": "accuracy", "positive": "bee"}),
    ("classes", ("--loss", "f1_macro", "--design", "stratified", "--budget", "20"), {"loss": "f1_macro", "design": "stratified", "budget": 20}),
    ("classes", ("--design", "one-shot", "--budget", "1000"), {"design": "one_shot", "budget": 1000}),
    ("classes", ("--design", "stratified", "--budget", "20", "--floor", "mixture=0.1"), {"design": "stratified", "budget": 20, "floor": 0.1}),
    ("classes", ("--design", "one-shot"), {"design": "one_shot"}),
    ("classes", ("--budget", "20"), {"budget": 20}),
    ("classes", ("--strata", "2"), {"strata": 2}),
    ("classes", ("--acquisition", "distance"), {"acquisition": "distance"}),
    ("classes", ("--acquisition", "mutual-information"), {"acquisition": "mutual_information"}),
    ("classes", ("--range", "0,1"), {"label_range": (0.0, 1.0)}),
    ("values", ("--surrogate", "logistic", "--features", "x_*"),
     {"surrogate": "logistic", "columns": {"features": "x_*", "mean": "mean", "variance": "variance"}}),
]  # fmt: skip


@pytest.mark.parametrize(("task", "flags", "options"), REFUSED, ids=[" ".join(flags) for _, flags, _ in REFUSED])
def test_what_is_refused_is_refused_everywhere_with_the_same_sentence(tmp_path, program, task, flags, options) -> None:
    place = world(tmp_path, task)
    code, _, said = place.run(program, "new", "pool.csv", "--out", "none.labelwise", *place.flags, *flags)
    assert code == 2, said
    options = {"columns": place.columns, **options}
    sentences = {sentence(said)}
    for made in (lambda: lw.create(tmp_path / "none.labelwise", tmp_path / "pool.csv", **options),
                 lambda: lw.Evaluation(tmp_path / "pool.csv", **options)):  # fmt: skip
        with pytest.raises(ValueError) as raised:
            made()
        sentences.add(sentence(str(raised.value)))
    assert len(sentences) == 1, sentences


def test_a_goal_in_per_cent_is_refused_everywhere_with_the_same_sentence(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    doors = Doors(place, CHOICES[0], program)
    doors.spend()
    for verb, flags, options in (
        ("check", ("--below", "5"), {"below": 5}),
        ("check", ("--above", "90"), {"above": 90}),
        ("plan", ("--bar", "12"), {"bar": 12}),
        ("plan", ("--half-width", "2"), {"half_width": 2}),
    ):
        code, _, said = place.run(program, verb, "program.labelwise", "--loss", "accuracy", *flags)
        assert code == 2 and "did you mean 0." in said
        for e in doors.all():
            with pytest.raises(ValueError) as raised:
                getattr(e, verb)("accuracy", **options)
            assert sentence(str(raised.value)) == sentence(said)
