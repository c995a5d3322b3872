//! How well are metrics that are no means known from few labels? For each metric and budget: the bias of its estimate,
//! its error relative to that of uniform draws, and how often its 95 % interval covers the metric of the pool, with draws
//! made for that very metric, with draws shared by all metrics of the pool, and with uniform ones. Prints Markdown.
//!
//! ```sh
//! cargo run --release -p labelwise-study --example metrics -- [--runs R] [--seed S] [POOL ...]
//! ```
//!
//! A POOL is a file with predictions of every item and its label in a column `label`, as `labelwise simulate` reads it.

mod options;
mod pools;
mod table;
mod watch;

use std::error::Error;

use options::Options;
use pools::World;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    options.print_head();
    let mut worlds = vec![pools::digits()?, pools::imbalanced(options.seed)?, pools::values(options.seed)?];
    for path in &options.pools {
        worlds.push(pools::file(path)?);
    }
    for world in &worlds {
        eprintln!("{}", world.name());
        let rows = match world {
            World::Classes(world) => watch::classes(world, &options)?,
            World::Values(world) => watch::values(world, &options)?,
        };
        table::print(world, &rows);
    }
    Ok(())
}
