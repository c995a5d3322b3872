//! What is decided before the pass of draws, and the constants of the scores.

use std::collections::BTreeMap;
use std::path::Path;

use labelwise::Matrix;

use super::chunk::Chunk;
use super::scoring::{Constants, Scorer, Scoring};
use super::stand_in;
use crate::error::Result;
use crate::journal::record::{Record, Refresh};
use crate::recalibration::KeptPriors;
use crate::refresh_point::RefreshPoint;
use crate::spec::settings::Settings;
use crate::task::with_task;

/// Everything that is decided before the pass of draws.
pub(crate) struct Ready {
    pub(crate) settings: Settings,
    pub(crate) decisions: Vec<String>,
    /// The sample, in the tables of the file.
    pub(crate) tables: BTreeMap<String, Matrix>,
    pub(crate) priors: Option<KeptPriors>,
    pub(crate) constants: Constants,
    /// What the sample says of a refresh, and its items.
    pub(crate) sampled: Option<(Refresh, usize)>,
    /// Items and fingerprint of an earlier pass.
    pub(crate) seen: Option<(u64, String)>,
    pub(crate) point: RefreshPoint,
    /// Ids that were drawn before.
    pub(crate) drawn: Vec<String>,
    pub(crate) labels: usize,
}

impl Ready {
    pub(crate) fn scoring(&self) -> Scoring {
        // What a worker does not need is left out.
        let settings = Settings { elsewhere: None, ..self.settings.clone() };
        Scoring { settings, priors: self.priors.clone(), constants: self.constants.clone() }
    }

    /// Makes the constants of the scores, from a sample and the labels.
    pub(crate) fn learn(&mut self, sample: &Chunk, record: &Record, path: &Path, at: i64) -> Result<()> {
        let (refresh, sampled) =
            stand_in::refresh(&self.tables, &self.settings, path, record, self.point, at)?;
        if self.point.row == 0 {
            self.priors = refresh.origin.priors.clone();
        }
        self.constants = constants(&self.settings, self.priors.as_ref(), sample, record, path)?;
        self.sampled = Some((refresh, sampled));
        Ok(())
    }
}

/// The constants of the scores, from a sample and the labels.
pub(crate) fn constants(
    settings: &Settings,
    priors: Option<&KeptPriors>,
    sample: &Chunk,
    record: &Record,
    path: &Path,
) -> Result<Constants> {
    let mut constants = Constants::default();
    if let (Some(priors), Some(_)) = (priors, &settings.recalibrated) {
        let widths = (sample.predictions.columns(), sample.given.len());
        let fit = with_task!(settings, T => {
            <T as crate::task::StudyTask>::fit(record, path, settings, priors, widths)
        })?;
        constants.fit = fit.map(Into::into);
    }
    let (settings, priors) = (settings.clone(), priors.cloned());
    let scoring = Scoring { settings, priors, constants: constants.clone() };
    constants.centre = with_task!(scoring.settings, T => Scorer::<T>::new(scoring.clone())?.centre(sample))?;
    Ok(constants)
}
