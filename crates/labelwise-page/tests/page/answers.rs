//! Answers: on disk before they are acknowledged, never twice, never by the wrong person.

use labelwise_study::Fate;
use serde_json::json;

use crate::client::{Client, Pets, events, options, with_rules};

#[test]
fn an_answer_is_on_disk_when_it_is_acknowledged() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    for (number, item) in ada.next(3).iter().enumerate() {
        let got = ada.label(item, "cat", &format!("key {number}"));
        assert_eq!(got.status, 200, "{got:?}");
        // Another process sees it at once.
        assert_eq!(pets.study().labels(), number + 1);
        assert_eq!(events(&pets.path())[number], (item.clone(), "told".into(), "cat".into(), "ada".into()));
    }
}

#[test]
fn a_repeated_key_records_nothing_twice_also_after_a_restart() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let item = ada.next(1).remove(0);
    assert_eq!(ada.label(&item, "cat", "k1").status, 200);
    let amend = json!({"item": item, "label": "dog", "key": "k2", "amend": true}).to_string();
    assert_eq!(ada.post("/api/labels", &amend).status, 200);
    drop(page);
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    // Both answers were lost on their way: the browser sends both requests again, in order.
    assert_eq!(ada.label(&item, "cat", "k1").status, 200);
    assert_eq!(ada.post("/api/labels", &amend).status, 200);
    let what: Vec<String> = events(&pets.path()).into_iter().map(|event| event.1).collect();
    assert_eq!(what, ["told", "amended"]);
    assert_eq!(*pets.study().fates().unwrap().first().unwrap(), Fate::Labelled("dog".to_owned()));
}

#[test]
fn a_key_of_another_answer_is_refused_and_never_called_saved() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let items = ada.next(2);
    assert_eq!(ada.label(&items[0], "cat", "k").status, 200);
    for (item, label) in [(&items[1], "cat"), (&items[0], "dog")] {
        let got = ada.label(item, label, "k");
        assert_eq!((got.status, got.code().as_str()), (409, "key-reused"), "{got:?}");
    }
    assert_eq!(events(&pets.path()).len(), 1);
    assert_eq!(ada.label(&items[0], "cat", "k").status, 200, "the same answer again");
}

#[test]
fn a_label_can_be_amended_and_taken_back() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let item = ada.next(1).remove(0);
    ada.label(&item, "cat", "k1");
    let refused = ada.label(&item, "dog", "k2");
    assert_eq!(
        (refused.status, refused.code()),
        (422, "refused".to_owned()),
        "only an amendment changes a label"
    );
    let skip = json!({"item": item, "skip": "cannot tell", "note": "dark", "key": "k3", "amend": true});
    assert_eq!(ada.post("/api/labels", &skip.to_string()).status, 200);
    let study = pets.study();
    let last = study.events().unwrap().last().unwrap();
    assert_eq!((last.what, last.note), ("skipped", Some("cannot tell: dark")));
    let history = ada.get("/api/history").json();
    assert_eq!(history["answers"][0]["given"]["skipped"], true);
    let view = ada.get(&format!("/api/item?item={item}")).json();
    assert_eq!(view["given"]["note"], "cannot tell: dark");
}

