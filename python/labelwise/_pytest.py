"""A marker of pytest: what a test needs an evaluation to say.

    @pytest.mark.labelwise("support.labelwise", rate=">0.7")
    def test_the_release_is_good_enough(): ...

The test fails if the labels say that a threshold is not met. While they do not decide, it is *undecided*: a category of its own,
which fails the session unless `undecided="pass"` in the marker, or `labelwise_undecided = "pass"` in pytest's settings, says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

# Arguments of the marker that are not metrics.
_OPTIONS = ("level", "method", "positive", "target", "undecided")
_SIDES = {">": "above", "<": "below"}


class _Undecided(Exception):
    """The labels do not decide yet."""

    def __init__(self, said: str, allowed: bool) -> None:
        super().__init__(said)
        self.allowed = allowed


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the setting."""
    parser.addini("labelwise_undecided", 'what a test is whose labels do not decide yet: "fail" or "pass"', default="fail")


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker."""
    config.addinivalue_line(
        "markers",
        'labelwise(file, METRIC=">0.7" or "<0.1", ..., undecided="fail" or "pass", level, method, positive, target): '
        "the labels of an evaluation must say that every threshold is met; the path is relative to pytest's root folder",
    )


def _asked(marker: pytest.Mark) -> tuple[str, dict[str, tuple[str, float]], dict[str, Any]]:
    """The file, the thresholds and the options of a marker."""
    options = {name: value for name, value in marker.kwargs.items() if name in _OPTIONS}
    metrics = {name: value for name, value in marker.kwargs.items() if name not in _OPTIONS}
    if len(marker.args) != 1 or not metrics:
        raise pytest.UsageError('the marker labelwise needs a file and a metric: labelwise("FILE", accuracy=">0.9")')
    if options.get("undecided") not in (None, "pass", "fail"):
        raise pytest.UsageError(f'undecided is {options["undecided"]!r}, but must be "fail" or "pass"')
    found = {}
    for name, text in metrics.items():
        side, number = _SIDES.get(str(text)[:1]), str(text)[1:].strip()
        try:
            found[name] = (side or "", float(number))
        except ValueError:
            side = None
        if side is None:
            raise pytest.UsageError(f'{name} is {text!r}, but must be a threshold such as ">0.7" or "<0.1"')
    return str(marker.args[0]), found, options


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Asks the evaluations before the test itself runs."""
    undecided, allowed = [], True
    for marker in item.iter_markers("labelwise"):
        file, thresholds, options = _asked(marker)
        # A test without the marker never imports NumPy for it.
        import labelwise

        wish = options.pop("undecided", None) or str(item.config.getini("labelwise_undecided"))
        evaluation = labelwise.open(item.config.rootpath / file, mode="r")
        for metric, (side, value) in thresholds.items():
            found = evaluation.check(metric, **{side: value, **options})
            ends = " to ".join("no bound" if end is None else f"{end:.4f}" for end in (found.low, found.high))
            said = f"{file}: {metric} {side} {value:g} is {found.verdict.replace('_', ' ')} ({ends}, from {found.labels} labels)"
            if not found.decided:
                more = f"; about {found.more.expected} more may decide" if found.more else ""
                undecided.append(said + more)
                allowed &= wish == "pass"
            elif not found.met:
                pytest.fail(said, pytrace=False)
    if undecided:
        raise _Undecided("; ".join(undecided), allowed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Reports that the labels did not decide, in a sentence instead of a traceback."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, _Undecided):
        setattr(report, "labelwise_undecided", True)
        said = str(call.excinfo.value)
        if call.excinfo.value.allowed:
            path, line, _ = item.location
            report.outcome, report.longrepr = "skipped", (path, (line or 0) + 1, f"Skipped: {said}")
        else:
            report.longrepr = said
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, Any] | None:
    """The third outcome, besides passed and failed."""
    if getattr(report, "labelwise_undecided", False):
        return "undecided", "u", ("UNDECIDED", {"yellow": True})
    return None
