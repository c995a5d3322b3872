"""Write pools of judges and histories as CSV, for the example `judges`.

Reads a folder with AlpacaEval's verdicts (`alpaca_weighted.csv`,
`alpaca_hard.csv`, `alpaca_history.npy`), PandaLM's (`llm_judge_pandalm.npz`)
and confidences of language models (`llm_mcq_*.npz`); files that are not there
are left out. Adds a judge that knows nothing, and the answers of the folder
examples. `pools.txt` lists every question from both sides, with the options of
`labelwise simulate`.

Usage: python scripts/make_judge_pools.py FOLDER OUT
"""

import csv
import pathlib
import shutil
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
HELD_OUT = 15
MCQ_MODELS = {"arc": [5, 9], "mmlu": [7, 13]}


def write(path, header, rows):
    """Write a table."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def alpaca(folder, out, lines):
    """The cheap judge's score against the dear judge's verdict."""
    for name in ["weighted", "hard"]:
        path = folder / f"alpaca_{name}.csv"
        if not path.exists():
            continue
        rows = list(csv.DictReader(path.open()))
        file = f"alpaca_{name}.csv"
        said = [(r["id"], r["j_win"], r["j_loss"], r["label"]) for r in rows]
        if name == "hard":
            hard = {"win": lambda p: "win" if float(p) > 0.5 else "loss"}
            said = [(i, hard["win"](w), hard["win"](w), y) for i, w, _, y in said]
        write(out / file, ["id", "j_win", "j_loss", "label"], said)
        for side in ["win", "loss"]:
            lines.append(f"{name}_{side} {file} --judge j_{side} --loss rate --positive {side} --label-column label")


def panda(folder, out, lines):
    """Preferences of people, two judges."""
    path = folder / "llm_judge_pandalm.npz"
    if not path.exists():
        return
    data = np.load(path, allow_pickle=True)
    names = {0: "tie", 1: "A", 2: "B", -1: ""}
    columns = [data["judge_gpt35"], data["judge_pandalm7b"], data["labels"]]
    rows = [[i, *(names[int(v)] for v in row)] for i, row in enumerate(zip(*columns))]
    write(out / "panda.csv", ["id", "gpt", "panda", "label"], rows)
    tail = "--loss value --label-column label"
    for side, worths in [("A", "A=1,tie=0.5,B=0"), ("B", "A=0,tie=0.5,B=1")]:
        lines.append(f"panda_gpt_{side} panda.csv --judge gpt --worth {worths} {tail}")
        lines.append(f"panda_both_{side} panda.csv --judge gpt --judge panda --worth {worths} {tail}")


def confidences(folder, out, lines):
    """A language model's confidence as the judge of its own answer."""
    for name, models in MCQ_MODELS.items():
        path = folder / f"llm_mcq_{name}.npz"
        if not path.exists():
            continue
        data = np.load(path, allow_pickle=True)
        for model in models:
            sure, right = data["confidence"][:, model], data["correct"][:, model]
            rows = [[i, f"{p:.6f}", f"{1 - p:.6f}", int(y), 1 - int(y)] for i, (p, y) in enumerate(zip(sure, right))]
            file = f"{name}_{model}.csv"
            write(out / file, ["id", "sure", "unsure", "right", "wrong"], rows)
            for judge, label in [("sure", "right"), ("unsure", "wrong")]:
                options = f"--judge {judge} --loss rate --positive 1 --label-column {label}"
                lines.append(f"{name}_{model}_{label} {file} {options}")


def useless(out, lines):
    """A confident judge that knows nothing."""
    rng = np.random.default_rng(0)
    scores = 1 / (1 + np.exp(-3 * rng.normal(size=3000)))
    labels = rng.random(3000) < 0.79
    rows = [[i, f"{s:.6f}", f"{1 - s:.6f}", int(y), 1 - int(y)] for i, (s, y) in enumerate(zip(scores, labels))]
    write(out / "useless.csv", ["id", "pass", "fail", "good", "bad"], rows)
    for judge, label in [("pass", "good"), ("fail", "bad")]:
        lines.append(f"useless_{label} useless.csv --judge {judge} --loss rate --positive 1 --label-column {label}")


def example(out, lines):
    """The answers of the repository's examples."""
    shutil.copy(ROOT / "examples" / "answers.csv", out / "answers.csv")
    tail = "--loss rate --positive pass --label-column label"
    lines.append(f"answers_pass answers.csv --judge judge_score {tail}")


def history(folder, out, lines):
    """Every fourth model held out, with all others as its history."""
    path = folder / "alpaca_history.npy"
    if not path.exists():
        return
    results = np.load(path)
    chosen = np.linspace(0, len(results) - 1, HELD_OUT).round().astype(int)
    for model in chosen:
        others = [j for j in range(len(results)) if j != model]
        known = ~np.isnan(results[model])
        text = lambda value: "" if np.isnan(value) else f"{value:.5f}"
        rows = []
        for i in np.flatnonzero(known):
            rows.append([i, text(results[model, i]), *(text(results[j, i]) for j in others)])
        file = f"history_{model}.csv"
        write(out / file, ["id", "target", *(f"m_{j}" for j in others)], rows)
        lines.append(f"history_{model} {file} --history m_* --loss value --range 0,1 --label-column target")


def main(folder, out):
    """Write all pools and their list."""
    out.mkdir(parents=True, exist_ok=True)
    lines = []
    for write_pools in [alpaca, panda, confidences, history]:
        write_pools(folder, out, lines)
    useless(out, lines)
    example(out, lines)
    (out / "pools.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
