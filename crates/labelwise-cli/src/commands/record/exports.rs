//! Exports of labelling tools among the files of labels.

use std::path::Path;

use labelwise_connect::formats::{self, Export};
use labelwise_study::{Author, Study};

use super::answers::Source;
use crate::error::Error;
use crate::output::recorded::{Recorded, RefusedRow};
use crate::output::say_notes;

impl Source {
    /// The file and its text, if it is the export of a tool.
    pub(super) fn export(&self) -> Option<(&Path, &str)> {
        let Self::File { path, bytes } = self else { return None };
        let text = std::str::from_utf8(bytes).ok()?;
        formats::recognise(text).map(|_| (path.as_path(), text))
    }
}

/// Takes over what an export says, and adds it to what was recorded.
pub(super) fn take_over(
    source: &Source,
    question: Option<&str>,
    evaluation: &mut Study,
    by: &Author,
    recorded: &mut Recorded,
) -> Result<(), Error> {
    let Some((path, text)) = source.export() else { return Ok(()) };
    let name = path.to_string_lossy();
    let taken = formats::take_over(evaluation, Export { name: &name, text, question }, by)?;
    say_notes([&format!("{name} is an export of {}", taken.tool.name())]);
    let heard = taken.heard;
    let changed = heard.labelled + heard.corrected + heard.skipped + heard.taken_back;
    let aside = heard.set_aside.len() + heard.never_asked.len();
    let told = &mut recorded.told;
    told.recorded += changed;
    told.opinions += heard.opinions;
    told.already += taken.answers.saturating_sub(changed + heard.opinions + aside);
    told.unbounded += heard.unbounded;
    (told.labels, told.asked) = (heard.labels, heard.asked);
    recorded.blank += taken.waiting;
    let row = |id: String, reason: String| RefusedRow { file: None, line: None, id: Some(id), reason };
    let unfit =
        heard.set_aside.into_iter().map(|one| row(one.id, format!("{} (by {})", one.reason, one.who)));
    recorded.refused.extend(unfit);
    let never = heard.never_asked.into_iter().map(|id| row(id, "was not asked for".to_owned()));
    recorded.refused.extend(never);
    Ok(())
}
