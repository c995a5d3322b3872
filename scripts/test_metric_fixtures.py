"""Check that the fixtures of the metrics are what their script makes today."""

import unittest

import make_metric_fixtures
import remade_fixtures


class MetricFixtures(remade_fixtures.RemadeFixtures, unittest.TestCase):
    """The committed files, and the files made again."""

    script = make_metric_fixtures


class Pools(unittest.TestCase):
    """The pools are what the tests take them for."""

    def test_every_class_is_predicted_and_labelled(self):
        for name, (_, rows, labels) in make_metric_fixtures.class_pools().items():
            everything = set(range(rows.shape[1]))
            self.assertEqual(set(labels), everything, name)
            self.assertEqual(set(rows.argmax(axis=1)), everything, name)


if __name__ == "__main__":
    unittest.main()
