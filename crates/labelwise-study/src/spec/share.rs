//! A share above 0 and at most 1, such as a recall to be reached.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A share above 0 and at most 1, in millionths, so that metrics with one can be compared.
///
/// ```
/// use labelwise_study::Share;
/// let share: Share = "0.90".parse()?;
/// assert_eq!((share.to_string().as_str(), share.value()), ("0.9", 0.9));
/// assert!("90".parse::<Share>().is_err());
/// # Ok::<(), labelwise_study::BadShare>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Share {
    millionths: u32,
}

impl Share {
    /// The share as a number.
    pub fn value(self) -> f64 {
        f64::from(self.millionths) / 1e6
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.value()
    }
}

impl TryFrom<f64> for Share {
    type Error = BadShare;

    fn try_from(value: f64) -> Result<Self, BadShare> {
        let bad = || BadShare(value.to_string());
        if !(value > 0.0 && value <= 1.0) {
            return Err(bad());
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a million")]
        let share = Self { millionths: (value * 1e6).round() as u32 };
        // A share that is not in millionths would be rounded to another one.
        if share.value() == value { Ok(share) } else { Err(bad()) }
    }
}

impl FromStr for Share {
    type Err = BadShare;

    fn from_str(text: &str) -> Result<Self, BadShare> {
        let number = text.trim().parse::<f64>().map_err(|_| BadShare(text.to_owned()))?;
        Self::try_from(number).map_err(|_| BadShare(text.to_owned()))
    }
}

/// A text that is not a share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a share: give a number above 0 and at most 1 with at most six decimals, such as \
     precision_at_recall_0.9"
)]
pub struct BadShare(pub String);
