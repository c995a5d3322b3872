//! The columns of each program's results. A result comes with the name of its system; several systems are several pools.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

use super::{Row, flat, single};
use crate::source::json_value::Json;

/// promptfoo: one result per test and prompt. A result that failed with an error has no verdict.
pub(super) fn promptfoo(items: Vec<Json>) -> Vec<(String, Row)> {
    let mut providers: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for item in &items {
        let prompts = providers.entry(provider(item)).or_default();
        let prompt = integer(item.get("promptIdx"));
        if !prompts.contains(&prompt) {
            prompts.push(prompt);
        }
    }
    let system = |item: &Json| {
        let name = provider(item);
        match providers.get(&name) {
            Some(prompts) if prompts.len() > 1 => format!("{name}:{}", integer(item.get("promptIdx"))),
            _ => name,
        }
    };
    items.into_iter().map(|item| (system(&item), test(item))).collect()
}

/// promptfoo's reason of a failure that is not one of the answer.
const ERROR: i64 = 2;

fn provider(item: &Json) -> String {
    let text =
        |value: Option<&Json>| value.and_then(Json::text).filter(|text| !text.is_empty()).map(str::to_owned);
    let named = item.get("provider");
    let label = named.and_then(|provider| text(provider.get("label")).or_else(|| text(provider.get("id"))));
    label.or_else(|| text(named)).unwrap_or_default()
}

fn test(mut item: Json) -> Row {
    let mut row = vec![("id".to_owned(), item.take("testIdx"))];
    let vars = match item.take("vars") {
        Json::Null => item.take("testCase").take("vars"),
        vars => vars,
    };
    if let Json::Object(vars) = vars {
        // Repetitions of a test have the same variables.
        row.push(("test".to_owned(), Json::Text(digest(&Json::Object(vars.clone()).to_string()))));
        row.extend(vars.into_iter().map(|(name, value)| (format!("vars.{name}"), single(value))));
    }
    row.push(("prompt".to_owned(), single(item.take("prompt").take("raw"))));
    let mut response = item.take("response");
    let output = match response.take("output") {
        Json::Null => Json::Text(response.text().unwrap_or_default().to_owned()),
        output => single(output),
    };
    row.push(("output".to_owned(), output));
    let mut graded = item.take("gradingResult");
    let is_error = integer(item.get("failureReason")) == ERROR
        || graded == Json::Null && item.get("error").is_some_and(|error| *error != Json::Null);
    let mut verdict = |name: &str| if is_error { Json::Null } else { item.take(name) };
    let (success, score) = (verdict("success"), verdict("score"));
    row.extend([("success".to_owned(), success), ("score".to_owned(), score)]);
    row.push(("reason".to_owned(), single(graded.take("reason"))));
    if let Json::Object(named) = item.take("namedScores") {
        row.extend(named.into_iter().map(|(name, value)| (format!("score.{name}"), single(value))));
    }
    let Json::List(parts) = graded.take("componentResults") else { return row };
    for (place, mut part) in (1..).zip(parts) {
        let kind = part.take("assertion").take("type");
        match kind.text().unwrap_or("assertion") {
            // What a person said on promptfoo's page.
            "human" => row.push(("human".to_owned(), part.take("pass"))),
            kind => row.push((format!("assert {place} {kind}"), single(part.take("score")))),
        }
    }
    row
}

/// DeepEval: one test case, with a score, a verdict and a reason of each metric. A metric that failed has none.
pub(super) fn deepeval(items: Vec<Json>) -> Vec<(String, Row)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::with_capacity(items.len());
    for (place, mut item) in items.into_iter().enumerate() {
        let name = item.take("name").text().map_or_else(|| place.to_string(), str::to_owned);
        let mut row = vec![("id".to_owned(), Json::Text(apart(name, &mut seen)))];
        for (column, keys) in [
            ("input", ["input", "scenario"]),
            ("actual_output", ["actualOutput", "actual_output"]),
            ("expected_output", ["expectedOutput", "expected_output"]),
            ("context", ["retrievalContext", "retrieval_context"]),
            ("turns", ["turns", "turns"]),
        ] {
            let found = keys.into_iter().map(|key| item.take(key)).find(|value| *value != Json::Null);
            row.extend(found.map(|value| (column.to_owned(), single(value))));
        }
        row.push(("success".to_owned(), item.take("success")));
        let metrics = match item.take("metricsData") {
            Json::Null => item.take("metrics_data"),
            metrics => metrics,
        };
        let Json::List(metrics) = metrics else {
            all.push((String::new(), row));
            continue;
        };
        for mut metric in metrics {
            let name = metric.take("name").text().unwrap_or("metric").to_owned();
            let failed = metric.get("error").is_some_and(|error| *error != Json::Null);
            let mut said = |key: &str| if failed { Json::Null } else { single(metric.take(key)) };
            let (score, success, reason) = (said("score"), said("success"), said("reason"));
            row.push((name.clone(), score));
            row.push((format!("{name} success"), success));
            row.push((format!("{name} reason"), reason));
        }
        all.push((String::new(), row));
    }
    all
}

