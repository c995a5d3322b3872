"""Every example of the package runs, is short, and covers what it estimates."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
# PyTorch is a download of gigabytes: `cargo xtask bench networks` has it, and runs this one.
ELSEWHERE = {"pytorch.py"}
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py"))


def lines_of_code(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def run(name: str) -> str:
    done = subprocess.run([sys.executable, str(FOLDER / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_is_short_and_compiles(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    compile(text, name, "exec")
    assert lines_of_code(text) < (60 if name == "tutorial.py" else 40)


@pytest.mark.parametrize("name", sorted({*SCRIPTS} - ELSEWHERE - {"tutorial.py"}))
def test_it_runs_and_its_interval_covers(name: str) -> None:
    said = run(name)
    metric, value, low, high = re.search(r"^(\w+)(?: of class \w+)? ([0-9.]+), 95 % interval ([0-9.]+) to ([0-9.]+)", said, re.M).groups()
    assert float(low) <= float(value) <= float(high)
    truth = re.search(rf"by all .* {metric} ([0-9.]+)", said)
    assert truth is None or float(low) <= float(truth[1]) <= float(high), said


def test_the_notebook_prints_what_it_shows() -> None:
    import nbformat
    from nbclient import NotebookClient

    path = FOLDER / "notebook.ipynb"
    kept = nbformat.read(path, as_version=4)
    run = nbformat.read(path, as_version=4)
    NotebookClient(run, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert lines_of_code("\n".join(cell.source for cell in code)) < 40

    def shown(notebook: nbformat.NotebookNode) -> list[object]:
        # A picture is not the same with another version of its library.
        return [
            [output.get("text"), {kind: text for kind, text in output.get("data", {}).items() if kind.startswith("text/")}]
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            if "image/png" not in output.get("data", {})
        ]

    assert shown(kept) and shown(run) == shown(kept)
