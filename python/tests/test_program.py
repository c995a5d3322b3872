"""The program that the package installs: the same as the binary, without NumPy, and a well-behaved process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTALLED = Path(sys.executable).parent / ("labelwise.exe" if os.name == "nt" else "labelwise")


def answered(*command: object, folder: Path, **options: object) -> tuple[int, str, str]:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout, done.stderr


def test_it_answers_as_the_binary_does(tmp_path: Path, program: str) -> None:
    said = {}
    for name, one in {"binary": [program], "installed": [INSTALLED], "module": [sys.executable, "-m", "labelwise"]}.items():
        folder = tmp_path / name
        folder.mkdir()
        steps: list[list[object]] = [
            ["--version"],
            ["new", ROOT / "examples/pool.csv", "--loss", "accuracy", "--seed", "7", "--out", "e.labelwise", "--json"],
            ["ask", "e.labelwise", "-n", "5", "--format", "csv"],
            ["ask", "e.labelwise", "-n", "900"],
            ["check", "e.labelwise", "--above", "0.5"],
            ["estimate", "e.labelwise", "--json"],
            ["estimte"],
            [],
            ["tell", "--help"],
        ]
        said[name] = [answered(*one, *step, folder=folder) for step in steps]
    assert said["installed"] == said["binary"] == said["module"]
    assert [code for code, _, _ in said["binary"]] == [0, 0, 0, 2, 3, 2, 2, 2, 0]
    assert json.loads(said["binary"][5][1])["error"]["code"]


def test_it_starts_without_numpy() -> None:
    code = "import sys; sys.argv = ['x', '--version']; from labelwise._program import main; main(); print('numpy' in sys.modules)"
    assert answered(sys.executable, "-c", code, folder=ROOT)[1].splitlines()[1:] == ["False"]


def test_names_of_files_keep_every_byte(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("file names of this system are not bytes")
    pool = os.fsencode(tmp_path) + b"/p\xffol \xc3\xa9.csv"
    Path(os.fsdecode(pool)).write_bytes((ROOT / "examples/pool.csv").read_bytes())
    done = subprocess.run([INSTALLED, "new", pool, "--out", b"e\xff.labelwise"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"e\xff.labelwise" in os.listdir(os.fsencode(tmp_path))


def test_ctrl_c_ends_it_as_any_program(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("signals are not those of this system")
    with subprocess.Popen([INSTALLED, "demo", "--runs", "1000000"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        # It is at work, and not still starting, once it has drawn for a second.
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(1)
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == -signal.SIGINT


def test_a_reader_that_stops_is_no_error(tmp_path: Path) -> None:
    line = f"'{INSTALLED}' man --help >/dev/null; '{INSTALLED}' completions bash | head -1; echo ${{PIPESTATUS[0]}}"
    code, said, errors = answered("bash", "-c", line, folder=tmp_path)
    assert (code, said.splitlines()[-1], errors) == (0, "0", "")
