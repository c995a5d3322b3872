//! What a journal keeps of recalibrated beliefs: priors, and sums over the pool.

use labelwise::Classification;
use labelwise::loss::Loss;
use labelwise::surrogate::{ComponentSums, FittedSums, Foreseen, MixtureSums, Recalibration};
use serde::{Deserialize, Serialize};

use super::origin;
use crate::spec::settings::Settings;

/// The prior weights of the components, in the encoding of the journal; none for numbers, whose components are parts of one
/// belief.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct KeptPriors {
    /// ln of the weights for proposal and interval; none for a weight of 0.
    logs: Vec<[Option<f64>; 2]>,
    /// Labels of other items that were seen before the first draw.
    #[serde(default, skip_serializing_if = "is_zero")]
    calibrated: usize,
    /// Their log-likelihood under each component.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    likelihoods: Vec<f64>,
    /// What labels are worth, as ranges, where proposals follow the labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) foreseen: Option<KeptForeseen>,
}

/// [`Foreseen`] in the encoding of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptForeseen {
    gain: (f64, f64),
    draw: (f64, f64),
    uniform: (f64, f64),
}

impl From<Foreseen> for KeptForeseen {
    fn from(foreseen: Foreseen) -> Self {
        let Foreseen { gain, draw, uniform } = foreseen;
        Self { gain, draw, uniform }
    }
}

impl From<KeptForeseen> for Foreseen {
    fn from(kept: KeptForeseen) -> Self {
        let KeptForeseen { gain, draw, uniform } = kept;
        Self { gain, draw, uniform }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl From<&Recalibration> for KeptPriors {
    fn from(recalibration: &Recalibration) -> Self {
        let finite = |log: f64| Some(log).filter(|log| log.is_finite());
        let (calibrated, likelihoods) = recalibration.calibration();
        let likelihoods = if calibrated == 0 { Vec::new() } else { likelihoods.to_vec() };
        let logs = recalibration.log_priors().iter().map(|logs| logs.map(finite)).collect();
        let foreseen = recalibration.foreseen().map(Into::into);
        Self { logs, calibrated, likelihoods, foreseen }
    }
}

impl KeptPriors {
    /// The components' weights for intervals before the first label.
    pub(super) fn interval_weights(&self) -> Vec<f64> {
        let logs = || self.logs.iter().map(|[_, interval]| interval.unwrap_or(f64::NEG_INFINITY));
        let likelihoods = self.likelihoods.iter().copied().chain(std::iter::repeat(0.0));
        let logs: Vec<f64> = logs().zip(likelihoods).map(|(log, likelihood)| log + likelihood).collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logs.into_iter().map(|log| (log - top).exp()).collect()
    }

    pub(super) fn recalibration(
        &self,
        given: usize,
        classes: usize,
        loss: &dyn Loss<Classification>,
        settings: &Settings,
    ) -> Option<Recalibration> {
        let logs = self.logs.iter().map(|logs| logs.map(|log| log.unwrap_or(f64::NEG_INFINITY))).collect();
        let (outcomes, origin) = (loss.outcomes(), origin(settings));
        let made = Recalibration::from_log_priors(given, classes, outcomes, origin, logs)?;
        match self.calibrated {
            0 => Some(made),
            labels => made.with_calibration(labels, self.likelihoods.clone()),
        }
    }
}

/// [`MixtureSums`] in the encoding of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptMixture {
    drawn: usize,
    items: usize,
    mass: f64,
    control: f64,
    control_square: f64,
    /// Σ G1, Σ G2/w, Σ h G1/w and Σ G2 of each component.
    components: Vec<[f64; 4]>,
    /// Further sums, where an estimate fits the size of the control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fitted: Option<KeptFitted>,
}

/// [`FittedSums`] in the encoding of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptFitted {
    inverse: f64,
    control: f64,
    firsts: Vec<f64>,
    offset: f64,
}

impl From<&FittedSums> for KeptFitted {
    fn from(sums: &FittedSums) -> Self {
        let &FittedSums { inverse, control, ref firsts, offset } = sums;
        Self { inverse, control, firsts: firsts.clone(), offset }
    }
}

impl From<&KeptFitted> for FittedSums {
    fn from(kept: &KeptFitted) -> Self {
        let &KeptFitted { inverse, control, ref firsts, offset } = kept;
        Self { inverse, control, firsts: firsts.clone(), offset }
    }
}

impl From<&MixtureSums> for KeptMixture {
    fn from(sums: &MixtureSums) -> Self {
        let &MixtureSums { drawn, items, mass, control, control_square, ref components, ref fitted, .. } =
            sums;
        let numbers = |sums: &ComponentSums| [sums.first, sums.second, sums.cross, sums.square];
        let components = components.iter().map(numbers).collect();
        let fitted = fitted.as_ref().map(Into::into);
        Self { drawn, items, mass, control, control_square, components, fitted }
    }
}

impl From<&KeptMixture> for MixtureSums {
    fn from(kept: &KeptMixture) -> Self {
        let &KeptMixture { drawn, items, mass, control, control_square, ref components, ref fitted } = kept;
        let sums =
            |&[first, second, cross, square]: &[f64; 4]| ComponentSums { first, second, cross, square };
        let components = components.iter().map(sums).collect();
        let fitted = fitted.as_ref().map(Into::into);
        Self { drawn, items, mass, control, control_square, components, fitted, proposal: None }
    }
}

impl KeptMixture {
    /// The sums of a sample as those of this many items.
    #[allow(clippy::cast_precision_loss, reason = "a pool has fewer than 2^53 items")]
    pub(crate) fn of_items(mut self, items: usize) -> Self {
        let times = items as f64 / self.items.max(1) as f64;
        self.items = items;
        for sum in [&mut self.mass, &mut self.control, &mut self.control_square] {
            *sum *= times;
        }
        self.components.iter_mut().flatten().for_each(|sum| *sum *= times);
        if let Some(KeptFitted { inverse, control, firsts, .. }) = &mut self.fitted {
            [inverse, control].into_iter().chain(firsts).for_each(|sum| *sum *= times);
        }
        self
    }
}
