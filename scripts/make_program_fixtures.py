"""Make the results of other programs that the readers of labelwise-pool are tested with.

DeepEval is run without a model: its metrics are rules. Langfuse's exports and
AlpacaEval's annotations are written in the shape that these programs give
them. promptfoo's files are its own output: `promptfoo eval -c promptfoo.yaml
--no-cache -o promptfoo.json -o promptfoo.jsonl` with version 0.118.17 in the
folder of the fixtures.

Usage: python scripts/make_program_fixtures.py [FOLDER]
"""

import csv
import json
import os
import sys
from pathlib import Path

DEFAULT_FOLDER = Path(__file__).parents[1] / "crates/labelwise-pool/tests/fixtures/programs"
CASES = [
    ("What is 2 + 2?", "It is 4.", "4"),
    ("Name a prime number.", "Nine.", "7"),
    ("Say nothing.", "", ""),
]


def deepeval(folder):
    """A test run with two rules as metrics, one of which fails on an empty answer."""
    os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Rule(BaseMetric):
        def __init__(self, name, rule):
            self.rule_name, self.rule, self.threshold = name, rule, 0.5
            self.async_mode = False

        def measure(self, case, *args, **kwargs):
            self.score = self.rule(case)
            self.success = self.score >= self.threshold
            self.reason = f"the score is {self.score}"
            return self.score

        async def a_measure(self, case, *args, **kwargs):
            return self.measure(case)

        def is_successful(self):
            return bool(self.success)

        @property
        def __name__(self):
            return self.rule_name

    rules = [
        Rule("contains", lambda case: float(case.expected_output in case.actual_output)),
        Rule("length", lambda case: 1 / len(case.actual_output)),
    ]
    cases = [LLMTestCase(input=i, actual_output=a, expected_output=e) for i, a, e in CASES]
    found = evaluate(
        cases,
        rules,
        async_config=AsyncConfig(run_async=False),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    text = found.model_dump_json(exclude={"confident_link", "test_run_id"}, indent=1)
    (folder / "deepeval.json").write_text(text + "\n")


def langfuse(folder):
    """An export of traces: a score is a list, and a name without a score is null."""
    traces = []
    for number, (question, answer, _) in enumerate(CASES):
        trace = {
            "id": f"trace-{number}",
            "timestamp": f"2026-03-0{number + 1}T10:00:00.000Z",
            "name": "support",
            "userId": None,
            "sessionId": f"session-{number // 2}",
            "tags": ["support"],
            "input": {"question": question},
            "output": answer,
            "metadata": {"model": "small"},
            "quality": [[0.75], [0.25, 0.5], None][number],
            "verdict": [["good"], ["bad"], ["good", "bad"]][number],
        }
        traces.append(trace)
    (folder / "langfuse.json").write_text(json.dumps(traces, indent=1) + "\n")
    (folder / "langfuse.jsonl").write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    with (folder / "langfuse.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(traces[0])
        plain = lambda value: value if isinstance(value, str) else "" if value is None else json.dumps(value)
        writer.writerows([plain(value) for value in trace.values()] for trace in traces)


def alpaca_eval(folder):
    """Annotations of one model: preferences between 1 and 2, a tie of older files, and one that is missing."""
    preferences = [1.02, 2, 0, None, 1.5]
    rows = []
    for number, preference in enumerate(preferences):
        rows.append(
            {
                "instruction": f"Question {number}",
                "output_1": f"reference {number}",
                "generator_1": "reference",
                "output_2": f"answer {number}",
                "generator_2": "model",
                "annotator": "judge",
                "preference": preference,
            }
        )
    (folder / "alpaca_eval.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_FOLDER
    target.mkdir(parents=True, exist_ok=True)
    deepeval(target)
    langfuse(target)
    alpaca_eval(target)
