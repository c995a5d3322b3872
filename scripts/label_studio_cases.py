"""Evaluations of pets in a folder of their own, and one Label Studio server for all test files."""

import atexit
import csv
import functools
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import label_studio
from label_studio import BEN, TOKEN, Client

CLASSES = ["cat", "dog", "owl"]
ITEMS = 120


def truth(item):
    """Return the label of an item: a function of its id."""
    return CLASSES[(int(item.split("-")[1]) * 7 // 5) % 3]


class Folder:
    """A folder with evaluations, and the program in it."""

    def __init__(self, address):
        self.made = tempfile.TemporaryDirectory()
        self.path = Path(self.made.name)
        self.address = address
        self.key = TOKEN

    def pets(self, name="pets", *options, items=ITEMS):
        """Make an evaluation of pets."""
        with (self.path / "pets.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", *(f"prob_{name}" for name in CLASSES), "text", "judge_says"])
            for item in range(items):
                weights = [1 + (item * step) % 7 for step in (3, 5, 2)]
                shares = [weight / sum(weights) for weight in weights]
                writer.writerow([f"pet-{item}", *shares, f"It says <{item}> & \"purrs\".", "cat"])
        self.run("new", "pets.csv", "--out", f"{name}.labelwise", "--seed", "5", "--loss", "accuracy", *options)
        return f"{name}.labelwise"

    def command(self, *words, address=None, key=None):
        """Return a command and its variables."""
        variables = {**os.environ, "LABEL_STUDIO_URL": address or self.address}
        variables["LABEL_STUDIO_API_KEY"] = self.key if key is None else key
        variables.pop("http_proxy", None)
        return [os.environ["LABELWISE_PROGRAM"], *words], variables

    def run(self, *words, code=0, address=None, key=None):
        """Run the program, and return what it prints."""
        command, variables = self.command(*words, address=address, key=key)
        run = subprocess.run(command, cwd=self.path, env=variables, capture_output=True, text=True, timeout=300)
        if run.returncode != code:
            raise AssertionError(f"{words}: exit code {run.returncode}\n{run.stdout}\n{run.stderr}")
        return run.stdout if code == 0 else run.stdout + run.stderr

    def json(self, *words, **options):
        """Run the program with --json, and return the object."""
        return json.loads(self.run(*words, "--json", **options))

    def fails(self, code, *words, **options):
        """Run a command that fails, check the code of its error, and return the sentence."""
        said = self.run(*words, "--json", code=2, **options)
        error = json.loads(said.splitlines()[0])["error"]
        if error["code"] != code:
            raise AssertionError(f"{words}: {error}")
        return error["message"]

    def asked(self, evaluation):
        """Return the ids of the drawn items, in draw order."""
        rows = self.run("export", evaluation, "--what", "draws", "--format", "jsonl")
        return [json.loads(row)["id"] for row in rows.splitlines()]

    def events(self, evaluation):
        """Return all events: the item, what, the label and who."""
        rows = self.run("export", evaluation, "--what", "events", "--format", "jsonl").splitlines()
        rows = [json.loads(row) for row in rows]
        return [(row["id"], row["what"], row["label"], row["who"]) for row in rows]

    def labels(self, evaluation):
        """Return the label of record of each item."""
        found = {}
        for item, what, label, _ in self.events(evaluation):
            found[item] = label if what in ("told", "amended") else what
        return found


def number(found):
    """Return the number of the project in an answer of the program."""
    return int(found["project"].rsplit("/", 1)[1])


@functools.cache
def shared():
    """Return the address of one server for all tests, and Ben's token: a start takes longer than most tests."""
    home = tempfile.TemporaryDirectory()
    server = label_studio.start(home.name)
    # The last one that is registered runs first.
    atexit.register(home.cleanup)
    atexit.register(server.close)
    return server.address, label_studio.personal_token(server.address, BEN)


class WithServer(unittest.TestCase):
    """Tests on one server, each with a folder and evaluations of its own."""

    @classmethod
    def setUpClass(cls):
        cls.address, cls.bens_token = shared()
        cls.ada = Client(cls.address, f"Token {TOKEN}")
        # It is good for five minutes.
        cls.ben = Client(cls.address, label_studio.access(cls.address, cls.bens_token))

    def setUp(self):
        self.folder = Folder(self.address)
        self.addCleanup(self.folder.made.cleanup)

    def projects(self):
        """Return all projects of the server."""
        return self.ada.call("GET", "/api/projects/?page_size=100")["results"]

    def answer_all(self, client, project):
        """Answer what the server gives a person, until it gives nothing; return the items in their order."""
        served = []
        while (task := client.next_task(project)) is not None:
            # A task that labelwise did not put there is answered too.
            item = task["data"].get("lw_item", "pet-0")
            served.append(item)
            client.annotate(task["id"], truth(item))
        return served

    def task_of(self, project, item):
        """Return the task of an item."""
        return next(task for task in self.ada.tasks(project) if task["data"]["lw_item"] == item)
