"""Label in a real browser, by keyboard alone.

`cargo xtask test` builds the program and names it in LABELWISE_PROGRAM; the
browser's name is in LABELWISE_BROWSER.
"""

import http.server
import json
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import labelling_robots
from labelling import Browser, Server, check_access, events, make_evaluation
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
        first = self.browser.item()
        self.browser.press("1", "2", "s", "d")
        self.assertEqual(self.browser.item(), first)
        # A button works all the same. What the keys had done would be on record before.
        self.browser.run("document.querySelectorAll('.choice')[2].focus()")
        self.browser.press(Keys.ENTER)
        self.say("Saved item 1")
        self.assertEqual([event["label"] for event in events(self.evaluation)], ["Account access"])

    def test_the_next_item_waits_for_nobody(self):
        """The next item is there when the key has been handled: its nodes, its image, its place in the queue."""
        self.enter()
        self.browser.wait(lambda: self.browser.ready() >= 3)
        script = """
            const heading = () => document.querySelector('.item h1').lastChild.textContent;
            const before = heading();
            document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }));
            return [before, heading()];
        """
        # The server stands still, so nothing of this can come from it.
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            before, after = self.browser.run(script)
            self.assertNotIn(after, ["", before])
            self.assertEqual(self.browser.kept(), 1)
            self.assertNotIn("Saved", self.browser.text(".status"))
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        self.say("Saved item 1 as Billing")


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
        self.browser.wait(lambda: self.browser.ready() >= 3)
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
        wrong, seen = labelling_robots.run(labels=40, kills=6)
        self.assertEqual(wrong, [])
        self.assertGreater(seen, 20)


# A page of another site, open in the same browser. It tries what pages can try, and says so when it is done.
EVIL = """<!doctype html><title>trying</title>
<a id="link" href="ADDRESS">a link</a>
<iframe name="frame" src="SHELL"></iframe>
<img src="SHELLapi/media?item=ITEM&column=text"><script src="SHELLlabel.js"></script><link rel="stylesheet" href="SHELLpage.css">
<form method="post" enctype="text/plain" action="SHELLapi/labels" target="frame"><input name='BODY' value=''></form>
<script>
const read = [];
const note = (name) => (answer) => read.push(name);
const tries = [
    fetch("SHELLapi/next", { credentials: "include" }).then(note("next"), () => {}),
    fetch("SHELLapi/state", { credentials: "include", headers: { "X-Any": "1" } }).then(note("state"), () => {}),
    fetch("SHELLapi/labels", { method: "POST", mode: "no-cors", credentials: "include", body: 'BODY' }).catch(() => {}),
    fetch("SHELLapi/labels", { method: "POST", credentials: "include", headers: { "Content-Type": "application/json" }, body: 'BODY' }).then(note("labels"), () => {}),
    fetch("SHELLapi/session", { method: "DELETE", credentials: "include" }).then(note("session"), () => {}),
    new Promise((done) => { const stream = new EventSource("SHELLapi/events", { withCredentials: true }); stream.onopen = () => done(note("events")()); stream.onerror = done; }),
    Promise.resolve(navigator.sendBeacon("SHELLapi/labels", 'BODY')),
];
document.querySelector("form").submit();
Promise.all(tries).then(() => { document.title = read.length === 0 ? "refused" : `read ${read}`; });
</script>
"""


class Strangers(Labelling):
    """Another page in the same browser."""

    options = ("--invite", "Ben")

    def test_other_sites_reach_nothing_and_a_link_opens_the_page(self):
        item = self.enter()
        shell = self.server.addresses[0].split("#")[0]
        body = json.dumps({"item": item, "label": "Other", "key": "evil"})
        invited = self.server.addresses[1]
        text = EVIL.replace("SHELL", shell).replace("ITEM", item).replace("BODY", body).replace("ADDRESS", invited)

        class Evil(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
        self.addCleanup(evil.server_close)
        self.addCleanup(evil.shutdown)
        threading.Thread(target=evil.serve_forever, daemon=True).start()
        port = evil.server_address[1]
        # Cookies do not know ports: to the browser, the first of them is the same site as the page.
        for host in ["127.0.0.1", "localhost"]:
            self.browser.driver.get_log("performance")
            self.browser.driver.get(f"http://{host}:{port}/")
            self.browser.wait(lambda: self.browser.driver.title != "trying")
            self.assertEqual(self.browser.driver.title, "refused", host)
            log = [json.loads(entry["message"])["message"] for entry in self.browser.driver.get_log("performance")]
            answers = [one["params"]["response"] for one in log if one["method"] == "Network.responseReceived"]
            statuses = [one["status"] for one in answers if one["url"].startswith(shell)]
            self.assertGreater(len(statuses), 3)
            self.assertEqual(set(statuses), {403}, host)
        self.assertEqual(events(self.evaluation), [])
        # A link that a person follows is another matter.
        self.browser.run("document.querySelector('#link').click()")
        self.browser.wait(lambda: self.browser.item() not in ("", item))
        self.browser.press("1")
        self.say("Saved item")
        self.assertEqual([event["who"] for event in self.saved(1)], ["Ben"])


class Accessible(Labelling):
    """Every screen passes axe-core, fits a phone, and holds at 200 % zoom."""

    def check(self, name):
        """Ask axe-core about the page as it is."""
        check_access(self, self.browser, name)

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
