"""Check that the fixtures of Gaussian processes are what their script makes today."""

import csv
import tempfile
import unittest
from pathlib import Path

import numpy as np

import make_gp_fixtures

# Another processor or maths library rounds differently, and solving with
# covariances enlarges that; a larger difference means that the files and their
# script have come apart.
TOLERANCE = 1e-8

# A search stops near its optimum, not on it.
SEARCH_TOLERANCE = 1e-4


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


class GaussianProcessFixtures(unittest.TestCase):
    """The committed files, and the files made again."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.names = make_gp_fixtures.write_fixtures(folder)
            cls.remade = {name: read_rows(Path(folder) / name) for name in cls.names}

    def test_files_are_what_the_script_makes(self):
        for name in self.names:
            tolerance = SEARCH_TOLERANCE if name == "gp_search.csv" else TOLERANCE
            committed = read_rows(make_gp_fixtures.DEFAULT_FOLDER / name)
            self.assertEqual(len(committed), len(self.remade[name]), name)
            for old, new in zip(committed, self.remade[name], strict=True):
                self.assertEqual(len(old), len(new), f"{name}: {old}")
                for before, now in zip(old, new, strict=True):
                    self.compare(before, now, tolerance, f"{name}: {old}")

    def compare(self, before, now, tolerance, message):
        """Compare two fields, as numbers where they are numbers."""
        old, new = as_number(before), as_number(now)
        if old is None or new is None:
            self.assertEqual(before, now, message)
        else:
            slack = tolerance * max(1.0, abs(old), abs(new))
            self.assertLessEqual(abs(old - new), slack, message)

    def test_files_say_what_made_them(self):
        for name in self.names:
            path = make_gp_fixtures.DEFAULT_FOLDER / name
            first_line = path.read_text(encoding="utf-8").splitlines()[0]
            versions = r"numpy [\d.]+, scipy [\d.]+, scikit-learn [\d.]+\."
            self.assertRegex(first_line, rf"^# Made by .* {versions}$")


class Posterior(unittest.TestCase):
    """What scikit-learn was asked, against the textbook's formula."""

    def test_the_posterior_is_the_textbooks(self):
        train, labels, test = make_gp_fixtures.data_sets()["cube"]
        variance, scales, noise = 2.5, [0.5, 0.2, 4.0], 0.01
        setting = ("matern32", variance, scales, noise)
        model = make_gp_fixtures.regressor(*setting, optimizer=None)
        means, std_devs = model.fit(train, labels).predict(test, return_std=True)

        def covariance(a, b):
            gaps = (a[:, None] - b[None]) / np.array(scales)
            distances = np.sqrt(3.0 * (gaps**2).sum(axis=2))
            return variance * (1.0 + distances) * np.exp(-distances)

        among = covariance(train, train) + (noise + 1e-10) * np.eye(len(train))
        across = covariance(test, train)
        solved = np.linalg.solve(among, across.T)
        np.testing.assert_allclose(means, labels @ solved, atol=1e-10)
        left = variance + noise - (across * solved.T).sum(axis=1)
        np.testing.assert_allclose(std_devs**2, left, atol=1e-10)


if __name__ == "__main__":
    unittest.main()
