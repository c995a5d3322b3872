"""Make the small pools that the examples of the program's help are run on.

It is the first 300 digits of the pool that is bundled with `labelwise demo`:
their ids, the model's probabilities, the true digits, and the images in
letters, so that a person can label them. Beside it is what another model, a
random forest, says of the same digits.

Usage: python scripts/make_example_pool.py [OUTPUT [OTHER]]
"""

import argparse
import csv
from pathlib import Path

import make_digits_pool
from sklearn.datasets import load_digits

ROWS = 300

# From white to black; a pixel has 17 shades.
SHADES = ".:-=+*#%@"

DEFAULT_OUTPUT = Path(__file__).resolve().parent.parent / "examples" / "pool.csv"
DEFAULT_OTHER = DEFAULT_OUTPUT.with_name("pool-b.csv")


def in_letters(image):
    """Return an image as lines of letters with slashes between."""
    shades = len(SHADES) - 1
    lines = [[SHADES[int(pixel) * shades // 16] for pixel in line] for line in image]
    return "/".join("".join(line) for line in lines)


def first_rows():
    """Return the rows of the bundled pool that the examples have."""
    with open(make_digits_pool.DEFAULT_OUTPUT, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))[:ROWS]


def write_other(output):
    """Write what the other model says of the same items to `output`."""
    classes = range(make_digits_pool.CLASSES)
    with open(output, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *(f"prob_{digit}" for digit in classes)])
        for row in first_rows():
            writer.writerow([row["id"], *(row[f"surrogate_{digit}"] for digit in classes)])


def write_pool(output):
    """Write the pool to `output`."""
    images = load_digits().images
    rows = first_rows()
    classes = range(make_digits_pool.CLASSES)
    with open(output, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *(f"prob_{digit}" for digit in classes), "label", "image"])
        for row in rows:
            place = int(row["id"].removeprefix("digit-"))
            probabilities = [row[f"model_{digit}"] for digit in classes]
            writer.writerow(
                [row["id"], *probabilities, row["label"], in_letters(images[place])]
            )


def main():
    """Read the command line and write both pools."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", nargs="?", type=Path, default=DEFAULT_OUTPUT)
    parser.add_argument("other", nargs="?", type=Path, default=DEFAULT_OTHER)
    arguments = parser.parse_args()
    write_pool(arguments.output)
    write_other(arguments.other)


if __name__ == "__main__":
    main()
