//! The appendix's comparison to active risk estimation (ARE) by Sawade et al., by queries and by different items.

use super::{Acquisitions, Figure, Job, Panel, Picture, Shows};
use crate::claims::{Claim, Judge};
use crate::experiment::{Curve, RiskEstimation, Settings, curves};
use crate::scale::Runs;
use crate::summary::ExperimentSummary;

/// "(a) While active testing can yield single-sample zero-variance optimal estimates, ARE cannot because it does not
/// fully accommodate the pool-based setting. (b) Naive extensions of ARE to sampling without replacement are
/// unsuccessful. (c) In practice, ARE yields lower performance than active testing. (d) As test set grows, the gap
/// between ARE and active testing will get smaller as sampling with replacement matters less. Dashed grey line
/// demarcates number of samples in the test pool. Solid lines show means, dashed lines standard deviations over 7000
/// (a-c) / 2000 (d) runs." The second picture counts a query only if its item is new.
pub(super) const FIGURE: Figure = Figure {
    name: "are",
    title: "comparison to active risk estimation by Sawade et al.",
    jobs,
    illustrated: None,
    pictures: &[
        Picture {
            file: "figure-are",
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

const OPTIMAL: [Curve; 3] = [curves::UNIFORM, curves::ARE_OPTIMAL, curves::TRUE_LOSS];
const OPTIMAL_NOVEL: [Curve; 3] = [curves::UNIFORM, curves::ARE_OPTIMAL_NOVEL, curves::TRUE_LOSS];
const NAIVE: [Curve; 4] =
    [curves::UNIFORM, curves::ARE_OPTIMAL, curves::ARE_REMOVED, curves::ARE_REMOVED_IID];
const NAIVE_NOVEL: [Curve; 4] =
    [curves::UNIFORM, curves::ARE_OPTIMAL_NOVEL, curves::ARE_REMOVED, curves::ARE_REMOVED_IID];
const PRACTICE: [Curve; 5] =
    [curves::UNIFORM, curves::ARE, curves::UNCERTAINTY, curves::PROCESS, curves::OURS];
const PRACTICE_NOVEL: [Curve; 5] =
    [curves::UNIFORM, curves::ARE_NOVEL, curves::UNCERTAINTY, curves::PROCESS, curves::OURS];

/// The paper's 7,000 and 2,000 runs.
const SMALL: Runs = Runs { smoke: 200, laptop: 1000, paper: 7000 };
const LARGE: Runs = Runs { smoke: 10, laptop: 100, paper: 2000 };

fn jobs(settings: Settings, _: Acquisitions) -> Vec<Job> {
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
                10,
            ),
            small.worse(
                "(a) optimal ARE improves over i.i.d. acquisition",
                curves::UNIFORM,
                curves::ARE_OPTIMAL,
                20,
            ),
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
                10,
            ),
            small.worse(
                "(c) ARE improves over i.i.d. acquisition in practice",
                curves::UNIFORM,
                curves::ARE,
                10,
            ),
            small.worse("(c) active testing outperforms ARE", curves::ARE, curves::PROCESS, 10),
            small.worse(
                "by different items: active testing outperforms ARE",
                curves::ARE_NOVEL,
                curves::PROCESS,
                10,
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
