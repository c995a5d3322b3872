//! Which colour and dashes a curve has, in every picture.

use labelwise_plot::{Colour, Dash};

use crate::experiment::{Curve, curves};

/// The look of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    pub(super) colour: Colour,
    pub(super) dash: Dash,
}

/// The look of a curve.
pub(super) fn style(curve: Curve) -> Style {
    let (colour, dash) = match curve {
        curves::UNIFORM => (Colour::Vermilion, Dash::Solid),
        curves::PROCESS | curves::FOREST => (Colour::Blue, Dash::Solid),
        curves::PROCESS_IID | curves::FOREST_IID | curves::ENTROPY_IID => (Colour::Grey, Dash::Dotted),
        curves::NETWORK => (Colour::Orange, Dash::Solid),
        curves::ENSEMBLE => (Colour::Purple, Dash::Solid),
        curves::INFORMATION => (Colour::Orange, Dash::DashDot),
        curves::OURS_OWN | curves::OURS_FOREST => (Colour::Green, Dash::Solid),
        curves::OURS_ENSEMBLE => (Colour::Green, Dash::Dashed),
        curves::OURS_NETWORK => (Colour::Green, Dash::DashDot),
        curves::UNCERTAINTY | curves::ENTROPY => (Colour::SkyBlue, Dash::Dashed),
        curves::DISTANCE => (Colour::Orange, Dash::DashDot),
        curves::TRUE_LOSS => (Colour::Black, Dash::Dotted),
        curves::OURS => (Colour::Green, Dash::Solid),
        curves::ARE | curves::ARE_NOVEL => (Colour::Orange, Dash::Solid),
        curves::ARE_REMOVED => (Colour::Yellow, Dash::Solid),
        curves::ARE_REMOVED_IID => (Colour::Black, Dash::Solid),
        curves::ARE_KNOWN | curves::ARE_OPTIMAL_KNOWN => (Colour::Grey, Dash::Solid),
        _ => (Colour::Purple, Dash::Solid),
    };
    Style { colour, dash }
}

/// A curve's name in a legend.
pub(super) fn label(curve: Curve) -> String {
    format!("{}, {}", curve.acquisition, curve.symbol)
}
