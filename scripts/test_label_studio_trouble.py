"""The program and a real Label Studio server: crashes, and everything that goes wrong between two machines."""

import os
import signal
import subprocess
import time
import unittest

import label_studio
import loopback
from label_studio_cases import WithServer, number, truth


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

    def test_watching_waits_for_a_server_that_is_not_up_yet(self):
        for verb in ("sync", "pull"):
            with self.subTest(verb):
                pets = self.folder.pets(f"early-{verb}")
                if verb == "pull":
                    # Labels of these items are all that comes.
                    project = number(self.folder.json("ls", "push", pets, "--open", "4"))
                    self.answer_all(self.ada, project)
                port = label_studio.free_port()
                options = ["--goal", "4", "--open", "4"] if verb == "sync" else ["--project", str(project)]
                address = f"http://127.0.0.1:{port}"
                command, variables = self.folder.command("ls", verb, pets, *options, "--watch", "1", address=address)
                watch = subprocess.Popen(
                    command, cwd=self.folder.path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
                try:
                    said = watch.stderr.readline()
                    self.assertIn("does not answer", said)
                    self.assertIn("next attempt in 2 s", said)
                    with loopback.proxy(self.address, port=port):
                        seen, end = [], time.monotonic() + label_studio.PATIENCE_IN_SECONDS
                        while len(seen) < 4 and watch.poll() is None and time.monotonic() < end:
                            for project in self.projects():
                                if f"early-{verb}" in project["title"]:
                                    self.answer_all(self.ada, project["id"])
                            time.sleep(0.3)
                            seen = self.folder.labels(pets)
                        if verb == "pull":
                            # More items could be asked, so this watch ends by Ctrl-C alone.
                            watch.send_signal(signal.SIGINT)
                        out, talk = watch.communicate(timeout=60)
                finally:
                    watch.kill()
                    watch.wait()
                self.assertEqual((watch.returncode, len(seen)), (0, 4), talk)
                self.assertIn("4 of 4 asked items are labelled", out)

    def test_a_wait_for_a_server_ends_by_ctrl_c(self):
        pets = self.folder.pets()
        address = f"http://127.0.0.1:{label_studio.free_port()}"
        command, variables = self.folder.command("ls", "sync", pets, "--watch", "600", address=address)
        watch = subprocess.Popen(
            command, cwd=self.folder.path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            self.assertIn("next attempt in 300 s", watch.stderr.readline())
            watch.send_signal(signal.SIGINT)
            watch.communicate(timeout=20)
        finally:
            watch.kill()
        self.assertEqual(watch.returncode, 0)
        self.assertEqual(self.folder.labels(pets), {})

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
