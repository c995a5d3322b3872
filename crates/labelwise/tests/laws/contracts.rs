//! The contracts catch what breaks them.

use labelwise::acquisition::{Acquisition, Candidates};
use labelwise::conformance::{check_acquisition, check_estimator, check_surrogate};
use labelwise::estimator::{Bias, Estimator, Sample, Terms};
use labelwise::loss::ZeroOne;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Beliefs, Change, Observed, Surrogate, Updated};
use labelwise::{Classification, Matrix, Result};

use crate::pools::{pool, probabilities};

/// The plain mean, with a claim about its bias and a coefficient too many.
struct Mean(Bias, f64);

impl Estimator for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }

    fn bias(&self) -> Bias {
        self.0
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        labelwise::estimator::Iid.terms(samples, pool_size)?;
        let c = vec![self.1 / samples.len() as f64; samples.len()];
        Ok(Terms::new(samples.iter().map(|s| s.loss).collect(), c, 1.0))
    }
}

#[test]
fn an_estimator_that_hides_its_bias() {
    assert_eq!(check_estimator(&Mean(Bias::UnlessUniform, 1.0)), Ok(()));
    assert_eq!(check_estimator(&Mean(Bias::None, 1.0)).unwrap_err().law, "no bias if none is claimed");
    assert_eq!(check_estimator(&Mean(Bias::Vanishing, 1.1)).unwrap_err().law, "coefficients sum to one");
}

/// The plain mean, of which the estimate alone is another number.
struct TwoNumbers;

impl Estimator for TwoNumbers {
    fn name(&self) -> &'static str {
        "two numbers"
    }

    fn bias(&self) -> Bias {
        Bias::UnlessUniform
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        Mean(Bias::UnlessUniform, 1.0).terms(samples, pool_size)
    }

    fn estimate(&self, samples: &[Sample], pool_size: usize) -> Result<f64> {
        Ok(self.terms(samples, pool_size)?.value() + 1e-12)
    }
}

#[test]
fn an_estimator_with_two_numbers() {
    let violation = check_estimator(&TwoNumbers).unwrap_err();
    assert_eq!(violation.law, "the estimate alone is the same number");
}

/// Scores by place, or below zero.
struct Crooked(f64);

impl Acquisition<Classification> for Crooked {
    fn name(&self) -> &'static str {
        "crooked"
    }

    fn scores(&mut self, candidates: Candidates<'_, Classification>) -> Result<Vec<f64>> {
        Ok((0..candidates.pool.pool_size()).map(|item| item as f64 + self.0).collect())
    }
}

#[test]
fn an_acquisition_that_looks_at_places_or_below_zero() {
    let pool = pool(9, 3);
    let beliefs = pool.own_beliefs().unwrap();
    let law = |shift| {
        check_acquisition(|_| Box::new(Crooked(shift)), &pool, &ZeroOne, &beliefs, &[]).unwrap_err().law
    };
    assert_eq!(law(0.0), "scores belong to items, not to places");
    assert_eq!(law(-1.0), "scores are finite and not negative");
}

/// Beliefs that change in silence, or all the time.
struct Restless(Beliefs<Classification>, Change, u64);

impl Surrogate<Classification> for Restless {
    fn update(
        &mut self,
        observed: Observed<'_, Classification>,
        _: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Classification>> {
        self.2 += 1;
        let size = observed.pool.pool_size();
        self.0 = Beliefs::new(Matrix::f64(probabilities(size, 3, self.2), 3)?, observed.pool)?;
        Ok(Updated { beliefs: &self.0, change: self.1 })
    }
}

#[test]
fn a_surrogate_that_changes_in_silence_or_all_the_time() {
    let pool = pool(9, 3);
    let law = |change| {
        let make = || -> Box<dyn Surrogate<Classification>> {
            Box::new(Restless(pool.own_beliefs().unwrap(), change, 0))
        };
        check_surrogate(make, &pool, &[(1, 0), (2, 1)]).unwrap_err().law
    };
    assert_eq!(law(Change::Unchanged), "beliefs change only when it says so");
    assert_eq!(law(Change::Refitted), "nothing happens without a new label");
}
