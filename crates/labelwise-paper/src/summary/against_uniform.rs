//! A curve compared with uniform sampling in the same runs.

use serde::{Serialize, Serializer};

use super::columns::{is_kept, six_digits};
use crate::error::Result;
use crate::run::Traces;
use crate::statistics::{
    self, Alternative, Method, Ordered, authors_labelling_cost, relative_labelling_cost, signed_rank,
};
use crate::strategy::{Strategy, strategies};

/// How a curve compares with uniform sampling, step by step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstUniform {
    /// The proportion of labels that gives the median squared error of 1, 2, ... uniform labels; nothing where the
    /// curve does not come down so far.
    #[serde(serialize_with = "short")]
    pub relative_labelling_cost: Vec<Option<f64>>,
    /// The same as the authors' code counts it, by active labels: 1, 2, ... of them over the first number of uniform labels
    /// that does as well.
    #[serde(serialize_with = "short")]
    pub authors_labelling_cost: Vec<Option<f64>>,
    /// log10 of the p-value of Wilcoxon's signed-rank test that squared errors are not below those of uniform sampling;
    /// nothing where no run differs.
    #[serde(serialize_with = "short")]
    pub signed_rank_log10_p_value: Vec<Option<f64>>,
}

impl AgainstUniform {
    /// Compares a curve with the uniform one of the same traces, if there is one.
    pub(super) fn new(traces: &Traces, curve: Strategy, pool_size: usize) -> Result<Option<Self>> {
        let place = |wanted: Strategy| traces.columns.iter().position(|column| column.strategy == wanted);
        let (Some(uniform), Some(active)) = (place(strategies::UNIFORM), place(curve)) else {
            return Ok(None);
        };
        if uniform == active {
            return Ok(None);
        }
        let steps = |place: usize| traces.columns.get(place).map_or(0, |column| column.steps);
        // Once the pool is labelled, errors are rounding.
        let before_end = |place: usize| 0..steps(place).min(steps(uniform)).min(pool_size - 1).max(1);
        let squares = |place: usize, step: usize| -> Vec<f64> {
            traces.errors(place, step).into_iter().map(|error| error * error).collect()
        };
        let medians = |place: usize| -> std::result::Result<Vec<f64>, statistics::Error> {
            before_end(place).map(|step| Ok(Ordered::new(squares(place, step))?.median())).collect()
        };
        let p_value = |step: usize| {
            let (active, uniform) = (squares(active, step), squares(uniform, step));
            match signed_rank(&active, &uniform, Alternative::Less, Method::default()) {
                Ok(test) => Ok(Some(test.log10_p_value)),
                Err(statistics::Error::NoDifferences { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let (actives, uniforms) = (medians(active)?, medians(uniform)?);
        Ok(Some(Self {
            relative_labelling_cost: relative_labelling_cost(&actives, &uniforms)?,
            authors_labelling_cost: authors_labelling_cost(&actives, &uniforms)?,
            signed_rank_log10_p_value: before_end(active)
                .map(p_value)
                .collect::<std::result::Result<_, _>>()?,
        }))
    }
}

/// Six digits are enough.
fn short<S: Serializer>(values: &[Option<f64>], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let kept = values.iter().zip(1..).filter(|(_, m)| is_kept(*m, values.len()));
    kept.map(|(value, _)| value.map(six_digits)).collect::<Vec<_>>().serialize(serializer)
}
