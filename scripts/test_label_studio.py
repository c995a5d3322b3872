"""The program and a real Label Studio server: whole evaluations, every kind of question, and what people do there."""

import csv
import json
import subprocess
import time
import unittest

import label_studio
from label_studio import ADA, BEN, TOKEN
from label_studio_cases import CLASSES, WithServer, number, truth


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


if __name__ == "__main__":
    unittest.main()
