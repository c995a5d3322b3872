//! Label Studio: one project per evaluation, with the items that were drawn and no others.
//!
//! Everything that was put there is found again by the keys in the data of its tasks, so nothing depends on what the last command
//! had time to record. The server never chooses an item: it serves them in the order of the draws.

pub(crate) mod config;
mod document;
mod mirror;
mod project;
mod server;
mod sync;
pub(crate) mod task;
mod watch;

pub use document::Document;
pub use project::Place;
pub use server::{Server, Token};
pub use sync::{Bridge, Options, Pulled, Pushed};
pub use watch::{Round, Watch, is_over, opened, pause_after, watch};

use std::time::Duration;

use labelwise_study::Study;

use crate::error::{Error, Result};
use crate::http::Address;

/// The name of the tool on record.
pub(crate) const TOOL: &str = "label-studio";

/// The variable that names the server; Label Studio's own programs read the same.
const ADDRESS_VARIABLE: &str = "LABEL_STUDIO_URL";

/// The variable of the token.
const TOKEN_VARIABLE: &str = "LABEL_STUDIO_API_KEY";

/// The address of a server that nobody has named.
const USUAL_ADDRESS: &str = "http://localhost:8080";

/// The server of an evaluation: that which is named, or the environment names, or was used last.
pub fn server(
    study: &Study,
    address: Option<&str>,
    token: Option<&str>,
    timeout: Duration,
) -> Result<Server> {
    let variable = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
    let address = match address.map(str::to_owned).or_else(|| variable(ADDRESS_VARIABLE)) {
        Some(address) => address,
        None => study.link(TOOL)?.map_or_else(|| USUAL_ADDRESS.to_owned(), |link| link.address),
    };
    let address = Address::parse(&address)?;
    let token = token.map(str::to_owned).or_else(|| variable(TOKEN_VARIABLE));
    let token = token.ok_or_else(|| Error::NoToken { address: address.as_str().to_owned() })?;
    Server::new(address, Token::parse(&token)?, timeout)
}
