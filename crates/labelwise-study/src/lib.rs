//! The middle between the core and every interface: choices, questions and answers, implemented once.
//!
//! A [`Study`] is one evaluation. `spec` and `task` turn names into types, `decide` chooses defaults, `tell` decides
//! what can be told, and `questions` answers every question about labels. A journal keeps the record, in memory or in
//! a file ([`labelwise_file`]); equal choices give equal draws and equal numbers with both.
//!
//! With a journal on file, the label is on disk when [`Study::tell`] returns. No label is ever counted twice, and a draw is
//! never redrawn. An evaluation on disk is one file; continuing it needs no other file.

mod accept;
mod annotations;
mod ask;
mod calibration;
mod columns;
mod create;
mod decide;
pub mod display;
mod doctor;
pub mod elsewhere;
mod error;
mod guess;
mod inputs;
mod journal;
mod judge;
mod links;
mod predicted;
mod prepare;
mod questions;
mod recalibration;
mod refresh_point;
mod remarks;
mod replay;
mod rivals;
pub mod simulate;
mod spec;
mod study;
mod task;
mod tell;
mod timestamp;
mod told_before;
mod verify;

pub use labelwise_file::{Error as FileError, IgnoredLog};
pub use labelwise_pool::{
    CellFault, ClassNumbers, Column, ColumnNames, Error as PoolError, Features, Fingerprint, Format, Guess,
    Ids, JudgeColumn, JudgedColumns, Labels, LikelyColumns, Looks, MatchError, Notation, Place, PoolFiles,
    PoolTable, Predictions, Purpose, Reading, RivalTables, RowError, RowFault, SUM_TOLERANCE, Strings,
    Survey, SurveyedColumn, Unmatched, Values, text,
};
pub use labelwise_sketch::Error as SketchError;

pub use annotations::{Annotation, Heard, Report, Said, SetAside};
pub use ask::Asked;
pub use create::Created;
pub use decide::choices::{Choices, SurrogateWish};
pub use doctor::{Advice, ColumnUse, Examination};
pub use error::{
    AnswerError, ChoiceError, CompareError, DesignError, ElsewhereError, Error, JudgeError, LabelWanted,
    MetricError, RefusedAnswer, Result,
};
pub use journal::Counts;
pub use journal::record::Fate;
pub use judge::{
    Applied, AppliedRate, GroupChoice, JudgeChoice, JudgeKind, JudgeOrigin, Misjudgement, PairChoice,
    PairVerdict, SystemRate, Worth,
};
pub use links::Link;
pub use questions::agreement::{Agreement, Disagreement, HumanAgreement, PairAgreement};
pub use questions::answers::{AnswerOptions, Answered, basis_in_words};
pub use questions::compare::{Standing, Standings};
pub use questions::course::{CourseOptions, ScoreCourse, ScoreStep};
pub use questions::estimate::{EstimateOptions, Estimated};
pub use questions::metrics::BINS;
pub use questions::planning::{GoalPlan, LabelPlan, PlanGoals, WidthPlan};
pub use questions::reuse::Transfer;
pub use questions::score_transfer::{OnSharedLabels, ScoreTransfer};
pub use questions::scored::{MetricOptions, Scored};
pub use questions::slices::SliceOf;
pub use questions::threshold::Checked;
pub use questions::waiting::WithoutLabel;
pub use remarks::{Guide, Look, Opinion};
pub use replay::Step;
pub use spec::design::{Design, DesignWish};
pub use spec::measurable::{Average, Measurable, Score, ScoreName, UnknownMeasurable};
pub use spec::metric::{BadLevel, LossName, Metric, QuantileLevel, UnknownMetric, View};
pub use spec::named::{Named, NamedChoice, UnknownName};
pub use spec::names::{
    AcquisitionName, BadScores, BeliefName, DesignName, Dialect, EstimatorName, LearnerName, MethodName,
    OpinionRule, RecipeName,
};
pub use spec::settings::{FloorChoice, IdOrigin, PoolOrigin, RivalOrigin, Settings, SurrogateChoice, Times};
pub use spec::share::{BadShare, Share};
pub use spec::subject::Subject;
pub use spec::supplied::{LossMaker, Supplied, SuppliedLoss, SuppliedSurrogate, SurrogateMaker};
pub use study::{Author, DrawRecord, EventRecord, Study};
pub use tell::{Answer, PartialTellResult, Reply, TellResult};
pub use timestamp::{moment, now};
pub use verify::Verified;
