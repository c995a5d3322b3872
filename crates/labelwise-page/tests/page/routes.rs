//! Every route with every method: nobody comes in without a session, and labellers do not see the estimate.

use labelwise_page::{Access, Method, Options, routes};

use crate::client::{Client, Pets, options, parts, raw};

#[test]
fn every_route_refuses_every_method_without_a_session() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let (port, _) = parts(page.address());
    let nobody = Client { port, cookie: String::new() };
    let forged = Client { port, cookie: format!("labelwise-{port}={}", "0".repeat(64)) };
    let mut tried = 0;
    let known = routes();
    assert!(known.len() >= 28, "{}", known.len());
    let mut paths: Vec<&str> = known.iter().map(|(_, path, _)| *path).collect();
    paths.extend([
        "/api",
        "/api/",
        "/favicon.ico",
        "/index.html",
        "/api/owner/",
        "/page.js/",
        "/.env",
        "/api/next/x",
    ]);
    for client in [&nobody, &forged] {
        for path in &paths {
            for method in Method::ALL {
                let extra = format!("Origin: http://127.0.0.1:{port}\r\n");
                let got = client.send(method.name(), path, &extra, "");
                let is_shell = *path == "/" && matches!(method, Method::Get | Method::Head);
                let expected = if is_shell { 200 } else { 401 };
                assert_eq!(got.status, expected, "{} {path}", method.name());
                tried += 1;
            }
        }
    }
    assert!(tried > 400, "{tried}");
    println!("{tried} requests without a session");
}

#[test]
fn the_shell_has_no_data() {
    let pets = Pets::new();
    // No name of hexadecimal digits: the shell has a random nonce.
    let who = Some("olga".to_owned());
    let page = pets.open(&Options { title: "secret-title".to_owned(), who, ..options() });
    let (port, _) = parts(page.address());
    let got = raw(port, format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").as_bytes());
    let text = String::from_utf8(got.body).unwrap();
    for secret in ["secret-title", "olga", "pet-", "photo", "pets.labelwise"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[test]
fn labellers_do_not_reach_the_owners_screen() {
    let pets = Pets::new();
    let page = pets.open(&Options { invite: vec!["ben".to_owned()], ..options() });
    let owner = Client::enter(page.address());
    let ben = Client::enter(&page.invitations()[0].1);
    for (method, path, _) in routes().into_iter().filter(|(_, _, access)| *access == Access::Owner) {
        let body = if method == Method::Post { "{}" } else { "" };
        let extra = format!("Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\n", ben.port);
        assert_eq!(ben.send(method.name(), path, &extra, body).status, 403, "{path}");
        assert_ne!(owner.send(method.name(), path, &extra, body).status, 403, "{path}");
    }
    assert_eq!(owner.get("/api/owner").status, 200);
    assert_eq!(ben.get("/nothing").status, 404);
    assert_eq!(
        ben.send("PUT", "/api/next", &format!("Origin: http://127.0.0.1:{}\r\n", ben.port), "").status,
        405
    );
    assert_eq!(ben.post("/api/person", r#"{"name":"ada"}"#).code(), "fixed-name");
}

/// Columns that say what a judge or a model says are not shown unless they are named.
#[test]
fn columns_of_judges_and_models_are_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..60)
        .map(|i| format!("p{i},0.{},0.{},text {i},{},because {i}\n", 10 + i, 90 - i, ["cat", "Dog"][i % 2]))
        .collect();
    let pool = folder.path().join("pool.csv");
    std::fs::write(&pool, format!("id,prob_cat,prob_dog,text,predicted,judge_reason\n{rows}")).unwrap();
    let table =
        labelwise_study::PoolTable::open(&pool, &labelwise_study::Reading::new().carry_texts()).unwrap();
    let study = labelwise_study::Study::in_memory(table, &labelwise_study::Choices::default()).unwrap();
    let study = std::sync::Arc::new(std::sync::Mutex::new(study.evaluation));
    let names = |rules: &[&str]| {
        let rules: Vec<String> = rules.iter().map(|name| (*name).to_owned()).collect();
        let options = crate::client::with_rules(|wanted| wanted.show = rules);
        let page = labelwise_page::Page::open(std::sync::Arc::clone(&study), &options).unwrap();
        let view = Client::enter(page.address()).get("/api/next").json();
        let fields = view["items"][0]["fields"].as_array().unwrap().clone();
        let names: Vec<String> =
            fields.iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect();
        (names, page.hidden())
    };
    assert_eq!(names(&[]).0, ["text"]);
    assert_eq!(names(&[]).1, ["predicted", "judge_reason"]);
    assert_eq!(names(&["text", "predicted"]).0, ["text", "predicted"]);
}

/// Nothing that the model or the draw says about an item reaches a labeller.
#[test]
fn labellers_are_blind() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    for path in ["/api/next?count=3", "/api/state", "/api/progress", "/api/history"] {
        let got = ada.get(path);
        assert_eq!(got.status, 200, "{path}");
        let text = String::from_utf8(got.body).unwrap();
        assert!(path != "/api/next?count=3" || text.contains("photo"), "{text}");
        for word in ["\"q\"", "prob", "predict", "estimate", "interval", "belief", "0.1", "0.9"] {
            assert!(!text.contains(word), "{path}: {word} in {text}");
        }
    }
}
