//! Errors of the connection to other tools.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use labelwise::words::{listed, quoted, thousands};

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why another tool cannot be used, or a file of another tool cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The evaluation refused the request.
    #[error(transparent)]
    Study(#[from] labelwise_study::Error),
    /// The address of the server cannot be used.
    #[error(
        "{} {why}: give --url, or set LABEL_STUDIO_URL, such as http://localhost:8080",
        if .text.is_empty() { "the address".to_owned() } else { quoted(.text) }
    )]
    Address { text: String, why: &'static str },
    /// There is no token.
    #[error(
        "there is no token for {address}: set LABEL_STUDIO_API_KEY to a token of Label Studio (Account & Settings), or name a \
         file with --token-file"
    )]
    NoToken { address: String },
    /// The token cannot be one.
    #[error("the token is not one: it must be a line of letters, digits and dots; nothing was sent")]
    BadToken,
    /// The certificates cannot be read.
    #[error("{} has no certificates that can be read: change or unset SSL_CERT_FILE", .path.display())]
    Certificates { path: PathBuf },
    /// The server does not answer.
    #[error("{address} does not answer ({why}); nothing is lost: run the command again")]
    Unreachable { address: String, why: Unreachable },
    /// The server answers with something else.
    #[error(
        "{address} does not answer as Label Studio does ({what}): check the address; nothing is lost, and the command can be \
         run again"
    )]
    Nonsense { address: String, what: String },
    /// The server is busy or broken.
    #[error("{address} cannot answer now (status {status}); nothing is lost: run the command again")]
    ServerBusy { address: String, status: u16, wait: Option<Duration> },
    /// The server sends requests somewhere else.
    #[error("{address} sends requests to {}: use the address that it wants", quoted(.to))]
    Moved { address: String, to: String },
    /// The token is refused.
    #[error(
        "{address} refuses the token ({detail}): make a new personal access token there (Account & Settings) and set \
         LABEL_STUDIO_API_KEY; nothing is lost"
    )]
    TokenRefused { address: String, detail: String },
    /// The user of the token has no right.
    #[error("{address} does not allow this user to {deed}: ask its owner for the right; nothing is lost")]
    NoRights { address: String, deed: &'static str },
    /// The server refuses a request.
    #[error("{address} refuses to {deed}: {detail}")]
    ServerRefused { address: String, deed: &'static str, detail: String },
    /// Nothing was put there yet.
    #[error("this evaluation has no project at {address} yet: `labelwise ls push` makes one")]
    NoProject { address: String },
    /// The project is not there any more.
    #[error(
        "project {project} is not at {address}, or this user cannot see it; every label that was taken over is on record: \
         name another with --project, or make one with --project new"
    )]
    ProjectGone { address: String, project: u64 },
    /// The project belongs to another evaluation.
    #[error(
        "project {project} at {address} belongs to another evaluation ({other}): leave --project out, or make one with \
         --project new; nothing was changed"
    )]
    OtherProject { address: String, project: u64, other: String },
    /// The project has tasks of its own.
    #[error(
        "project {project} at {address} has {} that labelwise did not put there: name an empty project, or leave --project \
         out", if *.tasks == 1 { "1 task".to_owned() } else { format!("{} tasks", thousands(*.tasks)) }
    )]
    ForeignTasks { address: String, project: u64, tasks: usize },
    /// The column to show does not exist.
    #[error("{} is not a column that labellers see; there are {known}{near}", quoted(.column))]
    NoSuchColumn { column: String, known: String, near: String },
    /// The classes do not say which side is better.
    #[error("--pair needs a class for each side, named like its column, or a and b; the classes are {}", listed(.classes))]
    NoSides { classes: Vec<String> },
    /// A file of annotations cannot be read.
    #[error("{what}{}", line.map_or_else(String::new, |line| format!(" (line {line})")))]
    File { what: String, line: Option<usize> },
    /// The file belongs to another evaluation.
    #[error(
        "the file has items of the evaluation {other}, but this is {own}: it was made for another evaluation; no labels were \
         recorded"
    )]
    OtherEvaluation { own: String, other: String },
}

labelwise::error_codes! {
    pub Error {
        Address => "address",
        NoToken => "no-token",
        BadToken => "bad-token",
        Certificates => "certificates",
        Unreachable => "unreachable",
        Nonsense => "nonsense",
        ServerBusy => "server-busy",
        Moved => "moved",
        TokenRefused => "token-refused",
        NoRights => "no-rights",
        ServerRefused => "server-refused",
        NoProject => "no-project",
        ProjectGone => "project-gone",
        OtherProject => "other-project",
        ForeignTasks => "foreign-tasks",
        NoSuchColumn => "no-such-column",
        NoSides => "no-sides",
        File => "annotations-file",
        OtherEvaluation => "other-evaluation",
    }
    in Study
}

impl Error {
    /// Whether the same request may succeed later, without anybody doing something.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::ServerBusy { .. } | Self::Nonsense { .. })
    }

    /// How long the server wants us to wait.
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self {
            Self::ServerBusy { wait, .. } => *wait,
            _ => None,
        }
    }
}

/// Why a server did not answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unreachable {
    /// No address belongs to its name.
    UnknownHost,
    /// It took too long.
    Timeout,
    /// It answered with more than we read.
    TooLarge,
    /// The request cannot be sent.
    Request,
    /// The connection failed, with the words of the system.
    Connection(String),
}

impl From<ureq::Error> for Unreachable {
    fn from(error: ureq::Error) -> Self {
        match error {
            ureq::Error::HostNotFound => Self::UnknownHost,
            ureq::Error::Timeout(_) => Self::Timeout,
            ureq::Error::BodyExceedsLimit(_) => Self::TooLarge,
            ureq::Error::Io(error) => match error.kind() {
                std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => Self::Timeout,
                _ => Self::Connection(error.to_string()),
            },
            other => Self::Connection(other.to_string()),
        }
    }
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownHost => f.write_str("no machine has this name"),
            Self::Timeout => f.write_str("it takes too long; --timeout waits longer"),
            Self::TooLarge => f.write_str("its answer is larger than 64 MiB"),
            Self::Request => f.write_str("the request cannot be written"),
            Self::Connection(words) => f.write_str(words),
        }
    }
}
