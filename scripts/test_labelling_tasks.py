"""Label items of other kinds in a real browser: many classes, numbers, pairs, chats, images and sounds.

`cargo xtask test` builds the program and names it in LABELWISE_PROGRAM; the
browser's name is in LABELWISE_BROWSER.
"""

import io
import json
import math
import random
import tempfile
import unittest
import wave
from pathlib import Path

from labelling import Browser, Server, check_access, events, make
from selenium.webdriver.common.keys import Keys


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
        check_access(self, self.browser, "item")
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
        check_access(self, self.browser, "search")
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
        check_access(self, self.browser, "wrong number")
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


if __name__ == "__main__":
    unittest.main()
