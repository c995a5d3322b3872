//! Labels without noise that are a function of one number: a draw from a Gaussian process, x², a sinusoid.

use labelwise::rng::Stream;
use labelwise::{Matrix, Regression, Result, Seed};
use labelwise_models::GaussianProcess;
use serde::Serialize;

use super::random::shuffle;
use super::{Labelled, Split};

/// One in this number of the sinusoid's points is sparse.
const SPARSE: usize = 10;

/// Where the labels of a regression come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// Another function in each run, from the prior of the Gaussian process that model and surrogate are.
    GaussianProcess,
    /// x² less its mean, on [0, 1].
    Quadratic,
    /// sin(10 x) + x³, where a tenth of the points lie in [0, 0.99] and the rest in [1, 2].
    Sinusoid,
}

impl Function {
    /// So many points, `train` of which are for training.
    ///
    /// Of the sinusoid's sparse points all but one are for testing, so that the model knows little about them.
    pub fn split(self, points: usize, train: usize, seed: Seed) -> Result<Split<Regression>> {
        let mut rng = seed.stream(Stream::Split, 0);
        let (x, y) = self.draw(points, seed)?;
        let mut sparse: Vec<usize> = match self {
            Self::Sinusoid => (0..points / SPARSE).collect(),
            Self::GaussianProcess | Self::Quadratic => Vec::new(),
        };
        shuffle(&mut sparse, &mut rng);
        sparse.pop();
        Labelled { rows: x, columns: 1, labels: y }.split(train, &sparse, &mut rng)
    }

    fn draw(self, points: usize, seed: Seed) -> Result<(Vec<f64>, Vec<f64>)> {
        Ok(match self {
            Self::GaussianProcess => {
                let x = evenly(0.0, 1.0, points);
                let features = Matrix::f64(x.clone(), 1)?;
                let y = GaussianProcess::paper().draw_prior(&features, &mut seed.stream(Stream::Data, 0))?;
                (x, y)
            }
            Self::Quadratic => {
                let x = evenly(0.0, 1.0, points);
                let mean = x.iter().map(|x| x * x).sum::<f64>() / points as f64;
                let y = x.iter().map(|x| x * x - mean).collect();
                (x, y)
            }
            Self::Sinusoid => {
                let sparse = points / SPARSE;
                let x = [evenly(0.0, 0.99, sparse), evenly(1.0, 2.0, points - sparse)].concat();
                let y = x.iter().map(|x| (10.0 * x).sin() + x.powi(3)).collect();
                (x, y)
            }
        })
    }
}

/// So many numbers at equal distances, both ends among them.
fn evenly(from: f64, to: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|place| from + (to - from) * place as f64 / last).collect()
}
