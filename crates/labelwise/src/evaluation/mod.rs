//! Algorithm 1 as ask and tell: which item to label next, and what its label was.

mod builder;
mod columns;
mod estimates;
mod expectations;
mod journal;
mod max_ratio;
mod refresh;
mod reuse;

use std::collections::HashMap;
use std::sync::Arc;

pub use builder::Builder;
pub use estimates::LossTotals;
pub(crate) use expectations::Expectations;
pub use journal::Event;

use crate::acquisition::Acquisition;
use crate::error::{Error, Result};
use crate::ledger::{Draw, Ledger, Outcome};
use crate::loss::{Loss, checked_loss};
use crate::pool::Pool;
use crate::proposal::{Floor, OnBadScore};
use crate::rng::{Seed, Stream};
use crate::surrogate::{Change, MixtureSums, Observed, Schedule, Surrogate};
use crate::task::Task;
use refresh::{Refresh, RefreshInputs, ScoringRules};

/// The result of [`Evaluation::tell`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The label is on record now.
    Recorded,
    /// The same label was on record already; it is not counted twice.
    Already,
}

/// The source of labels: known ones in experiments, a person or a laboratory otherwise. Closures are oracles too.
pub trait Oracle<T: Task> {
    /// The label of an item.
    fn label(&mut self, index: usize) -> Result<T::Label>;
}

impl<T: Task, F: FnMut(usize) -> Result<T::Label>> Oracle<T> for F {
    fn label(&mut self, index: usize) -> Result<T::Label> {
        self(index)
    }
}

/// A running evaluation of a model on a pool.
///
/// Draws are made by [`ask`](Self::ask) and labels come back by [`tell`](Self::tell), in any order and with several
/// open at once. A draw is never redrawn, and keeps its place: estimates use the longest prefix of draws, in draw
/// order, that waits for nothing.
pub struct Evaluation<T: Task> {
    pool: Pool<T>,
    loss: Arc<dyn Loss<T>>,
    surrogate: Box<dyn Surrogate<T>>,
    acquisition: Box<dyn Acquisition<T>>,
    floor: Floor,
    on_bad_score: OnBadScore,
    rescore: Schedule,
    seed: Seed,
    /// Which items can still be drawn.
    open: Vec<bool>,
    refresh: Refresh<T>,
    /// Whether the surrogate has changed since, but no proposal could be made of it yet.
    stale: bool,
    ledger: Ledger<T>,
    /// The places of items among the draws: of the first draws, as many as a label was looked up for.
    places: HashMap<usize, usize>,
    /// Labels in the order they were told.
    observed: Vec<(usize, T::Label)>,
    journal: Vec<Event<T>>,
    /// What each refresh kept of the components of its belief, where the surrogate is an average of some.
    mixtures: Vec<MixtureSums>,
}

impl<T: Task> Evaluation<T> {
    /// An evaluation of the predictions in `pool` by `loss`, led by `surrogate`; see [`Builder`] for the options.
    pub fn builder(
        pool: Pool<T>,
        loss: impl Loss<T> + 'static,
        surrogate: impl Surrogate<T> + 'static,
    ) -> Builder<T> {
        Builder::new(pool, Arc::new(loss), Box::new(surrogate))
    }

    /// Draws the next item to label.
    pub fn ask(&mut self) -> Result<Draw> {
        let batch = self.ask_batch(1)?;
        batch.into_iter().next().ok_or(self.exhausted(1))
    }

    /// Draws the next `count` items to label, from one proposal. Their order is part of the sample; their labels may
    /// be told in any.
    ///
    /// If the surrogate is due, it is updated first. Should that fail, nothing is drawn and no label is lost.
    pub fn ask_batch(&mut self, count: usize) -> Result<Vec<Draw>> {
        if count > self.left() {
            return Err(self.exhausted(count));
        }
        if count == 0 {
            // Not even a refresh, of which the journal would know nothing.
            return Ok(Vec::new());
        }
        self.refresh_if_due()?;
        self.refresh.proposal.expect(count);
        (0..count).map(|_| self.draw()).collect()
    }

    fn exhausted(&self, wanted: usize) -> Error {
        Error::PoolExhausted { wanted, left: self.left(), pool_size: self.pool.pool_size() }
    }

