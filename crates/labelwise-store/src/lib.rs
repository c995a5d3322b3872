//! Pool files, and evaluations on disk and in memory.
//!
//! Its first part reads **pool files**: the predictions of the model under test, in whatever format they lie. A file is
//! read once, in columns, and only the columns that are needed; numbers in f32 stay so.
//!
//! ```
//! use labelwise::Pool;
//! use labelwise_store::{PoolTable, Predictions, Reading};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("pool.csv");
//! # std::fs::write(&path, "id,prob_cat,prob_dog\na,0.9,0.1\nb,0.2,0.8\n")?;
//! let table = PoolTable::open(&path, &Reading::new())?;
//! if let Predictions::Classes { names, rows } = table.predictions {
//!     assert_eq!(names, ["cat", "dog"]);
//!     let pool = Pool::classification(rows)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way of a file: [`Format`] by its name, then its columns (one reader a format), then which of them are wanted
//! ([`Reading`]), then their values into tables as they are read, then checks of every row. What is wrong with rows is
//! one error that names the first five.

mod assemble;
mod block;
mod column;
mod error;
mod families;
mod file;
mod fingerprint;
mod format;
mod ids;
mod labels;
mod limits;
mod moment;
mod offences;
mod predictions;
mod reading;
mod rivals;
mod source;
mod strings;
mod study;
mod table;

pub use column::Column;
pub use error::{
    AnswerError, CellFault, ChoiceError, CompareError, DesignError, Error, FileError, LabelWanted,
    MetricError, PoolError, Purpose, RefusedAnswer, Result, RowError, RowFault,
};
pub use fingerprint::Fingerprint;
pub use format::Format;
pub use ids::Ids;
pub use labels::Labels;
pub use moment::{moment, now};
pub use offences::Place;
pub use predictions::{Predictions, SUM_TOLERANCE};
pub use reading::Reading;
pub use rivals::{RivalTables, Unmatched};
pub use strings::Strings;
pub use study::{
    AcquisitionName, Answer, AnyTrial, Asked, Average, BINS, BadLevel, BadScores, Begin, By, Choices,
    Created, Design, DesignWish, Estimated, EstimatorName, Fate, FloorChoice, Happened, History, IdOrigin,
    LearnerName, LossMaker, LossName, Maker, Measurable, MethodName, Metric, Named, PoolOrigin,
    QuantileLevel, Reply, RivalOrigin, Score, ScoreName, Scored, Settings, SliceOf, Standing, Standings,
    Step, Study, Subject, Supplied, SuppliedLoss, SuppliedSurrogate, SurrogateChoice, SurrogateMaker,
    SurrogateWish, Times, Told, Transfer, Trial, Tried, UnknownMeasurable, UnknownMetric, UnknownName,
    Verified, View, Wanted, WantedScores,
};
pub use table::{Features, PoolTable};
