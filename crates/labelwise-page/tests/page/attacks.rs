//! Attacks that must be refused, each with the status it gets. Nothing may be recorded by any of them.

use labelwise_page::{Error, Options, Page};
use labelwise_study::Study;

use crate::client::{Client, Pets, events, options, parts, raw};

/// A request with the owner's cookie, and what it must get.
struct Attack {
    name: &'static str,
    request: String,
    status: u16,
}

fn attack(name: &'static str, status: u16, request: String) -> Attack {
    Attack { name, request, status }
}

/// Requests that carry a valid cookie, as a browser would send them for another site.
fn attacks(port: u16, cookie: &str, item: &str) -> Vec<Attack> {
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let own = format!("Origin: http://127.0.0.1:{port}\r\n");
    let json = "Content-Type: application/json\r\n";
    let auth = format!("Cookie: {cookie}\r\n");
    let body = format!("{{\"item\":\"{item}\",\"label\":\"cat\",\"key\":\"attack\"}}");
    let length = format!("Content-Length: {}\r\n", body.len());
    let post = |head: &str| format!("POST /api/labels HTTP/1.1\r\n{head}{auth}{length}\r\n{body}");
    let get = |head: &str| format!("GET /api/next HTTP/1.1\r\n{head}{auth}\r\n");
    let origin = |origin: &str| post(&format!("{host}{json}Origin: {origin}\r\n"));
    let site = |site: &str| post(&format!("{host}{own}{json}Sec-Fetch-Site: {site}\r\n"));
    let named = |name: &str| get(&format!("Host: {name}\r\n"));
    let target = |target: &str| format!("GET {target} HTTP/1.1\r\n{host}{auth}\r\n");
    let other = port ^ 1;
    vec![
        // Rebinding: the browser believes that another name is this server.
        attack("rebinding", 403, named(&format!("evil.test:{port}"))),
        attack("rebinding to the shell", 403, format!("GET / HTTP/1.1\r\nHost: evil.test:{port}\r\n\r\n")),
        attack("a name that begins like ours", 403, named(&format!("localhost.evil.test:{port}"))),
        attack("a name that ends like ours", 403, named(&format!("evil-localhost:{port}"))),
        attack("an address that begins like ours", 403, named(&format!("127.0.0.1.evil.test:{port}"))),
        attack("another port", 403, named(&format!("127.0.0.1:{other}"))),
        attack("no port", 403, named("127.0.0.1")),
        attack("another loopback address", 403, named(&format!("127.0.0.2:{port}"))),
        attack("a decimal address", 403, named(&format!("2130706433:{port}"))),
        attack("any address", 403, named(&format!("0.0.0.0:{port}"))),
        attack("a user in the host", 403, named(&format!("evil@127.0.0.1:{port}"))),
        attack("a trailing dot", 403, named(&format!("localhost.:{port}"))),
        attack("no host", 403, get("")),
        attack("two hosts", 400, get(&format!("{host}Host: evil.test\r\n"))),
        attack("an absolute address", 400, target("http://evil.test/api/next")),
        attack("a network path", 400, target("//evil.test/api/next")),
        attack("an asterisk", 400, format!("OPTIONS * HTTP/1.1\r\n{host}{auth}\r\n")),
        // Forged origins.
        attack("another site", 403, origin("http://evil.test")),
        attack("an origin that begins like ours", 403, origin(&format!("http://127.0.0.1:{port}.evil.test"))),
        attack("an origin with a user", 403, origin(&format!("http://127.0.0.1:{port}@evil.test"))),
        attack("https", 403, origin(&format!("https://127.0.0.1:{port}"))),
        attack("the other name of this machine", 403, origin(&format!("http://localhost:{port}"))),
        attack("another port as origin", 403, origin(&format!("http://127.0.0.1:{other}"))),
        attack("a null origin", 403, origin("null")),
        attack("an empty origin", 403, origin("")),
        attack("no origin", 403, post(&format!("{host}{json}"))),
        attack("two origins", 400, post(&format!("{host}{own}{own}{json}"))),
        attack("a request from another site", 403, site("cross-site")),
        attack("a request from a sibling", 403, site("same-site")),
        attack("an unknown kind of site", 403, site("friendly")),
        attack(
            "no-cors does not loosen it",
            403,
            post(&format!("{host}{json}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n{own}")),
        ),
        attack(
            "an image on another site",
            403,
            get(&format!("{host}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image\r\n")),
        ),
        attack(
            "a frame on another site",
            403,
            format!("GET / HTTP/1.1\r\n{host}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: iframe\r\n\r\n"),
        ),
        attack(
            "a link to more than the shell",
            403,
            get(&format!(
                "{host}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
            )),
        ),
        attack(
            "a script that asks for the shell",
            403,
            format!(
                "GET / HTTP/1.1\r\n{host}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: document\r\n\r\n"
            ),
        ),
        attack(
            "a form to the shell",
            403,
            format!(
                "POST / HTTP/1.1\r\n{host}{own}{json}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n"
            ),
        ),
        attack(
            "a form",
            415,
            post(&format!("{host}{own}Content-Type: application/x-www-form-urlencoded\r\n")),
        ),
        attack("a form of text", 415, post(&format!("{host}{own}Content-Type: text/plain\r\n"))),
        attack(
            "a form of parts",
            415,
            post(&format!("{host}{own}Content-Type: multipart/form-data; boundary=x\r\n")),
        ),
        attack("no type", 415, post(&format!("{host}{own}"))),
        attack(
            "a type with a tail",
            415,
            post(&format!("{host}{own}Content-Type: application/json;x=text/plain\r\n")),
        ),
        // Traversal and other addresses.
        attack("dots", 404, target("/../../etc/passwd")),
        attack("escaped dots", 404, target("/%2e%2e/%2e%2e/etc/passwd")),
        attack("escaped slashes", 404, target("/..%2f..%2fetc%2fpasswd")),
        attack("twice escaped", 404, target("/%252e%252e/etc/passwd")),
        attack("backslashes", 404, target("/..%5c..%5cetc/passwd")),
        attack("a file below a file", 404, target("/page.js/../../secret")),
        attack(
            "media without a folder",
            404,
            target(&format!("/api/media?item={item}&column=../../etc/passwd")),
        ),
        attack("the item of nobody", 404, target("/api/item?item=../../etc/passwd")),
        attack("a zero byte", 400, target("/\0")),
        attack("a query that is not text", 400, target("/api/item?item=%ff")),
        // Broken and smuggled requests.
        attack(
            "chunks",
            400,
            format!(
                "POST /api/labels HTTP/1.1\r\n{host}{own}{json}{auth}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
            ),
        ),
        attack(
            "chunks and a length",
            400,
            format!(
                "POST /api/labels HTTP/1.1\r\n{host}{own}{json}{auth}{length}Transfer-Encoding: chunked\r\n\r\n{body}"
            ),
        ),
        attack(
            "two lengths",
            400,
            format!(
                "POST /api/labels HTTP/1.1\r\n{host}{own}{json}{auth}{length}Content-Length: 0\r\n\r\n{body}"
            ),
        ),
        attack(
            "a negative length",
            400,
            format!("POST /api/labels HTTP/1.1\r\n{host}{own}{json}{auth}Content-Length: -1\r\n\r\n"),
        ),
        attack(
            "a length with a sign",
            400,
            format!("POST /api/labels HTTP/1.1\r\n{host}{own}{json}{auth}Content-Length: +5\r\n\r\nhello"),
        ),
        attack(
            "a large body",
            413,
            format!("POST /api/labels HTTP/1.1\r\n{host}{own}{json}{auth}Content-Length: 65537\r\n\r\n"),
        ),
        attack(
            "an endless body",
            413,
            format!(
                "POST /api/labels HTTP/1.1\r\n{host}{own}{json}{auth}Content-Length: 99999999999999999999\r\n\r\n"
            ),
        ),
        attack("a large head", 431, format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(17_000))),
        attack("many headers", 431, format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X: y\r\n".repeat(100))),
        attack("an old version", 400, format!("GET / HTTP/1.0\r\n{host}\r\n")),
        attack("an unknown method", 405, format!("TRACE / HTTP/1.1\r\n{host}{auth}\r\n")),
        attack("a proxy", 405, format!("CONNECT evil.test:443 HTTP/1.1\r\n{host}{auth}\r\n")),
        attack("a space in a header", 400, format!("GET / HTTP/1.1\r\nHost : 127.0.0.1:{port}\r\n\r\n")),
        attack("a folded header", 400, format!("GET / HTTP/1.1\r\nX: a\r\n b\r\n{host}\r\n")),
        attack("not HTTP", 400, "\u{16}\u{3}\u{1}\u{2}\0\r\n\r\n".to_owned()),
        // Sessions.
        attack(
            "the cookie of another port",
            401,
            format!(
                "GET /api/next HTTP/1.1\r\n{host}Cookie: {}\r\n\r\n",
                cookie.replacen("labelwise-", "labelwise-1", 1)
            ),
        ),
        attack("two cookie headers", 400, format!("GET /api/next HTTP/1.1\r\n{host}{auth}{auth}\r\n")),
        attack(
            "a token in the query",
            401,
            format!("GET /api/next?token={} HTTP/1.1\r\n{host}\r\n", "0".repeat(64)),
        ),
        attack("a guessed token", 401, {
            let body = format!("{{\"token\":\"{}\"}}", "0".repeat(64));
            format!(
                "POST /api/session HTTP/1.1\r\n{host}{own}{json}Content-Length: {}\r\n\r\n{body}",
                body.len()
            )
        }),
        attack(
            "a null token",
            401,
            format!(
                "POST /api/session HTTP/1.1\r\n{host}{own}{json}Content-Length: 14\r\n\r\n{{\"token\":null}}"
            ),
        ),
    ]
}

