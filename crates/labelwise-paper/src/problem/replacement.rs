//! Active risk estimation as Sawade et al. have it: draws with replacement, importance sampling.

use labelwise::estimator::{Estimator, HansenHurwitz, ImportanceSampling, Sample};
use labelwise::proposal::{Floor, Proposal};
use labelwise::rng::Stream;
use labelwise::{Result, Seed};

/// So many queries an item of the pool are made at most while items are left that were never drawn.
pub(crate) const PATIENCE: usize = 200;

/// What draws with replacement came to.
pub(super) struct Replaced {
    /// The estimate after each query.
    pub(super) by_query: Vec<f64>,
    /// The same with the known normaliser.
    pub(super) known_by_query: Vec<f64>,
    /// The estimate when 1, 2, ... different items were seen.
    pub(super) by_novel: Vec<f64>,
    /// The queries made until then.
    pub(super) queries: Vec<f64>,
}

/// Draws by `scores` until `steps` queries are made and every item was seen, or patience is at an end: then what is
/// left of the columns by different items repeats the last estimate.
pub(super) fn with_replacement(
    scores: Vec<f64>,
    losses: &[f64],
    steps: usize,
    seed: Seed,
) -> Result<Replaced> {
    let pool_size = losses.len();
    let mut rng = seed.stream(Stream::Draw, 0);
    let proposal =
        Proposal::new(scores, &vec![true; pool_size], Floor::Unguarded, seed.stream(Stream::Draw, 1))?;
    let mut seen = vec![false; pool_size];
    let mut samples: Vec<Sample> = Vec::new();
    let (mut by_query, mut known_by_query) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    let (mut by_novel, mut queries) = (Vec::with_capacity(pool_size), Vec::with_capacity(pool_size));
    while samples.len() < PATIENCE * pool_size && (samples.len() < steps || by_novel.len() < pool_size) {
        let Some(drawn) = proposal.draw_with_replacement(&mut rng) else { break };
        let Some((loss, seen)) = losses.get(drawn.index).zip(seen.get_mut(drawn.index)) else { break };
        samples.push(Sample::plain(drawn.index, drawn.q, *loss));
        let novel = !std::mem::replace(seen, true);
        if novel || samples.len() <= steps {
            let estimate = ImportanceSampling.estimate(&samples, pool_size)?;
            if samples.len() <= steps {
                by_query.push(estimate);
                known_by_query.push(HansenHurwitz.estimate(&samples, pool_size)?);
            }
            if novel {
                by_novel.push(estimate);
                queries.push(samples.len() as f64);
            }
        }
    }
    // At least one query is made, and its item is new.
    let last = ImportanceSampling.estimate(&samples, pool_size)?;
    by_novel.resize(pool_size, last);
    queries.resize(pool_size, samples.len() as f64);
    Ok(Replaced { by_query, known_by_query, by_novel, queries })
}
