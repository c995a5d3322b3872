//! Labelling in a terminal, for people on a machine without a browser: the same desk, the same answers on disk.

mod keyboard;
mod text;

use std::io::{self, Write};
use std::sync::Arc;

use crate::desk::{Desk, Nothing, Rules, SharedStudy, Task, View, Wish};
use crate::error::Error;
use crate::server::Summary;
use crate::sessions::{secret, valid_name};

pub use keyboard::{Keyboard, restore};
use text::{item_text, visible};

/// Why a session in a terminal ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// The desk refused.
    #[error(transparent)]
    Page(#[from] Error),
    /// The terminal cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Labels in a terminal until the goal is reached, the input ends, or the person quits.
pub fn label(
    study: SharedStudy,
    rules: Rules,
    who: &str,
    keys: &mut Keyboard<'_>,
    out: &mut dyn Write,
) -> Result<Summary, TerminalError> {
    let who = valid_name(who).ok_or_else(|| Error::Name { name: who.to_owned() })?;
    let desk = Desk::new(study, rules, false)?;
    let mut session = Session { desk: &desk, who, note: None, said: None };
    session.run(keys, out)?;
    let progress = desk.progress("");
    let waiting = desk.study().counts().waiting;
    Ok(Summary { answered: progress.answered, labels: progress.labels, waiting, goal: progress.goal })
}

/// What a person does with an item.
enum Deed {
    Label(String),
    Skip(String),
    Later,
    Note(String),
    Undo,
    Guide,
    Keys,
    Quit,
    /// What was typed means nothing here; the sentence says so.
    Nothing(String),
}

struct Session<'a> {
    desk: &'a Arc<Desk>,
    who: String,
    note: Option<String>,
    /// What happened last.
    said: Option<String>,
}

const REASONS: [&str; 3] = ["cannot tell", "broken", "out of scope"];

