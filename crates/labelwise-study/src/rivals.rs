//! Comparisons: the rows of all models side by side, and the totals of every pair.

use labelwise::acquisition::SamplingTarget;
use labelwise::compare::{Contest, Rival, Rivals, Versus, ties};
use labelwise::evaluation::Builder;
use labelwise::loss::Loss;
use labelwise::surrogate::{Beliefs, Data, Surrogate};
use labelwise::words::thousands;
use labelwise::{Matrix, Pool};
use labelwise_pool::{Column, Predictions};
use serde::{Deserialize, Serialize};

use crate::create::tables;
use crate::decide::targets::Aimed;
use crate::error::{CompareError, Error, LabelWanted, Result};
use crate::journal::row::Row;
use crate::spec::measurable::Score;
use crate::spec::metric::LossName;
use crate::spec::names::LearnerName;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;
use crate::spec::supplied::{Supplied, SuppliedTask};
use crate::task::{StudyTask, same_class};

/// A loss whose totals a comparison records: the difference of two models, or one model alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Side {
    pub(crate) one: usize,
    pub(crate) other: Option<usize>,
}

/// The predictions of all models as one table, and, for classes without probabilities, one text column per model.
///
/// Without probabilities, each item has its own classes: the prediction of the first model, of the second, and so on,
/// and last any other class. Models that predict the same predict the same class.
pub(crate) fn side_by_side(first: Predictions, others: Vec<Predictions>) -> Result<(Matrix, Vec<Column>)> {
    let mut matrices = Vec::with_capacity(1 + others.len());
    let mut words = Vec::new();
    for predictions in std::iter::once(first).chain(others) {
        let (matrix, mut columns) = tables(predictions)?;
        matrices.push(matrix);
        words.append(&mut columns);
    }
    if words.is_empty() {
        return Ok((stack(&matrices)?, words));
    }
    let (models, rows) = (words.len(), words.first().map_or(0, Column::len));
    let mut values: Vec<f32> = Vec::with_capacity(rows * models * (models + 1));
    for item in 0..rows {
        let said: Vec<String> = words.iter().filter_map(|column| column.text(item)).collect();
        for text in &said {
            let class = said.iter().position(|other| same_class(other, text));
            values.extend((0..=models).map(|place| if Some(place) == class { 1.0 } else { 0.0 }));
        }
    }
    Ok((Matrix::f32(values, models * (models + 1))?, words))
}

/// Rows of several tables side by side.
fn stack(matrices: &[Matrix]) -> Result<Matrix> {
    let (rows, width) =
        (matrices.first().map_or(0, Matrix::rows), matrices.iter().map(Matrix::columns).sum());
    let mut readers: Vec<_> = matrices.iter().map(Matrix::reader).collect();
    let mut values = Vec::with_capacity(rows * width);
    for item in 0..rows {
        readers.iter_mut().for_each(|reader| values.extend_from_slice(reader.row(item)));
    }
    #[allow(clippy::cast_possible_truncation, reason = "they were f32 before")]
    Ok(if matrices.iter().all(|matrix| matrix.singles().is_some()) {
        Matrix::f32(values.into_iter().map(|value| value as f32).collect::<Vec<f32>>(), width)?
    } else {
        Matrix::f64(values, width)?
    })
}

/// The predicted classes of an item as one text: nothing, the only one, or a list.
pub(crate) fn in_one(mut said: Vec<String>) -> Result<String> {
    match said.len() {
        0 | 1 => Ok(said.pop().unwrap_or_default()),
        _ => serde_json::to_string(&said).map_err(Error::json),
    }
}

/// The number of items that need no label, in a sentence.
pub(crate) fn ties_in_words(settings: &Settings) -> Option<String> {
    let [ties, size] = [settings.ties, settings.pool.size].map(thousands);
    (settings.ties > 0).then(|| {
        format!("{ties} of {size} items are never asked, because no label can make the models differ on them")
    })
}

/// The loss of the settings between the first two models; other pairs come from it.
pub(crate) fn versus<T: StudyTask + Rival>(name: LossName, settings: &Settings) -> Option<Versus<T>> {
    Some(Versus::between(T::loss(name, settings)?, settings.model_columns(), 0, 1))
}

