//! Several people: loans, second opinions, restarts.

use std::time::{Duration, Instant};

use labelwise_page::Options;

use crate::client::{Client, PATIENCE, Pets, events, options, with_rules};

/// Longer than a busy machine needs for a few requests.
const LEASE: Duration = Duration::from_secs(3);

fn two(rules: impl FnOnce(&mut labelwise_page::Rules)) -> Options {
    Options { invite: vec!["ben".to_owned()], ..with_rules(rules) }
}

#[test]
fn an_item_is_lent_to_one_person() {
    let pets = Pets::new();
    let page = pets.open(&two(|rules| rules.batch = 3));
    let (ada, ben) = (Client::enter(page.address()), Client::enter(&page.invitations()[0].1));
    let (hers, his) = (ada.next(3), ben.next(3));
    assert_eq!((hers.len(), his.len()), (3, 3));
    assert!(hers.iter().all(|item| !his.contains(item)));
    assert_eq!(ada.next(3), hers, "a reload shows the same items");
    let got = ben.label(&hers[0], "cat", "k");
    assert_eq!((got.status, got.code().as_str()), (409, "lent"));
    assert_eq!(ben.get(&format!("/api/item?item={}", hers[0])).status, 404);
    assert_eq!(ada.label(&hers[0], "cat", "k").status, 200);
    let got = ben.label(&hers[0], "dog", "k2");
    assert_eq!((got.status, got.code().as_str()), (409, "answered"));
    assert!(got.json()["error"]["message"].as_str().unwrap().contains("answered by ada"));
    assert_eq!(events(&pets.path()).len(), 1);
}

#[test]
fn a_loan_that_ran_out_goes_to_somebody_else_and_the_late_answer_is_refused() {
    let pets = Pets::new();
    let page = pets.open(&two(|rules| {
        (rules.batch, rules.goal, rules.lease) = (1, Some(1), LEASE);
    }));
    let (ada, ben) = (Client::enter(page.address()), Client::enter(&page.invitations()[0].1));
    let lent = Instant::now();
    let item = ada.next(1).remove(0);
    let (mut refused, deadline) = (0, Instant::now() + PATIENCE);
    let taken = loop {
        let next = ben.get("/api/next").json();
        if let Some(view) = next["items"].get(0) {
            break view["item"].as_str().unwrap().to_owned();
        }
        assert_eq!(next["none"], "with-others");
        assert!(Instant::now() < deadline, "the loan never ran out");
        refused += 1;
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(taken, item);
    // The lease begins a moment after the clock here.
    assert!(lent.elapsed() >= LEASE && refused > 0, "it was hers until then");
    let late = ada.label(&item, "cat", "late");
    assert_eq!((late.status, late.code().as_str()), (409, "lent"));
    let sentence = late.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        sentence.contains("was given to ben at ") && sentence.ends_with("your loan ran out"),
        "{sentence}"
    );
    assert_eq!(ben.label(&item, "dog", "k").status, 200);
    assert_eq!(events(&pets.path()), [(item, "told".into(), "dog".into(), "ben".into())]);
}

#[test]
fn second_opinions_are_kept_apart() {
    let pets = Pets::new();
    let page = pets.open(&two(|rules| (rules.overlap, rules.goal, rules.batch) = (2, Some(4), 2)));
    let (ada, ben) = (Client::enter(page.address()), Client::enter(&page.invitations()[0].1));
    for number in 0.. {
        let Some(item) = ada.next(1).pop() else { break };
        assert_eq!(ada.label(&item, "cat", &number.to_string()).status, 200);
    }
    let mut second = Vec::new();
    for number in 0.. {
        let Some(item) = ben.next(1).pop() else { break };
        let label = if number == 0 { "dog" } else { "cat" };
        let got = ben.label(&item, label, &number.to_string());
        assert_eq!(got.status, 200, "{got:?}");
        assert_eq!(ben.label(&item, label, &number.to_string()).status, 200, "a repeated request");
        second.push(item);
    }
    assert_eq!(second.len(), 4);
    let study = pets.study();
    assert_eq!((study.labels(), study.opinions().unwrap().len()), (4, 4));
    let agreement = study.agreement().unwrap();
    assert_eq!((agreement.both, agreement.agree), (4, 3));
    assert!(events(&pets.path()).iter().all(|event| event.3 == "ada"));
    let owner = ada.get("/api/owner").json();
    assert_eq!(owner["agreement"]["differing"][0]["opinion"][1], "ben");
    assert_eq!(ben.get("/api/history").json()["answers"].as_array().unwrap().len(), 4);
}

#[test]
fn a_restart_keeps_items_for_the_people_who_have_them() {
    let pets = Pets::new();
    let page = pets.open(&two(|rules| rules.batch = 2));
    let (ada, ben) = (Client::enter(page.address()), Client::enter(&page.invitations()[0].1));
    let (hers, his) = (ada.next(2), ben.next(2));
    drop(page);
    // Another server may have the port by now, but not hers.
    if std::net::TcpStream::connect(("127.0.0.1", ada.port)).is_ok() {
        assert_ne!(ada.get("/api/state").status, 200, "nobody knows the old cookie");
    }
    let page = pets.open(&two(|rules| rules.batch = 2));
    let ben = Client::enter(&page.invitations()[0].1);
    let taken = ben.next(4);
    assert!(his.iter().all(|item| taken.contains(item)));
    assert!(hers.iter().all(|item| !taken.contains(item)));
    let ada = Client::enter(page.address());
    // An answer that her browser kept.
    assert_eq!(ada.label(&hers[0], "cat", "kept").status, 200);
    assert_eq!(events(&pets.path())[0].3, "ada");
}

