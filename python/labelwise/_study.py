"""What every evaluation can be told, in memory and in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _engine
from ._arrays import above_zero, natural
from ._asked import Asked, Refused, pairs, several
from ._questions import PathName, Questions

if TYPE_CHECKING:
    from ._connect import Rule, TakenOver, Tool
    from ._label import LabelPage


class Study(Questions):
    """An evaluation, in memory (`Evaluation`), in a file (`DurableEvaluation`), or of several models (`Comparison`)."""

    def __init__(
        self, engine: _engine.Study, decisions: Sequence[str], told: Mapping[str, Any] | None, who: str = ""
    ) -> None:
        self._engine = engine
        self._told = told
        self.decisions = list(decisions)
        """What was decided where nothing had been said, in sentences."""
        self.who = who
        """Who asks and tells."""

    @overload
    def tell(
        self, item: Any, label: Any, *, key: str | None = None, note: str | None = None, partial: Literal[False] = False
    ) -> None: ...
    @overload
    def tell(
        self, item: Any, label: Any, *, key: str | None = None, note: str | None = None, partial: Literal[True]
    ) -> list[Refused]: ...
    def tell(
        self, item: Any, label: Any, *, key: str | None = None, note: str | None = None, partial: bool = False
    ) -> list[Refused] | None:
        """Records the label of an item that was asked; or of several, all of them or none.

        An item is its row in the pool, its id, or what `waiting` gives; a number is a row in memory, and an id in a file.
        The same label again changes nothing. Another is refused: `amend` corrects labels. Repeating a call with the same key
        records nothing new. With `partial`, the valid labels are recorded, and the others are returned with the reason.
        """
        if partial:
            return [Refused(*row) for row in self._engine.tell_partly(*pairs(item, label), self.who, key, note)]
        if type(item) is int and key is None and note is None:
            self._engine.tell_one(item, label, self.who)
        else:
            self._engine.tell(*pairs(item, label), self.who, key, note, False)
        return None

    def amend(self, item: Any, label: Any, *, key: str | None = None, note: str | None = None) -> None:
        """Corrects labels. Draws made since stay as they were made."""
        self._engine.tell(*pairs(item, label), self.who, key, note, True)

    def skip(self, item: Any, *, note: str | None = None) -> None:
        """Gives up on labels that may be missing because they are hard. Estimates then carry the bounds of their losses."""
        self._engine.give_up(several(item), False, self.who, note)

    def missing_at_random(self, item: Any, *, note: str | None = None) -> None:
        """Declares that labels will never come for reasons that have nothing to do with them: the items leave the pool."""
        self._engine.give_up(several(item), True, self.who, note)

    def waiting(self) -> list[Asked]:
        """The items that were asked and wait for a label, in draw order, with what the labeller needs."""
        return [Asked._of(row) for row in self._engine.waiting()]

    @property
    def open_items(self) -> npt.NDArray[np.int64]:
        """The rows of the items that were asked and wait for a label, in draw order."""
        return np.array([row[2] for row in self._engine.waiting()], dtype=np.int64)

    def label(
        self,
        *,
        who: str | None = None,
        browser: bool = True,
        wait: bool = True,
        port: int | None = None,
        invite: Iterable[str] = (),
        goal: int | None = None,
        batch: int = 5,
        overlap: int = 1,
        lease: float = 600.0,
        guide: PathName | None = None,
        question: str | None = None,
        show: Iterable[str] = (),
        fold: Iterable[str] = (),
        pair: tuple[str, str] | None = None,
        media: PathName | None = None,
        title: str | None = None,
    ) -> LabelPage:
        """Opens the labelling page of this evaluation in the browser, as `labelwise label` does.

        It waits until you interrupt it (Ctrl-C, or the stop button of a notebook), and closes the page. With `wait=False` it
        returns at once; the page stays open until `close()`, and labels arrive in this object meanwhile.

        Arguments:
            who: your name, stored with each label [default: that of the evaluation; the page asks if there is none].
            browser: whether to open a browser; the address is `page.address`, and works once.
            wait: whether to wait until you interrupt.
            port: the port of the page [default: 8931, or any free one].
            invite: names of people who get an address of their own, in `page.invitations`.
            goal: number of items to ask in all [default: as last time until that is reached; else the items that wait, or 200 more].
            batch: number of items that are drawn for one person at a time.
            overlap: number of people who label each item; the first label counts, the others are second opinions.
            lease: seconds after which an item that is not answered is given to somebody else.
            guide: a file of instructions in Markdown, recorded with the evaluation.
            question: what stands above the answers.
            show, fold: columns to show, and to show folded [default: all].
            pair: two columns to compare side by side, in random order.
            media: the folder of images and audio that columns name.
            title: the name of the evaluation on the page.
        """
        from ._label import LabelPage

        options = {
            "title": title or self._title(),
            "port": port,
            "who": who or self.who or None,
            "invite": list(invite),
            "goal": None if goal is None else natural("goal", goal, 1),
            "batch": natural("batch", batch, 1),
            "overlap": natural("overlap", overlap, 1),
            "lease": above_zero("lease", lease),
            "guide": None if guide is None else (Path(guide).name, Path(guide).read_text(encoding="utf-8")),
            "question": question,
            "show": list(show),
            "fold": list(fold),
            "pair": pair,
            "media": None if media is None else Path(media),
        }
        page = LabelPage(self._engine.label(options))
        if browser:
            page.open_browser()
        if wait:
            page.wait()
        return page

    def hand_out(
        self,
        tool: Tool,
        n: int | None = None,
        *,
        show: Iterable[str] = (),
        pair: tuple[str, str] | None = None,
        question: str | None = None,
    ) -> str:
        """The text of a file that a labelling tool imports: the next `n` items, or those that wait for a label."""
        from ._connect import shown

        count = None if n is None else natural("n", n, 1)
        return _engine.hand_out(self._engine, tool, count, shown(show, pair, question), self.who)

    def take_over(self, path: PathName, *, question: str | None = None) -> TakenOver:
        """Takes over an export of Label Studio, Argilla, doccano, Prodigy or Langfuse, recognised by its contents.

        `question` names the one whose answers are the labels, where an export has several.
        """
        from ._connect import taken_over

        return taken_over(self, path, question)

    @property
    def opinion_rule(self) -> str:
        """Which label counts if several people labelled an item: `"first"`, `"newest"`, `"majority"` or `"mean"`. A new value is
        recorded, and applies to all labels on record."""
        return _engine.opinion_rule(self._engine, None, self.who)

    @opinion_rule.setter
    def opinion_rule(self, rule: Rule) -> None:
        _engine.opinion_rule(self._engine, rule, self.who)

    def _title(self) -> str:
        path = getattr(self, "path", None)
        return Path(path).stem if path else "An evaluation in memory"

    @property
    def fell_back(self) -> str | None:
        """Why the surrogate could not learn when it last was due, if it could not: until it learns again, draws are made by
        what it believed before the first label."""
        found: str | None = self._engine.status()["fell_back"]
        return found

    @property
    def models(self) -> list[str]:
        """The names of the models of a comparison."""
        names: list[str] = self._engine.status()["models"]
        return names

    @property
    def ties(self) -> int:
        """The items of a comparison on which the models cannot differ, whatever the label: they are never asked."""
        return int(self._engine.status()["ties"])

    @property
    def pool_size(self) -> int:
        """N, the items of the pool."""
        return self._engine.counts()[0]

    @property
    def left(self) -> int:
        """How many items can still be asked."""
        return self._engine.counts()[1]

    @property
    def labels(self) -> int:
        """How many items have a label."""
        return self._engine.counts()[3]

    def draws(self) -> dict[str, Any]:
        """Every draw as columns: id, item, q, label, loss, what the surrogate expected, what became of it, and in a file when
        (`at`, microseconds since 1970) and by whom it was asked."""
        columns = self._engine.draws()
        texts: list[str | None] = columns["label"]
        told = self._told
        if self.settings["predictions"] in ("values", "scores"):
            columns["label"] = np.array([np.nan if text is None else float(text) for text in texts])
        elif told is not None and all(type(label) is int for label in told.values()):
            columns["label"] = np.array([np.nan if text is None else told[text] for text in texts], dtype=np.float64)
        else:
            columns["label"] = [None if text is None else self._label(text) for text in texts]
        return columns

    def history(self) -> list[dict[str, Any]]:
        """Everything that was told, in order: what, of which item, the label, a note, when and by whom."""
        return self._engine.history()

    def to_frame(self, library: Literal["pandas", "polars", "dict"] | None = None) -> Any:
        """Every draw as a table: of pandas or polars, whichever is there, or a dictionary of columns."""
        from . import _show

        return _show.frame(self.draws(), library)

    def verify(self) -> dict[str, float]:
        """Makes every proposal and every draw again, and compares."""
        names = ("refreshes", "draws", "events", "largest_difference")
        return dict(zip(names, self._engine.verify(), strict=True))

    def refresh(self) -> bool:
        """Computes the proposal that is due, so that the next `ask` need not wait; whether one was due."""
        return self._engine.refresh()

    def backup(self, path: PathName) -> Path:
        """Copies an evaluation that is a file into a new file, with every label, while others may go on with it."""
        self._engine.backup(path)
        return Path(path)

    def _counts(self) -> str:
        size, left, draws, labels = self._engine.counts()
        return f"pool_size={size}, draws={draws}, labels={labels}, left={left}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._counts()})"

    def _repr_html_(self) -> str:
        import html

        text = html.escape(repr(self))
        try:
            if self.models:
                from ._html import rows

                return f"<p>{text}</p>{rows(self.differences())}"
            return f"<p>{text}</p>{self.estimate()._repr_html_()}"
        except (_engine.LabelwiseError, ValueError) as error:
            return f"<p>{text}</p><p>{html.escape(str(error))}</p>"
