//! The colours of all charts, by name, so that one method looks the same in every figure.

/// The palette of Okabe and Ito, which people with any common colour vision can tell apart, and two greys.
///
/// The same method should have the same colour in all figures; for print without colour, give each colour a
/// [`Dash`](crate::Dash) or a [`Shape`](crate::Shape) of its own too.
///
/// ```
/// use labelwise_plot::Colour;
/// assert_eq!(Colour::Blue.hex(), "#0072B2");
/// assert_eq!(Colour::nth(0), Colour::Blue);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Nearly black, for what is given: data, truth.
    #[default]
    Black,
    /// A middle grey, for references and what has no name.
    Grey,
    /// A light grey, for what is only background.
    LightGrey,
    /// Blue.
    Blue,
    /// Orange.
    Orange,
    /// Bluish green.
    Green,
    /// Vermilion, a red that is not confused with the green.
    Vermilion,
    /// Reddish purple.
    Purple,
    /// Sky blue.
    SkyBlue,
    /// Yellow, a little darkened: it is still too light for thin lines, but good for filled marks.
    Yellow,
}

/// The order in which [`Colour::nth`] hands out colours: neighbours differ in lightness too.
const CYCLE: [Colour; 8] = [
    Colour::Blue,
    Colour::Orange,
    Colour::Green,
    Colour::Vermilion,
    Colour::Purple,
    Colour::SkyBlue,
    Colour::Black,
    Colour::Yellow,
];

impl Colour {
    /// The colour as SVG and CSS write it.
    #[must_use]
    pub const fn hex(self) -> &'static str {
        match self {
            Self::Black => "#1A1A1A",
            Self::Grey => "#7A7A7A",
            Self::LightGrey => "#C4C4C4",
            Self::Blue => "#0072B2",
            Self::Orange => "#E69F00",
            Self::Green => "#009E73",
            Self::Vermilion => "#D55E00",
            Self::Purple => "#CC79A7",
            Self::SkyBlue => "#56B4E9",
            Self::Yellow => "#E5D51F",
        }
    }

    /// A colour for the series at place `i` (from 0), for charts whose series have no colour of their own. After
    /// eight series the colours begin again.
    #[must_use]
    pub fn nth(i: usize) -> Self {
        CYCLE.get(i % CYCLE.len()).copied().unwrap_or_default()
    }
}
