//! What a command did, as one object for programs: the same for every door.

use labelwise_study::{HumanAgreement, OpinionRule, SetAside, Study};
use serde::Serialize;

use super::sync::{Pulled, Pushed};

/// The version of the object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.ls/1";

/// What a command did, and where the evaluation stands.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    command: &'a str,
    /// The address of the project.
    project: &'a str,
    labels: usize,
    asked: usize,
    waiting: usize,
    skipped: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pulled: Option<PulledDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pushed: Option<PushedDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct PulledDocument<'a> {
    labelled: usize,
    corrected: usize,
    skipped: usize,
    taken_back: usize,
    opinions: usize,
    set_aside: &'a [SetAside],
    never_asked: &'a [String],
    /// Items there, and those without an answer.
    items: usize,
    open: usize,
    doubled: usize,
    foreign: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<HumanAgreement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<OpinionRule>,
}

#[derive(Debug, Serialize)]
struct PushedDocument<'a> {
    drawn: usize,
    pushed: usize,
    open: usize,
    deleted: &'a [String],
    is_enough: bool,
    hidden: &'a [String],
}

impl<'a> Document<'a> {
    /// The object as a text.
    pub fn to_json(&self) -> String {
        // Texts and numbers always fit into JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The object of a command.
    pub fn new(
        command: &'a str,
        project: &'a str,
        study: &Study,
        pulled: Option<&'a Pulled>,
        pushed: Option<&'a Pushed>,
    ) -> Self {
        let counts = study.counts();
        let pulled = pulled.map(|pulled| PulledDocument {
            labelled: pulled.heard.labelled,
            corrected: pulled.heard.corrected,
            skipped: pulled.heard.skipped,
            taken_back: pulled.heard.taken_back,
            opinions: pulled.heard.opinions,
            set_aside: &pulled.heard.set_aside,
            never_asked: &pulled.heard.never_asked,
            items: pulled.items,
            open: pulled.open,
            doubled: pulled.doubled,
            foreign: pulled.foreign,
            agreement: pulled.agreement,
            rule: pulled.rule,
        });
        let pushed = pushed.map(|pushed| PushedDocument {
            drawn: pushed.drawn,
            pushed: pushed.pushed,
            open: pushed.open,
            deleted: &pushed.deleted,
            is_enough: pushed.is_enough,
            hidden: &pushed.hidden,
        });
        Self {
            schema: SCHEMA,
            command,
            project,
            labels: counts.labels,
            asked: counts.draws,
            waiting: counts.waiting,
            skipped: counts.skipped,
            pulled,
            pushed,
        }
    }
}
