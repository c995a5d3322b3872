"""Judges and histories beside their peers: the error with as many labels.

Each question of FOLDER/pools.txt (see scripts/make_judge_pools.py) is a name, a
file and the options of `labelwise simulate`. The program chooses items and
estimates by itself. The peers get the same pool, the same number of labels and
the judge as numbers from 0 to 1:

    ppi        ppi-python: PPI++ of uniform labels
    truescore  the same, as truescore computes it
    evalstats  the same, with a shrunk tuning parameter (a quarter of the runs)
    judgy      error rates of the verdict, uniform labels, labels of two classes
    asi        glide-py: active statistical inference, items drawn by the
               standard deviation that the judge expects
    strata     glide-py: stratified PPI++, at most five quantiles of the judge
    multi      glide-py: PPI++ with several judges or models, if there are some

A peer that is not installed is left out. Where a peer refuses a sample, the mean
of its labels counts. Several judges, or the models of a history, are averaged
for peers that take one; blank verdicts are the mean of the column.

Usage: python benches/judges.py PROGRAM FOLDER [--budgets 50,100,200,400]
[--runs 400] [--seed 0] [--only TEXT] [--peers NAMES]

A worth is the variance of the mean of uniform labels over the mean squared error.
"""

import argparse
import csv
import fnmatch
import json
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")

BLANK = {"", "nan", "null", "none", "na", "n/a"}
EDGE = 0.01


