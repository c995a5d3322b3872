//! What charts look like, measured on their SVG and their pixels.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

mod edges;
mod errors;
mod gallery;
mod structure;

#[path = "../../examples/gallery/curves.rs"]
mod curves;
#[path = "../../examples/gallery/scenes.rs"]
mod scenes;

use labelwise_plot::{Figure, Panel};

/// The SVG of one panel.
fn draw(panel: Panel) -> String {
    Figure::new("f").panel(panel).svg().unwrap()
}

/// The `d` of the first path whose attributes contain a text.
fn path(svg: &str, attribute: &str) -> Option<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let matching = |node: &roxmltree::Node<'_, '_>| {
        node.has_tag_name("path")
            && node.attributes().any(|a| format!("{}={}", a.name(), a.value()) == attribute)
    };
    let found = document.descendants().find(matching);
    found.and_then(|node| node.attribute("d").map(str::to_owned))
}

/// All texts, in the order in which they are drawn.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let elements = document.descendants().filter(|node| node.has_tag_name("text"));
    let words = |element: roxmltree::Node<'_, '_>| {
        element
            .descendants()
            .filter(roxmltree::Node::is_text)
            .filter_map(|node| node.text().map(str::to_owned))
            .collect()
    };
    elements.map(words).collect()
}
