"""Show the labelling page: every kind of item, every state, light and dark, on a phone and at 200 % zoom, as pictures to look at.

    LABELWISE_PROGRAM=target/debug/labelwise python scripts/labelling_pictures.py FOLDER [NAME ...]

`first-*` are what a person sees between `labelwise label` and the first label. NAME picks series. Chromium and chromedriver must be
installed; `cargo xtask test` installs them.
"""

import contextlib
import importlib.resources
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import labelling
from selenium.webdriver.common.keys import Keys
from test_labelling_tasks import probabilities, tone

GUIDE = """# What we want to know

Which team should answer the ticket? Choose the team that can do the **first useful step**.

## Billing
Payments, invoices, refunds, and changes of a plan.

## Account access
- logging in, codes, lost phones
- rights of people in a workspace

## If two teams fit
Choose the one whose work the customer names first.
"""

TICKETS = [
    ("Charged twice for October", "Hello,\n\nmy card statement shows two payments of €49.00 on 3 October, both with your name on them. I have only one workspace, so one must be a mistake.\n\nCould you send back the second payment?\n\nMarta Oliveira"),
    ("Export stops at 65,536 rows", "Since last week the CSV export of our contact list ends after 65,536 rows without any message. The list has about 81,000 contacts. We tried two browsers and two accounts.\n\nIs there a limit that we have missed?"),
    ("New phone, old codes", "I bought a new phone, and the codes for logging in are on the old one, which I no longer have. How do I get in?"),
    ("Where is the invoice?", "Our accountant needs the invoice of September. The page of invoices shows October alone."),
]

CHAT = [
    {"role": "system", "content": "You answer for a shop. Be brief and kind. Do not promise dates."},
    {"role": "user", "content": "Your tracking page says that my parcel A-20931 was delivered yesterday at 14:10, but there is nothing here. It is a birthday present for Saturday. What now?"},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "find_order", "arguments": '{"id": "A-20931"}'}}]},
    {"role": "tool", "name": "find_order", "content": '{"status": "delivered", "at": "2026-11-16 14:10", "place": "porch, left side"}'},
    {"role": "assistant", "content": "I am sorry, that is worrying so close to a birthday. The driver noted *left in the porch, left side* at 14:10.\n\n1. Please look there first, also behind the bins.\n2. If it is not there, answer **not found**. I will report it as lost and send a new one."},
]

OTHER = [{"role": "assistant", "content": "Thank you for reaching out! According to our system your parcel was delivered on 16 November at 14:10.\n\nParcels marked as delivered sometimes turn up within 48 hours. Is there anything else that I can help you with?"}]

CODE = "def settle(orders):\n    total = 0\n    for order in orders:\n        if order.paid is False:\n            total += order.amount\n    return total\n"

RECORD = json.dumps({"order": "A-20931", "lines": [{"sku": "7701943", "words": "Slow-drip cold brew set, 600 ml", "count": 1, "price": 64.9}, {"sku": "1200381", "words": "Paper filters, 100", "count": 3, "price": 4.2}], "customer": {"country": "PT", "since": 2019, "tags": ["gift", "express"]}, "note": "Please wrap it. It is a birthday present for Saturday, and the card should say: from all of us."})

KINDS = ["Cups", "Kitchen knives", "Table lamps", "Storage jars", "Coffee makers", "Tea pots", "Baking tins", "Drinking glasses"]


