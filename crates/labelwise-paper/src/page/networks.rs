//! The networks that predictions came from.

use super::escaped;
use crate::workshop::ArchiveNote;

/// A table of archives; nothing where there are none.
pub(super) fn section(archives: &[ArchiveNote]) -> String {
    if archives.is_empty() {
        return String::new();
    }
    let row = |note: &ArchiveNote| {
        format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.4}</td><td>{:.4}</td></tr>\n",
            escaped(&note.file),
            note.items,
            note.members,
            note.accuracy,
            note.cross_entropy
        )
    };
    let headings = ["archive", "test items", "members", "accuracy", "cross-entropy"];
    let headings: String = headings.map(|heading| format!("<th scope=\"col\">{heading}</th>")).concat();
    format!(
        "<section>\n<h2>The networks</h2>\n<table class=\"claims\">\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{}</tbody>\n\
         </table>\n</section>\n",
        archives.iter().map(row).collect::<String>()
    )
}
