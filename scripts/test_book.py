"""Check that the book builds, that its links lead somewhere, and that its made pages are what the program prints today."""

import pathlib
import tempfile
import unittest

import book
import reference_pages


class TheBook(unittest.TestCase):
    """Pages, links, and pages that are made."""

    def test_it_builds_and_every_link_leads_somewhere(self):
        self.assertEqual(book.build(book.ROOT / "target" / "book"), [])
        site = book.ROOT / "target" / "book" / "site"
        for name in book.pages():
            self.assertTrue((site / name.replace(".md", ".html")).is_file(), name)

    def test_wrong_links_are_noticed(self):
        with tempfile.TemporaryDirectory(dir=book.ROOT / "target") as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text("[a](nowhere.md) `[b](code.md)`\n\n```\n[c](in-a-block.md)\n```\n![d](../../README.md)\n")
            made = book.Book(pathlib.Path(folder) / "out")
            made.source.mkdir()
            made.page(path)
            self.assertEqual(len(made.wrong), 2, made.wrong)
            site = pathlib.Path(folder) / "site"
            site.mkdir()
            (site / "a.html").write_text('<a href="b.html#there">x</a><a href="b.html#not">x</a><a href="c.html">x</a><img src="https://elsewhere/x">')
            (site / "b.html").write_text('<h1 id="there">y</h1>')
            self.assertEqual(len(book.broken(site)), 3)

    def test_made_pages_are_current(self):
        for name, text in reference_pages.pages().items():
            kept = (book.ROOT / "docs" / name).read_text(encoding="utf-8")
            self.assertEqual(kept, text, f"run `python scripts/reference_pages.py`: docs/{name} is old")

    def test_every_schema_is_on_the_page(self):
        text = (book.ROOT / "docs" / "json.md").read_text(encoding="utf-8")
        for schema in reference_pages.schemas_of_the_source():
            self.assertIn(schema, text)


if __name__ == "__main__":
    unittest.main()
