//! Who does something, and when: what every command that writes has in common.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use labelwise_store::By;

use crate::config::Settings;

/// Options of everything that is recorded.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Recording {
    /// Who does it, kept with the record [default: the setting `who`]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// A word for this very request: said again, it is answered as it was, and nothing happens twice
    #[arg(long, value_name = "WORD")]
    key: Option<String>,
}

impl Recording {
    pub(crate) fn by(&self, settings: &Settings) -> By {
        let who = self.who.clone().unwrap_or_else(|| settings.who.value.clone());
        By { who, at: now(), key: self.key.clone() }
    }
}

/// The evaluation that a command is about.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Of {
    /// The evaluation: the file that `labelwise new` made
    #[arg(value_name = "EVALUATION")]
    evaluation: PathBuf,
}

impl Of {
    pub(crate) fn path(&self) -> &Path {
        &self.evaluation
    }
}

/// Microseconds since 1970, UTC.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// A moment as ISO 8601 has it, in UTC, to the second.
pub(crate) fn moment(micros: i64) -> String {
    let seconds = micros.div_euclid(1_000_000);
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // The civil calendar from days: years begin in March, so that the leap day comes last.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(moment(seconds * 1_000_000), expected);
        }
    }
}
