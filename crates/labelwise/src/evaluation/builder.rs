//! Options of an evaluation, with the defaults named.

use std::collections::HashMap;
use std::sync::Arc;

use super::refresh::{Refresh, RefreshInputs, ScoringRules};
use super::{Evaluation, Event};
use crate::acquisition::{Acquisition, RootMeanSquare, StandardDeviation};
use crate::error::{Error, Result};
use crate::ledger::{KnownItems, Ledger, PoolFacts};
use crate::loss::{Bounds, Loss, Sign};
use crate::pool::Pool;
use crate::proposal::{Floor, OnBadScore};
use crate::rng::{Seed, Stream};
use crate::surrogate::{MixtureSums, Observed, Schedule, Surrogate};
use crate::task::Task;

/// The choices that an [`Evaluation`] is made from. Everything but pool, loss and surrogate has a default.
pub struct Builder<T: Task> {
    pool: Pool<T>,
    loss: Arc<dyn Loss<T>>,
    surrogate: Box<dyn Surrogate<T>>,
    acquisition: Option<Box<dyn Acquisition<T>>>,
    floor: Floor,
    on_bad_score: OnBadScore,
    rescore: Schedule,
    seed: Seed,
    known: Vec<(usize, f64)>,
    mixtures: Vec<MixtureSums>,
}

/// The state that an evaluation continues from.
struct Past<T: Task> {
    ledger: Ledger<T>,
    observed: Vec<(usize, T::Label)>,
    refresh: u64,
}

impl<T: Task> Builder<T> {
    pub(super) fn new(pool: Pool<T>, loss: Arc<dyn Loss<T>>, surrogate: Box<dyn Surrogate<T>>) -> Self {
        let (floor, on_bad_score) = (Floor::default(), OnBadScore::default());
        let (rescore, seed, known) = (Schedule::Never, Seed::default(), Vec::new());
        let (acquisition, mixtures) = (None, Vec::new());
        Self { pool, loss, surrogate, acquisition, floor, on_bad_score, rescore, seed, known, mixtures }
    }

    /// The score of candidates. The default is the root mean square of the loss, or its standard
    /// deviation if it can be negative.
    pub fn acquisition(mut self, acquisition: impl Acquisition<T> + 'static) -> Self {
        self.acquisition = Some(Box::new(acquisition));
        self
    }

    /// The rule that keeps q above zero. The default is a uniform part of 0.3.
    pub fn floor(mut self, floor: Floor) -> Self {
        self.floor = floor;
        self
    }

    /// The rule for scores that are not usable. The default is an error.
    pub fn on_bad_score(mut self, on_bad_score: OnBadScore) -> Self {
        self.on_bad_score = on_bad_score;
        self
    }

    /// When scores and floor are computed again although neither surrogate nor acquisition changed. The default is
    /// never. The paper clips q at every step, which is `Schedule::Every(1)`.
    pub fn rescore(mut self, rescore: Schedule) -> Self {
        self.rescore = rescore;
        self
    }

    /// The seed of draws and fits. The default is 0.
    pub fn seed(mut self, seed: Seed) -> Self {
        self.seed = seed;
        self
    }

    /// Items whose loss is known without a label. They are never drawn, and count exactly.
    pub fn known(mut self, losses: impl IntoIterator<Item = (usize, f64)>) -> Self {
        self.known.extend(losses);
        self
    }

    /// What earlier refreshes kept of the components of their beliefs ([`Evaluation::mixtures`]), for an evaluation that is
    /// resumed.
    pub fn mixtures(mut self, mixtures: Vec<MixtureSums>) -> Self {
        self.mixtures = mixtures;
        self
    }

    /// Checks everything, fits the surrogate for the first time, and makes the first proposal.
    pub fn build(self) -> Result<Evaluation<T>> {
        self.start(None)
    }

    /// An evaluation that continues from draws and labels that were kept elsewhere, with a refresh of its proposal. It
    /// is what the evaluation that made them would be, had it been due for its refresh after `refresh` just now: the
    /// same items come next, with the same q. Only the fit that is due is made, and the journal starts empty.
    ///
    /// `observed` has the labels in the order in which they were told.
    pub fn resume(
        self,
        ledger: Ledger<T>,
        observed: Vec<(usize, T::Label)>,
        refresh: u64,
    ) -> Result<Evaluation<T>> {
        self.start(Some(Past { ledger, observed, refresh }))
    }

