//! Calibration and blending: worth more than the choice of learner. A surrogate's probabilities decide both where to
//! look and what to expect there, and those of most learners are more, or less, sure than they should be.

mod blended;
mod calibrated;
mod defaults;
mod temperature;

pub use blended::{Blended, TemperedBeliefs};
pub use calibrated::{Calibrated, CrossFitted, OutOfSample};
pub use defaults::default_surrogate;
pub use temperature::Temperature;
