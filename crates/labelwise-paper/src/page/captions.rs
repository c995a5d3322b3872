//! How to read a picture, for someone who has not read the paper.

use maud::PreEscaped;

use crate::figure::Picture;

/// A sentence or two for each kind of panel in the picture, in the order of their first appearance.
pub(super) fn caption(picture: &Picture) -> PreEscaped<String> {
    let mut sentences: Vec<&str> = Vec::new();
    for sentence in picture.panels.iter().map(|panel| panel.shows.caption()) {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    PreEscaped(sentences.join(" "))
}
