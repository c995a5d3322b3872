//! The data of a single run.

use labelwise_plot::{Axis, Band, Cells, Colour, Line, Panel, Points, Shape};

use super::{PanelKind, View};
use crate::error::Result;
use crate::problem::{Dot, Example, FunctionExample, PlaneExample};

/// How many standard deviations a model's band is wide to each side.
const WIDE: f64 = 2.0;

/// The data of one run.
pub(crate) struct Data;

impl PanelKind for Data {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        Ok(match &view.example()? {
            Example::Function(function) => {
                let (x, y) = apart(&function.test);
                model(function)
                    .add(Points::new(x, y).colour(Colour::Grey).shape(Shape::Circle).label("test points"))
            }
            Example::Plane(plane) => in_plane(plane),
        })
    }

    fn caption(&self) -> &'static str {
        "The data are those of one run, with the model that is tested on them."
    }
}

/// The model along x with its training points, before anything else.
pub(super) fn model(function: &FunctionExample) -> Panel {
    let x: Vec<f64> = function.model.iter().map(|place| place.x).collect();
    let means: Vec<f64> = function.model.iter().map(|place| place.mean).collect();
    let mut panel = Panel::new().x(Axis::new("x")).y(Axis::new("y"));
    let edge = |side: f64| {
        let edges =
            function.model.iter().filter_map(move |place| Some(place.mean + side * WIDE * place.std_dev?));
        edges.collect::<Vec<f64>>()
    };
    let (low, high) = (edge(-1.0), edge(1.0));
    if low.len() == x.len() {
        panel = panel.add(Band::new(&x, low, high).colour(Colour::SkyBlue).label("model f"));
    }
    panel = panel.add(Line::new(x, means).colour(Colour::SkyBlue).label("model f"));
    let (x, y) = apart(&function.train);
    panel.add(Points::new(x, y).colour(Colour::Black).shape(Shape::Square).label("training points"))
}

fn in_plane(plane: &PlaneExample) -> Panel {
    let cells = Cells::new(plane.x, plane.y, plane.columns, &plane.probabilities);
    let mut panel = Panel::new().x(Axis::new("x_{1}")).y(Axis::new("x_{2}")).add(cells);
    let classes = [(0, Colour::Blue), (1, Colour::Vermilion)];
    for (class, colour) in classes {
        let (x, y) = of_class(&plane.test, class);
        panel = panel.add(
            Points::new(x, y)
                .colour(colour)
                .shape(Shape::Circle)
                .hollow()
                .size(3.0)
                .label(format!("test points, class {class}")),
        );
        let (x, y) = of_class(&plane.train, class);
        panel = panel.add(
            Points::new(x, y)
                .colour(colour)
                .shape(Shape::Square)
                .label(format!("training points, class {class}")),
        );
    }
    panel
}

pub(super) fn apart(points: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    points.iter().copied().unzip()
}

fn of_class(dots: &[Dot], class: usize) -> (Vec<f64>, Vec<f64>) {
    dots.iter().filter(|dot| dot.class == class).map(|dot| (dot.x, dot.y)).unzip()
}
