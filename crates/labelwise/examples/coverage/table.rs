//! What is printed: coverage and width of each kind of interval.

use labelwise::interval::{Basis, Interval};

use crate::zoo::{Scores, Zoo};
use crate::{KINDS, LEVEL, Look};

/// The 97.5 % quantile of the normal: an interval of ±1.96 RMSE is as wide as one that knows the RMSE need be.
const NORMAL: f64 = 1.959_963_984_540_054;

/// One kind of interval at one budget, over all runs.
pub(crate) struct Cell {
    /// The share of intervals that cover, and how many there were.
    coverage: f64,
    intervals: usize,
    /// The median width, relative to that of an interval that knows the RMSE.
    width: f64,
    /// The share that the guard replaced by the guaranteed interval, and the share that it marked only.
    replaced: f64,
    marked: f64,
}

impl Cell {
    pub(crate) fn new(looks: &[&Look]) -> Self {
        let found: Vec<&(Interval, bool)> = looks.iter().filter_map(|look| look.interval.as_ref()).collect();
        let share = |wanted: &dyn Fn(&(Interval, bool)) -> bool| {
            found.iter().filter(|found| wanted(found)).count() as f64 / found.len() as f64
        };
        let replaced = |interval: &Interval| interval.basis == Basis::BettingAtBudget;
        let square = looks.iter().map(|look| look.error * look.error).sum::<f64>() / looks.len() as f64;
        let mut widths: Vec<f64> = found.iter().map(|(interval, _)| interval.high - interval.low).collect();
        widths.sort_by(f64::total_cmp);
        let median = widths.get(widths.len() / 2).copied().unwrap_or(f64::NAN);
        Self {
            coverage: share(&|(_, covers)| *covers),
            intervals: found.len(),
            width: median / (2.0 * NORMAL * square.sqrt()),
            replaced: share(&|(interval, _)| interval.caution.is_some() && replaced(interval)),
            marked: share(&|(interval, _)| interval.caution.is_some() && !replaced(interval)),
        }
    }

    /// Coverage / width (guard); bold where coverage is below the level by more than two standard errors.
    fn text(&self) -> String {
        if self.intervals == 0 {
            return "no bound".to_owned();
        }
        let standard_error = (LEVEL * (1.0 - LEVEL) / self.intervals as f64).sqrt();
        let bold = if self.coverage < LEVEL - 2.0 * standard_error { "**" } else { "" };
        let guard = match (self.replaced, self.marked) {
            (0.0, 0.0) => String::new(),
            (replaced, 0.0) => format!(" ({} r)", percent(replaced)),
            (_, marked) => format!(" ({} m)", percent(marked)),
        };
        format!("{bold}{:.3}{bold} / {:.2}{guard}", self.coverage, self.width)
    }
}

fn percent(share: f64) -> String {
    if share < 0.01 { "< 1 %".to_owned() } else { format!("{:.0} %", 100.0 * share) }
}

pub(crate) struct Row {
    pub(crate) zoo: Zoo,
    pub(crate) scores: Scores,
    pub(crate) budget: usize,
    pub(crate) cells: Vec<Cell>,
}

fn print_header(first: &str) {
    let titles: Vec<&str> = KINDS.iter().map(|kind| kind.title).collect();
    println!("{first} | {} |", titles.join(" | "));
    println!("{}", "|---".repeat(first.matches('|').count() + KINDS.len()) + "|");
}

pub(crate) fn print_block(size: usize, rows: &[Row]) {
    println!("\n## Pools of {size}: coverage / relative width (guard)\n");
    print_header("| loss | scores | M");
    for Row { zoo, scores, budget, cells } in rows {
        let cells: Vec<String> = cells.iter().map(Cell::text).collect();
        println!("| {} | {} | {budget} | {} |", zoo.name(), scores.name(), cells.join(" | "));
    }
}

/// Means over losses and sizes of pools, with the lowest coverage among them.
pub(crate) fn print_summary(rows: &[&Row], budgets: &[usize]) {
    println!("\n## Over all losses and pools: mean coverage (lowest) / mean relative width\n");
    print_header("| scores | M");
    for scores in Scores::ALL {
        for &budget in budgets {
            let chosen: Vec<&&Row> =
                rows.iter().filter(|row| row.scores == scores && row.budget == budget).collect();
            let summary = |kind: usize| {
                let cells =
                    chosen.iter().filter_map(|row| row.cells.get(kind)).filter(|cell| cell.intervals > 0);
                let (count, coverage, width, lowest) =
                    cells.fold((0.0, 0.0, 0.0, 1.0_f64), |(count, coverage, width, lowest), cell| {
                        (count + 1.0, coverage + cell.coverage, width + cell.width, lowest.min(cell.coverage))
                    });
                format!("{:.3} ({lowest:.2}) / {:.2}", coverage / count, width / count)
            };
            let cells: Vec<String> = (0..KINDS.len()).map(summary).collect();
            println!("| {} | {budget} | {} |", scores.name(), cells.join(" | "));
        }
    }
}
