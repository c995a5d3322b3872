//! One connection: requests one after the other, each within a time.

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::request::{Head, Method, Request};
use super::response::{Reply, Response, Status, start_events};

/// Time for the head of a request, and for its body.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time that a connection may be silent between two requests.
const IDLE: Duration = Duration::from_secs(60);

/// Answers the requests of a connection until it ends. Errors of the connection end it.
pub(crate) fn serve(stream: TcpStream, answer: &dyn Fn(&Request) -> Reply) {
    let _ = converse(stream, answer);
}

fn converse(mut stream: TcpStream, answer: &dyn Fn(&Request) -> Reply) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = Reader { stream: stream.try_clone()?, held: Vec::new() };
    let mut idle = PATIENCE;
    loop {
        let request = match reader.request(idle) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(refusal) => {
                refusal.write(&mut stream, false, true)?;
                // What the client still sends would otherwise make its system drop our answer.
                return drain(&mut stream);
            }
        };
        idle = IDLE;
        match answer(&request) {
            Reply::Whole(response) => {
                response.write(&mut stream, request.method == Method::Head, request.closes())?;
                if request.closes() {
                    return Ok(());
                }
            }
            Reply::File(file) => {
                file.write(&mut stream, request.method == Method::Head, request.closes())?;
                if request.closes() {
                    return Ok(());
                }
            }
            Reply::Events(events) => {
                start_events(&mut stream)?;
                return events(&mut stream);
            }
        }
    }
}

/// Reads a little of what is left, so that a refusal arrives.
fn drain(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown(std::net::Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let (mut buffer, mut left) = ([0; 8192], 64);
    while left > 0 && stream.read(&mut buffer).is_ok_and(|read| read > 0) {
        left -= 1;
    }
    Ok(())
}

/// What was read and not used yet.
struct Reader {
    stream: TcpStream,
    held: Vec<u8>,
}

impl Reader {
    /// The next request; `None` if the client is silent or gone.
    fn request(&mut self, idle: Duration) -> Result<Option<Request>, Response> {
        if self.held.is_empty() && !self.more(Instant::now() + idle)? {
            return Ok(None);
        }
        let deadline = Instant::now() + PATIENCE;
        let Head { mut request, size, body } = loop {
            if let Some(head) = Request::head(&self.held)? {
                break head;
            }
            if !self.more(deadline)? {
                return Err(too_slow());
            }
        };
        while self.held.len() < size + body {
            if !self.more(deadline)? {
                return Err(too_slow());
            }
        }
        let rest = self.held.split_off(size + body);
        request.body = self.held.split_off(size);
        self.held = rest;
        Ok(Some(request))
    }

    /// Reads what there is; `false` if nothing came in time, or the client is gone.
    fn more(&mut self, deadline: Instant) -> Result<bool, Response> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
            return Ok(false);
        }
        let mut buffer = [0; 8192];
        match self.stream.read(&mut buffer) {
            Ok(read) => {
                self.held.extend_from_slice(buffer.get(..read).unwrap_or_default());
                Ok(read > 0)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(_) => Ok(false),
        }
    }
}

fn too_slow() -> Response {
    Response::refuse(Status::Timeout, "slow", "the request did not arrive within 10 seconds")
}
