//! A small HTTP client: one server, JSON in both directions, and limits on time and size.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{Request, Uri};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Proxy};

use crate::error::{Error, Result, Unreachable};

/// Maximum size of an answer, in bytes. A page of tasks has a few hundred kilobytes.
const LARGEST: u64 = 64 << 20;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(15);

/// The variable that names certificates of a company's own authority, as other programs read it.
const CERTIFICATES: &str = "SSL_CERT_FILE";

/// The address of a server: `http` or `https`, host, perhaps a port and a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    is_secret: bool,
    is_local: bool,
}

impl Address {
    /// Checks an address. It must not have a user, a query or a fragment.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim().trim_end_matches('/');
        let bad = |why: &'static str| Error::Address { text: text.to_owned(), why };
        let uri: Uri = text.parse().map_err(|_| bad("is not an address"))?;
        let is_secret = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(bad("does not start with http:// or https://")),
        };
        let authority = uri.authority().filter(|authority| !authority.host().is_empty());
        let authority = authority.ok_or_else(|| bad("has no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("has a user name, which belongs into no address"));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(bad("has a query or a fragment"));
        }
        let host = authority.host();
        let is_local = host == "localhost"
            || host == "[::1]"
            || host.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
        Ok(Self { text: text.to_owned(), is_secret, is_local })
    }

    /// The address, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether what is sent can be read on its way: not encrypted, and to another machine.
    pub fn is_open(&self) -> bool {
        !self.is_secret && !self.is_local
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The body, if it is JSON.
    pub(crate) body: Option<Value>,
    /// Where the server sends us instead.
    pub(crate) location: Option<String>,
    /// How long the server wants us to wait.
    pub(crate) wait: Option<Duration>,
}

/// Requests to one server.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    agent: Agent,
    address: Address,
}

impl Http {
    pub(crate) fn new(address: Address, timeout: Duration) -> Result<Self> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirected request would send labels, or a token, to somebody else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(timeout))
            .timeout_connect(Some(CONNECT.min(timeout)))
            .user_agent(concat!("labelwise/", env!("CARGO_PKG_VERSION")))
            .proxy(if address.is_local { None } else { Proxy::try_from_env() });
        if let Some(path) = std::env::var_os(CERTIFICATES).filter(|path| !path.is_empty()) {
            let roots = RootCerts::Specific(Arc::new(certificates(Path::new(&path))?));
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self { agent: config.build().new_agent(), address })
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request and reads the answer.
    pub(crate) fn send(
        &self,
        method: &'static str,
        path: &str,
        authorization: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Reply> {
        let failed = |why: Unreachable| Error::Unreachable { address: self.address.text.clone(), why };
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.address.text));
        if let Some(authorization) = authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let text = match body {
            Some(body) => {
                request = request.header(CONTENT_TYPE, "application/json");
                serde_json::to_vec(body).map_err(|_| failed(Unreachable::Request))?
            }
            None => Vec::new(),
        };
        let sent = match body {
            Some(_) => self.agent.run(request.body(text).map_err(|_| failed(Unreachable::Request))?),
            None => self.agent.run(request.body(()).map_err(|_| failed(Unreachable::Request))?),
        };
        let mut answer = sent.map_err(|error| failed(error.into()))?;
        let header = |name| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
        let location = header(LOCATION);
        let wait = header(RETRY_AFTER).and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let status = answer.status().as_u16();
        let read = answer.body_mut().with_config().limit(LARGEST).read_to_vec();
        let bytes = read.map_err(|error| failed(error.into()))?;
        Ok(Reply { status, body: serde_json::from_slice(&bytes).ok(), location, wait })
    }
}

/// The certificates in a file.
fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>> {
    let bad = || Error::Certificates { path: path.to_owned() };
    let bytes = fs::read(path).map_err(|_| bad())?;
    let found: Vec<Certificate<'static>> = parse_pem(&bytes)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if found.is_empty() { Err(bad()) } else { Ok(found) }
}

/// A text as a part of a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Address, encoded};

    #[test]
    fn addresses_are_checked() {
        for text in ["http://localhost:8080", "https://labels.example.org/studio/", "http://10.0.0.1"] {
            assert!(Address::parse(text).is_ok(), "{text}");
        }
        for text in
            ["", "localhost:8080", "ftp://a", "http://", "http://ada:secret@a", "http://a/?b=c", "http://a b"]
        {
            assert_eq!(Address::parse(text).unwrap_err().code(), "address", "{text}");
        }
        assert_eq!(Address::parse(" http://a/b/ ").unwrap().as_str(), "http://a/b");
        let open = |text| Address::parse(text).unwrap().is_open();
        assert!(open("http://labels.example.org") && open("http://127.evil.example.org"));
        assert!(
            !open("https://labels.example.org") && !open("http://127.0.0.1:80") && !open("http://[::1]:80")
        );
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(encoded("a b&ä/\"1\""), "a%20b%26%C3%A4%2F%221%22");
    }
}
