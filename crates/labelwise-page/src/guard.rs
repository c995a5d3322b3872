//! Which requests may come in at all: those that this page, in this browser, sends to this address.
//!
//! A page of another site can send requests to a local server, and can point its own name at it. So the host must be one of a
//! fixed list, an origin must be equal to the host, and browsers must say that the request is from the same site. No header
//! loosens what another one forbids, but for a link that a person follows: it opens the shell, which has no data.

use crate::http::{Method, Request, Response, Status};

/// The addresses that the server answers to, as `host:port`.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    hosts: Vec<String>,
}

impl Guard {
    /// The names of this machine at a port, and others that the owner allows.
    pub(crate) fn new(port: u16, others: &[String]) -> Self {
        let own = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        Self { hosts: own.into_iter().chain(others.iter().cloned()).collect() }
    }

    /// Refuses a request that another site could have caused.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Response> {
        let host = request.one("host")?.unwrap_or_default();
        if !self.hosts.iter().any(|known| known == host) {
            return Err(forbidden("host", "this server does not answer to that name"));
        }
        let origin = request.one("origin")?;
        let is_own = |origin: &str| origin == format!("http://{host}");
        if origin.is_some_and(|origin| !is_own(origin)) {
            return Err(forbidden("origin", "the request comes from another page"));
        }
        match request.one("sec-fetch-site")? {
            None | Some("same-origin" | "none") => {}
            Some(_) if is_followed_link(request)? => {}
            Some(_) => return Err(forbidden("site", "the request comes from another site")),
        }
        if matches!(request.method, Method::Get | Method::Head) {
            return Ok(());
        }
        if origin.is_none() {
            return Err(forbidden("origin", "the request does not say which page it comes from"));
        }
        if !request.body.is_empty() && request.one("content-type")? != Some("application/json") {
            return Err(Response::refuse(
                Status::NotThisType,
                "content-type",
                "bodies must be application/json",
            ));
        }
        Ok(())
    }
}

/// Whether a link in a mail, a chat or a notebook opens the shell in a tab of its own. No frame and no script can ask like that.
fn is_followed_link(request: &Request) -> Result<bool, Response> {
    let is_shell = request.method == Method::Get && request.path == "/";
    let mode = request.one("sec-fetch-mode")?;
    Ok(is_shell && mode == Some("navigate") && request.one("sec-fetch-dest")? == Some("document"))
}

fn forbidden(code: &str, message: &str) -> Response {
    Response::refuse(Status::Forbidden, code, message)
}
