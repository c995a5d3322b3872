"""The tools where people already label, from Python: a real Label Studio server, and files."""

import json
import sys
import warnings
from pathlib import Path

import pytest

import labelwise as lw

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import label_studio
import loopback
from label_studio import TOKEN, Client


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server for all tests of this module."""
    with label_studio.start(tmp_path_factory.mktemp("studio")) as server:
        yield server


def pets(folder):
    """An evaluation on disk."""
    rows = [f"pet-{i},0.{10 + i},0.{90 - i},it says {i}" for i in range(60)]
    (folder / "pets.csv").write_text("id,prob_cat,prob_dog,text\n" + "\n".join(rows))
    return lw.create(folder / "pets.labelwise", folder / "pets.csv", loss="accuracy", seed=0, who="max")


def answer(server, label="cat"):
    """Answer everything that the server has, and return the number of answers."""
    ada = Client(server.address, f"Token {TOKEN}")
    count = 0
    for project in ada.call("GET", "/api/projects/?page_size=100")["results"]:
        while (task := ada.next_task(project["id"])) is not None:
            ada.annotate(task["id"], label)
            count += 1
    return count


def test_a_round_trip(server, tmp_path):
    e = pets(tmp_path)
    studio = lw.LabelStudio(e, server.address, token=TOKEN, open=6, refill=6, goal=12)
    found = studio.push()
    assert found["schema"] == "labelwise.ls/1"
    assert (found["pushed"]["pushed"], found["labels"]) == (6, 0)
    assert answer(server) == 6
    found = studio.pull()
    assert (found["pulled"]["labelled"], found["labels"]) == (6, 6)
    rounds = []
    for found in studio.watch(every=0.2):
        rounds.append(found["labels"])
        answer(server, "dog")
    assert rounds[-1] == 12 and rounds == sorted(rounds)
    assert e.estimate().labels == 12
    # The program reads the same project from the same file.
    assert lw.open(tmp_path / "pets.labelwise", mode="r").estimate().labels == 12


def test_refusals(server, tmp_path):
    e = pets(tmp_path)
    with pytest.raises(ValueError, match="http"):
        lw.LabelStudio(e, "localhost", token=TOKEN).push()
    with pytest.raises(lw.LabelwiseError, match="no project"):
        lw.LabelStudio(e, server.address, token=TOKEN).pull()
    with pytest.raises(lw.LabelwiseError, match="refuses the token"):
        lw.LabelStudio(e, server.address, token="nobody").push()
    with pytest.raises(ValueError, match="number of a project"):
        lw.LabelStudio(e, server.address, token=TOKEN, project="old").push()
    with pytest.raises(ValueError, match="majority"):
        e.opinion_rule = "loudest"
    closed = f"http://127.0.0.1:{label_studio.free_port()}"
    with pytest.raises(lw.LabelwiseError, match="does not answer"):
        lw.LabelStudio(e, closed, token=TOKEN).push()


def test_watching_outlives_a_busy_server(server, tmp_path):
    e = pets(tmp_path)
    requests = [0]

    def busy(method, path, headers):
        requests[0] += 1
        return (503, b"") if requests[0] == 1 else None

    with loopback.proxy(server.address, before=busy) as between:
        looks = lw.LabelStudio(e, between.address, token=TOKEN, open=3, goal=3).watch(every=0.2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert next(looks)["waiting"] == 3
        assert "status 503" in str(caught[0].message)
        looks.close()


def test_files_go_out_and_come_back(tmp_path):
    e = pets(tmp_path)
    tasks = json.loads(e.hand_out("label-studio", 4))
    assert [task["data"]["lw_draw"] for task in tasks] == [0, 1, 2, 3]
    assert e.hand_out("label-studio") == e.hand_out("label-studio", show=["text"])
    lines = [json.loads(line) for line in e.hand_out("prodigy").splitlines()]
    assert [option["id"] for option in lines[0]["options"]] == ["cat", "dog"]
    given = [line | {"answer": "accept", "accept": ["cat"], "_task_hash": 1, "_annotator_id": "ada"} for line in lines]
    given[3]["accept"] = ["cow"]
    given.append(given[0] | {"accept": ["dog"], "_annotator_id": "ben"})
    export = tmp_path / "export.jsonl"
    export.write_text("".join(json.dumps(row) + "\n" for row in given))
    taken = e.take_over(export)
    assert (taken.tool, taken.labelled, taken.opinions, len(taken.set_aside)) == ("prodigy", 3, 1, 1)
    assert e.opinion_rule == "first"
    e.opinion_rule = "newest"
    assert lw.open(tmp_path / "pets.labelwise").opinion_rule == "newest"
    again = e.take_over(export)
    assert (again.labelled, again.corrected, again.opinions) == (0, 0, 0)
    with pytest.raises(ValueError, match="label-studio, argilla"):
        e.hand_out("excel")
    (tmp_path / "plain.csv").write_text("id,label\npet-1,cat\n")
    with pytest.raises(lw.LabelwiseError, match="not the export of a tool"):
        e.take_over(tmp_path / "plain.csv")
