//! What the commands say: sentences for people, and one object for programs.

use std::io::Write;

use labelwise::words::{listed, quoted, shell};
use labelwise_connect::label_studio::{Document, Pulled, Pushed};
use labelwise_study::{HumanAgreement, SetAside, Study};

use crate::error::Error;
use crate::output::progress::Spinner;
use crate::output::recorded::SKIPPED_WITHOUT_BOUNDS;
use crate::output::screen::{lines, one_line};
use crate::output::text::{counted, thousands};

/// Number of set-aside annotations that are named.
const NAMED: usize = 5;

/// What an object says of the evaluation.
pub(super) struct Documents<'a> {
    pub(super) verb: &'static str,
    pub(super) address: String,
    pub(super) study: &'a Study,
}

impl Documents<'_> {
    pub(super) fn of<'a>(&'a self, pulled: Option<&'a Pulled>, pushed: Option<&'a Pushed>) -> Document<'a> {
        Document::new(self.verb, &self.address, self.study, pulled, pushed)
    }

    /// The command to run next.
    pub(super) fn next(&self) -> String {
        let counts = self.study.counts();
        let next = match (counts.waiting, self.verb) {
            (0, _) if counts.labels > 0 => "estimate",
            (_, "push") => "ls pull",
            _ => "ls sync",
        };
        format!("Next: labelwise {next} {}\n", shell(self.study.path()))
    }
}

/// What was taken over, in sentences.
pub(super) fn said_pulled(pulled: &Pulled) -> String {
    let heard = &pulled.heard;
    let mut parts = vec![format!("{} recorded", counted(heard.labelled, "label"))];
    for (count, what) in [
        (heard.corrected, "corrected"),
        (heard.skipped, "skipped"),
        (heard.taken_back, "taken back"),
        (heard.opinions, "other opinions kept"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", thousands(count)));
        }
    }
    let mut text = format!(
        "{}; {} of {} asked items are labelled\n",
        parts.join(", "),
        thousands(heard.labels),
        thousands(heard.asked)
    );
    text += &said_aside(&heard.set_aside);
    if let [first, ..] = heard.never_asked.as_slice() {
        let items = counted(heard.never_asked.len(), "item");
        text += &format!(
            "  ignored: {items} there that this evaluation never asked for, such as {}\n",
            quoted(first)
        );
    }
    if pulled.doubled > 0 {
        text += &format!(
            "  {} several tasks there; all answers to an item are kept as answers to that one item\n",
            if pulled.doubled == 1 {
                "1 item has".to_owned()
            } else {
                format!("{} items have", thousands(pulled.doubled))
            }
        );
    }
    if pulled.foreign > 0 {
        text += &format!(
            "  ignored: {} there that labelwise did not put there\n",
            counted(pulled.foreign, "task")
        );
    }
    if let (Some(agreement), Some(rule)) = (pulled.agreement, pulled.rule) {
        text += &format!("  {}; {}\n", said_agreement(&agreement), rule.in_words());
    }
    if heard.unbounded > 0 {
        text += &format!("{SKIPPED_WITHOUT_BOUNDS}\n");
    }
    text
}

/// Annotations that do not count.
pub(super) fn said_aside(aside: &[SetAside]) -> String {
    let named = aside.iter().take(NAMED);
    let mut text: String = named
        .map(|one| {
            let said = format!("set aside: item {} {} (by {})", quoted(&one.id), one.reason, one.who);
            format!("  {}\n", one_line(&said))
        })
        .collect();
    if aside.len() > NAMED {
        text += &format!("  set aside: {} more answers\n", thousands(aside.len() - NAMED));
    }
    text
}

/// How far people agree.
fn said_agreement(found: &HumanAgreement) -> String {
    let range = |interval: Option<(f64, f64)>| {
        interval.map_or_else(String::new, |(low, high)| format!(" ({low:.2} to {high:.2})"))
    };
    let mut text = format!(
        "people agree on {:.2}{} of items, by {} with several labels",
        found.agreement,
        range(found.agreement_interval),
        counted(found.items, "item")
    );
    if let Some(kappa) = found.kappa {
        text += &format!("; kappa {kappa:.2}{}", range(found.kappa_interval));
    }
    if found.agreement_interval.is_none() {
        text += "; no interval, because they differ on fewer than 10";
    }
    text
}

/// What was put there, in sentences.
pub(super) fn said_pushed(pushed: &Pushed, address: &str) -> String {
    let mut text = format!(
        "{address}: {} put there, {} there without an answer\n",
        counted(pushed.pushed, "item"),
        counted(pushed.open, "item")
    );
    if let deleted @ [_, ..] = pushed.deleted.as_slice() {
        let named: Vec<String> = deleted.iter().take(NAMED).cloned().collect();
        let more = deleted.len().saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {} more", thousands(more)) };
        text += &format!(
            "  deleted there, but waiting for a label: {}{more}; --again puts them there again, `labelwise skip` gives them up\n",
            one_line(&listed(&named))
        );
    }
    if pushed.is_enough && pushed.open == 0 {
        text += "  nothing is left to ask\n";
    }
    if pushed.pushed > 0 && !pushed.hidden.is_empty() {
        text += &format!(
            "  not shown where it says what a judge or a model says: {} (--show shows columns by name)\n",
            one_line(&listed(&pushed.hidden))
        );
    }
    text
}

/// Whether a look changed something.
pub(super) fn has_news(pulled: &Pulled, pushed: Option<&Pushed>) -> bool {
    let heard = &pulled.heard;
    heard.labelled + heard.corrected + heard.skipped + heard.taken_back + heard.opinions > 0
        || pushed.is_some_and(|pushed| pushed.pushed > 0)
}

/// The line that stays while labels come in.
pub(super) fn progress(pulled: &Pulled, pushed: Option<&Pushed>) -> String {
    let open = pushed.map_or(pulled.open, |pushed| pushed.open);
    let (labels, asked) = (thousands(pulled.heard.labels), thousands(pulled.heard.asked));
    format!("{labels} of {asked} asked items are labelled, {} there without an answer", counted(open, "item"))
}

/// One look in sentences, above the line that stays.
pub(super) fn said_round(
    pulled: &Pulled,
    pushed: Option<&Pushed>,
    address: &str,
    spinner: &Option<Spinner>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut text = said_pulled(pulled);
    if let Some(pushed) = pushed.filter(|pushed| pushed.pushed > 0) {
        text += &said_pushed(pushed, address);
    }
    let mut write = || -> Result<(), Error> { Ok(out.write_all(text.as_bytes())?) };
    match spinner {
        Some(spinner) => spinner.hidden_while(write),
        None => write(),
    }
}

/// A sentence on stderr, above the line that stays.
pub(super) fn above(spinner: &Option<Spinner>, text: &str) {
    let write = || eprintln!("{}", lines(text));
    match spinner {
        Some(spinner) => spinner.hidden_while(write),
        None => write(),
    }
}
