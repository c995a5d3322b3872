//! Algorithm 1 for every strategy: items are drawn, labels are told, and the risk is estimated after every label.

use labelwise::acquisition::{ActiveRiskEstimation, Distance, ExpectedLoss, TrueLoss, Uniform};
use labelwise::estimator::{
    Estimator, HansenHurwitz, ImportanceSampling, RegressionLure, RunningLure, Sample,
};
use labelwise::evaluation::Builder;
use labelwise::ledger::Outcome;
use labelwise::loss::Loss;
use labelwise::proposal::Floor;
use labelwise::surrogate::{Beliefs as Believed, Schedule, Surrogate};
use labelwise::{Error, Evaluation, Fixed, Pool, Result, Seed, Task};

use super::Settings;
use crate::strategy::{Beliefs, EstimatorKind, Proposal, Strategy};

/// What strategies are spent on: a pool with labels, and beliefs about it.
pub(crate) trait Problem<T: Task> {
    /// The pool.
    fn pool(&self) -> &Pool<T>;
    /// The labels.
    fn labels(&self) -> &[T::Label];
    /// The loss whose mean is estimated.
    fn loss(&self) -> Box<dyn Loss<T>>;
    /// How q is kept from zero.
    fn settings(&self) -> Settings;
    /// The seed of all draws.
    fn seed(&self) -> Seed;
    /// Somebody's beliefs about the pool; `None` where the problem has no such beliefs.
    fn beliefs(&self, of: Beliefs) -> Result<Option<Source<T>>>;

    /// Draws by the loss that these beliefs expect; `None` where they expect nothing.
    fn by_expected_loss(&self, builder: Builder<T>, _of: Beliefs) -> Option<Scored<T>> {
        Some(Scored { builder: builder.acquisition(ExpectedLoss), depend_on_open: false })
    }

    /// Draws by the mutual information of the model's members; `None` where it has none.
    fn by_information(&self, _builder: Builder<T>) -> Option<Builder<T>> {
        None
    }

    /// Whether scores of beliefs that stay, and with them the clip, are computed again at every step. This decides which random
    /// numbers a draw takes.
    fn rescores(&self) -> bool {
        true
    }
}

/// Where beliefs come from.
pub(crate) enum Source<T: Task> {
    /// They stay.
    Fixed(Believed<T>),
    /// They are updated as labels come in.
    Learning(Box<dyn Surrogate<T>>),
}

/// An evaluation to be, with its scores.
pub(crate) struct Scored<T: Task> {
    pub(super) builder: Builder<T>,
    /// Whether the score of an item changes as others are drawn.
    pub(super) depend_on_open: bool,
}

/// What a strategy needs that a problem does not have.
const NOT_HERE: &str = "an experiment that has its beliefs: give this one other strategies";

/// Spends `steps` labels on each strategy. One column of estimates for each. Neighbours that draw alike share their draws.
pub(crate) fn spend<T: Task>(
    problem: &dyn Problem<T>,
    strategies: &[Strategy],
    steps: usize,
) -> Result<Vec<Vec<f64>>> {
    let mut columns = Vec::with_capacity(strategies.len());
    for group in strategies.chunk_by(Strategy::draws_like) {
        if let Some(first) = group.first() {
            columns.extend(Spending::new(problem, first)?.run(problem.labels(), group, steps)?);
        }
    }
    Ok(columns)
}

/// An evaluation under way.
pub(crate) struct Spending<T: Task> {
    pub(super) evaluation: Evaluation<T>,
    /// Whether the clip is applied again at every step, to scores that stay.
    reweighs: bool,
}

