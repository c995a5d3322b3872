"""Check that the fixtures of the linear models are what their script makes today."""

import unittest
from fractions import Fraction

import numpy as np

import make_linear_fixtures
import remade_fixtures


class LinearFixtures(remade_fixtures.RemadeFixtures, unittest.TestCase):
    """The committed files, and the files made again."""

    script = make_linear_fixtures

    def tolerance_of(self, name):
        # Logistic regression stops near its minimum, not on it.
        return 1e-7 if name.startswith("logistic") else self.tolerance


def solve_exactly(matrix, right):
    """Solve a linear system in fractions, by Gauss and Jordan."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for pivot in range(len(rows)):
        best = max(range(pivot, len(rows)), key=lambda row: abs(rows[row][pivot]))
        rows[pivot], rows[best] = rows[best], rows[pivot]
        rows[pivot] = [value / rows[pivot][pivot] for value in rows[pivot]]
        for row in range(len(rows)):
            if row != pivot:
                factor = rows[row][pivot]
                pairs = zip(rows[row], rows[pivot], strict=True)
                rows[row] = [a - factor * b for a, b in pairs]
    return [row[-1] for row in rows]


class Formulas(unittest.TestCase):
    """The script's own formulas, against others for the same."""

    def test_least_squares_in_exact_fractions(self):
        for name, ridges, train, labels, test in make_linear_fixtures.linear_problems():
            for ridge in ridges:
                exact = self.exact_beliefs(ridge, train, labels, test)
                rounded = make_linear_fixtures.linear_beliefs(
                    ridge, train, labels, test
                )
                np.testing.assert_allclose(rounded, exact, rtol=1e-9, err_msg=name)

    @staticmethod
    def exact_beliefs(ridge, train, labels, test):
        """Return the beliefs from the normal equations, without any rounding."""
        design = [[Fraction(1), *map(Fraction, row.tolist())] for row in train]
        target = [Fraction(label) for label in labels.tolist()]
        size = len(design[0])
        gram = [
            [sum(row[i] * row[j] for row in design) for j in range(size)]
            for i in range(size)
        ]
        penalty = Fraction(ridge)
        normal = [
            [
                value + (penalty if i == j and i > 0 else 0)
                for j, value in enumerate(row)
            ]
            for i, row in enumerate(gram)
        ]
        right = [
            sum(row[i] * y for row, y in zip(design, target, strict=True))
            for i in range(size)
        ]
        weights = solve_exactly(normal, right)

        def times(left, other):
            return sum(a * b for a, b in zip(left, other, strict=True))

        square = sum(
            (y - times(row, weights)) ** 2
            for row, y in zip(design, target, strict=True)
        )
        trace = sum(times(row, solve_exactly(normal, row)) for row in design)
        variance = square / (len(design) - trace)
        beliefs = []
        for row in test.tolist():
            x = [Fraction(1), *map(Fraction, row)]
            leverage = times(x, solve_exactly(normal, x))
            beliefs.append([times(x, weights), variance, variance * leverage])
        return np.array(beliefs, dtype=float)

    def test_default_solver_has_the_same_minimum(self):
        for name, cs, train, labels, test in make_linear_fixtures.logistic_problems():
            classes = make_linear_fixtures.class_count(name)
            for c in cs:
                ours, default = (
                    make_linear_fixtures.logistic_probabilities(
                        c, train, labels, test, classes, solver
                    )
                    for solver in (make_linear_fixtures.SOLVER, "lbfgs")
                )
                np.testing.assert_allclose(ours, default, atol=1e-5, err_msg=name)


if __name__ == "__main__":
    unittest.main()
