"""Write the pages of the book that are made of what the program prints: docs/json.md and docs/file-format.md.

    LABELWISE_PROGRAM=target/debug/labelwise python scripts/reference_pages.py [FOLDER]

Every command that has `--json` is run on the examples. The fields of its object, and the kinds of their values, become a table.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

# In order; each leaves files for the next. Several calls of a command show fields that one call leaves empty.
COMMANDS = [
    "new examples/pool.csv --loss accuracy --seed 7 --out a.labelwise",
    "new examples/answers.csv --judge judge_score --loss rate --positive pass --out b.labelwise",
    "ask a.labelwise -n 60",
    "ask b.labelwise -n 80",
    "status a.labelwise",
    "tell a.labelwise a.csv",
    "tell b.labelwise b.csv",
    "ask a.labelwise -n 1 --key retry",
    "skip a.labelwise {waiting} --at-random --note unreadable",
    "status a.labelwise",
    "amend a.labelwise fix.csv",
    "estimate a.labelwise --loss accuracy,f1_per_class,f1_macro",
    "estimate a.labelwise --loss calibration",
    "estimate b.labelwise --loss rate,kappa --by kind",
    "doctor examples/answers.csv",
    "apply b.labelwise examples/answers.csv --out next.labelwise",
    "plan a.labelwise --half-width 0.05",
    "check a.labelwise --above 0.8",
    "compare examples/pool.csv examples/pool-b.csv --loss brier --out c.labelwise",
    "ask c.labelwise -n 60",
    "tell c.labelwise c.csv",
    "compare c.labelwise",
    "compare a.labelwise examples/pool-b.csv",
    "report a.labelwise --out report.html",
    "refresh a.labelwise",
    "verify a.labelwise",
    "backup a.labelwise copy.labelwise",
    "simulate examples/pool.csv --label-column label --loss accuracy --budget 40 --runs 10",
    "demo --runs 5",
    "config show",
    "man --out man",
]

# Objects that need more than an example to be printed.
ELSEWHERE = {
    "labelwise.label/1": "`label`: when the page is open",
    "labelwise.ls-config/1": "`ls config`",
    "labelwise.ls/1": "`ls push`, `ls pull` and `ls sync`; with `--watch` one per line",
    "labelwise.paper/1": "`paper`",
    "labelwise.paper-archive/1": "`paper archive`",
    "labelwise.paper-data/1": "`paper data`",
    "labelwise.paper-summary/1": "`summary.json` of a figure",
    "labelwise.paper-wanted/1": "`paper wanted`",
    "labelwise.predictions/1": "settings inside an archive of predictions",
    "labelwise.totals/1": "the queries of [clusters](clusters.md)",
}


def program(command, folder):
    """The JSON object that a command prints."""
    command = [os.environ["LABELWISE_PROGRAM"], *command.split(), "--json"]
    environment = os.environ | {"HOME": str(folder), "USER": "ada"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    # `check` answers by its exit code.
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def labels_of(pool, column, name, folder):
    """What writes the labels of items into a file."""
    with (ROOT / "examples" / pool).open(encoding="utf-8", newline="") as file:
        known = {row["id"]: row[column] for row in csv.DictReader(file)}
    return lambda ids: (folder / name).write_text("id,label\n" + "".join(f"{one},{known[one]}\n" for one in ids))


def objects(folder):
    """Every object that the commands print, by its schema: the first command, and the objects."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    write = {
        "a": labels_of("pool.csv", "label", "a.csv", folder),
        "b": labels_of("answers.csv", "label", "b.csv", folder),
        "c": labels_of("pool.csv", "label", "c.csv", folder),
    }
    found, names = {}, {}
    for command in COMMANDS:
        document = program(command.format(**names), folder)
        asked = re.match(r"ask ([abc])\.labelwise -n \d\d", command)
        if asked:
            ids = [item["id"] for item in document["items"]]
            if asked[1] == "a":
                # The first one waits, to be skipped.
                names["waiting"] = ids.pop(0)
                (folder / "fix.csv").write_text(f"id,label\n{ids[0]},0\n")
            write[asked[1]](ids)
        for one in document if isinstance(document, list) else [document]:
            found.setdefault(one["schema"], (command.split()[0], []))[1].append(one)
    return found


