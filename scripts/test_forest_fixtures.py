"""Check that the forest's fixtures are what their script makes today."""

import csv
import tempfile
import unittest
from pathlib import Path

import numpy as np

import make_forest_fixtures

# Another processor or maths library may round the last digits differently; a
# larger difference means that the files and their script have come apart.
TOLERANCE = 1e-9

# All twenty seeds would take most of a minute.
SEEDS = range(2)

# The tests read these files each time they are built.
MOST_BYTES = 500_000


def read_rows(path):
    """Return the fields of every line but the comment, the header included."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(line for line in file if not line.startswith("#")))


def differ(field, other):
    """Tell whether two fields are different words, or numbers too far apart."""
    try:
        return abs(float(field) - float(other)) > TOLERANCE * max(1, abs(float(other)))
    except ValueError:
        return field != other


class ForestFixtures(unittest.TestCase):
    """The committed files, and the files made again."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.names = make_forest_fixtures.write_fixtures(folder, SEEDS)
            cls.remade = {name: read_rows(Path(folder) / name) for name in cls.names}
        folder = make_forest_fixtures.DEFAULT_FOLDER
        cls.committed = {name: read_rows(folder / name) for name in cls.names}

    def test_files_are_what_the_script_makes(self):
        for name in self.names:
            committed = self.committed[name]
            if name == "forest_scores.csv":
                seeds = {str(seed) for seed in SEEDS} | {"seed"}
                committed = [row for row in committed if row[1] in seeds]
            with self.subTest(name):
                self.assertEqual(len(committed), len(self.remade[name]))
                for row, other in zip(committed, self.remade[name]):
                    different = any(differ(*pair) for pair in zip(row, other))
                    self.assertFalse(different, f"{row} is now {other}")

    def test_every_forest_has_every_seed(self):
        scores = self.committed["forest_scores.csv"][1:]
        expected = {
            (name, str(seed))
            for name in make_forest_fixtures.forests()
            for seed in make_forest_fixtures.SEEDS
        }
        self.assertEqual({(row[0], row[1]) for row in scores}, expected)
        self.assertEqual(len(scores), len(expected))

    def test_files_are_small(self):
        folder = make_forest_fixtures.DEFAULT_FOLDER
        size = sum((folder / name).stat().st_size for name in self.names)
        self.assertLess(size, MOST_BYTES)

    def test_features_are_exact_in_32_bits(self):
        for name, data in make_forest_fixtures.data_sets().items():
            for features in (data[0], data[2]):
                with self.subTest(name):
                    narrow = features.astype(np.float32).astype(np.float64)
                    np.testing.assert_array_equal(features, narrow)

    def test_images_look_like_clothes(self):
        pixels, labels = make_forest_fixtures.images(2, 500)
        self.assertEqual((pixels.min(), pixels.max()), (0, 255))
        self.assertGreater((pixels == 0).mean(), 0.3)
        self.assertGreater(np.bincount(labels).min(), 25)


if __name__ == "__main__":
    unittest.main()
