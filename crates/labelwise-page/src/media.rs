//! Images and audio of items: files below one folder, named by a column of the item, sent by what they contain.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Component, Path, PathBuf};

use crate::error::Error;

/// Maximum size of a file, in bytes.
const LARGEST: u64 = 64 << 20;

/// A file that may be sent.
#[derive(Debug)]
pub(crate) struct Sendable {
    pub(crate) kind: &'static str,
    pub(crate) file: File,
    /// In bytes.
    pub(crate) size: u64,
}

/// A folder of images and audio.
#[derive(Debug, Clone)]
pub(crate) struct Media {
    root: PathBuf,
}

/// Bytes that tell the type of a file.
const START: u64 = 64;

/// Why a file is not sent. The page says it in place of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsent {
    /// It is not below the folder, or does not exist.
    NotThere,
    /// It is not an image or audio that browsers show safely.
    NotMedia,
    /// It is too large.
    TooLarge,
}

impl Media {
    /// A folder that exists.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Media { path: folder.to_owned(), source };
        let root = folder.canonicalize().map_err(failed)?;
        fs::read_dir(&root).map_err(failed)?;
        Ok(Self { root })
    }

    /// The file that a column names, and its type.
    pub(crate) fn read(&self, name: &str) -> Result<Sendable, Unsent> {
        let path = self.resolve(name).ok_or(Unsent::NotThere)?;
        let before = fs::symlink_metadata(&path).map_err(|_| Unsent::NotThere)?;
        if !before.is_file() {
            return Err(Unsent::NotThere);
        }
        let mut file = File::open(&path).map_err(|_| Unsent::NotThere)?;
        // Between the two looks, the name may have come to mean another file.
        let opened = file.metadata().map_err(|_| Unsent::NotThere)?;
        if !opened.is_file() || !is_same(&before, &opened) {
            return Err(Unsent::NotThere);
        }
        if opened.len() > LARGEST {
            return Err(Unsent::TooLarge);
        }
        let mut start = Vec::new();
        let read = |file: &mut File, start: &mut Vec<u8>| {
            file.take(START).read_to_end(start)?;
            file.rewind()
        };
        read(&mut file, &mut start).map_err(|_: io::Error| Unsent::NotThere)?;
        let kind = kind_of(&start).ok_or(Unsent::NotMedia)?;
        Ok(Sendable { kind, file, size: opened.len() })
    }

    /// A relative name of plain parts, below the folder also after every link was followed.
    fn resolve(&self, name: &str) -> Option<PathBuf> {
        let name = name.trim();
        let is_plain = !name.is_empty()
            && name.len() <= 1024
            && !name.contains(['\\', '\0', ':', '%'])
            && name.chars().all(|letter| !letter.is_control());
        let parts = Path::new(name).components().collect::<Vec<_>>();
        if !is_plain || !parts.iter().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let path = self.root.join(name).canonicalize().ok()?;
        path.starts_with(&self.root).then_some(path)
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.len() == other.len()
}

/// The type of a file by its first bytes. SVG is a document that can run scripts, so it is not among them.
fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    let at = |place: usize, mark: &[u8]| bytes.get(place..).is_some_and(|rest| rest.starts_with(mark));
    let kind = match () {
        () if at(0, b"\x89PNG\r\n\x1a\n") => "image/png",
        () if at(0, b"\xff\xd8\xff") => "image/jpeg",
        () if at(0, b"GIF87a") || at(0, b"GIF89a") => "image/gif",
        () if at(0, b"RIFF") && at(8, b"WEBP") => "image/webp",
        () if at(4, b"ftypavif") || at(4, b"ftypavis") => "image/avif",
        () if at(0, b"BM") && at(6, &[0, 0, 0, 0]) => "image/bmp",
        () if at(0, b"RIFF") && at(8, b"WAVE") => "audio/wav",
        () if at(0, b"OggS") => "audio/ogg",
        () if at(0, b"fLaC") => "audio/flac",
        () if at(4, b"ftypM4A") => "audio/mp4",
        () if at(0, b"ID3") || (at(0, &[0xff]) && bytes.get(1).is_some_and(|byte| byte & 0xe6 == 0xe2)) => {
            "audio/mpeg"
        }
        () => return None,
    };
    Some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    #[test]
    fn files_are_read_below_the_folder_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("media");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/cat.png"), PNG).unwrap();
        fs::write(root.join("cat.svg"), "<svg onload='alert(1)'/>").unwrap();
        fs::write(root.join("page.png"), "<html><script>alert(1)</script>").unwrap();
        fs::write(folder.path().join("secret.png"), PNG).unwrap();
        fs::create_dir_all(folder.path().join("media-twin")).unwrap();
        fs::write(folder.path().join("media-twin/x.png"), PNG).unwrap();
        let media = Media::open(&root).unwrap();
        assert_eq!(media.read("a/cat.png").unwrap().kind, "image/png");
        assert_eq!(media.read(" a/cat.png ").unwrap().kind, "image/png");
        assert_eq!(media.read("cat.svg").err(), Some(Unsent::NotMedia));
        assert_eq!(media.read("page.png").err(), Some(Unsent::NotMedia));
        let absolute = folder.path().join("secret.png").display().to_string();
        for name in [
            "../secret.png",
            "a/../../secret.png",
            "./../secret.png",
            "..\\secret.png",
            "a\\..\\..\\secret.png",
            "..%2fsecret.png",
            "%2e%2e/secret.png",
            "../media-twin/x.png",
            "C:\\secret.png",
            "C:secret.png",
            "\\\\host\\share\\x.png",
            "//host/share/x.png",
            "file:///etc/passwd",
            "http://example.test/x.png",
            "/etc/passwd",
            "/dev/zero",
            "a",
            "",
            ".",
            "a/cat.png\0.txt",
            "missing.png",
            absolute.as_str(),
        ] {
            assert_eq!(media.read(name).err(), Some(Unsent::NotThere), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_and_devices_are_refused() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("media");
        fs::create_dir_all(&root).unwrap();
        fs::write(folder.path().join("secret.png"), PNG).unwrap();
        fs::write(root.join("cat.png"), PNG).unwrap();
        symlink(folder.path().join("secret.png"), root.join("out.png")).unwrap();
        symlink(folder.path(), root.join("up")).unwrap();
        symlink("/dev/zero", root.join("zero.png")).unwrap();
        symlink("cat.png", root.join("in.png")).unwrap();
        let media = Media::open(&root).unwrap();
        for name in ["out.png", "up/secret.png", "zero.png"] {
            assert_eq!(media.read(name).err(), Some(Unsent::NotThere), "{name}");
        }
        assert_eq!(media.read("in.png").unwrap().kind, "image/png");
    }

    #[test]
    fn types_are_those_of_the_bytes() {
        assert_eq!(kind_of(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(kind_of(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(kind_of(b"RIFF\0\0\0\0WAVEfmt "), Some("audio/wav"));
        assert_eq!(kind_of(b"\xff\xfb\x90\x00"), Some("audio/mpeg"));
        assert_eq!(kind_of(b"%PDF-1.7"), None);
        assert_eq!(kind_of(b"<svg xmlns="), None);
        assert_eq!(kind_of(b""), None);
    }
}
