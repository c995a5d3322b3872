//! The six calls that labelwise makes of a Label Studio server.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::task::Task;
use crate::error::{Error, Result};
use crate::http::{Address, Http, Reply, encoded};

/// The fields of tasks, and of the annotations in them, that are read.
const FIELDS: &str =
    "id,data,annotations,updated_at,result,was_cancelled,completed_by,created_username,created_at";

/// Tasks per page.
const PAGE: usize = 100;

/// Maximum number of tasks of a project.
const MOST: usize = 1_000_000;

/// Details of refusals are cut to this length, in characters.
const LONGEST_DETAIL: usize = 300;

/// Who may use the server: either kind of token.
#[derive(Clone)]
pub struct Token {
    text: String,
    /// The access token that a personal access token gives for five minutes.
    access: Option<String>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Checks that a text can be a token.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-+/=".contains(letter);
        match !text.is_empty() && text.len() <= 8192 && text.chars().all(plain) {
            true => Ok(Self { text: text.to_owned(), access: None }),
            false => Err(Error::BadToken),
        }
    }

    /// Whether it is a personal access token, which is a JSON Web Token: three parts between dots.
    fn is_personal(&self) -> bool {
        self.text.split('.').count() == 3
    }

    fn header(&self) -> String {
        match &self.access {
            Some(access) => format!("Bearer {access}"),
            None => format!("Token {}", self.text),
        }
    }
}

/// A Label Studio server.
#[derive(Debug, Clone)]
pub struct Server {
    http: Http,
    token: Token,
}

/// A project, as far as it matters.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Project {
    pub(crate) id: u64,
    #[serde(default)]
    pub(crate) title: Option<String>,
    #[serde(default)]
    pub(crate) description: Option<String>,
}

/// A page of tasks.
#[derive(Debug, Deserialize)]
struct Page {
    tasks: Vec<Task>,
}

impl Server {
    /// A server at an address. No request is made yet.
    pub fn new(address: Address, token: Token, timeout: Duration) -> Result<Self> {
        Ok(Self { http: Http::new(address, timeout)?, token })
    }

    /// The address.
    pub fn address(&self) -> &str {
        self.http.address().as_str()
    }

    /// Whether what is sent can be read on its way: not encrypted, and to another machine.
    pub fn is_open(&self) -> bool {
        self.http.address().is_open()
    }

    /// The projects whose title has some text in it.
    pub(crate) fn projects(&mut self, title: &str) -> Result<Vec<Project>> {
        let path = format!("/api/projects/?page_size=100&title={}", encoded(title));
        let found = self.call("list projects", "GET", &path, None)?;
        let found = found.get("results").cloned().unwrap_or(found);
        self.read(found, "a list of projects")
    }

