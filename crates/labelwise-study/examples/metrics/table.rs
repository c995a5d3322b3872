//! Markdown of what was seen.

use crate::options::LEVEL;
use crate::pools::World;
use crate::watch::{Look, Row};

/// The looks of all runs, summed up.
struct Sum {
    count: usize,
    bias: f64,
    error: f64,
    covered: f64,
    with_interval: usize,
}

impl Sum {
    fn new(looks: &[Option<Look>], truth: f64) -> Self {
        let defined: Vec<&Look> = looks.iter().flatten().collect();
        let count = defined.len();
        let errors = || defined.iter().map(|look| look.value - truth);
        let intervals: Vec<(f64, f64)> = defined.iter().filter_map(|look| look.interval).collect();
        let slack = 1e-12 * (1.0 + truth.abs());
        let covers = |&&(low, high): &&(f64, f64)| low - slack <= truth && truth <= high + slack;
        Self {
            count,
            bias: errors().sum::<f64>() / count as f64,
            error: (errors().map(|error| error * error).sum::<f64>() / count as f64).sqrt(),
            covered: intervals.iter().filter(covers).count() as f64 / intervals.len() as f64,
            with_interval: intervals.len(),
        }
    }

    fn coverage(&self) -> String {
        if self.with_interval == 0 {
            return "–".to_owned();
        }
        let spread = (LEVEL * (1.0 - LEVEL) / self.with_interval as f64).sqrt();
        let low = self.covered < LEVEL - 2.0 * spread;
        if low { format!("**{:.3}**", self.covered) } else { format!("{:.3}", self.covered) }
    }
}

/// The table of a pool.
pub(crate) fn print(world: &World, rows: &[Row]) {
    println!("\n## {}\n", world.name());
    println!(
        "| metric | of the pool | labels | bias | own RMSE | shared RMSE | own cover | shared cover | uniform cover | undefined |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut before = "";
    for row in rows {
        let [own, shared, uniform] =
            [&row.own, &row.shared, &row.uniform].map(|looks| Sum::new(looks, row.truth));
        let first = row.metric != before;
        before = &row.metric;
        let name = if first { format!("{} | {:.4}", row.metric, row.truth) } else { " | ".to_owned() };
        let undefined = 1.0 - own.count as f64 / row.own.len() as f64;
        println!(
            "| {name} | {} | {:+.2} | {:.2} | {:.2} | {} | {} | {} | {undefined:.2} |",
            row.budget,
            own.bias / own.error,
            own.error / uniform.error,
            shared.error / uniform.error,
            own.coverage(),
            shared.coverage(),
            uniform.coverage(),
        );
    }
}
