//! Groups of samples, a next batch, labels of the labelling page, and two models by metrics that are not averages: the same
//! through the library and through the program. `python/tests/test_doors_asked.py` has the same through Python.

use std::fmt::Write;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use labelwise_page::{Options, Page};
use labelwise_study::{
    Answer, Author, BeliefName, Choices, EstimateOptions, OnSharedLabels, PoolTable, Reading, Scored, Study,
};
use serde_json::Value;

use crate::folder::{Folder, label, probabilities};
use crate::judges;
use crate::judges::{json, work};

/// A study in memory of a file.
fn study(folder: &Folder, file: &str, reading: &Reading, choices: &Choices) -> Study {
    Study::in_memory(PoolTable::open(folder.path(file), reading).unwrap(), choices).unwrap().evaluation
}

/// Labels by a rule, as many at a time as [`work`] does.
fn spend(study: &mut Study, labels: usize, count: usize, of: impl Fn(&str) -> String) {
    let by = Author::default();
    for start in (0..labels).step_by(count) {
        let asked = study.ask(count.min(labels - start), &by).unwrap();
        let answers: Vec<Answer> =
            asked.into_iter().map(|one| Answer::new(one.id.clone(), of(&one.id))).collect();
        study.tell(&answers, &by).unwrap();
    }
}

fn aims(names: &[&str]) -> Vec<labelwise_study::Measurable> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn same(there: &Value, here: Option<f64>, what: &str) {
    assert_eq!(there.as_f64().map(f64::to_bits), here.map(f64::to_bits), "{what}: {there}, {here:?}");
}

#[test]
fn groups_of_samples() {
    let folder = Folder::new();
    let mut rows = String::from("id,prompt,judge\n");
    for sample in 0..160 {
        writeln!(rows, "s{sample},p{},{:.3}", sample * 7 % 40, judges::score(sample)).unwrap();
    }
    folder.write("samples.csv", &rows);
    let new = ["new", "samples.csv", "--judge", "judge", "--group", "prompt", "--loss", "pass@2,pass^4"];
    folder.run(&[&new[..], &["--positive", "pass", "--seed", "5", "--out", "g.labelwise"]].concat());
    let passes = |prompt: usize| (prompt % 5).to_string();
    work(&folder, "g.labelwise", 24, 12, passes);
    let positive = Some("pass".to_owned());
    let group = Some("prompt".to_owned());
    let choices =
        Choices { aims: aims(&["pass@2", "pass^4"]), positive, group, seed: 5, ..Choices::default() };
    let mut study = study(&folder, "samples.csv", &Reading::new().judge("judge").carry("prompt"), &choices);
    spend(&mut study, 24, 12, |id| passes(id[1..].parse().unwrap()));
    let there = json(&folder, &["estimate", "g.labelwise"]);
    assert_eq!(there.as_array().unwrap().len(), 2);
    let reports = study.estimate(&EstimateOptions::default()).unwrap();
    for (row, found) in there.as_array().unwrap().iter().zip(reports) {
        same(&row["estimate"], Some(found.value), "estimate");
        same(&row["low"], found.interval.map(|(low, _)| low), "low");
        same(&row["high"], found.interval.map(|(_, high)| high), "high");
    }
}

#[test]
fn a_next_batch() {
    let folder = judges::folder();
    let new = ["new", "answers.csv", "--judge", "judge_score", "--loss", "rate", "--positive", "pass"];
    folder.run(&[&new[..], &["--seed", "5", "--out", "s.labelwise"]].concat());
    work(&folder, "s.labelwise", 60, 12, |item| judges::label(item).to_owned());
    let mut next = String::from("id,judge_score\n");
    (0..50).for_each(|item| writeln!(next, "n{item},{:.4}", 0.8 * judges::score(item)).unwrap());
    folder.write("next.csv", &next);
    let reading = Reading::new().judge("judge_score");
    let choices =
        Choices { aims: aims(&["rate"]), positive: Some("pass".to_owned()), seed: 5, ..Choices::default() };
    let mut study = study(&folder, "answers.csv", &reading, &choices);
    spend(&mut study, 60, 12, |id| judges::label(id[1..].parse().unwrap()).to_owned());
    for level in [0.95, 0.8] {
        let here = study.apply(&PoolTable::open(folder.path("next.csv"), &reading).unwrap(), level).unwrap();
        let there = json(&folder, &["apply", "s.labelwise", "next.csv", "--level", &level.to_string()]);
        let rates = [("by_error_rates", here.by_error_rates.unwrap()), ("by_verdicts", here.by_verdicts)];
        for (name, rate) in rates {
            same(&there[name]["value"], Some(rate.value), name);
            same(&there[name]["low"], Some(rate.low), name);
            same(&there[name]["high"], Some(rate.high), name);
        }
        assert_eq!((&there["items"], &there["labels"]), (&50.into(), &60.into()));
        same(&there["judged"][1], Some(here.judged.1), "judged");
    }
}

/// Another model: the classes of every third item in another order.
fn other_csv() -> String {
    let row = |item: usize| {
        let mut row = probabilities(item);
        if item.is_multiple_of(3) {
            row.rotate_left(1);
        }
        format!("row-{item},{:.8},{:.8},{:.8}\n", row[0], row[1], row[2])
    };
    format!("id,prob_cat,prob_dog,prob_owl\n{}", (0..200).map(row).collect::<String>())
}

/// The number of an item by its id in `pool.csv`.
fn row(id: &str) -> usize {
    id.trim_start_matches("row-").parse().unwrap()
}

