//! Text with a little mathematics: `_{…}` sets below the line, `^{…}` above it, and a letter followed by a combining
//! hat, tilde or bar (U+0302, U+0303, U+0304) wears a drawn one.

mod accent;
mod markup;
mod setting;

pub(crate) use markup::plain;
pub(crate) use setting::{Anchor, Style, Text};
