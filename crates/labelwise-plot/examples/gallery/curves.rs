//! Curves of error against the number of labels.

use labelwise_plot::{Axis, Band, Colour, Dash, Figure, Line, Panel, Points, Rule, Shape};

/// Wavy but repeatable noise.
fn noise(i: usize, series: usize) -> f64 {
    let t = i as f64;
    let s = series as f64;
    (t * 0.9 + s * 1.7).sin() * 0.6 + (t * 2.3 + s * 0.4).sin() * 0.4
}

fn counts(to: usize) -> Vec<f64> {
    (1..=to).map(|m| m as f64).collect()
}

const METHODS: [(&str, Colour, Dash, f64); 3] = [
    ("Uniform sampling", Colour::Blue, Dash::Dashed, 1.0),
    ("Active testing", Colour::Orange, Dash::Solid, 0.35),
    ("Active testing, R̂_{IS}", Colour::Green, Dash::DashDot, 0.55),
];

fn mean_panel(title: &str, to: usize, size: f64) -> Panel {
    let m = counts(to);
    let mut panel = Panel::new()
        .title(title)
        .x(Axis::new("Number of acquired points").integer())
        .y(Axis::new("R̂_{LURE} − R̂"))
        .add(Rule::horizontal(0.0));
    for (series, (name, colour, dash, spread)) in METHODS.into_iter().enumerate() {
        let sd: Vec<f64> = m.iter().map(|m| size * spread / m.sqrt()).collect();
        let mean: Vec<f64> = sd.iter().enumerate().map(|(i, sd)| 0.12 * sd * noise(i, series)).collect();
        let low: Vec<f64> = mean.iter().zip(&sd).map(|(mean, sd)| mean - sd).collect();
        let high: Vec<f64> = mean.iter().zip(&sd).map(|(mean, sd)| mean + sd).collect();
        panel = panel
            .add(Band::new(&m, low, high).colour(colour).label(name))
            .add(Line::new(&m, mean).colour(colour).dash(dash).label(name));
    }
    panel
}

fn data_panel(title: &str) -> Panel {
    let grid: Vec<f64> = (0..=120).map(|i| f64::from(i) / 120.0).collect();
    let truth = |x: f64| (7.0 * x).sin() * 0.8 + x;
    let fit: Vec<f64> = grid.iter().map(|&x| truth(x) + 0.15 * (13.0 * x).cos()).collect();
    let test: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.618_034).fract()).collect();
    let train: Vec<f64> = [0.08, 0.27, 0.45, 0.71, 0.93].to_vec();
    let at = |xs: &[f64], series| {
        xs.iter().enumerate().map(|(i, &x)| truth(x) + 0.2 * noise(i, series)).collect::<Vec<_>>()
    };
    Panel::new()
        .title(title)
        .x(Axis::new("x"))
        .y(Axis::new("y"))
        .add(Line::new(&grid, fit).colour(Colour::Vermilion).label("Model prediction"))
        .add(Points::new(&test, at(&test, 1)).colour(Colour::Grey).size(4.5).label("Test"))
        .add(
            Points::new(&train, at(&train, 2))
                .colour(Colour::Black)
                .shape(Shape::Cross)
                .size(7.0)
                .label("Train"),
        )
}

/// Three rows of mean error with one standard deviation, and the data beside them.
pub(crate) fn bias() -> Figure {
    Figure::new("bias")
        .columns(2)
        .panel_size(300.0, 150.0)
        .letters()
        .panel(mean_panel("Linear / GP / quadratic", 50, 0.8))
        .panel(data_panel("Data"))
        .panel(mean_panel("RF / GP / two moons", 50, 0.08))
        .panel(data_panel("Data"))
        .panel(mean_panel("GP / GP / GP prior", 98, 2e-4).x(Axis::new("Number of acquired points").integer()))
        .panel(data_panel("Data"))
}

fn median_panel(title: &str, to: usize, start: f64) -> Panel {
    let m = counts(to);
    let mut panel = Panel::new().title(title).x(Axis::new("Number of acquired points").integer());
    let methods = [
        ("Uniform", Colour::Blue, Dash::Dashed, 1.0),
        ("Entropy", Colour::Green, Dash::Dotted, 0.6),
        ("X-entropy, train ensemble", Colour::Orange, Dash::Solid, 0.22),
        ("X-entropy, BNN", Colour::Purple, Dash::DashDot, 0.3),
        ("Theoretical optimum", Colour::Black, Dash::LongDash, 0.03),
    ];
    for (series, (name, colour, dash, factor)) in methods.into_iter().enumerate() {
        let y: Vec<f64> =
            m.iter().enumerate().map(|(i, m)| start * factor / m * (0.25 * noise(i, series)).exp()).collect();
        panel = panel.add(Line::new(&m, y).colour(colour).dash(dash).width(1.4).label(name));
    }
    panel
}

/// Median squared error on logarithmic axes.
pub(crate) fn median() -> Figure {
    Figure::new("median")
        .columns(3)
        .panel_size(210.0, 170.0)
        .title("Median squared error of R̂_{LURE} over 1000 runs")
        .panel(median_panel("MNIST", 50, 0.1).y(Axis::log("Median squared error")))
        .panel(
            median_panel("Fashion-MNIST", 1000, 2.0)
                .y(Axis::log(""))
                .x(Axis::log("Number of acquired points")),
        )
        .panel(
            median_panel("CIFAR-10", 50, 0.01)
                .y(Axis::log("").range(1e-4, 4e-3))
                .add(Rule::vertical(40.0).note("pool size")),
        )
}

/// Two rows of five small panels.
pub(crate) fn grid() -> Figure {
    let mut figure = Figure::new("grid").columns(5).panel_size(130.0, 100.0).letters();
    for i in 0..10 {
        let mut panel = mean_panel(&format!("Case {}", i + 1), 20 + 20 * i, 0.5 + i as f64);
        panel = panel.x(if i < 5 { Axis::new("") } else { Axis::new("Acquired points").integer() });
        figure = figure.panel(panel.y(Axis::new(if i % 5 == 0 { "R̂_{LURE} − R̂" } else { "" })));
    }
    figure
}
