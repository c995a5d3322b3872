//! Pictures from SVG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::Error;
use crate::font;

/// The most pixels on a side.
const LARGEST: f32 = 20_000.0;

/// An SVG as PNG, `scale` pixels to each unit; 2 suits screens, 3 or 4 print. Text is set in the bundled font.
///
/// # Errors
///
/// The text is not SVG, or the picture would have less than one or more than 20000 pixels on a side.
///
/// ```
/// use labelwise_plot::{Figure, Panel, png};
/// let svg = Figure::new("empty").panel(Panel::new()).svg()?;
/// assert!(png(&svg, 1.0)?.starts_with(b"\x89PNG"));
/// assert!(png(&svg, 0.0).is_err());
/// # Ok::<(), labelwise_plot::Error>(())
/// ```
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, Error> {
    let options = Options { font_family: "Inter".to_owned(), fontdb: font::database(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|source| Error::Svg { source })?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let impossible = Error::PictureSize { width, height, scale };
    let side = |length: f32| Some((length * scale).round()).filter(|side| (1.0..=LARGEST).contains(side));
    let Some((columns, rows)) = side(width).zip(side(height)) else { return Err(impossible) };
    let Some(mut picture) = Pixmap::new(columns as u32, rows as u32) else { return Err(impossible) };
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| Error::Png { source: error.into() })
}
