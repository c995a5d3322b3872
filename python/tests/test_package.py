"""The package as people get it: doctests, types, the tutorial, and what an import costs."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import labelwise as lw
import pytest

HERE = Path(__file__).parent


def modules() -> list[str]:
    inside = [f"labelwise.{module.name}" for module in pkgutil.iter_modules(lw.__path__)]
    return ["labelwise", *(name for name in inside if not name.endswith("_engine"))]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert result.failed == 0


def test_docstrings_have_examples() -> None:
    finder = doctest.DocTestFinder()
    names = ("labelwise", "labelwise.estimators", "labelwise._evaluation", "labelwise._compare", "labelwise._simulate")
    for name in names:
        assert any(test.examples for test in finder.find(importlib.import_module(name))), name


def test_everything_public_says_what_it_is() -> None:
    for name in lw.__all__:
        value = getattr(lw, name)
        if isinstance(value, str | dict):
            continue
        assert value.__doc__, name
        for inner, member in vars(value).items() if isinstance(value, type) else ():
            if not inner.startswith("_") and callable(member):
                assert member.__doc__, f"{name}.{inner}"


def test_completion_offers_only_what_is_for_others() -> None:
    assert dir(lw) == sorted(lw.__all__)
    # Editors read the source: what it binds at the top is what they offer.
    tree = ast.parse(Path(lw.__file__).read_text(encoding="utf-8"))
    bound = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {alias.asname or alias.name for alias in node.names}
    bound |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert {name for name in bound if not name.startswith("_")} - {"annotations"} <= set(lw.__all__)


def mypy(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)


def test_types_of_the_package_and_of_programs_that_use_it() -> None:
    done = mypy("typed_example.py")
    assert done.returncode == 0, done.stdout
    done = mypy("-p", "labelwise", "--no-warn-unused-ignores", "--ignore-missing-imports")
    assert done.returncode == 0, done.stdout


def test_wrong_types_are_noticed(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import labelwise as lw\nlw.Evaluation([[0.5, 0.5]]).estimate(target='both')\nx: str = lw.draw([1.0], 1)\n")
    done = mypy(str(wrong))
    assert len(re.findall(r"error:", done.stdout)) == 2, done.stdout


def test_the_tutorial_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(HERE.parent / "examples" / "tutorial.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = re.search(r"log_loss ([0-9.]+), 95 % interval ([0-9.]+) to ([0-9.]+), 100 labels", done.stdout)
    true = re.search(r"true log loss ([0-9.]+)", done.stdout)
    worth = re.search(r"worth ([0-9.]+) uniform ones", done.stdout)
    assert said and true and worth, done.stdout
    assert float(said[2]) <= float(true[1]) <= float(said[3])
    assert float(worth[1]) > 1.2


def test_an_import_brings_nothing_but_numpy() -> None:
    code = (
        "import sys, numpy; before = set(sys.modules); import labelwise; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names) - {'labelwise', 'numpy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_and_the_marker_of_types() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", lw.__version__)
    assert (Path(lw.__file__).parent / "py.typed").exists()
