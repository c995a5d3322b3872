//! The bundled font: a subset of Inter in two weights, and the widths of its letters.
//!
//! Texts are set with it in PNG on any machine. An SVG names it first and the fonts of the system after it.

use std::sync::{Arc, OnceLock};

use resvg::usvg::fontdb::{Database, Source};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

static REGULAR: &[u8] = include_bytes!("../font/Inter-Regular.otf");
static SEMIBOLD: &[u8] = include_bytes!("../font/Inter-SemiBold.otf");

/// The fonts that an SVG asks for, in this order.
pub(crate) const FAMILY: &str = "Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif";

/// How wide a letter is taken to be that the bundled font does not have, in em.
const UNKNOWN: f64 = 0.65;

/// How heavy letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Semibold,
}

impl Weight {
    /// The attribute of an SVG text, with a space before it where there is one.
    pub(crate) const fn attribute(self) -> &'static str {
        match self {
            Self::Regular => "",
            Self::Semibold => r#" font-weight="600""#,
        }
    }

    const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Regular => REGULAR,
            Self::Semibold => SEMIBOLD,
        }
    }
}

/// The width of a text without markup, in pixels. Kerning is left out: it moves a label by less than a pixel.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let font = FontRef::new(weight.bytes()).ok();
    let Some(font) = font else { return text.chars().count() as f64 * UNKNOWN * size };
    let letters = font.charmap();
    let advances = font.glyph_metrics(Size::unscaled(), LocationRef::default());
    let units = f64::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em);
    let em = |c: char| {
        letters
            .map(c)
            .and_then(|glyph| advances.advance_width(glyph))
            .map_or(UNKNOWN, |advance| f64::from(advance) / units)
    };
    text.chars().map(em).sum::<f64>() * size
}

/// The fonts that PNGs are set with: the bundled ones and no others, so that every machine draws the same picture.
pub(crate) fn database() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        for bytes in [REGULAR, SEMIBOLD] {
            fonts.load_font_source(Source::Binary(Arc::new(bytes)));
        }
        fonts.set_sans_serif_family("Inter");
        Arc::new(fonts)
    });
    Arc::clone(fonts)
}

#[cfg(test)]
mod tests {
    use super::{FontRef, MetadataProvider, Weight, database, width};

    #[test]
    fn both_weights_have_the_signs_of_the_paper() {
        for weight in [Weight::Regular, Weight::Semibold] {
            let font = FontRef::new(weight.bytes()).unwrap();
            let letters = font.charmap();
            for sign in "RΩαβγδεθλμπρστφχω−×±ℓ·≤≥≈∞→²°ü%".chars() {
                assert!(letters.map(sign).is_some(), "{weight:?} has no {sign}");
            }
        }
    }

    #[test]
    fn widths_are_those_of_the_font() {
        // Inter's zero is 1760 of 2816 units wide.
        assert!((width("00", 10.0, Weight::Regular) - 2.0 * 10.0 * 1760.0 / 2816.0).abs() < 1e-3);
        assert!(width("Title", 10.0, Weight::Semibold) > width("Title", 10.0, Weight::Regular));
        assert!((width("漢", 10.0, Weight::Regular) - 6.5).abs() < 1e-9);
    }

    #[test]
    fn the_database_has_one_family() {
        let fonts = database();
        assert_eq!(fonts.len(), 2);
        assert!(fonts.faces().all(|face| face.families.iter().any(|(name, _)| name == "Inter")));
    }
}
