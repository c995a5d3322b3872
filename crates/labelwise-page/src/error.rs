//! Errors of the labelling page.

use std::io;
use std::path::PathBuf;

use labelwise::words::quoted;

/// Why the labelling page cannot start or answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The evaluation refused the request.
    #[error(transparent)]
    Study(#[from] labelwise_study::Error),
    /// The port is taken.
    #[error(
        "port {port} is taken by another program: choose another with --port, or --port 0 for any free one"
    )]
    PortTaken { port: u16 },
    /// The address cannot be used.
    #[error("the page cannot listen at {address}: {source}")]
    Listen { address: String, source: io::Error },
    /// Other machines could come in without a secret.
    #[error(
        "--listen {address} lets other machines in: give --token-file with a secret of at least 32 characters"
    )]
    NoTokenFile { address: String },
    /// The secret is too short.
    #[error("the token has {characters} characters, but needs at least 32: `openssl rand -hex 32` makes one")]
    ShortToken { characters: usize },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for the page's secret; nothing was opened")]
    NoSecret,
    /// The column to show does not exist.
    #[error("{} is not a column that labellers see; there are {known}{near}", quoted(.column))]
    NoColumn { column: String, known: String, near: String },
    /// The classes do not say which side is better.
    #[error(
        "--pair needs a class for each side, named like its column, or a and b; the classes are {classes}"
    )]
    PairClasses { classes: String },
    /// Both sides would be the same.
    #[error("--pair needs two columns, but both are {}", quoted(.column))]
    PairSame { column: String },
    /// The folder of media does not exist.
    #[error("{} is not a folder that can be read: {source}", .path.display())]
    Media { path: PathBuf, source: io::Error },
    /// The name cannot be recorded.
    #[error("{} is not a name: give 1 to 60 printable characters", quoted(.name))]
    Name { name: String },
    /// Nothing is left to label.
    #[error("every item that can be asked has an answer: nothing is left to label")]
    Finished,
    /// The next items could not be drawn.
    #[error("no item could be drawn: {reason}")]
    NoDraws { reason: String },
    /// The thread that records has ended.
    #[error("the page cannot record any more: start it again; every label that was saved is on disk")]
    Stopped,
    /// No thread could be started.
    #[error("no thread can be started for the page: {source}")]
    Thread { source: io::Error },
}

labelwise::error_codes! {
    pub Error {
        PortTaken => "port-taken",
        Listen => "listen",
        NoTokenFile => "no-token-file",
        ShortToken => "short-token",
        NoSecret => "no-secret",
        NoColumn => "no-column",
        PairClasses => "pair-classes",
        PairSame => "pair-same",
        Media => "media",
        Name => "name",
        Finished => "finished",
        NoDraws => "no-draws",
        Stopped => "stopped",
        Thread => "thread",
    }
    in Study
}
