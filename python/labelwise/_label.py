"""An open labelling page."""

from __future__ import annotations

import webbrowser
from html import escape
from types import TracebackType

from . import _engine

# Python sees an interrupt between two waits.
_PAUSE_IN_SECONDS = 0.2


class LabelPage:
    """A labelling page that is open. It closes with `close()`, at the end of a `with` block, or with the program."""

    def __init__(self, page: _engine.LabelPage) -> None:
        self._page = page

    @property
    def address(self) -> str:
        """The address for the owner; it opens the page in one browser, once."""
        return self._page.address

    @property
    def invitations(self) -> dict[str, str]:
        """The addresses of invited people, by name; each opens the page in one browser, once."""
        return dict(self._page.invitations)

    def open_browser(self) -> None:
        """Opens the address in the browser of this machine, where there is one."""
        webbrowser.open(self.address)

    def wait(self) -> None:
        """Waits until the page is closed. An interrupt (Ctrl-C) closes it; every label is on record."""
        print(f"Labelling page: {self.address}\nCtrl-C (in a notebook: stop) closes it; nothing is lost.")
        try:
            while not self._page.wait(_PAUSE_IN_SECONDS):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Closes the page. Answers that are being recorded are recorded."""
        self._page.close()

    def __enter__(self) -> LabelPage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """A link, for notebooks. Whoever follows it first is the owner."""
        links = [("Open the labelling page", self.address), *((f"for {name}", address) for name, address in self.invitations.items())]
        shown = (f'<a href="{address}" target="_blank" rel="noopener">{escape(words)}</a>' for words, address in links)
        return f"<p>{' · '.join(shown)} (each opens in one browser, once)</p>"

    def __repr__(self) -> str:
        return f"LabelPage({self.address.split('#')[0]!r})"
