//! Where ticks are, and what stands at them: round numbers, as many as have room.

mod linear;
mod log;
mod number;

use crate::axis::{Axis, Scale};
use crate::frame::Projection;

/// One tick: its value, and its label where it has one. Ticks without a label are short and have no grid line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: Option<String>,
}

/// Below this many labels a scale is hard to read.
const FEW: usize = 3;

/// The ticks of an axis, with about `most` labels. `fits` says whether labels stand clear of each other.
pub(crate) fn ticks(
    axis: &Axis,
    shown: Projection,
    most: usize,
    fits: impl Fn(&[Tick]) -> bool,
) -> Vec<Tick> {
    let Projection { low, high, .. } = shown;
    let candidates = |wanted: usize| match axis.scale {
        Scale::Linear => linear::ticks(low, high, wanted, axis.integer),
        Scale::Log => log::ticks(low, high, wanted),
    };
    let most = most.max(1);
    let spacious = (1..=most).rev().map(candidates).find(|ticks| fits(ticks));
    if let Some(ticks) = spacious.as_ref().filter(|ticks| labels(ticks) >= FEW) {
        return ticks.clone();
    }
    // Steps of 1, 2 and 5 can leave too few labels; then they may stand closer.
    let closer = (most + 1..=3 * most).map(candidates).find(|ticks| labels(ticks) >= FEW && fits(ticks));
    closer.or(spacious).unwrap_or_else(|| candidates(1))
}

fn labels(ticks: &[Tick]) -> usize {
    ticks.iter().filter(|tick| tick.label.is_some()).count()
}
