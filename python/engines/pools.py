"""The pools of these tests, as folders of Parquet, and the documented draw in a few lines of Python."""

from __future__ import annotations

import hashlib
import math
import os
from pathlib import Path
from typing import Any

import labelwise as lw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = int(os.environ.get("LABELWISE_ROWS", "200000"))
"""Rows of the large pool; a test by hand may take 5,000,000."""

DRAWS = 1000
"""Draws that are compared."""

SEED = 42
RHO = 0.3

SCORED: dict[str, Any] = {
    "columns": {"scores": "score", "ids": "id", "carry": ["prompt"]}, "loss": "value", "seed": SEED, "floor": RHO,
}  # fmt: skip
"""Options of a pool of scores."""

BELIEVED: dict[str, Any] = {
    "columns": {"probabilities": "prob_*", "ids": "number", "carry": ["prompt"]}, "loss": "accuracy", "seed": SEED,
}  # fmt: skip
"""Options of a pool of probabilities, whose ids are numbers."""


def table(rows: int) -> pa.Table:
    """Ids as texts and numbers, scores over many orders of magnitude, probabilities, a text."""
    random = np.random.default_rng(5)
    numbers = np.arange(rows)
    probabilities = random.dirichlet([0.4, 0.4, 0.4], rows).astype(np.float32)
    return pa.table({
        "id": [f"request {number}" for number in numbers],
        "number": numbers,
        "score": np.exp(random.normal(-3.0, 2.0, rows)),
        "prob_ant": probabilities[:, 0], "prob_bee": probabilities[:, 1], "prob_cow": probabilities[:, 2],
        "prompt": [f"What is {number}?" for number in numbers],
    })  # fmt: skip


def written(folder: Path, parts: list[pa.Table]) -> Path:
    """A folder with a file for each part."""
    folder.mkdir(parents=True)
    for place, part in enumerate(parts):
        pq.write_table(part, folder / f"part-{place}.parquet")
    return folder


def even(rows: pa.Table, parts: int) -> list[pa.Table]:
    """Parts of the same size, in order."""
    ends = [place * rows.num_rows // parts for place in range(parts + 1)]
    return [rows.slice(start, end - start) for start, end in zip(ends, ends[1:], strict=False)]


def odd(rows: pa.Table) -> list[pa.Table]:
    """In another order: one part has nearly all rows, some have three, some have none."""
    mixed = rows.take(np.random.default_rng(6).permutation(rows.num_rows))
    small = [mixed.slice(3 * place, 3) for place in range(4)]
    return [mixed.slice(0, 0), *small, mixed.slice(12), mixed.slice(0, 0)]


def documented(rows: pa.Table, count: int) -> tuple[list[str], list[float]]:
    """The first draws and their q, as docs/clusters.md defines them: the ids, and q."""
    ids, scores = rows.column("id").to_pylist(), rows.column("score").to_pylist()
    size, total = len(ids), math.fsum(scores)
    arrivals = []
    for name, score in zip(ids, scores, strict=True):
        digits = hashlib.md5(f"{SEED}:0:{name}".encode()).hexdigest()
        e1, e2 = (-math.log((int(digits[start : start + 13], 16) + 0.5) / 2**52) for start in (0, 13))
        arrivals.append((min(e1 * total / ((1 - RHO) * score), e2 * size / RHO), name, score))
    drawn = sorted(arrivals)[:count]
    left, q = float(size), []
    for _, _, score in drawn:
        weight = (1 - RHO) * score * size / total + RHO
        q.append(weight / left)
        left -= weight
    return [name for _, name, _ in drawn], q


def seen(e: Any, count: int = DRAWS) -> dict[str, Any]:
    """What two evaluations of the same rows must share: the next draws to the last bit, and totals."""
    carried = [one.carried for one in e.ask(count)]
    found = e.draws()
    shared = {name: list(found[name]) for name in ("id", "q", "expected_loss", "expected_total", "refresh")}
    settings = {name: value for name, value in e.settings.items() if name not in ("path", "pool", "carried")}
    return {**shared, "carried": carried, "size": e.pool_size, "settings": settings}


def opened(path: Path) -> dict[str, Any]:
    """The same of a file."""
    return seen(lw.open(path))
