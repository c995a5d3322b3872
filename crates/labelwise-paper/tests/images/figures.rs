//! What figures on images show and say, at smoke scale.

use std::fs;

use labelwise_images::Archive;
use labelwise_paper::figure::figure;
use labelwise_paper::problem::Settings;
use labelwise_paper::statistics::{Alternative, Method, signed_rank};
use labelwise_paper::strategy::{ablations, strategies};
use labelwise_paper::{Scale, Verdict};
use serde_json::Value;
use tempfile::tempdir;

use crate::digits::archives;
use crate::made::{NAMES, made, make};

#[test]
fn every_figure_is_made_of_archives_and_light_learners() {
    for name in NAMES {
        let figure = made(name);
        assert!(
            figure.files.contains_key("report.html") && figure.files.contains_key("summary.json"),
            "{name}"
        );
        let picture = format!("figure-{name}.png");
        assert_eq!(figure.files.contains_key(&picture), name != "wilcoxon", "{name}");
        assert!(!figure.summary.claims.is_empty(), "{name}");
        let page = figure.text("report.html");
        for claim in &figure.summary.claims {
            assert!(page.contains(&claim.claim.replace('<', "&lt;")), "{name}: {}", claim.claim);
        }
        // The numbers of a figure are JSON that another program reads.
        let summary: Value = serde_json::from_str(figure.text("summary.json")).unwrap();
        assert_eq!(summary["figure"], name);
    }
}

#[test]
fn figures_say_which_archives_they_are_from() {
    for (name, count) in [("5", 3), ("6", 9), ("7", 16), ("8", 2), ("a2", 2), ("4a", 0), ("a4", 0)] {
        let notes = &made(name).summary.archives;
        assert_eq!(notes.len(), count, "{name}");
        for note in notes {
            let archive = Archive::read(&archives().join(&note.file)).unwrap();
            assert_eq!((note.items, note.members), (archive.len(), archive.members().len()));
            assert_eq!((note.accuracy, note.cross_entropy), (archive.accuracy(), archive.cross_entropy()));
            assert!(made(name).text("report.html").contains(&note.file));
        }
    }
}

#[test]
fn the_boxes_of_the_loss_figure_hold_what_they_say() {
    let boxes = made("5").summary.losses.unwrap();
    let recipes = figure("5").unwrap().recipes(Settings::Text, Scale::Smoke);
    let archive = |place: usize| Archive::read(&archives().join(recipes[place].file())).unwrap();
    let (model, one, two) = (archive(0), archive(1), archive(2));
    let clipped = |p: f64| p.clamp(1e-15, 1.0 - 1e-15);
    // The loss, what model and ensemble expect, and the root mean square by the ensemble.
    type Item = (f64, f64, f64, f64);
    let mut items: Vec<Item> = Vec::new();
    for (item, &label) in model.labels().iter().enumerate() {
        let row: Vec<f64> = model.mean().reader().row(item).iter().map(|&p| clipped(p)).collect();
        let sum: f64 = row.iter().sum();
        let logs: Vec<f64> = row.iter().map(|p| -(p / sum).ln()).collect();
        let expected = |belief: &[f64]| belief.iter().zip(&logs).map(|(p, log)| p * log).sum::<f64>();
        let belief: Vec<f64> = one
            .mean()
            .reader()
            .row(item)
            .iter()
            .zip(two.mean().reader().row(item))
            .map(|(a, b)| (a + b) / 2.0)
            .collect();
        let own = model.mean().reader().row(item).to_vec();
        let square = belief.iter().zip(&logs).map(|(p, log)| p * log * log).sum::<f64>();
        items.push((logs[label as usize], expected(&own), expected(&belief), square.sqrt()));
    }
    items.sort_by(|one, other| one.0.total_cmp(&other.0));
    let largest = &items[360..];
    assert_eq!((boxes.items, boxes.largest), (400, 40));
    // A loss is underestimated if a tenth of it or less is expected.
    let entropy = |item: &Item| item.1 <= item.0 / 10.0;
    let ensemble = |item: &Item| item.2 <= item.0 / 10.0;
    let count = |low: &dyn Fn(&Item) -> bool| largest.iter().filter(|item| low(item)).count();
    assert_eq!((boxes.entropy, boxes.ensemble), (count(&entropy), count(&ensemble)));
    assert!(boxes.entropy > 0, "{boxes:?}");
    assert_eq!(boxes.root_mean_square, count(&|item| item.3 <= item.0 / 10.0));
    assert_eq!(boxes.entropy_alone, count(&|item| entropy(item) && !ensemble(item)));
    assert_eq!(boxes.ensemble_alone, count(&|item| ensemble(item) && !entropy(item)));
    let share = |low: &dyn Fn(&Item) -> bool| {
        largest.iter().filter(|item| low(item)).map(|item| item.0).sum::<f64>()
            / items.iter().map(|item| item.0).sum::<f64>()
    };
    assert!((boxes.entropy_share - share(&entropy)).abs() < 1e-9);
    assert!((boxes.ensemble_share - share(&ensemble)).abs() < 1e-9);
}

#[test]
fn the_ablation_is_a_table_of_twelve_cells_twice() {
    let svg = made("7").text("figure-7.svg");
    for words in [">1 ResNet-18<", ">5 ResNet-18<", ">3 ResNet-34<", ">5 ResNet-50<"] {
        assert_eq!(svg.matches(words).count(), 2, "{words}");
    }
    let experiment = made("7").experiment("ablation-on-cifar-10");
    assert_eq!((experiment.curves.len(), experiment.judged.steps.clone()), (25, 30..=60));
    // A cell is the mean over these steps of the median squared error, over that of uniform sampling.
    let mean = |curve| {
        let medians = experiment.curve(curve).unwrap().median_squared_errors();
        medians[29..60].iter().sum::<f64>()
    };
    let cell = mean(ablations::ABLATION[0][3]) / mean(strategies::UNIFORM);
    assert!(svg.contains(&format!(">{cell:.3}<")), "{cell:.3}");
}

