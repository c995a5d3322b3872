"""Make the logits that the networks of labelwise-deep are tested against.

PyTorch computes them in f64, in training (by the batch's statistics) and
after it. Weights and images are sines of their places and names, so that the
test makes the same ones. `crates/labelwise-deep/src/reference.rs` compares.
PyTorch is a download of some gigabytes, so no test makes the file again:
install benches/requirements-networks.txt first.

Usage: python scripts/make_network_fixtures.py [FILE]
"""

import csv
import sys
import zlib
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_FILE = ROOT / "crates/labelwise-deep/tests/fixtures/logits.csv"
CLASSES = 5
IMAGES = 3


def sines(name, count):
    """Return numbers from -1 to 1 that depend on the name and the place."""
    phase = zlib.crc32(name.encode()) % 1000
    return np.sin(0.618 * np.arange(count) + phase)


class Weights:
    """Numbers for every parameter that is asked for, by its name."""

    def __init__(self, training):
        self.training = training

    def of(self, name, shape, middle, spread):
        """Return a tensor of this shape, rounded to f32 as networks keep it."""
        numbers = middle + spread * sines(name, int(np.prod(shape)))
        return torch.tensor(numbers.astype(np.float32).astype(float)).reshape(shape)

    def matrix(self, name, shape, inputs):
        """Return weights whose outputs are about as large as their inputs."""
        return self.of(f"{name}.weight", shape, 0.0, 2.0 / inputs**0.5)

    def convolution(self, x, name, after, size, stride=1, padding=None, bias=False):
        before = x.shape[1]
        weight = self.matrix(name, (after, before, size, size), before * size * size)
        bias = self.of(f"{name}.bias", (after,), 0.0, 0.1) if bias else None
        padding = size // 2 if padding is None else padding
        return functional.conv2d(x, weight, bias, stride, padding)

    def norm(self, x, name):
        shape = (x.shape[1],)
        gamma = self.of(f"{name}.gamma", shape, 1.0, 0.3)
        beta = self.of(f"{name}.beta", shape, 0.0, 0.1)
        mean = self.of(f"{name}.mean", shape, 0.0, 0.1)
        variance = self.of(f"{name}.variance", shape, 1.0, 0.5)
        return functional.batch_norm(x, mean, variance, gamma, beta, self.training)

    def normalised(self, x, name, after, size, stride=1):
        x = self.convolution(x, name, after, size, stride)
        return self.norm(x, f"{name}.norm")

    def linear(self, x, name, after):
        before = x.shape[1]
        weight = self.matrix(name, (before, after), before)
        return x @ weight + self.of(f"{name}.bias", (after,), 0.0, 0.1)


def residual_network(w, x, depths, width, bottleneck):
    """ResNets with a stem of 3 x 3 pixels."""
    x = functional.relu(w.normalised(x, "stem", width, 3))
    for stage, depth in enumerate(depths):
        inner = width * 2**stage
        outer = 4 * inner if bottleneck else inner
        for block in range(depth):
            stride = 2 if stage > 0 and block == 0 else 1
            name = f"stage{stage + 1}.block{block + 1}"
            if bottleneck:
                steps = [(inner, 1, 1), (inner, 3, stride), (outer, 1, 1)]
            else:
                steps = [(inner, 3, stride), (inner, 3, 1)]
            branch = x
            for step, (after, size, by) in enumerate(steps):
                branch = functional.relu(branch) if step else branch
                named = f"{name}.step{step + 1}"
                branch = w.normalised(branch, named, after, size, by)
            if stride != 1 or x.shape[1] != outer:
                x = w.normalised(x, f"{name}.shortcut", outer, 1, stride)
            x = functional.relu(branch + x)
    return w.linear(x.mean((2, 3)), "last", CLASSES)


def wide_network(w, x, depth, widen):
    """Wide residual networks: normalisation and rectifier come first."""
    x = w.convolution(x, "stem", 16, 3)
    for group, (inner, first) in enumerate([(16, 1), (32, 2), (64, 2)]):
        after = inner * widen
        for block in range((depth - 4) // 6):
            stride = first if block == 0 else 1
            name = f"group{group + 1}.block{block + 1}"
            normed = functional.relu(w.norm(x, f"{name}.norm"))
            if stride != 1 or x.shape[1] != after:
                x = w.convolution(normed, f"{name}.shortcut", after, 1, stride)
            branch = w.normalised(normed, f"{name}.first", after, 3, stride)
            branch = w.convolution(functional.relu(branch), f"{name}.second", after, 3)
            x = branch + x
    x = functional.relu(w.norm(x, "norm"))
    return w.linear(x.mean((2, 3)), "last", CLASSES)


def plain_network(w, x, channels, hidden, size, padding):
    """Two convolutions and two fully connected layers."""
    for name, after in zip(["first", "second"], channels, strict=True):
        x = w.convolution(x, name, after, size, padding=padding, bias=True)
        x = functional.relu(functional.max_pool2d(x, 2))
    x = functional.relu(w.linear(x.flatten(1), "hidden", hidden))
    return w.linear(x, "last", CLASSES)


# Narrow ones: what widths do is in their numbers of parameters.
NETWORKS = {
    "resnet-18": lambda w, x: residual_network(w, x, [2, 2, 2, 2], 8, False),
    "resnet-34": lambda w, x: residual_network(w, x, [3, 4, 6, 3], 8, False),
    "resnet-50": lambda w, x: residual_network(w, x, [3, 4, 6, 3], 8, True),
    "wide-resnet-16-2": lambda w, x: wide_network(w, x, 16, 2),
    "radial-bnn": lambda w, x: plain_network(w, x, [16, 32], 128, 5, 0),
    "small-cnn": lambda w, x: plain_network(w, x, [32, 64], 128, 3, 1),
}


def main():
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_FILE
    shape = (IMAGES, 3, 18, 17)
    images = torch.tensor(sines("images", int(np.prod(shape)))).float().double()
    with open(file, "w", encoding="utf-8", newline="") as out:
        versions = f"torch {torch.__version__.split('+')[0]}, numpy {np.__version__}"
        out.write(f"# made by scripts/make_network_fixtures.py with {versions}\n")
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["network", "training", "image", *range(CLASSES)])
        for name, network in NETWORKS.items():
            for training in [False, True]:
                logits = network(Weights(training), images.reshape(shape))
                for image, row in enumerate(logits.tolist()):
                    rows.writerow([name, int(training), image, *map(repr, row)])


if __name__ == "__main__":
    main()
