//! Draws within strata on record: which of them count, and the estimator that they make.

use super::error::DesignError;
use super::strata::Strata;
use crate::error::Result;
use crate::estimator::{Sample, Stratified};
use crate::ledger::{Draw, Ledger, Outcome};
use crate::task::Task;

impl<T: Task> Ledger<T> {
    /// The estimator for draws within strata: items missing at random are out of their stratum.
    pub fn by_strata(&self) -> Result<Stratified> {
        let strata = self.strata().ok_or(DesignError::DrawnFromWholePool)?;
        let mut sizes = strata.sizes().to_vec();
        let draws = self.draws().iter().zip(strata.turns());
        for ((_, turn), _) in
            draws.clone().zip(self.outcomes()).filter(|(_, o)| **o == Outcome::MissingAtRandom)
        {
            if let Some(size) = sizes.get_mut(*turn) {
                *size = size.saturating_sub(1);
            }
        }
        Ok(Stratified::new(sizes, draws.map(|(draw, turn)| (draw.index, *turn))))
    }

    /// The places of draws with no open one before them in their stratum: who is missing may have to do with its label,
    /// but how far a stratum's draws got has not.
    pub(crate) fn counted_of<'a>(&'a self, strata: &'a Strata) -> impl Iterator<Item = usize> {
        let mut waits = vec![false; strata.sizes().len()];
        let draws = self.outcomes().iter().zip(strata.turns()).enumerate();
        draws.filter_map(move |(place, (outcome, turn))| {
            let waits = waits.get_mut(*turn)?;
            *waits |= *outcome == Outcome::Open;
            (!*waits).then_some(place)
        })
    }

    /// The samples of a stratified sample; their weights follow from the strata.
    pub(crate) fn samples_of_strata(&self, strata: &Strata) -> Vec<(usize, Sample)> {
        let counted = self.counted_of(strata).filter_map(|place| {
            let (draw, outcome) = (self.draws().get(place)?, self.outcomes().get(place)?);
            let Draw { index, q, control, control_total, .. } = *draw;
            let sample = Sample { index, q, loss: 0.0, control, control_total, ratio_bounds: None };
            (*outcome != Outcome::MissingAtRandom).then_some((place, sample))
        });
        counted.collect()
    }
}