impl Session<'_> {
    fn run(&mut self, keys: &mut Keyboard<'_>, out: &mut dyn Write) -> Result<(), TerminalError> {
        loop {
            let next = self.desk.next(&self.who, &[], 1)?;
            let Some(view) = next.items.into_iter().next() else {
                let sentence = match next.none {
                    Some(Nothing::Drawing) => continue,
                    Some(Nothing::Exhausted) => "Every item of the pool has its answer.",
                    Some(Nothing::WithOthers) => "Other people have the items that are left.",
                    Some(Nothing::Goal) | None => "The goal is reached.",
                };
                self.flush(out)?;
                writeln!(out, "{sentence}")?;
                return Ok(());
            };
            let position = format!("{} of {}", next.progress.answered + 1, next.progress.goal);
            if !self.one(&view, &position, keys, out)? {
                return Ok(());
            }
        }
    }

    fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.said.take() {
            Some(said) => writeln!(out, "{}", visible(&said)),
            None => Ok(()),
        }
    }

    /// Shows an item until it is answered or put off. `false` if the person quits.
    fn one(
        &mut self,
        view: &View,
        position: &str,
        keys: &mut Keyboard<'_>,
        out: &mut dyn Write,
    ) -> Result<bool, TerminalError> {
        self.flush(out)?;
        write!(out, "\n{}", item_text(view, position))?;
        loop {
            write!(out, "\n{}\n> ", self.choices())?;
            out.flush()?;
            let Some(deed) = self.deed(keys, out)? else { return Ok(false) };
            match deed {
                Deed::Label(label) => {
                    if self.answer(view, Some(label), None, false, out)? {
                        return Ok(true);
                    }
                }
                Deed::Skip(reason) => {
                    if self.answer(view, None, Some(reason), false, out)? {
                        return Ok(true);
                    }
                }
                Deed::Later => {
                    self.desk.put_off(&self.who, &view.item);
                    self.said = Some(format!("Item {} comes again at the end.", view.number));
                    return Ok(true);
                }
                Deed::Undo => {
                    if !self.undo(keys, out)? {
                        return Ok(false);
                    }
                    self.flush(out)?;
                    write!(out, "\n{}", item_text(view, position))?;
                }
                Deed::Note(note) => {
                    self.note = Some(note).filter(|note| !note.is_empty());
                    writeln!(out, "The note goes with your answer.")?;
                }
                Deed::Guide => {
                    let guide = self.desk.study().guide().map_err(Error::from)?;
                    let text = guide.map_or("There is no guide.".to_owned(), |guide| guide.text);
                    writeln!(out, "\n{}", visible(&text))?;
                }
                Deed::Keys => writeln!(
                    out,
                    "s skip, d later, n note, u undo (again and again), g guide, ? keys, q quit; then an answer"
                )?,
                Deed::Quit => return Ok(false),
                Deed::Nothing(sentence) => writeln!(out, "{}", visible(&sentence))?,
            }
        }
    }

    /// Records an answer and says so; `false` if it was refused.
    fn answer(
        &mut self,
        view: &View,
        label: Option<String>,
        skip: Option<String>,
        amend: bool,
        out: &mut dyn Write,
    ) -> Result<bool, TerminalError> {
        let what = label.clone().or_else(|| skip.as_ref().map(|skip| format!("skipped: {skip}")));
        let wish =
            Wish { item: view.item.clone(), label, skip, key: secret()?, note: self.note.clone(), amend };
        match self.desk.answer(&self.who, &wish) {
            Ok(saved) => {
                self.note = None;
                self.said = Some(format!("Saved item {} as {}.", saved.number, what.unwrap_or_default()));
                Ok(true)
            }
            Err(refusal) => {
                writeln!(out, "Not saved: {}.", visible(&refusal.told().1))?;
                Ok(false)
            }
        }
    }

    /// Opens earlier items again, one further back each time. `false` if the person quits.
    fn undo(&mut self, keys: &mut Keyboard<'_>, out: &mut dyn Write) -> Result<bool, TerminalError> {
        let past = self.desk.history(&self.who, 200)?;
        for one in &past {
            let Some(view) = self.desk.item(&self.who, &one.item)? else { continue };
            let given = one.given.label.clone().unwrap_or_else(|| "skipped".to_owned());
            write!(out, "\n{}", item_text(&view, &format!("open again, it was {given}")))?;
            loop {
                write!(out, "\n{}\n(Enter leaves it as it is) > ", self.choices())?;
                out.flush()?;
                match self.deed(keys, out)? {
                    None | Some(Deed::Quit) => return Ok(false),
                    Some(Deed::Undo) => break,
                    Some(Deed::Label(label)) if one.given.label.as_ref() == Some(&label) => return Ok(true),
                    Some(Deed::Label(label)) => {
                        if self.answer(&view, Some(label), None, true, out)? {
                            return Ok(true);
                        }
                    }
                    Some(Deed::Skip(reason)) => {
                        if self.answer(&view, None, Some(reason), true, out)? {
                            return Ok(true);
                        }
                    }
                    Some(_) => return Ok(true),
                }
            }
        }
        writeln!(out, "There is no earlier answer of yours.")?;
        Ok(true)
    }

    fn choices(&self) -> String {
        let question = visible(&self.desk.question());
        let answers = match &self.desk.task {
            task @ Task::Classes { classes, open } if task.has_keys() => {
                let choice = |choice: &crate::desk::Choice| {
                    let name = visible(choice.shown());
                    match choice.number {
                        // A digit says itself.
                        Some(number) if number.to_string() != name => format!("{number} {name}"),
                        _ => name,
                    }
                };
                let another = open.then(|| "/ another class".to_owned());
                classes.iter().map(choice).chain(another).collect::<Vec<_>>().join("   ")
            }
            Task::Classes { classes, .. } => format!("type a part of one of {} classes", classes.len()),
            Task::Number { low: Some(low), high: Some(high) } => format!("a number from {low} to {high}"),
            Task::Number { .. } => "a number".to_owned(),
            Task::Pair { tie: true } => "a  A is better   t  tie   b  B is better".to_owned(),
            Task::Pair { tie: false } => "a  A is better   b  B is better".to_owned(),
        };
        format!("{question}  {answers}   (? keys)")
    }

    /// What is typed next; `None` at the end of the input.
    fn deed(&self, keys: &mut Keyboard<'_>, out: &mut dyn Write) -> Result<Option<Deed>, TerminalError> {
        let is_one_key = self.desk.task.has_keys();
        let typed = if is_one_key { keys.key()? } else { keys.line()? };
        let Some(typed) = typed else { return Ok(None) };
        if is_one_key && keys.is_raw() {
            writeln!(out, "{}", visible(&typed))?;
        }
        if let Some(label) = self.label(&typed) {
            return Ok(Some(label));
        }
        Ok(match typed.as_str() {
            "s" => {
                write!(out, "Why skip? 1 I cannot tell   2 it is broken   3 out of scope   > ")?;
                out.flush()?;
                let reason = keys.key()?;
                let number = reason.as_deref().and_then(|reason| reason.parse::<usize>().ok());
                let reason = number.and_then(|number| REASONS.get(number.checked_sub(1)?));
                Some(reason.map_or_else(
                    || Deed::Nothing("It is not skipped.".to_owned()),
                    |reason| Deed::Skip((*reason).to_owned()),
                ))
            }
            "n" => {
                write!(out, "Note: ")?;
                out.flush()?;
                keys.line()?.map(Deed::Note)
            }
            "/" if matches!(self.desk.task, Task::Classes { open: true, .. }) => {
                write!(out, "Class: ")?;
                out.flush()?;
                let class = keys.line()?;
                class.map(|class| match class.as_str() {
                    "" => Deed::Nothing("No class was given.".to_owned()),
                    _ => Deed::Label(class),
                })
            }
            "d" => Some(Deed::Later),
            "u" => Some(Deed::Undo),
            "g" => Some(Deed::Guide),
            "?" => Some(Deed::Keys),
            "q" => Some(Deed::Quit),
            other => Some(Deed::Nothing(format!("“{other}” is not an answer here; ? lists the keys."))),
        })
    }

    /// The label that was typed: a key, a class, or a part of one class alone.
    fn label(&self, typed: &str) -> Option<Deed> {
        let exact = |label: &str| Some(Deed::Label(label.to_owned()));
        match &self.desk.task {
            Task::Pair { tie } => match typed {
                "a" | "b" => exact(typed),
                "t" if *tie => exact(typed),
                _ => None,
            },
            Task::Number { .. } => {
                typed.replace(',', ".").parse::<f64>().ok().and_then(|_| exact(&typed.replace(',', ".")))
            }
            Task::Classes { classes, open } => {
                let is_key = |choice: &&crate::desk::Choice| {
                    choice.name == typed
                        || choice.number.is_some_and(|number| number.to_string() == typed)
                        || choice.letter.is_some_and(|letter| letter.to_string() == typed)
                };
                if let Some(choice) = classes.iter().find(is_key) {
                    return exact(&choice.name);
                }
                if typed.chars().count() < 2 {
                    return None;
                }
                let text = typed.to_lowercase();
                let found: Vec<&str> = classes
                    .iter()
                    .map(|choice| choice.name.as_str())
                    .filter(|name| name.to_lowercase().contains(&text))
                    .collect();
                match found.as_slice() {
                    [one] => exact(one),
                    [] if *open && !self.desk.task.has_keys() => exact(typed),
                    [] => None,
                    many => {
                        let shown = many.iter().take(20).copied().collect::<Vec<_>>().join(", ");
                        Some(Deed::Nothing(format!("{} classes have that: {shown}", many.len())))
                    }
                }
            }
        }
    }
}
