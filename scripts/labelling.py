"""A labelling page, started for tests, and a browser that uses it by keyboard."""

import csv
import json
import os
import random
import shutil
import subprocess
import time
from pathlib import Path

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

# A machine may be busy; a test that passes never waits that long.
PATIENCE_IN_SECONDS = 60

CLASSES = ["Billing", "Technical fault", "Account access", "Other"]

FLAGS = [
    "--headless=new",
    # The browser shows nothing but our own page, and root has no sandbox.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def program():
    """Return the path of the program."""
    path = os.environ.get("LABELWISE_PROGRAM")
    if path is None:
        raise LookupError("LABELWISE_PROGRAM does not name the program; `cargo xtask test` sets it.")
    return path


def make_evaluation(folder, items=200):
    """Make an evaluation of support tickets, and return its path."""
    rng = random.Random(3)
    pool = Path(folder) / "support.csv"
    with pool.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *[f"prob_{name}" for name in CLASSES], "subject", "text", "channel"])
        for item in range(items):
            parts = [0.02 + rng.random() ** 3 for _ in CLASSES]
            text = f"Message {item}. " + "My card statement shows two payments, and one must be a mistake. " * 3
            row = [part / sum(parts) for part in parts]
            writer.writerow([f"ticket-{item}", *row, f"Subject {item}", text, "web form"])
    path = Path(folder) / "support.labelwise"
    subprocess.run([program(), "new", pool, "--out", path], check=True, capture_output=True)
    return path


def make(folder, rows, *options):
    """Make an evaluation of some rows, and return its path."""
    pool, path = Path(folder) / "pool.csv", Path(folder) / "pool.labelwise"
    with pool.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    subprocess.run([program(), "new", pool, "--out", path, *options], check=True, capture_output=True)
    return path


class Server:
    """The program with an open page."""

    def __init__(self, evaluation, *options):
        command = [program(), "label", evaluation, "--json", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = ""
        while True:
            line = self.process.stdout.readline()
            if line == "":
                raise RuntimeError(f"the page did not open: {said}")
            said += line
            try:
                self.said = json.loads(said)
                break
            except ValueError:
                continue
        self.addresses = [self.said["address"], *[address for _, address in self.said["invitations"]]]

    def kill(self):
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        """End it as Ctrl-C does."""
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_IN_SECONDS)
        self.process.stdout.close()


def events(evaluation):
    """Return all recorded events."""
    command = [program(), "export", evaluation, "--what", "events", "--format", "jsonl"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def found(name):
    """Return the path of a program, so that Selenium downloads none."""
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"`{name}` is not installed; `cargo xtask test` does it.")
    return path


class Browser:
    """A browser of one person, with a profile of its own."""

    def __init__(self, profile, width=1388, height=868):
        options = webdriver.ChromeOptions()
        options.binary_location = found(os.environ.get("LABELWISE_BROWSER", "chromium"))
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(found("chromedriver")))
        self.resize(width, height)

    def resize(self, width, height, mobile=False):
        """Show the page on a screen of that size."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def run(self, script, *arguments):
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys):
        """Press keys, one after the other."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def all(self, selector):
        """Return the elements that a selector finds."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """Return the text of the first element that a selector finds, as it is now."""
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def item(self):
        """Return the id of the item on screen, or nothing."""
        return self.run("return document.querySelector('.item:not(.done) h1')?.lastChild?.textContent ?? ''")

    def ready(self):
        """Return the number of items that the page has, also without the server."""
        return int(self.run("return document.querySelector('main')?.dataset.ready ?? 0"))

    def kept(self):
        """Return the number of answers that are not yet saved."""
        script = "return Object.keys(localStorage).filter((key) => key.startsWith('labelwise answers')).length"
        return self.run(script)

    def wait(self, condition, seconds=PATIENCE_IN_SECONDS):
        """Wait until a condition holds, and return what it gave."""
        deadline = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise TimeoutError(f"still not: {condition}; the page says {self.text('body')!r}")
            time.sleep(0.02)


def check_access(case, browser, name):
    """Ask axe-core about the page as it is, and whether it fits its window."""
    found = Axe().run(browser.driver)["violations"]
    said = [f"{name}: {one['id']}: {one['help']}: {one['nodes'][0]['html']}" for one in found]
    case.assertEqual(said, [])
    overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    case.assertEqual(browser.run(overflow), 0, name)