    /// Line 5 of Algorithm 1, put off until a draw needs it: update π, and q with it.
    fn refresh_if_due(&mut self) -> Result<()> {
        let (number, now, last) = (self.refresh.number + 1, self.observed.len(), self.refresh.labels);
        let observed = Observed { pool: &self.pool, labels: &self.observed };
        let updated = self.surrogate.update(observed, &mut self.seed.stream(Stream::Fit, number))?;
        self.stale |= updated.change == Change::Refitted;
        let rescore = self.rescore.due(last, now) || self.acquisition.schedule().due(last, now);
        if (self.stale || rescore) && self.ledger.left() > 0 {
            let inputs = RefreshInputs {
                pool: &self.pool,
                loss: &*self.loss,
                beliefs: updated.beliefs,
                open: &self.open,
                observed: &self.observed,
            };
            let (floor, on_bad_score, seed) = (self.floor, self.on_bad_score, self.seed);
            let rules = ScoringRules { acquisition: &mut *self.acquisition, floor, on_bad_score, seed };
            self.refresh = Refresh::new(number, &inputs, rules)?;
            self.stale = false;
            self.keep_mixture()?;
        }
        Ok(())
    }

    /// Applies the floor again, to the items that are left, as the paper clips q at every step. Beliefs and scores stay, so
    /// that it costs O(N) without the arithmetic of the loss. The draws are those of [`Builder::rescore`] at the same
    /// moments, if the scores do not change in between.
    pub fn reweigh(&mut self) -> Result<()> {
        if self.ledger.left() == 0 {
            return Ok(());
        }
        let beliefs = self.refresh.beliefs();
        let inputs = RefreshInputs {
            pool: &self.pool,
            loss: &*self.loss,
            beliefs: &beliefs,
            open: &self.open,
            observed: &self.observed,
        };
        let (floor, on_bad_score, seed) = (self.floor, self.on_bad_score, self.seed);
        let rules = ScoringRules { acquisition: &mut *self.acquisition, floor, on_bad_score, seed };
        self.refresh.reweigh(&inputs, rules)?;
        self.keep_mixture()
    }

    /// Line 3 of Algorithm 1: i_m ~ q(i_m; π).
    fn draw(&mut self) -> Result<Draw> {
        let drawn = match self.refresh.proposal.draw() {
            Some(drawn) => drawn,
            None => {
                // Only items of score 0 are left, which all-zero scores make alike.
                let (pool, loss) = (&self.pool, &self.loss);
                let bounds = |item| loss.bounds(T::prediction(pool.predictions().reader().row(item)));
                self.refresh.uniform(&self.open, bounds, self.seed)?;
                self.refresh.proposal.draw().ok_or(self.exhausted(1))?
            }
        };
        let mut predictions = self.pool.predictions().reader();
        let prediction = T::prediction(predictions.row(drawn.index));
        let (control, control_total) = self.refresh.take_control(drawn.index, prediction, &*self.loss);
        let draw = Draw {
            index: drawn.index,
            q: drawn.q,
            mass: drawn.mass,
            control,
            control_total,
            ratio_bounds: self.refresh.ratio_bounds(drawn.mass),
            bounds: self.loss.bounds(prediction),
            refresh: self.refresh.number,
        };
        if let Some(open) = self.open.get_mut(draw.index) {
            *open = false;
        }
        self.ledger.push(draw);
        self.journal.push(Event::Asked { index: draw.index, q: draw.q });
        Ok(draw)
    }

    /// Records the label of an item that was asked. The same label again changes nothing; another is an error, for
    /// which there is [`amend`](Self::amend).
    pub fn tell(&mut self, index: usize, label: T::Label) -> Result<Told> {
        let place = self.place(index)?;
        let loss = self.loss_of(index, label)?;
        if let Some(Outcome::Labelled { label: known, .. }) = self.ledger.outcomes().get(place) {
            if *known == label {
                return Ok(Told::Already);
            }
            return Err(Error::LabelDiffers {
                item: index,
                label: known.to_string(),
                told: label.to_string(),
            });
        }
        self.observed.push((index, label));
        self.settle(place, Outcome::Labelled { label, loss }, Event::Told { index, label });
        Ok(Told::Recorded)
    }

    /// Corrects a label. Draws made since stay as they were made.
    pub fn amend(&mut self, index: usize, label: T::Label) -> Result<()> {
        let place = self.place(index)?;
        let loss = self.loss_of(index, label)?;
        let Some(Outcome::Labelled { .. }) = self.ledger.outcomes().get(place) else {
            return Err(Error::NothingToAmend { item: index });
        };
        if let Some(observed) = self.observed.iter_mut().find(|(item, _)| *item == index) {
            observed.1 = label;
        }
        self.settle(place, Outcome::Labelled { label, loss }, Event::Amended { index, label });
        Ok(())
    }

    /// Gives up on a label. The draw keeps its place, and estimates carry the bounds of its loss. Should the label
    /// come after all, tell it.
    pub fn skip(&mut self, index: usize) -> Result<()> {
        let place = self.unlabelled(index)?;
        self.settle(place, Outcome::Skipped, Event::Skipped { index });
        Ok(())
    }

