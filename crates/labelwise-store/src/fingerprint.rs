//! What a file held, in 128 bits.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use twox_hash::xxhash3_128::Hasher;

/// XXH3 of a file's bytes. It tells another file from the same one, by accident or by edit; it is no signature.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("pool.csv");
/// std::fs::write(&path, "id,prob_a,prob_b\n1,0.5,0.5\n")?;
/// let before = labelwise_store::Fingerprint::of(&path)?;
/// std::fs::write(&path, "id,prob_a,prob_b\n1,0.4,0.6\n")?;
/// assert_ne!(before, labelwise_store::Fingerprint::of(&path)?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// That of a file, read in pieces.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut hasher = Hasher::new();
        let mut piece = vec![0; 1 << 18];
        loop {
            match file.read(&mut piece) {
                Ok(0) => return Ok(Self(hasher.finish_128())),
                Ok(read) => hasher.write(piece.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
