"""Pools that the tests share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# Pictures are drawn without a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

# The same cases every time, and no clock: other work on the machine must not fail a test.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


class Pool:
    """Probabilities, and labels drawn from them."""

    def __init__(self, size: int, classes: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.probabilities = rng.dirichlet(np.full(classes, 0.5), size)
        cumulative = self.probabilities.cumsum(axis=1)
        self.labels = np.minimum((cumulative < rng.random((size, 1))).sum(axis=1), classes - 1)
        self.features = np.column_stack([np.log(self.probabilities + 1e-3), rng.normal(size=(size, 2))])

    @property
    def log_loss(self) -> float:
        chosen = self.probabilities[np.arange(len(self.labels)), self.labels]
        return float(-np.log(np.maximum(chosen, 1e-15)).mean())


@pytest.fixture
def pool() -> Pool:
    return Pool(500, 3)


@pytest.fixture
def program() -> str:
    """The program labelwise, which the test command builds."""
    path = os.environ.get("LABELWISE_PROGRAM")
    if not path:
        pytest.fail("LABELWISE_PROGRAM must name the program labelwise: `cargo xtask test` sets it")
    return path


def run(program: str, *arguments: str, folder: Path) -> str:
    """What the program prints."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
