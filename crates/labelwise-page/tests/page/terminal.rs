//! Labelling in a terminal, from a pipe.

use std::sync::{Arc, Mutex};

use labelwise_page::Rules;
use labelwise_page::terminal::{Keyboard, label};
use labelwise_study::Study;

use crate::client::{Pets, events};

fn typed(pets: &Pets, text: &str, goal: usize) -> String {
    let study = Arc::new(Mutex::new(Study::open(pets.path()).unwrap()));
    let mut rules = Rules::default();
    rules.goal = Some(goal);
    let (mut input, mut out) = (text.as_bytes(), Vec::new());
    label(study, rules, "ada", &mut Keyboard::lines(&mut input), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn keys_label_skip_put_off_and_undo() {
    let pets = Pets::with_text(|item| format!("photo {item}\u{1b}[2J"));
    let out = typed(&pets, "1\ncow\nn\nblurred\n2\nd\ns\n2\nu\nu\nu\n2\nq\n", 10);
    assert!(!out.contains('\u{1b}'), "items do not command the terminal");
    assert!(out.contains("Saved item 1 as cat."), "{out}");
    assert!(out.contains("is not an answer here") || out.contains("cow"), "{out}");
    let events = events(&pets.path());
    let what: Vec<(&str, &str)> = events.iter().map(|event| (event.1.as_str(), event.2.as_str())).collect();
    assert_eq!(what, [("told", "cat"), ("told", "dog"), ("skipped", ""), ("amended", "dog")], "{out}");
    assert!(events.iter().all(|event| event.3 == "ada"));
}

#[test]
fn the_end_of_the_input_and_the_goal_end_the_session() {
    let pets = Pets::new();
    typed(&pets, "1\n", 2);
    let out = typed(&pets, "2\n2\n2\n", 2);
    assert!(out.contains("The goal is reached."), "{out}");
    assert_eq!(events(&pets.path()).len(), 2);
}
