//! The gallery, read back: labels stand clear of each other and inside the page, and pictures show something.

use std::sync::Arc;

use labelwise_plot::{Figure, png};
use resvg::tiny_skia::{Pixmap, Rect};
use resvg::usvg::{Group, Node, Options, Tree, fontdb::Database};

use crate::{curves, scenes};

fn gallery() -> [Figure; 7] {
    [
        curves::bias(),
        curves::median(),
        curves::grid(),
        scenes::step(),
        scenes::classifier(),
        scenes::shapes(),
        scenes::edges(),
    ]
}

fn read(svg: &str) -> Tree {
    let mut fonts = Database::new();
    fonts.load_font_data(include_bytes!("../../font/Inter-Regular.otf").to_vec());
    fonts.load_font_data(include_bytes!("../../font/Inter-SemiBold.otf").to_vec());
    Tree::from_str(svg, &Options { fontdb: Arc::new(fonts), ..Options::default() }).unwrap()
}

/// The boxes of all texts, with the words.
fn boxes(group: &Group, found: &mut Vec<(String, Rect)>) {
    for node in group.children() {
        match node {
            Node::Group(group) => boxes(group, found),
            Node::Text(text) => {
                let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
                found.push((words, text.abs_bounding_box()));
            }
            _ => {}
        }
    }
}

/// Whether two boxes share more than a hair.
fn overlap(a: &Rect, b: &Rect) -> bool {
    let hair = 1.0;
    a.left() + hair < b.right()
        && b.left() + hair < a.right()
        && a.top() + hair < b.bottom()
        && b.top() + hair < a.bottom()
}

#[test]
fn labels_stand_clear_and_inside() {
    for figure in gallery() {
        let tree = read(&figure.svg().unwrap());
        let mut texts = Vec::new();
        boxes(tree.root(), &mut texts);
        assert!(texts.len() > 10);
        for (i, (words, place)) in texts.iter().enumerate() {
            let inside = place.left() >= 0.0
                && place.top() >= 0.0
                && place.right() <= tree.size().width()
                && place.bottom() <= tree.size().height();
            assert!(inside, "\"{words}\" is cut off at {place:?}");
            for (others, other) in &texts[i + 1..] {
                assert!(!overlap(place, other), "\"{words}\" at {place:?} meets \"{others}\" at {other:?}");
            }
        }
    }
}

#[test]
fn long_labels_make_room() {
    use labelwise_plot::{Axis, Line, Panel};
    let long = "a label that is much longer than the panel it stands at";
    let panel = || {
        let line = Line::new([0.0, 1.0], [1e-7, 3e-7]).label(format!("{long} and in the legend"));
        Panel::new().title(long).x(Axis::new(long)).y(Axis::new(long)).add(line)
    };
    let figure = Figure::new("f").title(format!("{long}, {long}, {long}")).columns(2).panel_size(40.0, 30.0);
    let tree = read(&figure.panel(panel()).panel(panel()).panel(panel()).svg().unwrap());
    let mut texts = Vec::new();
    boxes(tree.root(), &mut texts);
    for (i, (words, place)) in texts.iter().enumerate() {
        assert!(place.left() >= 0.0 && place.right() <= tree.size().width(), "{words}: {place:?}");
        assert!(place.top() >= 0.0 && place.bottom() <= tree.size().height(), "{words}: {place:?}");
        for (others, other) in &texts[i + 1..] {
            assert!(!overlap(place, other), "\"{words}\" at {place:?} meets \"{others}\" at {other:?}");
        }
    }
}

#[test]
fn pictures_have_the_size_and_the_colours_of_their_figures() {
    let svg = curves::median().svg().unwrap();
    let size = read(&svg).size();
    for scale in [0.5, 1.0, 2.0] {
        let picture = Pixmap::decode_png(&png(&svg, scale).unwrap()).unwrap();
        assert_eq!(picture.width(), (size.width() * scale).round() as u32);
        assert_eq!(picture.height(), (size.height() * scale).round() as u32);
    }
    let picture = Pixmap::decode_png(&png(&svg, 2.0).unwrap()).unwrap();
    let has =
        |rgb: [u8; 3]| picture.pixels().iter().filter(|p| [p.red(), p.green(), p.blue()] == rgb).count();
    // White paper, and some pixels of the blue and the orange curve.
    assert!(has([255, 255, 255]) > picture.pixels().len() / 2);
    assert!(has([0x00, 0x72, 0xB2]) > 500);
    assert!(has([0xE6, 0x9F, 0x00]) > 500);
}

#[test]
fn text_is_drawn_without_fonts_of_the_system() {
    let picture = |title: &str| {
        let figure = Figure::new("f").title(title).panel(labelwise_plot::Panel::new());
        Pixmap::decode_png(&png(&figure.svg().unwrap(), 1.0).unwrap()).unwrap()
    };
    let dark = |picture: &Pixmap| picture.pixels().iter().filter(|pixel| pixel.red() < 100).count();
    let (without, with) = (picture(" "), picture("Ω ℓ R̂"));
    assert!(dark(&with) > dark(&without) + 50, "{} {}", dark(&with), dark(&without));
}
