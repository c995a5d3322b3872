"""Time scikit-learn's Gaussian process on the paper's sequence of labels.

Of 50 points on a line, 5 are labelled at the start and the others one after
the other, up to 49. At each size the process is fitted from scratch and
predicts mean and standard deviation of the points that are left, as the
paper's research code does through scikit-learn. It is the peer that the `gp`
benchmark of labelwise-models compares itself with.

Usage: python benches/sklearn_gp.py [--repetitions R]

It prints one line of JSON: the CPU time of the least disturbed repetition, and
the sums of all means and variances, which the peer must find as well.
"""

import argparse
import json
import os
import time

# More threads than one would only add to the CPU time of problems this small.
# The libraries read these as they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

POINTS = 50
TRAINING_POINTS = 5


def sequence(features, labels):
    """Fit and predict at each size; return the sums of means and variances."""
    mean_sum = variance_sum = 0.0
    for size in range(TRAINING_POINTS, POINTS):
        process = GaussianProcessRegressor(Matern(1.0, nu=1.5), optimizer=None)
        process.fit(features[:size], labels[:size])
        means, std_devs = process.predict(features[size:], return_std=True)
        mean_sum += means.sum()
        variance_sum += (std_devs**2).sum()
    return mean_sum, variance_sum


def main():
    """Read the command line, time the sequence and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=30, help="how often")
    options = parser.parse_args()

    # Seven and fifty have no common divisor, so this is an order of all points.
    order = np.arange(POINTS) * 7 % POINTS
    features = np.linspace(0.0, 1.0, POINTS)[order, None]
    labels = np.sin(6.0 * features[:, 0])

    times = []
    for _ in range(max(1, options.repetitions)):
        start = time.process_time()
        mean_sum, variance_sum = sequence(features, labels)
        times.append(time.process_time() - start)
    result = {
        "seconds_cpu": min(times),
        "mean_sum": float(mean_sum),
        "variance_sum": float(variance_sum),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
