//! Before labels: what they will buy. Between them: whether there are enough. After them: why they bought no more.
//!
//! One draw of the proposal has a variance s², and M draws without replacement from N items come to about
//! V(M) = s² (N − M) / (M (N − 1)). The surrogate says what s² should be before there is a label ([`VarianceForecast`]);
//! after that, the labels do ([`LabelForecast::of`]). Everything else here turns this formula round.

mod diagnosis;
mod draw_variance;
mod label_forecast;
mod threshold;
mod uniform;
mod variance_forecast;
mod width;

pub use diagnosis::{Diagnosis, Reason};
pub use draw_variance::{DrawVariance, LabelRange};
pub use label_forecast::{LabelForecast, Source};
pub(crate) use threshold::first_look;
pub use threshold::{Assurance, Decision, Side, Threshold, Verdict};
pub use uniform::UniformSampling;
pub(crate) use variance_forecast::Expected;
pub use variance_forecast::VarianceForecast;
pub use width::{Progress, WidthRule};
