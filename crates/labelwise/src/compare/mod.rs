//! Comparing models on shared labels: which is better, by how much, and how sure that is.
//!
//! The paired difference d_i = ℒ(f_A(x_i), y_i) − ℒ(f_B(x_i), y_i) varies far less than either loss where models are alike,
//! and on most items it is nearly 0. So items are drawn by √E(d²), and those on which no label can part the models are not
//! drawn at all: their difference is known. The rest is what is there for any loss: [`Versus`] is one.

mod rivals;
mod verdict;
mod versus;

pub use rivals::{Rival, Rivals};
pub use verdict::{Comparison, Question, Standings, compare, standings};
pub use versus::{Contest, Versus, ties};

use crate::acquisition::RootMeanSquare;
pub use crate::error::CompareError;
use crate::error::Result;
use crate::evaluation::{Builder, Evaluation};
use crate::loss::Loss;
use crate::pool::Pool;
use crate::surrogate::Surrogate;

impl<T: Rival> Evaluation<Rivals<T>> {
    /// An evaluation that compares models by a loss. Its own ledger is about the first model against the second; for
    /// others see [`ledger_for`](Evaluation::ledger_for). Items on which the models cannot differ are never drawn.
    ///
    /// ```
    /// use labelwise::compare::{Question, Rivals, compare};
    /// use labelwise::loss::ZeroOne;
    /// use labelwise::{Classification, Evaluation, Fixed, Matrix, Pool, Seed};
    /// # let model = |shift: usize| Matrix::f64((0..400).flat_map(|i| {
    /// #     let p = 0.05 + 0.9 * ((i * 7 + shift * (i % 3)) % 20) as f64 / 20.0; [p, 1.0 - p] }).collect::<Vec<f64>>(), 2);
    /// # let label_of = |item: usize| usize::from((item * 7) % 20 < 9);
    /// let pool = Pool::<Rivals<Classification>>::rivals(&[model(0)?, model(5)?])?;
    /// let surrogate = Fixed(pool.own_beliefs()?); // the mean of both
    /// let mut evaluation = Evaluation::comparison(pool, ZeroOne, surrogate)?.seed(Seed(7)).build()?;
    /// evaluation.run(60, &mut |item| Ok(label_of(item)))?;
    /// let verdict = compare(evaluation.ledger(), &Question::default())?;
    /// assert!(verdict.difference() < 0.0); // the first is better
    /// assert!(verdict.p_value.is_some_and(|p| p < 0.01));
    /// # Ok::<(), labelwise::Error>(())
    /// ```
    pub fn comparison(
        pool: Pool<Rivals<T>>,
        loss: impl Loss<T> + 'static,
        surrogate: impl Surrogate<Rivals<T>> + 'static,
    ) -> Result<Builder<Rivals<T>>> {
        let versus = Versus::between(loss, pool.model_columns(), 0, 1);
        let tied = ties(&pool, &versus);
        if tied.len() == pool.pool_size() {
            return Err(CompareError::NeverDiffer { models: pool.models(), loss: versus.name() }.into());
        }
        let models = pool.models();
        let builder = Self::builder(pool, versus.clone(), surrogate);
        let builder = builder.known(tied.into_iter().map(|item| (item, 0.0)));
        Ok(if models == 2 {
            builder.acquisition(RootMeanSquare)
        } else {
            builder.acquisition(Contest::new(&versus, models, None))
        })
    }
}
