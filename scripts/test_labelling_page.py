"""Label in a real browser, by keyboard alone.

`cargo xtask test` builds the program and names it in LABELWISE_PROGRAM; the
browser's name is in LABELWISE_BROWSER.
"""

import io
import json
import math
import random
import tempfile
import time
import unittest
import wave
from pathlib import Path

import labelling_robots
from axe_core_python.selenium import Axe
from labelling import Browser, Server, events, make, make_evaluation
from selenium.webdriver.common.keys import Keys

GUIDE = "# Billing\nPayments and **refunds**.\n\n- one\n- two\n"


class Labelling(unittest.TestCase):
    """One person, one browser."""

    options = ()

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.evaluation = make_evaluation(self.folder)
        guide = Path(self.folder) / "guide.md"
        guide.write_text(GUIDE, encoding="utf-8")
        self.server = Server(self.evaluation, "--port", "0", "--guide", guide, *self.options)
        self.addCleanup(lambda: self.server.close())
        profile = self.enterContext(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        self.browser = Browser(profile)
        self.addCleanup(self.browser.driver.quit)

    def enter(self, name="Ada"):
        """Open the address, say who it is, and wait for the first item."""
        self.browser.driver.get(self.server.addresses[0])
        self.browser.wait(lambda: self.browser.all("#name"))
        self.browser.press(*name, Keys.ENTER)
        return self.browser.wait(self.browser.item)

    def saved(self, number):
        """Wait until so many events are on record, and return them."""
        return self.browser.wait(lambda: (found := events(self.evaluation)) and len(found) == number and found)

    def say(self, words):
        """Wait until the status line has some words."""
        self.browser.wait(lambda: words in self.browser.text(".status"))


class Keyboard(Labelling):
    """Every key does what is printed on its button."""

    def test_one_key_labels_saves_and_goes_on(self):
        first = self.enter()
        self.browser.press("1")
        second = self.browser.wait(lambda: self.browser.item() not in ("", first) and self.browser.item())
        self.say("Saved item 1 as Billing")
        self.browser.press("t")
        self.say("Saved item 2 as Technical fault")
        self.browser.press("s", "2")
        self.say("Saved item 3 as skipped: broken")
        found = self.saved(3)
        self.assertEqual([event["id"] for event in found][:2], [first, second])
        self.assertEqual([event["label"] for event in found], ["Billing", "Technical fault", None])
        self.assertEqual({event["who"] for event in found}, {"Ada"})
        self.assertEqual(self.browser.driver.get_log("browser"), [])
        # Nothing is asked of anybody else.
        log = [json.loads(entry["message"])["message"] for entry in self.browser.driver.get_log("performance")]
        sent = [one["params"]["request"]["url"] for one in log if one["method"] == "Network.requestWillBeSent"]
        origin = self.server.addresses[0].split("#")[0]
        self.assertGreater(len(sent), 5)
        self.assertEqual([url for url in sent if not url.startswith((origin, "data:", "chrome:"))], [])

    def test_undo_goes_back_again_and_again(self):
        items = [self.enter()]
        for key in "123":
            self.browser.press(key)
            items.append(self.browser.wait(lambda: self.browser.item() not in items and self.browser.item()))
        self.browser.press("u")
        self.browser.wait(lambda: self.browser.item() == items[2])
        self.browser.press("u")
        self.browser.wait(lambda: self.browser.item() == items[1])
        self.browser.press("4")
        self.say("Saved item 2 as Other")
        self.assertEqual(self.browser.item(), items[3])
        found = self.saved(4)
        self.assertEqual((found[3]["what"], found[3]["id"], found[3]["label"]), ("amended", items[1], "Other"))
        # Looking back changes nothing.
        self.browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
        self.browser.wait(lambda: self.browser.item() == items[2])
        self.browser.press(Keys.ESCAPE)
        self.assertEqual(self.browser.item(), items[3])
        self.assertEqual(len(events(self.evaluation)), 4)

    def test_notes_guide_keys_and_later(self):
        first = self.enter()
        self.browser.press("n", *"two wishes", Keys.ENTER, "1")
        self.say("Saved item 1")
        self.assertEqual(self.saved(1)[0]["note"], "two wishes")
        self.browser.press("g")
        self.browser.wait(lambda: "Payments and refunds." in self.browser.text("#guide"))
        self.browser.press("g", "?")
        self.browser.wait(lambda: "undo, again and again" in self.browser.text("#keys"))
        self.browser.press("?")
        second = self.browser.item()
        self.browser.press("d")
        self.browser.wait(lambda: self.browser.item() not in (first, second, ""))
        self.assertEqual(len(events(self.evaluation)), 1)

    def test_keys_can_be_switched_off(self):
        self.enter()
        self.browser.press("?")
        self.browser.run("document.querySelector('#keys-on').click()")
        self.browser.press("1")
        time.sleep(0.3)
        self.assertEqual(events(self.evaluation), [])
        # A button works all the same.
        self.browser.run("document.querySelector('.choice').focus()")
        self.browser.press(Keys.ENTER)
        self.say("Saved item 1")

    def test_the_next_item_is_there_within_50_ms(self):
        self.enter()
        script = """
            const done = arguments[0];
            const before = document.querySelector('.item h1').lastChild.textContent;
            const start = performance.now();
            document.dispatchEvent(new KeyboardEvent('keydown', {key: '1', bubbles: true}));
            const look = () => {
                const heading = document.querySelector('.item h1')?.lastChild.textContent;
                if (heading && heading !== before) requestAnimationFrame(() => done(performance.now() - start));
                else setTimeout(look, 1);
            };
            look();
        """
        times = []
        for _ in range(10):
            self.browser.wait(lambda: self.browser.kept() == 0)
            time.sleep(0.2)
            times.append(self.browser.driver.execute_async_script(script))
        self.assertLess(sorted(times)[4], 50, times)


# Labels some items without the screen, as a second person would.
LABEL = """
    const [count, done] = arguments;
    const go = async () => {
        for (let number = 0; number < count; number += 1) {
            const { items: [item] } = await (await fetch("/api/next")).json();
            const body = JSON.stringify({ item: item.item, label: number % 4 ? "Billing" : "Other", key: item.item });
            await fetch("/api/labels", { method: "POST", headers: { "Content-Type": "application/json" }, body });
        }
    };
    go().then(() => done(true), (error) => done(String(error)));
"""


class Owner(Labelling):
    """The owner's screen."""

    def press_button(self, words):
        """Press a button by its words."""
        self.browser.wait(lambda: self.browser.run("const one = [...document.querySelectorAll('button')].find((one) => one.textContent === arguments[0]); one?.click(); return Boolean(one)", words))

    def test_what_is_typed_stays_while_numbers_change(self):
        self.enter()
        self.press_button("Estimate")
        self.browser.wait(lambda: self.browser.all("#invite"))
        self.browser.run("document.querySelector('#invite').focus()")
        self.browser.press(*"Ben")
        self.assertEqual(self.browser.driver.execute_async_script(LABEL, 12), True)
        self.browser.wait(lambda: "Estimate from 12 labels" in self.browser.run("return document.querySelector('.owner .sr').textContent"))
        self.assertEqual(self.browser.run("return document.querySelector('#invite').value"), "Ben")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "invite")
        self.browser.wait(lambda: self.browser.run("return document.querySelector('.chart').naturalWidth") > 0)

    def test_screens_that_are_left_hold_no_connection(self):
        self.enter()
        for _ in range(4):
            self.press_button("Estimate")
            self.browser.wait(lambda: self.browser.all("#invite"))
            self.press_button("Hide the estimate")
            self.browser.wait(self.browser.item)
        # The person looks at another tab, and comes back.
        self.browser.run("document.dispatchEvent(new Event('visibilitychange'))")
        time.sleep(0.5)
        self.browser.press("1")
        self.say("Saved item 1 as Billing")


