//! Literal draws for a seed. If they change, every durable evaluation and every published figure changes with them:
//! say so under "Results change" in CHANGELOG.md.

use labelwise::estimator::RegressionLure;
use labelwise::proposal::{Floor, Proposal};
use labelwise::rng::Stream;
use labelwise::{CrossEntropy, Lure, Seed, Target};

use crate::pools::{builder, label};

#[test]
fn draws_of_a_proposal() {
    let scores: Vec<f64> = (0..10).map(f64::from).collect();
    let stream = Seed(42).stream(Stream::Draw, 0);
    let mut proposal = Proposal::new(scores, &[true; 10], Floor::default(), stream).unwrap();
    let order: Vec<usize> = std::iter::from_fn(|| proposal.draw()).map(|drawn| drawn.index).collect();
    assert_eq!(order, DRAWS_OF_A_PROPOSAL);
}

#[test]
fn draws_and_estimates_of_an_evaluation() {
    let mut evaluation = builder(200, CrossEntropy::default()).seed(Seed(42)).build().unwrap();
    evaluation.run(60, &mut |item| Ok(label(item, 3))).unwrap();
    let order: Vec<usize> = evaluation.draws().iter().take(12).map(|draw| draw.index).collect();
    assert_eq!(order, DRAWS_OF_AN_EVALUATION);
    let report = evaluation.report(Target::Pool, 0.95).unwrap();
    let interval = report.interval.unwrap();
    let lure = evaluation.estimate(&Lure).unwrap().value;
    let greg = evaluation.estimate(&RegressionLure).unwrap().value;
    let found = [evaluation.draws()[0].q, lure, greg, interval.low, interval.high];
    for (found, recorded) in found.iter().zip(NUMBERS) {
        assert!((found - recorded).abs() < 1e-12, "{found:?} is not {recorded:?}");
    }
}

const DRAWS_OF_A_PROPOSAL: [usize; 10] = [7, 6, 2, 8, 5, 9, 1, 4, 0, 3];
const DRAWS_OF_AN_EVALUATION: [usize; 12] = [96, 91, 56, 150, 67, 22, 98, 44, 52, 57, 184, 173];
const NUMBERS: [f64; 5] =
    [0.005173257446921819, 1.443229692354833, 1.4195588204263823, 1.2641710030073379, 1.594046406583054];
