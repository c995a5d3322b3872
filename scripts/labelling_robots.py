"""Two robots label in two browsers while the server is killed again and again.

Every answer that a robot gave is on record, once, with its label and its author.
`cargo xtask reliability labelling` runs it with 1,000 labels and 200 kills.
"""

import argparse
import random
import tempfile
import threading
import time
import zlib

from labelling import CLASSES, Browser, Server, events, make_evaluation
from selenium.common.exceptions import WebDriverException

NAMES = ["ada", "ben"]

# Each robot has classes of its own, so that a label says who gave it.
OWN_CLASSES = {"ada": [1, 2], "ben": [3, 4]}


class House:
    """The server that is killed, and its present addresses."""

    def __init__(self, evaluation, goal):
        self.evaluation = evaluation
        self.options = ["--who", "ada", "--invite", "ben", "--goal", str(goal), "--batch", "5"]
        self.server = Server(evaluation, "--port", "0", *self.options)
        self.port = self.server.addresses[0].split("/#")[0].rsplit(":", 1)[1]
        self.generation = 0
        self.lock = threading.Lock()

    def restart(self):
        """Kill the server and start it again at the same port."""
        self.server.kill()
        server = Server(self.evaluation, "--port", self.port, *self.options)
        with self.lock:
            self.server = server
            self.generation += 1

    def address(self, name):
        """Return the address of a person, and the generation of the server."""
        with self.lock:
            return self.server.addresses[NAMES.index(name)], self.generation


class Robot(threading.Thread):
    """A person who labels by keyboard alone."""

    def __init__(self, name, house, profile):
        super().__init__(name=name)
        self.house = house
        self.browser = Browser(profile)
        self.generation = -1
        self.answers = {}
        self.failure = None

    def run(self):
        try:
            self.enter()
            while not self.is_done():
                self.step()
            self.browser.wait(lambda: self.enter() or self.browser.kept() == 0)
        except Exception as failure:  # Told by whoever joins the thread.
            self.failure = failure

    def enter(self):
        """Open the newest address, unless it was opened before."""
        address, generation = self.house.address(self.name)
        if generation == self.generation:
            return
        self.generation = generation
        try:
            # The fragment alone changes, as it does for a person who pastes the address into the same tab.
            self.browser.driver.get(address)
        except WebDriverException:
            self.generation = -1
        self.wait_for_page()

    def wait_for_page(self):
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline and self.browser.item() == "" and not self.is_done():
            time.sleep(0.02)

    def is_done(self):
        return "That was item" in self.browser.text(".done") and self.browser.kept() == 0

    def step(self):
        self.enter()
        item = self.browser.item()
        if item == "":
            time.sleep(0.05)
            return
        number = OWN_CLASSES[self.name][zlib.crc32(item.encode()) % 2]
        self.browser.press(str(number))
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            if self.browser.item() != item:
                # The page went on, so it has kept the answer.
                self.answers[item] = CLASSES[number - 1]
                return
            time.sleep(0.005)


def run(labels, kills, seed=1):
    """Let two robots label, and return what is wrong and how many answers they have seen the page take."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        evaluation = make_evaluation(folder, items=labels + 200)
        house = House(evaluation, labels)
        robots = [Robot(name, house, f"{folder}/{name}") for name in NAMES]
        try:
            for robot in robots:
                robot.start()
            for kill in range(kills):
                # Kills are spread over the labels, each at a moment of its own.
                while sum(len(robot.answers) for robot in robots) * (kills + 1) < kill * labels and any(robot.is_alive() for robot in robots):
                    time.sleep(0.01)
                time.sleep(rng.uniform(0.0, 0.4))
                house.restart()
            for robot in robots:
                robot.join(timeout=1800)
        finally:
            for robot in robots:
                robot.browser.driver.quit()
            house.server.close()
        wrong = [f"{robot.name}: {robot.failure!r}" for robot in robots if robot.failure]
        return wrong + compare(robots, events(evaluation), labels), sum(len(robot.answers) for robot in robots)


def compare(robots, recorded, labels):
    """Return what differs between what robots did and what is on record."""
    wrong = []
    told = [event for event in recorded if event["what"] == "told"]
    items = [event["id"] for event in told]
    if len(items) != len(set(items)):
        wrong.append("an item is on record twice")
    if len(items) != labels:
        wrong.append(f"{len(items)} labels are on record, not {labels}")
    on_record = {event["id"]: (event["label"], event["who"]) for event in told}
    for robot in robots:
        for item, label in robot.answers.items():
            if on_record.get(item) != (label, robot.name):
                wrong.append(f"{robot.name} gave {item} {label}, but {on_record.get(item)} is on record")
    for event in told:
        if CLASSES.index(event["label"]) + 1 not in OWN_CLASSES[event["who"]]:
            wrong.append(f"{event['id']} is {event['label']} by {event['who']}, who never says that")
    return wrong


# From the key to the frame that shows the next item.
TIME_A_KEY = """
    const done = arguments[0];
    const heading = () => document.querySelector('.item h1')?.lastChild.textContent;
    const before = heading();
    const start = performance.now();
    document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }));
    const look = () => {
        if (heading() && heading() !== before) requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
        else setTimeout(look, 1);
    };
    look();
"""


def time_keys(keys=100):
    """Return the times until the next item was shown, in milliseconds."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(make_evaluation(folder, items=keys + 50), "--port", "0", "--who", "ada")
        browser = Browser(f"{folder}/ada")
        try:
            browser.driver.get(server.addresses[0])
            times = []
            for _ in range(keys):
                browser.wait(lambda: browser.ready() >= 3 and browser.kept() == 0)
                times.append(browser.driver.execute_async_script(TIME_A_KEY))
        finally:
            browser.driver.quit()
            server.close()
    return sorted(times)


def main():
    """Run the robots and print what they found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.monotonic()
    wrong, seen = run(options.labels, options.kills, options.seed)
    seconds = time.monotonic() - start
    print(f"{options.labels} labels by 2 robots, {seen} compared one by one, {options.kills} kills, {seconds:.0f} s: {len(wrong)} mistakes")
    for line in wrong:
        print(f"  {line}")
    times = time_keys()
    print(f"next item on screen after a key: median {times[50]:.0f} ms, 99th of 100 {times[98]:.0f} ms (bar: 50 ms)")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
