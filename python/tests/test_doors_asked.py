"""Groups of samples, a next batch, labels of the labelling page, and two models by metrics that are not averages: the same
through the program, a file and the memory of Python. `crates/labelwise-cli/tests/evaluations/doors_asked.rs` has the same
through Rust and the program."""

from __future__ import annotations

import csv
import json
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import labelwise as lw
import numpy as np
import pytest
from doors import CHOICES, SIZE, Doors, World, answered, shown, world, write
from person import Person

JUDGED = ("--judge", "score", "--loss", "rate", "--positive", "pass")


def verdicts(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of a judge, and what the answers are."""
    scores = rng.random(size).round(3)
    return scores, np.where(rng.random(size) < 0.2 + 0.6 * scores, "pass", "fail")


def behind(folder: Path, source: str, of_file: dict[str, Any], arrays: dict[str, Any]) -> list[Any]:
    """The same evaluation behind every door; the program has made its own."""
    return [
        lw.open(folder / "program.labelwise"),
        lw.create(folder / "file.labelwise", folder / source, **of_file),
        lw.Evaluation(folder / source, **of_file),
        lw.Evaluation(**arrays),
    ]


def test_groups_of_samples(tmp_path: Path, program: str) -> None:
    scores, labels = verdicts(np.random.default_rng(8), SIZE)
    group = [f"prompt {n * 7 % 60}" for n in range(SIZE)]
    write(tmp_path / "samples.csv", {"id": [f"item-{n}" for n in range(SIZE)], "score": scores.tolist(), "prompt": group})
    place = World(tmp_path, "classes", labels, {}, None, np.zeros(0), (np.zeros(0), np.zeros(0)), [])
    code, _, said = place.run(
        program, "new", "samples.csv", "--judge", "score", "--group", "prompt", "--loss", "pass@2,pass^4", "--positive", "pass",
        "--seed", "7", "--out", "program.labelwise",
    )  # fmt: skip
    assert code == 0, said
    options: dict[str, Any] = {"loss": ["pass@2", "pass^4"], "positive": "pass", "seed": 7}
    of_file = {**options, "columns": {"judge": "score"}, "group": "prompt"}
    everyone = behind(tmp_path, "samples.csv", of_file, {**options, "judge": {"score": scores}, "group": group})
    # Groups are counted in the order in which they first appear.
    names = list(dict.fromkeys(group))
    members = {name: [n for n in range(SIZE) if group[n] == name] for name in names}
    for count in (10, 15, 5):
        code, out, said = place.run(program, "ask", "program.labelwise", "-n", str(count), "--format", "csv")
        assert code == 0, said
        asked = [row["id"] for row in csv.DictReader(StringIO(out))]
        assert [one.id for one in everyone[1].ask(count)] == asked
        items = everyone[2].ask(count)
        assert everyone[3].ask(count).tolist() == items.tolist() and [names[item] for item in items] == asked
        # A count of positive samples, or the class of each.
        each = [[str(labels[n]) for n in members[name]] for name in asked]
        said_of = ["|".join(one) if place % 3 == 0 else str(one.count("pass")) for place, one in enumerate(each)]
        with (tmp_path / "labels.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["id", "label"], *zip(asked, said_of, strict=True)])
        code, _, said = place.run(program, "tell", "program.labelwise", "labels.csv")
        assert code == 0, said
        everyone[1].tell(asked, said_of)
        for e in everyone[2:]:
            e.tell(items, said_of)
    draws = [e.draws() for e in everyone]
    for other in draws[1:]:
        assert np.array_equal(other["item"], draws[0]["item"]) and np.array_equal(other["q"], draws[0]["q"])
    found = [answered(e) for e in everyone]
    assert all(one == found[0] for one in found) and [row[0] for row in found[0]] == ["pass@2", "pass^4"]
    assert [shown(row) for row in place.answer(program, "estimate", "program.labelwise", "--json")] == found[0]


def test_a_next_batch(tmp_path: Path, program: str) -> None:
    rng = np.random.default_rng(9)
    (scores, labels), (later, _) = verdicts(rng, SIZE), verdicts(rng, 150)
    ids = [f"item-{n}" for n in range(SIZE)]
    write(tmp_path / "batch.csv", {"id": ids, "score": scores.tolist()})
    write(tmp_path / "next.csv", {"id": [f"later-{n}" for n in range(150)], "score": (0.8 * later).tolist()})
    place = World(tmp_path, "classes", labels, {}, None, np.zeros(0), (np.zeros(0), np.zeros(0)), [])
    code, _, said = place.run(program, "new", "batch.csv", *JUDGED, "--seed", "7", "--out", "program.labelwise")
    assert code == 0, said
    options: dict[str, Any] = {"loss": "rate", "positive": "pass", "seed": 7}
    of_file: dict[str, Any] = {**options, "columns": {"judge": "score"}}
    everyone = behind(tmp_path, "batch.csv", of_file, {**options, "judge": {"score": scores}, "ids": ids})
    asked = [one.id for one in everyone[0].ask(80)]
    for e in everyone[1:]:
        items = e.ask(80)
        assert [one if isinstance(one, int | np.integer) else one.item for one in items] == [int(name[5:]) for name in asked]
    for e in everyone:
        e.tell(asked, [labels[int(name[5:])] for name in asked])
    for level in (0.95, 0.8):
        found = [e.apply({"score": 0.8 * later}, level=level) for e in everyone]
        assert all(one == found[0] for one in found) and found[0].items == 150 and found[0].labels == 80
        said = place.answer(program, "apply", "program.labelwise", "next.csv", "--level", str(level), "--json")
        for name, rate in (("by_error_rates", found[0].by_error_rates), ("by_verdicts", found[0].by_verdicts)):
            assert rate is not None and said[name] == {"value": rate.value, "low": rate.low, "high": rate.high}
        assert tuple(said["judged"]) == found[0].judged and said["unseen"] == found[0].unseen


def told(address: str, labels: np.ndarray) -> list[str]:
    """Labels items as a person with the page does, until it gives nothing; returns them in order."""
    ada, items = Person(address), []
    while True:
        answer = ada.send("GET", "/api/next?count=1")
        if not answer["items"]:
            assert answer["none"] == "goal"
            return items
        item = answer["items"][0]["item"]
        items.append(item)
        saved = ada.send("POST", "/api/labels", {"item": item, "label": str(labels[int(item[5:])]), "key": item})
        assert saved["given"]["label"] == str(labels[int(item[5:])])


def test_labels_told_through_the_page(tmp_path: Path, program: str) -> None:
    place = world(tmp_path, "classes")
    # The page draws ahead: recalibrated beliefs would know as many labels as have come by then.
    choice = next(choice for choice in CHOICES if choice.name == "as-given")
    doors = Doors(place, choice, program)
    command = [program, "label", "program.labelwise", "--no-browser", "--port", "0", "--who", "ada", "--goal", "30", "--json"]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        said = ""
        while not said.endswith("}\n"):
            line = server.stdout.readline()
            assert line, said
            said += line
        items = told(json.loads(said)["address"], place.labels)
    finally:
        server.terminate()
        server.communicate()
    assert len(items) == 30
    for e in (doors.file, doors.memory, doors.arrays):
        with e.label(who="ada", browser=False, wait=False, port=0, goal=30) as page:
            assert told(page.address, place.labels) == items
    doors.same_draws()
    found = doors.estimates()
    # Told by hand in the same portions, they are the same numbers.
    by_hand = lw.Evaluation(tmp_path / "pool.csv", seed=7, **choice.options)
    for start in range(0, 30, 5):
        portion = [int(name[5:]) for name in items[start : start + 5]]
        assert by_hand.ask(5).tolist() == portion
        by_hand.tell(portion, place.labels[portion])
    assert answered(by_hand) == found
    assert {row["who"] for row in doors.memory.history()} == {"ada"}
    doors.tell(doors.ask(10))
    doors.estimates()


@pytest.mark.parametrize("labels", [90, SIZE])
def test_two_models_by_metrics_that_are_not_averages(tmp_path: Path, program: str, labels: int) -> None:
    place = world(tmp_path, "classes")
    doors = Doors(place, next(choice for choice in CHOICES if choice.name == "f1"), program)
    doors.spend((40, labels - 40))
    asked = [("f1_macro", None), ("balanced_accuracy", None), ("matthews_corrcoef", None)]
    asked += [(metric, "bee") for metric in ("f1", "precision", "recall", "roc_auc")]
    for metric, positive in asked:
        for how in ({}, {"level": 0.8}, {"target": "population"}):
            found = [e.compare_with(other, metric, positive=positive, **how) for e in doors.all() for other in (place.other, tmp_path / "other.csv")]
            assert all(one == found[0] for one in found), (metric, how)
            flags = [part for name, value in how.items() for part in (f"--{name}", str(value))]
            flags += ["--positive", positive] if positive else []
            said = place.answer(program, "compare", "program.labelwise", "other.csv", "--json", "--loss", metric, *flags)
            own, other, difference = found[0].own, found[0].other, found[0].difference
            for one, model in zip((own, other), said["models"], strict=True):
                assert (model["estimate"], model["low"], model["high"]) == (one.value, one.low, one.high), metric
            of = difference.estimate
            assert (said["difference"], said["low"], said["high"], said["p_value"]) == (of.value, of.low, of.high, difference.p_value)
            # The model that labels were asked for has the estimate that it has by itself.
            alone = doors.memory.estimate(metric, positive=positive, **how)
            assert (own.value, own.low, own.high) == (alone.value, alone.low, alone.high), (metric, how)
            assert of.value == pytest.approx(own.value - other.value, abs=1e-12)
            if labels == SIZE and how.get("target") != "population":
                assert of.low == of.value == of.high
