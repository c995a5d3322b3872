//! What uniform sampling would give: its interval after m labels, and the labels it would need to be as precise.

use labelwise::Target;
use labelwise::loss::{Bounds, Sign};
use labelwise::plan::UniformSampling;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::about::About;
use super::page::Page;

/// With more degrees of freedom, Student's t looks like the normal distribution.
const MANY: f64 = 1e4;

/// From as many labels on, the variance of losses is worth comparing with.
const ENOUGH: usize = 50;

/// Uniform sampling of the same pool, as far as the samples tell what the losses of the pool are like.
pub(super) struct Uniform {
    /// The centre of its interval: the estimate.
    centre: f64,
    sampling: UniformSampling,
    level: f64,
    limits: Bounds,
}

/// Why nothing can be said about it yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// The losses seen so far may be nothing like those of the pool.
    FewLabels,
    /// They do not differ.
    SameLosses,
}

impl Unknown {
    /// In words, after a colon.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::FewLabels => "there are too few labels to know how losses differ",
            Self::SameLosses => "the losses seen so far do not differ",
        }
    }
}

impl Uniform {
    /// What can be said by now.
    pub(super) fn new(page: &Page) -> Result<Self, Unknown> {
        if let Some(about) = &page.about {
            return Self::of_score(page, about);
        }
        let (evidence, labels) = (&page.evidence, page.report.estimate.labels);
        let is_cautioned = page.report.interval.is_none_or(|interval| interval.caution.is_some());
        if !page.is_whole() && (labels < ENOUGH || is_cautioned) {
            return Err(Unknown::FewLabels);
        }
        let weights = page.estimator.weights(&evidence.samples, evidence.pool_size);
        let weights = weights.map_err(|_| Unknown::FewLabels)?;
        let sampling =
            UniformSampling::weighted(evidence, &weights, page.target).ok_or(Unknown::SameLosses)?;
        let limits = evidence.range.unwrap_or(match evidence.sign {
            Sign::NonNegative => Bounds { low: 0.0, high: f64::INFINITY },
            Sign::Signed => Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY },
        });
        let centre = page.report.estimate.value;
        Ok(Self { centre, sampling, level: page.level, limits })
    }

    /// The same for a metric that is not an average, whose influences vary as losses do.
    fn of_score(page: &Page, about: &About) -> Result<Self, Unknown> {
        let now = &about.course.now;
        let (Ok(centre), Some(variance)) = (&now.value, about.course.uniform_variance) else {
            return Err(Unknown::FewLabels);
        };
        if now.labels < ENOUGH && !page.is_whole() {
            return Err(Unknown::FewLabels);
        }
        if variance <= 0.0 {
            return Err(Unknown::SameLosses);
        }
        let size = page.evidence.pool_size;
        let pool = match page.target {
            Target::Pool => 0.0,
            Target::Population => variance / size as f64,
        };
        let sampling = UniformSampling { variance, pool, size, open_share: 1.0 };
        let limits = Bounds { low: about.range.0, high: about.range.1 };
        Ok(Self { centre: *centre, sampling, level: page.level, limits })
    }

    /// The ends of the interval after `labels` labels; `None` without a variance.
    pub(super) fn interval(&self, labels: usize) -> Option<(f64, f64)> {
        let quantile = quantile(labels as f64 - 1.0, (1.0 - self.level) / 2.0)?;
        let half = quantile * self.sampling.variance_at(labels).sqrt();
        let Bounds { low, high } = self.limits;
        Some(((self.centre - half).max(low).min(high), (self.centre + half).min(high).max(low)))
    }

    /// The labels that give the standard error of the estimate. The mean of m labels has the variance σ² (1/m − 1/N).
    pub(super) fn needed(&self, standard_error: f64) -> f64 {
        self.sampling.needed(standard_error)
    }

    /// The same as a count to be read: rounded, but not to more than there are.
    pub(super) fn about(&self, standard_error: f64) -> usize {
        rounded(self.needed(standard_error)).min(self.sampling.size as f64) as usize
    }
}

/// The upper `tail` quantile of Student's t.
fn quantile(freedom: f64, tail: f64) -> Option<f64> {
    let quantile = if freedom > MANY {
        Normal::standard().inverse_cdf(1.0 - tail)
    } else {
        StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(1.0 - tail)
    };
    Some(quantile).filter(|quantile| quantile.is_finite())
}

/// A count that is only about right, with two digits that count.
fn rounded(labels: f64) -> f64 {
    let unit = 10f64.powf((labels.max(1.0).log10().floor() - 1.0).max(0.0));
    (labels / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::{quantile, rounded};

    #[test]
    fn quantiles_are_those_of_the_tables() {
        assert!((quantile(10.0, 0.025).unwrap() - 2.228_138_852).abs() < 1e-6);
        assert!((quantile(1e6, 0.025).unwrap() - 1.959_963_985).abs() < 1e-6);
        assert_eq!(quantile(0.0, 0.025), None);
    }

    #[test]
    fn counts_keep_two_digits() {
        let cases = [(0.4, 0.0), (7.4, 7.0), (42.4, 42.0), (412.0, 410.0), (12_345.0, 12_000.0)];
        for (labels, expected) in cases {
            assert_eq!(rounded(labels), expected, "of {labels}");
        }
    }
}
