"""Runs the console and Python blocks of a page in order, and compares what they print with what the page says.

    python scripts/blocks.py [--update] [--python] PAGE...

LABELWISE_PROGRAM names the program. Without pages it runs all of them that have no Python, or with --python those that have: these
need a Python with the package. Each page has a folder of its own, with `examples/` in it. In a block

* ```console: lines after `$ ` are run by bash; the lines after each are its output. A line `...` stands for any lines.
* ```python: run as one program per page; a block ```text right after it is what it prints.

Comments before a block change that; each needs its reason:

    <!-- not run: needs a GPU -->                 the block is only shown
    <!-- output differs: times -->                the block is run, and its output is not compared
    <!-- run: COMMAND -->                         a command that readers do not see
    <!-- the file: PATH -->                       the block is this file
    <!-- saved as: PATH -->                       later blocks find the block under this name
    <!-- page not run: REASON -->                 no block of the page is run

With --update, output in the pages becomes what was printed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REMARK = re.compile(r"<!-- (not run|output differs|run|page not run|the file|saved as): (.+?) -->$")
FENCE = re.compile(r"^(```+)(\w*)$")
ANY = "..."


class Page:
    """A page while its blocks are run."""

    def __init__(self, path: Path, update: bool = False) -> None:
        self.path = path
        self.update = update
        self.wrong: list[str] = []
        self.ran = 0
        self.names: dict[str, Any] = {"__name__": "__page__"}
        self.folder = Path(tempfile.mkdtemp(prefix="labelwise-page-"))

    def run(self) -> list[str]:
        """Runs every block, and returns what is not as the page says."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        if any((found := REMARK.match(line)) and found[1] == "page not run" for line in lines):
            return []
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            made = self.blocks(lines)
        finally:
            os.chdir(before)
            shutil.rmtree(self.folder, ignore_errors=True)
        if self.update and made != lines:
            self.path.write_text("\n".join(made) + "\n", encoding="utf-8")
        return self.wrong

    def blocks(self, lines: list[str]) -> list[str]:
        """Runs the blocks of the lines, and returns the lines with the output that there was."""
        made: list[str] = []
        remarks: set[str] = set()
        printed: str | None = None
        file: str | None = None
        saved: str | None = None
        place = 0
        while place < len(lines):
            line = lines[place]
            place += 1
            fence, remark = FENCE.match(line), REMARK.match(line.strip())
            if remark:
                if remark[1] == "run":
                    self.shell(remark[2], place)
                elif remark[1] == "the file":
                    file = remark[2]
                elif remark[1] == "saved as":
                    saved = remark[2]
                else:
                    remarks.add(remark[1])
            elif fence:
                end = next(there for there in range(place, len(lines)) if lines[there].strip() == fence[1])
                block, number = lines[place:end], place
                if "not run" in remarks:
                    printed = None
                elif file is not None:
                    block = self.compared((ROOT / file).read_text(encoding="utf-8").splitlines(), block, number)
                    file = None
                elif saved is not None:
                    (self.folder / saved).write_text("\n".join(block) + "\n", encoding="utf-8")
                    saved = None
                elif fence[2] == "console":
                    block = self.console(block, number, "output differs" not in remarks)
                elif fence[2] == "python":
                    printed = self.python("\n".join(block), number)
                elif fence[2] == "text" and printed is not None and "output differs" not in remarks:
                    block = self.compared(printed.splitlines(), block, number)
                    printed = None
                made += [line, *block, lines[end]]
                place = end + 1
                remarks.clear()
                continue
            elif line.strip():
                remarks.clear()
                printed = None
            made.append(line)
        return made

    def console(self, block: list[str], number: int, compare: bool) -> list[str]:
        """Runs the commands of a block."""
        if not block or not block[0].startswith("$ "):
            self.wrong.append(f"{self.path.name}:{number}: a console block begins with `$ `, or has a comment that it is not run")
            return block
        made: list[str] = []
        place = 0
        while place < len(block):
            command = [block[place]]
            while command[-1].endswith("\\"):
                place += 1
                command.append(block[place])
            place += 1
            end = place
            while end < len(block) and not block[end].startswith("$ "):
                end += 1
            output = self.shell("\n".join(command)[2:], number + place - 1)
            expected = block[place:end]
            made += [*command, *(self.compared(output, expected, number + place) if compare else expected)]
            place = end
        return made

    def shell(self, command: str, number: int) -> list[str]:
        """What a command prints."""
        self.ran += 1
        program = os.environ["LABELWISE_PROGRAM"]
        path = os.pathsep.join([str(Path(program).parent), str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = os.environ | {"PATH": path, "HOME": str(self.folder), "USER": "ada", "NO_COLOR": "1", "COLUMNS": "100"}
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], env=environment, cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            self.wrong.append(f"{self.path.name}:{number}: `{command}` failed ({done.returncode}):\n{done.stdout}")
        return [line.rstrip() for line in done.stdout.rstrip().splitlines()]

    def python(self, code: str, number: int) -> str:
        """What a block of Python prints. Lines keep their numbers in errors."""
        self.ran += 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile("\n" * number + code, str(self.path), "exec"), self.names)  # noqa: S102
            except Exception as error:  # noqa: BLE001
                self.wrong.append(f"{self.path.name}:{number}: {type(error).__name__}: {error}")
        return printed.getvalue()

    def compared(self, output: list[str], expected: list[str], number: int) -> list[str]:
        """The lines that the page should have."""
        output = [line.rstrip() for line in output]
        if matches(output, [line.rstrip() for line in expected]):
            return expected
        if self.update:
            return output
        self.wrong.append(f"{self.path.name}:{number}: printed\n" + "\n".join(output) + "\ninstead of\n" + "\n".join(expected))
        return expected


def matches(output: list[str], expected: list[str]) -> bool:
    """Whether the lines are the expected ones, where `...` stands for any lines."""
    if ANY not in expected:
        return output == expected
    parts: list[list[str]] = [[]]
    for line in expected:
        if line == ANY:
            parts.append([])
        else:
            parts[-1].append(line)
    first, *others = parts
    if output[: len(first)] != first:
        return False
    place = len(first)
    for part in others[:-1]:
        found = next((there for there in range(place, len(output) - len(part) + 1) if output[there : there + len(part)] == part), None)
        if found is None:
            return False
        place = found + len(part)
    last = others[-1]
    return len(output) - len(last) >= place and output[len(output) - len(last) :] == last


def has_python(path: Path) -> bool:
    """Whether a page has a block of Python that is run."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if any(line.startswith("<!-- page not run:") for line in lines):
        return False
    before = ["", *lines]
    return any(line == "```python" and not last.startswith(("<!-- not run", "<!-- saved as")) for last, line in zip(before, lines))


def pages(python: bool) -> list[Path]:
    """Every page whose blocks are run, with Python or without."""
    others = [ROOT / "README.md", ROOT / "examples" / "README.md", ROOT / "python" / "README.md"]
    return [path for path in [*others, *sorted((ROOT / "docs").glob("*.md"))] if has_python(path) == python]


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--update", "--python")]
    wrong = []
    for path in [Path(argument).resolve() for argument in arguments] or pages("--python" in sys.argv):
        page = Page(path, "--update" in sys.argv)
        wrong += page.run()
        print(f"{path.relative_to(ROOT)}: {page.ran} run")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
