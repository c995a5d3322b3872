"""The labelling page of an evaluation, in memory and in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from person import Person

import labelwise as lw


def evaluation() -> lw.Evaluation:
    p = np.linspace(0.05, 0.95, 50)
    return lw.Evaluation(np.column_stack([1 - p, p]), classes=["cat", "dog"], carry={"text": [f"photo {i}" for i in range(50)]})


def test_labels_arrive_in_memory() -> None:
    e = evaluation()
    with e.label(who="ada", browser=False, wait=False, port=0, goal=5) as page:
        ada = Person(page.address)
        for number in range(5):
            (view,) = ada.send("GET", "/api/next?count=1")["items"]
            assert view["fields"][0]["value"].startswith("photo ")
            saved = ada.send("POST", "/api/labels", {"item": view["item"], "label": "cat", "key": str(number)})
            assert saved["given"]["label"] == "cat"
        assert ada.send("GET", "/api/next?count=1")["none"] == "goal"
        assert e.estimate().labels == 5
    assert e.estimate().labels == 5


def test_a_guide_and_an_invitation(tmp_path: Path) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("Cats purr.")
    page = evaluation().label(who="ada", invite=["ben"], guide=guide, browser=False, wait=False, port=0)
    assert page.address in page._repr_html_() and "for ben" in page._repr_html_()
    ben = Person(page.invitations["ben"])
    assert ben.send("GET", "/api/guide")["guide"]["text"] == "Cats purr."
    assert ben.send("GET", "/api/owner")["error"]["code"] == "owner"
    page.close()
    with pytest.raises(OSError):
        ben.send("GET", "/api/state")


def test_a_column_that_does_not_exist_is_named() -> None:
    with pytest.raises(lw.LabelwiseError, match="txt"):
        evaluation().label(show=["txt"], browser=False, wait=False, port=0)