    /// Declares that a label will never come for reasons that have nothing to do with what it would have been: the
    /// item leaves the pool. If hard items are given up more often, this is wrong, and [`skip`](Self::skip) is right.
    pub fn missing_at_random(&mut self, index: usize) -> Result<()> {
        let place = self.unlabelled(index)?;
        self.settle(place, Outcome::MissingAtRandom, Event::MissingAtRandom { index });
        Ok(())
    }

    fn settle(&mut self, place: usize, outcome: Outcome<T>, event: Event<T>) {
        self.ledger.settle(place, outcome);
        self.journal.push(event);
    }

    /// The place of an item among the draws.
    fn place(&mut self, index: usize) -> Result<usize> {
        self.pool.check_item(index)?;
        let (known, draws) = (self.places.len(), self.ledger.draws());
        self.places.extend(draws.iter().enumerate().skip(known).map(|(place, draw)| (draw.index, place)));
        self.places.get(&index).copied().ok_or_else(|| {
            let open = self.open_draws().count();
            Error::NotAsked { item: index, open, next: self.open_draws().next().map(|draw| draw.index) }
        })
    }

    fn unlabelled(&mut self, index: usize) -> Result<usize> {
        let place = self.place(index)?;
        match self.ledger.outcomes().get(place) {
            Some(Outcome::Labelled { label, .. }) => {
                Err(Error::AlreadyLabelled { item: index, label: label.to_string() })
            }
            _ => Ok(place),
        }
    }

    /// ℒ(f(x_i), y), refused if it is not finite or not within the bounds that intervals rely on.
    fn loss_of(&self, index: usize, label: T::Label) -> Result<f64> {
        T::check_label(index, label, self.pool.model_columns())?;
        let mut reader = self.pool.predictions().reader();
        let prediction = T::prediction(reader.row(index));
        checked_loss(&*self.loss, index, prediction, label)
    }

    /// Algorithm 1: asks, and tells what the oracle answers, until `budget` more items are labelled. Draws that wait for
    /// a label come first, so that a run which an oracle interrupted can go on.
    pub fn run(&mut self, budget: usize, oracle: &mut impl Oracle<T>) -> Result<()> {
        let left = self.left() + self.open_draws().count();
        if budget > left {
            return Err(Error::Budget { budget, left, pool_size: self.pool.pool_size() });
        }
        for _m in 1..=budget {
            let index = match self.ledger.draws().get(self.ledger.complete()) {
                Some(open) => open.index,
                None => self.ask()?.index,
            };
            let label = oracle.label(index)?;
            self.tell(index, label)?;
        }
        Ok(())
    }

    /// The pool.
    pub fn pool(&self) -> &Pool<T> {
        &self.pool
    }

    /// The loss.
    pub fn loss(&self) -> &dyn Loss<T> {
        &*self.loss
    }

    /// Number of items that can still be drawn.
    pub fn left(&self) -> usize {
        self.ledger.left()
    }

    /// Every draw so far, in draw order.
    pub fn draws(&self) -> &[Draw] {
        self.ledger.draws()
    }

    /// The outcome of each draw, in draw order.
    pub fn outcomes(&self) -> &[Outcome<T>] {
        self.ledger.outcomes()
    }

    /// The draws that wait for a label, in draw order.
    pub fn open_draws(&self) -> impl Iterator<Item = &Draw> {
        self.ledger.open_draws()
    }

    /// The length of the longest prefix of draws that waits for nothing: what estimates are made of.
    pub fn complete(&self) -> usize {
        self.ledger.complete()
    }

    /// Draws and their outcomes: everything that estimates need.
    pub fn ledger(&self) -> &Ledger<T> {
        &self.ledger
    }

    /// The labels told so far, in the order they were told.
    pub fn observed(&self) -> &[(usize, T::Label)] {
        &self.observed
    }

    /// Everything that happened, in order; [`Builder::replay`] makes the same evaluation of it.
    pub fn journal(&self) -> &[Event<T>] {
        &self.journal
    }

    /// Scores of the present proposal that could not be used and took the median.
    pub fn mended_scores(&self) -> usize {
        self.refresh.mended
    }
}

impl<T: Task> std::fmt::Debug for Evaluation<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Evaluation");
        debug.field("pool", &self.pool).field("loss", &self.loss.name());
        debug
            .field("acquisition", &self.acquisition.name())
            .field("floor", &self.floor)
            .field("seed", &self.seed);
        debug.field("draws", &self.draws().len()).field("complete", &self.complete()).finish_non_exhaustive()
    }
}