class Gallery:
    """Pictures of one run."""

    def __init__(self, target, work):
        self.target, self.work = target, work
        self.number = 0
        self.stack = contextlib.ExitStack()
        self.browser = labelling.Browser(work / "profile")
        self.stack.callback(self.browser.driver.quit)

    def open(self, rows, *options, label=()):
        """Open the page of some rows, and wait for its first item."""
        self.number += 1
        folder = self.work / str(self.number)
        folder.mkdir()
        self.evaluation = labelling.make(folder, rows, *options)
        named = self.evaluation.rename(folder / "support.labelwise")
        self.evaluation = named
        self.start("--who", "Ada", *label)
        self.browser.driver.get(self.server.addresses[0])
        self.browser.wait(self.browser.item)

    def start(self, *options):
        """Start the server."""
        self.options = options
        self.server = labelling.Server(self.evaluation, "--port", "0", *options)
        self.stack.callback(self.server.kill)

    def take(self, name):
        """Write what the browser shows."""
        self.browser.run("document.documentElement.style.scrollbarWidth = 'none'")
        # Two frames: what was just changed is drawn.
        self.browser.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 100)))")
        (self.target / f"{name}.png").write_bytes(self.browser.driver.get_screenshot_as_png())

    def answer(self, *keys):
        """Press keys that answer, and wait until the next item is there and all is saved."""
        item = self.browser.item()
        self.browser.press(*keys)
        self.browser.wait(lambda: self.browser.item() not in ("", item) and self.browser.kept() == 0)

    def dark(self, on):
        """Show dark or light colours."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def phone(self, on):
        """Show the page on a phone."""
        if on:
            self.browser.resize(390, 844, mobile=True)
            self.browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        else:
            self.browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
            self.browser.resize(1388, 868)

    def press_button(self, words):
        """Press a button by its words."""
        self.browser.run("[...document.querySelectorAll('button')].find((one) => one.textContent.includes(arguments[0])).click()", words)


def tickets(number=240):
    """Return support tickets."""
    rng = random.Random(3)
    rows = []
    for item in range(number):
        subject, text = TICKETS[item % len(TICKETS)]
        rows.append({"id": f"ticket-{51204 + 7 * item}", **probabilities(rng, labelling.CLASSES), "subject": subject, "text": text, "channel": "web form", "day": f"{1 + item % 28} October", "agent_notes": "Second ticket of this customer this month; the first one was answered within the hour."})
    return rows


QUESTION = ["--question", "Which team should answer this ticket?", "--fold", "agent_notes"]


def first(gallery):
    """What a person sees between the command and the first label."""
    folder = gallery.work / "first"
    folder.mkdir()
    made = labelling.make(folder, tickets())
    gallery.evaluation = made.rename(folder / "support.labelwise")
    help_text = subprocess.run([labelling.program(), "label", "--help"], check=True, capture_output=True, text=True).stdout
    (gallery.target / "first-0-help.txt").write_text(help_text)
    command = [labelling.program(), "label", gallery.evaluation, "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = [process.stdout.readline(), process.stdout.readline()]
    address = said[0].strip()
    gallery.browser.driver.get(address)
    gallery.browser.wait(lambda: gallery.browser.all("#name"))
    gallery.take("first-1-name")
    gallery.browser.press(*"Ada", Keys.ENTER)
    gallery.browser.wait(gallery.browser.item)
    gallery.take("first-2-item")
    gallery.answer("1")
    gallery.browser.wait(lambda: "Saved" in gallery.browser.text(".status"))
    gallery.take("first-3-saved")
    gallery.browser.driver.get(address)
    gallery.browser.wait(gallery.browser.item)
    process.terminate()
    said.append(process.communicate()[0])
    (gallery.target / "first-4-terminal.txt").write_text("$ labelwise label support.labelwise\n" + "".join(said))


def text(gallery):
    """A text with a few classes, and all that can be opened beside it."""
    guide = gallery.work / "guide.md"
    guide.write_text(GUIDE)
    gallery.open(tickets(), label=["--guide", guide, *QUESTION])
    for key in "12341":
        gallery.answer(key)
    gallery.browser.wait(lambda: "Saved" in gallery.browser.text(".status"))
    gallery.take("text")
    gallery.dark(True)
    gallery.take("text-dark")
    gallery.dark(False)
    gallery.browser.press("s")
    gallery.take("text-skip")
    gallery.browser.press(Keys.ESCAPE, "n", *"two wishes")
    gallery.take("text-note")
    gallery.browser.press(Keys.ENTER, "?")
    gallery.take("text-keys")
    gallery.browser.press("?", "g")
    gallery.browser.wait(lambda: gallery.browser.text("#guide"))
    gallery.take("text-guide")
    gallery.browser.press("g", "u")
    gallery.browser.wait(lambda: "open again" in gallery.browser.text(".banner"))
    gallery.take("text-undo")
    gallery.browser.press(Keys.ESCAPE)
    gallery.phone(True)
    gallery.take("text-phone")
    gallery.phone(False)
    # Somebody else was faster, by a command.
    labels = gallery.work / "labels.csv"
    labels.write_text(f"id,label\n{gallery.browser.item()},Other\n")
    subprocess.run([labelling.program(), "tell", gallery.evaluation, labels, "--who", "Ben"], check=True, capture_output=True)
    gallery.browser.press("1")
    gallery.browser.wait(lambda: "Not saved" in gallery.browser.text(".status"))
    gallery.take("text-refused")
    # What a browser shows at 200 % of a window of 1388 x 868.
    gallery.browser.resize(694, 434)
    gallery.take("text-zoom")
    gallery.browser.resize(1388, 868)


def offline(gallery):
    """The server is gone, and comes back."""
    gallery.open(tickets(), label=QUESTION)
    for key in "12":
        gallery.answer(key)
    port = gallery.server.addresses[0].split("/#")[0].rsplit(":", 1)[1]
    gallery.browser.wait(lambda: gallery.browser.ready() >= 3)
    gallery.server.kill()
    for key in "31":
        item = gallery.browser.item()
        gallery.browser.press(key)
        gallery.browser.wait(lambda item=item: gallery.browser.item() != item)
    gallery.browser.wait(lambda: "2 answers" in gallery.browser.text(".alert"))
    gallery.take("offline")
    gallery.dark(True)
    gallery.take("offline-dark")
    gallery.dark(False)
    gallery.phone(True)
    gallery.take("offline-phone")
    gallery.phone(False)
    gallery.server = labelling.Server(gallery.evaluation, "--port", port, *gallery.options)
    gallery.stack.callback(gallery.server.kill)
    gallery.browser.wait(lambda: "started again" in gallery.browser.text(".alert"))
    gallery.take("restarted")


def chat(gallery):
    """A chat with a tool, and a pair of answers."""
    rng = random.Random(4)
    rows = [{"id": f"conv-{388 + item:04}", **probabilities(rng, ["helps", "does not help"]), "messages": json.dumps(CHAT)} for item in range(40)]
    gallery.open(rows, label=["--question", "Does the answer help this customer?"])
    gallery.take("chat")
    gallery.browser.run("document.querySelectorAll('details').forEach((one) => one.open = true)")
    gallery.take("chat-open")
    rows = [{"id": f"conv-{388 + item:04}", **probabilities(rng, ["a", "b", "tie"]), "conversation": json.dumps(CHAT[:2]), "one": json.dumps(CHAT[2:]), "two": json.dumps(OTHER)} for item in range(40)]
    gallery.open(rows, label=["--pair", "one,two", "--question", "Which answer helps this customer more?"])
    gallery.answer("t")
    gallery.take("pair")
    gallery.dark(True)
    gallery.take("pair-dark")
    gallery.dark(False)
    gallery.phone(True)
    gallery.take("pair-phone")
    gallery.phone(False)


def numbers(gallery):
    """Ratings, values, and pass rates."""
    rng = random.Random(5)
    rows = [{"id": f"summary-{item}", "score": round(10 * rng.random(), 1), "summary": "The council agreed on Tuesday to keep the Friday market in Brook Street until the new square opens in May. Stall holders had asked for two more months. Parking stays free before 9:00.", "article": "The Friday market may stay in Brook Street until the new square is finished, the council decided on Tuesday by nine votes to four. The square is to open in May.\n\nStall holders had asked for two more months, until July, because the first weeks on a new site are slow."} for item in range(40)]
    gallery.open(rows, "--judge", "score", "--loss", "value", "--range", "0,10", label=["--fold", "article", "--question", "How faithful is the summary to the article?"])
    gallery.answer(*"7,5", Keys.ENTER)
    gallery.browser.press(*"11", Keys.ENTER)
    gallery.take("rating-wrong")
    gallery.browser.press(Keys.BACKSPACE, Keys.BACKSPACE, *"9")
    gallery.take("rating")
    gallery.phone(True)
    gallery.take("rating-phone")
    gallery.phone(False)


def many(gallery):
    """Two hundred classes."""
    rng = random.Random(6)
    names = [f"{kind} {number}" for kind in KINDS for number in range(25)]
    rows = [{"id": f"sku-{7701943 + item}", **probabilities(rng, names), "title": "Slow-drip cold brew set, 600 ml, beech stand", "text": "Three-part tower with adjustable valve: ice and water above, grounds in the middle, a carafe with a lid below. One to two drops a second, ready in about four hours. With 50 paper discs.", "brand": "Nordwand", "price": "€64.90", "weight": "1.4 kg"} for item in range(40)]
    gallery.open(rows, label=["--question", "Which category does it belong to?"])
    gallery.take("many-start")
    for words in ["cups 3", "lamps 7", "tea"]:
        gallery.answer(*words, Keys.ENTER)
    gallery.browser.press(*"coff")
    gallery.take("many")
    gallery.browser.resize(694, 434)
    gallery.take("many-zoom")
    gallery.phone(True)
    gallery.take("many-phone")
    gallery.phone(False)


def media(gallery):
    """Images and audio, JSON and code, tables."""
    rng = random.Random(7)
    folder = gallery.work / "media"
    folder.mkdir()
    # Two photographs that are part of scikit-learn.
    for name in ["china.jpg", "flower.jpg"]:
        with importlib.resources.as_file(importlib.resources.files("sklearn.datasets.images") / name) as path:
            shutil.copy(path, folder)
    (folder / "tone.wav").write_bytes(tone())
    pictures = sorted(path.name for path in folder.glob("*.jpg"))
    rows = [{"id": f"photo-{item}", **probabilities(rng, ["building", "plant"]), "photo": pictures[item % 2]} for item in range(30)]
    gallery.open(rows, label=["--media", folder])
    gallery.browser.wait(lambda: gallery.browser.run("return document.querySelector('.item img').naturalWidth") > 0)
    gallery.take("image")
    gallery.phone(True)
    gallery.take("image-phone")
    gallery.phone(False)
    rows = [{"id": f"call-{item}", **probabilities(rng, ["tone", "speech", "silence"]), "recording": "tone.wav", "transcript": "(a steady tone)"} for item in range(30)]
    gallery.open(rows, label=["--media", folder])
    gallery.take("audio")
    rows = [{"id": f"review-{item}", **probabilities(rng, ["right", "wrong"]), "task": "Sum up the amounts of all orders that are not paid yet. An order without a state counts as not paid.", "code": CODE, "record": RECORD} for item in range(30)]
    gallery.open(rows)
    gallery.take("code")
    rows = [{"id": f"row-{item}", **probabilities(rng, ["duplicate", "different"]), "name": "Oliveira, Marta", "name on the card": "M. OLIVEIRA", "city": "Porto", "born": "1987-03-12", "phone": "+351 220 000 000"} for item in range(30)]
    gallery.open(rows)
    gallery.take("table")
    rows = [{"id": f"note-{item}", **probabilities(rng, ["clear", "unclear"]), "notice": "# Changes in November\n\nFrom **10 November** the lift in building B is closed. Please use\n\n1. the stairs, or\n2. the lift in building C, [second door](https://example.test/map).\n\n> Deliveries come by the yard.\n\n```\nopen  07:00\nclose 19:00\n```\n\nQuestions: `house@example.test`."} for item in range(30)]
    gallery.open(rows)
    gallery.take("markdown")


def owner(gallery):
    """The owner's screen, with two people and a judge."""
    rng = random.Random(8)
    rows = []
    for item in range(600):
        score = rng.random() ** 0.5
        rows.append({"id": f"answer-{item}", "judge": round(score, 3), "question": f"Question {item}: what does the plan cost in a year?", "answer": "It costs €588 in a year, which is €49.00 in each of twelve months."})
    gallery.open(rows, "--judge", "judge", "--loss", "rate", "--positive", "pass", label=["--invite", "Ben", "--overlap", "2", "--goal", "150", "--batch", "20"])
    gallery.press_button("Estimate")
    gallery.browser.wait(lambda: gallery.browser.text("#headline"))
    gallery.take("owner-empty")
    gallery.press_button("Hide the estimate")
    gallery.browser.wait(gallery.browser.item)
    script = """
        const [count, done] = arguments;
        const go = async () => {
            for (let number = 0; number < count; number += 1) {
                const { items: [item] } = await (await fetch("/api/next")).json();
                const body = JSON.stringify({ item: item.item, label: Math.sin(item.number) > -0.5 ? "pass" : "fail", key: String(number) });
                await fetch("/api/labels", { method: "POST", headers: { "Content-Type": "application/json" }, body });
            }
        };
        go().then(() => done(true), (error) => done(String(error)));
    """
    assert gallery.browser.driver.execute_async_script(script, 80) is True
    ben = labelling.Browser(gallery.work / "ben")
    gallery.stack.callback(ben.driver.quit)
    ben.driver.get(gallery.server.addresses[1])
    ben.wait(ben.item)
    for number in range(12):
        item = ben.item()
        ben.press("2" if number % 5 == 0 else "1")
        ben.wait(lambda item=item: ben.item() not in ("", item))
    ben.press("s", "1")
    ben.wait(lambda: ben.kept() == 0)
    gallery.browser.driver.refresh()
    gallery.browser.wait(gallery.browser.item)
    gallery.press_button("Estimate")
    gallery.browser.wait(lambda: "is estimated at" in gallery.browser.text("#headline") and gallery.browser.run("return document.querySelector('.chart').naturalWidth > 0"))
    height = gallery.browser.run("return document.documentElement.scrollHeight")
    gallery.browser.resize(1100, max(900, height + 80))
    gallery.browser.wait(lambda: gallery.browser.run("return document.querySelector('.chart').complete"))
    gallery.take("owner")
    gallery.dark(True)
    gallery.press_button("Ask for 50 more")
    gallery.browser.wait(lambda: "dark" in gallery.browser.run("return document.querySelector('.chart').currentSrc") and gallery.browser.run("return document.querySelector('.chart').complete"))
    gallery.take("owner-dark")
    gallery.dark(False)
    gallery.browser.resize(390, 2600, mobile=True)
    gallery.take("owner-phone")
    gallery.phone(False)


def done(gallery):
    """The goal is reached; a session that is not known."""
    gallery.open(tickets(40), label=["--goal", "2", *QUESTION])
    gallery.answer("1")
    gallery.browser.press("2")
    gallery.browser.wait(lambda: "That was item" in gallery.browser.text(".done") and gallery.browser.kept() == 0)
    gallery.take("done")
    gallery.browser.driver.delete_all_cookies()
    gallery.browser.driver.get(gallery.server.addresses[0].split("#")[0])
    gallery.browser.wait(lambda: "labelwise printed" in gallery.browser.text("#said"))
    gallery.take("door")


SERIES = [first, text, offline, chat, numbers, many, media, owner, done]


def main(target, names):
    """Write the pictures of the series that were named, or of all."""
    target.mkdir(parents=True, exist_ok=True)
    for series in SERIES:
        if names and series.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
            gallery = Gallery(target, pathlib.Path(work))
            with gallery.stack:
                series(gallery)
        print(series.__name__)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
