//! The contracts of estimators, acquisitions and surrogates as checks to run on your own.
//!
//! ```
//! use labelwise::conformance::check_estimator;
//! check_estimator(&labelwise::Lure)?;
//! check_estimator(&labelwise::estimator::RegressionLure)?;
//! # Ok::<(), labelwise::conformance::Violation>(())
//! ```

mod acquisition;
mod estimator;
mod paths;
mod surrogate;

pub use acquisition::check_acquisition;
pub use estimator::check_estimator;
use paths::every_repeated_path;
pub use paths::{Path, every_path};
pub use surrogate::check_surrogate;

/// A law that does not hold, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{law}: {found}")]
pub struct Violation {
    /// The law.
    pub law: &'static str,
    /// What was found instead.
    pub found: String,
}

/// Refuses what does not hold.
fn hold(law: &'static str, holds: bool, found: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation { law, found: found() }) }
}

/// What went wrong in a call that should have gone well.
fn failed(law: &'static str) -> impl Fn(crate::Error) -> Violation {
    move |error| Violation { law, found: format!("an error: {error}") }
}
