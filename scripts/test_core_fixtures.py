"""Check that the core's fixtures are what their script makes today."""

import csv
import tempfile
import unittest
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.metrics import log_loss

import make_core_fixtures
import reference_intervals
import reference_losses
import reference_samples

# Another processor or maths library may round the last digits differently; a
# larger difference means that the files and their script have come apart.
TOLERANCE = 1e-9


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


class CoreFixtures(unittest.TestCase):
    """The committed files, and the files made again."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.names = make_core_fixtures.write_fixtures(folder)
            cls.remade = {name: read_rows(Path(folder) / name) for name in cls.names}

    def test_files_are_what_the_script_makes(self):
        for name in self.names:
            committed = read_rows(make_core_fixtures.DEFAULT_FOLDER / name)
            self.assertEqual(len(committed), len(self.remade[name]), name)
            for old, new in zip(committed, self.remade[name], strict=True):
                self.assertEqual(len(old), len(new), f"{name}: {old}")
                for before, now in zip(old, new, strict=True):
                    self.compare(before, now, f"{name}: {old}")

    def compare(self, before, now, message):
        """Compare two fields, as numbers where they are numbers."""
        old, new = as_number(before), as_number(now)
        if old is None or new is None:
            self.assertEqual(before, now, message)
        else:
            slack = TOLERANCE * max(abs(old), abs(new))
            self.assertLessEqual(abs(old - new), slack, message)

    def test_files_say_what_made_them(self):
        for name in self.names:
            path = make_core_fixtures.DEFAULT_FOLDER / name
            first_line = path.read_text(encoding="utf-8").splitlines()[0]
            self.assertRegex(first_line, r"^# Made by .* numpy [\d.]+, scipy [\d.]+\.$")


class Formulas(unittest.TestCase):
    """The script's own formulas, against ones that are simpler or not ours."""

    def test_integrals_of_a_standard_normal(self):
        for power, exact in ((1, 0.0), (2, 1.0), (4, 3.0), (6, 15.0)):
            found = reference_losses.expectation(lambda y: y**power, 0.0, 1.0, 0.5)
            self.assertAlmostEqual(found, exact, delta=1e-11)
        folded = reference_losses.expectation(lambda y: abs(y - 0.7), -0.2, 4.0, 0.7)
        self.assertAlmostEqual(
            folded, stats.foldnorm(0.45, scale=2.0).mean(), delta=1e-11
        )

    def test_cross_entropy_is_that_of_scikit_learn(self):
        # Only rows that sum to one and need no clipping mean the same there.
        table = make_core_fixtures.probability_table()[:3]
        for label in range(3):
            ours = reference_losses.cross_entropy(table)[:, label].mean()
            theirs = log_loss([label] * 3, table, labels=[0, 1, 2])
            self.assertAlmostEqual(ours, theirs, delta=1e-13)

    def test_coefficients_sum_to_one(self):
        for samples in reference_samples.sample_sets():
            total = reference_intervals.coefficients(samples).sum()
            self.assertAlmostEqual(total, 1.0, delta=1e-12, msg=samples.name)

    def test_lure_is_the_weighted_mean_of_the_paper(self):
        for samples in reference_samples.sample_sets():
            value = reference_intervals.value_variance_freedom(samples, "lure")[0]
            weights = reference_intervals.lure_weights(samples)
            weighted = np.mean(weights * samples.loss)
            self.assertAlmostEqual(value, weighted, delta=1e-12, msg=samples.name)


if __name__ == "__main__":
    unittest.main()