#[test]
fn wrong_answers_get_a_sentence_and_leave_no_trace() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let item = ada.next(1).remove(0);
    let cases = [
        (json!({"item": item, "label": "cow", "key": "a"}), 422, "refused"),
        (json!({"item": "pet-x", "label": "cat", "key": "b"}), 422, "refused"),
        (json!({"item": item, "key": "c"}), 400, "answer"),
        (json!({"item": item, "label": "cat", "skip": "broken", "key": "d"}), 400, "answer"),
        (json!({"item": item, "label": "cat", "key": ""}), 400, "answer"),
        (json!({"item": item, "label": "cat", "key": "x".repeat(201)}), 400, "answer"),
        (json!({"item": item, "label": "cat", "key": "e", "note": "x".repeat(4097)}), 400, "answer"),
        (json!({"item": item, "label": "cat", "key": "f", "who": "ben"}), 400, "json"),
        (json!({"item": item, "label": 1, "key": "g"}), 400, "json"),
        (json!([]), 400, "json"),
    ];
    for (body, status, code) in cases {
        let got = ada.post("/api/labels", &body.to_string());
        assert_eq!((got.status, got.code().as_str()), (status, code), "{body}");
        assert!(!got.json()["error"]["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(events(&pets.path()).len(), 0);
    let cow = ada.post("/api/labels", &json!({"item": item, "label": "cow", "key": "a"}).to_string()).json();
    assert!(cow["error"]["message"].as_str().unwrap().contains("cow"), "{cow}");
}

#[test]
fn an_item_that_is_put_off_comes_back_at_the_end() {
    let pets = Pets::new();
    let page = pets.open(&with_rules(|rules| (rules.goal, rules.batch) = (Some(3), 2)));
    let ada = Client::enter(page.address());
    let first = ada.next(1).remove(0);
    assert_eq!(ada.post("/api/later", &json!({"item": first}).to_string()).status, 200);
    let mut seen = Vec::new();
    while let Some(item) = ada.next(1).pop() {
        assert_eq!(ada.label(&item, "cat", &item).status, 200);
        seen.push(item);
    }
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[2], first);
    assert_eq!(ada.get("/api/next?count=1").json()["none"], "goal");
    assert_eq!(ada.post("/api/later", r#"{"item":"pet-x"}"#).status, 409);
}

#[test]
fn an_exhausted_pool_says_so() {
    let pets = Pets::new();
    let page = pets.open(&with_rules(|rules| (rules.goal, rules.batch) = (Some(1000), 20)));
    let ada = Client::enter(page.address());
    for number in 0..60 {
        let item = ada.next(1).remove(0);
        assert_eq!(ada.label(&item, "dog", &number.to_string()).status, 200);
    }
    assert_eq!(ada.get("/api/next?count=1").json()["none"], "exhausted");
    assert_eq!(pets.study().labels(), 60);
}

#[test]
fn pairs_are_shown_in_random_order_and_recorded_by_their_class() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..40).map(|i| format!("p{i},0.{},0.{},left {i},right {i}\n", 30 + i, 70 - i)).collect();
    let pool = folder.path().join("pool.csv");
    std::fs::write(&pool, format!("id,prob_a,prob_b,one,two\n{rows}")).unwrap();
    let table =
        labelwise_study::PoolTable::open(&pool, &labelwise_study::Reading::new().carry_texts()).unwrap();
    let study =
        labelwise_study::Study::in_memory(table, &labelwise_study::Choices::default()).unwrap().evaluation;
    let study = std::sync::Arc::new(std::sync::Mutex::new(study));
    let rules = with_rules(|rules| rules.pair = Some(("one".to_owned(), "two".to_owned())));
    let page = labelwise_page::Page::open(std::sync::Arc::clone(&study), &rules).unwrap();
    let ada = Client::enter(page.address());
    let mut swapped = 0;
    for number in 0..30 {
        let next = ada.get("/api/next?count=1").json();
        let view = &next["items"][0];
        let (item, side) = (view["item"].as_str().unwrap(), view["sides"][0][0]["value"].as_str().unwrap());
        assert_eq!(view["sides"][0][0]["name"], "", "the name of a column says which model it is");
        let expected = if side.starts_with("left") { "a" } else { "b" };
        swapped += usize::from(expected == "b");
        let got = ada.label(item, "a", &number.to_string());
        assert_eq!(got.status, 200);
        assert_eq!(got.json()["given"]["label"], "a");
        let study = study.lock().unwrap();
        assert_eq!(study.events().unwrap().last().unwrap().label, Some(expected), "{item}");
    }
    assert!((5..26).contains(&swapped), "{swapped}");
    assert_eq!(ada.label("p0", "one", "x").status / 100, 4);
}

/// The name of a file would say which model a side is from.
#[test]
fn pairs_of_images_do_not_name_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..20).map(|i| format!("p{i},0.{},0.{},ours/{i}.png,theirs/{i}.png\n", 30 + i, 70 - i)).collect();
    let pool = folder.path().join("pool.csv");
    std::fs::write(&pool, format!("id,prob_a,prob_b,one,two\n{rows}")).unwrap();
    for side in ["ours", "theirs"] {
        std::fs::create_dir(folder.path().join(side)).unwrap();
        for item in 0..20 {
            let file = folder.path().join(format!("{side}/{item}.png"));
            std::fs::write(file, [b"\x89PNG\r\n\x1a\n", side.as_bytes()].concat()).unwrap();
        }
    }
    let table =
        labelwise_study::PoolTable::open(&pool, &labelwise_study::Reading::new().carry_texts()).unwrap();
    let study =
        labelwise_study::Study::in_memory(table, &labelwise_study::Choices::default()).unwrap().evaluation;
    let study = std::sync::Arc::new(std::sync::Mutex::new(study));
    let mut rules = with_rules(|rules| rules.pair = Some(("one".to_owned(), "two".to_owned())));
    rules.media = Some(folder.path().to_owned());
    let page = labelwise_page::Page::open(std::sync::Arc::clone(&study), &rules).unwrap();
    let ada = Client::enter(page.address());
    let mut first = std::collections::BTreeSet::new();
    for number in 0..12 {
        let next = ada.get("/api/next?count=1");
        let text = String::from_utf8(next.body.clone()).unwrap();
        assert!(!text.contains("ours") && !text.contains("theirs") && !text.contains(".png"), "{text}");
        let view = &next.json()["items"][0];
        assert_eq!(view["sides"][0][0]["kind"], "image");
        let item = view["item"].as_str().unwrap();
        let image = |side: &str| ada.get(&format!("/api/media?item={item}&column={side}")).body;
        let (a, b) = (image("a"), image("b"));
        assert_ne!(a, b);
        assert_eq!(ada.label(item, "a", &number.to_string()).status, 200);
        // The label is the class of the column whose image stood on side A.
        let expected = if a.ends_with(b"ours") { "a" } else { "b" };
        assert_eq!(study.lock().unwrap().events().unwrap().last().unwrap().label, Some(expected), "{item}");
        first.insert(a);
    }
    assert_eq!(first.len(), 2, "each stood on side A at least once");
    let same = with_rules(|rules| rules.pair = Some(("one".to_owned(), "one".to_owned())));
    assert_eq!(labelwise_page::Page::open(study, &same).unwrap_err().code(), "pair-same");
}

