"""Write synthetic pools of predicted numbers, for the example `defaults`.

Each has a model's prediction, a surrogate's mean and variance, and the label.
Errors grow with how hard an item is, which the variance ranks. They are
Gaussian in `gaussian`, have a variance that the surrogate does not see in
`flat`, follow Student's t with 3 degrees of freedom in `student`, are
lognormal in `lognormal`, and in `gross` 1 % of the labels are far off. `rain`
is dry on most days, and heavy rain is forecast badly.

Usage: python scripts/make_number_pools.py OUT
"""

import math
import pathlib
import random
import sys

ITEMS = 5000
COLUMNS = "id,mean,surrogate_mean,surrogate_variance,label\n"


def gaussian(source):
    """Errors of the size that the surrogate expects."""
    return source.gauss(0, 1)


def student(source):
    """Student's t with 3 degrees of freedom."""
    squares = sum(source.gauss(0, 1) ** 2 for _ in range(3))
    return source.gauss(0, 1) / math.sqrt(squares / 3)


def lognormal(source):
    """Skewed errors, centred."""
    return math.exp(source.gauss(0, 1.2)) - math.exp(0.72)


def gross(source):
    """1 % of the errors are fifteen times as large."""
    return source.gauss(0, 1) * (15 if source.random() < 0.01 else 1)


def errors(noise, *, sees=True):
    """Labels about a true value; hard items have larger errors."""

    def row(source):
        value = source.gauss(0, 2)
        hard = math.exp(source.gauss(0, 0.6))
        mean = value + 0.7 * hard * source.gauss(0, 1)
        guess = value + 0.4 * hard * source.gauss(0, 1)
        size = hard if sees else 1.2
        variance = size * size * math.exp(source.gauss(0, 0.3))
        return mean, guess, variance, value + hard * noise(source)

    return row


def rain(source):
    """Millimetres a day: mostly dry, with a long tail."""
    wet = source.betavariate(0.5, 1.2)
    amount = 0.0
    if source.random() < wet:
        amount = source.gammavariate(0.6, 3 + 14 * wet * math.exp(source.gauss(0, 0.7)))
    seen = wet * (2 + 6 * wet)
    mean = seen * math.exp(source.gauss(-0.1, 0.4))
    guess = seen * math.exp(source.gauss(0, 0.25))
    return mean, guess, 0.05 + (0.8 * guess) ** 2, amount


def main():
    """Write every pool."""
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    pools = {
        "gaussian": errors(gaussian),
        "flat": errors(gaussian, sees=False),
        "student": errors(student),
        "lognormal": errors(lognormal),
        "gross": errors(gross),
        "rain": rain,
    }
    for seed, (name, row) in enumerate(pools.items()):
        source = random.Random(100 + seed)
        with (out / f"{name}.csv").open("w") as file:
            file.write(COLUMNS)
            for item in range(ITEMS):
                numbers = ",".join(f"{number:.9g}" for number in row(source))
                file.write(f"{item},{numbers}\n")


if __name__ == "__main__":
    main()
