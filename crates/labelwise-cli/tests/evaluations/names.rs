//! What the library can choose by name can be chosen in the program, or is refused with the library's sentence.

use labelwise::Target;
use labelwise::plan::Assurance;
use labelwise_study::{
    AcquisitionName, BadScores, DesignName, EstimatorName, MethodName, Named, SurrogateWish,
};

use crate::folder::{Folder, label};

/// Every name of a type, aliases too.
fn names<T: Named>() -> Vec<&'static str> {
    T::CHOICES.iter().flat_map(|choice| [&[choice.name], choice.aliases].concat()).collect()
}

/// Members of an ensemble and features, so that everything can be scored.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut pool = String::from("id,prob_ant,prob_bee,a_ant,a_bee,b_ant,b_bee,width\n");
    for item in 0..120 {
        let [own, one, other] = [11, 17, 29].map(|step| 0.05 + 0.009 * f64::from(item * step % 100));
        let width = item % 7;
        let (rest, one_rest, other_rest) = (1.0 - own, 1.0 - one, 1.0 - other);
        pool += &format!(
            "row-{item},{own:.4},{rest:.4},{one:.4},{one_rest:.4},{other:.4},{other_rest:.4},{width}\n"
        );
    }
    folder.write("pairs.csv", &pool);
    folder
}

#[test]
fn every_acquisition_draws_items() {
    let folder = folder();
    for (place, name) in names::<AcquisitionName>().into_iter().enumerate() {
        let out = format!("{place}.labelwise");
        let new = ["new", "pairs.csv", "--out", &out, "--loss", "zero-one", "--acquisition", name];
        let more = ["--surrogate-probs", "a_*", "--surrogate-probs", "b_*", "--features", "width"];
        folder.run(&[&new[..], &["--probs", "prob_*", "--surrogate", "given"], &more].concat());
        let class = |item: usize| if item.is_multiple_of(3) { "ant" } else { "bee" }.to_owned();
        folder.label(&out, 10, class);
        folder.label(&out, 10, class);
        folder.run(&["verify", &out]);
        // Recalibrated beliefs follow the labels after 10 of them.
        let proposals = if name == "mutual-information" { 1 } else { 2 };
        let status = folder.run(&["status", &out, "--json"]);
        assert!(status.contains(&format!("\"refreshes\":{proposals}")), "{name}: {status}");
        folder.run(&["estimate", &out]);
    }
}

#[test]
fn every_estimator_and_interval_is_computed() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "e.labelwise", "--loss", "zero-one"]);
    folder.label("e.labelwise", 60, |item| label(item).to_owned());
    for name in names::<EstimatorName>() {
        let said = folder.run(&["estimate", "e.labelwise", "--json", "--estimator", name]);
        assert!(said.contains("\"estimate\":0."), "{name}: {said}");
    }
    for name in names::<MethodName>() {
        let said = folder.run(&["estimate", "e.labelwise", "--json", "--interval", name]);
        assert!(said.contains("\"low\":0."), "{name}: {said}");
    }
    for name in names::<Target>() {
        let said = folder.run(&["estimate", "e.labelwise", "--json", "--target", name]);
        assert!(said.contains(&format!("\"target\":\"{name}\"")), "{name}: {said}");
    }
    for name in names::<Assurance>() {
        let check = ["check", "e.labelwise", "--below", "0.9", "--json", "--method", name];
        let said = String::from_utf8(folder.output(&check).stdout).unwrap();
        assert!(
            said.contains(&format!("\"method\":\"{}\"", Assurance::named(name).unwrap().name())),
            "{said}"
        );
    }
    let planned = folder.run(&["estimate", "e.labelwise", "--interval", "anytime", "--planned", "60"]);
    assert_ne!(planned, folder.run(&["estimate", "e.labelwise", "--interval", "anytime"]));
    let unused = folder.output(&["estimate", "e.labelwise", "--planned", "60"]);
    assert!(String::from_utf8_lossy(&unused.stderr).contains("--planned is only for --interval anytime"));
}

#[test]
fn an_unknown_name_is_refused_with_the_sentence_of_the_library() {
    let folder = Folder::new();
    let refused = |arguments: &[&str], sentence: String| {
        let output = folder.output(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(&sentence), "{said}{sentence}");
    };
    fn sentence<T: Named>() -> String {
        T::named("best").err().unwrap().to_string()
    }
    refused(&["new", "pool.csv", "--acquisition", "best"], sentence::<AcquisitionName>());
    refused(&["new", "pool.csv", "--surrogate", "best"], sentence::<SurrogateWish>());
    refused(&["new", "pool.csv", "--design", "best"], sentence::<DesignName>());
    refused(&["new", "pool.csv", "--bad-scores", "best"], sentence::<BadScores>());
    refused(&["estimate", "e.labelwise", "--estimator", "best"], sentence::<EstimatorName>());
    refused(&["estimate", "e.labelwise", "--interval", "best"], sentence::<MethodName>());
    refused(&["compare", "e.labelwise", "--interval", "best"], sentence::<MethodName>());
    refused(&["estimate", "e.labelwise", "--target", "best"], sentence::<Target>());
    refused(&["check", "e.labelwise", "--above", "0.5", "--method", "best"], sentence::<Assurance>());
    refused(&["plan", "e.labelwise", "--bar", "0.5", "--method", "best"], sentence::<Assurance>());
}
