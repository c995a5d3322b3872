"""Every door leads to the same study: the program, a file and the memory of Python draw the same items and say the same
numbers for the same pool, seed and choices, whatever the surrogate, across refits, failures and replays."""

from __future__ import annotations

import csv
import json
import math
import pickle
import subprocess
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import labelwise as lw
import numpy as np
import pytest

SIZE = 240
CLASSES = np.array(["ant", "bee", "cow"])
BATCHES = (10, 15, 5, 20, 10, 15)
"""Items asked at a time: refits are due after 25, 50 and 75 labels."""


@dataclass
class World:
    """A pool in files and in arrays, which hold the same bits."""

    folder: Path
    task: str
    labels: np.ndarray
    predictions: dict[str, Any]
    other: Any
    features: np.ndarray
    train: tuple[np.ndarray, np.ndarray]
    kinds: list[str]
    columns: dict[str, Any] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    def run(self, program: str, *arguments: str) -> tuple[int, str, str]:
        done = subprocess.run([program, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def answer(self, program: str, *arguments: str) -> Any:
        code, out, said = self.run(program, *arguments)
        assert code == 0, said
        return json.loads(out)


def write(path: Path, columns: dict[str, Any]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*[[repr(v) if isinstance(v, float) else v for v in column] for column in columns.values()], strict=True))


def world(folder: Path, task: str, names: np.ndarray = CLASSES, scale: float = 1.0) -> World:
    rng = np.random.default_rng(5)
    features = scale * rng.normal(size=(SIZE, 2))
    kinds = [f"kind {n % 3}" for n in range(SIZE)]
    shared = {"id": [f"item-{n}" for n in range(SIZE)]}
    inputs = {f"x_{n}": column for n, column in enumerate(features.T.tolist())}
    if task == "classes":
        logits = np.column_stack([features[:, 0], -features[:, 0], features[:, 1]])[:, : len(names)] / scale
        p = np.exp(logits + rng.normal(size=logits.shape))
        p /= p.sum(axis=1, keepdims=True)
        other = 0.5 * p + 0.5 * rng.dirichlet(np.ones(len(names)), SIZE)
        labels = names[[rng.choice(len(names), p=row) for row in other]]
        predictions: dict[str, Any] = {"probabilities": p, "classes": names.tolist()}
        said = {f"prob_{name}": column for name, column in zip(names, p.T.tolist(), strict=True)}
        others = {f"prob_{name}": column for name, column in zip(names, other.T.tolist(), strict=True)}
        columns, flags = {}, []
    else:
        mean, variance = features[:, 0] / scale, rng.uniform(0.1, 0.5, SIZE)
        labels = mean + 0.3 * features[:, 1] / scale + rng.normal(size=SIZE) * np.sqrt(variance)
        other = np.column_stack([mean + 0.1, 2 * variance])
        predictions = {"mean": mean, "variance": variance}
        said = {"mean": mean.tolist(), "variance": variance.tolist()}
        others = {"mean": other[:, 0].tolist(), "variance": other[:, 1].tolist()}
        columns, flags = {"mean": "mean", "variance": "variance"}, ["--mean", "mean", "--variance", "variance"]
    write(folder / "pool.csv", {**shared, **said, **inputs, "kind": kinds})
    write(folder / "other.csv", {**shared, **others})
    train = features[:40].copy(), labels[:40].copy()
    write(folder / "train.csv", {**{name: column[:40] for name, column in inputs.items()}, "label": labels[:40].tolist()})
    return World(folder, task, labels, predictions, other, features, train, kinds, columns, flags)


@dataclass(frozen=True)
class Choice:
    """The same choice, as each door takes it."""

    name: str
    task: str
    flags: tuple[str, ...]
    options: dict[str, Any]
    given: bool = False
    ensemble: bool = False
    features: bool = False
    trained: bool = False

    def __str__(self) -> str:
        return f"{self.task}-{self.name}"


def learner(task: str, name: str, trained: bool = False) -> Choice:
    flags = ("--features", "x_*", "--surrogate", name, "--retrain", "25")
    if trained:
        flags = (*flags, "--train", "train.csv", "--train-label", "label")
    suffix = "-trained" if trained else ""
    return Choice(name + suffix, task, flags, {"surrogate": name, "retrain": 25}, features=True, trained=trained)


CHOICES = [
    Choice("own", "classes", ("--surrogate", "self"), {"surrogate": "own"}),
    Choice("none", "classes", ("--surrogate", "none"), {"surrogate": "none"}),
    Choice("given", "classes", ("--surrogate-file", "other.csv"), {}, given=True),
    Choice("rescored", "classes", ("--surrogate", "self", "--rescore", "20"), {"surrogate": "own", "rescore": 20}),
    Choice("paper", "classes", ("--acquisition", "expected-loss", "--floor", "clip=0.2"), {"acquisition": "expected_loss", "floor": "paper"}),
    Choice("f1", "classes", ("--loss", "f1_macro,accuracy"), {"loss": ["f1_macro", "accuracy"]}),
    Choice("one-shot", "classes", ("--design", "one-shot", "--budget", "75"), {"design": "one_shot", "budget": 75}),
    Choice("stratified", "classes", ("--design", "stratified", "--budget", "75"), {"design": "stratified", "budget": 75}),
    learner("classes", "forest"),
    learner("classes", "forest", trained=True),
    learner("classes", "logistic"),
    Choice("own", "values", ("--surrogate", "self"), {"surrogate": "own"}),
    Choice("none", "values", ("--surrogate", "none"), {"surrogate": "none"}),
    Choice("given", "values", ("--surrogate-file", "other.csv"), {}, given=True),
    Choice("range", "values", ("--range", "-20,20"), {"label_range": (-20.0, 20.0)}),
    learner("values", "forest"),
    learner("values", "linear"),
    learner("values", "gp", trained=True),
    Choice("distance", "classes", ("--features", "x_*", "--surrogate", "self", "--acquisition", "distance"),
           {"surrogate": "own", "acquisition": "distance"}, features=True),
    Choice("mutual-information", "classes", ("--surrogate-file", "other.csv", "--surrogate-file", "pool.csv", "--acquisition", "mutual-information"),
           {"acquisition": "mutual_information"}, ensemble=True),
    Choice("risk", "classes", ("--acquisition", "active-risk-estimation", "--bad-scores", "median"),
           {"acquisition": "active_risk_estimation", "on_bad_score": "median"}),
]  # fmt: skip


class Doors:
    """The same evaluation behind every door."""

    def __init__(self, place: World, choice: Choice, program: str, seed: int = 7) -> None:
        self.world, self.program = place, program
        code, _, said = place.run(
            program, "new", "pool.csv", "--out", "program.labelwise", "--seed", str(seed), *place.flags, *choice.flags
        )
        assert code == 0, said
        self.by_program = lw.open(place.folder / "program.labelwise")
        columns = {**place.columns, **({"features": "x_*"} if choice.features else {})}
        pool = {**choice.options, "columns": columns, "seed": seed}
        arrays: dict[str, Any] = {**choice.options, **place.predictions, "seed": seed, "carry": {"kind": place.kinds},
                                  "ids": [f"item-{n}" for n in range(SIZE)]}  # fmt: skip
        if choice.given:
            pool["surrogate"], arrays["surrogate"] = str(place.folder / "other.csv"), place.other
        if choice.ensemble:
            pool["surrogate"] = [place.folder / "other.csv", place.folder / "pool.csv"]
            arrays["surrogate"] = [place.other, place.predictions["probabilities"]]
        if choice.features:
            arrays["features"] = place.features
        if choice.trained:
            pool["train"], arrays["train"] = (place.folder / "train.csv", "label"), place.train
        source = place.folder / "pool.csv"
        self.file = lw.create(place.folder / "file.labelwise", source, **pool)
        self.memory = lw.Evaluation(source, **pool)
        self.arrays = lw.Evaluation(**arrays)

    def all(self) -> list[Any]:
        return [self.by_program, self.file, self.memory, self.arrays]

    def ask(self, count: int) -> list[int]:
        """The same items through every door, and each with the same q."""
        code, out, said = self.world.run(self.program, "ask", "program.labelwise", "-n", str(count), "--format", "csv")
        assert code == 0, said
        items = [int(row["id"].removeprefix("item-")) for row in csv.DictReader(StringIO(out))]
        assert [one.item for one in self.file.ask(count)] == items
        assert self.memory.ask(count).tolist() == items
        assert self.arrays.ask(count).tolist() == items
        return items

    def tell(self, items: list[int]) -> None:
        ids, labels = [f"item-{item}" for item in items], self.world.labels[items]
        text = "".join(f"{name},{label!r}\n" if isinstance(label, float) else f"{name},{label}\n" for name, label in zip(ids, labels.tolist(), strict=True))  # fmt: skip
        (self.world.folder / "labels.csv").write_text("id,label\n" + text)
        code, _, said = self.world.run(self.program, "tell", "program.labelwise", "labels.csv")
        assert code == 0, said
        self.file.tell(ids, labels)
        self.memory.tell(items, labels)
        self.arrays.tell(ids, labels)

    def spend(self, batches: tuple[int, ...] = BATCHES) -> None:
        for count in batches:
            self.tell(self.ask(count))

    def same_draws(self) -> None:
        first = self.by_program.draws()
        for e in self.all()[1:]:
            draws = e.draws()
            for column in ("item", "id", "state"):
                assert list(draws[column]) == list(first[column]), column
            for column in ("q", "expected_loss", "expected_total", "loss", "refresh"):
                assert np.array_equal(draws[column], first[column], equal_nan=True), column

    def estimates(self, *metrics: str, **how: Any) -> list[list[Any]] | str:
        """What every door says, or the sentence with which every door refuses."""
        said = [answered(e, *metrics, **how) for e in self.all()]
        said.append(self.asked_of_the_program(*metrics, **how))
        for other in said[1:]:
            assert other == said[0], (metrics, how)
        return said[0]

    def asked_of_the_program(self, *metrics: str, **how: Any) -> Any:
        flags = [part for name, value in how.items() for part in (f"--{name}", str(value).replace("_", "-"))]
        named = ["--loss", ",".join(metrics)] if metrics else []
        code, out, said = self.world.run(self.program, "estimate", "program.labelwise", "--json", *named, *flags)
        if code != 0:
            return sentence(said)
        rows = json.loads(out)
        return [shown(row) for row in (rows if isinstance(rows, list) else [rows])]


def sentence(said: str) -> str:
    """A refusal without what only the program can say: its hints name its own options."""
    return " ".join(said.split("\nhint:")[0].removeprefix("error:").split())


def shown(row: dict[str, Any]) -> list[Any]:
    """The JSON of the program in the order of `answered`."""
    slice_ = row.get("slice")
    return [row.get("loss") or row.get("metric"), row.get("class"), slice_ and (slice_["column"], slice_["value"]), row["estimate"],
            row["low"], row["high"], row["interval"], row["standard_error"], row["labels"], row["pool_size"], row["notes"]]  # fmt: skip


def answered(e: Any, *metrics: str, **how: Any) -> Any:
    try:
        found = e.estimates(*metrics, **how)
    except (ValueError, lw.LabelwiseError) as error:
        return sentence(str(error))
    return [
        [one.metric, one.class_, one.slice, one.value, one.low, one.high, one.basis, one.standard_error, one.labels, one.pool_size,
         list(one.warnings)] for one in found
    ]  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_the_same_draws_and_numbers_through_every_door(tmp_path, program, choice: Choice) -> None:
    place = world(tmp_path, choice.task)
    doors = Doors(place, choice, program)
    doors.spend()
    doors.same_draws()
    assert doors.estimates()
    again = pickle.loads(pickle.dumps(doors.arrays))
    assert answered(again) == answered(doors.memory)
    if choice.options.get("design", "adaptive") == "adaptive":
        assert again.ask(20).tolist() == doors.ask(20)
    for e in doors.all():
        assert e.verify()["largest_difference"] == 0
    words = {str(e.settings[name]) for e in doors.all() for name in ("surrogate",)}
    assert len(words) == 1
    for name in ("loss", "acquisition", "floor", "design", "refreshes", "fell_back", "counting"):
        assert len({str(e.settings[name]) for e in doors.all()}) == 1, name


ESTIMATORS = ("suited", "regression", "lure", "controlled", "pure", "iid", "importance_sampling", "hansen_hurwitz")
INTERVALS = ("ordinary", "guaranteed", "guaranteed_at_budget", "anytime")


@pytest.mark.parametrize("choice", [CHOICES[0], CHOICES[8], CHOICES[14]], ids=str)
def test_every_metric_estimator_and_interval_through_every_door(tmp_path, program, choice: Choice) -> None:
    place = world(tmp_path, choice.task)
    doors = Doors(place, choice, program)
    doors.spend((10, 20, 25))
    means = ("log_loss", "accuracy", "brier", "neg_log_loss") if choice.task == "classes" else (
        "squared_error", "absolute_error", "gaussian_nll", "neg_mean_absolute_error")  # fmt: skip
    for estimator in ESTIMATORS:
        for interval in INTERVALS:
            doors.estimates(*means[:2], estimator=estimator, interval=interval)
    for metric in means:
        found = doors.estimates(metric, level=0.9, target="population")
        assert isinstance(found, list), found
        assert isinstance(doors.estimates(metric, by="kind"), list)
    doors.estimates(means[0], interval="anytime", planned=300)
    doors.estimates(means[0], group="kind", target="population")
    doors.estimates(means[0], group="kind")
    doors.estimates(means[0], by="nothing")
    scores = ("f1_macro", "f1_per_class", "precision_macro", "recall_macro", "balanced_accuracy", "matthews_corrcoef", "f1_micro")
    for metric in scores if choice.task == "classes" else ("rmse", "r2", "neg_root_mean_squared_error"):
        found = doors.estimates(metric)
        assert isinstance(found, list), found
        doors.estimates(metric, by="kind")
        assert isinstance(doors.estimates(metric, interval="guaranteed"), str) or metric == "f1_micro"
    if choice.task == "classes":
        for metric in ("f1", "roc_auc", "precision", "recall"):
            assert isinstance(doors.estimates(metric, positive="bee"), list)
            assert isinstance(doors.estimates(metric), str)
        tables = [e.calibration() for e in doors.all()]
        assert all(one == tables[0] for one in tables)
        table = place.answer(program, "estimate", "program.labelwise", "--loss", "calibration", "--json")
        assert table["squared_error"] == tables[0].squared_error
        assert [row["gap"] for row in table["bins"]] == [one.gap for one in tables[0].bins]
    else:
        # Before a refit any quantile can be measured; one that was not named is refused after it, everywhere.
        assert isinstance(doors.estimates("pinball-0.9"), list)
    doors.estimates("squared_error" if choice.task == "classes" else "log_loss")
    for threshold in (0.01, 0.5, 100.0):
        checks = [e.check(means[0], below=threshold) for e in doors.all()]
        assert all(one == checks[0] for one in checks)
        code, out, _ = place.run(program, "check", "program.labelwise", "--loss", means[0], "--below", str(threshold), "--json")
        found = json.loads(out)
        assert found["verdict"] == checks[0].verdict and code == {"met": 0, "not met": 1, "undecided": 3}[found["verdict"]]
        assert (found["low"], found["high"]) == (checks[0].low, checks[0].high)
    plans = [e.plan(means[0], half_width=0.05, bar=0.9) for e in doors.all()]
    assert all(one == plans[0] for one in plans)
    found = place.answer(program, "plan", "program.labelwise", "--loss", means[0], "--half-width", "0.05", "--bar", "0.9", "--json")
    assert found["expected"] == plans[0].expected and found["rests_on"] == plans[0].rests_on
    assert found["half_width"]["needed"]["expected"] == plans[0].half_width.labels.expected


def refreshed_at(e: Any) -> list[int]:
    """The places of the first draws of each refresh."""
    refreshes = e.draws()["refresh"]
    return [place for place in range(1, len(refreshes)) if refreshes[place] != refreshes[place - 1]]


def test_row_1_refits_come_at_25_and_50_labels(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    doors = Doors(place, learner("classes", "logistic"), program)
    # One at a time, so that every number of labels could be the one at which a refit is due.
    for _ in range(55):
        doors.tell(doors.ask(1))
    doors.same_draws()
    for e in doors.all():
        assert refreshed_at(e) == [25, 50]


def test_row_2_a_failing_refit_falls_back_and_says_so(tmp_path, program) -> None:
    # Squares of such features are infinite, so linear regression overflows.
    place = world(tmp_path, "values", scale=1e200)
    doors = Doors(place, learner("values", "linear"), program)
    doors.spend((25, 10, 15, 10))
    doors.same_draws()
    status = place.answer(program, "status", "program.labelwise", "--json")
    assert "linear regression overflowed" in status["fell_back"]
    for e in doors.all():
        assert e.fell_back == status["fell_back"]
        assert refreshed_at(e) == [25, 50]
    doors.estimates()


def test_row_3_the_positive_class_is_the_one_named_yes(tmp_path, program) -> None:
    place = world(tmp_path, "classes", np.array(["yes", "no"]))
    doors = Doors(place, Choice("f1", "classes", ("--loss", "f1"), {"loss": "f1"}), program)
    doors.spend((40, 40))
    doors.same_draws()
    for metric in ("f1", "precision", "recall", "roc_auc"):
        found = doors.estimates(metric)
        assert found[0][1] == "yes", found
    labels = doors.memory.draws()["label"]
    predicted = place.predictions["probabilities"][doors.memory.draws()["item"]].argmax(axis=1)
    assert {"yes", "no"} == set(labels) and set(predicted) == {0, 1}


def test_row_4_another_loss_keeps_its_control_after_a_refresh(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    flags, options = ("--acquisition", "uniform"), {"acquisition": "uniform"}
    forest = learner("classes", "forest")
    choice = Choice("forest", "classes", (*forest.flags, *flags), {**forest.options, **options}, features=True)
    doors = Doors(place, choice, program)
    doors.spend((25, 25, 60))
    assert refreshed_at(doors.memory) == [25, 50]
    # Uniform draws are the same whatever they are made for, and so must the estimates be.
    for metric in ("brier", "accuracy"):
        own = lw.Evaluation(place.folder / "pool.csv", columns={"features": "x_*"}, seed=7, loss=metric, **choice.options)
        for count in (25, 25, 60):
            items = own.ask(count)
            own.tell(items, place.labels[items])
        for estimator in ("regression", "controlled"):
            doors.estimates(metric, estimator=estimator)
            expected = own.estimate(estimator=estimator)
            assert doors.memory.estimate(metric, estimator=estimator).value == pytest.approx(expected.value, rel=1e-9)
        assert isinstance(doors.estimates(metric, interval="guaranteed"), list)


def test_row_5_intervals_are_called_the_same(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    doors = Doors(place, CHOICES[0], program)
    doors.spend((60,))
    words = {
        ("log_loss", "ordinary"): "ordinary, on the log scale", ("log_loss", "anytime"): "anytime",
        ("accuracy", "guaranteed"): "guaranteed", ("f1_macro", "ordinary"): "ordinary, on the logit scale",
        ("matthews_corrcoef", "ordinary"): "ordinary, on Fisher's scale",
    }  # fmt: skip
    for (metric, interval), said in words.items():
        found = doors.estimates(metric, interval=interval)
        assert [row[6] for row in found] == [said]


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
    doors = Doors(place, CHOICES[0], program)
    taught = lw.Evaluation(**options, surrogate=Told(), features=features)
    items = doors.ask(25)
    # Until there are labels to learn from, the model is its own surrogate, as for every learner.
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


def numbers(found: Any) -> list[float]:
    """Every number of a JSON document."""
    if isinstance(found, dict):
        return [number for value in found.values() for number in numbers(value)]
    if isinstance(found, list):
        return [number for value in found for number in numbers(value)]
    return [found] if isinstance(found, float) else []


def test_comparisons_on_disk_and_in_memory(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    code, _, said = place.run(program, "compare", "pool.csv", "other.csv", "--loss", "accuracy", "--seed", "3", "--out", "ab.labelwise")
    assert code == 0, said
    names = [rival for rival in lw.open(tmp_path / "ab.labelwise").models]
    files = dict(zip(names, (tmp_path / "pool.csv", tmp_path / "other.csv"), strict=True))
    arrays = dict(zip(names, (place.predictions["probabilities"], place.other), strict=True))
    on_disk = lw.compare(files, loss="accuracy", seed=3, path=tmp_path / "file.labelwise")
    in_memory = lw.compare(files, loss="accuracy", seed=3)
    of_arrays = lw.compare(arrays, loss="accuracy", seed=3)
    by_program = lw.open(tmp_path / "ab.labelwise")
    items = in_memory.ask(60)
    assert of_arrays.ask(60).tolist() == items.tolist()
    ids, labels = [f"item-{item}" for item in items], place.labels[items]
    of_arrays.tell(items, [CLASSES.tolist().index(label) for label in labels])
    in_memory.tell(items, labels)
    for e in (on_disk, by_program):
        assert [one.id for one in e.ask(60)] == ids
        e.tell(ids, labels)
    everyone = (by_program, on_disk, in_memory, of_arrays, pickle.loads(pickle.dumps(in_memory)))
    for how in ({}, {"baseline": names[1]}, {"interval": "guaranteed"}, {"interval": "anytime", "planned": 40}, {"target": "population"}):
        said = [e.differences(**how) for e in everyone]
        assert all(one == said[0] for one in said), how
    assert len({e.ties for e in everyone}) == 1
    found = place.answer(program, "compare", "ab.labelwise", "--json", "--interval", "anytime")
    anytime = in_memory.differences(interval="anytime")[0].estimate
    assert {repr(abs(anytime.low)), repr(abs(anytime.high))} <= {repr(abs(number)) for number in numbers(found)}
    found = place.answer(program, "compare", "ab.labelwise", "--json")
    text = json.dumps(found)
    assert repr(by_program.differences()[0].estimate.value) in text or repr(-by_program.differences()[0].estimate.value) in text
    with pytest.raises(ValueError):
        in_memory.estimate()


def test_another_model_on_the_labels_of_one(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    doors = Doors(place, learner("classes", "forest"), program)
    doors.spend((25, 25))
    found = [e.compare_with(other) for e in doors.all() for other in (place.other, tmp_path / "other.csv")]
    assert all(one == found[0] for one in found)
    said = place.answer(program, "compare", "program.labelwise", "other.csv", "--json")
    assert said["difference"] == found[0].difference.estimate.value
    assert (said["low"], said["high"]) == (found[0].difference.estimate.low, found[0].difference.estimate.high)
    assert said["models"][1]["estimate"] == found[0].other.value and said["models"][1]["cost"] == found[0].other_cost
    by_brier = [e.compare_with(place.other, "brier") for e in doors.all()]
    assert all(one == by_brier[0] for one in by_brier) and not math.isclose(by_brier[0].own.value, found[0].own.value)


def test_reports_are_the_same_page(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    doors = Doors(place, CHOICES[0], program)
    doors.spend((40,))
    code, _, said = place.run(program, "report", "program.labelwise", "--out", "program.html", "--title", "The same")
    assert code == 0, said
    by_program = (tmp_path / "program.html").read_text()
    by_file = doors.file.report(tmp_path / "file.html", title="The same").read_text()
    by_memory = doors.memory.report(tmp_path / "memory.html", title="The same").read_text()
    charts = [page[page.index("How the estimate settled") : page.index("</svg>")] for page in (by_program, by_file, by_memory)]
    assert charts[0] == charts[1] == charts[2]
    assert doors.file.report() == doors.memory.report() == doors.by_program.report()
