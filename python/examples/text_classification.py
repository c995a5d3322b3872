"""Measure a text classifier that answers as pipelines of Hugging Face do: `python python/examples/text_classification.py`."""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import labelwise as lw

WORDS = {"positive": ["good", "great", "fine", "fun"], "negative": ["bad", "dull", "poor", "slow"]}
rng = np.random.default_rng(0)


def review(mood: str) -> str:
    """Six words, of which one or two are of the other mood."""
    other = next(name for name in WORDS if name != mood)
    moods = [mood] * 6 if rng.random() < 0.3 else [mood] * 3 + [str(rng.choice([mood, other])), other, other]
    return " ".join(str(rng.choice(WORDS[one])) for one in moods)


moods = [str(mood) for mood in rng.choice(list(WORDS), 2_200)]
texts = [review(mood) for mood in moods]
classifier = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts[:200], moods[:200])


def pipeline(inputs: list[str]) -> list[list[dict[str, str | float]]]:
    """In life: `transformers.pipeline("text-classification", model=..., top_k=None)`."""
    rows = classifier.predict_proba(inputs)
    return [[{"label": str(label), "score": float(p)} for label, p in zip(classifier.classes_, row)] for row in rows]


pool = texts[200:]
answers = [{str(one["label"]): one["score"] for one in answer} for answer in pipeline(pool)]
classes = sorted(answers[0])
probabilities = [[answer[name] for name in classes] for answer in answers]
e = lw.Evaluation(probabilities, classes=classes, loss="f1", positive="negative", carry={"text": pool}, seed=0)
e.run(150, lambda item: moods[200 + item])  # in life: e.label() opens a page with the texts
print(e.estimate())