impl<T: Rival> Aimed for Rivals<T> {
    fn aims(score: &Score, _settings: &Settings) -> Result<Vec<Box<dyn SamplingTarget<Self>>>> {
        Err(CompareError::NoMean { metric: score.name.clone() }.into())
    }
}

impl<T: Rival> SuppliedTask for Rivals<T> {
    fn supplied_loss(_supplied: &Supplied) -> Option<Box<dyn Loss<Self>>> {
        None
    }

    fn supplied_surrogate(_supplied: &Supplied) -> Option<Box<dyn Surrogate<Self>>> {
        None
    }
}

impl<T: StudyTask + Rival> StudyTask for Rivals<T> {
    fn label(text: &str, row: &Row, settings: &Settings) -> Result<T::Label, LabelWanted> {
        if settings.subject != Subject::Hard {
            return T::label(text, row, settings);
        }
        if text.trim().is_empty() {
            return Err(LabelWanted::NotBlank);
        }
        let said: Vec<String> = serde_json::from_str(&row.predicted).unwrap_or_default();
        if let Some(place) = said.iter().position(|said| same_class(said, text)) {
            #[allow(clippy::cast_precision_loss, reason = "models are few")]
            return Ok(T::train_label(place as f64));
        }
        if let Some(near) = said.iter().find(|said| said.trim().eq_ignore_ascii_case(text.trim())) {
            return Err(LabelWanted::SameSpelling { predicted: near.clone() });
        }
        #[allow(clippy::cast_precision_loss, reason = "models are few")]
        Ok(T::train_label(said.len() as f64))
    }

    fn loss(name: LossName, settings: &Settings) -> Option<Box<dyn Loss<Self>>> {
        Some(Box::new(versus::<T>(name, settings)?))
    }

    fn pool(predictions: Matrix, settings: &Settings) -> Result<Pool<Self>> {
        Ok(Pool::stacked(predictions, settings.rivals.len())?)
    }

    fn given(members: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        Ok(T::given(members, &pool.model(0)?)?.for_rivals())
    }

    fn nothing(pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        Ok(T::nothing(&pool.model(0)?)?.for_rivals())
    }

    fn train_label(number: f64) -> T::Label {
        T::train_label(number)
    }

    fn learnt(
        _learner: LearnerName,
        _train: Data<Self>,
        _labels: &[T::Label],
        _settings: &Settings,
    ) -> Result<Box<dyn Surrogate<Self>>> {
        Err(CompareError::Learns.into())
    }

    fn enough(_labels: &[T::Label]) -> bool {
        false
    }

    fn known(pool: &Pool<Self>, settings: &Settings) -> Result<Vec<usize>> {
        let Some(versus) = versus::<T>(settings.metric.loss, settings) else { return Ok(Vec::new()) };
        let tied = ties(pool, &versus);
        if tied.len() == pool.pool_size() {
            let never =
                labelwise::compare::CompareError::NeverDiffer { models: pool.models(), loss: versus.name() };
            return Err(labelwise::Error::from(never).into());
        }
        Ok(tied)
    }

    fn by_information(_builder: Builder<Self>) -> Result<Builder<Self>> {
        Err(CompareError::Expectation.into())
    }

    fn scored(builder: Builder<Self>, settings: &Settings) -> Builder<Self> {
        match versus::<T>(settings.metric.loss, settings) {
            Some(versus) if settings.rivals.len() > 2 => {
                builder.acquisition(Contest::new(&versus, settings.rivals.len(), None))
            }
            _ => builder,
        }
    }

    fn sides(settings: &Settings) -> Vec<(Side, Box<dyn Loss<Self>>)> {
        let Some(versus) = versus::<T>(settings.metric.loss, settings) else { return Vec::new() };
        let models = settings.rivals.len();
        let pairs = (0..models).flat_map(|one| (one + 1..models).map(move |other| (one, Some(other))));
        // The loss of a single model is not known for items that are never drawn.
        let alone = (0..models).map(|one| (one, None)).filter(|_| settings.ties == 0);
        // The first pair is the evaluation's own.
        let sides = pairs.skip(1).chain(alone);
        sides
            .map(|(one, other)| {
                let loss: Box<dyn Loss<Self>> = Box::new(versus.of(one, other));
                (Side { one, other }, loss)
            })
            .collect()
    }
}