#[test]
fn attacks_are_refused() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let item = ada.next(1).remove(0);
    let attacks = attacks(ada.port, &ada.cookie, &item);
    assert!(attacks.len() >= 40, "{}", attacks.len());
    println!("{} attacks", attacks.len());
    for Attack { name, request, status } in attacks {
        let got = raw(ada.port, request.as_bytes());
        assert_eq!(got.status, status, "{name}: {got:?}");
        assert!(!got.head.to_ascii_lowercase().contains("access-control"), "{name}");
        assert!(!String::from_utf8_lossy(&got.body).contains("root:"), "{name}");
    }
    assert_eq!(events(&pets.path()).len(), 0);
    // The same request without an attack is recorded.
    assert_eq!(ada.label(&item, "cat", "attack").status, 200);
    // A colleague follows a link in a chat.
    let link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    let nobody = Client { port: ada.port, cookie: String::new() };
    assert_eq!(nobody.send("GET", "/", link, "").status, 200);
}

#[test]
fn a_token_works_once_and_a_cookie_ends_with_the_server() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let (port, token) = parts(page.address());
    let again =
        Client { port, cookie: String::new() }.post("/api/session", &format!("{{\"token\":\"{token}\"}}"));
    assert_eq!((again.status, again.code().as_str()), (401, "token"));
    drop(page);
    let page = pets.open(&Options { port: Some(port), ..options() });
    assert_eq!(parts(page.address()).0, port);
    assert_eq!(ada.get("/api/state").status, 401, "a cookie of the server before");
    let stale =
        Client { port, cookie: String::new() }.post("/api/session", &format!("{{\"token\":\"{token}\"}}"));
    assert_eq!(stale.status, 401);
    let new = Client::enter(page.address());
    assert_eq!(new.get("/api/state").status, 200);
    let origin = format!("Origin: http://127.0.0.1:{port}\r\n");
    assert_eq!(new.send("DELETE", "/api/session", &origin, "").status, 200);
    assert_eq!(new.get("/api/state").status, 401, "a session that was left");
}

