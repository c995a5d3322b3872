"""Make exports of labelling tools, by the tools' own libraries.

The program writes what a tool imports (`labelwise ask --format`); the tool's
library reads it, people answer, and the library writes the export. The tests of
`labelwise-connect` read these files. Prodigy cannot be installed from PyPI: its
file has the shape that its documentation gives.

The libraries are in scripts/export-fixtures-requirements.txt; doccano needs older
ones, so it has a script of its own, make_doccano_fixture.py.

Usage: LABELWISE_PROGRAM=PROGRAM python scripts/make_export_fixtures.py
"""

import datetime
import json
import os
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "crates" / "labelwise-connect" / "tests" / "fixtures"

ITEMS = [f"pet-{number}" for number in range(6)]
ADA = "2b0a3a6e-95a3-4b1c-b4f8-6b7c3d0d3a11"
BEN = "3c1b4b7f-a6b4-4c2d-85a9-7c8d4e1e4b22"

# What tests put in the place of the key of their evaluation.
KEY = "EVALUATION"

NOON = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.timezone.utc)


def handed_out(tool):
    """Return what the program writes for a tool, of all items of a small pool, and the key of the evaluation."""
    program = os.environ["LABELWISE_PROGRAM"]
    with tempfile.TemporaryDirectory() as folder:
        rows = "".join(f"{item},0.5,0.3,0.2,{item} purrs\n" for item in ITEMS)
        (Path(folder) / "pool.csv").write_text("id,prob_cat,prob_dog,prob_owl,text\n" + rows)
        run = {"cwd": folder, "check": True, "capture_output": True, "text": True}
        subprocess.run([program, "new", "pool.csv", "--out", "e.labelwise", "--loss", "accuracy"], **run)
        asked = subprocess.run([program, "ask", "e.labelwise", "-n", "6", "--format", tool], **run).stdout
    rows = json.loads(asked) if asked.startswith("[") else [json.loads(line) for line in asked.splitlines()]
    rows.sort(key=lambda row: json.dumps(row))
    return rows


def write(name, text, rows):
    """Write a fixture, with a word in the place of the key."""
    keys = {row.get("metadata", row).get("lw_evaluation") for row in rows} - {None}
    for key in keys:
        text = text.replace(key, KEY)
    (FOLDER / name).write_text(text)


def argilla():
    """Records with responses that are submitted, discarded and drafts, flat and whole."""
    import argilla as rg
    from argilla.records._io import GenericIO

    rows = handed_out("argilla")
    records = {row["id"]: rg.Record.from_dict(row) for row in rows}
    given = [
        ("pet-0", ADA, "cat", "submitted"),
        ("pet-1", ADA, "dog", "submitted"),
        ("pet-1", BEN, "owl", "submitted"),
        ("pet-2", ADA, "cat", "discarded"),
        ("pet-3", BEN, "cat", "draft"),
        ("pet-4", BEN, "cow", "submitted"),
    ]
    for item, user, value, status in given:
        records[item].responses.add(rg.Response("label", value, user_id=user, status=status))
    ordered = [records[item] for item in ITEMS]
    write("argilla-flat.json", json.dumps(GenericIO.to_list(ordered, flatten=True), indent=1, default=str), rows)
    write("argilla-whole.json", json.dumps(GenericIO.to_list(ordered), indent=1, default=str), rows)