class Disconnected(Labelling):
    """The server goes, and nothing is lost."""

    def test_answers_survive_a_dead_server_and_a_reload(self):
        self.enter()
        port = self.server.addresses[0].split("/#")[0].rsplit(":", 1)[1]
        self.browser.press("1")
        self.say("Saved item 1")
        self.browser.wait(lambda: self.browser.run("return true") and self.browser.item())
        time.sleep(0.5)
        self.server.kill()
        items = []
        for key in "23":
            items.append(self.browser.item())
            self.browser.press(key)
            self.browser.wait(lambda: self.browser.item() != items[-1])
        self.browser.wait(lambda: "Nothing is lost" in self.browser.text(".alert"))
        self.say("Kept, not yet saved")
        self.assertEqual(self.browser.kept(), 2)
        self.server = Server(self.evaluation, "--port", port)
        self.browser.wait(lambda: "was started again" in self.browser.text(".alert"))
        self.assertEqual(self.browser.kept(), 2)
        self.browser.driver.get(self.server.addresses[0])
        self.browser.wait(lambda: self.browser.item() and self.browser.kept() == 0)
        found = self.saved(3)
        self.assertEqual([event["id"] for event in found[1:]], items)
        self.assertEqual([event["label"] for event in found[1:]], ["Technical fault", "Account access"])

    def test_robots_and_kills(self):
        wrong, kills = labelling_robots.run(labels=40, kills=6)
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(kills, 3)


