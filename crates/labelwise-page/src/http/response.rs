//! An answer, with the headers that keep browsers in their place.

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

/// The status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Timeout,
    Conflict,
    BodyTooLarge,
    NotThisType,
    Unprocessable,
    HeadTooLarge,
    Internal,
    Busy,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::Unauthorized => "401 Unauthorized",
            Self::Forbidden => "403 Forbidden",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::Timeout => "408 Request Timeout",
            Self::Conflict => "409 Conflict",
            Self::BodyTooLarge => "413 Content Too Large",
            Self::NotThisType => "415 Unsupported Media Type",
            Self::Unprocessable => "422 Unprocessable Content",
            Self::HeadTooLarge => "431 Request Header Fields Too Large",
            Self::Internal => "500 Internal Server Error",
            Self::Busy => "503 Service Unavailable",
        }
    }
}

/// What a page may do. Everything is refused that is not named; nothing is fetched from anywhere else.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// What a file of the labelled data may do: nothing at all.
pub(crate) const SANDBOX: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// Headers of every answer.
const ALWAYS: &str = "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
     Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
     Cross-Origin-Embedder-Policy: require-corp\r\nCache-Control: no-store\r\n\
     Permissions-Policy: camera=(), microphone=(), geolocation=()\r\n";

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: Status,
    kind: &'static str,
    policy: String,
    cookie: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Writes events until it fails.
pub(crate) type Stream = Arc<dyn Fn(&mut dyn Write) -> io::Result<()> + Send + Sync>;

/// What the server does with a request.
pub(crate) enum Reply {
    /// One answer.
    Whole(Response),
    /// Events until the client goes, or the server ends.
    Events(Stream),
}

impl Response {
    /// An answer with a body.
    pub(crate) fn new(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: Status::Ok, kind, policy: POLICY.to_owned(), cookie: None, body: body.into() }
    }

    /// An answer as JSON. Texts always fit into JSON.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        Self::new("application/json", serde_json::to_vec(value).unwrap_or_default())
    }

    /// A refusal: a stable code and a sentence.
    pub(crate) fn refuse(status: Status, code: &str, message: &str) -> Self {
        Self { status, ..Self::json(&json!({"error": {"code": code, "message": message}})) }
    }

    /// With another policy.
    pub(crate) fn policy(self, policy: String) -> Self {
        Self { policy, ..self }
    }

    /// With a cookie.
    pub(crate) fn cookie(self, cookie: String) -> Self {
        Self { cookie: Some(cookie), ..self }
    }

    /// Writes the answer; without its body if only the head was asked for.
    pub(crate) fn write(&self, to: &mut dyn Write, head_only: bool, closes: bool) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {}\r\n{ALWAYS}", self.status.line());
        head.push_str(&format!("Content-Type: {}\r\n", self.kind));
        head.push_str(&format!("Content-Security-Policy: {}\r\n", self.policy));
        head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        if let Some(cookie) = &self.cookie {
            head.push_str(&format!("Set-Cookie: {cookie}\r\n"));
        }
        head.push_str(if closes { "Connection: close\r\n\r\n" } else { "\r\n" });
        let mut bytes = head.into_bytes();
        if !head_only {
            bytes.extend_from_slice(&self.body);
        }
        to.write_all(&bytes)?;
        to.flush()
    }
}

/// The head of a stream of events.
pub(crate) fn start_events(to: &mut dyn Write) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\n{ALWAYS}Content-Type: text/event-stream\r\nContent-Security-Policy: {POLICY}\r\n\
         Connection: close\r\n\r\nretry: 1000\n\n"
    );
    to.write_all(head.as_bytes())?;
    to.flush()
}
