"""What is believed about labels: given, learnt by the engine, or learnt by objects of Python."""

from __future__ import annotations

import labelwise as lw
import numpy as np
import pytest


def test_fixed_predictions_and_ensembles(pool) -> None:
    p = pool.probabilities
    other = np.roll(p, 1, axis=1)
    own = lw.Evaluation(p, surrogate="own").ask(40).tolist()
    assert lw.Evaluation(p, surrogate=p).ask(40).tolist() == own
    assert lw.Evaluation(p, surrogate=other).ask(40).tolist() != own
    ensemble = lw.Evaluation(p, surrogate=[p, other], acquisition="mutual_information")
    assert len(set(ensemble.ask(40).tolist())) == 40
    mean = lw.Evaluation(p, surrogate=(p + other) / 2, belief="as_given").ask(40).tolist()
    assert lw.Evaluation(p, surrogate=[p, other], belief="as_given").ask(40).tolist() == mean
    with pytest.raises(ValueError, match="beliefs cannot be recalibrated here"):
        lw.Evaluation(p, loss="f1_macro", belief="recalibrated")
    with pytest.raises(ValueError, match="labels do not refresh them"):
        lw.Evaluation(p, belief="as_given", refresh=10)
    with pytest.raises(ValueError, match="mutual information needs"):
        lw.Evaluation(p, acquisition="mutual_information")


@pytest.mark.parametrize("name", ["forest", "logistic"])
def test_learners_of_the_engine_for_classes(pool, name: str) -> None:
    e = lw.Evaluation(pool.probabilities, features=pool.features, surrogate=name, retrain=10, seed=1)
    for _ in range(60):
        i = e.ask()
        e.tell(i, pool.labels[i])
    assert e.draws()["refresh"].max() >= 3
    options = {"features": pool.features, "surrogate": name, "retrain": None, "seed": 1}
    again = lw.Evaluation(pool.probabilities, train=(pool.features[:40], pool.labels[:40]), **options)
    items = again.ask(60)
    again.tell(items, pool.labels[items])
    again.ask()
    assert again.draws()["refresh"].max() == 0
    with pytest.raises(ValueError, match="would never learn"):
        lw.Evaluation(pool.probabilities, **options)


@pytest.mark.parametrize("name", ["forest", "gp", "linear"])
def test_learners_of_the_engine_for_values(name: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (300, 1))
    labels = np.sin(2 * x[:, 0]) + 0.1 * rng.normal(size=300)
    e = lw.Evaluation(mean=np.zeros(300), features=x[:, 0], train=(x[:40], labels[:40]), surrogate=name, retrain=[20, 40])
    for _ in range(50):
        i = e.ask()
        e.tell(i, labels[i])
    assert sorted(set(e.draws()["refresh"].tolist())) == [0, 1, 2]
    found = e.estimate()
    # Four standard errors: the seed is fixed, and one in some ten thousand would be outside.
    assert abs(found.value - np.mean(labels**2)) < 4 * found.standard_error


def test_estimators_of_scikit_learn_learn_again_on_schedule(pool) -> None:
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=20)
    fits: list[int] = []
    states: list[int] = []

    class Counted(RandomForestClassifier):
        def fit(self, X, y, sample_weight=None):  # type: ignore[no-untyped-def]
            fits.append(len(y))
            states.append(self.random_state)
            return super().fit(X, y, sample_weight)

    train = (pool.features[:40], pool.labels[:40])
    options = {"features": pool.features, "train": train, "retrain": 10, "seed": 4}
    e = lw.Evaluation(pool.probabilities, surrogate=Counted(n_estimators=20), **options)
    for _ in range(35):
        i = e.ask()
        e.tell(i, pool.labels[i])
    assert fits == [40, 50, 60, 70]
    lw.Evaluation(pool.probabilities, surrogate=Counted(n_estimators=2), **{**options, "seed": 5})
    assert len(set(states)) == 5, "every fit has its own randomness, by the seed and the refresh"
    # The user's object is left alone, and its randomness comes from our seed: the same draws again.
    same = lw.Evaluation(pool.probabilities, surrogate=forest, **options)
    other = lw.Evaluation(pool.probabilities, surrogate=forest, **{**options, "seed": 5})
    for each in (same, other):
        for _ in range(35):
            i = each.ask()
            each.tell(i, pool.labels[i])
    assert not hasattr(forest, "estimators_")
    assert same.draws()["item"].tolist() == e.draws()["item"].tolist()
    assert other.draws()["item"].tolist() != e.draws()["item"].tolist()