def probabilities(rng, names):
    """Return random probabilities of some classes, as columns."""
    parts = [0.02 + rng.random() ** 3 for _ in names]
    return {f"prob_{name}": part / sum(parts) for name, part in zip(names, parts, strict=True)}


CHAT = json.dumps([
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where is my parcel? <img src=x onerror=alert(1)>"},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "find", "arguments": '{"id": "A-1"}'}}]},
    {"role": "tool", "name": "find", "content": '{"status": "delivered"}'},
    {"role": "assistant", "content": "It was **delivered**:\n\n1. look there\n2. `ask` again"},
])

MARKDOWN = "# Notice\n\nSome *words* and [a link](javascript:alert(1)).\n\n- one\n- two\n\n```\ncode <b>\n```\n"


class Tasks(unittest.TestCase):
    """Other tasks and other items than texts with a few classes."""

    def begin(self, rows, *options, label=()):
        """Open the page of an evaluation of some rows, and wait for the first item."""
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.evaluation = make(self.folder, rows, *options)
        self.server = Server(self.evaluation, "--port", "0", "--who", "Ada", *label)
        self.addCleanup(lambda: self.server.close())
        profile = self.enterContext(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        self.browser = Browser(profile)
        self.addCleanup(self.browser.driver.quit)
        self.browser.driver.get(self.server.addresses[0])
        first = self.browser.wait(self.browser.item)
        Accessible.check(self, "item")
        return first

    def told(self, number):
        """Wait until so many answers are on record, and return them."""
        return self.browser.wait(lambda: (found := events(self.evaluation)) and len(found) == number and found)

    def test_digits_are_their_own_keys(self):
        rng = random.Random(1)
        names = [str(digit) for digit in range(10)]
        self.begin([{"id": f"d{i}", **probabilities(rng, names), "text": f"digit {i}"} for i in range(60)])
        for key in ["0", "1", "9"]:
            item = self.browser.item()
            self.browser.press(key)
            self.browser.wait(lambda item=item: self.browser.item() not in ("", item))
        self.assertEqual([event["label"] for event in self.told(3)], ["0", "1", "9"])

    def test_two_hundred_classes_are_searched(self):
        rng = random.Random(2)
        names = [f"{kind} {number}" for kind in ["Cups", "Knives", "Lamps", "Jars"] for number in range(50)]
        first = self.begin([{"id": f"s{i}", **probabilities(rng, names), "text": f"thing {i}"} for i in range(30)])
        self.browser.press(*"lamps 7")
        self.browser.wait(lambda: "1 of 200" in self.browser.text(".found-count"))
        Accessible.check(self, "search")
        self.browser.press(Keys.ENTER)
        second = self.browser.wait(lambda: self.browser.item() not in ("", first) and self.browser.item())
        # The class just used has a key now, once the field is left.
        self.browser.press(Keys.ESCAPE, "1")
        self.browser.wait(lambda: self.browser.item() not in ("", second))
        self.assertEqual([event["label"] for event in self.told(2)], ["Lamps 7", "Lamps 7"])

    def test_verdicts_have_keys_and_other_classes_a_field(self):
        rows = [{"id": f"v{i}", "verdict": "pass" if i % 3 else "fail", "answer_text": f"answer {i}"} for i in range(60)]
        first = self.begin(rows, "--hard", "verdict", "--loss", "accuracy")
        self.browser.press("p")
        second = self.browser.wait(lambda: self.browser.item() not in ("", first) and self.browser.item())
        self.browser.press("/", *"refused", Keys.ENTER)
        third = self.browser.wait(lambda: self.browser.item() not in ("", first, second) and self.browser.item())
        self.browser.wait(lambda: "refused" in self.browser.text(".answers"))
        self.browser.press("3")
        self.browser.wait(lambda: self.browser.item() not in ("", third))
        self.assertEqual([event["label"] for event in self.told(3)], ["pass", "refused", "refused"])
        self.assertNotIn("verdict", self.browser.text(".item"))

    def test_ratings_are_typed(self):
        rng = random.Random(3)
        rows = [{"id": f"r{i}", "stars": 1 + rng.randrange(5), "answer": f"answer {i}"} for i in range(60)]
        first = self.begin(rows, "--judge", "stars", "--loss", "value", "--range", "1,5")
        self.browser.press("9", Keys.ENTER)
        self.browser.wait(lambda: "9 is not from 1 to 5" in self.browser.text("#number-wrong"))
        Accessible.check(self, "wrong number")
        self.browser.press(Keys.BACKSPACE, *"4.5", Keys.ENTER)
        self.browser.wait(lambda: self.browser.item() not in ("", first))
        self.assertEqual([event["label"] for event in self.told(1)], ["4.5"])
        self.assertNotIn("stars", self.browser.text(".item"))

    def test_preferences_by_worth_and_pass_rates_have_keys(self):
        rng = random.Random(4)
        rows = [{"id": f"w{i}", "vote": rng.choice(["A", "tie", "B"]), "text": f"text {i}"} for i in range(60)]
        first = self.begin(rows, "--judge", "vote", "--loss", "value", "--worth", "A=1,tie=0.5,B=0")
        self.browser.press("t")
        self.browser.wait(lambda: self.browser.item() not in ("", first))
        self.assertEqual([event["label"] for event in self.told(1)], ["tie"])

    def test_sides_are_in_random_order(self):
        rng = random.Random(5)
        rows = [{"id": f"p{i}", **probabilities(rng, ["a", "b", "tie"]), "one": f"first {i}", "two": f"second {i}"} for i in range(40)]
        self.begin(rows, label=["--pair", "one,two"])
        expected, swapped = [], 0
        for number in range(8):
            item = self.browser.item()
            sides = self.browser.run("return [...document.querySelectorAll('.side .text')].map((one) => one.innerText)")
            swapped += sides[0].startswith("second")
            expected.append((item, "b" if sides[0].startswith("second") else "a"))
            self.browser.press("a")
            self.browser.wait(lambda item=item: self.browser.item() not in ("", item))
            self.assertEqual(len(self.told(number + 1)), number + 1)
        self.assertEqual([(event["id"], event["label"]) for event in self.told(8)], expected)
        self.assertTrue(0 < swapped < 8, swapped)

    def test_items_of_every_kind_are_shown_and_nothing_in_them_runs(self):
        media = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (media / "tone.wav").write_bytes(tone())
        (media / "dot.png").write_bytes(PNG)
        row = {"chat": CHAT, "note": MARKDOWN, "record": '{"a": [1, 2], "b": "<b>"}', "code": "if x:\n    print(1)", "picture": "dot.png", "sound": "tone.wav", "price": "3 euros", "more": "folded words"}
        rng = random.Random(6)
        rows = [{"id": f"k{i}", **probabilities(rng, ["good", "bad"]), **row} for i in range(20)]
        self.begin(rows, label=["--media", media, "--fold", "more"])
        text = self.browser.text(".item")
        for words in ["System prompt", "Called find", "Result of find", "a link (javascript:alert(1))", "code <b>", "3 euros", "onerror=alert(1)"]:
            self.assertIn(words, text)
        for hidden in ["Be brief", "A-1", "folded words"]:
            self.assertNotIn(hidden, text)
        self.assertEqual(len(self.browser.all(".item li")), 4)
        self.assertEqual([self.browser.all(f".item {tag}") for tag in ["a", "script", "b"]], [[], [], []])
        self.browser.wait(lambda: self.browser.run("return document.querySelector('.item img').naturalWidth") == 1)
        seek = """
            const done = arguments[0], audio = document.querySelector('.item audio');
            const go = () => { audio.addEventListener('seeked', () => done(audio.currentTime)); audio.currentTime = 1.5; };
            if (audio.readyState > 0) go(); else { audio.addEventListener('loadedmetadata', go); audio.load(); }
        """
        self.assertAlmostEqual(self.browser.driver.execute_async_script(seek), 1.5, 1)
        self.assertEqual(self.browser.driver.get_log("browser"), [])


def tone():
    """Return two seconds of a tone."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(int(9000 * math.sin(i / 3)).to_bytes(2, "little", signed=True) for i in range(16000)))
    return buffer.getvalue()


# One white dot.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000"
    "000b49444154789c63f80f040009fb03fdfb5e6b2b0000000049454e44ae426082"
)


class Accessible(Labelling):
    """Every screen passes axe-core, fits a phone, and holds at 200 % zoom."""

    def check(self, name):
        """Ask axe-core about the page as it is."""
        found = Axe().run(self.browser.driver)["violations"]
        said = [f"{name}: {one['id']}: {one['help']}: {one['nodes'][0]['html']}" for one in found]
        self.assertEqual(said, [])
        overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        self.assertEqual(self.browser.run(overflow), 0, name)

    def test_screens(self):
        self.browser.driver.get(self.server.addresses[0])
        self.browser.wait(lambda: self.browser.all("#name"))
        self.check("name")
        self.browser.press(*"Ada", Keys.ENTER)
        self.browser.wait(self.browser.item)
        for scheme in ["light", "dark"]:
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            self.check(f"item, {scheme}")
            self.browser.press("1")
            self.say("Saved")
            self.browser.press("s")
            self.check(f"skip, {scheme}")
            self.browser.press(Keys.ESCAPE, "n")
            self.check(f"note, {scheme}")
            self.browser.press(Keys.ESCAPE, "g", "?")
            self.browser.wait(lambda: "Payments" in self.browser.text("#guide"))
            self.check(f"guide and keys, {scheme}")
            self.browser.press("g", "?", Keys.ARROW_LEFT)
            self.browser.wait(lambda: "looking back" in self.browser.text(".banner"))
            self.check(f"looking back, {scheme}")
            self.browser.press(Keys.ESCAPE)
        for width, height in [(390, 844), (694, 434)]:
            self.browser.resize(width, height)
            self.check(f"{width} pixels")
        self.browser.resize(1388, 868)
        for _ in range(12):
            item = self.browser.item()
            self.browser.press("2")
            self.browser.wait(lambda: self.browser.item() not in ("", item))
        self.browser.run("[...document.querySelectorAll('nav button')].find((one) => one.textContent === 'Estimate').click()")
        self.browser.wait(lambda: "is estimated at" in self.browser.text("#headline"))
        self.check("estimate")
        self.browser.resize(390, 844)
        self.check("estimate on a phone")
        self.server.kill()
        self.browser.run("[...document.querySelectorAll('nav button')].find((one) => one.textContent === 'Hide the estimate').click()")
        self.browser.wait(lambda: "stopped answering" in self.browser.text(".alert"))
        self.check("no server")
        self.server = Server(self.evaluation, "--port", "0")


if __name__ == "__main__":
    unittest.main()
