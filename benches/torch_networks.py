"""Trains and asks the networks of the benchmark with PyTorch on one thread of the processor.

Usage: torch_networks.py CASE BATCHES REPEATS
Prints images a CPU second, of training and of inference: the best of some repeats.
"""

import sys
import time

import torch
from torch import nn
from torch.nn import functional

BATCH = 64


class Small(nn.Module):
    """Two convolutions and two fully connected layers."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 32, 3, padding=1)
        self.second = nn.Conv2d(32, 64, 3, padding=1)
        self.hidden = nn.Linear(64 * 7 * 7, 128)
        self.last = nn.Linear(128, 10)

    def forward(self, x):
        x = functional.relu(functional.max_pool2d(self.first(x), 2))
        x = functional.relu(functional.max_pool2d(self.second(x), 2))
        return self.last(functional.relu(self.hidden(x.flatten(1))))


def normalised(before, after, size, stride):
    """A convolution and the normalisation of what comes out."""
    convolution = nn.Conv2d(before, after, size, stride, padding=size // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(after))


class Block(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.first = normalised(before, after, 3, stride)
        self.second = normalised(after, after, 3, 1)
        same = stride == 1 and before == after
        self.shortcut = nn.Identity() if same else normalised(before, after, 1, stride)

    def forward(self, x):
        return functional.relu(self.second(functional.relu(self.first(x))) + self.shortcut(x))


class ResNet18(nn.Module):
    """ResNet-18 with a stem of 3 x 3 pixels."""

    def __init__(self):
        super().__init__()
        self.stem = normalised(3, 64, 3, 1)
        blocks, before = [], 64
        for after, stride in [(64, 1), (128, 2), (256, 2), (512, 2)]:
            blocks += [Block(before, after, stride), Block(after, after, 1)]
            before = after
        self.blocks = nn.Sequential(*blocks)
        self.last = nn.Linear(512, 10)

    def forward(self, x):
        x = self.blocks(functional.relu(self.stem(x)))
        return self.last(x.mean((2, 3)))


def measure(case, batches, repeats):
    """Images a CPU second, of training and of inference."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model, shape = {"small": (Small, (1, 28, 28)), "resnet18": (ResNet18, (3, 32, 32))}[case]
    model = model()
    count = batches * BATCH
    images = torch.randn(count, *shape)
    labels = torch.arange(count) % 10
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    training, inference = 0.0, 0.0
    for repeat in range(repeats + 1):
        model.train()
        start = time.process_time()
        order = torch.randperm(count)
        for rows in order.split(BATCH):
            optimiser.zero_grad()
            functional.cross_entropy(model(images[rows]), labels[rows]).backward()
            optimiser.step()
        middle = time.process_time()
        model.eval()
        with torch.inference_mode():
            for batch in images.split(BATCH):
                functional.softmax(model(batch), 1).numpy()
        end = time.process_time()
        # The first round warms up.
        if repeat > 0:
            training = max(training, count / (middle - start))
            inference = max(inference, count / (end - middle))
    return training, inference


if __name__ == "__main__":
    print(*measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
