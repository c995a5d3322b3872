"""The command `labelwise`: the program, which is in the engine. Nothing here imports NumPy, so that it starts at once."""

import signal
import sys

from ._engine import run_program


def main() -> int:
    """Runs the command line of this process, and returns its exit code."""
    # Ctrl-C ends the program as it ends any other: Python's own handler would wait for Python code that never comes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["labelwise", *sys.argv[1:]])