/// Of an item of short values, each keeps its name; one value alone is read like a text. JSON stays as it was written.
#[test]
fn short_values_keep_their_names_and_json_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let json = r#"{""z"": 12345678901234567890, ""a"": [1.50]}"#;
    let rows: String =
        (0..20).map(|i| format!("p{i},0.{},0.{},Lima {i},{i},\"{json}\"\n", 30 + i, 70 - i)).collect();
    let pool = folder.path().join("pool.csv");
    std::fs::write(&pool, format!("id,prob_a,prob_b,city,born,record\n{rows}")).unwrap();
    let fields = |show: &[&str]| {
        let table =
            labelwise_study::PoolTable::open(&pool, &labelwise_study::Reading::new().carry_texts()).unwrap();
        let study = labelwise_study::Study::in_memory(table, &labelwise_study::Choices::default()).unwrap();
        let show = show.iter().map(|name| (*name).to_owned()).collect();
        let page = labelwise_page::Page::open(
            std::sync::Arc::new(std::sync::Mutex::new(study.evaluation)),
            &with_rules(|rules| rules.show = show),
        );
        Client::enter(page.unwrap().address()).get("/api/next").json()["items"][0]["fields"].clone()
    };
    let two = fields(&["city", "record"]);
    assert_eq!((&two[0]["kind"], &two[0]["name"]), (&"short".into(), &"city".into()));
    assert_eq!(two[1]["kind"], "json");
    assert_eq!(two[1]["value"], r#"{"z": 12345678901234567890, "a": [1.50]}"#);
    assert_eq!(fields(&["city"])[0]["kind"], "text");
}