#[test]
fn every_answer_keeps_browsers_in_their_place() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    for path in ["/", "/page.js", "/api/state", "/api/next", "/nothing"] {
        let got = ada.get(path);
        for header in [
            "X-Content-Type-Options: nosniff",
            "X-Frame-Options: DENY",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Opener-Policy: same-origin",
            "Cross-Origin-Resource-Policy: same-origin",
            "Cache-Control: no-store",
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(got.head.contains(header), "{path}: {header}");
        }
        assert!(!got.head.contains("unsafe"), "{path}");
    }
    // A nonce is never used twice.
    let policy = |client: &Client| {
        client.get("/").head.lines().find(|line| line.contains("nonce-")).unwrap().to_owned()
    };
    assert_ne!(policy(&ada), policy(&ada));
}

/// Script in every field stays text: the server sends it as JSON, which no browser runs.
#[test]
fn script_in_items_is_data() {
    let nasty = "<img src=x onerror=alert(1)></script><script>alert(2)</script>javascript:alert(3)\u{202e}";
    let pets = Pets::with_text(|_| nasty.to_owned());
    let page = pets.open(&Options { title: nasty.to_owned(), ..options() });
    let ada = Client::enter(page.address());
    let got = ada.get("/api/next");
    assert!(got.head.contains("Content-Type: application/json"));
    assert_eq!(got.json()["items"][0]["fields"][0]["value"], nasty);
    assert_eq!(ada.get("/api/state").json()["title"], nasty);
}

