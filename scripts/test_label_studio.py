"""The program and a real Label Studio server: whole evaluations, crashes, and everything that goes wrong between two machines."""

import csv
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import label_studio
import loopback
from label_studio import ADA, BEN, TOKEN, Client

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


# Started once: a start takes longer than most tests.
SHARED = {}


def setUpModule():
    home = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(home.cleanup)
    server = label_studio.start(home.name)
    unittest.addModuleCleanup(server.close)
    SHARED["address"] = server.address
    SHARED["token"] = label_studio.personal_token(server.address, BEN)


class WithServer(unittest.TestCase):
    """Tests on one server, each with a folder and evaluations of its own."""

    @classmethod
    def setUpClass(cls):
        cls.address, cls.bens_token = SHARED["address"], SHARED["token"]
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


class EvaluationTest(WithServer):
    def test_a_whole_evaluation_of_two_annotators(self):
        # Beliefs as they are given, so that the draws do not depend on when a label came.
        pets = self.folder.pets("pets", "--belief", "as-given")
        first = self.folder.json("ls", "sync", pets, "--goal", "60", "--open", "20", "--refill", "6")
        project = number(first)
        self.assertEqual(first["pushed"]["pushed"], 20)
        made = self.ada.call("GET", f"/api/projects/{project}/")
        self.assertEqual(made["sampling"], "Sequential sampling")
        self.assertFalse(made["show_collab_predictions"])
        self.assertIn("labelwise", made["title"])
        served, people = [], [self.ada, self.ben]
        for round_ in range(100):
            # Two people take turns; neither chooses.
            for person in people:
                task = person.next_task(project)
                if task is None:
                    continue
                self.assertEqual(task["predictions"], [])
                self.assertNotIn("judge_says", task["data"])
                item = task["data"]["lw_item"]
                served.append(item)
                person.annotate(task["id"], truth(item))
            if round_ % 5 == 4:
                found = self.folder.json("ls", "sync", pets, "--goal", "60", "--open", "20", "--refill", "6")
                if found["waiting"] == 0 and found["asked"] == 60:
                    break
        self.assertEqual(served, self.folder.asked(pets), "the order of the draws")
        self.assertEqual(self.folder.labels(pets), {item: truth(item) for item in served})
        authors = {who for *_, who in self.folder.events(pets)}
        self.assertEqual(authors, {ADA["email"], BEN["email"]})
        # The same labels told by hand give the same numbers, to the last bit.
        twin = self.folder.pets("twin", "--belief", "as-given")
        self.folder.run("ask", twin, "-n", "60")
        self.assertEqual(self.folder.asked(twin), served)
        rows = "".join(f"{item},{truth(item)}\n" for item in served)
        (self.folder.path / "labels.csv").write_text("id,label\n" + rows)
        self.folder.run("tell", twin, "labels.csv")
        by_hand, by_tool = (self.folder.json("estimate", name) for name in (twin, pets))
        self.assertEqual(by_hand["estimate"], by_tool["estimate"])
        self.assertEqual(by_hand["interval"], by_tool["interval"])
        self.folder.run("verify", pets)
        # Nothing happens twice.
        again = self.folder.json("ls", "sync", pets, "--goal", "60")
        self.assertEqual(again["pulled"]["labelled"], 0)
        self.assertEqual(len(self.ada.tasks(project)), 60)
        self.assertEqual(len(self.folder.events(pets)), 60)

    def test_watching_ends_when_all_is_answered(self):
        pets = self.folder.pets()
        project = number(self.folder.json("ls", "push", pets, "--goal", "30", "--open", "10"))
        command, variables = self.folder.command(
            "ls", "sync", pets, "--goal", "30", "--open", "10", "--refill", "5", "--watch", "1", "--json"
        )
        watch = subprocess.Popen(command, cwd=self.folder.path, env=variables, stdout=subprocess.PIPE, text=True)
        served = []
        try:
            end = time.monotonic() + label_studio.PATIENCE_IN_SECONDS
            while watch.poll() is None and time.monotonic() < end:
                served += self.answer_all(self.ada, project)
                time.sleep(0.1)
        finally:
            watch.kill()
        rounds = [json.loads(line) for line in watch.stdout.read().splitlines()]
        watch.stdout.close()
        self.assertEqual(watch.wait(), 0)
        self.assertEqual(served, self.folder.asked(pets))
        self.assertEqual(rounds[-1]["labels"], 30)
        self.assertEqual([found["labels"] for found in rounds], sorted(found["labels"] for found in rounds))

    def test_every_kind_of_question_is_one_that_the_server_takes(self):
        chat = json.dumps([{"role": "user", "content": "What is <b>?"}, {"role": "assistant", "content": "bold"}])
        image = "data:image/png;base64,iVBORw0KGgo="
        pools = {
            "stars": (["--judge", "judge", "--loss", "value", "--range", "1,5"], ("rating", 4), "4"),
            "number": (["--mean", "mean", "--loss", "squared-error"], ("number", 2.5), "2.5"),
            "hard": (["--hard", "predicted", "--loss", "accuracy"], ("text", "newt"), "newt"),
            "votes": (
                ["--judge", "vote", "--loss", "value", "--worth", "A=1,tie=0.5,B=0"],
                ("choices", "A is better"),
                None,
            ),
        }
        columns = ["id", "judge", "mean", "predicted", "vote", "chat", "image", "my text", "one", "two"]
        rows = [columns]
        for item in range(90):
            vote = ["A", "B", "tie"][item % 3]
            rows.append([f"i-{item}", 1 + item % 5, item / 9, CLASSES[item % 3], vote, chat, image, "$5 & more", "x", "y"])
        with (self.folder.path / "kinds.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        for name, (options, (kind, value), label) in pools.items():
            with self.subTest(name):
                file = f"{name}.labelwise"
                carry = [word for column in ["chat", "image", "my text", "one", "two"] for word in ["--carry", column]]
                self.folder.run("new", "kinds.csv", "--out", file, *carry, *options)
                pair = ["--pair", "one,two"] if name == "votes" else []
                found = self.folder.json("ls", "push", file, "--open", "6", *pair)
                project = number(found)
                config = self.ada.call("GET", f"/api/projects/{project}/")["parsed_label_config"]
                self.assertIn("label", config)
                tasks = self.ada.tasks(project)
                for task in tasks:
                    self.assertEqual(task["data"]["chat"][0]["role"], "user")
                    control = "other" if name == "hard" else "label"
                    self.ada.annotate(task["id"], value, kind, control)
                self.folder.run("ls", "pull", file)
                labels = self.folder.labels(file)
                self.assertEqual(len(labels), 6, labels)
                if label is not None:
                    self.assertEqual(set(labels.values()), {label})
                    continue
                # Sides are in random order, and the class follows the side.
                for task in tasks:
                    side = task["data"]["one"]
                    self.assertEqual(labels[task["data"]["lw_item"]], {"x": "A", "y": "B"}[side])
                self.assertEqual({task["data"]["one"] for task in tasks}, {"x", "y"})


class PeopleTest(WithServer):
    def test_skips_corrections_deletions_and_what_is_no_label(self):
        pets = self.folder.pets()
        project = number(self.folder.json("ls", "push", pets, "--open", "8"))
        tasks = self.ada.tasks(project)
        items = [task["data"]["lw_item"] for task in tasks]
        labels = [self.ada.annotate(task["id"], "cat") for task in tasks[:4]]
        skipped = self.ada.skip(tasks[4]["id"])
        self.ada.annotate(tasks[5]["id"], "cow")
        self.ada.call("POST", f"/api/tasks/{tasks[6]['id']}/annotations/", {"result": []})
        first = self.folder.json("ls", "pull", pets)
        pulled = first["pulled"]
        self.assertEqual((pulled["labelled"], pulled["skipped"], pulled["open"]), (4, 1, 1))
        aside = {one["id"]: one["reason"] for one in pulled["set_aside"]}
        self.assertEqual(set(aside), {items[5], items[6]})
        self.assertIn('"cow"', aside[items[5]])
        self.assertEqual((first["labels"], first["waiting"]), (4, 3))
        # Ada thinks again: another class, no class, a class after all, and a class of the evaluation.
        self.ada.change(labels[0]["id"], "dog")
        self.ada.delete(labels[1]["id"])
        self.ada.change(labels[2]["id"], "cow")
        self.ada.delete(skipped["id"])
        self.ada.annotate(tasks[4]["id"], "owl")
        self.ada.annotate(tasks[5]["id"], "owl")
        pulled = self.folder.json("ls", "pull", pets)["pulled"]
        self.assertEqual((pulled["labelled"], pulled["corrected"], pulled["taken_back"]), (2, 1, 2))
        expected = {items[0]: "dog", items[1]: "skipped", items[2]: "skipped", items[3]: "cat"}
        expected |= {items[4]: "owl", items[5]: "owl"}
        self.assertEqual(self.folder.labels(pets), expected)
        # A new answer after a deletion counts again.
        self.ada.annotate(tasks[1]["id"], "cat")
        self.folder.run("ls", "pull", pets)
        self.assertEqual(self.folder.labels(pets), {**expected, items[1]: "cat"})
        before = len(self.folder.events(pets))
        self.folder.run("ls", "pull", pets)
        self.assertEqual(len(self.folder.events(pets)), before, "nothing is recorded twice")
        self.folder.run("verify", pets)
        # What somebody corrects by hand stays.
        self.folder.run("amend", pets, f"{items[3]}=owl", "--who", "head")
        self.ben.annotate(tasks[3]["id"], "dog")
        self.folder.run("ls", "pull", pets)
        self.assertEqual(self.folder.labels(pets)[items[3]], "owl")

    def test_several_opinions_are_kept_and_a_rule_says_which_counts(self):
        pets = self.folder.pets()
        project = number(self.folder.json("ls", "push", pets, "--open", "30"))
        tasks = self.ada.tasks(project)
        items = [task["data"]["lw_item"] for task in tasks]
        for place, task in enumerate(tasks):
            self.ada.annotate(task["id"], "cat")
            # They differ on 12 of 30 items.
            self.ben.annotate(task["id"], "dog" if place < 12 else "cat")
        pulled = self.folder.json("ls", "pull", pets)["pulled"]
        self.assertEqual((pulled["labelled"], pulled["opinions"]), (30, 30))
        self.assertEqual(pulled["rule"], "first")
        agreement = pulled["agreement"]
        self.assertEqual((agreement["items"], agreement["differing"]), (30, 12))
        low, high = agreement["agreement_interval"]
        self.assertTrue(low < agreement["agreement"] < high)
        self.assertEqual(set(self.folder.labels(pets).values()), {"cat"})
        first = self.folder.json("estimate", pets)["estimate"]
        # A majority of two is a tie, which the first wins; the newest is Ben's.
        self.folder.run("ls", "pull", pets, "--opinions", "majority")
        self.assertEqual(set(self.folder.labels(pets).values()), {"cat"})
        self.folder.run("ls", "pull", pets, "--opinions", "newest")
        labels = self.folder.labels(pets)
        self.assertEqual([labels[item] for item in items[:13]], ["dog"] * 12 + ["cat"])
        newest = self.folder.json("estimate", pets)["estimate"]
        self.folder.run("ls", "pull", pets, "--opinions", "mean")
        self.assertEqual(set(self.folder.labels(pets).values()), {"cat"})
        mean = self.folder.json("estimate", pets)["estimate"]
        self.assertNotEqual(first, newest)
        self.assertTrue(min(first, newest) < mean < max(first, newest), (first, mean, newest))
        said = self.folder.run("ls", "pull", pets)
        self.assertIn("the mean over annotators counts", said)
        self.folder.run("verify", pets)

    def test_exports_say_the_same_as_the_api(self):
        pets = self.folder.pets()
        project = number(self.folder.json("ls", "push", pets, "--open", "8"))
        copies = {}
        for kind in ("JSON", "JSON_MIN", "CSV"):
            copies[kind] = f"{kind}.labelwise"
            self.folder.run("backup", pets, copies[kind])
        tasks = self.ada.tasks(project)
        for task in tasks[:6]:
            self.ada.annotate(task["id"], truth(task["data"]["lw_item"]))
        self.ben.annotate(tasks[0]["id"], "owl")
        self.ada.skip(tasks[6]["id"])
        self.folder.run("ls", "pull", pets)
        expected = self.folder.labels(pets)
        for kind, copy in copies.items():
            with self.subTest(kind):
                headers = {"Authorization": f"Token {TOKEN}"}
                path = f"{self.address}/api/projects/{project}/export?exportType={kind}"
                request = label_studio.urllib.request.Request(path, headers=headers)
                file = self.folder.path / f"export-{kind}"
                file.write_bytes(label_studio.urllib.request.urlopen(request).read())
                told = self.folder.json("tell", copy, file.name)
                found = self.folder.labels(copy)
                # Only whole exports have skips.
                skip = {tasks[6]["data"]["lw_item"]: "skipped"}
                self.assertEqual(found | skip, expected)
                self.assertEqual(kind == "JSON", len(found) == 7)
                self.assertEqual(told["opinions"], 1)
                again = self.folder.json("tell", copy, file.name)
                self.assertEqual((again["recorded"], again.get("opinions", 0)), (0, 0))
                other = self.folder.pets(f"other-{kind}")
                self.folder.run("ask", other, "-n", "8")
                self.folder.fails("other-evaluation", "tell", other, file.name)


class CrashTest(WithServer):
    def setUp(self):
        super().setUp()
        self.seen, self.when, self.running = [], None, None
        # One address for all of a test: it is on record with the project.
        between = loopback.proxy(self.address, after=self.after)
        self.enterContext(between)
        self.folder.address = between.address

    def after(self, method, path, status):
        """Kill the program before it gets an answer, when it is time."""
        self.seen.append((method, path.split("?")[0], status))
        if self.when and self.when(self.seen):
            self.when = None
            os.kill(self.running.pid, signal.SIGKILL)

    def killed(self, when, *words):
        """Run a command that is killed when `when` says so of the requests."""
        self.seen.clear()
        command, variables = self.folder.command("ls", *words)
        self.running = subprocess.Popen(
            command, cwd=self.folder.path, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.when = when
        code = self.running.wait(timeout=label_studio.PATIENCE_IN_SECONDS)
        self.assertEqual(code, -signal.SIGKILL, self.seen)

    def everything_is_there_once(self, pets, count):
        """Push again, and check that every drawn item has one task, in draw order."""
        found = self.folder.json("ls", "push", pets, "--open", str(count))
        tasks = self.ada.tasks(number(found))
        asked = self.folder.asked(pets)
        self.assertEqual([task["data"]["lw_item"] for task in tasks], asked)
        self.assertEqual(found["pushed"]["open"], count)
        self.answer_all(self.ada, number(found))
        self.folder.run("ls", "pull", pets)
        self.assertEqual(self.folder.labels(pets), {item: truth(item) for item in asked})
        return found

    def test_killed_after_the_project_was_made(self):
        pets = self.folder.pets()
        self.killed(lambda seen: seen[-1] == ("POST", "/api/projects/", 201), "push", pets, "--open", "7")
        found = self.everything_is_there_once(pets, 7)
        title = self.ada.call("GET", f"/api/projects/{number(found)}/")["title"]
        self.assertEqual([project["title"] for project in self.projects()].count(title), 1)

    def test_killed_after_its_201_and_before_our_record(self):
        pets = self.folder.pets()

        def is_taken(seen):
            return seen[-1][1].endswith("/import") and seen[-1][2] == 201

        self.killed(is_taken, "push", pets, "--open", "7")
        found = self.everything_is_there_once(pets, 7)
        self.assertEqual(found["pushed"]["pushed"], 0, "found again by the keys in the data")

    def test_killed_after_the_draws_and_before_the_items_are_there(self):
        pets = self.folder.pets()
        self.folder.run("ls", "push", pets, "--open", "3")
        self.folder.run("ask", pets, "-n", "2")

        def is_listed(seen):
            return seen[-1][1] == "/api/tasks/"

        self.killed(is_listed, "push", pets, "--open", "7")
        self.everything_is_there_once(pets, 7)

    def test_killed_after_our_record(self):
        pets = self.folder.pets()
        project = number(self.folder.json("ls", "push", pets, "--open", "5"))
        for task in self.ada.tasks(project)[:3]:
            self.ada.annotate(task["id"], truth(task["data"]["lw_item"]))

        def is_second_look(seen):
            # The watch looks when it opens, and once in each round; the record of the first round is made by the third look.
            return sum(1 for _, path, _ in seen if path == "/api/tasks/") == 3

        self.killed(is_second_look, "pull", pets, "--watch", "1")
        self.assertEqual(len(self.folder.labels(pets)), 3, "the labels are on record")
        self.assertEqual(self.folder.json("ls", "pull", pets)["pulled"]["labelled"], 0)

        def is_taken(seen):
            return sum(1 for _, path, _ in seen if path == "/api/tasks/") == 4 and seen[-1][0] == "GET"

        # After the record of what was put there: the look of the next round.
        self.killed(is_taken, "sync", pets, "--open", "9", "--refill", "9", "--watch", "1")
        self.assertEqual(len(self.ada.tasks(project)), 3 + 9)
        self.everything_is_there_once(pets, 9)


class TroubleTest(WithServer):
    def test_tokens_of_both_kinds_and_tokens_that_have_run_out(self):
        pets = self.folder.pets()
        kept = [0]

        def spoil(method, path, headers):
            # Every third request has an access token that the server does not know any more.
            if headers.get("Authorization", "").startswith("Bearer"):
                kept[0] += 1
                if kept[0] % 3 == 2:
                    headers["Authorization"] = "Bearer " + headers["Authorization"][7:][:-6] + "AAAAAA"

        with loopback.proxy(self.address, before=spoil) as between:
            self.folder.run("ls", "push", pets, "--open", "4", address=between.address, key=self.bens_token)
        self.assertGreater(kept[0], 3, "the personal token was exchanged")
        for key in ("nonsense", self.bens_token[:-4] + "AAAA"):
            said = self.folder.fails("token-refused", "ls", "pull", pets, key=key)
            self.assertIn("LABEL_STUDIO_API_KEY", said)
        self.folder.fails("bad-token", "ls", "pull", pets, key="two words")
        self.folder.fails("no-token", "ls", "pull", pets, key="")

    def test_a_server_that_is_down_slow_or_somebody_else(self):
        pets = self.folder.pets()
        port = label_studio.free_port()
        self.folder.fails("unreachable", "ls", "push", pets, address=f"http://127.0.0.1:{port}")
        self.folder.fails("address", "ls", "push", pets, address="localhost:8080")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

        def long(out):
            out.write(head + b"\r\n[")
            chunk = b'{"id":1},' * 100_000
            while True:
                out.write(chunk)

        answers = {
            "nonsense": [
                lambda out: out.write(head + b"Content-Length: 20\r\n\r\n<html>welcome</html>"),
                lambda out: out.write(head + b"Content-Length: 11\r\n\r\n{\"results\":}"),
                lambda out: out.write(head + b"Content-Length: 15\r\n\r\n{\"results\":[3]}"),
                lambda out: out.write(head + b"Content-Length: 200001\r\n\r\n" + b"[" * 200001),
                lambda out: out.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno!"),
            ],
            "unreachable": [
                lambda out: out.write(b"SSH-2.0-OpenSSH_9.2\r\n"),
                lambda out: out.write(head + b"Content-Length: 5000\r\n\r\n{"),
                lambda out: out.write(b""),
                lambda out: time.sleep(4),
                long,
            ],
            "moved": [lambda out: out.write(b"HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n")],
            "server-busy": [lambda out: out.write(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")],
            "no-rights": [lambda out: out.write(b"HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\n{}")],
            "token-refused": [lambda out: out.write(b"HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\n{}")],
        }
        for code, kinds in answers.items():
            for place, answer in enumerate(kinds):
                with self.subTest(code, place=place), loopback.nonsense(answer) as strange:
                    self.folder.fails(code, "ls", "push", pets, "--timeout", "2", address=strange.address)
        self.folder.run("verify", pets)
        self.everything_goes_on(pets)

    def everything_goes_on(self, pets):
        """After any trouble, push and pull work."""
        found = self.folder.json("ls", "push", pets, "--open", "4")
        self.answer_all(self.ada, number(found))
        self.folder.run("ls", "pull", pets)
        asked = self.folder.asked(pets)
        self.assertEqual({item: truth(item) for item in asked}, self.folder.labels(pets))

    def test_watching_outlives_a_server_that_is_away(self):
        pets = self.folder.pets()
        others = {project["id"] for project in self.projects()}
        count = [0]

        def busy(method, path, headers):
            count[0] += 1
            return (503, b"") if 4 <= count[0] <= 5 else None

        with loopback.proxy(self.address, before=busy) as between:
            options = ["ls", "sync", pets, "--goal", "4", "--open", "4", "--watch", "1"]
            command, variables = self.folder.command(*options, address=between.address)
            watch = subprocess.Popen(
                command, cwd=self.folder.path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            end = time.monotonic() + label_studio.PATIENCE_IN_SECONDS
            while watch.poll() is None and time.monotonic() < end:
                for project in self.projects():
                    if project["id"] not in others:
                        self.answer_all(self.ada, project["id"])
                time.sleep(0.3)
            out, talk = watch.communicate(timeout=60)
        self.assertEqual(watch.returncode, 0, talk)
        self.assertIn("cannot answer now (status 503)", talk)
        self.assertIn("next attempt in 2 s", talk)
        self.assertIn("4 of 4 asked items are labelled", out)

    def test_projects_and_items_that_are_not_what_they_should_be(self):
        pets, other = self.folder.pets(), self.folder.pets("other")
        self.folder.fails("no-project", "ls", "pull", pets)
        project = number(self.folder.json("ls", "push", pets, "--open", "6"))
        theirs = number(self.folder.json("ls", "push", other, "--open", "2"))
        self.assertNotEqual(project, theirs)
        self.folder.fails("other-project", "ls", "pull", pets, "--project", str(theirs))
        # Somebody has taken the mark away, and the items tell all the same.
        self.ada.call("PATCH", f"/api/projects/{theirs}/", {"title": "renamed", "description": ""})
        self.folder.fails("other-project", "ls", "push", pets, "--project", str(theirs))
        self.folder.run("ls", "pull", other)
        config = self.folder.run("ls", "config", pets)
        own = self.ada.call("POST", "/api/projects/", {"title": "own tasks", "label_config": config})["id"]
        self.ada.call("POST", f"/api/projects/{own}/import", [{"data": {"text": "ours"}}])
        self.folder.fails("foreign-tasks", "ls", "push", pets, "--project", str(own))
        # An item that was deleted there, an item twice, and a task of somebody else.
        tasks = self.ada.tasks(project)
        self.ada.call("DELETE", f"/api/tasks/{tasks[1]['id']}/")
        self.ada.call("POST", f"/api/projects/{project}/import", [{"data": tasks[2]["data"]}, {"data": {"text": "x"}}])
        for task in [*tasks[2:4], self.ada.tasks(project)[-2]]:
            self.ada.annotate(task["id"], truth(task["data"]["lw_item"]))
        found = self.folder.json("ls", "sync", pets, "--open", "6")
        pulled, pushed = found["pulled"], found["pushed"]
        self.assertEqual((pulled["labelled"], pulled["doubled"], pulled["foreign"]), (2, 1, 1))
        self.assertEqual(pushed["deleted"], [tasks[1]["data"]["lw_item"]])
        self.assertEqual(len(self.folder.events(pets)), 2, "an item has one label, however many tasks")
        said = self.folder.run("ls", "push", pets, "--open", "6")
        self.assertIn("deleted there, but waiting", said)
        again = self.folder.json("ls", "push", pets, "--open", "6", "--again")
        self.assertEqual(again["pushed"]["deleted"], [])
        self.answer_all(self.ada, project)
        self.folder.run("ls", "sync", pets, "--open", "6")
        self.assertIn(tasks[1]["data"]["lw_item"], self.folder.labels(pets))
        # The whole project is gone.
        self.ada.call("DELETE", f"/api/projects/{project}/")
        said = self.folder.fails("project-gone", "ls", "sync", pets)
        self.assertIn("--project new", said)
        fresh = self.folder.json("ls", "push", pets, "--open", "6", "--project", "new")
        self.assertNotEqual(number(fresh), project)
        self.answer_all(self.ada, number(fresh))
        self.folder.run("ls", "pull", pets)
        self.assertEqual(len(self.folder.labels(pets)), len(self.folder.asked(pets)))


if __name__ == "__main__":
    unittest.main()
