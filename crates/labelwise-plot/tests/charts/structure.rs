//! The SVG as a document: exact text, names for those who hear it, ids, the legend.

use labelwise_plot::{Axis, Band, Colour, Figure, Legend, Line, Panel, Points};

use crate::{draw, texts};

#[test]
fn a_small_figure() {
    let panel = Panel::new()
        .title("R̂ < R")
        .x(Axis::new("m").range(0.0, 2.0).integer())
        .y(Axis::new("R̂_{i}").range(0.0, 1.0))
        .add(Line::new([0.0, 1.0, 2.0], [1.0, 0.25, 0.0]).colour(Colour::Blue).label("a"));
    let svg = Figure::new("small").panel_size(60.0, 40.0).panel(panel).svg().unwrap();
    insta::assert_snapshot!(svg);
}

#[test]
fn equal_figures_are_equal_text() {
    assert_eq!(crate::curves::bias().svg().unwrap(), crate::curves::bias().svg().unwrap());
}

#[test]
fn text_is_escaped_everywhere() {
    let nasty = "<b> & \"q\" \u{7}";
    let panel = Panel::new()
        .title(nasty)
        .x(Axis::new(nasty))
        .y(Axis::new(format!("{nasty}R̂")))
        .add(Points::new([1.0], [1.0]).label(nasty));
    let svg = Figure::new("f").title(nasty).description(nasty).panel(panel).svg().unwrap();
    assert_eq!(texts(&svg).iter().filter(|text| *text == "<b> & \"q\" \u{FFFD}").count(), 5);
}

#[test]
fn a_figure_can_be_heard() {
    let panel = |title| Panel::new().title(title).x(Axis::new("m")).y(Axis::log("10^{−3} R̂_{LURE}"));
    let figure =
        Figure::new("f").panel(panel("A")).panel(panel("").add(Line::new([1.0], [1.0]).label("x_{1}")));
    let svg = figure.svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert_eq!(root.attribute("aria-labelledby"), Some("f-title f-desc"));
    let told = |name: &str| {
        root.children().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name))).unwrap()
    };
    assert_eq!(told("title").text(), Some("A"));
    let description = "Panel 1, A: 10^−3 R̂ LURE against m. Panel 2: 10^−3 R̂ LURE against m. Shown are x 1.";
    assert_eq!(told("desc").text(), Some(description));
}

#[test]
fn ids_begin_with_that_of_the_figure_and_are_used() {
    let svg = crate::curves::bias().svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let mut ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    assert_eq!(ids.len(), 2 + 6);
    assert!(ids.iter().all(|id| id.starts_with("bias-")));
    let clips = document.descendants().filter_map(|node| node.attribute("clip-path"));
    for clip in clips {
        assert!(ids.contains(&clip.trim_start_matches("url(#").trim_end_matches(')')), "{clip}");
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8);
}

#[test]
fn a_label_stands_once_in_the_legend_in_the_order_of_first_use() {
    let line = |label: &str| Line::new([0.0, 1.0], [0.0, 1.0]).label(label);
    let panel = || {
        let band = Band::new([0.0, 1.0], [0.0, 1.0], [1.0, 2.0]).label("second");
        Panel::new()
            .x(Axis::new("").without_numbers())
            .y(Axis::new("").without_numbers())
            .add(line("first"))
            .add(band)
    };
    let figure = Figure::new("f").panel(panel()).panel(panel().add(line("third")).add(line("second")));
    assert_eq!(texts(&figure.clone().svg().unwrap()), ["first", "second", "third"]);
    assert_eq!(texts(&figure.clone().legend(Legend::Above).svg().unwrap()), ["first", "second", "third"]);
    assert!(texts(&figure.legend(Legend::Hidden).svg().unwrap()).is_empty());
}

#[test]
fn panels_have_letters() {
    let mut figure = Figure::new("f").columns(9).panel_size(20.0, 20.0).letters();
    for _ in 0..27 {
        figure = figure.panel(Panel::new());
    }
    let letters: Vec<String> =
        texts(&figure.svg().unwrap()).into_iter().filter(|text| text.starts_with('(')).collect();
    assert_eq!(letters.len(), 27);
    assert_eq!([&letters[0], &letters[25], &letters[26]], ["(a)", "(z)", "(27)"]);
}

#[test]
fn numbers_stand_at_the_axes() {
    let svg = draw(Panel::new().x(Axis::new("x").range(0.0, 100.0)).y(Axis::log("y").range(1e-3, 1.0)));
    let expected = ["0", "20", "40", "60", "80", "100", "10−3", "10−2", "10−1", "100", "x", "y"];
    assert_eq!(texts(&svg), expected);
}
