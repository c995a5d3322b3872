"""Make the pictures of README and the book: the report and the labelling page, as a browser shows them.

    LABELWISE_PROGRAM=target/debug/labelwise python scripts/pictures.py [FOLDER]

Chromium and chromedriver must be installed; `cargo xtask test` installs them. FOLDER is docs/images.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import labelling

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"


def run(folder, command):
    """Runs a command line in a folder."""
    path = os.pathsep.join([str(pathlib.Path(labelling.program()).resolve().parent), os.environ["PATH"]])
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"PATH": path})


def evaluation(folder):
    """The evaluation of the quick start."""
    labeller = f"{sys.executable} {EXAMPLES / 'labeller.py'} {EXAMPLES / 'pool.csv'} label"
    run(folder, f"labelwise new {EXAMPLES / 'pool.csv'} --loss accuracy --seed 7 --out digits.labelwise")
    run(folder, f"labelwise ask digits.labelwise -n 60 --format csv | {labeller} > labels.csv")
    run(folder, "labelwise tell digits.labelwise labels.csv")
    run(folder, "labelwise report digits.labelwise --out report.html")


def shown(browser, address):
    """What the browser shows of a page, as PNG."""
    browser.driver.get(address)
    browser.run("document.documentElement.style.scrollbarWidth = 'none'")
    return browser.driver.get_screenshot_as_png


def main(target):
    """Writes both pictures."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        evaluation(folder)
        answers = EXAMPLES / "answers.csv"
        run(folder, f"labelwise new {answers} --judge judge_score --loss rate --positive pass --out support.labelwise")
        browser = labelling.Browser(folder / "profile", 900, 700)
        server = labelling.Server(folder / "support.labelwise", "--no-browser", "--port", "0", "--who", "ada")
        try:
            browser.resize(900, 930)
            take = shown(browser, (folder / "report.html").as_uri())
            (target / "report.png").write_bytes(take())
            browser.resize(900, 620)
            take = shown(browser, server.addresses[0])
            browser.wait(browser.item)
            # Some answers, so that the page shows progress.
            for key in "11211":
                before = browser.item()
                browser.press(key)
                browser.wait(lambda: browser.item() not in ("", before))
            (target / "labelling.png").write_bytes(take())
        finally:
            server.close()
            browser.driver.quit()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
