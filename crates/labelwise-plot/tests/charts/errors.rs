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
    insta::assert_snapshot!(refused(&Figure::new("f")), @"");
    insta::assert_snapshot!(refused(&Figure::new("1 a").panel(Panel::new())), @"");
    insta::assert_snapshot!(refused(&Figure::new("").panel(Panel::new())), @"");
    insta::assert_snapshot!(refused(&Figure::new("f").panel(Panel::new()).columns(0)), @"");
    insta::assert_snapshot!(refused(&Figure::new("f").panel(Panel::new()).panel_size(f64::NAN, 5.0)), @"");
}

#[test]
fn marks() {
    insta::assert_snapshot!(second(Panel::new().add(Line::new([1.0, 2.0], [1.0]))), @"");
    insta::assert_snapshot!(second(Panel::new().add(Band::new([1.0], [1.0], []))), @"");
    insta::assert_snapshot!(second(Panel::new().add(Points::new([1.0], [1.0]).size(f64::NAN))), @"");
    insta::assert_snapshot!(second(Panel::new().add(Cells::new((0.0, 1.0), (0.0, 1.0), 2, [0.1, 0.2, 0.3]))), @"");
}

#[test]
fn ranges() {
    insta::assert_snapshot!(second(Panel::new().x(Axis::new("").range(1.0, 1.0))), @"");
    insta::assert_snapshot!(second(Panel::new().y(Axis::new("").range(f64::NAN, 1.0))), @"");
    insta::assert_snapshot!(second(Panel::new().y(Axis::log("").range(0.0, 1.0))), @"");
}

#[test]
fn pictures() {
    let svg = Figure::new("f").panel(Panel::new()).svg().unwrap();
    insta::assert_snapshot!(png("<html", 1.0).unwrap_err(), @"");
    insta::assert_snapshot!(png(&svg, -1.0).unwrap_err(), @"");
    insta::assert_snapshot!(png(&svg, f32::INFINITY).unwrap_err(), @"");
}
