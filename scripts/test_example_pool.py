"""Check that the pools of the examples are what their script makes today."""

import tempfile
import unittest
from pathlib import Path

import make_example_answers
import make_example_pool


class ExamplePool(unittest.TestCase):
    """The files in the repository, and the files made again."""

    def test_the_file_is_what_the_script_makes(self):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "pool.csv"
            make_example_pool.write_pool(output)
            remade = output.read_bytes()
        self.assertEqual(make_example_pool.DEFAULT_OUTPUT.read_bytes(), remade)

    def test_the_other_model_is_what_the_script_makes(self):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "pool-b.csv"
            make_example_pool.write_other(output)
            remade = output.read_bytes()
        self.assertEqual(make_example_pool.DEFAULT_OTHER.read_bytes(), remade)

    def test_the_answers_are_what_the_script_makes(self):
        kept = make_example_pool.DEFAULT_OUTPUT.with_name("answers.csv").read_text(encoding="utf-8")
        self.assertEqual(kept, make_example_answers.text())


if __name__ == "__main__":
    unittest.main()
