//! What a figure leaves on disk: pictures, a page that needs nothing else, numbers that machines read.

use labelwise_paper::figure::figure;
use labelwise_paper::problem::Settings;
use labelwise_paper::{Error, Making, Order, Scale, Verdict};
use serde_json::Value;
use tempfile::tempdir;

use crate::made::{every, made};
use crate::toy::{contents, names};

const PICTURES: [(&str, &[&str]); 6] = [
    ("1", &["figure-1"]),
    ("2", &["figure-2"]),
    ("3", &["figure-3"]),
    ("a1", &["figure-a1"]),
    ("are", &["figure-are", "figure-are-novel"]),
    ("beyond", &["figure-beyond"]),
];

/// Figure 3 is made with fewer runs than any scale has.
fn scale(figure: &str) -> &'static str {
    if figure == "3" { "custom" } else { "smoke" }
}

#[test]
fn every_picture_is_there_as_svg_and_as_png() {
    for (name, pictures) in PICTURES {
        let figure = made(name);
        for picture in pictures {
            let png = &figure.files[&format!("{picture}.png")];
            assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 10_000, "{picture}");
            let svg = figure.text(&format!("{picture}.svg"));
            assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{picture}");
            assert!(svg.trim_end().ends_with("</svg>"), "{picture}");
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{picture}");
            assert!(svg.contains(&format!("scale {}, settings text, seed 0", scale(name))), "{picture}");
        }
    }
    assert!(every().eq(PICTURES.map(|(name, _)| name)));
}

#[test]
fn a_figure_leaves_what_it_says_and_nothing_half_written() {
    for (name, pictures) in PICTURES {
        let figure = made(name);
        let mut said: Vec<String> = pictures
            .iter()
            .flat_map(|picture| [format!("{picture}.png"), format!("{picture}.svg")])
            .collect();
        said.extend(["report.html".to_owned(), "summary.json".to_owned()]);
        assert_eq!(figure.said, said);
        let experiments = figure.summary.experiments.iter();
        let mut expected: Vec<String> = experiments
            .flat_map(|experiment| {
                ["", ".crc32"].map(|end| format!("traces/{}.parquet{end}", experiment.name))
            })
            .collect();
        expected.extend(said);
        expected.extend(["lock".to_owned(), "manifest.json".to_owned()]);
        expected.sort();
        assert!(figure.files.keys().eq(&expected), "{name}: {:?}", figure.files.keys());
        for (file, bytes) in figure.files.iter().filter(|(file, _)| file.ends_with(".parquet")) {
            assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{file}");
        }
    }
}

#[test]
fn a_page_holds_each_picture_and_the_numbers_it_is_of() {
    for (name, pictures) in PICTURES {
        let figure = made(name);
        let page = figure.text("report.html");
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
        for picture in pictures {
            assert!(page.contains(figure.text(&format!("{picture}.svg"))), "{picture}");
        }
        let manifest = &figure.summary.manifest;
        let made = format!(
            "labelwise {} (commit {}), seed 0, scale {}",
            manifest.version,
            manifest.commit,
            scale(name)
        );
        assert!(page.contains(&made), "{name}");
        for claim in &figure.summary.claims {
            let measured = claim.measured.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            assert!(page.contains(&measured), "{name}: {measured}");
        }
        for verdict in [Verdict::Agrees, Verdict::Differs, Verdict::Undecided] {
            let told = page.matches(&format!("<td class=\"{}\">", verdict.word())).count();
            let claims = figure.summary.claims.iter().filter(|claim| claim.verdict == verdict);
            assert_eq!(told, claims.count(), "{name}: {verdict:?}");
        }
    }
}

#[test]
fn a_page_steps_through_a_run_of_45_labels() {
    for name in ["1", "2", "3", "a1"] {
        let page = made(name).text("report.html");
        assert_eq!(page.matches("<div class=\"frame\"").count(), 45, "{name}");
        assert_eq!(page.matches("<div class=\"frame\" hidden>").count(), 44, "{name}");
        assert!(page.contains("min=\"1\" max=\"45\" value=\"1\""), "{name}");
        for m in 1..=45 {
            let caption = format!("<strong>Step {m}.</strong> {} of 45 test points are labelled.", m - 1);
            assert_eq!(page.matches(&caption).count(), 1, "{name}: {caption}");
        }
    }
    assert!(!made("are").text("report.html").contains("class=\"frame\""));
}

/// What follows each place where a string occurs, up to another.
fn each<'a>(text: &'a str, from: &'a str, to: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(from).skip(1).map(move |rest| rest.split(to).next().unwrap())
}

#[test]
fn a_page_needs_nothing_else() {
    for name in every() {
        let page = made(name).text("report.html");
        let own = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for elsewhere in ["http:", "https:", "src=", "@import", "file:"] {
            assert!(!own.contains(elsewhere), "{name}: {elsewhere}");
        }
        // Whatever the page refers to is an empty icon, or in the page, once.
        let mut references: Vec<&str> = each(&own, "href=\"", "\"").chain(each(&own, "url(", ")")).collect();
        references.retain(|reference| *reference != "data:,");
        references.sort_unstable();
        references.dedup();
        for reference in references {
            let Some(id) = reference.strip_prefix('#') else { panic!("{name}: {reference}") };
            assert_eq!(own.matches(&format!("id=\"{id}\"")).count(), 1, "{name}: {reference}");
        }
    }
}

fn numbers(values: &Value) -> &[Value] {
    values.as_array().unwrap()
}

