//! The project of an evaluation: found by what is on record, or by the key in its title, or made.

use labelwise_study::{Author, Link, Study};

use super::TOOL;
use super::config::config;
use super::server::{Project, Server};
use crate::error::{Error, Result};
use crate::view::View;

/// The longest title that Label Studio takes, in characters.
const LONGEST_TITLE: usize = 50;

/// Which project to use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    /// That of this evaluation.
    #[default]
    Own,
    /// A new one.
    New,
    /// This one, which has no tasks yet, or those of this evaluation.
    Number(u64),
}

impl std::str::FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "new" => Ok(Self::New),
            number => number.parse().map(Self::Number).map_err(|_| "must be the number of a project, or new"),
        }
    }
}

/// What marks a project as that of an evaluation. Titles are searched for it, and people may change them.
fn mark(evaluation: &str) -> String {
    format!("labelwise {evaluation}")
}

/// The title of a project.
fn title(name: &str, evaluation: &str) -> String {
    let mark = format!(" ({})", mark(evaluation));
    let room = LONGEST_TITLE.saturating_sub(mark.chars().count());
    let name: String = name.chars().filter(|letter| !letter.is_control()).take(room).collect();
    format!("{}{mark}", name.trim())
}

/// The evaluation that a project is marked with.
fn marked(project: &Project) -> Option<String> {
    let texts = [&project.title, &project.description];
    texts.into_iter().flatten().find_map(|text| {
        let key = text.split("labelwise ").skip(1).find_map(|rest| rest.get(..16))?;
        key.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| key.to_owned())
    })
}

/// Finds the project of an evaluation. With a view it is made if there is none.
pub(crate) fn find(
    study: &mut Study,
    server: &mut Server,
    place: Place,
    make: Option<(&View, &str)>,
    by: &Author,
) -> Result<Link> {
    let evaluation = study.settings().identity();
    let known = study.link(TOOL)?.filter(|link| link.address == server.address());
    let link = |project: u64, address: &str| Link {
        tool: TOOL.to_owned(),
        address: address.to_owned(),
        project: project.to_string(),
        view: String::new(),
        at: by.at,
    };
    let number = match place {
        Place::Number(number) => Some(number),
        Place::Own => known.as_ref().and_then(|link| link.project.parse().ok()),
        Place::New => None,
    };
    let address = server.address().to_owned();
    if let Some(number) = number {
        let Some(project) = server.project(number)? else {
            return Err(Error::ProjectGone { address, project: number });
        };
        if let Some(other) = marked(&project).filter(|other| *other != evaluation) {
            return Err(Error::OtherProject { address, project: number, other });
        }
        return Ok(known
            .filter(|link| link.project == number.to_string())
            .unwrap_or_else(|| link(number, &address)));
    }
    if place == Place::Own {
        // A command that was interrupted may have made it.
        let mark = mark(&evaluation);
        let found = server.projects(&mark)?;
        let own = found.iter().filter(|project| marked(project).as_ref() == Some(&evaluation));
        if let Some(first) = own.map(|project| project.id).min() {
            return Ok(link(first, &address));
        }
    }
    let Some((view, name)) = make else { return Err(Error::NoProject { address }) };
    let description = format!(
        "Items that labelwise drew from {} for measuring a model. {}. Please leave the order of the tasks as it is, and add \
         none.",
        study.settings().pool.path.rsplit(['/', '\\']).next().unwrap_or_default(),
        mark(&evaluation)
    );
    let guide = study.guide()?.map(|guide| html(&guide.text));
    let made =
        server.make_project(&title(name, &evaluation), &description, &config(view), guide.as_deref())?;
    Ok(link(made.id, &address))
}

/// A text as HTML: Label Studio shows instructions as such.
fn html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<pre style=\"white-space: pre-wrap\">{text}</pre>")
}

#[cfg(test)]
mod tests {
    use super::{Project, html, marked, title};

    #[test]
    fn titles_fit_and_carry_the_key() {
        let key = "0123456789abcdef";
        assert_eq!(title("pets", key), "pets (labelwise 0123456789abcdef)");
        let long = title(&"long name ".repeat(9), key);
        assert_eq!(long.chars().count(), 50);
        let project = |title: &str, description: &str| Project {
            id: 1,
            title: Some(title.to_owned()),
            description: Some(description.to_owned()),
        };
        assert_eq!(marked(&project(&long, "")).as_deref(), Some(key));
        assert_eq!(marked(&project("renamed", "x. labelwise 0123456789abcdef. y")).as_deref(), Some(key));
        assert_eq!(marked(&project("labelwise and others", "labelwise é")), None);
    }

    #[test]
    fn instructions_are_texts() {
        assert!(!html("<script>").contains("<script>"));
    }
}
