"""Measure a classifier of scikit-learn with 100 labels instead of 1,597: `python python/examples/scikit_learn.py`."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import labelwise as lw

images, digits = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(images))
train, pool = order[:200], order[200:]
model = LogisticRegression(max_iter=5000).fit(images[train], digits[train])

e = lw.Evaluation(
    model.predict_proba(images[pool]),
    loss="accuracy",
    # Another kind of model says where the first may be wrong. It learns from each 25 labels.
    surrogate=RandomForestClassifier(random_state=0),
    features=images[pool],
    train=(images[train], digits[train]),
)
for _ in range(100):
    item = e.ask()
    e.tell(item, digits[pool[item]])  # in life, somebody looks at the image

for estimate in e.estimates("accuracy", "f1_macro", "brier"):
    print(estimate)
print(f"by all {len(pool)} labels, accuracy {model.score(images[pool], digits[pool]):.4f}")
