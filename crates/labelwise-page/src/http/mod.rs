//! HTTP/1.1 as far as the page needs it: requests with limits, answers, one thread per connection.
//!
//! What the page never sends is refused: other versions, chunked bodies, absolute addresses, repeated headers. Time, sizes and
//! the number of connections are bounded, so that a slow or endless client costs one thread for a few seconds.

mod connection;
mod listener;
mod request;
mod response;

pub(crate) use connection::serve;
pub(crate) use listener::Listener;
pub use request::Method;
pub(crate) use request::Request;
pub(crate) use response::{POLICY, REPORT, Reply, Response, SANDBOX, Sent, Status};
