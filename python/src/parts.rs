//! The parts, for people who want only those: draws from scores, weights and estimators of recorded draws.

use labelwise::Seed;
use labelwise::estimator::{RegressionLure, Sample, lure_weight};
use labelwise::proposal::Proposal;
use labelwise::rng::Stream;
use labelwise_study::{EstimatorName, Named};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays;
use crate::error::{Error, Outcome, Raised, detached, guarded};
use crate::options::floor as floor_of;

/// Items and probabilities of `count` draws without replacement.
type Drawn<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Draws items from scores.
#[pyfunction]
pub(crate) fn draw<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    count: usize,
    seed: u64,
    floor: (String, f64),
) -> PyResult<Drawn<'py>> {
    let scores = arrays::numbers("scores", scores)?;
    let floor = floor_of(&floor.0, floor.1)?.into();
    let size = scores.len();
    if count > size {
        return Err(Error::from(labelwise::Error::PoolExhausted {
            wanted: count,
            left: size,
            pool_size: size,
        })
        .into());
    }
    let (items, q): (Vec<i64>, Vec<f64>) = detached(py, &Raised::default(), || -> Outcome<_> {
        let stream = Seed(seed).stream(Stream::Draw, 0);
        let mut proposal = Proposal::new(scores, &vec![true; size], floor, stream)?;
        let mut drawn = Vec::with_capacity(count);
        while drawn.len() < count {
            let Some(next) = proposal.draw() else {
                return Err(Error::Argument(format!(
                    "scores: only {} of them are above 0, and without a floor no other item can be drawn",
                    drawn.len()
                )));
            };
            drawn.push((i64::try_from(next.index).unwrap_or(i64::MAX), next.q));
        }
        Ok(drawn.into_iter().unzip())
    })?;
    Ok((PyArray1::from_vec(py, items), PyArray1::from_vec(py, q)))
}

/// Eq. (4): v_m of every draw.
#[pyfunction]
pub(crate) fn weights<'py>(
    py: Python<'py>,
    q: &Bound<'py, PyAny>,
    pool_size: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let q = arrays::numbers("q", q)?;
    let budget = q.len();
    if budget > pool_size {
        return Err(Error::from(labelwise::Error::TooManySamples { samples: budget, pool_size }).into());
    }
    for (place, &q) in q.iter().enumerate() {
        if !(q > 0.0 && q <= 1.0) {
            return Err(
                Error::Argument(format!("q[{place}] is {q}, but must be above 0 and at most 1")).into()
            );
        }
    }
    let weights = q.iter().zip(1..).map(|(&q, m)| lure_weight(m, budget, pool_size, q));
    Ok(PyArray1::from_iter(py, weights))
}

/// Value, standard error and, of regression LURE, the fitted weights of its two controls.
type Found = (f64, Option<f64>, Option<(f64, f64)>);

/// An estimate from recorded draws.
#[pyfunction]
pub(crate) fn estimate(
    name: &str,
    loss: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    pool_size: usize,
    control: Option<&Bound<'_, PyAny>>,
    control_total: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    guarded(&Raised::default(), || estimated(name, loss, q, pool_size, control, control_total))
}

fn estimated(
    name: &str,
    loss: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    pool_size: usize,
    control: Option<&Bound<'_, PyAny>>,
    control_total: Option<&Bound<'_, PyAny>>,
) -> Outcome<Found> {
    let (losses, q) = (arrays::numbers("loss", loss)?, arrays::numbers("q", q)?);
    let column = |name: &str, array: Option<&Bound<'_, PyAny>>| match array {
        Some(array) => arrays::numbers(name, array),
        None => Ok(vec![0.0; losses.len()]),
    };
    let controls = column("control", control)?;
    let totals = column("control_total", control_total)?;
    for (name, column) in [("q", &q), ("control", &controls), ("control_total", &totals)] {
        if column.len() != losses.len() {
            return Err(Error::Argument(format!(
                "{name} has {} entries, but loss has {}: give one a draw, in draw order",
                column.len(),
                losses.len()
            )));
        }
    }
    let draws = losses.iter().zip(&q).zip(controls.iter().zip(&totals)).enumerate();
    let samples: Vec<Sample> = draws
        .map(|(index, ((&loss, &q), (&control, &control_total)))| Sample {
            control,
            control_total,
            ..Sample::plain(index, q, loss)
        })
        .collect();
    let name = EstimatorName::named(name)?;
    let estimator = name.estimator();
    let terms = estimator.terms(&samples, pool_size)?;
    let value = estimator.estimate(&samples, pool_size)?;
    let error = terms.variance().map(f64::sqrt);
    let fitted = if name == EstimatorName::Regression {
        let controls = RegressionLure.controls(&samples, pool_size)?;
        Some((controls.b0, controls.b1))
    } else {
        None
    };
    Ok((value, error, fitted))
}
