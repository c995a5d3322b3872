//! Data that have gaps, no range, or no place on the axis.

use labelwise_plot::{Axis, Band, Bars, Cells, Colour, Line, Panel, Points, Rule, Scale, Stems};

use crate::{draw, path};

const BLUE: &str = "stroke=#0072B2";

fn count(d: &str, command: char) -> usize {
    d.chars().filter(|c| *c == command).count()
}

#[test]
fn a_line_breaks_at_gaps() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let y = [1.0, 2.0, f64::NAN, 1.0, 2.0, f64::INFINITY, 1.0];
    let svg = draw(Panel::new().add(Line::new(x, y).colour(Colour::Blue)));
    let d = path(&svg, BLUE).unwrap();
    // Two stretches of two points, and one point that is a dot of its own.
    assert_eq!((count(&d, 'M'), count(&d, 'L')), (3, 2));
    assert_eq!(count(&path(&svg, "fill=#0072B2").unwrap(), 'a'), 2);
}

#[test]
fn a_line_breaks_where_there_is_no_logarithm() {
    let line = |y: [f64; 4]| Line::new([0.0, 1.0, 2.0, 3.0], y).colour(Colour::Blue);
    let panel = Panel::new().y(Axis::log("")).add(line([1.0, 0.1, -0.5, 0.01]));
    let d = path(&draw(panel), BLUE).unwrap();
    assert_eq!((count(&d, 'M'), count(&d, 'L')), (2, 1));
    let panel = Panel::new().y(Axis::log("")).add(line([0.0, -1.0, f64::NEG_INFINITY, f64::NAN]));
    assert_eq!(path(&draw(panel), BLUE), None);
}

#[test]
fn a_band_without_a_logarithm_reaches_the_bottom() {
    let band = Band::new([0.0, 1.0, 2.0], [-1.0, 0.1, 0.0], [1.0, 1.0, 1.0]).colour(Colour::Blue);
    let panel = Panel::new().x(Axis::new("").range(0.0, 2.0)).y(Axis::log("").range(0.01, 1.0)).add(band);
    let svg = labelwise_plot::Figure::new("f").panel_size(100.0, 100.0).panel(panel).svg().unwrap();
    // Three corners above from left to right, and back along the lower edge: bottom, middle, bottom.
    let d = path(&svg, BLUE).unwrap();
    let heights: Vec<f64> = d
        .trim_matches(['M', 'Z'])
        .split('L')
        .map(|pair| pair.split_once(' ').unwrap().1.parse().unwrap())
        .collect();
    let top = heights[0];
    let below: Vec<f64> = heights.iter().map(|y| y - top).collect();
    assert_eq!(below, [0.0, 0.0, 0.0, 100.0, 50.0, 100.0]);
}

#[test]
fn points_on_the_edge_are_whole_and_those_outside_are_left_out() {
    let points = Points::new([0.0, 0.5, 1.0, 1.5], [0.0, 2.0, 1.0, 0.5]).colour(Colour::Blue);
    let panel = Panel::new().x(Axis::new("").range(0.0, 1.0)).y(Axis::new("").range(0.0, 1.0)).add(points);
    let svg = draw(panel);
    assert_eq!(count(&path(&svg, "fill=#0072B2").unwrap(), 'M'), 2);
    let cut = svg.find("<g clip-path").unwrap()..svg.find("</g>").unwrap();
    assert!(!svg[cut].contains("#0072B2"));
}

#[test]
fn lines_are_cut_at_a_fixed_range() {
    let svg = draw(Panel::new().y(Axis::new("").range(0.0, 1.0)).add(Line::new([0.0, 1.0], [-1e308, 1e18])));
    assert!(svg.contains(r##"<g clip-path="url(#f-clip-1)">"##));
    assert_numbers(&svg);
}

#[test]
fn no_data_and_no_range_are_drawn() {
    let marks = |x: &[f64], y: &[f64]| {
        let mut panel = Panel::new().add(Rule::horizontal(f64::NAN)).add(Rule::vertical(0.0).note("zero"));
        panel = panel.add(Line::new(x, y)).add(Band::new(x, y, y)).add(Points::new(x, y));
        panel.add(Stems::new(x, y)).add(Bars::new(x, y, 0.0))
    };
    let nan = f64::NAN;
    let columns: [(&[f64], &[f64]); 9] = [
        (&[], &[]),
        (&[0.0], &[0.0]),
        (&[5.0], &[-3.0]),
        (&[nan], &[nan]),
        (&[1.0, 1.0], &[2.0, 2.0]),
        (&[1e-320, 2e-320], &[1e-320, 2e-320]),
        (&[-1e308, 1e308], &[1e308, -1e308]),
        (&[1e300, -1e300], &[1e-300, 1e300]),
        (&[1e15, 1e15 + 0.125], &[1.0, 1.0 + f64::EPSILON]),
    ];
    for (x, y) in columns {
        for (x_scale, y_scale) in
            [(Scale::Linear, Scale::Linear), (Scale::Linear, Scale::Log), (Scale::Log, Scale::Log)]
        {
            let panel = marks(x, y).x(Axis::new("x").scale(x_scale)).y(Axis::new("y").scale(y_scale));
            assert_numbers(&draw(panel));
        }
    }
    assert_numbers(&draw(Panel::new()));
    assert_numbers(&draw(Panel::new().add(Cells::new((1.0, 1.0), (nan, 2.0), 1, [0.5, nan]))));
}

/// The document is XML, its attributes have no NaN or infinity, and no coordinate is out of reach.
fn assert_numbers(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap();
    for attribute in document.descendants().flat_map(|node| node.attributes()) {
        let (name, value) = (attribute.name(), attribute.value());
        if value.starts_with('#') || ["id", "font-family", "clip-path", "aria-labelledby"].contains(&name) {
            continue;
        }
        assert!(!value.contains("NaN") && !value.contains("inf"), "{name}={value}");
        for number in
            value.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|part| part.parse::<f64>().is_ok())
        {
            assert!(number.parse::<f64>().unwrap() <= 2e4, "{name}={value}");
        }
    }
}

#[test]
fn cells_lie_lowest_and_fill_the_panel() {
    let panel = Panel::new().add(Points::new([0.5], [0.5]).colour(Colour::Blue)).add(Cells::new(
        (0.0, 1.0),
        (0.0, 1.0),
        2,
        [0.0, 0.0, 1.0, f64::NAN],
    ));
    let svg = labelwise_plot::Figure::new("f").panel_size(100.0, 100.0).panel(panel).svg().unwrap();
    // The lower row is one blue rectangle of the panel's width, the upper one half an orange one.
    assert!(svg.contains(r##"width="100" height="50" fill="#8CBEE2""##));
    assert!(svg.contains(r##"width="50" height="50" fill="#F4BE7C""##));
    assert!(svg.find("#8CBEE2").unwrap() < svg.find("#0072B2").unwrap());
    assert_eq!(svg.matches("shape-rendering").count(), 1);
}

#[test]
fn bars_and_stems_stand_on_the_axis() {
    for panel in [
        Panel::new().add(Bars::new([1.0, 2.0], [3.0, 4.0], 1.0)),
        Panel::new().add(Stems::new([1.0, 2.0], [3.0, 4.0])),
    ] {
        let texts = crate::texts(&draw(panel));
        // The first number of the vertical axis is zero, with no negative room below it.
        assert!(
            texts.contains(&"0".to_owned()) && !texts.iter().any(|text| text.starts_with('−')),
            "{texts:?}"
        );
    }
}
