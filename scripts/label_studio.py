"""A real Label Studio server for tests: prepared once, copied, started on loopback, stopped by its process.

`cargo xtask test` installs Label Studio into an environment of its own, and
calls this script once to make the template of its database, since the first
start of a new database takes minutes on a busy machine.

Usage: python scripts/label_studio.py PYTHON
"""

import http.cookiejar
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

# A machine may be busy; a test that passes never waits that long.
PATIENCE_IN_SECONDS = 300

ROOT = Path(__file__).parent.parent

ADA = {"email": "ada@example.com", "password": "ada-labels-pets-9"}
BEN = {"email": "ben@example.com", "password": "ben-labels-pets-9"}

# The legacy token of the first user; 40 digits.
TOKEN = "5eed" * 10

# The defaults report to the makers and look for new versions.
QUIET = {
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
}


def environment(folder):
    """Return the variables of a server whose data are in a folder."""
    return {
        **os.environ,
        **QUIET,
        "DJANGO_DB": "sqlite",
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_PASSWORD": ADA["password"],
        "LABEL_STUDIO_USERNAME": ADA["email"],
        "LABEL_STUDIO_USER_TOKEN": TOKEN,
        # The clients of tests.
        "LABEL_STUDIO_API_KEY": "",
        "LABEL_STUDIO_URL": "",
    }


def free_port():
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """Label Studio on a free port of this machine, with its data in a folder."""

    def __init__(self, python, folder):
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        # What it says is kept for the message of a failure.
        self.log = Path(folder) / "server.log"
        program = Path(python).with_name("label-studio")
        command = [program, "start", "--no-browser", "--internal-host", "127.0.0.1"]
        command += ["--port", str(self.port), "--data-dir", str(folder)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, env=environment(folder), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    def _wait(self):
        end = time.monotonic() + PATIENCE_IN_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.address}/health", timeout=5) as answer:
                    if json.load(answer)["status"] == "UP":
                        return
            except (OSError, ValueError):
                time.sleep(0.2)
        raise RuntimeError(f"Label Studio did not start:\n{self.log.read_text()[-3000:]}")

    def close(self):
        """Stop it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Client:
    """A user of the server, by a token."""

    def __init__(self, address, authorization):
        self.address = address
        self.authorization = authorization

    def call(self, method, path, body=None, expected=(200, 201, 204)):
        """Make a request, and return the answer as JSON."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": self.authorization, "Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, method=method, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_IN_SECONDS) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        if status not in expected:
            raise AssertionError(f"{method} {path}: {status} {text[:500]!r}")
        return json.loads(text) if text else None

    def next_task(self, project):
        """Return the task that the server gives this person next; None if there is none."""
        answer = self.call("GET", f"/api/projects/{project}/next", expected=(200, 404))
        return answer if "data" in answer else None

    def annotate(self, task, value, kind="choices", name="label"):
        """Answer a task as the page does, and return the annotation."""
        listed = [value] if kind in ("choices", "text") else value
        tag = {"text": "textarea"}.get(kind, kind)
        result = {"from_name": name, "to_name": "shown1", "type": tag, "value": {kind: listed}}
        body = {"result": [result], "lead_time": 1.5}
        return self.call("POST", f"/api/tasks/{task}/annotations/", body)

    def skip(self, task):
        """Skip a task as the page does."""
        body = {"result": [], "was_cancelled": True}
        return self.call("POST", f"/api/tasks/{task}/annotations/?is_cancelled=1", body)

    def change(self, annotation, value):
        """Change the class of an annotation."""
        result = {"from_name": "label", "to_name": "shown1", "type": "choices", "value": {"choices": [value]}}
        return self.call("PATCH", f"/api/annotations/{annotation}/", {"result": [result]})

    def delete(self, annotation):
        """Delete an annotation."""
        return self.call("DELETE", f"/api/annotations/{annotation}/")

    def tasks(self, project):
        """Return all tasks, in the order of their numbers."""
        found = self.call("GET", f"/api/tasks/?project={project}&fields=all&page_size=1000")["tasks"]
        return sorted(found, key=lambda task: task["id"])


def log_in(address, person):
    """Return a browser's opener that is logged in, and the token that forms need."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    _form(opener, f"{address}/user/login/", person)
    return opener, next(cookie.value for cookie in jar if cookie.name == "csrftoken")


def _form(opener, address, fields):
    page = opener.open(address).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page).group(1)
    body = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **fields}).encode()
    return opener.open(urllib.request.Request(address, data=body, headers={"Referer": address}))


def personal_token(address, person):
    """Make a personal access token, as the account page does."""
    opener, csrf = log_in(address, person)
    headers = {"Content-Type": "application/json", "X-CSRFToken": csrf, "Referer": address}
    request = urllib.request.Request(f"{address}/api/token/", data=b"{}", method="POST", headers=headers)
    return json.load(opener.open(request))["token"]


def sign_up(address, person):
    """Make an account for a second person of the same organisation."""
    invited = Client(address, f"Token {TOKEN}").call("GET", "/api/invite")["invite_url"]
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    _form(opener, urllib.parse.urljoin(address, invited), {**person, "allow_newsletters": "false"})


def access(address, token):
    """Return what a request is authorised by, from a personal access token."""
    body = json.dumps({"refresh": token}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api/token/refresh/", data=body, headers=headers)
    return "Bearer " + json.load(urllib.request.urlopen(request))["access"]


def python():
    """Return the Python that has Label Studio."""
    path = Path(os.environ.get("LABELWISE_LABEL_STUDIO", ROOT / "target" / "python-label-studio" / "bin" / "python"))
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there; `cargo xtask test` installs Label Studio.")
    return path


def template():
    """Return the folder with a new database."""
    requirements = (ROOT / "scripts" / "label-studio-requirements.txt").read_text()
    version = re.search(r"label-studio==(\S+)", requirements).group(1)
    return ROOT / "target" / f"label-studio-{version}"


def prepare(python, folder):
    """Make the template, unless it is there."""
    folder = Path(folder)
    if (folder / "label_studio.sqlite3").exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        with Server(python, made) as server:
            sign_up(server.address, BEN)
        (Path(made) / "server.log").unlink()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder)


def start(folder):
    """Start a server with a copy of the template."""
    prepare(python(), template())
    data = Path(folder) / "label-studio"
    shutil.copytree(template(), data)
    return Server(python(), data)


if __name__ == "__main__":
    prepare(sys.argv[1], template())
