//! An answer, with the headers that keep browsers in their place.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

/// The status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    Part,
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
            Self::Part => "206 Partial Content",
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

/// What the report may do: show itself, with the style that is part of it.
pub(crate) const REPORT: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

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
    /// A file, or a part of it.
    File(Sent),
    /// Events until the client goes, or the server ends.
    Events(Stream),
}

/// A file on its way, in pieces, so that it is never in memory as a whole. Browsers ask for parts of a recording to move in it.
#[derive(Debug)]
pub(crate) struct Sent {
    kind: &'static str,
    file: File,
    size: u64,
    /// The first byte and the number of bytes, if not all are sent.
    part: Option<(u64, u64)>,
}

impl Sent {
    /// A file of so many bytes; `range` is what the client wants of it. What cannot be read of that is not heeded, as HTTP
    /// allows.
    pub(crate) fn new(kind: &'static str, file: File, size: u64, range: Option<&str>) -> Self {
        Self { kind, file, size, part: range.and_then(|range| part_of(range, size)) }
    }

    pub(crate) fn write(mut self, to: &mut dyn Write, head_only: bool, closes: bool) -> io::Result<()> {
        let (from, length) = self.part.unwrap_or((0, self.size));
        let status = if self.part.is_some() { Status::Part } else { Status::Ok };
        let mut head = head(status, self.kind, SANDBOX, length);
        head.push_str("Accept-Ranges: bytes\r\n");
        if self.part.is_some() {
            head.push_str(&format!("Content-Range: bytes {from}-{}/{}\r\n", from + length - 1, self.size));
        }
        head.push_str(if closes { "Connection: close\r\n\r\n" } else { "\r\n" });
        to.write_all(head.as_bytes())?;
        if !head_only {
            self.file.seek(SeekFrom::Start(from))?;
            // A file that became shorter ends the connection: the length was promised.
            if io::copy(&mut self.file.take(length), to)? < length {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        to.flush()
    }
}

/// The first byte and the number of bytes of a range like `bytes=0-99`, `bytes=100-` or `bytes=-50`.
fn part_of(range: &str, size: u64) -> Option<(u64, u64)> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok());
    let (from, to) = match (first, last) {
        ("", last) => (size.saturating_sub(number(last)??), size.checked_sub(1)?),
        (first, "") => (number(first)??, size.checked_sub(1)?),
        (first, last) => (number(first)??, number(last)??.min(size.checked_sub(1)?)),
    };
    (from <= to && from < size).then(|| (from, to - from + 1))
}

/// The start of an answer's head: what every answer has.
fn head(status: Status, kind: &str, policy: &str, length: u64) -> String {
    format!(
        "HTTP/1.1 {}\r\n{ALWAYS}Content-Type: {kind}\r\nContent-Security-Policy: {policy}\r\nContent-Length: {length}\r\n",
        status.line()
    )
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
        let mut head = head(self.status, self.kind, &self.policy, self.body.len() as u64);
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

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn parts_of_a_file_are_those_of_the_range() {
        assert_eq!(part_of("bytes=0-9", 100), Some((0, 10)));
        assert_eq!(part_of("bytes=90-", 100), Some((90, 10)));
        assert_eq!(part_of("bytes=90-400", 100), Some((90, 10)));
        assert_eq!(part_of("bytes=-30", 100), Some((70, 30)));
        assert_eq!(part_of("bytes=-300", 100), Some((0, 100)));
        for odd in
            ["bytes=100-", "bytes=9-1", "bytes=-0", "bytes=+1-2", "bytes=1-2,4-5", "lines=1-2", "bytes=-", ""]
        {
            assert_eq!(part_of(odd, 100), None, "{odd}");
        }
        assert_eq!(part_of("bytes=0-", 0), None);
    }
}
