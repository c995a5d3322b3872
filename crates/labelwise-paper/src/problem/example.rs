//! The data of a single run, for a reader to look at.

use labelwise::surrogate::Model;
use labelwise::{Matrix, Result};

/// The data of a run, with what the model makes of it.
#[derive(Debug, Clone)]
pub enum Example {
    /// Labels that are a function of one number.
    Function(FunctionExample),
    /// Classes in a plane.
    Plane(PlaneExample),
}

/// Labels that are a function of one number.
#[derive(Debug, Clone)]
pub struct FunctionExample {
    /// x and y of 𝒟_train.
    pub train: Vec<(f64, f64)>,
    /// x and y of 𝒟_test.
    pub test: Vec<(f64, f64)>,
    /// What the model says along x.
    pub model: Vec<Prediction>,
}

/// What a model says at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Where.
    pub x: f64,
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation, where it has one.
    pub std_dev: Option<f64>,
}

/// Classes in a plane.
#[derive(Debug, Clone)]
pub struct PlaneExample {
    /// 𝒟_train.
    pub train: Vec<Dot>,
    /// 𝒟_test.
    pub test: Vec<Dot>,
    /// From where to where in x.
    pub x: (f64, f64),
    /// From where to where in y.
    pub y: (f64, f64),
    /// Number of cells per row.
    pub columns: usize,
    /// The model's probability of class 1 at the centre of each cell, row after row from below.
    pub probabilities: Vec<f64>,
}

/// A point with its class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dot {
    /// Its place.
    pub x: f64,
    /// Its height.
    pub y: f64,
    /// Its class.
    pub class: usize,
}

/// Number of places along x, and number of cells per side.
const PLACES: usize = 201;
const CELLS: usize = 60;
/// Room around the points, as a share of their extent.
const ROOM: f64 = 0.05;

impl FunctionExample {
    /// `predict` answers mean and variances at each place.
    pub(super) fn new(
        train: Vec<(f64, f64)>,
        test: Vec<(f64, f64)>,
        predict: impl FnOnce(&Matrix) -> Result<Matrix>,
    ) -> Result<Self> {
        let (least, most) = extent(train.iter().chain(&test).map(|&(x, _)| x));
        let places: Vec<f64> =
            (0..PLACES).map(|place| least + (most - least) * place as f64 / (PLACES - 1) as f64).collect();
        let beliefs = predict(&Matrix::f64(places.clone(), 1)?)?;
        let mut reader = beliefs.reader();
        let along = places.into_iter().enumerate();
        let model = along.filter_map(|(row, x)| {
            let (&mean, variances) = reader.row(row).split_first()?;
            let std_dev = (!variances.is_empty()).then(|| variances.iter().sum::<f64>().max(0.0).sqrt());
            Some(Prediction { x, mean, std_dev })
        });
        let model = model.collect();
        Ok(Self { train, test, model })
    }
}

impl PlaneExample {
    /// Looks at a classifier over the plane of its data.
    pub(super) fn new(
        train: Vec<Dot>,
        test: Vec<Dot>,
        model: &dyn Model<labelwise::Classification>,
    ) -> Result<Self> {
        let dots = || train.iter().chain(&test);
        let widened =
            |(least, most): (f64, f64)| (least - ROOM * (most - least), most + ROOM * (most - least));
        let (x, y) = (widened(extent(dots().map(|dot| dot.x))), widened(extent(dots().map(|dot| dot.y))));
        let centre =
            |(from, to): (f64, f64), cell: usize| from + (to - from) * (cell as f64 + 0.5) / CELLS as f64;
        let cells = (0..CELLS).flat_map(|row| (0..CELLS).map(move |column| (column, row)));
        let places: Vec<f64> = cells.flat_map(|(column, row)| [centre(x, column), centre(y, row)]).collect();
        let beliefs = model.predict(&Matrix::f64(places, 2)?)?;
        let mut reader = beliefs.reader();
        let probabilities = (0..beliefs.rows()).filter_map(|cell| reader.row(cell).get(1).copied());
        let probabilities = probabilities.collect();
        Ok(Self { train, test, x, y, columns: CELLS, probabilities })
    }
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}
