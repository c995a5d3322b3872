"""Make Figure 5 of predictions that NumPy wrote, by `labelwise paper wanted`,
`labelwise paper archive` and `labelwise paper 5`: nothing is trained, and no image is
read."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

PROGRAM = os.environ["LABELWISE_PROGRAM"]
IMAGES = 500


def run(*arguments):
    """Run the program."""
    command = [PROGRAM, "paper", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def told(*arguments):
    """What the program tells machines."""
    done = run(*arguments, "--json")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def probabilities(labels, classes, generator):
    """What a model of some skill says: logits that favour the label, and a softmax."""
    logits = generator.normal(size=(len(labels), classes))
    logits[numpy.arange(len(labels)), labels] += 3
    scaled = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    return scaled / scaled.sum(axis=1, keepdims=True)


def losses(predicted, labels):
    """The cross-entropy of each image."""
    return -numpy.log(predicted[numpy.arange(len(labels)), labels])


class Archives(unittest.TestCase):
    """A figure of files that were written by NumPy."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.archives = self.folder / "archives"
        self.generator = numpy.random.default_rng(5)
        self.list = ("wanted", "5", "--scale", "smoke", "--archives", self.archives)

    def archived(self, name, **arrays):
        """Write arrays, and make the archive of this name of them."""
        path = self.folder / "theirs.npz"
        numpy.savez(path, **arrays)
        return told("archive", path, "--out", self.archives / name)

    def test_a_figure_of_arrays(self):
        wanted = told(*self.list)
        self.assertEqual(wanted["schema"], "labelwise.paper-wanted/1")
        self.assertEqual({row["state"] for row in wanted["archives"]}, {"missing"})
        labels = self.generator.integers(100, size=IMAGES)
        made = []
        for row in wanted["archives"]:
            self.assertEqual((row["set"], row["part"], row["classes"]), ("cifar-100", "test", 100))
            predicted = probabilities(labels, row["classes"], self.generator)
            made.append(predicted)
            archive = self.archived(row["file"], probs=predicted, labels=labels)
            self.assertEqual(archive["schema"], "labelwise.paper-archive/1")
            self.assertEqual((archive["items"], archive["classes"]), (IMAGES, 100))
            accuracy = numpy.mean(predicted.argmax(axis=1) == labels)
            self.assertAlmostEqual(archive["accuracy"], accuracy, places=12)
            cross_entropy = losses(predicted, labels).mean()
            self.assertAlmostEqual(archive["cross_entropy"], cross_entropy, places=5)
        again = told(*self.list)
        self.assertEqual({row["state"] for row in again["archives"]}, {"there"})
        self.assertEqual({row["items"] for row in again["archives"]}, {IMAGES})

        out = self.folder / "5"
        figure = told(
            "5", "--scale", "smoke", "--archives", self.archives, "--out", out
        )
        self.assertTrue((out / "figure-5.png").is_file())
        self.assertEqual(figure["losses"]["items"], IMAGES)
        self.assertEqual(len(figure["archives"]), len(made))
        # The first network is the model, the others are its ensemble.
        truth = losses(made[0], labels)
        largest = numpy.argsort(truth, kind="stable")[int(0.9 * IMAGES) :]
        self.assertEqual(figure["losses"]["largest"], len(largest))
        for archive, predicted in zip(figure["archives"], made):
            cross_entropy = losses(predicted, labels).mean()
            self.assertAlmostEqual(archive["cross_entropy"], cross_entropy, places=5)

    def test_images_in_another_order_are_refused(self):
        names = [row["file"] for row in told(*self.list)["archives"]]
        half = self.generator.integers(100, size=IMAGES // 2)
        # The same labels from both ends, so that nothing but the ids tells.
        labels = numpy.concatenate([half, half[::-1]])
        for place, name in enumerate(names):
            ids = numpy.arange(IMAGES)[:: -1 if place == 1 else 1]
            predicted = probabilities(labels, 100, self.generator)
            self.archived(name, probs=predicted[ids], labels=labels[ids], ids=ids)
        out = self.folder / "5"
        done = run("5", "--scale", "smoke", "--archives", self.archives, "--out", out)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("has other items than the model's archive, or another order", done.stderr)

    def test_labels_in_another_order_are_seen_at_once(self):
        name = told(*self.list)["archives"][0]["file"]
        labels = self.generator.integers(100, size=IMAGES)
        path = self.folder / "theirs.npz"
        predicted = probabilities(labels, 100, self.generator)
        numpy.savez(path, probs=predicted, labels=numpy.roll(labels, 1))
        done = run("archive", path, "--out", self.archives / name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("hardly better than chance", done.stdout)

        # The right ones do not take its place by themselves.
        numpy.savez(path, probs=predicted, labels=labels)
        kept = (self.archives / name).read_bytes()
        refused = run("archive", path, "--out", self.archives / name)
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("already exists and was not changed", refused.stderr)
        self.assertEqual((self.archives / name).read_bytes(), kept)


if __name__ == "__main__":
    sys.exit(unittest.main())
