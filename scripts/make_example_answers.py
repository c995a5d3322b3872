"""Make examples/answers.csv: answers of a made-up language model to sums, with the scores of a cheap judge.

The right verdict of each answer can be computed, so examples can play the person who labels.

Usage: python scripts/make_example_answers.py [OUTPUT]
"""

import csv
import io
import math
import pathlib
import random
import sys

ANSWERS = 800
SIGNS = {"sum": "+", "difference": "-", "product": "×"}
# How often the model is right, by kind of question.
RIGHT = {"sum": 0.95, "difference": 0.85, "product": 0.55}


def rows():
    """The header and the answers."""
    chance = random.Random(24)
    yield ["id", "question", "answer", "kind", "judge_score", "label"]
    for number in range(ANSWERS):
        kind = chance.choice(list(SIGNS))
        first, second = chance.randint(12, 99), chance.randint(12, 99)
        true = {"sum": first + second, "difference": first - second, "product": first * second}[kind]
        passed = chance.random() < RIGHT[kind]
        answer = true if passed else true + chance.choice([-100, -10, -2, -1, 1, 2, 10, 100])
        # The judge is generous, and mostly sure of what it says.
        logit = (3.0 if passed else -1.2) + chance.gauss(0, 1.5)
        score = 1 / (1 + math.exp(-logit))
        question = f"What is {first} {SIGNS[kind]} {second}?"
        yield [f"q{number:03}", question, f"It is {answer}.", kind, f"{score:.2f}", "pass" if passed else "fail"]


def text():
    """The file."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows())
    return file.getvalue()


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parents[1] / "examples" / "answers.csv"
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    path.write_text(text(), encoding="utf-8", newline="\n")
