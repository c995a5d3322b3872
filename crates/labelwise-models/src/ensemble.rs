//! Ensembles: the same learner fitted several times over. π(y | x) = E_θ[π(y | x, θ)], and where the members θ disagree
//! the ensemble says that it does not know.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::task::Table;
use labelwise::{Classification, Error, Matrix, Regression, Result, Task};
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

/// Members of the same learner, each fitted with its own random numbers.
///
/// For classification, the belief is the mean of the members' probabilities, and the members are kept for mutual
/// information. For regression it follows the law of total variance: aleatoric is the mean of the members' aleatoric
/// variances, and epistemic is the variance of their means plus the mean of their own epistemic variances (a member of
/// two columns has none).
///
/// Members differ by their random numbers alone, as those of a deep ensemble do. A learner that uses none, such as
/// [`LogisticRegression`](crate::LogisticRegression), gives equal members; [`Ensemble::bootstrap`] makes those differ.
/// A resample may lack a class, or have too few different rows for plain least squares, which then wants a ridge.
///
/// Members are fitted in parallel; the result does not depend on the number of threads.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::{Data, Learner};
/// use labelwise::{Matrix, Seed};
/// use labelwise_models::{Ensemble, LogisticRegression};
///
/// let data = Data::new(Matrix::f64(vec![-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], 1)?, vec![0, 0, 1, 0, 1, 1])?;
/// let learner = Ensemble::new(LogisticRegression::default(), 5)?.bootstrap();
/// let model = learner.fit(&data, 2, &mut Seed(7).stream(Stream::Fit, 0))?;
/// let pool = Matrix::f64(vec![0.0, 3.0], 1)?;
/// assert_eq!(model.members(&pool)?.len(), 5);
/// assert!(model.predict(&pool)?.reader().row(1)[1] > 0.5);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble<L> {
    learner: L,
    members: usize,
    rows: Rows,
}

/// Which rows a member learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    All,
    Resampled,
}

impl<L> Ensemble<L> {
    /// This number of members of the learner, each fitted to all of the data.
    ///
    /// ```
    /// use labelwise_models::{Ensemble, LinearRegression};
    /// assert!(Ensemble::new(LinearRegression::default(), 0).is_err());
    /// ```
    pub fn new(learner: L, members: usize) -> Result<Self> {
        if members == 0 {
            return Err(Error::Option { name: "the number of members", value: 0.0, range: "at least 1" });
        }
        Ok(Self { learner, members, rows: Rows::All })
    }

    /// Each member learns from a bootstrap resample instead: as many rows as there are, drawn with replacement.
    pub fn bootstrap(self) -> Self {
        Self { rows: Rows::Resampled, ..self }
    }

    fn fit_members<T: Task>(&self, data: &Data<T>, columns: usize, rng: &mut ChaCha8Rng) -> Result<Members<T>>
    where
        L: Learner<T>,
    {
        // Seeds are drawn one after the other, before any thread starts. A generator that is moved to another stream
        // would meet the numbers of another refresh there.
        let rngs: Vec<_> = (0..self.members).map(|_| ChaCha8Rng::from_rng(rng)).collect();
        let fitted = rngs.into_par_iter().map(|mut rng| match self.rows {
            Rows::All => self.learner.fit(data, columns, &mut rng),
            Rows::Resampled => self.learner.fit(&resampled(data, &mut rng)?, columns, &mut rng),
        });
        // If several members fail, the error is always that of the first.
        let fitted: Vec<Result<_>> = fitted.collect();
        Ok(Members(fitted.into_iter().collect::<Result<_>>()?))
    }
}

