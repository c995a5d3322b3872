"""Check that the bundled pool of digits is what its script makes today."""

import csv
import tempfile
import unittest
from pathlib import Path

import make_digits_pool

# Another processor or maths library may round the fits a little differently; a
# larger difference means that the file and its script have come apart.
TOLERANCE = 2e-3


def read_pool(path):
    """Return the header, the ids, the labels and the probabilities of a pool."""
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    ids = [row[0] for row in rows]
    labels = [row[1] for row in rows]
    probabilities = [[float(field) for field in row[2:]] for row in rows]
    return header, ids, labels, probabilities


class DigitsPool(unittest.TestCase):
    """The bundled file, and the file made again from the data set."""

    @classmethod
    def setUpClass(cls):
        cls.bundled = read_pool(make_digits_pool.DEFAULT_OUTPUT)
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "digits.csv"
            make_digits_pool.write_pool(output)
            cls.remade = read_pool(output)

    def test_header_ids_and_labels_are_the_same(self):
        self.assertEqual(self.bundled[:3], self.remade[:3])

    def test_probabilities_are_nearly_the_same(self):
        for name, old, new in zip(
            self.bundled[1], self.bundled[3], self.remade[3], strict=True
        ):
            difference = max(abs(a - b) for a, b in zip(old, new, strict=True))
            self.assertLessEqual(difference, TOLERANCE, name)

    def test_bundled_pool_is_well_formed(self):
        header, ids, labels, probabilities = self.bundled
        self.assertEqual(len(header), 22)
        self.assertEqual(len(ids), 1597)
        self.assertEqual(len(set(ids)), 1597)
        self.assertEqual(set(labels), {str(digit) for digit in range(10)})
        for name, row in zip(ids, probabilities, strict=True):
            self.assertEqual(len(row), 20, name)
            self.assertGreaterEqual(min(row), 0.0, name)
            self.assertAlmostEqual(sum(row[:10]), 1.0, delta=1e-4, msg=name)
            self.assertAlmostEqual(sum(row[10:]), 1.0, delta=1e-4, msg=name)


if __name__ == "__main__":
    unittest.main()
