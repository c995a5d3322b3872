"""The test that fixtures are what their script makes today, for any script."""

import csv
import tempfile
from pathlib import Path


def read_rows(path):
    """Return the fields of every line but the comment, the header included."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(line for line in file if not line.startswith("#")))


def as_number(field):
    """Return the field as a number, or None where it is a word or empty."""
    try:
        return float(field)
    except ValueError:
        return None


class RemadeFixtures:
    """The committed files, and the files made again.

    To be mixed into a test case that names the `script`, a module with
    DEFAULT_FOLDER, MADE_BY and `write_fixtures(folder)`, and the `tolerance`.
    """

    script = None

    # Another processor or maths library may round the last digits differently;
    # a larger difference means that the files and their script have come apart.
    tolerance = 1e-9

    # Differences are relative to the number, or to this where it is smaller.
    least_size = 1.0

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.names = cls.write(folder)
            cls.remade = {name: read_rows(Path(folder) / name) for name in cls.names}

    @classmethod
    def write(cls, folder):
        """Make the files again and return their names."""
        return cls.script.write_fixtures(folder)

    def committed(self, name):
        """Return the rows of the committed file that are made again."""
        return read_rows(self.script.DEFAULT_FOLDER / name)

    def tolerance_of(self, name):
        """Return how far the numbers of a file may be from the ones made again."""
        return self.tolerance

    def test_files_are_what_the_script_makes(self):
        for name in self.names:
            committed = self.committed(name)
            with self.subTest(name):
                self.assertEqual(len(committed), len(self.remade[name]))
                for old, new in zip(committed, self.remade[name], strict=True):
                    self.assertEqual(len(old), len(new), old)
                    for before, now in zip(old, new, strict=True):
                        self.compare(before, now, self.tolerance_of(name), old)

    def compare(self, before, now, tolerance, row):
        """Compare two fields, as numbers where they are numbers."""
        old, new = as_number(before), as_number(now)
        if old is None or new is None:
            self.assertEqual(before, now, row)
        else:
            slack = tolerance * max(self.least_size, abs(old), abs(new))
            self.assertLessEqual(abs(old - new), slack, row)

    def test_files_say_what_made_them(self):
        for name in self.names:
            path = self.script.DEFAULT_FOLDER / name
            with self.subTest(name):
                first_line = path.read_text(encoding="utf-8").splitlines()[0]
                self.assertEqual(first_line, self.script.MADE_BY)
