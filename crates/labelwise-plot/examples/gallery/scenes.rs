//! Data, losses and probabilities.

use labelwise_plot::{
    Axis, Bars, Cells, Colour, Dash, Figure, Legend, Line, Panel, Points, Rule, Scale, Shape, Stems,
};

/// One step of active testing: the data, and the losses with the next draw marked.
pub(crate) fn step() -> Figure {
    let items: Vec<f64> = (0..24).map(f64::from).collect();
    let truth: Vec<f64> = items.iter().map(|i| (0.6 * (i * 0.7).sin() + 0.62).powi(2)).collect();
    let estimate: Vec<f64> = items.iter().map(|i| (0.5 * (i * 0.7 + 0.3).sin() + 0.7).powi(2)).collect();
    let beside: Vec<f64> = items.iter().map(|i| i + 0.3).collect();
    let next = ([6.3 - 4.0], [(0.5f64 * (2.0f64 * 0.7 + 0.3).sin() + 0.7).powi(2)]);
    let losses = Panel::new()
        .title("Losses")
        .x(Axis::new("Test item").integer())
        .y(Axis::new("Loss ℓ(f(x_{i}), y_{i})"))
        .add(Stems::new(&items, &truth).colour(Colour::Grey).label("True loss"))
        .add(Stems::new(&beside, &estimate).colour(Colour::Orange).label("Estimated loss"))
        .add(
            Points::new(next.0, next.1)
                .shape(Shape::Diamond)
                .colour(Colour::Vermilion)
                .size(9.0)
                .label("Next draw"),
        );
    let bars = Panel::new()
        .title("Acquisition probabilities")
        .x(Axis::new("Test item").integer())
        .y(Axis::new("q(i_{m})"))
        .add(
            Bars::new(&items, estimate.iter().map(|e| e / 16.0).collect::<Vec<_>>(), 0.8)
                .colour(Colour::SkyBlue),
        )
        .add(Rule::horizontal(1.0 / 24.0).note("uniform"));
    Figure::new("step").columns(2).panel_size(310.0, 160.0).letters().panel(losses).panel(bars)
}

/// Probabilities of a classifier over two features.
pub(crate) fn classifier() -> Figure {
    let columns: u32 = 40;
    let probability = |x: f64, y: f64| 1.0 / (1.0 + (-4.0 * (y - (1.4 * x).sin() * 0.8)).exp());
    let centre = |i: u32| -2.0 + 4.0 * (f64::from(i) + 0.5) / f64::from(columns);
    let values: Vec<f64> = (0..columns)
        .flat_map(|row| (0..columns).map(move |column| probability(centre(column), centre(row))))
        .collect();
    let (mut below, mut above) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for i in 0..60 {
        let (x, y) =
            ((f64::from(i) * 0.618_034).fract() * 3.6 - 1.8, (f64::from(i) * 0.754_878).fract() * 3.6 - 1.8);
        let side = if probability(x, y) > 0.45 { &mut above } else { &mut below };
        side.0.push(x);
        side.1.push(y);
    }
    let panel = Panel::new()
        .x(Axis::new("x_{1}"))
        .y(Axis::new("x_{2}"))
        .add(Cells::new((-2.0, 2.0), (-2.0, 2.0), 40, values).label("π(y = 1 | x)"))
        .add(Points::new(&below.0, &below.1).colour(Colour::Blue).label("y = 0"))
        .add(Points::new(&above.0, &above.1).colour(Colour::Vermilion).shape(Shape::Triangle).label("y = 1"));
    Figure::new("classifier").panel_size(240.0, 240.0).legend(Legend::Above).panel(panel)
}

/// Every shape, filled and hollow, and every pattern of lines.
pub(crate) fn shapes() -> Figure {
    let shapes = [Shape::Circle, Shape::Square, Shape::Diamond, Shape::Triangle, Shape::Cross, Shape::Plus];
    let mut points =
        Panel::new().title("Shapes").x(Axis::new("").range(-1.0, 6.0)).y(Axis::new("").range(0.0, 4.0));
    for (i, shape) in shapes.into_iter().enumerate() {
        let x = i as f64;
        let name = format!("{shape:?}");
        points = points
            .add(Points::new([x, x], [3.0, 2.0]).shape(shape).colour(Colour::nth(i)).size(8.0).label(name))
            .add(Points::new([x], [1.0]).shape(shape).colour(Colour::nth(i)).size(8.0).hollow());
    }
    let mut lines =
        Panel::new().title("Colours and dashes").x(Axis::new("α ± σ̃ × θ̄")).y(Axis::new("Δ ≤ 10^{−3}"));
    for i in 0..8 {
        let level = 8.0 - i as f64;
        let line = Line::new([0.0, 1.0, 2.0, 3.0], [level, level + 0.3, level - 0.2, level + 0.1]);
        lines =
            lines.add(line.colour(Colour::nth(i)).dash(Dash::nth(i)).label(format!("{:?}", Colour::nth(i))));
    }
    let steps =
        Panel::new().title("Steps").x(Axis::new("Loss").integer()).y(Axis::new("Distribution")).add(
            Line::new([0.0, 1.0, 2.0, 3.0, 4.0], [0.1, 0.4, 0.6, 0.9, 1.0]).steps().colour(Colour::Blue),
        );
    Figure::new("shapes").columns(3).panel_size(200.0, 150.0).panel(points).panel(lines).panel(steps)
}

/// Gaps, constants, nothing at all, and what a logarithmic axis cannot show.
pub(crate) fn edges() -> Figure {
    let gap = [1.0, 2.0, f64::NAN, 1.5, f64::NAN, 2.5, 2.0, f64::INFINITY, 1.0];
    let x: Vec<f64> = (0..9).map(f64::from).collect();
    Figure::new("edges")
        .columns(3)
        .panel_size(180.0, 120.0)
        .legend(Legend::Hidden)
        .panel(Panel::new().title("Gaps").add(Line::new(&x, gap)))
        .panel(Panel::new().title("Constant").add(Line::new(&x, [0.3; 9])).add(Points::new([4.0], [0.3])))
        .panel(Panel::new().title("Empty").x(Axis::new("A label for x")).y(Axis::new("A label for y")))
        .panel(
            Panel::new()
                .title("Logarithm of a negative")
                .y(Axis::new("").scale(Scale::Log))
                .add(Line::new(&x, [1.0, 0.1, -0.1, 0.01, 0.02, 0.0, 0.003, 0.004, 0.001])),
        )
        .panel(
            Panel::new()
                .title("A fixed range")
                .y(Axis::new("").range(0.0, 1.0))
                .add(Line::new(&x, [0.0, 0.5, 1.0, 2.0, 0.5, -3.0, 0.2, 1.0, 1.0]))
                .add(Points::new(&x, [0.0, 0.5, 1.0, 2.0, 0.5, -3.0, 0.2, 1.0, 1.0])),
        )
        .panel(
            Panel::new()
                .title("Large numbers, and a title that is wider than its panel")
                .add(Line::new([0.0, 60_000.0], [0.0, 3.2e7])),
        )
}
