//! A page over a small evaluation, and a client that speaks HTTP by hand.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use labelwise_page::{Options, Page, Rules};
use labelwise_study::{Choices, PoolTable, Reading, Study};
use serde_json::Value;
use tempfile::TempDir;

/// A machine may be busy; a test that passes never waits that long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A folder with an evaluation of 60 pets.
pub(crate) struct Pets {
    pub(crate) folder: TempDir,
}

impl Pets {
    pub(crate) fn new() -> Self {
        Self::with_text(|item| format!("photo {item}"))
    }

    pub(crate) fn with_text(text: impl Fn(usize) -> String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let quoted = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
        let rows: String =
            (0..60).map(|i| format!("pet-{i},0.{},0.{},{}\n", 10 + i, 90 - i, quoted(text(i)))).collect();
        let pool = folder.path().join("pool.csv");
        std::fs::write(&pool, format!("id,prob_cat,prob_dog,text\n{rows}")).unwrap();
        let table = PoolTable::open(&pool, &Reading::new().carry_texts()).unwrap();
        Study::create(folder.path().join("pets.labelwise"), table, &Choices::default()).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("pets.labelwise")
    }

    pub(crate) fn study(&self) -> Study {
        Study::read(self.path()).unwrap()
    }

    pub(crate) fn open(&self, options: &Options) -> Page {
        let study = Study::open(self.path()).unwrap();
        Page::open(Arc::new(Mutex::new(study)), options).unwrap()
    }
}

pub(crate) fn options() -> Options {
    Options { port: Some(0), who: Some("ada".to_owned()), ..Options::default() }
}

pub(crate) fn with_rules(change: impl FnOnce(&mut Rules)) -> Options {
    let mut options = options();
    change(&mut options.rules);
    options
}

/// The port in an address, and the token.
pub(crate) fn parts(address: &str) -> (u16, String) {
    let (host, token) = address.split_once("/#").unwrap();
    (host.rsplit(':').next().unwrap().parse().unwrap(), token.to_owned())
}

/// An answer: status, head and body.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Sends bytes and reads one answer.
pub(crate) fn raw(port: u16, bytes: &[u8]) -> Got {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let _ = stream.write_all(bytes);
    read(&mut stream)
}

pub(crate) fn read(stream: &mut TcpStream) -> Got {
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = all.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(all[..end].to_vec()).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let length = length.map_or(0, |length| length.parse().unwrap());
            let is_head = all.len() == end + 4;
            if all.len() >= end + 4 + length
                || is_head && stream.peek(&mut [0]).is_ok_and(|more| more == 0)
                || head.starts_with("HTTP/1.1 200") && length == 0
            {
                let status = head[9..12].parse().unwrap();
                return Got { status, body: all[end + 4..].to_vec(), head };
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return Got { status: 0, head: String::new(), body: all },
            Ok(read) => all.extend_from_slice(&buffer[..read]),
        }
    }
}

/// A browser with a session.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) port: u16,
    pub(crate) cookie: String,
}

impl Client {
    /// Exchanges the token of an address.
    pub(crate) fn enter(address: &str) -> Self {
        let (port, token) = parts(address);
        let got =
            Self { port, cookie: String::new() }.post("/api/session", &format!("{{\"token\":\"{token}\"}}"));
        assert_eq!(got.status, 200, "{got:?}");
        let cookie = got.head.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
        Self { port, cookie: cookie.split(';').next().unwrap().to_owned() }
    }

    pub(crate) fn send(&self, method: &str, path: &str, extra: &str, body: &str) -> Got {
        let port = self.port;
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{extra}");
        if !self.cookie.is_empty() {
            request.push_str(&format!("Cookie: {}\r\n", self.cookie));
        }
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        raw(port, format!("{request}\r\n{body}").as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> Got {
        self.send("GET", path, "", "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Got {
        let extra = format!("Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\n", self.port);
        self.send("POST", path, &extra, body)
    }

    /// The ids of the next items.
    pub(crate) fn next(&self, count: usize) -> Vec<String> {
        let got = self.get(&format!("/api/next?count={count}"));
        assert_eq!(got.status, 200, "{got:?}");
        let items = got.json()["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["item"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn label(&self, item: &str, label: &str, key: &str) -> Got {
        self.post("/api/labels", &format!("{{\"item\":\"{item}\",\"label\":\"{label}\",\"key\":\"{key}\"}}"))
    }
}

/// The events on record as (id, what, label, who).
pub(crate) fn events(path: &Path) -> Vec<(String, String, String, String)> {
    let study = Study::read(path).unwrap();
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    study
        .events()
        .unwrap()
        .map(|event| (event.id.to_owned(), event.what.to_owned(), text(event.label), event.who.to_owned()))
        .collect()
}
