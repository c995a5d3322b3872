//! What is heard of a fit: how many epochs it took, and its loss on the images held out.

use std::cell::Cell;

use super::EpochDone;

/// The epochs of one fit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Fit {
    /// How many there were.
    pub(crate) epochs: usize,
    /// The least cross-entropy of the images held out; the weights that had it are kept.
    pub(crate) validation_loss: Option<f64>,
}

impl Fit {
    /// An epoch was done; the first begins another fit.
    pub(crate) fn hear(&mut self, done: EpochDone) {
        let before = self.validation_loss.filter(|_| done.epoch > 1);
        self.epochs = done.epoch;
        self.validation_loss = match (before, done.validation_loss) {
            (Some(best), Some(loss)) => Some(best.min(loss)),
            (best, loss) => best.or(loss),
        };
    }
}

thread_local! {
    /// The last fit of this thread.
    static HERE: Cell<Fit> = Cell::default();
}

/// Hears of an epoch on this thread.
pub(crate) fn hear_here(done: EpochDone) {
    let mut fit = HERE.get();
    fit.hear(done);
    HERE.set(fit);
}

/// The last fit of this thread since this was last asked.
pub(crate) fn heard_here() -> Fit {
    HERE.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_and_losses_are_those_of_the_last_fit() {
        for (epoch, loss) in [(1, 0.1), (2, 0.5), (1, 0.9), (2, 0.4), (3, 0.6)] {
            hear_here(EpochDone { epoch, of: 3, validation_loss: Some(loss) });
        }
        assert_eq!(heard_here(), Fit { epochs: 3, validation_loss: Some(0.4) });
        assert_eq!(heard_here(), Fit::default());
    }
}