#[test]
fn two_models_by_metrics_that_are_not_averages() {
    let folder = Folder::new();
    folder.write("other.csv", &other_csv());
    folder.run(&["new", "pool.csv", "--loss", "f1_macro", "--seed", "5", "--out", "pets.labelwise"]);
    let choices = Choices { aims: aims(&["f1_macro"]), seed: 5, ..Choices::default() };
    let mut study = study(&folder, "pool.csv", &Reading::new(), &choices);
    let other = PoolTable::open(folder.path("other.csv"), &Reading::new()).unwrap();
    // Some of the items, and all of them.
    for labels in [90, 110] {
        folder.label("pets.labelwise", labels, |item| label(item).to_owned());
        spend(&mut study, labels, labels, |id| label(row(id)).to_owned());
        for (metric, positive) in [
            ("f1_macro", None),
            ("recall_macro", None),
            ("matthews_corrcoef", None),
            ("precision", Some("owl")),
        ] {
            let asked = ["compare", "pets.labelwise", "other.csv", "--loss", metric];
            let flags = positive.map_or(Vec::new(), |class| vec!["--positive", class]);
            let there = json(&folder, &[&asked[..], &flags].concat());
            let metric = metric.parse().unwrap();
            let found =
                study.compare_by(&other, Some(&metric), positive, &EstimateOptions::default()).unwrap();
            let OnSharedLabels::Scores(found) = found else { panic!("{there}") };
            let [here] = found.as_slice() else { panic!("{there}") };
            let check = |there: &Value, here: &Scored, value: &str| {
                same(&there[value], here.value.as_ref().ok().copied(), value);
                same(&there["low"], here.interval.map(|(low, _)| low), "low");
                same(&there["high"], here.interval.map(|(_, high)| high), "high");
            };
            check(&there["models"][0], &here.own, "estimate");
            check(&there["models"][1], &here.other, "estimate");
            check(&there, &here.difference, "difference");
            same(&there["p_value"], here.p_value, "p-value");
            // The model that labels were asked for has the estimate that it has by itself.
            let asked = ["estimate", "pets.labelwise", "--loss", asked[4]];
            let alone = json(&folder, &[&asked[..], &flags].concat());
            check(&alone, &here.own, "estimate");
        }
    }
}

/// One request to a page, and its answer; with a session, or without one to get it.
fn request(port: &str, cookie: &str, method: &str, path: &str, body: &str) -> (String, Value) {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nConnection: close\r\n\
         Cookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    (head.to_owned(), serde_json::from_str(body).unwrap())
}

/// Labels on the page of a study until it gives nothing, and returns the items.
fn told_on_page(study: Study, goal: usize) -> (Arc<Mutex<Study>>, Vec<String>) {
    let study = Arc::new(Mutex::new(study));
    let mut options = Options { port: Some(0), who: Some("ada".to_owned()), ..Options::default() };
    options.rules.goal = Some(goal);
    let page = Page::open(Arc::clone(&study), &options).unwrap();
    let (host, token) = page.address().split_once("/#").unwrap();
    let port = host.rsplit(':').next().unwrap();
    let (head, _) = request(port, "", "POST", "/api/session", &format!("{{\"token\":\"{token}\"}}"));
    let cookie = head.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let mut items = Vec::new();
    loop {
        let (_, next) = request(port, cookie, "GET", "/api/next?count=1", "");
        let Some(item) = next["items"][0]["item"].as_str() else { break };
        let answer = format!("{{\"item\":\"{item}\",\"label\":\"{}\",\"key\":\"{item}\"}}", label(row(item)));
        request(port, cookie, "POST", "/api/labels", &answer);
        items.push(item.to_owned());
    }
    drop(page);
    (study, items)
}

#[test]
fn labels_of_the_labelling_page() {
    let folder = Folder::new();
    let new = ["new", "pool.csv", "--seed", "5", "--belief", "as-given", "--out", "pets.labelwise"];
    folder.run(&new);
    // The page draws ahead: recalibrated beliefs would know as many labels as have come by then.
    let choices = Choices { seed: 5, belief: Some(BeliefName::AsGiven), ..Choices::default() };
    let table = || PoolTable::open(folder.path("pool.csv"), &Reading::new()).unwrap();
    let (memory, items) = told_on_page(Study::in_memory(table(), &choices).unwrap().evaluation, 30);
    let file = Study::create(folder.path("page.labelwise"), table(), &choices).unwrap().evaluation;
    let (file, same_items) = told_on_page(file, 30);
    assert_eq!((items.len(), &items), (30, &same_items));
    // The program, five items at a time as the page draws them.
    for portion in items.chunks(5) {
        folder.label("pets.labelwise", 5, |item| {
            assert!(portion.contains(&format!("row-{item}")));
            label(item).to_owned()
        });
    }
    let there = json(&folder, &["estimate", "pets.labelwise"]);
    drop(file);
    let kept = Study::read(folder.path("page.labelwise")).unwrap();
    let by_program = json(&folder, &["estimate", "page.labelwise"]);
    let memory = memory.lock().unwrap();
    for study in [&*memory, &kept] {
        let found = study.estimate(&EstimateOptions::default()).unwrap().remove(0);
        for json in [&there, &by_program] {
            same(&json["estimate"], Some(found.value), "estimate");
            same(&json["low"], found.interval.map(|(low, _)| low), "low");
            same(&json["high"], found.interval.map(|(_, high)| high), "high");
        }
        assert!(study.events().unwrap().all(|event| event.who == "ada"));
    }
}
