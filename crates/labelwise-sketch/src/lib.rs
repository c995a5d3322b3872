//! Draws of a pool that lies in parts: one mergeable sketch for every engine.
//!
//! Item i arrives at min(E1 S / ((1 − ρ) s), E2 n / ρ), where s is its score, S the sum of all n scores, and E1 and E2 are
//! exponential numbers. The arrival is exponential with rate (1 − ρ) s/S + ρ/n, so the order of arrival is the order of draws
//! without replacement from the mixture ([`Floor::Mixture`](labelwise::proposal::Floor)). S and n are known only at the end; but
//! the M earliest arrivals are among the M smallest E1/s and the M smallest E2, whatever S and n are. A [`Sketch`] keeps these
//! two lists, n, and S as an exact sum.
//!
//! E1 and E2 are functions of (seed, refresh, id), see [`uniforms`]. So a sketch does not depend on how the pool is cut, on the
//! order of its rows, or on the order of merges: its bytes are the same.
//!
//! ```
//! use labelwise_sketch::{Key, Sketch};
//! let key = Key { seed: 7, refresh: 0 };
//! let (mut one, mut other) = (Sketch::new(key, 2), Sketch::new(key, 2));
//! one.add("a", Some(0.5), Vec::new);
//! other.add("b", Some(0.25), Vec::new);
//! other.add("c", Some(0.0), Vec::new);
//! one.merge(other)?;
//! let draws = one.draws(0.3)?;
//! assert_eq!((draws.size, draws.total, draws.drawn.len()), (3, 0.75, 2));
//! # Ok::<(), labelwise_sketch::Error>(())
//! ```

mod bytes;
mod draws;
mod earliest;
mod error;
mod exact_sum;
mod fingerprint;
mod md5;
mod sketch;
mod uniforms;

pub use bytes::{Bytes, Rest};
pub use draws::{Arrivals, DrawnItem, Draws};
pub use earliest::Kept;
pub use error::{Error, Fault, Result};
pub use exact_sum::ExactSum;
pub use fingerprint::SetFingerprint;
pub use sketch::Sketch;
pub use uniforms::{Key, uniforms};
