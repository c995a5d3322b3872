//! How sure a regression is: variances or standard deviations, which a column's name may tell apart.

use std::path::Path;

use crate::error::{Error, Result};

/// The column of a regression's uncertainty.
#[derive(Debug, Clone)]
pub(crate) enum Spread {
    Variance(String),
    Deviation(String),
}

/// Words of names of columns of standard deviations.
const DEVIATIONS: [&str; 8] = ["std", "sd", "sigma", "stdev", "stddev", "stdevs", "deviation", "deviations"];

/// Words of names of columns of variances.
const VARIANCES: [&str; 4] = ["var", "vars", "variance", "variances"];

/// Words that make a variance of a standard deviation.
const SQUARED: [&str; 3] = ["2", "sq", "squared"];

impl Spread {
    pub(crate) fn column(&self) -> &str {
        match self {
            Self::Variance(column) | Self::Deviation(column) => column,
        }
    }

    /// Refuses a column whose name says that it holds the other kind of numbers.
    pub(crate) fn check(&self, path: &Path) -> Result<()> {
        let name = self.column().to_lowercase();
        let words: Vec<&str> = name.split(|letter: char| !letter.is_alphanumeric()).collect();
        let any = |known: &[&str]| words.iter().any(|word| known.contains(word));
        let variances = any(&VARIANCES) || any(&SQUARED);
        let deviations = any(&DEVIATIONS) && !variances;
        let (path, column) = (path.to_owned(), self.column().to_owned());
        match self {
            Self::Variance(_) if deviations => Err(Error::DeviationColumn { path, column }),
            Self::Deviation(_) if variances => Err(Error::VarianceColumn { path, column }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_they_are() {
        let checked = |spread: Spread| spread.check(Path::new("pool.csv")).is_ok();
        for name in ["std", "pred_std", "Sigma", "y.sd", "sd", "std-dev", "predicted standard deviation"] {
            assert!(!checked(Spread::Variance(name.into())), "{name}");
            assert!(checked(Spread::Deviation(name.into())), "{name}");
        }
        for name in ["variance", "pred_var", "sigma_2", "std_squared"] {
            assert!(checked(Spread::Variance(name.into())), "{name}");
            assert!(!checked(Spread::Deviation(name.into())), "{name}");
        }
        for name in ["uncertainty", "v", "sigma2", "error_bar"] {
            assert!(
                checked(Spread::Variance(name.into())) && checked(Spread::Deviation(name.into())),
                "{name}"
            );
        }
    }
}
