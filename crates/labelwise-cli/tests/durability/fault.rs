//! The disk fails at a chosen call; see `fault.c`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// How it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Half of the call is done, then the process is killed.
    Kill,
    /// The call fails once.
    Eio,
    /// All writing fails from that call on.
    Full,
    /// Nothing can be opened to write.
    Frozen,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Eio => "eio",
            Self::Full => "full",
            Self::Frozen => "frozen",
        }
    }
}

/// Lets a command's disk fail at the n-th call that changes a file in a folder.
pub(crate) fn fails<'a>(command: &'a mut Command, folder: &Path, kind: Kind, at: usize) -> &'a mut Command {
    let folder = folder.canonicalize().unwrap();
    command.env("LD_PRELOAD", library()).env("FAULT_FOLDER", folder);
    command.env("FAULT_KIND", kind.name()).env("FAULT_AT", at.to_string())
}

/// Lets a command write down what it changes in a folder.
pub(crate) fn watched<'a>(command: &'a mut Command, folder: &Path, log: &Path) -> &'a mut Command {
    let folder = folder.canonicalize().unwrap();
    command.env("LD_PRELOAD", library()).env("FAULT_FOLDER", folder).env("FAULT_LOG", log)
}

/// The library, compiled once a run of the tests. A C compiler is there: SQLite was compiled by it.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durability/fault.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fault-{}.so", std::process::id()));
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
        assert!(command.status().unwrap().success(), "fault.c cannot be compiled");
        library
    })
}