#[test]
fn claims_are_judged_run_by_run() {
    let experiment = made("6").experiment("resnet-on-cifar-10");
    let (steps, squares) = (&experiment.judged.steps, &experiment.judged.squares);
    assert_eq!((steps.clone(), squares.len()), (60..=60, 4));
    let of = |wanted| &squares.iter().find(|(curve, _)| *curve == wanted).unwrap().1;
    let median = |values: &[f64]| labelwise_paper::statistics::median(values).unwrap();
    let last = &experiment.curve(strategies::ENSEMBLE).unwrap().steps[59];
    assert_eq!(median(of(strategies::ENSEMBLE)), last.median_squared_error);
    let test = |one, other| signed_rank(of(one), of(other), Alternative::Less, Method::default()).unwrap();
    for (sentence, lower, higher) in [
        (
            "active testing has lower squared errors than i.i.d. acquisition",
            strategies::ENSEMBLE,
            strategies::UNIFORM,
        ),
        ("the ensemble improves over predictive entropy", strategies::ENSEMBLE, strategies::ENTROPY),
    ] {
        let expected = match test(lower, higher).p_value {
            p if p <= 0.025 => Verdict::Agrees,
            p if p >= 0.975 => Verdict::Differs,
            _ => Verdict::Undecided,
        };
        let claims = made("6").summary.claims.iter();
        let verdicts: Vec<Verdict> = claims
            .filter(|claim| claim.experiment == experiment.name && claim.claim == sentence)
            .map(|claim| claim.verdict)
            .collect();
        assert_eq!(verdicts, [expected], "{sentence}");
    }
    // Either way round, the two p-values are one less the other, but for ties.
    let (one, other) =
        (test(strategies::ENSEMBLE, strategies::UNIFORM), test(strategies::UNIFORM, strategies::ENSEMBLE));
    assert!((one.p_value + other.p_value - 1.0).abs() < 0.05);
}

#[test]
fn figures_of_the_appendix_show_the_runs_of_others_and_add_none() {
    for (name, sources) in [("a3", &["4a", "4b"][..]), ("a4", &["6"]), ("a5", &["8"])] {
        let shown = &made(name).summary.experiments;
        let theirs: Vec<_> = sources.iter().flat_map(|source| &made(source).summary.experiments).collect();
        assert_eq!(shown.len(), theirs.len());
        for (shown, theirs) in shown.iter().zip(theirs) {
            assert_eq!((shown.name, shown.wall_seconds), (theirs.name, theirs.wall_seconds));
        }
        let measured = &made(name).summary.claims[0].measured;
        assert!(measured.contains("mean log squared error"), "{measured}");
    }
}

#[test]
fn the_table_of_tests_has_the_paper_s_rows() {
    let table = made("wilcoxon");
    let rows = &table.summary.ranks;
    // Below them are fourteen of our default.
    assert_eq!(rows.len(), 12 + 14);
    assert_eq!(table.text("wilcoxon.txt").lines().count(), 27);
    assert_eq!(table.text("wilcoxon.md").lines().count(), 28);
    let figures: Vec<&str> = rows[..12].iter().map(|row| row.figure).collect();
    assert_eq!(figures, ["4 a", "4 a", "4 a", "4 b", "4 b", "4 b", "4 b", "6 a", "6 a", "6 a", "8 b", "8 b"]);
    let row = &rows[8];
    assert_eq!(
        (row.set, row.best, row.other, row.step, row.runs),
        ("CIFAR-10", "train ensemble", "uniform", 60, 40)
    );
    let test = made("6")
        .experiment("resnet-on-cifar-10")
        .signed_rank(strategies::ENSEMBLE, strategies::UNIFORM)
        .unwrap();
    assert_eq!((row.p_value, row.published_p_value), (test.p_value, Some(3.988e-76)));
    assert!(rows[12..].iter().all(|row| row.best.starts_with("labelwise, ") && row.published_step.is_none()));
    assert_eq!((rows[15].best, rows[15].other), ("labelwise, forest surrogate", "forest surrogate"));
    // Four runs decide nothing.
    let claims = &table.summary.claims;
    assert!(claims.iter().take(7).all(|claim| claim.verdict == Verdict::Undecided));
}

#[test]
fn an_interrupted_figure_goes_on_and_comes_to_the_same() {
    let (whole, parts) = (tempdir().unwrap(), tempdir().unwrap());
    let name = "6-text-12-runs";
    make("6", Some(12), whole.path()).unwrap();
    make("6", Some(12), parts.path()).unwrap();
    // The last two experiments are lost.
    for file in ["resnet-on-fashion-mnist", "accuracy-on-cifar-10"] {
        fs::remove_file(parts.path().join(name).join(format!("traces/{file}.parquet"))).unwrap();
    }
    make("6", Some(12), parts.path()).unwrap();
    let numbers = |folder: &std::path::Path| {
        let mut summary: Value =
            serde_json::from_slice(&fs::read(folder.join(name).join("summary.json")).unwrap()).unwrap();
        summary["wall_seconds"] = Value::Null;
        for experiment in summary["experiments"].as_array_mut().unwrap() {
            experiment["wall_seconds"] = Value::Null;
        }
        summary
    };
    assert_eq!(numbers(whole.path()), numbers(parts.path()));
}
