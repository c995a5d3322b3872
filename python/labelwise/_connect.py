"""Labels from the tools where people already label."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from . import _engine
from ._arrays import above_zero, natural
from ._html import Shown
from ._questions import PathName
from ._study import Study

Tool: TypeAlias = Literal["label-studio", "argilla", "doccano", "prodigy", "langfuse"]
"""A tool that exchanges files."""
Rule: TypeAlias = Literal["first", "newest", "majority", "mean"]
"""Which label counts if several people labelled an item."""


class LabelStudio:
    """A project of Label Studio for an evaluation: the items that were drawn, in draw order, and no predictions.

    What it returns are the objects of `labelwise ls ... --json`. Every call can be interrupted and made again: what is there
    already is found by keys in its data, and nothing is recorded twice.

    Arguments:
        evaluation: the evaluation; one in a file (`labelwise.create`) outlives this program.
        url: the address of the server [default: LABEL_STUDIO_URL, or the server that was used last].
        token: a token of either kind [default: LABEL_STUDIO_API_KEY].
        project: the number of a project without tasks, or "new" [default: that of the evaluation].
        open: number of items that should wait there for an answer.
        refill: `sync` puts more items there when fewer than this many wait.
        goal: number of items to ask in all [default: no end].
        again: whether items that were deleted there are put there again.
        show: columns to show [default: passthrough columns, without those of judges and models].
        pair: two columns to compare side by side, in random order.
        question: what stands above the answers.
        title: the title of a new project, in front of the key of the evaluation.
        timeout: seconds to wait for an answer of the server.
    """

    def __init__(
        self,
        evaluation: Study,
        url: str | None = None,
        *,
        token: str | None = None,
        project: int | Literal["new"] | None = None,
        open: int = 20,
        refill: int = 5,
        goal: int | None = None,
        again: bool = False,
        show: Iterable[str] = (),
        pair: tuple[str, str] | None = None,
        question: str | None = None,
        title: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        self.evaluation = evaluation
        self._connection = {
            "address": url,
            "token": token,
            "project": None if project is None else str(project),
            "open": natural("open", open, 1),
            "refill": natural("refill", refill, 1),
            "goal": None if goal is None else natural("goal", goal, 1),
            "again": bool(again),
            "title": title or "",
            "timeout": above_zero("timeout", timeout),
            "shown": shown(show, pair, question),
        }

    def _look(self, verb: str, failures: int | None, every: float) -> tuple[dict[str, Any] | None, str | None, float, bool]:
        engine, who = self.evaluation._engine, self.evaluation.who
        found, trouble, pause, is_over = _engine.label_studio_look(engine, verb, self._connection, failures, every, who)
        # A new project is made once.
        if self._connection["project"] == "new" and found is not None:
            self._connection["project"] = None
        return None if found is None else json.loads(found), trouble, pause, is_over

    def _once(self, verb: str) -> dict[str, Any]:
        found, _, _, _ = self._look(verb, None, 1.0)
        assert found is not None
        return found

    def push(self) -> dict[str, Any]:
        """Puts items there until enough of them wait for an answer; those that were asked before go first."""
        return self._once("push")

    def pull(self) -> dict[str, Any]:
        """Takes over labels, skips, corrections and deletions."""
        return self._once("pull")

    def sync(self) -> dict[str, Any]:
        """Takes over answers, and puts more items there when few wait."""
        return self._once("sync")

    def watch(self, every: float = 10.0) -> Iterator[dict[str, Any]]:
        """Synchronises again and again, and yields what each look found, until nothing is left to ask.

        While the server does not answer, the pauses grow, and a warning says why.
        """
        failures = 0
        while True:
            found, trouble, pause, is_over = self._look("sync", failures, above_zero("every", every))
            if found is None:
                failures += 1
                warnings.warn(f"{trouble}; next attempt in {pause:.0f} s", RuntimeWarning, stacklevel=2)
            else:
                failures = 0
                yield found
            if is_over:
                return
            time.sleep(pause)

    def __repr__(self) -> str:
        return f"LabelStudio({self.evaluation!r})"


@dataclass(frozen=True)
class TakenOver(Shown):
    """What the export of a tool changed."""

    tool: str
    """The tool that wrote it."""
    labelled: int
    """Items that have their first label now."""
    corrected: int
    """Items whose label of record is another one now."""
    skipped: int
    """Items that are skipped now."""
    opinions: int
    """New labels of items that another person has labelled."""
    waiting: int
    """Items in it that nobody has answered."""
    set_aside: list[tuple[str, str, str]]
    """Answers that are no labels: item, person, and why."""
    never_asked: list[str]
    """Items in it that the evaluation never asked for."""


def shown(show: Iterable[str], pair: tuple[str, str] | None, question: str | None) -> dict[str, Any]:
    """What people see, as the engine takes it."""
    return {"show": list(show), "pair": pair, "question": question}


def taken_over(evaluation: Study, path: PathName, question: str | None) -> TakenOver:
    """Takes over an export."""
    path = Path(path)
    text = path.read_text(encoding="utf-8")
    return TakenOver(*_engine.take_over(evaluation._engine, path.name, text, question, evaluation.who))
