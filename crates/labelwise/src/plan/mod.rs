//! Before labels: what they will buy. Between them: whether there are enough. After them: why they bought no more.
//!
//! One draw of the proposal has a variance s², and M draws without replacement from N items come to about
//! V(M) = s² (N − M) / (M (N − 1)). The surrogate says what s² should be before there is a label ([`Forecast`]); after
//! that, the labels do ([`Prospect::of`]). Everything else here turns this formula round.

mod bar;
mod diagnosis;
mod forecast;
mod needed;
mod spread;
mod uniform;
mod width;

pub(crate) use bar::first_look;
pub use bar::{Assurance, Bar, Decision, Side, Verdict};
pub use diagnosis::{Diagnosis, Reason};
pub(crate) use forecast::Expected;
pub use forecast::Forecast;
pub use needed::{Prospect, Source};
pub use spread::{Labels, Spread};
pub use uniform::UniformSampling;
pub use width::{Progress, WidthRule};
