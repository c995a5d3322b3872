//! The routes. Authentication is the outermost layer: a request without a session is refused before its route is looked up,
//! except for the shell and the exchange of a token.

mod of_owner;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::assets::{ASSETS, NONCE, SHELL};
use crate::desk::{Desk, Wish};
use crate::error::Error;
use crate::guard::Guard;
use crate::http::{Method, Reply, Request, Response, Sent, Status};
use crate::media::{Media, Sendable, Unsent};
use crate::sessions::{Naming, Role, Session, Sessions, secret, valid_name};

/// Maximum number of earlier answers that are sent.
const LONGEST_HISTORY: usize = 200;

/// Time between two signs of life of a stream of events.
const ALIVE: Duration = Duration::from_secs(10);

/// Shortest time between two events.
const PAUSE: Duration = Duration::from_millis(200);

/// Everything that requests are answered from.
pub(crate) struct App {
    pub(crate) desk: Arc<Desk>,
    pub(crate) sessions: Sessions,
    pub(crate) guard: Guard,
    pub(crate) media: Option<Media>,
    pub(crate) about: About,
    pub(crate) stopped: Arc<AtomicBool>,
}

/// What does not change while the server runs.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// The name of the evaluation.
    pub(crate) title: String,
    /// The command that starts the page again.
    pub(crate) command: String,
    /// Tells evaluations apart, so that answers that a browser keeps go to the right one.
    pub(crate) evaluation: String,
    pub(crate) address: String,
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Open,
    /// A session.
    Session,
    /// A session that has a name.
    Named,
    /// The owner's session.
    Owner,
}

type Handler = fn(&App, &Request, &Caller) -> Result<Reply, Response>;

/// A route of the server.
pub(crate) struct Route {
    /// The method.
    pub method: Method,
    /// The path.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    handler: Handler,
}

/// Who sends a request.
pub(crate) struct Caller {
    secret: String,
    session: Session,
    name: String,
}

/// Every route but the files of the page, which need a session.
pub(crate) const ROUTES: [Route; 20] = [
    Route { method: Method::Get, path: "/", access: Access::Open, handler: shell },
    Route { method: Method::Post, path: "/api/session", access: Access::Open, handler: refused_by_layer },
    Route { method: Method::Delete, path: "/api/session", access: Access::Session, handler: leave },
    Route { method: Method::Get, path: "/api/state", access: Access::Session, handler: state },
    Route { method: Method::Post, path: "/api/person", access: Access::Session, handler: person },
    Route { method: Method::Get, path: "/api/next", access: Access::Named, handler: next },
    Route { method: Method::Post, path: "/api/labels", access: Access::Named, handler: labels },
    Route { method: Method::Post, path: "/api/later", access: Access::Named, handler: later },
    Route { method: Method::Get, path: "/api/history", access: Access::Named, handler: history },
    Route { method: Method::Get, path: "/api/item", access: Access::Named, handler: item },
    Route { method: Method::Get, path: "/api/progress", access: Access::Named, handler: progress },
    Route { method: Method::Get, path: "/api/events", access: Access::Named, handler: events },
    Route { method: Method::Get, path: "/api/guide", access: Access::Session, handler: guide },
    Route { method: Method::Get, path: "/api/media", access: Access::Named, handler: media },
    Route { method: Method::Get, path: "/api/owner", access: Access::Owner, handler: of_owner::overview },
    Route {
        method: Method::Get,
        path: "/api/owner/chart.svg",
        access: Access::Owner,
        handler: of_owner::chart,
    },
    Route {
        method: Method::Get,
        path: "/api/owner/report.html",
        access: Access::Owner,
        handler: of_owner::report,
    },
    Route { method: Method::Post, path: "/api/owner/look", access: Access::Owner, handler: of_owner::look },
    Route { method: Method::Post, path: "/api/owner/goal", access: Access::Owner, handler: of_owner::goal },
    Route {
        method: Method::Post,
        path: "/api/owner/invite",
        access: Access::Owner,
        handler: of_owner::invite,
    },
];

/// The method, the path and the access of every route.
pub fn routes() -> Vec<(Method, &'static str, Access)> {
    let files = ASSETS.iter().map(|asset| (Method::Get, asset.path, Access::Session));
    ROUTES.iter().map(|route| (route.method, route.path, route.access)).chain(files).collect()
}

impl App {
    /// Answers a request.
    pub(crate) fn answer(&self, request: &Request) -> Reply {
        self.route(request).unwrap_or_else(Reply::Whole)
    }

