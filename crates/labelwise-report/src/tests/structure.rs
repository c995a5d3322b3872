//! The page as a browser takes it: whole, alone, and deaf to what names would like it to do.

use labelwise::Target;

use super::digits::Digits;
use super::heights::root_mean_squared_error;
use super::ledgers::Fates;
use super::tags::{elements, text};
use crate::document::html;
use crate::page::{Fate, Page};

const STYLE: &str = include_str!("../style.css");

fn pages() -> Vec<Page> {
    let (digits, few) = (Digits::read(1597), Digits::read(60));
    let fates = Fates { skipped: &[3, 70], missing: &[8], open: &[140] };
    vec![
        digits.accuracy(150, &fates),
        digits.cross_entropy(150, &fates),
        digits.cross_entropy(1, &Fates::default()),
        digits.accuracy(5, &Fates::default()),
        digits.uniform(80),
        few.cross_entropy(60, &Fates::default()),
        few.accuracy(59, &Fates::default()),
        root_mean_squared_error(2000, 120, Target::Pool),
        root_mean_squared_error(2000, 120, Target::Population),
        root_mean_squared_error(2000, 2, Target::Pool),
    ]
}

#[test]
fn every_page_is_well_formed_and_needs_nothing_else() {
    for page in pages() {
        let html = html(&page).unwrap();
        let elements = elements(&html).unwrap();
        assert!(
            elements
                .iter()
                .all(|(name, _)| !["script", "img", "iframe", "a", "form"].contains(&name.as_str()))
        );
        for word in ["http:", "https:", "NaN", ">inf<", "−inf", " inf ", "url(http", "@import", "src="] {
            assert!(!html.replace("default-src", "").contains(word), "{word} in {html}");
        }
    }
}

#[test]
fn every_page_can_be_heard() {
    for page in pages() {
        let html = html(&page).unwrap();
        let elements = elements(&html).unwrap();
        let of = |wanted: &'static str| elements.iter().filter(move |(name, _)| name == wanted);
        assert_eq!(of("h1").count(), 1);
        assert!(of("th").all(|(_, attributes)| attributes.contains("scope=")));
        assert_eq!(of("table").count(), of("caption").count());
        assert_eq!(of("figure").count(), of("figcaption").count());
        assert!(of("svg").all(|(_, attributes)| attributes.contains("role=\"img\"")));
        assert_eq!(of("svg").count(), of("desc").count());
        assert!(!html.contains(">Chart</title>"));
        let levels: Vec<u8> =
            elements.iter().filter_map(|(name, _)| name.strip_prefix('h')?.parse().ok()).collect();
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    }
}

#[test]
fn ids_are_used_once() {
    for page in pages() {
        let html = html(&page).unwrap();
        let attributes = elements(&html).unwrap().into_iter().map(|(_, attributes)| attributes);
        let mut ids: Vec<String> = attributes
            .filter_map(|attributes| Some(attributes.split_once("id=\"")?.1.split_once('"')?.0.to_owned()))
            .collect();
        let many = ids.len();
        ids.sort();
        ids.dedup();
        assert!(many > 4 && ids.len() == many, "{ids:?}");
    }
}

/// A colour that the dark style forgets would stay as it is on white.
#[test]
fn every_colour_of_a_chart_has_a_dark_counterpart() {
    let (_, dark) = STYLE.split_once("prefers-color-scheme: dark").unwrap();
    for page in pages() {
        for (name, attributes) in elements(&html(&page).unwrap()).unwrap() {
            for what in ["fill", "stroke"] {
                let Some((_, after)) = attributes.split_once(&format!("{what}=\"#")) else { continue };
                let colour = after.split_once('"').unwrap().0;
                assert!(dark.contains(&format!("[{what}=\"#{colour}\"]")), "{what} #{colour} of {name}");
            }
        }
    }
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "<script>alert(1)</script>\"'&amp;\u{202e}</table><img src=x onerror=alert(1)>שלום";
    let digits = Digits::read(1597);
    let mut page = digits.accuracy(80, &Fates { skipped: &[5], ..Fates::default() });
    page.title = hostile.to_owned();
    page.metric.name = hostile.to_owned();
    page.metric.loss = hostile.to_owned();
    page.provenance.file = Some(hostile.to_owned());
    page.provenance.fingerprint = Some(hostile.to_owned());
    page.provenance.version = hostile.to_owned();
    page.provenance.generated_at = hostile.to_owned();
    page.provenance.settings.push((hostile.to_owned(), hostile.to_owned()));
    page.others[0].name = hostile.to_owned();
    for score in &mut page.scores {
        score.name = hostile.to_owned();
        score.notes.push(hostile.to_owned());
    }
    page.scores[1].value = Err(hostile.to_owned());
    for line in &mut page.draws {
        line.id = format!("{}{hostile}", line.id);
        line.last = Some((hostile.to_owned(), hostile.to_owned()));
        if let Fate::Labelled { label, .. } = &mut line.fate {
            *label = hostile.to_owned();
        }
    }
    let calm = digits.accuracy(80, &Fates { skipped: &[5], ..Fates::default() });
    let html_of = |page: &Page| html(page).unwrap();
    let names = |html: &str| elements(html).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let mut expected = names(&html_of(&calm));
    // The one setting more has its elements.
    let more = ["div", "dt", "dd", "bdi"];
    let hostile_html = html_of(&page);
    let found = names(&hostile_html);
    assert_eq!(found.len(), expected.len() + more.len());
    expected.extend(more.map(str::to_owned));
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(found), sorted(expected));
    assert!(!hostile_html.contains('\u{202e}'));
    let shown = "<script>alert(1)</script>\"'&amp;⟨U+202E⟩</table>";
    let text = text(&hostile_html);
    let table = |heading: &str| text.split_once(heading).unwrap().1.lines().take(6).collect::<String>();
    assert_eq!(table("Metrics that are not averages\n").matches(shown).count(), 5, "{text}");
    assert!(text.matches(shown).count() > 4 * page.draws.len() - 10, "{text}");
}