def test_a_class_that_was_never_seen_has_no_column(pool) -> None:
    from labelwise._surrogates import Taught
    from sklearn.linear_model import LogisticRegression

    two = pool.labels != 1
    train = (pool.features[two][:60], pool.labels[two][:60])
    options = {"features": pool.features, "train": train, "loss": "zero_one"}
    e = lw.Evaluation(pool.probabilities, surrogate=LogisticRegression(), **options)
    assert len(e.ask(20)) == 20
    fitted = LogisticRegression().fit(*train).predict_proba(pool.features)
    taught = Taught(LogisticRegression(), pool.features, train)
    assert taught.prepare(["0", "1", "2"], 500).tolist() == train[1].tolist()
    beliefs = taught(0, np.array([], int), np.array([], int))
    assert (beliefs[:, 1] == 0).all() and np.array_equal(beliefs[:, [0, 2]], fitted)


def test_regressors_say_how_sure_they_are() -> None:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.linear_model import LinearRegression

    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, (120, 2))
    labels = x[:, 0] ** 2
    for surrogate in (GaussianProcessRegressor(alpha=1e-3), RandomForestRegressor(n_estimators=10)):
        e = lw.Evaluation(mean=np.zeros(120), surrogate=surrogate, features=x, train=(x[:30], labels[:30]))
        items = e.ask(120)
        e.tell(items, labels[items])
        assert e.estimate().value == pytest.approx(np.mean(labels**2))
    with pytest.raises(ValueError, match="LinearRegression.predict takes no return_std"):
        lw.Evaluation(mean=np.zeros(120), surrogate=LinearRegression(), features=x, train=(x[:30], labels[:30]))


def test_texts_and_frames_go_to_pipelines_as_they_are(pool) -> None:
    import pandas as pd
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts = [f"word{label} word{n % 7}" for n, label in enumerate(pool.labels)]
    e = lw.Evaluation(
        pool.probabilities, surrogate=make_pipeline(CountVectorizer(), LogisticRegression()), features=texts,
        train=(texts[:40], pool.labels[:40]), retrain=20,
    )  # fmt: skip
    frame = pd.DataFrame(pool.features, columns=[f"x{n}" for n in range(pool.features.shape[1])])
    other = lw.Evaluation(
        pool.probabilities, surrogate=LogisticRegression(), features=frame, train=(frame[:40], pool.labels[:40]), retrain=20
    )
    for each in (e, other):
        for _ in range(30):
            i = each.ask()
            each.tell(i, pool.labels[i])
        assert each.draws()["refresh"].max() == 1


def test_objects_with_the_two_methods_will_do(pool) -> None:
    class Network:
        """As people wrap networks: it fits in place, says nothing, and takes images."""

        def fit(self, images: np.ndarray, labels: np.ndarray) -> None:
            assert images.ndim == 3
            self.share = np.bincount(labels, minlength=3) / len(labels)

        def predict_proba(self, images: np.ndarray) -> np.ndarray:
            return np.tile(self.share, (len(images), 1))

    images = pool.features[:, :4].reshape(-1, 2, 2)
    e = lw.Evaluation(pool.probabilities, surrogate=Network(), features=images)
    items = e.ask(25)
    e.tell(items, pool.labels[items])
    e.ask()
    assert e.draws()["refresh"].tolist()[-1] == 1


