//! Mutual information between label and parameters: what active learning seeks (BALD), here to compare with.

use super::{Acquisition, Candidates};
use crate::error::{Error, Result};
use crate::task::{Classification, Regression, Task};

/// H(E_θ π(y | x, θ)) − E_θ H(π(y | x, θ)). Classification needs the members of an ensemble, regression the
/// decomposition of the variance, where it is ½ log(1 + epistemic / aleatoric).
#[derive(Debug, Clone, Copy, Default)]
pub struct MutualInformation;

const NAME: &str = "mutual information";

impl Acquisition<Classification> for MutualInformation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn scores(&mut self, candidates: Candidates<'_, Classification>) -> Result<Vec<f64>> {
        let beliefs = candidates.beliefs;
        if beliefs.members().is_empty() {
            let needs = "the members of an ensemble: make the beliefs with Beliefs::from_members";
            return Err(Error::Acquisition { acquisition: NAME, needs });
        }
        let mut mean = beliefs.rows().reader();
        let mut members: Vec<_> = beliefs.members().iter().map(|member| member.reader()).collect();
        let count = members.len() as f64;
        let items = 0..candidates.pool.pool_size();
        Ok(items
            .map(|item| {
                let expected =
                    members.iter_mut().map(|member| entropy(member.row(item))).sum::<f64>() / count;
                (entropy(mean.row(item)) - expected).max(0.0)
            })
            .collect())
    }
}

fn entropy(probabilities: &[f64]) -> f64 {
    -probabilities.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>()
}

impl Acquisition<Regression> for MutualInformation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn scores(&mut self, candidates: Candidates<'_, Regression>) -> Result<Vec<f64>> {
        let mut reader = candidates.beliefs.rows().reader();
        (0..candidates.pool.pool_size())
            .map(|item| {
                let belief = Regression::belief(reader.row(item));
                let Some(epistemic) = belief.epistemic else {
                    let needs =
                        "beliefs with aleatoric and epistemic variance: give three columns, or members";
                    return Err(Error::Acquisition { acquisition: NAME, needs });
                };
                let aleatoric = belief.variance - epistemic;
                if aleatoric <= 0.0 {
                    let needs =
                        "an aleatoric variance above 0: give members with variances, or a noise variance";
                    return Err(Error::Acquisition { acquisition: NAME, needs });
                }
                Ok(0.5 * (epistemic / aleatoric).ln_1p())
            })
            .collect()
    }
}
