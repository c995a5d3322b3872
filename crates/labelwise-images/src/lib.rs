//! Image sets in their own file formats, and archives of what models predict on them.
//!
//! The paper tests networks on MNIST, Fashion-MNIST, CIFAR-10 and CIFAR-100. [`read`] gives the images of one of them from
//! a folder, [`Scaling`] makes rows of features of them, [`stratified`] and [`random`] choose parts. What a trained model
//! says of a test set is kept in an [`Archive`], so that all that comes after training can be had again in seconds.
//!
//! ```
//! use labelwise::rng::Stream;
//! use labelwise::Seed;
//! use labelwise_images::{Images, Scaling, Shape};
//! let shape = Shape { channels: 1, height: 1, width: 2 };
//! let images = Images::new(shape, vec![0, 255, 51, 51, 204, 0], vec![0, 1, 1], 2)?;
//! let rng = &mut Seed(7).stream(Stream::Split, 0);
//! let train = images.select(&images.stratified(2, rng)?)?;
//! assert_eq!(train.labels().iter().map(|&label| usize::from(label)).sum::<usize>(), 1);
//! let features = Scaling::of(&train)?.features(&images)?;
//! assert_eq!((features.rows(), features.columns()), (3, 2));
//! # Ok::<(), labelwise_images::Error>(())
//! ```

mod archive;
mod error;
mod fetch;
mod images;
mod known;
mod read;
mod scaling;
mod set;
mod subset;

pub use archive::{Archive, Foreign, Provenance};
pub use error::{Error, Result};
pub use fetch::{Found, Got, Place, fetch, fetch_from, look};
pub use images::{Images, Shape};
pub use known::{KnownFile, known_files};
pub use read::read;
pub use scaling::Scaling;
pub use set::{Part, Set};
pub use subset::{random, stratified};
