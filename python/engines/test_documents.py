"""The code of docs/clusters.md, as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import labelwise as lw
import pytest
from pools import seen

PAGE = Path(__file__).resolve().parents[2] / "docs" / "clusters.md"
BLOCK = re.compile(r"<!-- not run: the tests of the engines make these calls -->\n```python\n(.*?)```", re.DOTALL)


def test_the_page(
    spark: Any, ray_cluster: None, dask_cluster: None, folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    import dask.dataframe
    import ray

    # Evaluations come into the folder of the test. Spark has a working folder of its own, so the pool has its whole path.
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 3
    classes = ["ant", "bee", "cow"]
    names = {
        "spark": spark, "ray": ray, "dask": dask,
        "answer": lambda prompt: classes[int(re.findall(r"\d+", prompt)[0]) % 3],
    }  # fmt: skip
    for block in blocks:
        exec(block.replace('"scores/"', repr(str(folders / "small"))), names)  # noqa: S102
    assert "accuracy" in capsys.readouterr().out
    assert lw.open("support.labelwise").settings["refreshes"] > 0
    assert seen(lw.open("ray.labelwise")) == seen(lw.open("dask.labelwise"))