impl<T: Task> Spending<T> {
    /// A strategy from its beginning. The paper's clip depends on the items left, so it is applied again at every step; our
    /// proposal has its floor once for each refresh of the surrogate, so that a draw is O(log N).
    pub(super) fn new(problem: &dyn Problem<T>, strategy: &Strategy) -> Result<Self> {
        let missing = || Error::Acquisition { acquisition: strategy.name, needs: NOT_HERE };
        let source = problem.beliefs(strategy.beliefs)?.ok_or_else(missing)?;
        let stays = matches!(source, Source::Fixed(_));
        let (pool, loss) = (problem.pool().clone(), problem.loss());
        let builder = match source {
            Source::Fixed(beliefs) => Evaluation::builder(pool, loss, Fixed(beliefs)),
            Source::Learning(surrogate) => Evaluation::builder(pool, loss, surrogate),
        };
        let builder = builder.seed(problem.seed());
        let floor = problem.settings().floor();
        // An oracle's draws are exact, and a floor would only spoil them.
        let unguarded = |builder: Builder<T>| builder.floor(Floor::Unguarded);
        let Scored { builder, depend_on_open } = match strategy.proposal {
            Proposal::RootMeanSquare => return Ok(Self { evaluation: builder.build()?, reweighs: false }),
            Proposal::Uniform => {
                let evaluation = unguarded(builder.acquisition(Uniform)).build()?;
                return Ok(Self { evaluation, reweighs: false });
            }
            Proposal::TrueLoss => {
                let oracle = TrueLoss::new(problem.labels().to_vec());
                let evaluation = unguarded(builder.acquisition(oracle)).build()?;
                return Ok(Self { evaluation, reweighs: false });
            }
            Proposal::ActiveRisk => {
                let evaluation = unguarded(builder.acquisition(ActiveRiskEstimation)).build()?;
                return Ok(Self { evaluation, reweighs: false });
            }
            Proposal::ActiveRiskReplaced => return Err(missing()),
            Proposal::Distance => {
                Scored { builder: builder.acquisition(Distance::default()), depend_on_open: true }
            }
            Proposal::ExpectedLoss => {
                problem.by_expected_loss(builder, strategy.beliefs).ok_or_else(missing)?
            }
            Proposal::MutualInformation => {
                let builder = problem.by_information(builder).ok_or_else(missing)?;
                Scored { builder, depend_on_open: false }
            }
        };
        let reweighs = problem.rescores() && stays && !depend_on_open;
        let builder = builder.floor(floor);
        let builder = match problem.rescores() && !reweighs {
            true => builder.rescore(Schedule::Every(1)),
            false => builder,
        };
        Ok(Self { evaluation: builder.build()?, reweighs })
    }

    fn run(mut self, labels: &[T::Label], strategies: &[Strategy], steps: usize) -> Result<Vec<Vec<f64>>> {
        let mut columns = vec![Vec::with_capacity(steps); strategies.len()];
        let mut running = Running::new(self.evaluation.pool().pool_size());
        for _ in 0..steps {
            running.push(self.label_next(labels)?);
            for (column, strategy) in columns.iter_mut().zip(strategies) {
                column.push(running.read(strategy.estimator, &self.evaluation)?);
            }
        }
        Ok(columns)
    }

    /// One step of Algorithm 1: draws an item and tells its label.
    pub(super) fn label_next(&mut self, labels: &[T::Label]) -> Result<Sample> {
        let evaluation = &mut self.evaluation;
        if self.reweighs && !evaluation.draws().is_empty() {
            evaluation.reweigh()?;
        }
        let draw = evaluation.ask()?;
        let Some(&label) = labels.get(draw.index) else {
            return Err(Error::UnknownItem { item: draw.index, pool_size: labels.len() });
        };
        evaluation.tell(draw.index, label)?;
        match evaluation.outcomes().last() {
            Some(Outcome::Labelled { loss, .. }) => Ok(Sample::plain(draw.index, draw.q, *loss)),
            // It has just been told.
            _ => Err(Error::NotAsked { item: draw.index, open: 0, next: None }),
        }
    }
}

/// Sums that go on from label to label.
struct Running {
    lure: RunningLure,
    weighted: f64,
    sum: f64,
    samples: Vec<Sample>,
}

impl Running {
    fn new(pool_size: usize) -> Self {
        Self { lure: RunningLure::new(pool_size), weighted: 0.0, sum: 0.0, samples: Vec::new() }
    }

    /// One more label.
    fn push(&mut self, sample: Sample) {
        self.weighted = self.lure.push(sample.q, sample.loss);
        self.sum += sample.loss;
        self.samples.push(sample);
    }

    /// The estimate from the labels so far.
    fn read<T: Task>(&self, estimator: EstimatorKind, evaluation: &Evaluation<T>) -> Result<f64> {
        let pool_size = evaluation.pool().pool_size();
        Ok(match estimator {
            EstimatorKind::Lure => self.weighted,
            EstimatorKind::Iid => self.sum / self.samples.len() as f64,
            EstimatorKind::RegressionLure => evaluation.estimate(&RegressionLure)?.value,
            EstimatorKind::ImportanceSampling => ImportanceSampling.estimate(&self.samples, pool_size)?,
            EstimatorKind::HansenHurwitz => HansenHurwitz.estimate(&self.samples, pool_size)?,
            EstimatorKind::Surrogate => {
                // What the surrogate that led to the last draw expects of all items that are left.
                let left = evaluation.draws().last().map_or(0.0, |draw| draw.control_total - draw.control);
                (self.sum + left) / pool_size as f64
            }
        })
    }
}
