//! How much of the paper is repeated: seconds, minutes, or all of it.

use serde::Serialize;

use crate::error::{Error, Result};

/// How many runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Seconds: enough to see the paper's claims.
    Smoke,
    /// A minute or so a figure; about twenty where networks have to be trained.
    #[default]
    Laptop,
    /// Hours for networks, in pieces of any length: narrow ones, trained to the end, and the paper's labels and schedules.
    Desk,
    /// As many runs as the paper has.
    Paper,
    /// As many runs, with networks that others trained and published: their predictions are given as archives.
    Published,
}

/// How many runs an experiment has at each scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runs {
    pub(crate) smoke: usize,
    pub(crate) laptop: usize,
    pub(crate) desk: usize,
    pub(crate) paper: usize,
}

/// Fewer runs have no standard deviation.
const LEAST: usize = 2;
/// More are not meant to be kept in memory.
const MOST: usize = 1_000_000;

impl Scale {
    /// Every scale.
    pub const ALL: [Self; 5] = [Self::Smoke, Self::Laptop, Self::Desk, Self::Paper, Self::Published];
    /// Those whose networks are trained here, which every figure has.
    pub const TRAINED: [Self; 4] = [Self::Smoke, Self::Laptop, Self::Desk, Self::Paper];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Laptop => "laptop",
            Self::Desk => "desk",
            Self::Paper => "paper",
            Self::Published => "published",
        }
    }

    pub(crate) fn runs(self, runs: Runs) -> usize {
        match self {
            Self::Smoke => runs.smoke,
            Self::Laptop => runs.laptop,
            Self::Desk => runs.desk,
            Self::Paper | Self::Published => runs.paper,
        }
    }
}

/// Refuses a number of runs that says nothing, or that no memory holds.
pub(crate) fn check_runs(runs: usize) -> Result<usize> {
    if (LEAST..=MOST).contains(&runs) {
        Ok(runs)
    } else {
        Err(Error::Runs { runs, least: LEAST, most: MOST })
    }
}
