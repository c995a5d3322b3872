//! Error against labels, one curve a strategy.

use std::fs;
use std::path::Path;

use labelwise_plot::{Axis, Colour, Dash, Figure, Line, Panel, png};
use labelwise_study::simulate::Strategy;

use super::findings::Findings;
use crate::error::Error;
use crate::output::text::{counted, thousands};

/// Pixels to a unit, which suits screens.
const SCALE: f32 = 2.0;

/// What a picture is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Lines and text.
    Svg,
    /// Pixels.
    Png,
}

impl Kind {
    /// By the extension of a file.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Error::Picture { path: path.to_owned() }),
        }
    }

    /// Draws the findings into a file.
    pub(super) fn write(self, findings: &Findings, path: &Path) -> Result<(), Error> {
        let svg = figure(findings).svg()?;
        let bytes = match self {
            Self::Svg => svg.into_bytes(),
            Self::Png => png(&svg, SCALE)?,
        };
        fs::write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
    }
}

fn figure(findings: &Findings) -> Figure {
    let labels: Vec<f64> = findings.curve.iter().map(|at| at.labels as f64).collect();
    let mut panel = Panel::new().x(Axis::new("labels").integer()).y(Axis::new(format!(
        "RMSE of the {}",
        findings.metric
    ))
    .include(0.0));
    for (strategy, colour, dash) in [
        (Strategy::UNIFORM, Colour::Vermilion, Dash::Dashed),
        (Strategy::PAPER, Colour::Blue, Dash::DashDot),
        (Strategy::LABELWISE, Colour::Green, Dash::Solid),
    ] {
        let results = findings.curve.iter().filter_map(|at| {
            let result = at.strategies.iter().find(|result| result.strategy == strategy.key)?;
            Some(result.exact_root_mean_squared_error.unwrap_or(result.root_mean_squared_error))
        });
        let errors: Vec<f64> = results.collect();
        if errors.len() == labels.len() {
            let by = findings.result(&strategy).map_or("", |result| result.estimator);
            let title = format!("{}, {by}", strategy.title);
            panel = panel.add(Line::new(&labels, errors).colour(colour).dash(dash).label(title));
        }
    }
    let title = format!(
        "A pool of {} items, {} of each strategy",
        thousands(findings.pool.pool_size),
        counted(findings.runs, "run")
    );
    Figure::new("simulate").title(title).panel_size(460.0, 260.0).panel(panel)
}
