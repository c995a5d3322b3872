//! Many runs of an experiment: in parallel, with results that do not depend on the number of threads, in blocks that
//! are kept as they are finished, so that an interrupted run goes on where it was.

mod folder;
mod manifest;
mod traces;
mod whole_file;

use std::time::Instant;

pub use folder::Folder;
pub use manifest::{Manifest, Planned};
pub use traces::Traces;

use labelwise::Seed;
use rayon::prelude::*;

use crate::error::Result;
use crate::problem::{Experiment, Trace};

/// Maximum number of runs per block, so that an interruption loses little.
const BLOCK: usize = 50;
/// Minimum number of blocks, if there are as many runs.
const BLOCKS: usize = 100;

/// What many runs came to.
pub struct Repeated {
    /// The traces of all runs, in their order.
    pub traces: Traces,
    /// The seconds it took, those before an interruption among them.
    pub seconds: f64,
}

/// Repeats an experiment. The n-th run has the n-th seed, whichever thread it is on. `done` is told of each block
/// how many runs it had.
pub fn repeat(
    experiment: &dyn Experiment,
    runs: usize,
    seed: Seed,
    folder: &Folder,
    done: &(dyn Fn(usize) + Sync),
) -> Result<Repeated> {
    let (name, columns) = (experiment.name(), experiment.columns());
    if let Some(repeated) = folder.finished(name, &columns, runs)? {
        done(runs);
        return Ok(repeated);
    }
    let size = if experiment.trains() { 1 } else { runs.div_ceil(BLOCKS).clamp(1, BLOCK) };
    let blocks = runs.div_ceil(size);
    let sizes: Vec<usize> = (0..blocks).map(|block| size.min(runs - block * size)).collect();
    let kept: Vec<Option<Repeated>> = sizes
        .iter()
        .enumerate()
        .map(|(block, &size)| folder.block(name, block, &columns, size))
        .collect::<Result<_>>()?;
    let before = kept.iter().flatten().fold(0.0_f64, |most, block| most.max(block.seconds));
    let start = Instant::now();
    let compute = |block: usize, count: usize| -> Result<Traces> {
        let first = block * size;
        let runs = (first..first + count).map(|run| experiment.nth(run as u64, seed.repetition(run as u64)));
        let traces = Traces { columns: columns.clone(), runs: runs.collect::<Result<Vec<Trace>>>()? };
        folder.keep_block(name, block, &traces, before + start.elapsed().as_secs_f64())?;
        Ok(traces)
    };
    let finished: Vec<Traces> = kept
        .into_par_iter()
        .zip(sizes)
        .enumerate()
        .map(|(block, (kept, size))| {
            let traces = match kept {
                Some(kept) => kept.traces,
                None => compute(block, size)?,
            };
            done(size);
            Ok(traces)
        })
        .collect::<Result<_>>()?;
    let traces = Traces { columns, runs: finished.into_iter().flat_map(|block| block.runs).collect() };
    let seconds = before + start.elapsed().as_secs_f64();
    folder.finish(name, &traces, seconds)?;
    Ok(Repeated { traces, seconds })
}
