//! Many random test sets, each estimated by every strategy with every surrogate.

use std::error::Error;

use labelwise::acquisition::{ExpectedLoss, Uniform};
use labelwise::estimator::{Estimator, Iid, RegressionLure};
use labelwise::interval::Method;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::proposal::Floor;
use labelwise::rng::Stream;
use labelwise::surrogate::{Beliefs, Schedule};
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Lure, Matrix, Pool, Seed, Target};
use labelwise_images::{Archive, random};
use rayon::prelude::*;

use super::beliefs::Surrogates;

/// The probability with which intervals are to cover.
const LEVEL: f64 = 0.95;

/// What is measured.
#[derive(Clone, Copy)]
pub(crate) enum Measured {
    CrossEntropy,
    ZeroOne,
}

pub(crate) const LOSSES: &[(&str, Measured)] =
    &[("cross-entropy", Measured::CrossEntropy), ("accuracy", Measured::ZeroOne)];

/// After how many labels something is written down.
pub(crate) struct Budgets {
    /// Where costs and coverage are shown.
    pub(crate) shown: [usize; 3],
    /// How far strategies go on, to see how many labels those need that are worse than uniform sampling.
    pub(crate) most: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { shown: [50, 100, 200], most: 400 }
    }
}

impl Budgets {
    pub(crate) fn last(&self) -> usize {
        self.shown[2]
    }
}

/// How a strategy did with a surrogate.
pub(crate) struct Curves {
    pub(crate) strategy: &'static str,
    pub(crate) surrogate: &'static str,
    /// After 1, 2, ... labels: the squared error of each run.
    pub(crate) squares: Vec<Vec<f64>>,
    /// Of each budget that is shown, how often the interval covered.
    pub(crate) covered: Vec<f64>,
}

/// What one run of one strategy came to.
struct Run {
    squares: Vec<f64>,
    covered: [bool; 3],
}

#[derive(Clone, Copy, PartialEq)]
enum Strategy {
    Uniform,
    /// q in proportion to the expected loss, clipped at 0.2 of the uniform probability at every step; LURE.
    Paper,
    /// Our defaults.
    Ours,
}

/// Everything that a measurement needs.
pub(crate) struct Measure<'a> {
    pub(crate) pool: &'a Archive,
    pub(crate) surrogates: &'a Surrogates,
    /// Items of a test set.
    pub(crate) items: usize,
    pub(crate) loss: Measured,
    pub(crate) budgets: &'a Budgets,
}

impl Measure<'_> {
    /// Repeats all strategies, uniform sampling first. Each run has a test set of its own, the same for all of them.
    pub(crate) fn repeat(&self, runs: usize, seed: Seed) -> Result<Vec<Curves>, Box<dyn Error>> {
        let own = &self.surrogates.all[..1];
        let with = |strategy: Strategy,
                    surrogates: &[(&'static str, Matrix)]|
         -> Vec<(Strategy, &'static str, Matrix)> {
            surrogates.iter().map(|(name, rows)| (strategy, *name, rows.clone())).collect()
        };
        let all = [
            with(Strategy::Uniform, own),
            with(Strategy::Paper, &self.surrogates.all),
            with(Strategy::Ours, &self.surrogates.all),
        ]
        .concat();
        let repetitions: Result<Vec<Vec<Run>>, String> = (0..runs)
            .into_par_iter()
            .map(|run| {
                let seed = seed.repetition(run as u64);
                let mut rng = seed.stream(Stream::Split, 1);
                let items =
                    random(self.pool.len(), self.items, &mut rng).map_err(|error| error.to_string())?;
                let once =
                    |(strategy, _, rows): &(Strategy, &str, Matrix)| self.once(*strategy, rows, &items, seed);
                all.iter().map(once).collect::<Result<_, _>>().map_err(|error| error.to_string())
            })
            .collect();
        let repetitions = repetitions?;
        let curves = all.iter().enumerate().map(|(place, (strategy, surrogate, _))| {
            let runs: Vec<&Run> = repetitions.iter().map(|run| &run[place]).collect();
            let at = |step: usize| runs.iter().map(|run| run.squares[step]).collect();
            let covered = |budget: usize| {
                runs.iter().filter(|run| run.covered[budget]).count() as f64 / runs.len() as f64
            };
            let (strategy, surrogate) = match strategy {
                Strategy::Uniform => ("uniform", "none"),
                Strategy::Paper => ("the paper's recipe", *surrogate),
                Strategy::Ours => ("our default", *surrogate),
            };
            let squares = (0..self.budgets.most).map(at).collect();
            Curves { strategy, surrogate, squares, covered: (0..3).map(covered).collect() }
        });
        Ok(curves.collect())
    }

    /// One strategy on one test set.
    fn once(
        &self,
        strategy: Strategy,
        beliefs: &Matrix,
        items: &[usize],
        seed: Seed,
    ) -> labelwise::Result<Run> {
        let labels: Vec<usize> = items.iter().map(|&item| self.pool.labels()[item] as usize).collect();
        let pool = Pool::classification(rows(self.pool.mean(), items)?)?;
        let surrogate = Fixed(Beliefs::new(rows(beliefs, items)?, &pool)?);
        let risk = self.risk(&pool, &labels);
        let builder = match self.loss {
            Measured::CrossEntropy => Evaluation::builder(pool, CrossEntropy::default(), surrogate),
            Measured::ZeroOne => Evaluation::builder(pool, ZeroOne, surrogate),
        };
        let (builder, estimator): (_, &dyn Estimator) = match strategy {
            Strategy::Uniform => (builder.acquisition(Uniform), &Iid),
            Strategy::Paper => {
                (builder.acquisition(ExpectedLoss).floor(Floor::PAPER).rescore(Schedule::Every(1)), &Lure)
            }
            Strategy::Ours => (builder, &RegressionLure),
        };
        let mut evaluation = builder.seed(seed).build()?;
        let mut run = Run { squares: Vec::with_capacity(self.budgets.most), covered: [false; 3] };
        for m in 1..=self.budgets.most {
            let draw = evaluation.ask()?;
            evaluation.tell(draw.index, labels[draw.index])?;
            run.squares.push((evaluation.estimate(estimator)?.value - risk).powi(2));
            if let Some(place) = self.budgets.shown.iter().position(|&budget| budget == m) {
                let interval = evaluation.interval(estimator, Method::Ordinary, Target::Pool, LEVEL)?;
                run.covered[place] = interval.covers(risk);
            }
        }
        Ok(run)
    }

    /// The loss on the whole test set.
    fn risk(&self, pool: &Pool<Classification>, labels: &[usize]) -> f64 {
        let loss: &dyn Loss<Classification> = match self.loss {
            Measured::CrossEntropy => &CrossEntropy::default(),
            Measured::ZeroOne => &ZeroOne,
        };
        let mut reader = pool.predictions().reader();
        let losses = labels.iter().enumerate().map(|(item, &label)| loss.loss(reader.row(item), label));
        losses.sum::<f64>() / labels.len() as f64
    }
}

/// Some rows of a table.
fn rows(matrix: &Matrix, items: &[usize]) -> labelwise::Result<Matrix> {
    let mut reader = matrix.reader();
    Matrix::f64(
        items.iter().flat_map(|&item| reader.row(item).to_vec()).collect::<Vec<f64>>(),
        matrix.columns(),
    )
}
