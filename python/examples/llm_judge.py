"""How good are 800 answers of a language model? A cheap judge scored all, people check 100: `python python/examples/llm_judge.py`."""

import csv
from pathlib import Path

import labelwise as lw

FILE = Path(__file__).parents[2] / "examples" / "answers.csv"
with FILE.open(newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))

e = lw.Evaluation(
    judge=[float(row["judge_score"]) for row in rows],
    loss="rate",
    positive="pass",
    carry={name: [row[name] for row in rows] for name in ("question", "answer")},
    seed=1,
)
print(e.worth())  # what the judge promises, before the first label

for _ in range(100):
    item = e.ask()
    e.tell(item, rows[item]["label"])  # in life: e.label() opens a page with question and answer

print(e.estimate())
print(e.estimate("agreement"))
print(e.worth())  # what it kept
for wrong in e.disagreements(3):
    print(f"{rows[wrong.item]['question']} {rows[wrong.item]['answer']} judge {wrong.judge}, people {wrong.label}")
print("above 0.7?", e.check("rate", above=0.7).verdict)
print(f"by all 800 labels, rate {sum(row['label'] == 'pass' for row in rows) / len(rows):.4f}")
