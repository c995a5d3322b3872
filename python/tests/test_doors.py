"""Every door leads to the same study: the program, a file and the memory of Python draw the same items and say the same
numbers for the same pool, seed and choices, whatever the surrogate, across refits, failures and replays."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import labelwise as lw
import numpy as np
import pytest
from doors import CHOICES, CLASSES, SIZE, Choice, Doors, World, answered, learner, refreshed_at, world, write


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


ESTIMATORS = ("suited", "centred", "regression", "lure", "controlled", "pure", "iid", "importance_sampling", "hansen_hurwitz")
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
    items = in_memory.ask(40)
    assert of_arrays.ask(40).tolist() == items.tolist()
    ids, labels = [f"item-{item}" for item in items], place.labels[items]
    of_arrays.tell(items, [CLASSES.tolist().index(label) for label in labels])
    in_memory.tell(items, labels)
    for e in (on_disk, by_program):
        assert [one.id for one in e.ask(40)] == ids
        e.tell(ids, labels)
    everyone = (by_program, on_disk, in_memory, of_arrays, pickle.loads(pickle.dumps(in_memory)))
    for how in ({}, {"baseline": names[1]}, {"interval": "guaranteed"}, {"interval": "anytime", "planned": 40}, {"target": "population"}, {"estimator": "lure"}):
        said = [e.differences(**how) for e in everyone]
        assert all(one == said[0] for one in said), how
    assert len({e.ties for e in everyone}) == 1
    found = place.answer(program, "compare", "ab.labelwise", "--json", "--interval", "anytime")
    anytime = in_memory.differences(interval="anytime")[0].estimate
    assert {repr(abs(anytime.low)), repr(abs(anytime.high))} <= {repr(abs(number)) for number in numbers(found)}
    found = place.answer(program, "compare", "ab.labelwise", "--json")
    text = json.dumps(found)
    assert repr(by_program.differences()[0].estimate.value) in text or repr(-by_program.differences()[0].estimate.value) in text
    lure = in_memory.differences(estimator="lure")[0].estimate.value
    assert lure != in_memory.differences()[0].estimate.value
    found = place.answer(program, "compare", "ab.labelwise", "--json", "--estimator", "lure")
    assert repr(abs(lure)) in {repr(abs(number)) for number in numbers(found)}
    with pytest.raises(ValueError):
        in_memory.estimate()


def test_two_systems_with_a_label_for_each_answer(tmp_path, program) -> None:
    rng = np.random.default_rng(4)
    names = ["v3", "v4"]
    good = {name: rng.random(SIZE) < rate for name, rate in zip(names, (0.45, 0.7), strict=True)}
    scores = {name: np.clip(0.5 * good[name] + 0.5 * rng.random(SIZE), 0, 1) for name in names}
    ids, texts = [f"item-{n}" for n in range(SIZE)], {name: [f"{name} of {n}" for n in range(SIZE)] for name in names}
    prompts = [f"prompt {n}" for n in range(SIZE)]
    for name in names:
        write(tmp_path / f"{name}.csv", {"id": ids, "judge_score": scores[name].tolist(), "prompt": prompts, "answer": texts[name]})
    place = World(tmp_path, "classes", np.zeros(0), {}, None, np.zeros(0), (np.zeros(0), np.zeros(0)), [])
    flags = ("--judge", "judge_score", "--loss", "rate", "--positive", "pass", "--seed", "3")
    code, _, said = place.run(program, "compare", "v3.csv", "v4.csv", *flags, "--out", "v34.labelwise")
    assert code == 0, said
    options = {"loss": "rate", "positive": "pass", "seed": 3}
    files = [tmp_path / f"{name}.csv" for name in names]
    by_program = lw.open(tmp_path / "v34.labelwise")
    on_disk = lw.compare(*files, columns={"judge": "judge_score"}, path=tmp_path / "file.labelwise", **options)
    in_memory = lw.compare(*files, columns={"judge": "judge_score"}, **options)
    carry = {name: {"prompt": prompts, "answer": texts[name]} for name in names}
    of_arrays = lw.compare(judge=scores, ids=ids, carry=carry, **options)
    doors = (by_program, on_disk, in_memory, of_arrays)
    assert all(e.models == names for e in doors)
    for count in (30, 50):
        items = in_memory.ask(count).tolist()
        assert of_arrays.ask(count).tolist() == items
        asked = [e.ask(count) for e in (by_program, on_disk)]
        assert [[one.item for one in of] for of in asked] == [items, items]
        shown = [[one.carried for one in e.waiting()] for e in doors]
        assert all(of == shown[0] for of in shown) and {"prompt", "first answer", "second answer"} == set(shown[0][0])
        labels = [{name: "pass" if good[name][item] else "fail" for name in names} for item in items]
        # People say it in the order in which answers are shown, which does not tell the systems.
        said = ["|".join(labels[n][texts_of[key].split()[0]] for key in ("first answer", "second answer")) for n, texts_of in enumerate(shown[0])]
        in_memory.tell(items, labels)
        of_arrays.tell(items, said)
        by_program.tell([ids[item] for item in items], said)
        on_disk.tell([ids[item] for item in items], labels)
    everyone = (*doors, pickle.loads(pickle.dumps(of_arrays)))
    for how in ({}, {"interval": "anytime"}, {"target": "population"}, {"level": 0.8}, {"interval": "anytime", "planned": 80}):
        found = [e.differences(**how) for e in everyone]
        assert all(one == found[0] for one in found), how
        assert [(one.model, one.against) for one in found[0]] == [("v4", "v3")]
    rates = [e.rates() for e in everyone]
    assert all(one == rates[0] for one in rates)
    found = place.answer(program, "compare", "v34.labelwise", "--json")
    difference = in_memory.differences()[0]
    assert (found["difference"], found["low"], found["high"]) == (difference.estimate.value, difference.estimate.low, difference.estimate.high)
    assert found["p_value"] == difference.p_value and (found["better"] is not None) == difference.decided
    assert [[rate[name] for name in ("system", "estimate", "low", "high")] for rate in found["rates"]] == [
        [rate.system, rate.value, rate.low, rate.high] for rate in rates[0]
    ]
    found = place.answer(program, "compare", "v34.labelwise", "--json", "--interval", "anytime")
    anytime = in_memory.differences(interval="anytime")[0].estimate
    assert (found["low"], found["high"]) == (anytime.low, anytime.high)
    with pytest.raises(ValueError, match="the first of two systems is the baseline: v3"):
        in_memory.differences(baseline="v4")


def test_the_next_batch_begins_with_the_labels_of_the_last(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    judge = next(choice for choice in CHOICES if choice.name == "judge")
    doors = Doors(place, judge, program)
    doors.spend((40, 30))
    rng = np.random.default_rng(8)
    scores, kinds = rng.random(90), [f"kind {n % 2}" for n in range(90)]
    ids = [f"next-{n}" for n in range(90)]
    write(tmp_path / "next.csv", {"id": ids, "score": scores.tolist(), "kind": kinds})
    said = place.answer(program, "apply", "program.labelwise", "next.csv", "--out", "next.labelwise", "--json")
    for e in doors.all():
        for batch in (tmp_path / "next.csv", {"score": scores}):
            found = e.apply(batch)
            assert vars(found.by_verdicts) == said["by_verdicts"]
            assert found.by_error_rates is None and found.without_error_rates == said["without_error_rates"]
    nexts = [lw.open(tmp_path / "next.labelwise")]
    nexts += [e.next_batch(tmp_path / "next.csv", path=tmp_path / f"next-{n}.labelwise") for n, e in enumerate(doors.all())]
    nexts += [e.next_batch({"score": scores}, ids=ids, carry={"kind": kinds}) for e in doors.all()]
    nexts.append(lw.Evaluation(judge={"score": scores}, ids=ids, carry={"kind": kinds}, prior=doors.memory, seed=7))
    nexts.append(pickle.loads(pickle.dumps(nexts[-1])))
    for count in (20, 30):
        rows = [[one.item for one in asked] if isinstance(asked := e.ask(count), list) else asked.tolist() for e in nexts]
        assert all(of == rows[0] for of in rows)
        labels = np.where(rng.random(count) < scores[rows[0]], "bee", "ant")
        for e in nexts:
            e.tell([ids[item] for item in rows[0]], labels)
    found = [answered(e) for e in nexts]
    assert all(one == found[0] for one in found)
    # Without the labels of the last batch, other items would have been asked.
    alone = lw.Evaluation(judge={"score": scores}, ids=ids, loss="rate", positive="bee", seed=7)
    assert alone.ask(20).tolist() != nexts[-2].draws()["item"][:20].tolist()
    with pytest.raises(ValueError, match="loss is that of the evaluation in prior"):
        lw.Evaluation(judge={"score": scores}, prior=doors.memory, loss="rate")
    with pytest.raises(ValueError, match="other judges"):
        doors.memory.next_batch({"another": scores})


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
    by_lure = [e.compare_with(place.other, estimator="lure") for e in doors.all()]
    assert all(one == by_lure[0] for one in by_lure) and by_lure[0].own.value == doors.memory.estimate(estimator="lure").value
    said = place.answer(program, "compare", "program.labelwise", "other.csv", "--json", "--estimator", "lure")
    assert said["difference"] == by_lure[0].difference.estimate.value
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


def test_what_people_said_survives_a_pickle() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(200)
    labels = np.where(rng.random(200) < scores, "pass", "fail")
    e = lw.Evaluation(judge={"judge": scores}, loss="rate", positive="pass", seed=2, who="ada")
    items = e.ask(40)
    e.tell(items, labels[items], note="first", key="morning")
    e.who = "ben"
    # Second opinions widen the interval, and every third one differs.
    e.tell(items[:30], np.where(np.arange(30) % 3 == 0, "fail", labels[items[:30]]))
    again = pickle.loads(pickle.dumps(e))
    assert again.who == "ben" and again.history() == e.history()
    assert {row["who"] for row in again.history()} == {"ada"}
    assert answered(again) == answered(e) and again.settings["labels"] == 40
    alone = lw.Evaluation(judge={"judge": scores}, loss="rate", positive="pass", seed=2)
    alone.tell(alone.ask(40), labels[items])
    assert answered(alone) != answered(e)
    # A repeated request has the first answer, and another one with its key is refused.
    again.who = "ada"
    again.tell(items, labels[items], note="first", key="morning")
    with pytest.raises((ValueError, lw.LabelwiseError)):
        again.tell(items[:1], labels[items[:1]], key="morning")
    assert again.ask(10).tolist() == e.ask(10).tolist()


def test_a_proposal_made_ahead_survives_a_pickle(tmp_path, program) -> None:
    place = world(tmp_path, "classes")
    doors = Doors(place, CHOICES[0], program)
    items = doors.ask(12)
    doors.tell(items[:10])
    assert place.run(program, "refresh", "program.labelwise")[0] == 0
    for e in (doors.file, doors.memory, doors.arrays):
        assert e.refresh() and not e.refresh()
    # Without the refresh, the next draws would be by 12 labels.
    doors.tell(items[10:])
    doors.tell(doors.ask(8))
    doors.same_draws()
    doors.estimates()
    again = pickle.loads(pickle.dumps(doors.memory))
    assert answered(again) == answered(doors.memory) and again.ask(5).tolist() == doors.ask(5)


def test_logs_are_read_alike(tmp_path, program) -> None:
    rows = [
        {"doc_id": n, "doc": {"q": f"q{n}"}, "target": n % 2, "resps": [[["-1.0", "False"]], [["-0.5", "False"]]],
         "filtered_resps": [[-0.5 - 0.01 * n * by, "False"], [-1.0, "False"]], "filter": name, "acc": 1.0}
        for n in range(40) for by, name in ((1, "none"), (-1, "flipped"))
    ]  # fmt: skip
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    place = World(tmp_path, "classes", np.zeros(0), {}, None, np.zeros(0), (np.zeros(0), np.zeros(0)), [])
    for name in ("none", "flipped"):
        found = place.answer(program, "new", "samples.jsonl", "--filter", name, "--out", f"{name}.labelwise", "--seed", "1", "--json")
        assert found["pool_size"] == 40
        one = lw.Evaluation(tmp_path / "samples.jsonl", columns={"filter": name, "single": True}, seed=1)
        items = lw.open(tmp_path / f"{name}.labelwise").ask(10)
        assert one.ask(10).tolist() == [asked.item for asked in items]
    with pytest.raises(lw.LabelwiseError, match="choose one of the filters"):
        lw.Evaluation(tmp_path / "samples.jsonl", seed=1)
    said = place.answer(program, "doctor", "samples.jsonl", "--filter", "none", "--json")
    found = lw.doctor(tmp_path / "samples.jsonl", filter="none")
    assert [found[name] for name in ("format", "rows", "notes", "columns")] == [said[name] for name in ("format", "rows", "notes", "columns")]