    /// One project; `None` if there is none, or none for this user.
    pub(crate) fn project(&mut self, project: u64) -> Result<Option<Project>> {
        match self.call("see the project", "GET", &format!("/api/projects/{project}/"), None) {
            Ok(found) => self.read(found, "a project").map(Some),
            Err(Error::ServerRefused { detail, .. }) if detail.starts_with("404") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes a project that serves its tasks in the order they come in, and shows nobody a prediction.
    pub(crate) fn make_project(
        &mut self,
        title: &str,
        description: &str,
        config: &str,
        guide: Option<&str>,
    ) -> Result<Project> {
        let body = json!({
            "title": title,
            "description": description,
            "label_config": config,
            "sampling": "Sequential sampling",
            "maximum_annotations": 1,
            "show_collab_predictions": false,
            "expert_instruction": guide.unwrap_or_default(),
            "show_instruction": guide.is_some(),
        });
        let made = self.call("make a project", "POST", "/api/projects/", Some(&body))?;
        self.read(made, "a project")
    }

    /// Puts tasks into a project, in their order.
    pub(crate) fn import(&mut self, project: u64, tasks: &[Value]) -> Result<()> {
        let path = format!("/api/projects/{project}/import?return_task_ids=true");
        let made = self.call("put items into the project", "POST", &path, Some(&json!(tasks)))?;
        // A large installation imports in the background and says so without a count.
        let count = made.get("task_count").and_then(Value::as_u64);
        match count.is_none_or(|count| count == tasks.len() as u64) {
            true => Ok(()),
            false => {
                let taken = count.unwrap_or_default();
                Err(self.nonsense(format!("it took {taken} of {} items", tasks.len())))
            }
        }
    }

    /// The tasks of a project that were changed after a moment, or all, with their annotations.
    pub(crate) fn tasks(&mut self, project: u64, since: Option<&str>) -> Result<Vec<Task>> {
        let changed = since.map(|since| {
            let query = json!({"filters": {"conjunction": "and", "items": [
                {"filter": "filter:tasks:updated_at", "operator": "greater", "type": "Datetime", "value": since}
            ]}});
            format!("&query={}", encoded(&query.to_string()))
        });
        let changed = changed.unwrap_or_default();
        let mut all: Vec<Task> = Vec::new();
        for page in 1_usize.. {
            let path = format!(
                "/api/tasks/?project={project}&fields=all&include={FIELDS}&page_size={PAGE}&page={page}{changed}"
            );
            let found = match self.call("list the tasks of the project", "GET", &path, None) {
                // Pages end exactly where the last one is full.
                Err(Error::ServerRefused { detail, .. }) if page > 1 && detail.starts_with("404") => break,
                found => found?,
            };
            let Page { tasks } = self.read(found, "a list of tasks")?;
            let count = tasks.len();
            let before = all.len();
            all.extend(tasks);
            // A server that ignores the page would be asked for ever.
            let is_new = all
                .get(before)
                .is_none_or(|first| !all.iter().take(before).any(|known| known.id == first.id));
            if count < PAGE || !is_new {
                break;
            }
            if all.len() > MOST {
                return Err(self.nonsense("its list of tasks does not end".to_owned()));
            }
        }
        Ok(all)
    }

    fn read<T: for<'de> Deserialize<'de>>(&self, value: Value, what: &str) -> Result<T> {
        serde_json::from_value(value).map_err(|_| self.nonsense(format!("expected {what}")))
    }

    fn nonsense(&self, what: String) -> Error {
        Error::Nonsense { address: self.address().to_owned(), what }
    }

    /// Makes a call; with a personal access token, once more after its access token has run out.
    fn call(
        &mut self,
        deed: &'static str,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value> {
        if self.token.is_personal() && self.token.access.is_none() {
            self.refresh()?;
        }
        let mut reply = self.http.send(method, path, Some(&self.token.header()), body)?;
        if reply.status == 401 && self.token.is_personal() {
            self.refresh()?;
            reply = self.http.send(method, path, Some(&self.token.header()), body)?;
        }
        self.judged(deed, reply)
    }

    /// Exchanges the personal access token for an access token.
    fn refresh(&mut self) -> Result<()> {
        let body = json!({"refresh": self.token.text});
        let reply = self.http.send("POST", "/api/token/refresh/", None, Some(&body))?;
        let found = self.judged("use this token", reply)?;
        let access = found.get("access").and_then(Value::as_str).map(Token::parse).transpose()?;
        let access = access.ok_or_else(|| self.nonsense("expected an access token".to_owned()))?;
        self.token.access = Some(access.text);
        Ok(())
    }

    fn judged(&self, deed: &'static str, reply: Reply) -> Result<Value> {
        let address = self.address().to_owned();
        let Reply { status, body, location, wait } = reply;
        let detail = || body.as_ref().and_then(detail).unwrap_or_else(|| format!("status {status}"));
        match status {
            200..=299 => body.ok_or_else(|| self.nonsense("expected JSON".to_owned())),
            300..=399 => Err(Error::Moved { address, to: location.unwrap_or_default() }),
            401 => Err(Error::TokenRefused { address, detail: detail() }),
            403 => Err(Error::NoRights { address, deed }),
            404 if body.is_none() => Err(self.nonsense("there is no such page".to_owned())),
            404 => Err(Error::ServerRefused { address, deed, detail: format!("404, {}", detail()) }),
            408 | 429 | 500..=599 => Err(Error::ServerBusy { address, status, wait }),
            _ => Err(Error::ServerRefused { address, deed, detail: detail() }),
        }
    }
}

/// What a refusal says, in one line.
fn detail(body: &Value) -> Option<String> {
    let said = body.get("detail").and_then(Value::as_str);
    let errors = body.get("validation_errors").filter(|errors| !errors.is_null()).map(Value::to_string);
    let text = match (said, errors) {
        (Some(said), Some(errors)) => format!("{said}: {errors}"),
        (Some(said), None) => said.to_owned(),
        (None, Some(errors)) => errors,
        (None, None) => return None,
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(words.join(" ").chars().filter(|letter| !letter.is_control()).take(LONGEST_DETAIL).collect())
}
