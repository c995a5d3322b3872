//! Evaluations that keep their draws, and not the pool.
//!
//! A pool of 10^9 rows lies in a folder, on an object store or in an engine. One or two passes over it make an evaluation: the
//! first keeps a uniform sample, from which the constants of the scores are made; the second keeps the draws and exact sums. Every
//! part of the pool becomes a sketch ([`Part`]), and sketches are merged in any order. [`Scan`] is the driver: it says what a pass
//! needs, takes the merged sketch, and writes the evaluation.
//!
//! The constants are recorded, so that q is exact for what was recorded, whatever the sample was.

mod again;
mod chunk;
mod drawn;
mod files;
mod given;
mod part;
mod ready;
mod refused;
mod scan;
pub(crate) mod scoring;
mod sql;
mod stand_in;
mod totals;

use labelwise_pool::ColumnNames;
use serde::{Deserialize, Serialize};

pub use files::{Progress, Step};
pub use part::{Part, ReadRows};
pub use scan::{Phase, Scan};
pub use sql::Queries;

use crate::error::ElsewhereError;
use crate::spec::settings::Settings;
use scoring::Constants;
pub(crate) use stand_in::predictions;

/// Draws that are made ahead, if nothing else is asked for.
pub const AHEAD: usize = 16_384;

/// What an evaluation without its pool keeps of where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The columns of the pool, for the next pass.
    pub(crate) columns: ColumnNames,
    /// Draws that are made ahead.
    pub ahead: usize,
    /// What a pass reads at most; 0 if that is not known.
    pub bytes: u64,
}

/// What a refresh keeps: with it, and with a drawn row, its q can be computed again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptScan {
    /// Items that could be drawn.
    pub(crate) items: u64,
    /// The sum of their scores, rounded once.
    pub(crate) total: f64,
    /// The least of their scores.
    pub(crate) least: f64,
    #[serde(flatten)]
    pub(crate) constants: Constants,
}

impl Settings {
    /// What is kept of where the pool is, if it is not in the evaluation.
    pub fn elsewhere(&self) -> Option<&Elsewhere> {
        self.elsewhere.as_ref()
    }

    /// Refuses a request that reads the pool where there is none.
    pub(crate) fn needs_pool(
        &self,
        path: &std::path::Path,
        what: &'static str,
    ) -> Result<(), ElsewhereError> {
        match &self.elsewhere {
            None => Ok(()),
            Some(_) => {
                Err(ElsewhereError::NeedsPool { path: path.to_owned(), what, pool: self.pool.path.clone() })
            }
        }
    }
}
