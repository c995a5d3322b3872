//! Trained networks as files, in the layout of safetensors: the length of a header, the header in JSON, and the numbers. The
//! header's metadata say which network it is, so that a file is never read as another one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use burn_tensor::Device;
use serde::{Deserialize, Serialize};

use crate::Shape;
use crate::architecture::Architecture;
use crate::error::{Error, Result};
use crate::fit::Epoch;
use crate::inference::numbers;
use crate::layout::{Entry, Weights, tensor};
use crate::network::{Network, TrainedNetwork};
use crate::threads;

/// The key of what is ours among the metadata.
const KEY: &str = "labelwise";

/// What a file says of its network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct About {
    architecture: Architecture,
    shape: Shape,
    classes: usize,
    seed: u64,
    best: usize,
    history: Vec<Epoch>,
    checksum: u64,
}

impl About {
    fn name(&self) -> String {
        named(self.architecture, self.shape, self.classes)
    }
}

fn named(architecture: Architecture, shape: Shape, classes: usize) -> String {
    let radial = match architecture.family() {
        // Two posteriors may differ by their settings alone.
        crate::Family::RadialBnn(radial) => format!(" with {radial:?}"),
        _ => String::new(),
    };
    format!("{architecture}{radial} for images of shape {shape} and {classes} classes")
}

/// Where a tensor lies in the file.
#[derive(Debug, Serialize, Deserialize)]
struct Place {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, Place>,
}

impl TrainedNetwork {
    /// Writes the network into a file, whole or not at all. A file that is there is replaced only if it is a checkpoint of
    /// the same architecture, shape and classes.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let expected = named(self.architecture, self.shape, self.classes);
        if path.try_exists().map_err(|source| Error::Read { path: path.to_owned(), source })? {
            let found = read(path)?.0.name();
            if found != expected {
                return Err(Error::OtherNetwork { path: path.to_owned(), found, expected });
            }
        }
        let bytes = self.bytes()?;
        labelwise_atomic_file::write(path, &bytes)
            .map_err(|source| Error::Write { path: path.to_owned(), source })
    }

    /// Reads whatever network a file holds.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_to(path.as_ref(), threads::default_device()?)
    }

    fn load_to(path: &Path, device: Device) -> Result<Self> {
        let (about, header, data) = read(path)?;
        let wrong = |why: String| Error::NoCheckpoint { path: path.to_owned(), why };
        let About { architecture, shape, classes, seed, best, history, .. } = about;
        let plan = architecture.plan(shape, classes).map_err(|error| wrong(error.to_string()))?;
        let values = |entries: &[Entry]| {
            let values = entries.iter().map(|entry| {
                let place = header.tensors.get(&entry.name);
                let place = place.filter(|place| place.dtype == "F32" && place.shape == entry.shape);
                let bytes = place.and_then(|place| {
                    let [start, end] = place.data_offsets;
                    data.get(start..end).filter(|bytes| bytes.len() == 4 * entry.size())
                });
                let bytes =
                    bytes.ok_or_else(|| wrong(format!("{:?} is missing or misshapen", entry.name)))?;
                let numbers: Vec<f32> = bytes.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
                if numbers.iter().all(|number| number.is_finite()) {
                    Ok(tensor(numbers, &device))
                } else {
                    Err(wrong(format!("{:?} has numbers that are not finite", entry.name)))
                }
            });
            values.collect::<Result<Vec<_>>>()
        };
        let weights =
            Weights { trained: values(&plan.layout.trained)?, running: values(&plan.layout.running)? };
        Ok(Self { architecture, shape, classes, device, plan, weights, seed, history, best })
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let layout = &self.plan.layout;
        let entries = layout.trained.iter().zip(&self.weights.trained);
        let entries = entries.chain(layout.running.iter().zip(&self.weights.running));
        let (mut tensors, mut data) = (BTreeMap::new(), Vec::new());
        for (entry, value) in entries {
            let start = data.len();
            numbers(value.clone())?.iter().for_each(|number| data.extend_from_slice(&number.to_le_bytes()));
            let (dtype, shape, data_offsets) = ("F32".to_owned(), entry.shape.clone(), [start, data.len()]);
            tensors.insert(entry.name.clone(), Place { dtype, shape, data_offsets });
        }
        let about = About {
            architecture: self.architecture,
            shape: self.shape,
            classes: self.classes,
            seed: self.seed,
            best: self.best,
            history: self.history.clone(),
            checksum: checksum(&data),
        };
        let json = |error: serde_json::Error| Error::Computation(error.to_string());
        let metadata = BTreeMap::from([(KEY.to_owned(), serde_json::to_string(&about).map_err(json)?)]);
        let header = serde_json::to_vec(&Header { metadata, tensors }).map_err(json)?;
        let mut bytes = Vec::with_capacity(8 + header.len() + data.len());
        bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&data);
        Ok(bytes)
    }
}

impl Network {
    /// Reads a network that is like this one from a file; one of another architecture, shape or number of classes is refused.
    pub fn load(&self, path: impl AsRef<Path>, classes: usize) -> Result<TrainedNetwork> {
        let path = path.as_ref();
        let expected = named(self.architecture(), self.shape(), classes);
        let found = read(path)?.0.name();
        if found != expected {
            return Err(Error::OtherNetwork { path: path.to_owned(), found, expected });
        }
        TrainedNetwork::load_to(path, self.on().clone())
    }
}

/// What a file says of itself, and its numbers, checked against the checksum.
fn read(path: &Path) -> Result<(About, Header, Vec<u8>)> {
    let mut bytes = fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let wrong = |why: &str| Error::NoCheckpoint { path: path.to_owned(), why: why.to_owned() };
    let (length, rest) = bytes.split_first_chunk().ok_or_else(|| wrong("it is too short for a header"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let header = rest.get(..length).ok_or_else(|| wrong("it ends within its header"))?;
    let header: Header = serde_json::from_slice(header).map_err(|_| wrong("its header cannot be read"))?;
    let about = header.metadata.get(KEY).ok_or_else(|| wrong("its metadata are not labelwise's"))?;
    let about: About = serde_json::from_str(about).map_err(|_| wrong("its metadata cannot be read"))?;
    let data = bytes.split_off(8 + length);
    if checksum(&data) != about.checksum {
        return Err(wrong("its numbers do not have the checksum they were written with"));
    }
    Ok((about, header, data))
}

/// Fowler, Noll and Vo's hash: a changed or missing byte changes it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
