//! Hats, tildes and bars over letters, drawn as strokes. Combining characters sit badly in many fonts, and a figure
//! cannot know which font a browser will choose.

use crate::svg::{Path, Svg, number};

/// What a letter can wear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accent {
    Hat,
    Tilde,
    Bar,
}

impl Accent {
    /// The accent that a combining character stands for.
    pub(super) const fn of(c: char) -> Option<Self> {
        match c {
            '\u{302}' => Some(Self::Hat),
            '\u{303}' => Some(Self::Tilde),
            '\u{304}' => Some(Self::Bar),
            _ => None,
        }
    }

    /// Draws the accent over a letter whose middle is at `x` and whose baseline is at `y`.
    pub(super) fn draw(self, letter: char, (x, y): (f64, f64), size: f64, fill: &str, svg: &mut Svg) {
        let foot = y - size * (top(letter) + 0.075);
        let (half, rise) = (0.2 * size, 0.14 * size);
        let mut path = Path::default();
        match self {
            Self::Hat => path.to(x - half, foot).line(x, foot - rise).line(x + half, foot),
            Self::Bar => path.to(x - 1.2 * half, foot - 0.3 * rise).line(x + 1.2 * half, foot - 0.3 * rise),
            Self::Tilde => {
                let (low, middle, high) = (foot + 0.1 * rise, foot - 0.4 * rise, foot - 0.9 * rise);
                path.to(x - 1.2 * half, low)
                    .command('Q', &[x - 0.6 * half, high - 0.4 * rise, x, middle])
                    .command('T', &[x + 1.2 * half, high])
            }
        };
        let width = number(0.075 * size);
        svg.path(&path, &format!(r#"fill="none" stroke="{fill}" stroke-width="{width}""#));
    }
}

/// The height of a letter in em: that of an x, or that of a capital.
fn top(letter: char) -> f64 {
    if "acegmnopqrsuvwxyzαγεηικμνοπρςστυφχψω".contains(letter) { 0.546 } else { 0.727 }
}