    fn route(&self, request: &Request) -> Result<Reply, Response> {
        if self.stopped.load(Ordering::SeqCst) {
            // A connection that was open before the page was closed.
            return Err(Response::refuse(Status::Busy, "closed", "the page was closed"));
        }
        self.guard.check(request)?;
        let method = if request.method == Method::Head { Method::Get } else { request.method };
        if request.path == "/" && method == Method::Get {
            return shell_response().map(Reply::Whole).map_err(failed);
        }
        if request.path == "/api/session" && method == Method::Post {
            return self.enter(request).map(Reply::Whole);
        }
        // From here on, nobody without a session learns even which routes there are.
        let found = self.sessions.find(request.one("cookie")?);
        let (secret, session) = found.ok_or_else(unauthorized)?;
        let name = session.name.clone();
        if let Some(asset) = ASSETS.iter().find(|asset| asset.path == request.path && method == Method::Get) {
            return Ok(Reply::Whole(Response::new(asset.kind, asset.text)));
        }
        let known: Vec<&Route> = ROUTES.iter().filter(|route| route.path == request.path).collect();
        let Some(route) = known.iter().find(|route| route.method == method) else {
            let is_file = ASSETS.iter().any(|asset| asset.path == request.path);
            return Err(if known.is_empty() && !is_file {
                Response::refuse(Status::NotFound, "not-found", "there is nothing at this address")
            } else {
                Response::refuse(Status::MethodNotAllowed, "method", "this address has no such method")
            });
        };
        if route.access == Access::Owner && session.role != Role::Owner {
            return Err(Response::refuse(
                Status::Forbidden,
                "owner",
                "only the person who started labelwise sees the estimate",
            ));
        }
        if route.access == Access::Named && name.is_none() {
            return Err(Response::refuse(Status::Conflict, "no-name", "say who you are first"));
        }
        let caller = Caller { secret, session, name: name.unwrap_or_default() };
        (route.handler)(self, request, &caller)
    }

    /// Exchanges a token for a cookie.
    fn enter(&self, request: &Request) -> Result<Response, Response> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Entry {
            token: String,
        }
        let entry: Entry = serde_json::from_slice(&request.body).map_err(|_| unauthorized())?;
        match self.sessions.open(&entry.token).map_err(failed)? {
            Some((cookie, _)) => Ok(Response::json(&json!({"ok": true})).cookie(cookie)),
            None => Err(Response::refuse(
                Status::Unauthorized,
                "token",
                "this address was used before, or labelwise was started again: open the address that it printed last",
            )),
        }
    }
}

fn unauthorized() -> Response {
    Response::refuse(Status::Unauthorized, "session", "open the address that labelwise printed")
}

fn failed(error: impl Into<Error>) -> Response {
    let error = error.into();
    Response::refuse(Status::Internal, error.code(), &error.to_string())
}

fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Response> {
    serde_json::from_slice(&request.body).map_err(|error| {
        Response::refuse(Status::BadRequest, "json", &format!("the body is not valid: {error}"))
    })
}

fn whole(response: Response) -> Result<Reply, Response> {
    Ok(Reply::Whole(response))
}

fn shell_response() -> Result<Response, Error> {
    let nonce = secret()?;
    let policy = crate::http::POLICY
        .replace("script-src 'self'", &format!("script-src 'self' 'nonce-{nonce}'"))
        .replace("style-src 'self'", &format!("style-src 'self' 'nonce-{nonce}'"));
    Ok(Response::new("text/html; charset=utf-8", SHELL.replace(NONCE, &nonce)).policy(policy))
}

fn shell(_: &App, _: &Request, _: &Caller) -> Result<Reply, Response> {
    shell_response().map(Reply::Whole).map_err(failed)
}

/// The layer answers before the route.
fn refused_by_layer(_: &App, _: &Request, _: &Caller) -> Result<Reply, Response> {
    Err(unauthorized())
}

fn leave(app: &App, _: &Request, caller: &Caller) -> Result<Reply, Response> {
    app.sessions.close(&caller.secret);
    whole(Response::json(&json!({"ok": true})))
}

fn state(app: &App, _: &Request, caller: &Caller) -> Result<Reply, Response> {
    let guide = app.desk.study().guide().map_err(failed)?.is_some();
    whole(Response::json(&json!({
        "schema": "labelwise.page.state/1",
        "title": app.about.title,
        "command": (caller.session.role == Role::Owner).then_some(&app.about.command),
        "evaluation": app.about.evaluation,
        "question": app.desk.question(),
        "task": app.desk.task,
        "guide": guide,
        "owner": caller.session.role == Role::Owner,
        "name": caller.session.name,
        "fixed_name": caller.session.is_invited,
        "lease": app.desk.rules.lease.as_secs(),
    })))
}