#[test]
fn a_summary_says_what_was_run_and_by_what() {
    for name in every() {
        let figure = made(name);
        let summary: Value = serde_json::from_str(figure.text("summary.json")).unwrap();
        assert_eq!(summary["schema"], "labelwise.paper-summary/1");
        assert_eq!(summary["figure"], name);
        assert_eq!(summary["seed"], 0);
        assert_eq!(summary["scale"], scale(name));
        assert_eq!(summary["settings"], "text");
        assert!(!summary["commit"].as_str().unwrap().is_empty());
        assert!(summary["threads"].as_u64().unwrap() >= 1);
        let manifest: Value = serde_json::from_str(figure.text("manifest.json")).unwrap();
        assert_eq!((&manifest["commit"], &manifest["version"]), (&summary["commit"], &summary["version"]));
        let each = numbers(&summary["experiments"]).iter();
        let seconds: f64 = each.map(|experiment| experiment["wall_seconds"].as_f64().unwrap()).sum();
        assert!((summary["wall_seconds"].as_f64().unwrap() - seconds).abs() <= 1e-9 * seconds);
        assert!(name == "2" || seconds > 0.0);
    }
}

#[test]
fn a_summary_s_columns_are_of_equal_length_and_full() {
    let mut looked_at = 0;
    for name in every() {
        let summary: Value = serde_json::from_str(made(name).text("summary.json")).unwrap();
        for (experiment, measured) in
            numbers(&summary["experiments"]).iter().zip(&made(name).summary.experiments)
        {
            assert_eq!(experiment["name"], measured.name);
            for (curve, measured) in numbers(&experiment["curves"]).iter().zip(&measured.curves) {
                assert_eq!(curve["key"], measured.strategy.key);
                let steps = &curve["steps"];
                let columns = steps.as_object().unwrap();
                // Of long curves there are the first twenty steps and every tenth, which a column tells.
                let long = measured.steps.len() > 150;
                let kept: Vec<usize> =
                    (1..=measured.steps.len()).filter(|m| !long || *m <= 20 || m % 10 == 0).collect();
                assert_eq!(columns.len(), if long { 22 } else { 21 });
                for (column, values) in columns {
                    assert_eq!(numbers(values).len(), kept.len(), "{name}: {column}");
                }
                if long {
                    assert!(
                        kept.iter()
                            .zip(numbers(&steps["step"]))
                            .all(|(m, step)| step.as_f64() == Some(*m as f64))
                    );
                }
                let measured = kept.iter().map(|m| &measured.steps[m - 1]);
                for (value, step) in numbers(&steps["std_dev"]).iter().zip(measured) {
                    let (value, std_dev) = (value.as_f64().unwrap(), step.std_dev.unwrap());
                    assert!((value - std_dev).abs() <= 5e-6 * std_dev, "six digits of {std_dev}: {value}");
                }
                let many = experiment["runs"].as_u64().unwrap() > 5;
                for column in ["mean_error", "std_dev", "mean_squared_error", "median_squared_error"] {
                    assert!(numbers(&steps[column]).iter().all(Value::is_number), "{name}: {column}");
                }
                if many {
                    let low = numbers(&steps["median_squared_error_low"]);
                    assert!(low.iter().all(Value::is_number), "{name}");
                }
                looked_at += 1;
            }
        }
    }
    // 3 curves of Figure 1, 20 of Figure 3, 34 of A.1, 13 and 7 of the comparison with ARE (queries apart), 4 and 5 of later work.
    assert_eq!(looked_at, 3 + 20 + 34 + 20 + 9);
}

#[test]
fn a_finished_figure_is_drawn_again_without_running_anything() {
    let folder = tempdir().unwrap();
    let order = Order { scale: Scale::Smoke, runs: Some(3), seed: 4, ..Order::default() };
    let make = || Making::new(figure("1").unwrap(), order, folder.path()).unwrap().make(&|_| {}).unwrap();
    make();
    let before = contents(folder.path());
    std::fs::remove_file(folder.path().join("report.html")).unwrap();
    std::fs::remove_file(folder.path().join("figure-1.png")).unwrap();
    make();
    // The seconds are those of the first time, so every byte is as it was.
    assert!(contents(folder.path()) == before);
}

#[test]
fn the_seed_and_the_settings_change_the_numbers() {
    let made = |seed, settings| {
        let folder = tempdir().unwrap();
        let order = Order { scale: Scale::Smoke, runs: Some(3), seed, settings, ..Order::default() };
        let made = Making::new(figure("1").unwrap(), order, folder.path()).unwrap().make(&|_| {}).unwrap();
        serde_json::to_string(&made.summary.experiments[0].curves).unwrap()
    };
    let one = made(1, Settings::Text);
    assert_eq!(one, made(1, Settings::Text));
    assert_ne!(one, made(2, Settings::Text));
    assert_ne!(one, made(1, Settings::Released));
}

#[test]
fn what_cannot_be_made_is_refused_before_a_folder_is_there() {
    let parent = tempdir().unwrap();
    let path = parent.path().join("runs");
    for runs in [0, 1, 1_000_001] {
        let order = Order { runs: Some(runs), ..Order::default() };
        let error = Making::new(figure("3").unwrap(), order, &path).err().unwrap();
        assert_eq!(error.to_string(), format!("the number of runs is {runs}, but must be from 2 to 1000000"));
    }
    let error = figure("9").err().unwrap();
    assert_eq!(
        error.to_string(),
        "`9` is not a figure: use one of 1, 2, 3, 4a, 4b, 5, 6, 7, 8, a1, a2, a3, a4, a5, wilcoxon, are, \
         beyond"
    );
    assert!(matches!(error, Error::UnknownFigure { .. }));
    assert_eq!(names(parent.path()), [""; 0]);
}
