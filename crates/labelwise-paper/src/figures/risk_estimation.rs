//! The appendix's comparison to active risk estimation (ARE) by Sawade et al., by queries and by different items.

use super::{Asked, Figure, Job, Jobs, Panel, Picture, Shows};
use crate::claims::{Claim, Judge};
use crate::experiment::{Curve, RiskEstimation, curves};
use crate::scale::Runs;
use crate::summary::ExperimentSummary;

/// (a) the best either method can do, (b) ARE without replacement, (c) what can be had in practice, (d) the same on a
/// larger pool. ARE draws with replacement: the first picture counts queries, the second different items.
pub(super) const FIGURE: Figure = Figure {
    name: "are",
    title: "comparison to active risk estimation by Sawade et al.",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    pictures: &[
        Picture {
            file: "figure-are",
            caption: "Active risk estimation (ARE, Sawade et al.) beside active testing, by the number of queries; ARE may \
                query an item again. R̂<sub>IS</sub> divides by the sum of the weights that were drawn, R̂<sub>HH</sub> \
                by the sum over the pool, which is known.",
            counted: "queries M",
            columns: 2,
            panels: &[
                Panel {
                    experiment: 0,
                    title: "(a) optimal behaviour",
                    shows: Shows::MeanAndDeviation(&OPTIMAL),
                },
                Panel {
                    experiment: 0,
                    title: "(b) naive extensions",
                    shows: Shows::MeanAndDeviation(&NAIVE),
                },
                Panel { experiment: 0, title: "(c) practice", shows: Shows::MeanAndDeviation(&PRACTICE) },
                Panel {
                    experiment: 1,
                    title: "(d) practice, larger pool",
                    shows: Shows::MeanAndDeviation(&PRACTICE),
                },
            ],
        },
        Picture {
            file: "figure-are-novel",
            caption: "The same by the number of different items that were labelled: a query of an item that was labelled \
                before is free.",
            counted: "different items labelled",
            columns: 2,
            panels: &[
                Panel {
                    experiment: 0,
                    title: "(a) optimal behaviour",
                    shows: Shows::MeanAndDeviation(&OPTIMAL_NOVEL),
                },
                Panel {
                    experiment: 0,
                    title: "(b) naive extensions",
                    shows: Shows::MeanAndDeviation(&NAIVE_NOVEL),
                },
                Panel {
                    experiment: 0,
                    title: "(c) practice",
                    shows: Shows::MeanAndDeviation(&PRACTICE_NOVEL),
                },
                Panel {
                    experiment: 1,
                    title: "(d) practice, larger pool",
                    shows: Shows::MeanAndDeviation(&PRACTICE_NOVEL),
                },
            ],
        },
    ],
    claims,
};

const OPTIMAL: [Curve; 4] =
    [curves::UNIFORM, curves::ARE_OPTIMAL, curves::ARE_OPTIMAL_KNOWN, curves::TRUE_LOSS];
const OPTIMAL_NOVEL: [Curve; 3] = [curves::UNIFORM, curves::ARE_OPTIMAL_NOVEL, curves::TRUE_LOSS];
const NAIVE: [Curve; 4] =
    [curves::UNIFORM, curves::ARE_OPTIMAL, curves::ARE_REMOVED, curves::ARE_REMOVED_IID];
const NAIVE_NOVEL: [Curve; 4] =
    [curves::UNIFORM, curves::ARE_OPTIMAL_NOVEL, curves::ARE_REMOVED, curves::ARE_REMOVED_IID];
const PRACTICE: [Curve; 6] =
    [curves::UNIFORM, curves::ARE, curves::ARE_KNOWN, curves::UNCERTAINTY, curves::PROCESS, curves::OURS];
const PRACTICE_NOVEL: [Curve; 5] =
    [curves::UNIFORM, curves::ARE_NOVEL, curves::UNCERTAINTY, curves::PROCESS, curves::OURS];

/// The paper's 7,000 and 2,000 runs.
const SMALL: Runs = Runs { smoke: 200, laptop: 1000, paper: 7000 };
const LARGE: Runs = Runs { smoke: 10, laptop: 100, paper: 2000 };

fn jobs(Asked { settings, .. }: Asked) -> Vec<Job> {
    vec![
        Job { experiment: Box::new(RiskEstimation::small(settings)), runs: SMALL },
        Job { experiment: Box::new(RiskEstimation::large(settings)), runs: LARGE },
    ]
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let mut claims = Vec::new();
    if let Some(small) = experiments.first().map(Judge) {
        claims.extend([
            small.exact(curves::TRUE_LOSS),
            small.worse(
                "(a) optimal ARE is not exact from the first label",
                curves::ARE_OPTIMAL,
                curves::TRUE_LOSS,
                1,
            ),
            small.worse(
                "(a) optimal ARE improves over i.i.d. acquisition",
                curves::UNIFORM,
                curves::ARE_OPTIMAL,
                15,
            ),
            small.worse(
                "(a) the same with the known normaliser",
                curves::UNIFORM,
                curves::ARE_OPTIMAL_KNOWN,
                15,
            ),
            small.worse("(a) the same by different items", curves::UNIFORM, curves::ARE_OPTIMAL_NOVEL, 15),
            small.worse(
                "(b) ARE without replacement does not work",
                curves::ARE_REMOVED,
                curves::UNIFORM,
                40,
            ),
            small.worse(
                "(b) with R_iid it is worse than i.i.d. acquisition at first",
                curves::ARE_REMOVED_IID,
                curves::UNIFORM,
                15,
            ),
            small.worse(
                "(c) ARE improves over i.i.d. acquisition in practice",
                curves::UNIFORM,
                curves::ARE,
                15,
            ),
            small.worse("(c) the same with the known normaliser", curves::UNIFORM, curves::ARE_KNOWN, 15),
            small.worse("(c) the same by different items", curves::UNIFORM, curves::ARE_NOVEL, 15),
            small.worse("(c) active testing outperforms ARE, by queries", curves::ARE, curves::PROCESS, 15),
            small.worse(
                "(c) active testing outperforms ARE with the known normaliser",
                curves::ARE_KNOWN,
                curves::PROCESS,
                15,
            ),
            small.worse(
                "(c) active testing outperforms ARE by different items",
                curves::ARE_NOVEL,
                curves::PROCESS,
                15,
            ),
            small.queries(curves::ARE_QUERIES),
        ]);
    }
    if let Some(large) = experiments.get(1).map(Judge) {
        claims.extend([
            large.worse(
                "(d) active testing outperforms ARE on the larger pool",
                curves::ARE,
                curves::PROCESS,
                50,
            ),
            large.worse(
                "(d) active testing without a surrogate outperforms ARE",
                curves::ARE,
                curves::UNCERTAINTY,
                50,
            ),
        ]);
    }
    claims
}
