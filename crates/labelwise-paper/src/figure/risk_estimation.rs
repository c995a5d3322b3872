//! The appendix's comparison to active risk estimation (ARE) by Sawade et al., by queries and by different items.

use super::{Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::Deviations;
use crate::problem::RiskEstimation;
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// (a) the best either method can do, (b) ARE without replacement, (c) what can be had in practice, (d) the same on a
/// larger pool. ARE draws with replacement: the first picture counts queries, the second different items.
pub(super) const FIGURE: Figure = Figure {
    name: "are",
    title: "comparison to active risk estimation by Sawade et al.",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[
        Picture {
            file: "figure-are",
            caption: "Active risk estimation (ARE, Sawade et al.) beside active testing, by the number of queries; ARE may \
                query an item again. R̂<sub>IS</sub> divides by the sum of the weights that were drawn, R̂<sub>HH</sub> \
                by the sum over the pool, which is known.",
            counted: "queries M",
            columns: 2,
            panels: &[
                Panel { experiment: 0, title: "(a) optimal behaviour", shows: &Deviations(&OPTIMAL) },
                Panel { experiment: 0, title: "(b) naive extensions", shows: &Deviations(&NAIVE) },
                Panel { experiment: 0, title: "(c) practice", shows: &Deviations(&PRACTICE) },
                Panel { experiment: 1, title: "(d) practice, larger pool", shows: &Deviations(&PRACTICE) },
            ],
        },
        Picture {
            file: "figure-are-novel",
            caption: "The same by the number of different items that were labelled: a query of an item that was labelled \
                before is free.",
            counted: "different items labelled",
            columns: 2,
            panels: &[
                Panel { experiment: 0, title: "(a) optimal behaviour", shows: &Deviations(&OPTIMAL_NOVEL) },
                Panel { experiment: 0, title: "(b) naive extensions", shows: &Deviations(&NAIVE_NOVEL) },
                Panel { experiment: 0, title: "(c) practice", shows: &Deviations(&PRACTICE_NOVEL) },
                Panel {
                    experiment: 1,
                    title: "(d) practice, larger pool",
                    shows: &Deviations(&PRACTICE_NOVEL),
                },
            ],
        },
    ],
    claims,
};

const OPTIMAL: [Strategy; 4] =
    [strategies::UNIFORM, strategies::ARE_OPTIMAL, strategies::ARE_OPTIMAL_KNOWN, strategies::TRUE_LOSS];
const OPTIMAL_NOVEL: [Strategy; 3] =
    [strategies::UNIFORM, strategies::ARE_OPTIMAL_NOVEL, strategies::TRUE_LOSS];
const NAIVE: [Strategy; 4] =
    [strategies::UNIFORM, strategies::ARE_OPTIMAL, strategies::ARE_REMOVED, strategies::ARE_REMOVED_IID];
const NAIVE_NOVEL: [Strategy; 4] = [
    strategies::UNIFORM,
    strategies::ARE_OPTIMAL_NOVEL,
    strategies::ARE_REMOVED,
    strategies::ARE_REMOVED_IID,
];
const PRACTICE: [Strategy; 6] = [
    strategies::UNIFORM,
    strategies::ARE,
    strategies::ARE_KNOWN,
    strategies::UNCERTAINTY,
    strategies::PROCESS,
    strategies::OURS,
];
const PRACTICE_NOVEL: [Strategy; 5] = [
    strategies::UNIFORM,
    strategies::ARE_NOVEL,
    strategies::UNCERTAINTY,
    strategies::PROCESS,
    strategies::OURS,
];

/// The paper's 7,000 and 2,000 runs.
const SMALL: Runs = Runs { smoke: 200, laptop: 1000, desk: 7000, paper: 7000 };
const LARGE: Runs = Runs { smoke: 10, laptop: 100, desk: 2000, paper: 2000 };

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
            small.exact(strategies::TRUE_LOSS),
            small.worse(
                "(a) optimal ARE is not exact from the first label",
                strategies::ARE_OPTIMAL,
                strategies::TRUE_LOSS,
                1,
            ),
            small.worse(
                "(a) optimal ARE improves over i.i.d. acquisition",
                strategies::UNIFORM,
                strategies::ARE_OPTIMAL,
                15,
            ),
            small.worse(
                "(a) the same with the known normaliser",
                strategies::UNIFORM,
                strategies::ARE_OPTIMAL_KNOWN,
                15,
            ),
            small.worse(
                "(a) the same by different items",
                strategies::UNIFORM,
                strategies::ARE_OPTIMAL_NOVEL,
                15,
            ),
            small.worse(
                "(b) ARE without replacement does not work",
                strategies::ARE_REMOVED,
                strategies::UNIFORM,
                40,
            ),
            small.worse(
                "(b) with R_iid it is worse than i.i.d. acquisition at first",
                strategies::ARE_REMOVED_IID,
                strategies::UNIFORM,
                15,
            ),
            small.worse(
                "(c) ARE improves over i.i.d. acquisition in practice",
                strategies::UNIFORM,
                strategies::ARE,
                15,
            ),
            small.worse(
                "(c) the same with the known normaliser",
                strategies::UNIFORM,
                strategies::ARE_KNOWN,
                15,
            ),
            small.worse("(c) the same by different items", strategies::UNIFORM, strategies::ARE_NOVEL, 15),
            small.worse(
                "(c) active testing outperforms ARE, by queries",
                strategies::ARE,
                strategies::PROCESS,
                15,
            ),
            small.worse(
                "(c) active testing outperforms ARE with the known normaliser",
                strategies::ARE_KNOWN,
                strategies::PROCESS,
                15,
            ),
            small.worse(
                "(c) active testing outperforms ARE by different items",
                strategies::ARE_NOVEL,
                strategies::PROCESS,
                15,
            ),
            small.queries(strategies::ARE_QUERIES),
        ]);
    }
    if let Some(large) = experiments.get(1).map(Judge) {
        claims.extend([
            large.worse(
                "(d) active testing outperforms ARE on the larger pool",
                strategies::ARE,
                strategies::PROCESS,
                50,
            ),
            large.worse(
                "(d) active testing without a surrogate outperforms ARE",
                strategies::ARE,
                strategies::UNCERTAINTY,
                50,
            ),
        ]);
    }
    claims
}
