//! Where the items of an evaluation were handed to: a project in a labelling tool, and the items that were put there.

use labelwise_file::digest;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::{Author, Study};

const LINK: &str = "link";
const HANDED: &str = "handed";

/// A project in a labelling tool that belongs to this evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The tool.
    pub tool: String,
    /// The address of its server.
    pub address: String,
    /// The project, as the tool calls it.
    pub project: String,
    /// What the tool was told about columns and answers, in the words of whoever told it.
    pub view: String,
    /// When it was recorded, in microseconds since 1970, UTC.
    pub at: i64,
}

/// Items that were put into a project.
#[derive(Debug, Serialize, Deserialize)]
struct Handed {
    project: String,
    ids: Vec<String>,
}

impl Link {
    fn key(&self) -> String {
        format!("{:016x}", digest(&[&self.tool, &self.address, &self.project]))
    }
}

impl Study {
    /// Records the project of a tool. Returns whether it is another one than before.
    pub fn record_link(&mut self, link: &Link, by: &Author) -> Result<bool> {
        self.reload()?;
        let about = link.tool.clone();
        let same = |before: &Link| Link { at: link.at, ..before.clone() } == *link;
        self.remark(LINK, &about, link, by.at, same)
    }

    /// The project of a tool that was recorded last.
    pub fn link(&self, tool: &str) -> Result<Option<Link>> {
        Ok(self.remarks::<Link>(LINK)?.into_iter().rfind(|link| link.tool == tool))
    }

    /// Records that items were put into a project.
    pub fn record_handed(&mut self, link: &Link, ids: &[String], by: &Author) -> Result<()> {
        let handed = Handed { project: link.key(), ids: ids.to_vec() };
        let about = format!(
            "{} {:016x}",
            handed.project,
            digest(&ids.iter().map(String::as_str).collect::<Vec<_>>())
        );
        self.remark(HANDED, &about, &handed, by.at, |_: &Handed| false).map(|_| ())
    }

    /// The ids of the items that were put into a project.
    pub fn handed(&self, link: &Link) -> Result<Vec<String>> {
        let key = link.key();
        let all = self.remarks::<Handed>(HANDED)?.into_iter().filter(|handed| handed.project == key);
        Ok(all.flat_map(|handed| handed.ids).collect())
    }
}
