//! Every error, as its reader sees it.

use labelwise_plot::{Axis, Band, Cells, Figure, Line, Panel, Points, png};

fn refused(figure: &Figure) -> String {
    figure.svg().unwrap_err().to_string()
}

fn second(panel: Panel) -> String {
    refused(&Figure::new("f").panel(Panel::new()).panel(panel))
}

#[test]
fn figures() {
    insta::assert_snapshot!(refused(&Figure::new("f")), @r#"figure "f" has no panels; give it at least one with `Figure::panel`"#);
    insta::assert_snapshot!(refused(&Figure::new("1 a").panel(Panel::new())), @r#""1 a" cannot be a figure's id; begin it with an ASCII letter and go on with letters, digits, - and _"#);
    insta::assert_snapshot!(refused(&Figure::new("").panel(Panel::new())), @r#""" cannot be a figure's id; begin it with an ASCII letter and go on with letters, digits, - and _"#);
    insta::assert_snapshot!(refused(&Figure::new("f").panel(Panel::new()).columns(0)), @r#"figure "f" has a grid of 0 columns; give `Figure::columns` at least 1"#);
    insta::assert_snapshot!(refused(&Figure::new("f").panel(Panel::new()).panel_size(f64::NAN, 5.0)), @"panels cannot be NaN by 5 pixels; give both sides between 20 and 10000");
}

#[test]
fn marks() {
    insta::assert_snapshot!(second(Panel::new().add(Line::new([1.0, 2.0], [1.0]))), @"a line in panel 2 has coordinates of different lengths (x: 2, y: 1); give one of each for every point");
    insta::assert_snapshot!(second(Panel::new().add(Band::new([1.0], [1.0], []))), @"a band in panel 2 has coordinates of different lengths (x: 1, high: 0); give one of each for every point");
    insta::assert_snapshot!(second(Panel::new().add(Points::new([1.0], [1.0]).size(f64::NAN))), @"a set of points in panel 2 has a size of NaN pixels; give a number above 0, at most 1000");
    insta::assert_snapshot!(second(Panel::new().add(Cells::new((0.0, 1.0), (0.0, 1.0), 2, [0.1, 0.2, 0.3]))), @"cells in panel 2 have 3 values in rows of 2; give whole rows, at least one");
}

#[test]
fn ranges() {
    insta::assert_snapshot!(second(Panel::new().x(Axis::new("").range(1.0, 1.0))), @"the x range of panel 2 is 1 to 1; give two finite numbers, the smaller first");
    insta::assert_snapshot!(second(Panel::new().y(Axis::new("").range(f64::NAN, 1.0))), @"the y range of panel 2 is NaN to 1; give two finite numbers, the smaller first");
    insta::assert_snapshot!(second(Panel::new().y(Axis::log("").range(0.0, 1.0))), @"the y range of panel 2 begins at 0, which has no logarithm; begin above 0 or use a linear axis");
}

#[test]
fn pictures() {
    let svg = Figure::new("f").panel(Panel::new()).svg().unwrap();
    insta::assert_snapshot!(png("<html", 1.0).unwrap_err(), @"the SVG cannot be read: SVG data parsing failed cause the document does not have a root node");
    insta::assert_snapshot!(png(&svg, -1.0).unwrap_err(), @"a picture of 345 by 219 pixels at scale -1 cannot be made; choose a scale that gives between 1 and 20000 pixels a side");
    insta::assert_snapshot!(png(&svg, f32::INFINITY).unwrap_err(), @"a picture of 345 by 219 pixels at scale inf cannot be made; choose a scale that gives between 1 and 20000 pixels a side");
}
