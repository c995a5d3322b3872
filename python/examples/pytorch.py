"""Measure a network of PyTorch with 100 labels instead of 1,597: `python python/examples/pytorch.py`."""

import torch
from sklearn.datasets import load_digits

import labelwise as lw

torch.manual_seed(0)
images, digits = (torch.tensor(array) for array in load_digits(return_X_y=True))
images = images.float() / 16
order = torch.randperm(len(images))
train, pool = order[:200], order[200:]


def trained() -> torch.nn.Module:
    network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(100):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(network(images[train]), digits[train]).backward()
        optimiser.step()
    return network.eval()


network, *others = (trained() for _ in range(4))
with torch.no_grad():
    logits = network(images[pool])
    # Other networks say where this one may be wrong: tensors on the CPU are read where they lie.
    ensemble = [other(images[pool]).softmax(dim=1) for other in others]

e = lw.Evaluation(logits=logits, surrogate=ensemble, loss="accuracy", seed=0)
e.run(100, lambda item: int(digits[pool[item]]))  # in life, somebody looks at the image
print(e.estimate())
print(f"by all {len(pool)} labels, accuracy {(logits.argmax(dim=1) == digits[pool]).double().mean():.4f}")
