"""Check that the fixtures of the statistics are what their script makes today."""

import unittest

import numpy as np
from scipy import special, stats

import make_statistics_fixtures
import remade_fixtures


class StatisticsFixtures(remade_fixtures.RemadeFixtures, unittest.TestCase):
    """The committed files, and the files made again."""

    script = make_statistics_fixtures

    # Probabilities and squares of errors are small, and compared to their size.
    least_size = 0.0


class Formulas(unittest.TestCase):
    """The script's own formulas, against others for the same."""

    def test_swapped_samples_have_the_other_tail(self):
        for case in make_statistics_fixtures.exact_cases():
            first, second = make_statistics_fixtures.pairs(*case)
            options = {"alternative": "greater", "method": "auto"}
            direct = stats.wilcoxon(first, second, **options).pvalue
            swapped = make_statistics_fixtures.p_value(
                first, second, "greater", "auto"
            )
            self.assertAlmostEqual(direct, swapped, delta=1e-14, msg=case)

    def test_both_functions_for_the_tail_agree(self):
        for z in np.linspace(-37.0, 3.0, 41):
            self.assertAlmostEqual(np.log(special.ndtr(z)), special.log_ndtr(z), 9)

    def test_order_statistics_are_those_of_the_quantile_test(self):
        for runs, low, high in make_statistics_fixtures.median_rows()[6:]:
            sample = np.arange(1.0, runs + 1.0)
            found = stats.quantile_test(sample, p=0.5).confidence_interval(0.95)
            self.assertEqual((found.low, found.high), (low, high), runs)

    def test_a_quarter_of_the_labels(self):
        active, uniform = make_statistics_fixtures.curves()["quarter"]
        costs = make_statistics_fixtures.labelling_costs(active, uniform)
        # With 4, 8, ... uniform labels the active curve is there at a whole number.
        np.testing.assert_allclose(costs[3::4], 0.25)
        self.assertEqual(costs[:3], [1.0, 1.0 / 2.0, 1.0 / 3.0])


if __name__ == "__main__":
    unittest.main()
