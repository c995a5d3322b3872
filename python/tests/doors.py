"""The same pool, seed and choices through every door: the program, a file, and the memory of Python."""

from __future__ import annotations

import csv
import json
import subprocess
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import labelwise as lw
import numpy as np

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
    said: dict[str, Any] = field(default_factory=dict)
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
        verdicts = names[other.argmax(axis=1)]
        results = {f"m_{n}": (labels == names[1]).astype(float) * rng.uniform(0.6, 1.0, SIZE) for n in range(2)}
        judged: dict[str, Any] = {"score": p[:, 1], "verdict": verdicts, **results}
    else:
        mean, variance = features[:, 0] / scale, rng.uniform(0.1, 0.5, SIZE)
        labels = mean + 0.3 * features[:, 1] / scale + rng.normal(size=SIZE) * np.sqrt(variance)
        other = np.column_stack([mean + 0.1, 2 * variance])
        predictions = {"mean": mean, "variance": variance}
        said = {"mean": mean.tolist(), "variance": variance.tolist()}
        others = {"mean": other[:, 0].tolist(), "variance": other[:, 1].tolist()}
        columns, flags = {"mean": "mean", "variance": "variance"}, ["--mean", "mean", "--variance", "variance"]
        judged = {}
    write(folder / "pool.csv", {**shared, **said, **inputs, "kind": kinds, **{name: column.tolist() for name, column in judged.items()}})
    write(folder / "other.csv", {**shared, **others})
    write(folder / "held.csv", {**{name: column[:60] for name, column in said.items()}, "label": labels[:60].tolist()})
    train = features[:40].copy(), labels[:40].copy()
    write(folder / "train.csv", {**{name: column[:40] for name, column in inputs.items()}, "label": labels[:40].tolist()})
    return World(folder, task, labels, predictions, other, features, train, kinds, judged, columns, flags)


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
    calibrated: bool = False
    judged: tuple[str, ...] = ()
    """What stands in the place of predictions: `judge` and `history`."""

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
    Choice("calibrated", "classes", ("--calibration", "held.csv"), {}, calibrated=True),
    Choice("root-mean-square", "classes", ("--recipe", "root-mean-square"), {"recipe": "root_mean_square"}),
    Choice("paper-recipe", "classes", ("--recipe", "paper"), {"recipe": "paper"}),
    Choice("as-given", "classes", ("--belief", "as-given", "--loss", "brier"), {"belief": "as_given", "loss": "brier"}),
    Choice("refreshed", "classes", ("--refresh", "15,40", "--loss", "accuracy"), {"refresh": [15, 40], "loss": "accuracy"}),
    Choice("cap", "classes", ("--cap", "0.01", "--loss", "log_loss"), {"cap": 0.01, "loss": "log_loss"}),
    Choice("judge", "classes", ("--judge", "score", "--loss", "rate", "--positive", "bee"), {"loss": "rate", "positive": "bee"}, judged=("judge=score",)),
    Choice("verdicts", "classes", ("--judge", "verdict", "--loss", "value", "--worth", "ant=0,bee=0.5,cow=1"),
           {"loss": "value", "worth": {"ant": 0, "bee": 0.5, "cow": 1}}, judged=("judge=verdict",)),
    Choice("history", "classes", ("--history", "m_*", "--loss", "rate", "--positive", "bee"), {"loss": "rate", "positive": "bee"},
           judged=("history=m_*",)),
    Choice("judge-and-history", "classes", ("--judge", "score", "--history", "m_*", "--loss", "rate", "--positive", "bee"),
           {"loss": "rate", "positive": "bee"}, judged=("judge=score", "history=m_*")),
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
        judged = dict(one.split("=") for one in choice.judged)
        columns = {**place.columns, **({"features": "x_*"} if choice.features else {}), **judged}
        pool = {**choice.options, "columns": columns, "seed": seed}
        arrays: dict[str, Any] = {**choice.options, **place.predictions, "seed": seed, "ids": [f"item-{n}" for n in range(SIZE)]}  # fmt: skip
        texts = {name: column for name, column in place.said.items() if name == "verdict"}
        arrays["carry"] = {"kind": place.kinds, **texts}
        if judged:
            arrays = {**choice.options, **{name: of(place.said, pattern) for name, pattern in judged.items()}, "seed": seed,
                      "carry": {"kind": place.kinds}, "ids": arrays["ids"]}  # fmt: skip
        if choice.given:
            pool["surrogate"], arrays["surrogate"] = str(place.folder / "other.csv"), place.other
        if choice.ensemble:
            pool["surrogate"] = [place.folder / "other.csv", place.folder / "pool.csv"]
            arrays["surrogate"] = [place.other, place.predictions["probabilities"]]
        if choice.features:
            arrays["features"] = place.features
        if choice.trained:
            pool["train"], arrays["train"] = (place.folder / "train.csv", "label"), place.train
        if choice.calibrated:
            pool["calibration"] = (place.folder / "held.csv", "label")
            arrays["calibration"] = place.predictions["probabilities"][:60], place.labels[:60]
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


def of(columns: dict[str, Any], pattern: str) -> dict[str, Any]:
    """The columns of a pattern."""
    return {name: column for name, column in columns.items() if name == pattern or name.startswith(pattern.rstrip("*")) and "*" in pattern}


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


def refreshed_at(e: Any) -> list[int]:
    """The places of the first draws of each refresh."""
    refreshes = e.draws()["refresh"]
    return [place for place in range(1, len(refreshes)) if refreshes[place] != refreshes[place - 1]]