def langfuse():
    """Scores of people and of a program, in the third version of the interface and in the second."""
    from langfuse.api.commons.types.score import Score_Categorical
    from langfuse.api.scores.types import GetScoresV3Meta, GetScoresV3Response
    from langfuse.api.scores.types.score_subject_v3 import ScoreSubjectV3_Trace
    from langfuse.api.scores.types.score_v3 import ScoreV3_Categorical

    rows = handed_out("langfuse")
    assert {row["objectId"] for row in rows} == set(ITEMS)
    given = [
        ("pet-0", "ada", "cat", "ANNOTATION", 0),
        ("pet-1", "ada", "dog", "ANNOTATION", 1),
        ("pet-1", "ben", "owl", "ANNOTATION", 2),
        ("pet-2", "ada", "cow", "ANNOTATION", 3),
        ("pet-3", None, "cat", "EVAL", 4),
    ]
    third, second = [], []
    for item, user, value, source, minutes in given:
        moment = NOON + datetime.timedelta(minutes=minutes)
        common = {"id": f"score-{minutes}", "name": "class", "source": source, "timestamp": moment}
        common |= {"created_at": moment, "updated_at": moment, "environment": "default", "author_user_id": user}
        subject = ScoreSubjectV3_Trace(id=item)
        third.append(ScoreV3_Categorical(**common, value=value, project_id="p", subject=subject))
        second.append(Score_Categorical(**common, value=0.0, string_value=value, trace_id=item))
    whole = GetScoresV3Response(data=third, meta=GetScoresV3Meta(limit=50))
    write("langfuse-v3.json", json.dumps(json.loads(whole.json(by_alias=True)), indent=1) + "\n", [])
    listed = [json.loads(score.json(by_alias=True)) for score in second]
    write("langfuse-v2.json", json.dumps({"data": listed, "meta": {"page": 1}}, indent=1) + "\n", [])


def prodigy():
    """Answers of the interface `choice` in the shape of `prodigy db-out`, as its documentation describes it."""
    rows = {row["lw_item"]: row for row in handed_out("prodigy")}
    given = [
        ("pet-0", "ada", "accept", ["cat"]),
        ("pet-1", "ada", "accept", ["dog"]),
        ("pet-1", "ben", "accept", ["owl"]),
        ("pet-2", "ada", "ignore", []),
        ("pet-3", "ada", "reject", []),
        ("pet-4", "ben", "accept", ["cat", "dog"]),
    ]
    lines = []
    for number, (item, who, answer, accept) in enumerate(given):
        own = {"_input_hash": 1000 + number, "_task_hash": 2000 + number, "_view_id": "choice"}
        own |= {"accept": accept, "answer": answer, "_timestamp": int(NOON.timestamp()) + 60 * number}
        own |= {"_annotator_id": f"pets-{who}", "_session_id": f"pets-{who}"}
        lines.append(json.dumps(rows[item] | own) + "\n")
    write("prodigy.jsonl", "".join(lines), list(rows.values()))


def studio():
    """An export of a Label Studio server, in the form JSON."""
    import label_studio

    rows = handed_out("label-studio")
    config = '<View><Text name="shown1" value="$text"/><Choices name="label" toName="shown1">'
    config += "".join(f'<Choice value="{name}"/>' for name in ("cat", "dog", "owl")) + "</Choices></View>"
    with tempfile.TemporaryDirectory() as folder, label_studio.start(folder) as server:
        ada = label_studio.Client(server.address, f"Token {label_studio.TOKEN}")
        token = label_studio.personal_token(server.address, label_studio.BEN)
        ben = label_studio.Client(server.address, label_studio.access(server.address, token))
        project = ada.call("POST", "/api/projects/", {"title": "pets", "label_config": config})["id"]
        ada.call("POST", f"/api/projects/{project}/import", rows)
        tasks = {task["data"]["lw_item"]: task["id"] for task in ada.tasks(project)}
        ada.annotate(tasks["pet-0"], "cat")
        ada.annotate(tasks["pet-1"], "dog")
        ben.annotate(tasks["pet-1"], "owl")
        ada.skip(tasks["pet-2"])
        ben.annotate(tasks["pet-4"], "cow")
        ben.call("POST", f"/api/tasks/{tasks['pet-5']}/annotations/", {"result": []})
        found = ada.call("GET", f"/api/projects/{project}/export?exportType=JSON")
    write("label-studio.json", json.dumps(found, indent=1) + "\n", [row["data"] for row in rows])


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for make in (argilla, langfuse, prodigy, studio):
        make()