    fn start(self, past: Option<Past<T>>) -> Result<Evaluation<T>> {
        let Self {
            pool,
            loss,
            mut surrogate,
            acquisition,
            floor,
            on_bad_score,
            rescore,
            seed,
            known,
            mixtures,
        } = self;
        floor.check()?;
        loss.check(&pool)?;
        let mut open = vec![true; pool.pool_size()];
        let known = close_known(&pool, &*loss, &known, &mut open)?;
        let (past, observed, number) = match past {
            Some(Past { ledger, observed, refresh }) => (Some(ledger), observed, refresh + 1),
            None => (None, Vec::new(), 0),
        };
        for draw in past.iter().flat_map(Ledger::draws) {
            pool.check_item(draw.index)?;
            if let Some(open) = open.get_mut(draw.index) {
                *open = false;
            }
        }
        if !open.contains(&true) {
            return Err(Error::PoolExhausted { wanted: 1, left: 0, pool_size: pool.pool_size() });
        }
        let mut acquisition: Box<dyn Acquisition<T>> = acquisition.unwrap_or_else(|| match loss.sign() {
            Sign::NonNegative => Box::new(RootMeanSquare),
            Sign::Signed => Box::new(StandardDeviation),
        });
        let seen = Observed { pool: &pool, labels: &observed };
        let beliefs = surrogate.update(seen, &mut seed.stream(Stream::Fit, number))?.beliefs;
        let inputs = RefreshInputs { pool: &pool, loss: &*loss, beliefs, open: &open, observed: &observed };
        let rules = ScoringRules { acquisition: &mut *acquisition, floor, on_bad_score, seed };
        let refresh = Refresh::new(number, &inputs, rules)?;
        let (range, sign) = (loss.range(), loss.sign());
        let ledger = past.unwrap_or_else(|| {
            Ledger::new(PoolFacts { pool_size: pool.pool_size(), known, bounds: refresh.bounds, range, sign })
        });
        let mut evaluation = Evaluation {
            pool,
            loss,
            surrogate,
            acquisition,
            floor,
            on_bad_score,
            rescore,
            seed,
            open,
            refresh,
            stale: false,
            ledger,
            places: HashMap::new(),
            observed,
            journal: Vec::new(),
            mixtures,
        };
        evaluation.keep_mixture()?;
        Ok(evaluation)
    }

    /// The evaluation that wrote this journal, in the state it was in: every event happens again, and a draw that
    /// comes out differently is an error.
    pub fn replay(self, journal: &[Event<T>]) -> Result<Evaluation<T>> {
        let mut evaluation = self.build()?;
        for (place, event) in journal.iter().enumerate() {
            evaluation.apply(place, event)?;
        }
        Ok(evaluation)
    }
}

impl<T: Task> std::fmt::Debug for Builder<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Builder");
        debug.field("pool", &self.pool).field("loss", &self.loss.name());
        debug.field("acquisition", &self.acquisition.as_ref().map(|acquisition| acquisition.name()));
        debug.field("floor", &self.floor).field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// Takes the known items out of the race and sums up their losses.
fn close_known<T: Task>(
    pool: &Pool<T>,
    function: &dyn Loss<T>,
    losses: &[(usize, f64)],
    open: &mut [bool],
) -> Result<KnownItems> {
    let mut known = KnownItems::default();
    for &(item, loss) in losses {
        pool.check_item(item)?;
        if !loss.is_finite() {
            return Err(Error::KnownNotFinite { item, loss });
        }
        let mut reader = pool.predictions().reader();
        let bounds = function.bounds(T::prediction(reader.row(item)));
        let low = if function.sign() == Sign::NonNegative { 0.0 } else { f64::NEG_INFINITY };
        let Bounds { low, high } = bounds.unwrap_or(Bounds { low, high: f64::INFINITY });
        if loss < low - 1e-9 || loss > high + 1e-9 {
            return Err(Error::KnownOutOfBounds { item, loss, low, high });
        }
        match open.get_mut(item) {
            Some(open) if *open => *open = false,
            _ => return Err(Error::KnownTwice { item }),
        }
        known.count += 1;
        known.sum += loss;
        known.square_sum += loss * loss;
    }
    if known.count == pool.pool_size() { Err(Error::AllKnown) } else { Ok(known) }
}
