//! How long it takes to make an evaluation of a table of probabilities and to ask for items in one batch: what the
//! benchmark of the Python package is held against. The table is a file of f32, row after row. Prints seconds.
//!
//! ```sh
//! cargo run --release -p labelwise --example asking -- probabilities.f32 10 10000
//! ```

use std::error::Error;
use std::time::Instant;

use labelwise::{CrossEntropy, Evaluation, Fixed, Matrix, Pool, Seed};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, columns, count] = arguments.as_slice() else {
        return Err("give a file of f32, the number of columns, and how many items to ask for".into());
    };
    let bytes = std::fs::read(path)?;
    let number = |four: &[u8]| Some(f32::from_le_bytes(four.try_into().ok()?));
    let numbers: Vec<f32> = bytes.chunks_exact(4).filter_map(number).collect();
    drop(bytes);
    let table = Matrix::f32(numbers, columns.parse()?)?;
    let start = Instant::now();
    let pool = Pool::classification(table)?;
    let surrogate = Fixed(pool.own_beliefs()?);
    let mut evaluation =
        Evaluation::builder(pool, CrossEntropy::default(), surrogate).seed(Seed(7)).build()?;
    let draws = evaluation.ask_batch(count.parse()?)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds} {}", draws.first().map_or(0, |draw| draw.index));
    Ok(())
}
