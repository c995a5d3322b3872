//! Sets from the addresses at which their makers publish them, by curl, which every system of today has. A checksum decides
//! whether what came is what was published.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use md5::{Digest, Md5};

use super::client::Client;
use super::package::unpack;
use crate::error::{Error, Result};
use crate::known::known_files;
use crate::read::digits;
use crate::set::Set;

/// Where a set is published.
struct Address {
    /// Its folder.
    folder: &'static str,
    /// The archive that has all files of the set, and its MD5; without one, every file is there by itself, packed.
    archive: Option<(&'static str, &'static str)>,
}

const fn address(set: Set) -> Address {
    const KRIZ: &str = "https://www.cs.toronto.edu/~kriz";
    match set {
        Set::Mnist => Address { folder: "https://ossci-datasets.s3.amazonaws.com/mnist", archive: None },
        Set::FashionMnist => {
            Address { folder: "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com", archive: None }
        }
        Set::Cifar10 => Address {
            folder: KRIZ,
            archive: Some(("cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530")),
        },
        Set::Cifar100 => Address {
            folder: KRIZ,
            archive: Some(("cifar-100-binary.tar.gz", "03b5dce01913d631647c71ecec9e9cb8")),
        },
    }
}

/// Fetches a set into a folder and says where its files are, in the order in which they are known. They are not verified,
/// but for the archive that they come in. Another address stands in for the makers', with a folder for each set.
pub(super) fn fetch(
    set: Set,
    other: Option<&str>,
    aside: &Path,
    says: &dyn Fn(&str),
) -> Result<Vec<PathBuf>> {
    let Address { folder, archive } = address(set);
    let from = other
        .map_or_else(|| folder.to_owned(), |other| format!("{}/{}", other.trim_end_matches('/'), set.name()));
    let into = aside.join("published");
    fs::create_dir_all(&into).map_err(Error::file(&into, "made"))?;
    says(&format!("Fetching {set} from {from}"));
    let Some((name, md5)) = archive else {
        let file = |name: &str| download(set, &from, &format!("{name}.gz"), &into);
        return known_files(set).iter().map(|known| file(known.name)).collect();
    };
    let path = download(set, &from, name, &into)?;
    // A stand-in may have packed the same files in another way; of CIFAR-100 the archive's checksum is all that is known.
    if other.is_none() {
        let bytes = fs::read(&path).map_err(Error::file(&path, "read"))?;
        let found = digits(&Md5::digest(&bytes));
        if found != md5 {
            let why = format!("its MD5 is {found} instead of {md5}");
            return Err(Error::WrongPackage { set, file: name, why });
        }
    }
    says(&format!("Unpacking {set}"));
    let file = File::open(&path).map_err(Error::file(&path, "read"))?;
    unpack(set, GzDecoder::new(BufReader::new(file)), "", &into)
}

fn download(set: Set, from: &str, name: &str, into: &Path) -> Result<PathBuf> {
    let path = into.join(name);
    Client::new(set, "curl", into, "install curl")
        .args(["--fail", "--location", "--silent", "--show-error", "--connect-timeout", "10", "--output"])
        .args([name, &format!("{from}/{name}")])
        .succeed()?;
    Ok(path)
}