def fields(documents):
    """The fields of objects, in order, with the kinds of their values."""
    kinds = {}

    def see(value, path):
        if isinstance(value, dict):
            for key, inner in value.items():
                see(inner, f"{path}.{key}" if path else key)
            kind = "object"
        elif isinstance(value, list):
            for inner in value:
                see(inner, f"{path}[]")
            kind = "list"
        else:
            kind = {bool: "true or false", int: "number", float: "number", str: "text", type(None): "null"}[type(value)]
        if path:
            kinds.setdefault(path, set()).add(kind)

    for document in documents:
        see(document, "")
    # A list of texts or numbers is one line.
    for path in [path for path in kinds if path.endswith("[]")]:
        inner = kinds.pop(path) - {"object"}
        if inner:
            kinds[path[:-2]] = {f"list of {'s, '.join(sorted(inner))}s"}
    always = {path for path in kinds if all(has(document, path) for document in documents)}
    return [(path, ", ".join(sorted(kinds[path])), path in always) for path in kinds]


def has(document, path):
    """Whether a document has a field, in each entry of its lists."""
    here = [document]
    for part in path.split("."):
        name, many = part.removesuffix("[]"), part.endswith("[]")
        here = [inner for inner in here if inner is not None]
        if not all(isinstance(inner, dict) and name in inner for inner in here):
            return False
        here = [entry for inner in here for entry in (inner[name] if many else [inner[name]])]
    return True


def json_page(folder):
    """The page of JSON objects."""
    found = objects(folder)
    text = """# JSON output

Every command takes `--json` and prints one object on stdout. Its first field, `schema`, names the command and a version; the version
rises when a field changes its meaning or goes. New fields can come in any version. A command that fails prints
`{"error": {"code", "message", "hint"}}`; decide by the [code](errors.md). Exit codes: 0 done; 1 and 3 are answers of `check`; 2 an
error; 4 no item is left; 5 `tell --partial` left rows out.

This page is made by `python scripts/reference_pages.py`, which runs the commands on the examples and lists the fields that they print.
"Sometimes" are fields that some of these objects leave out.

"""
    for schema in sorted(found):
        words, documents = found[schema]
        text += f"## {schema}\n\n`labelwise {words} --json`\n\n| field | value | |\n|---|---|---|\n"
        for path, kind, always in fields(documents):
            text += f"| `{path}` | {kind} | {'' if always else 'sometimes'} |\n"
        text += "\n"
    text += "## Others\n\nThese objects need more than the examples:\n\n| schema | printed by |\n|---|---|\n"
    text += "".join(f"| `{schema}` | {by} |\n" for schema, by in sorted(ELSEWHERE.items()))
    return text


MEANINGS = {
    "settings": "one row: what was chosen by `new`, as JSON, with the names of classes and the loss",
    "block": "columns of the pool, in pieces: ids, predictions, passthrough columns, beliefs",
    "refresh": "when scores were computed anew, and from how many labels",
    "ahead": "draws made ahead, so that `ask` need not read the pool",
    "draw": "items that were asked, in order, each with the probability it was drawn with",
    "event": "labels, corrections, skips: appended, never changed",
    "request": "idempotency keys with their answers",
    "head": "counts and the ends of all chains, changed in the same transaction as the rows",
}


def file_page(folder):
    """The page of the evaluation file."""
    connection = sqlite3.connect(folder / "a.labelwise")
    version, application = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id"))
    text = f"""# The evaluation file

An evaluation is one SQLite database in WAL mode with `synchronous=FULL`: `application_id` {application:#x} ("lbws"), `user_version`
{version}. While somebody has it open, the last labels may be in the log beside it (`-wal`), so copy it by `labelwise backup`. Every
released version of labelwise reads the files of all earlier ones; a writer upgrades them.

Each row has a checksum, or a link in a chain of checksums (`chain`: that of the row and of all rows before it), so a changed, missing
or doubled row is noticed. `labelwise verify` also makes every draw again from seed and pool. Use `labelwise export` to get draws and
events as CSV; the tables below are for those who look inside. Reading them is safe, writing is not: a file with other tables,
triggers or views is refused.

This page is made by `python scripts/reference_pages.py` from a file that the program made.

"""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid").fetchall()
    for (table,) in tables:
        text += f"## {table}\n\n{MEANINGS[table][0].upper()}{MEANINGS[table][1:]}.\n\n| column | type | |\n|---|---|---|\n"
        for _, name, kind, required, _, key in connection.execute(f"PRAGMA table_info({table})"):
            text += f"| `{name}` | {kind} | {'key' if key else '' if required else 'may be null'} |\n"
        text += "\n"
    connection.close()
    return text.rstrip() + "\n"


def pages():
    """Both pages, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        return {"json.md": json_page(folder), "file-format.md": file_page(folder)}


def schemas_of_the_source():
    """Every schema that the source names."""
    found = set()
    for path in ROOT.glob("crates/*/src/**/*.rs"):
        found |= set(re.findall(r"labelwise\.[a-z-]+/\d+", path.read_text(encoding="utf-8")))
    return found


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    for name, text in pages().items():
        (target / name).write_text(text, encoding="utf-8")
