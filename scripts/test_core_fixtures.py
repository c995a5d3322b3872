"""Check that the core's fixtures are what their script makes today."""

import unittest

import numpy as np
from scipy import stats
from sklearn.metrics import log_loss

import make_core_fixtures
import reference_intervals
import reference_losses
import reference_samples
import remade_fixtures


class CoreFixtures(remade_fixtures.RemadeFixtures, unittest.TestCase):
    """The committed files, and the files made again."""

    script = make_core_fixtures
    least_size = 0.0


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
