"""Make a pool of one model's answers in AlpacaEval, with the verdicts on all other models as its history.

    python scripts/alpaca_eval_pool.py RESULTS MODEL [OUTPUT] [--annotator NAME]

RESULTS is the folder `results` of a clone of the AlpacaEval repository, with one folder per model and in it one per annotator, which
holds `annotations.json`. The annotator's preference for the model (1 to 2 there) becomes a number from 0 to 1; nothing where there is
none. The pool has the columns id, dataset, instruction, answer, reference, `m_MODEL` for each other model, and `verdict`: that of the
model itself if it is there, which `labelwise simulate` needs and nothing else reads.
"""

import argparse
import csv
import json
import pathlib

ANNOTATOR = "weighted_alpaca_eval_gpt4_turbo"


def verdicts(path):
    """The annotations of a model by their instruction, and what the annotator prefers, from 0 to 1."""
    found = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        preference = row.get("preference")
        known = preference is not None and 1 <= preference <= 2
        found[row["instruction"]] = (row, f"{preference - 1:.5f}" if known else "")
    return found


def pool(results, model, annotator):
    """The header and the rows."""
    models = {}
    for folder in sorted(results.iterdir()):
        path = folder / annotator / "annotations.json"
        if path.exists():
            models[folder.name] = verdicts(path)
    if model not in models:
        raise SystemExit(f"{results} has no {model}/{annotator}/annotations.json; it has {', '.join(models) or 'none'}")
    others = [name for name in models if name != model]
    yield ["id", "dataset", "instruction", "answer", "reference", "verdict", *(f"m_{name}" for name in others)]
    for number, (instruction, (row, verdict)) in enumerate(models[model].items()):
        said = [models[name].get(instruction, (None, ""))[1] for name in others]
        yield [number, row.get("dataset", ""), instruction, row["output_2"], row["output_1"], verdict, *said]


def main():
    """Write the pool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("model")
    parser.add_argument("output", type=pathlib.Path, nargs="?", default=pathlib.Path("alpaca.csv"))
    parser.add_argument("--annotator", default=ANNOTATOR)
    asked = parser.parse_args()
    # Before the file is opened: what cannot be read leaves no empty file.
    rows = list(pool(asked.results, asked.model, asked.annotator))
    with asked.output.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
