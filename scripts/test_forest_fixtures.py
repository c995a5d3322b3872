"""Check that the forest's fixtures are what their script makes today."""

import unittest

import numpy as np

import make_forest_fixtures
import remade_fixtures

# All twenty seeds would take most of a minute.
SEEDS = range(2)

# The tests read these files each time they are built.
MOST_BYTES = 500_000


class ForestFixtures(remade_fixtures.RemadeFixtures, unittest.TestCase):
    """The committed files, and the files made again."""

    script = make_forest_fixtures

    @classmethod
    def write(cls, folder):
        return make_forest_fixtures.write_fixtures(folder, SEEDS)

    def committed(self, name):
        rows = super().committed(name)
        if name == "forest_scores.csv":
            seeds = {str(seed) for seed in SEEDS} | {"seed"}
            rows = [row for row in rows if row[1] in seeds]
        return rows

    def test_every_forest_has_every_seed(self):
        path = make_forest_fixtures.DEFAULT_FOLDER / "forest_scores.csv"
        scores = remade_fixtures.read_rows(path)[1:]
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
