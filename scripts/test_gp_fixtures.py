"""Check that the fixtures of Gaussian processes are what their script makes today."""

import unittest

import numpy as np

import make_gp_fixtures
import remade_fixtures


class GaussianProcessFixtures(remade_fixtures.RemadeFixtures, unittest.TestCase):
    """The committed files, and the files made again."""

    script = make_gp_fixtures

    # Solving with covariances enlarges what rounding does.
    tolerance = 1e-8

    def tolerance_of(self, name):
        # A search stops near its optimum, not on it.
        return 1e-4 if name == "gp_search.csv" else self.tolerance


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
