//! Models that learn: what active testing uses as model and as surrogate outside of deep learning, as
//! [`Learner`](labelwise::surrogate::Learner) and [`Model`](labelwise::surrogate::Model) pairs.

mod calibration;
mod ensemble;
mod forest;
mod gp;
mod linear;
mod logistic;
mod varied;

pub use calibration::*;
pub use ensemble::*;
pub use forest::*;
pub use gp::*;
pub use linear::*;
pub use logistic::*;
pub use varied::*;
