//! A request, read within limits.

use super::response::{Response, Status};

/// Maximum number of headers.
const MOST_HEADERS: usize = 64;

/// Maximum size of the head of a request, in bytes.
pub(crate) const LARGEST_HEAD: usize = 16 << 10;

/// Maximum size of a body, in bytes.
pub(crate) const LARGEST_BODY: usize = 64 << 10;

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "they are HTTP's own")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options,
}

impl Method {
    /// All methods that the server knows; it refuses others before it looks at the address.
    pub const ALL: [Self; 7] =
        [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete, Self::Options];

    /// The name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }
}

/// A request. Names of headers are in lower case.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path as it was sent: nothing is decoded, so `%2e` is never a dot.
    pub(crate) path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// The head of a request, and the sizes of its parts.
pub(crate) struct Head {
    pub(crate) request: Request,
    /// Bytes of the head.
    pub(crate) size: usize,
    /// Bytes of the body that follows.
    pub(crate) body: usize,
}

impl Request {
    /// Reads the head at the start of `bytes`; `None` if it is not complete yet.
    pub(crate) fn head(bytes: &[u8]) -> Result<Option<Head>, Response> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let size = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(size)) if size <= LARGEST_HEAD => size,
            Ok(httparse::Status::Partial) if bytes.len() <= LARGEST_HEAD => return Ok(None),
            Ok(_) => return Err(Response::refuse(Status::HeadTooLarge, "head", "the head is too large")),
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Response::refuse(Status::HeadTooLarge, "head", "there are too many headers"));
            }
            Err(_) => return Err(malformed("the request is not HTTP/1.1")),
        };
        if parsed.version != Some(1) {
            return Err(malformed("the request is not HTTP/1.1"));
        }
        let method = Method::ALL.into_iter().find(|method| Some(method.name()) == parsed.method);
        let method = method.ok_or_else(|| {
            Response::refuse(Status::MethodNotAllowed, "method", "this method is not known here")
        })?;
        let target = parsed.path.unwrap_or_default();
        if !target.starts_with('/') || target.starts_with("//") || !target.is_ascii() {
            return Err(malformed("the address is not a path"));
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = decoded(query).ok_or_else(|| malformed("the query is not valid"))?;
        let mut named = Vec::with_capacity(parsed.headers.len());
        for header in parsed.headers.iter() {
            let value = std::str::from_utf8(header.value).map_err(|_| malformed("a header is not text"))?;
            named.push((header.name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let request = Self { method, path: path.to_owned(), query, headers: named, body: Vec::new() };
        let body = request.body_size()?;
        Ok(Some(Head { request, size, body }))
    }

    fn body_size(&self) -> Result<usize, Response> {
        if self.headers.iter().any(|(name, _)| name == "transfer-encoding") {
            return Err(malformed("bodies need a Content-Length"));
        }
        let Some(length) = self.one("content-length")? else { return Ok(0) };
        let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        match length.parse::<usize>() {
            Ok(size) if digits && size <= LARGEST_BODY => Ok(size),
            _ if digits => {
                Err(Response::refuse(Status::BodyTooLarge, "body", "the body is larger than 64 kB"))
            }
            _ => Err(malformed("the Content-Length is not a number")),
        }
    }

    /// The value of a header that must not be repeated.
    pub(crate) fn one(&self, name: &str) -> Result<Option<&str>, Response> {
        let mut values = self.headers.iter().filter(|(header, _)| header == name).map(|(_, value)| value);
        let first = values.next();
        match values.next() {
            None => Ok(first.map(String::as_str)),
            Some(_) => Err(malformed("a header is repeated")),
        }
    }

    /// The value of a parameter of the address.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(parameter, _)| parameter == name).map(|(_, value)| value.as_str())
    }

    /// Whether the client closes the connection after the answer.
    pub(crate) fn closes(&self) -> bool {
        self.headers.iter().any(|(name, value)| name == "connection" && value.eq_ignore_ascii_case("close"))
    }
}

fn malformed(message: &'static str) -> Response {
    Response::refuse(Status::BadRequest, "malformed", message)
}

/// The parameters of a query.
fn decoded(query: &str) -> Option<Vec<(String, String)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((unescaped(name)?, unescaped(value)?))
        })
        .collect()
}

/// Text without percent signs; `None` if it is not UTF-8.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let (high, low) = (char::from(rest.next()?), char::from(rest.next()?));
                u8::try_from(high.to_digit(16)? * 16 + low.to_digit(16)?).ok()?
            }
            b'+' => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_paths_are_not() {
        let head = b"GET /a%2e%2e?item=a%20b+%C3%A4&x HTTP/1.1\r\nHost: h\r\n\r\n";
        let head = Request::head(head).unwrap().unwrap();
        assert_eq!(head.request.path, "/a%2e%2e");
        assert_eq!(head.request.parameter("item"), Some("a b \u{e4}"));
        assert_eq!(head.request.parameter("x"), Some(""));
        assert!(Request::head(b"GET /?a=%ff HTTP/1.1\r\n\r\n").is_err());
        assert!(Request::head(b"GET /?a=%f HTTP/1.1\r\n\r\n").is_err());
        assert!(Request::head(b"GET / HTTP/1.1\r\nHo").unwrap().is_none());
    }
}
