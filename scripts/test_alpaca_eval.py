"""Check that the pool of AlpacaEval is made of a folder as AlpacaEval's, and that the program takes it."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
MODELS = 9


def annotations(model):
    """A model's verdicts: the higher its number, the better it is; every fifth instruction is hard."""
    rows = []
    for item in range(60):
        preference = 1 + min(1.0, max(0.0, 0.1 * model + (0.0 if item % 5 == 0 else 0.2) + 0.01 * (item * 7 % 13)))
        row = {"instruction": f'Say "{item}", please', "output_1": "reference", "output_2": f"answer {model}"}
        row |= {"dataset": "odd" if item % 2 else "even", "preference": None if item == 3 and model == 2 else preference}
        rows.append(row)
    # Models need not be in the same order.
    return rows[::-1] if model % 2 else rows


class AlpacaEval(unittest.TestCase):
    """The script, and the commands of the book's page."""

    def test_the_pool_has_the_verdicts_on_others_as_history(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for model in range(MODELS):
                place = folder / "results" / f"model-{model}" / "weighted_alpaca_eval_gpt4_turbo"
                place.mkdir(parents=True)
                (place / "annotations.json").write_text(json.dumps(annotations(model)), encoding="utf-8")
            (folder / "results" / "not-annotated").mkdir()
            command = [sys.executable, HERE / "alpaca_eval_pool.py", folder / "results", "model-5", folder / "pool.csv"]
            subprocess.run(command, check=True)
            with (folder / "pool.csv").open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 60)
            by_instruction = {row["instruction"]: row for row in rows}
            row = by_instruction['Say "3", please']
            self.assertEqual((row["m_model-2"], row["answer"], row["dataset"]), ("", "answer 5", "odd"))
            self.assertEqual(row["verdict"], f"{0.5 + 0.2 + 0.01 * (21 % 13):.5f}")
            self.assertNotIn("m_model-5", row)
            self.assertEqual(by_instruction['Say "5", please']["m_model-4"], f"{0.4 + 0.01 * (35 % 13):.5f}")
            program = os.environ["LABELWISE_PROGRAM"]
            options = ["--history", "m_*", "--loss", "value", "--range", "0,1"]
            simulate = [program, "simulate", "pool.csv", *options, "--label-column", "verdict", "--budget", "20", "--runs", "5", "--json"]
            found = json.loads(subprocess.run(simulate, cwd=folder, check=True, capture_output=True, text=True).stdout)
            self.assertIn("schema", found)

    def test_a_model_that_is_not_there_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, HERE / "alpaca_eval_pool.py", folder, "nobody"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("has no nobody/weighted_alpaca_eval_gpt4_turbo", done.stderr)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
