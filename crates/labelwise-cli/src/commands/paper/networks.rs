//! Options and output of figures on images.

use std::path::PathBuf;

use labelwise_paper::{FigureSummary, Places};

use super::data::data_folder;
use crate::output::table;
use crate::output::text::cells;

/// Where images and archives are.
#[derive(Debug, clap::Args)]
pub(crate) struct NetworkOptions {
    /// Folder of image sets, for figures whose networks must be trained [default: the environment variable
    /// LABELWISE_DATA, or the folder of `labelwise paper data`]
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Folder of archives (predictions of trained networks). Existing archives are used; missing networks are
    /// trained and their archives written [default: archives, next to the folder for results]
    #[arg(long, value_name = "FOLDER")]
    archives: Option<PathBuf>,
}

impl NetworkOptions {
    /// The folders of the options, or their defaults.
    pub(crate) fn places(&self) -> Places {
        // Without a folder of images, the code that needs one returns the error.
        let data = data_folder(self.data.as_deref()).ok();
        Places { data, archives: self.archives.clone() }
    }
}

/// Networks, losses and tests, as far as a figure is about them.
pub(crate) fn text(summary: &FigureSummary) -> String {
    let mut text = networks(summary);
    if let Some(boxes) = summary.losses {
        text.push_str(&format!(
            "\nOf the {} largest losses of {} items, the model expects a tenth or less of {} ({:.1} % of the sum of all losses), \
             and the ensemble of {} ({:.1} %); the ensemble's root mean square is a tenth or less of {}\n",
            boxes.largest,
            boxes.items,
            boxes.entropy,
            100.0 * boxes.entropy_share,
            boxes.ensemble,
            100.0 * boxes.ensemble_share,
            boxes.root_mean_square
        ));
    }
    if !summary.ranks.is_empty() {
        text.push_str("\nWilcoxon's signed-rank tests: the paper's best method, and at the end our default, has lower squared errors than the \
             other one\n\n");
        text.push_str(&summary.ranks_text());
    }
    text
}

fn networks(summary: &FigureSummary) -> String {
    if summary.archives.is_empty() {
        return String::new();
    }
    let mut rows =
        vec![cells(["", "items", "members", "accuracy", "cross-entropy", "entropy over it", "trained in"])];
    rows.extend(summary.archives.iter().map(|note| {
        vec![
            match note.architecture.as_str() {
                "" => format!("  {}", note.file.trim_end_matches(".parquet")),
                network => format!("  {} ({network})", note.file.trim_end_matches(".parquet")),
            },
            note.items.to_string(),
            note.members.to_string(),
            format!("{:.4}", note.accuracy),
            format!("{:.4}", note.cross_entropy),
            note.entropy
                .map_or_else(|| "-".to_owned(), |entropy| format!("{:.2}", entropy / note.cross_entropy)),
            note.training_seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.0} s")),
        ]
    }));
    format!("\nNetworks, from archives\n{}", table::aligned(&rows))
}
