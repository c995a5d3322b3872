"""A model of scikit-learn, its pool, and 100 labels instead of 1,597.

Run it as `python examples/tutorial.py`; each part is a cell of a notebook.
"""

# %% A model that somebody trained: digits, a logistic regression on 200 images.
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import labelwise as lw

images, truth = load_digits(return_X_y=True)
images = images / 16
order = np.random.default_rng(0).permutation(len(images))
train, pool = order[:200], order[200:]
model = LogisticRegression(max_iter=1000).fit(images[train], truth[train])

# %% The pool: images without labels. All that labelwise needs of the model is what it says of them.
probabilities = model.predict_proba(images[pool])
print(f"{len(pool)} images to test on, and not one label")

# %% How many labels will it take? Before the first of them, the model's own beliefs say.
plan = lw.plan(probabilities, half_width=0.03, loss="accuracy")
assert plan.half_width is not None and plan.half_width.labels is not None
print(f"about {plan.half_width.labels.expected} labels for an accuracy within 3 percentage points")

# %% An evaluation. The surrogate, a forest on the same training images, says where the model may be wrong.
e = lw.Evaluation(
    probabilities,
    loss="log_loss",
    surrogate=RandomForestClassifier(n_estimators=100),
    features=images[pool],
    train=(images[train], truth[train]),
    seed=0,
)

# %% Label 100 images. Here the labels are known; in life this is where a person looks at the image.
for _ in range(100):
    i = e.ask()
    e.tell(i, truth[pool[i]])

# %% What the model loses, by 100 labels, with an interval.
log_loss = e.estimate()
print(log_loss)
print(e.report())

# %% The same labels serve other metrics.
for estimate in e.estimates("accuracy", "f1_macro"):
    print(estimate)

# %% Was that right? Nobody could know without the other 1,497 labels; here they are.
wrong = model.predict(images[pool]) != truth[pool]
true_loss = float(-np.log(probabilities[np.arange(len(pool)), truth[pool]]).mean())
print(f"true log loss {true_loss:.4f}, true accuracy {1 - wrong.mean():.4f}")

# %% How good is that, on average? Spend 100 labels many times over, and compare with uniform sampling.
found = lw.simulate(probabilities, labels=truth[pool], budget=100, runs=100, loss="log_loss")
worth = found["active"].worth(found["uniform"])
print(f"one label was worth {worth:.1f} uniform ones; the interval covered {found['active'].coverage:.0%} of the time")