#[test]
fn a_page_that_is_opened_again_goes_on_to_the_same_goal() {
    let pets = Pets::new();
    let page = pets.open(&with_rules(|rules| rules.goal = Some(30)));
    let ada = Client::enter(page.address());
    let item = ada.next(1).remove(0);
    assert_eq!(ada.label(&item, "cat", "k").status, 200);
    drop(page);
    // Items were drawn ahead; they are not all that is wanted.
    assert!(pets.study().counts().waiting > 0);
    let goal = |page: &labelwise_page::Page| page.summary().goal;
    let page = pets.open(&options());
    assert_eq!(goal(&page), 30);
    let ada = Client::enter(page.address());
    assert_eq!(ada.post("/api/owner/goal", r#"{"goal":40}"#).json()["goal"], 40);
    drop(page);
    assert_eq!(goal(&pets.open(&options())), 40);
}

#[test]
fn nobody_labels_under_the_name_of_another_person() {
    let pets = Pets::new();
    let page = pets.open(&Options { token: Some("t".repeat(32)), ..two(|_| {}) });
    let (port, _) = crate::client::parts(page.address());
    let other = Client::enter(&format!("http://127.0.0.1:{port}/#{}", "t".repeat(32)));
    for name in ["ada", "Ben"] {
        let got = other.post("/api/person", &format!("{{\"name\":\"{name}\"}}"));
        assert_eq!((got.status, got.code().as_str()), (409, "name-taken"), "{name}");
    }
    assert_eq!(other.get("/api/next").code(), "no-name");
    assert_eq!(other.post("/api/person", r#"{"name":"carl"}"#).status, 200);
    assert_eq!(other.next(1).len(), 1);
}

#[test]
fn the_interval_on_the_owners_screen_does_not_follow_the_goal() {
    let pets = Pets::new();
    let page = pets.open(&with_rules(|rules| rules.goal = Some(40)));
    let ada = Client::enter(page.address());
    for number in 0..25 {
        let item = ada.next(1).remove(0);
        let label = if number % 4 == 0 { "dog" } else { "cat" };
        assert_eq!(ada.label(&item, label, &number.to_string()).status, 200);
    }
    let interval = || ada.get("/api/owner").json()["estimate"]["interval"].clone();
    let before = interval();
    assert!(before[0].is_number(), "{before}");
    ada.post("/api/owner/goal", r#"{"goal":58}"#);
    assert_eq!(interval(), before, "whoever moves the goal because of a look would spoil it");
    // The whole report is a page that runs nothing.
    let report = ada.get("/api/owner/report.html");
    let text = String::from_utf8(report.body).unwrap();
    assert!(text.contains("How the estimate settled") && !text.contains("<script"), "{text}");
    assert!(report.head.contains("sandbox") && report.head.contains("default-src 'none'"), "{}", report.head);
    // The command says the same.
    let study = pets.study();
    let planned = labelwise_study::MethodName::PLANNED.min(59);
    let method = labelwise_study::MethodName::Anytime.method(Some(planned));
    let wanted = labelwise_study::EstimateOptions { method, ..Default::default() };
    let (low, high) = study.estimate(&wanted).unwrap()[0].interval.unwrap();
    assert_eq!((before[0].as_f64(), before[1].as_f64()), (Some(low), Some(high)));
}

#[test]
fn labels_of_a_command_are_followed() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let items = ada.next(2);
    let mut other = labelwise_study::Study::open(pets.path()).unwrap();
    let by = labelwise_study::Author { who: "carl".to_owned(), at: 1, key: None };
    other.tell(&[labelwise_study::Answer::new(&items[0], "dog")], &by).unwrap();
    let next = ada.get(&format!("/api/next?count=2&have=[%22{}%22]", items[0])).json();
    assert_eq!(next["gone"][0], items[0].as_str());
    assert_eq!(ada.label(&items[0], "cat", "k").code(), "answered");
}

#[test]
fn the_guide_is_recorded_and_looks_are_counted() {
    let pets = Pets::new();
    let guide = Some(("guide.md".to_owned(), "# Cats\nThey purr.".to_owned()));
    let page = pets.open(&Options { guide: guide.clone(), ..options() });
    let ada = Client::enter(page.address());
    assert_eq!(ada.get("/api/guide").json()["guide"]["text"], "# Cats\nThey purr.");
    let item = ada.next(1).remove(0);
    ada.label(&item, "cat", "k");
    assert_eq!(ada.post("/api/owner/look", "{}").json()["looks"], 1);
    assert_eq!(ada.get("/api/owner").json()["looks"], 1);
    assert_eq!(ada.post("/api/owner/goal", r#"{"goal":7}"#).json()["goal"], 7);
    drop(page);
    assert_eq!(pets.study().looks().unwrap().len(), 1);
    let study =
        std::sync::Arc::new(std::sync::Mutex::new(labelwise_study::Study::open(pets.path()).unwrap()));
    let other = Some(("new.md".to_owned(), "They bark.".to_owned()));
    let refused = labelwise_page::Page::open(study, &Options { guide: other, ..options() }).unwrap_err();
    assert_eq!(refused.code(), "guide-differs");
}
