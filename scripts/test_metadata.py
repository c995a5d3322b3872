"""Check the metadata of crates, the licences of dependencies, and that the placeholder address has one spelling."""

import json
import pathlib
import re
import subprocess
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Metadata(unittest.TestCase):
    """What a registry shows."""

    @classmethod
    def setUpClass(cls):
        options = ["--format-version", "1", "--locked", "--offline", "--filter-platform", "x86_64-unknown-linux-gnu"]
        cls.metadata = json.loads(subprocess.check_output(["cargo", "metadata", *options], cwd=ROOT, stderr=subprocess.DEVNULL))
        own = set(cls.metadata["workspace_members"])
        cls.crates = [package for package in cls.metadata["packages"] if package["id"] in own and package["publish"] != []]

    def test_every_crate_that_is_published_says_what_it_is(self):
        self.assertGreater(len(self.crates), 10)
        for crate in self.crates:
            name = crate["name"]
            self.assertTrue(crate["description"] and crate["license"] and crate["repository"], name)
            self.assertTrue(1 <= len(crate["keywords"]) <= 5 and crate["categories"], name)
            self.assertTrue(all(len(word) <= 20 for word in crate["keywords"]), name)
            folder = pathlib.Path(crate["manifest_path"]).parent
            self.assertTrue((folder / crate["readme"]).is_file(), name)
            self.assertIsNotNone(crate["rust_version"], name)
            # A published crate cannot need one that is not.
            published = {one["name"] for one in self.crates}
            for needed in crate["dependencies"]:
                if needed.get("path") and needed["kind"] is None:
                    self.assertIn(needed["name"], published, name)
                    self.assertNotEqual(needed["req"], "*", f"{name} needs {needed['name']} without a version")

    def test_packages_hold_what_they_need_and_nothing_else(self):
        options = ["--list", "--locked", "--offline", "--allow-dirty"]
        for crate in self.crates:
            name = crate["name"]
            folder = pathlib.Path(crate["manifest_path"]).parent
            files = set(subprocess.check_output(["cargo", "package", *options, "-p", name], cwd=ROOT, text=True).splitlines())
            for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
                self.assertTrue(licence in files, f"{name}: no {licence}")
                self.assertEqual((folder / licence).read_text(), (ROOT / licence).read_text(), name)
            self.assertTrue("README.md" in files, f"{name}: no README.md")
            strange = [file for file in files if re.search(r"(^|/)(target|__pycache__)/|\.(snap\.new|orig|rej|pyc)$", file)]
            self.assertLessEqual(set(strange), {"Cargo.toml.orig"}, name)
            # What the library compiles into itself is in the package; its tests may need the rest of the repository.
            for file in (path for path in folder.glob("src/**/*.rs") if "tests" not in path.parts):
                for found in re.findall(r'include(?:_str|_bytes)?!\(\s*"([^"]+)"', file.read_text(encoding="utf-8")):
                    held = (file.parent / found).resolve()
                    self.assertTrue(held.is_relative_to(folder), f"{file}: {found} is not in the package")
                    self.assertTrue(held.relative_to(folder).as_posix() in files, f"{file}: {found} is not in the package")

    def test_documentation_is_built_for_one_platform(self):
        for crate in self.crates:
            settings = crate["metadata"]["docs"]["rs"]
            self.assertEqual(settings["targets"], ["x86_64-unknown-linux-gnu"], crate["name"])

    def test_licences_of_dependencies_are_allowed(self):
        with (ROOT / "deny.toml").open("rb") as file:
            allowed = set(tomllib.load(file)["licenses"]["allow"])
        self.assertIn("MIT", allowed)
        self.assertTrue(fits("MIT/Apache-2.0", {"MIT"}) and not fits("GPL-3.0 OR LGPL-3.0", allowed))
        self.assertTrue(not fits("MIT AND GPL-3.0", allowed) and fits("(MIT OR GPL-3.0) AND ISC", allowed))
        used = {node["id"] for node in self.metadata["resolve"]["nodes"]}
        for package in self.metadata["packages"]:
            # A licence that is only a file is left to cargo-deny, which reads it.
            if package["id"] in used and package["license"]:
                self.assertTrue(fits(package["license"], allowed), f"{package['name']}: {package['license']}")

    def test_versions_agree(self):
        version = self.crates[0]["version"]
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        self.assertTrue(all(crate["version"] == version for crate in self.crates))

    def test_the_address_has_one_spelling(self):
        address = self.crates[0]["repository"]
        slug = address.removeprefix("https://github.com/")
        self.assertRegex(slug, r"^[\w-]+/labelwise$")
        files = subprocess.check_output(["git", "ls-files", "*.md", "*.toml", "*.yml", "*.cff", "*.py"], cwd=ROOT, text=True).split("\n")
        for name in filter(None, files):
            text = (ROOT / name).read_text(encoding="utf-8")
            for found in re.findall(r"(?:github\.com/|uses: )([\w-]+/labelwise)\b", text):
                self.assertEqual(found, slug, name)


def fits(expression, allowed):
    """Whether a licence expression is satisfied by allowed licences."""
    words = re.findall(r"[()]|\bAND\b|\bOR\b|[\w.+-]+(?: WITH [\w.+-]+)?", expression.replace("/", " OR "))
    place = 0

    def either():
        nonlocal place
        found = both()
        while place < len(words) and words[place] == "OR":
            place += 1
            found = both() or found
        return found

    def both():
        nonlocal place
        found = one()
        while place < len(words) and words[place] == "AND":
            place += 1
            found = one() and found
        return found

    def one():
        nonlocal place
        word = words[place]
        place += 1
        if word != "(":
            return word in allowed
        found = either()
        place += 1
        return found

    return either()


if __name__ == "__main__":
    unittest.main()