fn person(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Person {
        name: String,
    }
    let wish: Person = body(request)?;
    let Some(name) = valid_name(&wish.name) else {
        let error = Error::Name { name: wish.name };
        return Err(Response::refuse(Status::Unprocessable, error.code(), &error.to_string()));
    };
    let (code, message) = match app.sessions.name(&caller.secret, &name) {
        Naming::Given => return whole(Response::json(&json!({"name": name}))),
        Naming::Fixed => ("fixed-name", "your address was made for another name: ask for one of your own"),
        Naming::Taken => ("name-taken", "somebody else has this name: take another one"),
    };
    Err(Response::refuse(Status::Conflict, code, message))
}

fn next(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    let count = request.parameter("count").and_then(|count| count.parse().ok()).unwrap_or(1);
    let have: Vec<String> = match request.parameter("have") {
        None | Some("") => Vec::new(),
        Some(have) => serde_json::from_str(have)
            .map_err(|_| Response::refuse(Status::BadRequest, "json", "`have` is not a JSON list of ids"))?,
    };
    whole(Response::json(&app.desk.next(&caller.name, &have, count).map_err(failed)?))
}

fn labels(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    let wish: Wish = body(request)?;
    match app.desk.answer(&caller.name, &wish) {
        Ok(saved) => whole(Response::json(&saved)),
        Err(refusal) => {
            let (code, message) = refusal.told();
            let status = match code {
                "answer" => Status::BadRequest,
                "lent" | "answered" | "key-reused" => Status::Conflict,
                "refused" => Status::Unprocessable,
                _ => Status::Internal,
            };
            Err(Response::refuse(status, code, &message))
        }
    }
}

fn later(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Later {
        item: String,
    }
    let wish: Later = body(request)?;
    if app.desk.put_off(&caller.name, &wish.item) {
        return whole(Response::json(&json!({"item": wish.item})));
    }
    Err(Response::refuse(Status::Conflict, "lent", "this item is not on loan to you"))
}

fn history(app: &App, _: &Request, caller: &Caller) -> Result<Reply, Response> {
    let answers = app.desk.history(&caller.name, LONGEST_HISTORY).map_err(failed)?;
    whole(Response::json(&json!({"answers": answers})))
}

fn item(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    let id = request.parameter("item").unwrap_or_default();
    match app.desk.item(&caller.name, id).map_err(failed)? {
        Some(view) => whole(Response::json(&view)),
        None => Err(not_yours()),
    }
}

fn not_yours() -> Response {
    Response::refuse(
        Status::NotFound,
        "not-yours",
        "this item is not on loan to you and has no answer of yours",
    )
}

fn progress(app: &App, _: &Request, caller: &Caller) -> Result<Reply, Response> {
    whole(Response::json(&app.desk.progress(&caller.name)))
}

/// Progress as it changes, until the browser or the server goes.
fn events(app: &App, _: &Request, caller: &Caller) -> Result<Reply, Response> {
    let (desk, stopped, name) = (Arc::clone(&app.desk), Arc::clone(&app.stopped), caller.name.clone());
    Ok(Reply::Events(Arc::new(move |to: &mut dyn Write| {
        let mut version = None;
        while !stopped.load(Ordering::SeqCst) {
            let progress = desk.progress(&name);
            if version == Some(progress.version) {
                to.write_all(b": alive\n\n")?;
            } else {
                let data = serde_json::to_string(&progress).unwrap_or_default();
                to.write_all(format!("event: progress\ndata: {data}\n\n").as_bytes())?;
            }
            to.flush()?;
            version = Some(progress.version);
            std::thread::sleep(PAUSE);
            desk.wait(progress.version, ALIVE);
        }
        Ok(())
    })))
}

fn guide(app: &App, _: &Request, _: &Caller) -> Result<Reply, Response> {
    let guide = app.desk.study().guide().map_err(failed)?;
    let found = guide.map(
        |guide| json!({"name": guide.name, "text": guide.text, "at": labelwise_study::moment(guide.at)}),
    );
    whole(Response::json(&json!({"guide": found})))
}

fn media(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    let (id, column) =
        (request.parameter("item").unwrap_or_default(), request.parameter("column").unwrap_or_default());
    let Some(folder) = &app.media else { return Err(not_yours()) };
    let name = app.desk.column(&caller.name, id, column).map_err(failed)?.ok_or_else(not_yours)?;
    let Sendable { kind, file, size } = folder.read(&name).map_err(|unsent| {
        let (status, message) = match unsent {
            Unsent::NotThere => (Status::NotFound, "the file is not in the folder of --media"),
            Unsent::NotMedia => {
                (Status::NotThisType, "the file is not an image or audio that can be shown safely")
            }
            Unsent::TooLarge => (Status::BodyTooLarge, "the file is larger than 64 MB"),
        };
        Response::refuse(status, "media", message)
    })?;
    Ok(Reply::File(Sent::new(kind, file, size, request.one("range")?)))
}