def test_a_surrogate_that_fails_falls_back_and_says_so_and_no_label_is_lost(pool) -> None:
    class Moody:
        moody: BaseException | None = None

        def fit(self, rows: np.ndarray, labels: np.ndarray) -> Moody:
            if Moody.moody is not None:
                raise Moody.moody
            return self

        def predict_proba(self, rows: np.ndarray) -> np.ndarray:
            return np.full((len(rows), 3), 1 / 3)

    e = lw.Evaluation(pool.probabilities, surrogate=Moody(), features=pool.features, retrain=25)
    items = e.ask(25)
    e.tell(items, pool.labels[items])
    before = e.estimate()
    # An interrupt is no failure of the surrogate: it ends the call, and nothing is drawn.
    Moody.moody = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        e.ask()
    assert len(e.draws()["item"]) == 25 and e.fell_back is None
    Moody.moody = FloatingPointError("overflow in fit")
    items = e.ask(25)
    assert e.fell_back is not None and "FloatingPointError: overflow in fit" in e.fell_back
    assert e.estimate() == before and e.labels == 25
    e.tell(items, pool.labels[items])
    Moody.moody = None
    assert e.ask() not in items
    assert e.fell_back is None and e.draws()["refresh"].max() == 2
    # Before the first label there is nothing to fall back from.
    Moody.moody = FloatingPointError("overflow in fit")
    train = (pool.features[:30], pool.labels[:30])
    with pytest.raises(FloatingPointError, match="overflow in fit"):
        lw.Evaluation(pool.probabilities, surrogate=Moody(), features=pool.features, train=train)
    Moody.moody = None

    class Wrong(Moody):
        def predict_proba(self, rows: np.ndarray) -> np.ndarray:
            return np.full((len(rows), 3), 0.5)

    with pytest.raises(ValueError, match="surrogate: beliefs of item 0: the class probabilities sum to 1.5"):
        lw.Evaluation(pool.probabilities, surrogate=Wrong(), features=pool.features, train=train)
    with pytest.raises(ValueError, match="needs `features`"):
        lw.Evaluation(pool.probabilities, surrogate=Moody())


def test_a_surrogate_that_calls_back_is_told_so(pool) -> None:
    class Recursive:
        evaluation: lw.Evaluation | None = None

        def fit(self, rows: np.ndarray, labels: np.ndarray) -> Recursive:
            if Recursive.evaluation is not None:
                Recursive.evaluation.ask()
            return self

        def predict_proba(self, rows: np.ndarray) -> np.ndarray:
            return np.full((len(rows), 3), 1 / 3)

    e = lw.Evaluation(pool.probabilities, surrogate=Recursive(), features=pool.features, retrain=25)
    items = e.ask(25)
    e.tell(items, pool.labels[items])
    Recursive.evaluation = e
    e.ask()
    assert e.fell_back is not None and "in use" in e.fell_back


def test_an_interrupt_ends_a_fit(pool) -> None:
    import _thread
    import signal
    import threading
    import time

    # Whoever runs tests in the background may have interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    class Slow:
        def fit(self, rows: np.ndarray, labels: np.ndarray) -> Slow:
            threading.Timer(0.05, _thread.interrupt_main).start()
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                time.sleep(0.01)
            return self

        def predict_proba(self, rows: np.ndarray) -> np.ndarray:
            return np.full((len(rows), 3), 1 / 3)

    train = (pool.features[:30], pool.labels[:30])
    try:
        with pytest.raises(KeyboardInterrupt):
            lw.Evaluation(pool.probabilities, surrogate=Slow(), features=pool.features, train=train)
    finally:
        signal.signal(signal.SIGINT, before)


def test_wrong_numbers_of_rows_are_refused_before_the_first_label(pool) -> None:
    from sklearn.ensemble import RandomForestClassifier

    for rows in (5, 499):
        with pytest.raises(ValueError, match=f"features has {rows} rows, but needs 500"):
            lw.Evaluation(pool.probabilities, surrogate=RandomForestClassifier(), features=pool.features[:rows])
    # Rows to learn from must have the columns of the items.
    forest = RandomForestClassifier()
    train = (pool.features[:30, :1], pool.labels[:30])
    with pytest.raises(ValueError, match="train has 1 column of features, but the items have"):
        lw.Evaluation(pool.probabilities, surrogate=forest, features=pool.features, train=train)


def test_wrong_shapes_of_predictions_are_refused_by_the_first_fit(pool) -> None:
    class Wide:
        def fit(self, rows, labels) -> None:
            self.classes = 3

        def predict_proba(self, rows):
            return np.full((len(rows), 3, 1), 1 / 3)

        def predict(self, rows, return_std=False):
            return np.zeros((len(rows), 2)), np.ones(len(rows))

    train = (pool.features[:30], pool.labels[:30])
    with pytest.raises(ValueError, match=r"predict_proba gave an array of shape \(500, 3, 1\), not a row per item"):
        lw.Evaluation(pool.probabilities, surrogate=Wide(), features=pool.features, train=train)
    train = (pool.features[:30], np.zeros(30))
    with pytest.raises(ValueError, match=r"predict gave means of shape \(500, 2\), not one number per item"):
        lw.Evaluation(mean=np.zeros(500), surrogate=Wide(), features=pool.features, train=train)