/// Langfuse: one trace or observation. Scores are columns of lists, or a list of objects with names.
pub(super) fn langfuse(items: Vec<Json>) -> Vec<(String, Row)> {
    let row = |mut item: Json| {
        let scores = item.take("scores");
        let mut row = Vec::new();
        let Json::Object(entries) = item else { return (String::new(), row) };
        for (name, value) in entries {
            match value {
                // The input and the output are for the labeller, as they are.
                value if ["input", "output", "metadata"].contains(&name.as_str()) => {
                    row.push((name, single(value)))
                }
                Json::List(values)
                    if !values.is_empty() && !["tags", "traceTags"].contains(&name.as_str()) =>
                {
                    row.push((name, agreed(values)));
                }
                value => row.push((name, single(value))),
            }
        }
        if let Json::List(scores) = scores {
            let mut named: BTreeMap<String, Vec<Json>> = BTreeMap::new();
            for mut score in scores {
                let name = score.take("name").text().unwrap_or_default().to_owned();
                let value = match score.take("stringValue") {
                    Json::Null => score.take("value"),
                    text => text,
                };
                if !name.is_empty() {
                    named.entry(name).or_default().push(value);
                }
            }
            row.extend(named.into_iter().map(|(name, values)| (name, agreed(values))));
        } else if let Json::Object(scores) = scores {
            row.extend(flat(Json::Object(scores)));
        }
        (String::new(), row)
    };
    items.into_iter().map(row).collect()
}

/// Several scores of one name: the mean of numbers, or the text if all are the same; otherwise the verdict is unknown.
#[allow(clippy::cast_precision_loss, reason = "scores of an item are few")]
fn agreed(mut values: Vec<Json>) -> Json {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.cell().number()).collect();
    match numbers {
        _ if values.len() == 1 => single(values.pop().unwrap_or(Json::Null)),
        Some(numbers) => Json::Number(numbers.iter().sum::<f64>() / numbers.len() as f64),
        None if values.iter().all(|value| Some(value) == values.first()) => {
            single(values.pop().unwrap_or(Json::Null))
        }
        None => Json::Null,
    }
}

/// AlpacaEval: one comparison of two answers. `win` is how far the second answer was preferred, from 0 to 1.
pub(super) fn alpaca_eval(items: Vec<Json>) -> Vec<(String, Row)> {
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let mut all = Vec::with_capacity(items.len());
    for mut item in items {
        let text = |value: &Json| value.text().unwrap_or_default().to_owned();
        let annotator = item.get("annotator").map(text).unwrap_or_default();
        let instruction = item.get("instruction").map(text).unwrap_or_default();
        // The same question has the same id in the files of all models.
        let id = digest(&instruction);
        let count = seen.entry((annotator.clone(), id.clone())).or_insert(0);
        *count += 1;
        let id = if *count == 1 { id } else { format!("{id}-{count}") };
        let mut row = vec![("id".to_owned(), Json::Text(id))];
        for key in
            ["instruction", "output_1", "output_2", "generator_1", "generator_2", "dataset", "annotator"]
        {
            let value = item.take(key);
            if value != Json::Null {
                row.push((key.to_owned(), single(value)));
            }
        }
        let preference = item.take("preference");
        let win = match preference.cell().number() {
            Some(preference) if (1.0..=2.0).contains(&preference) => Json::Number(preference - 1.0),
            // A tie, in older files.
            Some(0.0) => Json::Number(0.5),
            _ => Json::Null,
        };
        row.extend([("win".to_owned(), win), ("preference".to_owned(), single(preference))]);
        all.push((annotator, row));
    }
    all
}

fn integer(value: Option<&Json>) -> i64 {
    if let Some(Json::Integer(value)) = value { *value } else { 0 }
}

/// A short id that depends on a text alone.
fn digest(text: &str) -> String {
    let mut hasher = XxHash3_64::with_seed(0);
    hasher.write(text.as_bytes());
    format!("{:012x}", hasher.finish() >> 16)
}

/// A name that was not given before.
fn apart(name: String, seen: &mut HashMap<String, usize>) -> String {
    let count = seen.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}-{count}") }
}
