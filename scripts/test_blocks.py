"""Check that every console block of README and the book does what the page says."""

import pathlib
import tempfile
import unittest

import blocks


class Blocks(unittest.TestCase):
    """Pages, run in order; and the runner itself."""

    def test_every_page(self):
        ran = 0
        # Pages with Python need the package: they are run with its tests.
        for path in blocks.pages(python=False):
            with self.subTest(page=path.name):
                page = blocks.Page(path)
                self.assertEqual(page.run(), [])
                ran += page.ran
        # As many as there are. README and other pages with Python are run and compared with the package.
        self.assertGreaterEqual(ran, 28)

    def test_a_wrong_page_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text("```console\n$ echo one\ntwo\n$ false\n```\n\n```python\nprint(1)\n```\n```text\n2\n```\n\n```console\necho\n```\n")
            first, second, third, fourth = blocks.Page(path).run()
            self.assertIn("printed\none", first)
            self.assertIn("`false` failed (1)", second)
            self.assertIn("printed\n1", third)
            self.assertIn("begins with `$ `", fourth)
            self.assertEqual(blocks.Page(path, update=True).run(), [second, fourth])
            self.assertIn("$ echo one\none\n", path.read_text())
            self.assertIn("```text\n1\n", path.read_text())

    def test_a_block_can_be_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text("<!-- saved as: a.txt -->\n```python\nx = 1\n```\n\n```console\n$ cat a.txt\nx = 1\n```\n")
            self.assertEqual(blocks.Page(path).run(), [])

    def test_pages_with_python_are_told_from_others(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            for text, expected in [("```python\n1\n```\n", True), ("<!-- not run: slow -->\n```python\n1\n```\n", False), ("```console\n```\n", False)]:
                path.write_text(text)
                self.assertEqual(blocks.has_python(path), expected)
        self.assertIn(blocks.ROOT / "README.md", blocks.pages(python=True))

    def test_gaps_stand_for_any_lines(self):
        self.assertTrue(blocks.matches(list("abcd"), ["a", "...", "d"]))
        self.assertTrue(blocks.matches(list("ab"), ["a", "...", "b"]))
        self.assertFalse(blocks.matches(list("abd"), ["a", "...", "c", "...", "d"]))
        self.assertFalse(blocks.matches(list("a"), ["a", "...", "a"]))


if __name__ == "__main__":
    unittest.main()
