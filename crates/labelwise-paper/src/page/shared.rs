//! Parts that many frames have in common, kept in the page once.

use std::collections::BTreeMap;

/// Shorter elements are not worth a reference.
const LEAST: usize = 300;

/// The frames with their long common elements replaced by references, after the definitions of those.
///
/// An SVG has one element a line, and one path draws all marks of a kind, so that equal lines are equal drawings.
pub(super) fn shared(frames: &[String]) -> (String, Vec<String>) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for line in frames.iter().flat_map(|frame| frame.lines()).filter(|line| is_worthwhile(line)) {
        *times.entry(line).or_default() += 1;
    }
    let common = times.into_iter().filter(|(_, times)| *times > 1).map(|(line, _)| line);
    let places: BTreeMap<&str, usize> = common.zip(1..).collect();
    let definitions: String = places
        .iter()
        .map(|(line, place)| line.replacen("<path ", &format!("<path id=\"part-{place}\" "), 1) + "\n")
        .collect();
    let referring = |line: &str| match places.get(line) {
        Some(place) => format!("<use href=\"#part-{place}\"/>\n"),
        None => format!("{line}\n"),
    };
    let frames = frames.iter().map(|frame| frame.lines().map(referring).collect()).collect();
    (definitions, frames)
}

fn is_worthwhile(line: &str) -> bool {
    line.len() >= LEAST && line.starts_with("<path ") && line.ends_with("/>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_of_two_frames_are_kept_once_and_everything_else_stays() {
        let path = |d: &str| format!("<path d=\"{}\"/>", d.repeat(LEAST));
        let (both, first, second) = (path("M"), path("L"), path("Z"));
        let frames = [
            format!("<svg>\n{both}\n{first}\n<path d=\"M\"/>\n</svg>\n"),
            format!("<svg>\n{both}\n{second}\n<path d=\"M\"/>\n</svg>\n"),
        ];
        let (definitions, frames) = shared(&frames);
        assert_eq!(definitions, format!("{}\n", both.replace("<path ", "<path id=\"part-1\" ")));
        let reference = "<use href=\"#part-1\"/>";
        let expected =
            [first, second].map(|own| format!("<svg>\n{reference}\n{own}\n<path d=\"M\"/>\n</svg>\n"));
        assert_eq!(frames, expected);
    }
}
