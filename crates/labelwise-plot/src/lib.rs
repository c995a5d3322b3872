//! The charts of labelwise: a few kinds of marks on axes, in grids of panels, as SVG and PNG.
//!
//! A [`Figure`] is a grid of [`Panel`]s with one legend. A panel has two axes and marks: [`Line`], [`Band`],
//! [`Points`], [`Stems`], [`Bars`], [`Rule`], [`Cells`] and [`Words`]. Marks that have the same label, in one panel or in several,
//! share one entry of the legend. [`Figure::svg`] writes the figure, and [`png`] turns it into pixels with a bundled
//! font, so that every machine draws the same picture.
//!
//! ```
//! use labelwise_plot::{Axis, Band, Colour, Dash, Figure, Line, Panel, Rule, png};
//!
//! let m = [1.0, 2.0, 3.0, 4.0];
//! let panel = Panel::new()
//!     .title("Gaussian process")
//!     .x(Axis::new("Number of acquired points").integer())
//!     .y(Axis::new("R̂_{LURE} − R̂"))
//!     .add(Rule::horizontal(0.0))
//!     .add(Band::new(m, [-0.3, -0.2, -0.1, -0.05], [0.3, 0.2, 0.1, 0.05]).colour(Colour::Orange))
//!     .add(Line::new(m, [0.02, -0.01, 0.01, 0.0]).colour(Colour::Orange).dash(Dash::Dashed).label("LURE"));
//! let svg = Figure::new("bias").panel(panel).svg()?;
//! let picture = png(&svg, 2.0)?;
//! assert!(picture.starts_with(b"\x89PNG"));
//! # Ok::<(), labelwise_plot::Error>(())
//! ```
//!
//! # Text
//!
//! Titles and labels have a tiny markup: `_{…}` sets below the line and `^{…}` above it, and a letter followed by a
//! combining hat, tilde or bar (as in `R̂`, U+0302) wears a drawn one, which sits well in any font. Greek and signs such
//! as − × ± ≤ ℓ are in the bundled font; letters of other scripts show in browsers, but not in PNGs.
//!
//! # Numbers without a place
//!
//! Lines and bands break at values that are not finite, and points there are left out. On a logarithmic axis the same
//! holds for values that are not positive. What lies outside of a fixed range is cut off.

mod axis;
mod colour;
mod error;
mod extent;
mod figure;
mod font;
pub mod format;
mod frame;
mod layout;
mod legend;
mod mark;
mod panel;
mod plot;
mod png;
mod svg;
mod text;
mod ticks;

pub use axis::{Axis, Scale};
pub use colour::Colour;
pub use error::Error;
pub use figure::{Figure, Legend};
pub use mark::{Band, Bars, Cells, Dash, Line, Mark, Points, Rule, Shape, Stems, Words};
pub use panel::Panel;
pub use png::png;
