//! `labelwise sql`: the queries that draw where the pool is.

use std::io::Write;

use labelwise_study::Dialect;
use labelwise_study::elsewhere::{AHEAD, Queries};

use crate::args::parse::{counting, named, whole};
use crate::error::Error;

/// Print the queries that draw items where the pool is, in a warehouse or an engine.
///
/// The first query makes the draws, the second the totals over the pool. `labelwise new --draws ... --totals ...` makes an
/// evaluation of both. Items are drawn by a score of your own, as with `labelwise new --scores`, and the draws are the same.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  labelwise sql --dialect duckdb --table \"'scores/*.parquet'\" --scores suspicion > draws.sql"
)]
pub(crate) struct Options {
    /// Dialect of the engine
    #[arg(long, value_name = "NAME", default_value = "duckdb", value_parser = named::<Dialect>())]
    dialect: Dialect,
    /// The table, or anything that can follow FROM
    #[arg(long, value_name = "TABLE")]
    table: String,
    /// Column of ids
    #[arg(long, value_name = "COLUMN", default_value = "id")]
    id: String,
    /// The score of an item, a column or an expression: not negative, and larger where a label is more informative
    #[arg(long, value_name = "EXPRESSION", default_value = "score")]
    scores: String,
    /// Passthrough column that the labeller needs; can be repeated
    #[arg(long, value_name = "COLUMN")]
    carry: Vec<String>,
    /// Seed of all draws
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = whole::<u64>)]
    seed: u64,
    /// Number of draws to make ahead
    #[arg(long, value_name = "NUMBER", default_value_t = AHEAD, value_parser = counting)]
    ahead: usize,
}

/// Prints the queries.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let Options { dialect, table, id, scores, carry, seed, ahead } = options;
    let queries = Queries {
        dialect: *dialect,
        table: table.clone(),
        id: id.clone(),
        score: scores.clone(),
        carry: carry.clone(),
        seed: *seed,
        ahead: *ahead,
    };
    write!(out, "{}", queries.text())?;
    Ok(())
}
