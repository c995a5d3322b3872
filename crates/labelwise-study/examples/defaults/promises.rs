//! What `new` promises before the first label, compared with what labels turn out to be worth.

use std::error::Error;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use labelwise::Target;
use labelwise::plan::LabelRange;
use labelwise_pool::PoolTable;
use labelwise_study::simulate::{Simulation, Strategy};
use labelwise_study::{Choices, Measurable, Study};

use crate::{Options, losses, pools};

/// A range that was promised, and what came of it.
struct Promise {
    low: f64,
    high: f64,
    came: f64,
}

impl Promise {
    fn word(&self) -> &'static str {
        match self.came {
            came if came < self.low => "less",
            came if came > self.high => "more",
            _ => "kept",
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, high, came } = self;
        let digits = if *high >= 100.0 { 0 } else { 2 };
        write!(f, "{low:.digits$} to {high:.digits$} | {came:.digits$} | {}", self.word())
    }
}

/// Which of the promises were kept, broken by less, and by more.
#[derive(Default)]
struct Count {
    kept: usize,
    less: usize,
    more: usize,
}

impl Count {
    fn add(&mut self, promise: &Promise) {
        match promise.word() {
            "less" => self.less += 1,
            "more" => self.more += 1,
            _ => self.kept += 1,
        }
    }
}

/// One row per pool and loss: the promised range of uniformly sampled labels that one label is worth, and the exact worth; the
/// labels that were foreseen for an interval of a fifth of the loss, and as many as it takes.
pub(crate) fn table(
    files: &[PathBuf],
    labels: usize,
    options: &Options,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "| pool | loss | promised | worth at {labels} labels | | labels for ± 20 % | needed | |")?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    let (mut gains, mut costs) = (Count::default(), Count::default());
    for file in files.iter().filter(|file| file.display().to_string().contains(&options.only)) {
        for (name, table) in pools(file) {
            for loss in losses(&table, options) {
                let labels = labels.min(table.rows() / 3);
                let Some((gain, cost)) = compared(&table, loss, labels, options)? else { continue };
                gains.add(&gain);
                cost.iter().for_each(|cost| costs.add(cost));
                let cost = cost.map_or("| |".to_owned(), |cost| cost.to_string());
                writeln!(out, "| {name} | {loss} | {gain} | {cost} |")?;
                out.flush()?;
            }
        }
    }
    for (what, Count { kept, less, more }) in [("worth", gains), ("labels needed", costs)] {
        writeln!(out, "\n{what}: kept {kept}, less {less}, more {more}")?;
    }
    Ok(())
}

/// What is promised of the worth, and of the cost where that is foreseen.
type Promises = (Promise, Option<Promise>);

/// What came of the promises; `None` where nothing is promised.
fn compared(
    table: &PoolTable,
    loss: &str,
    labels: usize,
    options: &Options,
) -> Result<Option<Promises>, Box<dyn Error>> {
    let choices = Choices { aims: vec![loss.parse::<Measurable>()?], ..Choices::default() };
    let created = Study::in_memory(table.clone(), &choices)?.evaluation;
    let Some((low, high)) = created.expected_gain()? else { return Ok(None) };
    let simulation = Simulation::new(table, &choices)?;
    let errors =
        simulation.conditional_error(&Strategy::LABELWISE, &[labels], options.exact.max(1), options.seed)?;
    let Some(&[error]) = errors.as_deref() else { return Ok(None) };
    let (size, truth) = (table.rows() as f64, simulation.truth());
    let per_draw = 1.0 / labels as f64 - 1.0 / size;
    let gain = Promise { low, high, came: truth.variance * per_draw / (error * error) };
    let forecast = created.surrogate_forecast(&created.settings().metric)?;
    let half = 0.2 * truth.risk;
    let foreseen = forecast
        .and_then(|forecast| forecast.for_half_width(half, 0.95, Target::Pool).transpose())
        .transpose()?;
    let needed = |foreseen: LabelRange| {
        let spread = error * error / per_draw;
        let draws = spread * (1.96 / half).powi(2);
        let came = draws / (1.0 + draws / size);
        Promise { low: foreseen.low as f64, high: foreseen.high as f64, came }
    };
    Ok(Some((gain, foreseen.map(needed))))
}
