//! Pool files: the predictions of the model under test, read into checked columns.
//!
//! A file is read once, in columns, and only the columns that are needed; numbers in f32 stay f32.
//!
//! ```
//! use labelwise::Pool;
//! use labelwise_pool::{PoolTable, Predictions, Reading};
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
//! Steps: the [`Format`] from the file's contents, or from its name; the columns (one reader per format); the wanted ones ([`Reading`]);
//! their values, read into tables; checks of every row. One error names the first five invalid rows.

mod assemble;
mod block;
mod class_columns;
mod column;
mod column_names;
mod content;
mod error;
mod families;
mod files;
mod fingerprint;
mod format;
mod history_files;
mod ids;
mod judged;
mod labels;
mod limits;
mod numbers;
mod offences;
mod one_column;
mod pairs;
mod predictions;
mod reading;
mod rivals;
mod source;
mod spread;
mod stack;
mod strings;
mod survey;
mod table;
pub mod text;

pub use column::Column;
pub use column_names::ColumnNames;
pub use error::{CellFault, Error, MatchError, Purpose, Result, RowError, RowFault};
pub use families::LikelyColumns;
pub use files::{Carried, FilePart, PoolFiles};
pub use fingerprint::Fingerprint;
pub use format::Format;
pub use ids::Ids;
pub use judged::{JudgeColumn, JudgedColumns};
pub use labels::Labels;
pub use numbers::{ClassNumbers, Guess, Looks, Notation};
pub use offences::Place;
pub use pairs::SecondSystem;
pub use predictions::{Predictions, SUM_TOLERANCE, rearranged};
pub use reading::Reading;
pub use rivals::{RivalTables, Unmatched, arranged};
pub use strings::Strings;
pub use survey::{Survey, SurveyedColumn, Values};
pub use table::{Features, PoolTable};
