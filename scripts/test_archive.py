"""Check the archive of a release, packed from the program that the test command builds."""

import hashlib
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest

import archive


class Archive(unittest.TestCase):
    """What is in it, and that it can be made again."""

    def test_it_has_everything_and_the_same_bytes_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            first = archive.pack(os.environ["LABELWISE_PROGRAM"], "test", folder / "a")
            second = archive.pack(os.environ["LABELWISE_PROGRAM"], "test", folder / "b")
            data = first.read_bytes()
            self.assertEqual(data, second.read_bytes())
            digest, name = (first.parent / f"{first.name}.sha256").read_text().split()
            self.assertEqual((digest, name), (hashlib.sha256(data).hexdigest(), first.name))
            with tarfile.open(first) as packed:
                packed.extractall(folder / "c", filter="data")
                names = {entry.name.split("/", 1)[1] for entry in packed}
                self.assertEqual({(entry.uid, entry.mtime) for entry in packed}, {(0, 0)})
            top = next((folder / "c").iterdir())
            said = subprocess.run([top / "labelwise", "--help"], capture_output=True, text=True, check=True).stdout
            commands = re.findall(r"^  ([a-z]+)  ", said.split("Commands:")[1].split("Options:")[0], re.MULTILINE)
            self.assertGreater(len(commands), 15)
            for command in set(commands) - {"help"}:
                self.assertIn(f"man/labelwise-{command}.1", names)
                self.assertIn(command, (top / "completions" / "_labelwise").read_text())
            self.assertLessEqual({*archive.TEXTS, "licences/Inter-OFL.txt"}, names)


if __name__ == "__main__":
    unittest.main()