class Question:
    """A pool with all labels, as numbers from 0 to 1."""

    def __init__(self, line: str, folder: Path) -> None:
        self.name, file, *self.options = line.split()
        self.path = folder / file
        with self.path.open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        options = list(zip(self.options[::2], self.options[1::2], strict=True))
        given = dict(options)
        worths = dict(part.split("=") for part in given["--worth"].split(",")) if "--worth" in given else {}
        low, high = map(float, given.get("--range", "0,1").split(","))
        spread = (float(min(worths.values(), key=float)), float(max(worths.values(), key=float))) if worths else None

        def number(text: str, judge: bool) -> float:
            text = text.strip()
            if text.lower() in BLANK:
                return math.nan
            if worths:
                return (float(worths[text]) - spread[0]) / (spread[1] - spread[0])
            if "--positive" in given:
                if text == given["--positive"]:
                    return 1.0
                try:
                    return min(max(float(text), 0.0), 1.0) if judge else 0.0
                except ValueError:
                    return 0.0
            return (float(text) - low) / (high - low)

        def column(name: str, judge: bool) -> np.ndarray:
            values = np.array([number(row[name], judge) for row in rows])
            return np.where(np.isnan(values), np.nanmean(values), values)

        judges = [value for option, value in options if option == "--judge"]
        patterns = [value for option, value in options if option == "--history"]
        names = [name for name in rows[0] if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
        self.judges = np.stack([column(name, True) for name in judges + names], axis=1)
        self.judge = self.judges.mean(axis=1)
        self.labels = column(given["--label-column"], False)
        self.size = len(self.labels)

    def uniform(self, budget: int) -> float:
        """The variance of the mean of this number of uniform labels."""
        return self.labels.var(ddof=1) * (1 / budget - 1 / self.size)


def plain_mean(labels: np.ndarray) -> tuple[float, float, float]:
    """Mean and interval of labels whose sample a peer refuses."""
    half = 1.96 * labels.std(ddof=1) / math.sqrt(len(labels))
    return labels.mean(), labels.mean() - half, labels.mean() + half


class OfUniform:
    """A peer whose labels are drawn uniformly."""

    def __init__(self, question: Question, budget: int) -> None:
        self.question, self.budget = question, budget

    def run(self, rng: np.random.Generator) -> tuple[float, float, float]:
        """Estimate and interval from one sample."""
        question = self.question
        drawn = rng.choice(question.size, self.budget, replace=False)
        left = np.ones(question.size, bool)
        left[drawn] = False
        labels = question.labels[drawn]
        try:
            return self.estimate(labels, drawn, left)
        except (ValueError, RuntimeError, np.linalg.LinAlgError):
            return plain_mean(labels)


class Ppi(OfUniform):
    def estimate(self, labels, drawn, left):
        from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

        judge = self.question.judge
        point = float(ppi_mean_pointestimate(labels, judge[drawn], judge[left])[0])
        low, high = ppi_mean_ci(labels, judge[drawn], judge[left], alpha=0.05)
        return point, float(low[0]), float(high[0])


class Truescore(OfUniform):
    def estimate(self, labels, drawn, left):
        from truescore.correct import ppi_estimate

        found = ppi_estimate(self.question.judge, labels, drawn)
        return found.point, found.low, found.high


class Evalstats(OfUniform):
    # It resamples at every call, so a quarter of the runs must do.
    part = 4

    def estimate(self, labels, drawn, left):
        from evalstats.ppi import correct

        judge = self.question.judge
        found = correct(np.mean, Y_lab=labels, Y_hat_lab=judge[drawn], Y_hat_unlab=judge[left], rng=0, n_boot=200,
                        compute_pvalue=False)
        return found.estimate, found.ci_low, found.ci_high


class Judgy(OfUniform):
    suits = staticmethod(lambda question: set(np.unique(question.labels)) <= {0.0, 1.0})

    def estimate(self, labels, drawn, left):
        from judgy import estimate_success_rate

        verdicts = (self.question.judge > 0.5).astype(int)
        np.random.seed(int(drawn[0]))
        return estimate_success_rate(labels.astype(int), verdicts[drawn], verdicts, bootstrap_iterations=200)


class Multi(OfUniform):
    suits = staticmethod(lambda question: question.judges.shape[1] > 1)

    def estimate(self, labels, drawn, left):
        from glide.estimators import MultiPPIMeanEstimator

        told = np.full(self.question.size, np.nan)
        told[drawn] = labels
        found = MultiPPIMeanEstimator().estimate(told, self.question.judges).confidence_interval
        return found.mean, found.lower_bound, found.upper_bound


class Asi:
    def __init__(self, question: Question, budget: int) -> None:
        from glide.samplers import ActiveSampler

        chance = np.clip(question.judge, EDGE, 1 - EDGE)
        self.question, self.budget, self.sampler = question, budget, ActiveSampler()
        self.expected = np.sqrt(chance * (1 - chance))
        # The probabilities are the same in every run.
        probabilities = self.sampler._compute_probabilities(self.expected, budget)
        self.sampler._compute_probabilities = lambda uncertainties, n_samples: probabilities.copy()

    def run(self, rng):
        from glide.estimators import ASIMeanEstimator

        pi, drawn = self.sampler.sample(self.expected, self.budget, random_seed=int(rng.integers(2**31)))
        labels = np.where(drawn == 1, self.question.labels, np.nan)
        try:
            found = ASIMeanEstimator().estimate(labels, self.question.judge, pi).confidence_interval
        except ValueError:
            # It divides by the variance of the labels, which can be 0.
            return plain_mean(labels[drawn == 1])
        return found.mean, found.lower_bound, found.upper_bound


class Strata:
    """glide's sampler refuses strata in which the judge is constant: then its proportional allocation alone is used."""

    def __init__(self, question: Question, budget: int) -> None:
        from glide.samplers import StratifiedSampler

        self.question, self.budget, self.sampler = question, budget, StratifiedSampler()
        ends = np.unique(np.quantile(question.judge, [0.2, 0.4, 0.6, 0.8]))
        self.groups = np.searchsorted(ends, question.judge, side="left")
        spreads = [question.judge[self.groups == group].std() for group in np.unique(self.groups)]
        self.varied = min(spreads) > 0

    def drawn(self, rng):
        for strategy in ["neyman", "proportional"] if self.varied else []:
            try:
                seed = int(rng.integers(2**31))
                return self.sampler.sample(self.question.judge, self.groups, self.budget, strategy, seed)
            except ValueError:
                # Fewer than two labels of some stratum.
                continue
        drawn = np.zeros(self.question.size)
        for group, count in self.sampler._proportional_allocation(self.groups, self.budget).items():
            drawn[rng.choice(np.flatnonzero(self.groups == group), max(count, 2), replace=False)] = 1
        return drawn

    def run(self, rng):
        from glide.estimators import StratifiedClassicalMeanEstimator, StratifiedPPIMeanEstimator

        labels = np.where(self.drawn(rng) == 1, self.question.labels, np.nan)
        try:
            found = StratifiedPPIMeanEstimator().estimate(labels, self.question.judge, self.groups)
        except ValueError:
            found = StratifiedClassicalMeanEstimator().estimate(labels, self.groups)
        found = found.confidence_interval
        return found.mean, found.lower_bound, found.upper_bound


PEERS = {
    "ppi": (Ppi, "ppi_py"),
    "truescore": (Truescore, "truescore"),
    "evalstats": (Evalstats, "evalstats"),
    "judgy": (Judgy, "judgy"),
    "asi": (Asi, "glide"),
    "strata": (Strata, "glide"),
    "multi": (Multi, "glide"),
}


def installed(wanted: list[str]) -> dict[str, type]:
    """The peers that can be imported."""
    found = {}
    for name in wanted:
        peer, module = PEERS[name]
        try:
            __import__(module)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        found[name] = peer
    return found


def error_of(worth: float, runs: int) -> float:
    """The standard error of a worth, for errors that are about normal."""
    return worth * math.sqrt(2 / runs)


def measured(estimates: np.ndarray, truth: float, uniform: float) -> dict:
    """Worth, coverage and width of some runs: estimate and interval of each."""
    if np.isnan(estimates).any():
        return {}
    square = np.mean((estimates[:, 0] - truth) ** 2)
    covers = np.mean((estimates[:, 1] <= truth) & (truth <= estimates[:, 2]))
    width = np.mean(estimates[:, 2] - estimates[:, 1]) / (2 * 1.96 * math.sqrt(uniform))
    worth = float(uniform / square)
    return {"rmse": math.sqrt(square), "worth": worth, "error": error_of(worth, len(estimates)), "covers": float(covers), "width": float(width)}


def own(program: str, question: Question, budgets: list[int], runs: int, seed: int) -> dict[int, dict]:
    """What `labelwise simulate` says at these budgets."""
    found: dict[int, dict] = {}
    for budget in reversed(budgets):
        if budget in found:
            continue
        command = [program, "simulate", str(question.path), *question.options, "--budget", str(budget)]
        command += ["--runs", str(runs), "--seed", str(seed), "--json"]
        said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for stop in said["budgets"]:
            for result in stop["strategies"]:
                if result["strategy"] == "labelwise" and stop["labels"] in budgets:
                    uniform = question.uniform(stop["labels"])
                    rmse = result["root_mean_squared_error"]
                    found[stop["labels"]] = {
                        "rmse": rmse,
                        "worth": uniform / rmse**2,
                        "error": error_of(uniform / rmse**2, runs),
                        "covers": result["coverage"],
                        "width": result["mean_width"] / (2 * 1.96 * math.sqrt(uniform)),
                    }
    return found


def cell(result: dict) -> str:
    """Worth with its standard error, and coverage."""
    return f"{result['worth']:.2f} ± {result['error']:.2f} ({result['covers']:.3f})" if result else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budgets", default="50,100,200,400")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default=",".join(PEERS))
    asked = parser.parse_args()
    budgets = sorted(int(budget) for budget in asked.budgets.split(","))
    peers = installed([name for name in asked.peers.split(",") if name])
    print(f"{asked.runs} runs, seed {asked.seed}; worth of one label ± standard error (coverage)\n")
    print("| question | items | truth | labels | labelwise | width / uniform's | " + " | ".join(peers) + " |")
    print("|---|---|---|---|---|---|" + "---|" * len(peers))
    behind, cells = [], []
    for line in (asked.folder / "pools.txt").read_text().splitlines():
        if asked.only not in line or not line.strip():
            continue
        question = Question(line, asked.folder)
        truth, mine = question.labels.mean(), {}
        fitting = [budget for budget in budgets if 2 * budget < question.size]
        mine = own(asked.program, question, fitting, asked.runs, asked.seed)
        for budget in fitting:
            uniform, row = question.uniform(budget), []
            for name, kind in peers.items():
                if hasattr(kind, "suits") and not kind.suits(question):
                    row.append({})
                    continue
                peer, rng = kind(question, budget), np.random.default_rng([asked.seed, budget])
                repeats = max(asked.runs // getattr(kind, "part", 1), 2)
                estimates = np.array([peer.run(rng) for _ in range(repeats)])
                row.append(measured(estimates, truth, uniform))
                if row[-1] and row[-1]["rmse"] < mine[budget]["rmse"]:
                    ratio = mine[budget]["rmse"] / row[-1]["rmse"]
                    # The RMSE has half of the relative error of the worth.
                    error = 0.5 * ratio * math.hypot(*(one["error"] / one["worth"] for one in (mine[budget], row[-1])))
                    behind.append(f"{question.name}, {budget} labels: {name}, by a factor of {ratio:.2f} ± {error:.2f}")
            cells.append((budget, mine[budget], row))
            head = f"| {question.name} | {question.size} | {truth:.3f} | {budget} | {cell(mine[budget])} "
            print(head + f"| {mine[budget]['width']:.2f} | " + " | ".join(map(cell, row)) + " |", flush=True)
    print("\n| labels | questions | labelwise: worth (geometric mean), least | covers, least | " + " | ".join(peers) + " |")
    print("|---|---|---|---|" + "---|" * len(peers))
    for budget in budgets:
        at = [(mine, row) for labels, mine, row in cells if labels == budget]
        if not at:
            continue
        mean = lambda worths: math.exp(np.mean(np.log(worths))) if worths else math.nan  # noqa: E731
        worths = [mine["worth"] for mine, _ in at]
        covers = [mine["covers"] for mine, _ in at]
        theirs = [mean([row[place]["worth"] for _, row in at if row[place]]) for place in range(len(peers))]
        print(
            f"| {budget} | {len(at)} | {mean(worths):.2f}, {min(worths):.2f} | {np.mean(covers):.3f}, {min(covers):.3f} | "
            + " | ".join("-" if math.isnan(worth) else f"{worth:.2f}" for worth in theirs) + " |"
        )
    print("\nA peer has the smaller error:" if behind else "\nNo peer has a smaller error.")
    print("\n".join(f"* {sentence}" for sentence in behind))


if __name__ == "__main__":
    main()
