"""Look at a report.html that labelwise has written, in a real browser.

`cargo xtask test` builds the program and names it in LABELWISE_PROGRAM; the
browser's name is in LABELWISE_BROWSER.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

# The pool of the run that the page shows.
LAST = 45

# A machine may be busy; a test that passes never waits that long.
PATIENCE_IN_SECONDS = 60

FLAGS = [
    "--headless",
    # The browser shows nothing but our own page, and root has no sandbox.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def found(name):
    """Return the path of a program, so that Selenium downloads none."""
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"`{name}` is not installed; `cargo xtask test` does it.")
    return path


def write_page(folder, figure, *options):
    """Have the program make a figure, and return the address of its page."""
    program = os.environ.get("LABELWISE_PROGRAM")
    if program is None:
        raise LookupError(
            "LABELWISE_PROGRAM does not name the program; `cargo xtask test` sets it."
        )
    command = [program, "paper", figure, "--scale", "smoke", "--out", folder, *options]
    subprocess.run(command, check=True, capture_output=True)
    return (Path(folder) / "report.html").as_uri()


def start_browser(profile, preferences):
    """Start a browser with an empty profile that keeps a log of what it does."""
    options = webdriver.ChromeOptions()
    options.binary_location = found(os.environ.get("LABELWISE_BROWSER", "chromium"))
    for flag in [*FLAGS, f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(found("chromedriver")))


class Browsing:
    """A page in a browser; to be mixed into a test case."""

    figure = ("2",)
    preferences = {}

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        # Chromium may still write to its profile while it is taken away.
        profile = cls.enterClassContext(
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        )
        cls.address = write_page(folder, *cls.figure)
        cls.browser = start_browser(profile, cls.preferences)
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.open()

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [])

    def open(self, fragment=""):
        """Load the page afresh; a change of fragment alone would not."""
        self.browser.get("about:blank")
        self.browser.get(self.address + fragment)

    def set_width(self, width, height=844):
        """Show the page on a screen of that width until the test is over."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.addCleanup(
            self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {}
        )

    def overflow(self):
        """Return by how many pixels the page can be scrolled sideways."""
        root = "document.documentElement"
        return self.browser.execute_script(
            f"return {root}.scrollWidth - {root}.clientWidth"
        )

    def all(self, selector):
        """Return the elements that a selector finds."""
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        """Return the only element that a selector finds."""
        elements = self.all(selector)
        self.assertEqual(len(elements), 1, selector)
        return elements[0]

    def displayed(self, selector):
        """Return the places, from 1, of the elements that are displayed."""
        elements = enumerate(self.all(selector), 1)
        return [place for place, element in elements if element.is_displayed()]


