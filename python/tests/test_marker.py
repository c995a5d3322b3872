"""The marker of pytest, by a pytest that runs tests with it."""

from __future__ import annotations

import labelwise as lw
import numpy as np
import pytest

pytest_plugins = "pytester"

TESTS = """
    import pytest

    @pytest.mark.labelwise("e.labelwise", accuracy=">0.3")
    def test_met():
        pass

    @pytest.mark.labelwise("e.labelwise", accuracy=">0.99")
    def test_not_met():
        raise AssertionError("the body does not run")

    @pytest.mark.labelwise("e.labelwise", accuracy=">0.75")
    def test_open():
        raise AssertionError("the body does not run")

    @pytest.mark.labelwise("e.labelwise", accuracy=">0.75", undecided="pass")
    def test_open_and_allowed():
        pass

    @pytest.mark.labelwise("e.labelwise", accuracy=">0.3", log_loss="<5")
    @pytest.mark.labelwise("e.labelwise", accuracy="> 0.2", level=0.9)
    def test_several():
        pass

    def test_without():
        pass
"""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 1.0, 400)
    e = lw.create(pytester.path / "e.labelwise", np.column_stack([p, 1 - p]), loss=["accuracy", "log_loss"], seed=1)
    asked = e.ask(150)
    e.tell([one.id for one in asked], [int(rng.random() > p[one.item]) for one in asked])
    pytester.makepyfile(TESTS)
    return pytester


def test_met_not_met_undecided(folder: pytest.Pytester) -> None:
    done = folder.runpytest_subprocess("-v", "--strict-markers", "-p", "no:cacheprovider")
    assert done.ret == 1
    done.stdout.fnmatch_lines([
        "*test_met PASSED*",
        "*test_not_met FAILED*",
        "*test_open UNDECIDED*",
        "*test_open_and_allowed UNDECIDED*",
        "*test_several PASSED*",
        "*test_without PASSED*",
        "e.labelwise: accuracy above 0.99 is not met (0.* to 0.*, from 150 labels)",
        "*1 failed, 3 passed, 2 undecided*",
    ])  # fmt: skip


def test_undecided_fails_the_session_unless_settings_allow_it(folder: pytest.Pytester) -> None:
    assert folder.runpytest_subprocess("-k", "test_open and not allowed").ret == 1
    assert folder.runpytest_subprocess("-k", "test_open_and_allowed").ret == 0
    folder.makeini("[pytest]\nlabelwise_undecided = pass\n")
    assert folder.runpytest_subprocess("-k", "test_open").ret == 0


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ('"e.labelwise"', "needs a file and a metric"),
        ('"e.labelwise", accuracy=0.7', "must be a threshold such as"),
        ('"e.labelwise", accuracy=">much"', "must be a threshold such as"),
        ('"e.labelwise", accuracy=">0.7", undecided="perhaps"', 'must be "fail" or "pass"'),
        ('"no.labelwise", accuracy=">0.7"', "no.labelwise"),
        ('"e.labelwise", accurcy=">0.7"', "accurcy"),
    ],
)
def test_mistakes_are_named(folder: pytest.Pytester, marker: str, said: str) -> None:
    folder.makepyfile(f"import pytest\n\n@pytest.mark.labelwise({marker})\ndef test_it():\n    pass\n")
    done = folder.runpytest_subprocess()
    assert done.ret == 1 and said in done.stdout.str()


def test_a_session_without_the_marker_does_not_import_numpy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\n\ndef test_it():\n    assert 'labelwise._pytest' in sys.modules and 'numpy' not in sys.modules\n")
    pytester.runpytest_subprocess("-p", "no:hypothesispytest").assert_outcomes(passed=1)