fn resampled<T: Task>(data: &Data<T>, rng: &mut ChaCha8Rng) -> Result<Data<T>> {
    let (count, columns) = (data.labels.len(), data.features.columns());
    if data.features.rows() != count {
        return Err(Error::TrainingRows { features: data.features.rows(), labels: count });
    }
    let mut reader = data.features.reader();
    let mut features = Vec::with_capacity(count * columns);
    let mut labels = Vec::with_capacity(count);
    for _ in 0..count {
        // The high half of the product is below `count`, and uniform to within 2⁻⁶⁴ of each.
        let row = ((u128::from(rng.next_u64()) * count as u128) >> 64) as usize;
        features.extend_from_slice(reader.row(row));
        labels.extend(data.labels.get(row));
    }
    Data::new(Matrix::f64(features, columns)?, labels)
}

impl<L: Learner<Classification>> Learner<Classification> for Ensemble<L> {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Classification>>> {
        Ok(Box::new(self.fit_members(data, columns, rng)?))
    }
}

impl<L: Learner<Regression>> Learner<Regression> for Ensemble<L> {
    fn fit(
        &self,
        data: &Data<Regression>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Regression>>> {
        Ok(Box::new(self.fit_members(data, columns, rng)?))
    }
}

/// The fitted members, in the order of their seeds.
struct Members<T: Task>(Vec<Box<dyn Model<T>>>);

impl<T: Task> Members<T> {
    /// What each member believes, checked: a mean hides a member that is wrong.
    fn beliefs(&self, features: &Matrix) -> Result<Vec<Matrix>> {
        let beliefs = self.0.par_iter().map(|member| {
            let beliefs = member.predict(features)?;
            if beliefs.rows() != features.rows() {
                let (rows, expected) = (beliefs.rows(), features.rows());
                return Err(Error::Rows { what: Table::MemberPredictions, rows, expected });
            }
            T::check_rows(Table::MemberPredictions, 0, beliefs.reader().rows(0..beliefs.rows()))?;
            Ok(beliefs)
        });
        let beliefs: Vec<Result<Matrix>> = beliefs.collect();
        beliefs.into_iter().collect()
    }
}

impl Model<Classification> for Members<Classification> {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        let members = self.members(features)?;
        let classes = members.first().map_or(0, Matrix::columns);
        let mut rows = vec![0.0; features.rows() * classes];
        for member in &members {
            Classification::check_belief_columns(member.columns(), classes)?;
            let mut reader = member.reader();
            for (item, row) in rows.chunks_exact_mut(classes).enumerate() {
                row.iter_mut().zip(reader.row(item)).for_each(|(sum, p)| *sum += p);
            }
        }
        rows.iter_mut().for_each(|sum| *sum /= members.len() as f64);
        Matrix::f64(rows, classes)
    }

    fn members(&self, features: &Matrix) -> Result<Vec<Matrix>> {
        self.beliefs(features)
    }
}

impl Model<Regression> for Members<Regression> {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        let members = self.beliefs(features)?;
        let mut readers = Vec::with_capacity(members.len());
        for member in &members {
            Regression::check_belief_columns(member.columns(), 1)?;
            readers.push(member.reader());
        }
        let count = members.len() as f64;
        let mut rows = Vec::with_capacity(features.rows() * 3);
        let mut beliefs = Vec::with_capacity(members.len());
        for item in 0..features.rows() {
            beliefs.clear();
            beliefs.extend(readers.iter_mut().map(|reader| split(reader.row(item))));
            let mean = beliefs.iter().map(|belief| belief.0).sum::<f64>() / count;
            let aleatoric = beliefs.iter().map(|belief| belief.1).sum::<f64>() / count;
            let own = beliefs.iter().map(|belief| belief.2).sum::<f64>() / count;
            let between = beliefs.iter().map(|belief| (belief.0 - mean).powi(2)).sum::<f64>() / count;
            rows.extend([mean, aleatoric, own + between]);
        }
        Matrix::f64(rows, 3)
    }
}

/// Mean, aleatoric and epistemic variance of a member's row, whose width was checked.
fn split(row: &[f64]) -> (f64, f64, f64) {
    let belief = Regression::belief(row);
    match belief.epistemic {
        Some(epistemic) => (belief.mean, row.get(1).copied().unwrap_or(f64::NAN), epistemic),
        None => (belief.mean, belief.variance, 0.0),
    }
}