class ReportPage(Browsing, unittest.TestCase):
    """The page of Figure 2, which is a run to step through."""

    def assert_step(self, step):
        """Check that everything on the page is at one step."""
        self.assertEqual(self.displayed(".frame"), [step])
        self.assertEqual(self.displayed(".caption"), [step])
        caption = self.all(".caption")[step - 1].text
        labelled = f"Step {step}. {step - 1} of {LAST} test points are labelled."
        self.assertTrue(caption.startswith(labelled), caption)
        slider = self.one("#step")
        self.assertEqual(slider.get_property("value"), str(step))
        self.assertEqual(slider.get_attribute("aria-valuetext"), f"step {step} of {LAST}")
        self.assertEqual(self.one("#at").text, f"step {step} of {LAST}")

    def wait_until(self, condition):
        WebDriverWait(self.browser, PATIENCE_IN_SECONDS, 0.05).until(lambda _: condition())

    def step(self):
        return int(self.one("#step").get_property("value"))

    def test_page_opens_at_the_first_step(self):
        self.assert_step(1)
        self.assertEqual(len(self.all(".frame")), LAST)
        self.assertEqual(len(self.all(".caption")), LAST)
        self.assertEqual(self.one("#play").text, "Play")

    def test_arrow_keys_move_the_slider(self):
        slider = self.one("#step")
        slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assert_step(3)
        slider.send_keys(Keys.ARROW_LEFT)
        self.assert_step(2)
        slider.send_keys(Keys.END)
        self.assert_step(LAST)
        slider.send_keys(Keys.ARROW_RIGHT)
        self.assert_step(LAST)
        slider.send_keys(Keys.HOME, Keys.ARROW_LEFT)
        self.assert_step(1)

    def test_dragging_the_slider_shows_its_step(self):
        for step in [20, LAST, 4]:
            self.browser.execute_script(
                "arguments[0].value = arguments[1];"
                "arguments[0].dispatchEvent(new Event('input', { bubbles: true }));",
                self.one("#step"),
                step,
            )
            self.assert_step(step)

    def test_buttons_go_one_step_and_stay_in_range(self):
        self.one("#next").click()
        self.assert_step(2)
        for _ in range(2):
            self.one("#previous").click()
        self.assert_step(1)

    def test_play_stops_on_pause(self):
        play = self.one("#play")
        play.click()
        self.assertEqual(play.text, "Pause")
        self.wait_until(lambda: self.step() >= 3)
        play.click()
        self.assertEqual(play.text, "Play")
        self.assert_stands_still()

    def test_play_stops_when_the_slider_is_moved(self):
        self.one("#play").click()
        self.one("#step").send_keys(Keys.END, Keys.ARROW_LEFT)
        self.assertEqual(self.one("#play").text, "Play")
        self.assert_stands_still()

    def assert_stands_still(self):
        """Check that a step stays for longer than playing would let it."""
        step = self.step()
        self.browser.execute_async_script("setTimeout(arguments[0], 2500)")
        self.assert_step(step)

    def test_play_stops_at_the_end_and_begins_again(self):
        self.open(f"#step={LAST - 2}")
        play = self.one("#play")
        play.click()
        self.wait_until(lambda: play.text == "Play")
        self.assert_step(LAST)
        play.click()
        self.assertEqual(play.text, "Pause")
        self.wait_until(lambda: 1 <= self.step() < LAST)

    def test_address_names_a_step(self):
        for fragment, step in [
            ("#step=7", 7),
            ("#step=999", LAST),
            ("#step=0", 1),
            ("#step=-3", 1),
            ("#step=seven", 1),
            ("#other", 1),
        ]:
            with self.subTest(fragment):
                self.open(fragment)
                self.assert_step(step)

    def test_changed_address_changes_the_step(self):
        self.browser.execute_script("location.hash = 'step=9'")
        self.wait_until(lambda: self.step() != 1)
        self.assert_step(9)

    def test_controls_have_names(self):
        names = {"#step": "step", "#previous": "previous step", "#next": "next step"}
        for selector, name in names.items():
            self.assertEqual(self.one(selector).accessible_name, name)
        self.assertEqual(self.one("#play").accessible_name, "Play")
        self.assertEqual(self.one("#step").aria_role, "slider")
        for picture in self.all(".frame svg, .picture svg"):
            if picture.is_displayed():
                self.assertNotEqual(picture.accessible_name, "")

    def test_frames_draw_what_they_refer_to(self):
        self.open("#step=7")
        uses = self.all(".frame:not([hidden]) use")
        self.assertGreater(len(uses), 0)
        for use in uses:
            self.assertGreater(use.size["width"], 100, use.get_attribute("href"))

    def test_page_fetches_nothing(self):
        self.browser.get_log("performance")
        self.open("#step=3")
        addresses = [
            message["params"]["request"]["url"]
            for entry in self.browser.get_log("performance")
            if (message := json.loads(entry["message"])["message"])["method"]
            == "Network.requestWillBeSent"
        ]
        self.assertIn(self.address, [address.split("#")[0] for address in addresses])
        others = [
            address
            for address in addresses
            if not address.startswith((self.address, "about:", "data:"))
        ]
        self.assertEqual(others, [])

    def test_phone_scrolls_the_pictures_and_not_the_page(self):
        self.set_width(390)
        self.open("#step=7")
        self.assert_step(7)
        self.assertEqual(self.overflow(), 0)
        frames = self.one(".frames")
        self.assertGreater(frames.get_property("scrollWidth"), 390)
        self.assertLess(frames.rect["width"], 390)
        for control in self.all(".controls > *"):
            self.assertLessEqual(control.rect["x"] + control.rect["width"], 390)

    def test_print_shows_the_step_without_its_controls(self):
        self.open("#step=7")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.addCleanup(
            self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": ""}
        )
        self.assertEqual(self.displayed(".frame"), [7])
        self.assertEqual(self.displayed(".caption"), [7])
        self.assertEqual(self.displayed(".picture svg"), [1])
        self.assertFalse(self.one(".controls").is_displayed())


class ReportPageWithClaims(Browsing, unittest.TestCase):
    """The page of Figure 1, which has curves and claims as well."""

    figure = ("1", "--runs", "5")

    def test_every_claim_has_a_verdict(self):
        verdicts = [cell.text for cell in self.all(".claims td:first-child")]
        self.assertGreaterEqual(len(verdicts), 2)
        self.assertLessEqual(set(verdicts), {"✓ agrees", "✗ differs", "? undecided"})
        self.assertEqual(self.displayed(".frame"), [1])

    def test_claims_fit_a_phone(self):
        self.set_width(390)
        self.open()
        self.assertEqual(self.overflow(), 0)
        for cell in self.all(".claims td"):
            self.assertTrue(cell.is_displayed())
            self.assertLessEqual(cell.rect["x"] + cell.rect["width"], 390)


class ReportPageWithoutScript(Browsing, unittest.TestCase):
    """The page where JavaScript is turned off."""

    preferences = {"profile.managed_default_content_settings.javascript": 2}

    def test_first_step_is_shown_with_a_note(self):
        self.assertEqual(self.displayed(".frame"), [1])
        self.assertEqual(self.displayed(".caption"), [1])
        self.assertFalse(self.one(".controls").is_displayed())
        self.assertTrue(self.one("noscript .note").is_displayed())


if __name__ == "__main__":
    unittest.main()