#[test]
fn media_are_sent_by_item_and_content_alone() {
    let pets = Pets::with_text(|item| match item % 4 {
        0 => "cat.png".to_owned(),
        1 => "../secret.png".to_owned(),
        2 => "bad.png".to_owned(),
        _ => "http://evil.test/cat.png".to_owned(),
    });
    let folder = pets.folder.path().join("media");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("cat.png"), b"\x89PNG\r\n\x1a\nrest").unwrap();
    std::fs::write(folder.join("bad.png"), "<svg onload=alert(1)>").unwrap();
    std::fs::write(pets.folder.path().join("secret.png"), b"\x89PNG\r\n\x1a\nsecret").unwrap();
    let page = pets.open(&Options { media: Some(folder), ..options() });
    let ada = Client::enter(page.address());
    let mut seen = [0; 4];
    for item in ada.next(20) {
        let number: usize = item.trim_start_matches("pet-").parse().unwrap();
        let got = ada.get(&format!("/api/media?item={item}&column=text"));
        let expected = [200, 404, 415, 404][number % 4];
        assert_eq!(got.status, expected, "{item}");
        seen[number % 4] += 1;
        if expected == 200 {
            assert!(
                got.head.contains("Content-Type: image/png") && got.head.contains("sandbox"),
                "{}",
                got.head
            );
        }
        assert!(!got.body.ends_with(b"secret"));
        if expected == 200 {
            let part =
                ada.send("GET", &format!("/api/media?item={item}&column=text"), "Range: bytes=8-9\r\n", "");
            assert_eq!((part.status, part.body.as_slice()), (206, b"re".as_slice()));
            assert!(part.head.contains("Content-Range: bytes 8-9/12"), "{}", part.head);
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    // An item that is not on loan, and a column that does not exist.
    let other =
        (0..60).map(|i| format!("pet-{i}")).find(|id| ada.get(&format!("/api/item?item={id}")).status == 404);
    let other = other.unwrap();
    assert_eq!(ada.get(&format!("/api/media?item={other}&column=text")).status, 404);
}

#[test]
fn other_machines_need_a_secret() {
    let pets = Pets::new();
    let open = |options: &Options| {
        let study = Study::open(pets.path()).unwrap();
        Page::open(std::sync::Arc::new(std::sync::Mutex::new(study)), options)
    };
    let listen = Some("0.0.0.0".parse().unwrap());
    let refused = open(&Options { listen, ..options() }).unwrap_err();
    assert!(matches!(refused, Error::NoTokenFile { .. }), "{refused}");
    let short = open(&Options { listen, token: Some("short".to_owned()), ..options() }).unwrap_err();
    assert!(matches!(short, Error::ShortToken { characters: 5 }), "{short}");
    let page = open(&Options { token: Some("t".repeat(32)), ..options() }).unwrap();
    let (port, _) = parts(page.address());
    let entry = format!("{{\"token\":\"{}\"}}", "t".repeat(32));
    let got = Client { port, cookie: String::new() }.post("/api/session", &entry);
    assert_eq!(got.status, 200);
    let cookie = got.head.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
    let ben = Client { port, cookie: cookie.split(';').next().unwrap().to_owned() };
    assert_eq!(ben.get("/api/next").code(), "no-name");
    assert_eq!(ben.post("/api/person", r#"{"name":" "}"#).code(), "name");
    assert_eq!(ben.post("/api/person", r#"{"name":"ben"}"#).status, 200);
    assert_eq!(ben.get("/api/owner").status, 403);
    let taken = open(&Options { port: Some(port), ..options() }).unwrap_err();
    assert!(matches!(taken, Error::PortTaken { .. }), "{taken}");
}
