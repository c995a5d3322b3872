//! Networks as surrogates: members of posteriors and ensembles, mutual information, retraining on a schedule.

#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]

use labelwise::acquisition::MutualInformation;
use labelwise::surrogate::{Learner, Retrained, Schedule};
use labelwise::{CrossEntropy, Evaluation, Matrix, Pool, Seed};
use labelwise_deep::{Architecture, Family, Network, Optimiser, Radial, Rate, Training};
use labelwise_models::Ensemble;

mod digits;

use digits::{digits, enlarged, rng, shape, short, table};

fn radial(samples: usize, epochs: usize) -> Network {
    let training = Training { optimiser: Optimiser::Adam, rate: Rate::Constant(3e-3), ..short(epochs) };
    let radial = Radial { samples, training_samples: 2, ..Radial::default() };
    let architecture = Architecture::from(Family::RadialBnn(radial)).width(0.25).unwrap();
    let (_, shape) = enlarged(&digits(0..1));
    Network::new(architecture, shape, training).unwrap()
}

/// The mean of tables.
fn mean(members: &[Matrix]) -> Vec<f64> {
    let tables: Vec<_> = members.iter().map(table).collect();
    let count = tables.len() as f64;
    (0..tables[0].len()).map(|place| tables.iter().map(|table| table[place]).sum::<f64>() / count).collect()
}

#[test]
fn a_posterior_s_beliefs_are_the_mean_of_its_samples() {
    let (data, _) = enlarged(&digits(0..30));
    let trained = radial(7, 5).train(&data, 10, &mut rng(1)).unwrap();
    let members = trained.members(&data.features).unwrap();
    assert_eq!(members.len(), 7);
    let beliefs = table(&trained.predict(&data.features).unwrap());
    for (one, other) in mean(&members).iter().zip(&beliefs) {
        assert!((one - other).abs() < 1e-12);
    }
    assert_ne!(table(&members[0]), table(&members[1]));
    // The same samples for all rows: a row's beliefs do not depend on the rows beside it.
    let (few, _) = enlarged(&digits(10..12));
    let again = trained.members(&few.features).unwrap();
    for (all, few) in members.iter().zip(&again) {
        for (one, other) in table(all)[100..120].iter().zip(table(few)) {
            assert!((one - other).abs() < 1e-5);
        }
    }
}

#[test]
fn plain_networks_have_no_members_and_ensembles_do() {
    let data = digits(0..40);
    let network = Network::new(Architecture::small_cnn().width(0.25).unwrap(), shape(), short(2)).unwrap();
    let trained = network.train(&data, 10, &mut rng(1)).unwrap();
    assert!(trained.members(&data.features).unwrap().is_empty());
    let ensemble = Ensemble::new(network, 3).unwrap().fit(&data, 10, &mut rng(1)).unwrap();
    let members = ensemble.members(&data.features).unwrap();
    assert_eq!(members.len(), 3);
    assert_ne!(table(&members[0]), table(&members[1]));
    assert_eq!(mean(&members).len(), table(&ensemble.predict(&data.features).unwrap()).len());
}

/// Draws by mutual information with a surrogate that is retrained twice; gives the items drawn.
fn draws(learner: impl Learner<labelwise::Classification> + 'static) -> Vec<usize> {
    let (train, _) = enlarged(&digits(0..20));
    let (test, _) = enlarged(&digits(20..60));
    let uniform = Matrix::f64(vec![0.1; 40 * 10], 10).unwrap();
    let pool = Pool::classification(uniform).unwrap().with_features(test.features).unwrap();
    let surrogate = Retrained::new(learner, train).schedule(Schedule::At(vec![3, 6]));
    let mut evaluation = Evaluation::builder(pool, CrossEntropy::default(), surrogate)
        .acquisition(MutualInformation)
        .seed(Seed(3))
        .build()
        .unwrap();
    let mut items = Vec::new();
    for _ in 0..8 {
        let draw = evaluation.ask().unwrap();
        evaluation.tell(draw.index, test.labels[draw.index]).unwrap();
        items.push(draw.index);
    }
    items
}

#[test]
fn posteriors_and_ensembles_draw_by_mutual_information_and_are_retrained() {
    let first = draws(radial(5, 2));
    assert_eq!(first, draws(radial(5, 2)));
    let (_, shape) = enlarged(&digits(0..1));
    let small = Network::new(Architecture::small_cnn().width(0.125).unwrap(), shape, short(1)).unwrap();
    let ensemble = Ensemble::new(small, 2).unwrap();
    assert_eq!(draws(ensemble.clone()), draws(ensemble));
}
