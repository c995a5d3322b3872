"""What the scripts that make fixtures share: where the files go and how they look.

A fixture is a table as CSV under a line that says what made it. Its test, with
`remade_fixtures.py`, makes it again and compares.
"""

import argparse
from importlib.metadata import version
from pathlib import Path

import numpy as np


def folder_of(crate):
    """Return the folder that the tests of a crate read their fixtures from."""
    root = Path(__file__).resolve().parent.parent
    return root / "crates" / crate / "tests" / "fixtures"


def first_line(script, packages):
    """Return the line that says which script and versions made a file."""
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"# Made by scripts/{script} with {versions}."


def text(value):
    """Return the shortest digits that read back as the same number."""
    if isinstance(value, str):
        return value
    return repr(value.item() if isinstance(value, np.generic) else value)


def write_files(folder, files, made_by):
    """Write rows by file name, each under the line `made_by`; return the names."""
    for name, rows in files.items():
        # The line ending is fixed so that the file is the same on every system.
        with open(Path(folder) / name, "w", encoding="utf-8", newline="\n") as file:
            print(made_by, file=file)
            for row in rows:
                print(",".join(text(value) for value in row), file=file)
    return list(files)


def main(description, default_folder, write_fixtures):
    """Read the command line, write the files and print their names."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=default_folder,
        help="where to write the files (the folder of the tests if not given)",
    )
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in write_fixtures(folder):
        print(name)
