//! The settings, draws and events of an evaluation as dictionaries and columns of Python.

use labelwise_study::{DrawRecord, Fate, Study, Subject};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Error;

/// What the evaluation was made with, and how far it has come.
pub(crate) fn status<'py>(py: Python<'py>, kept: &Study) -> PyResult<Bound<'py, PyDict>> {
    let settings = kept.settings();
    let dict = PyDict::new(py);
    dict.set_item("path", kept.is_durable().then(|| kept.path()))?;
    dict.set_item("version", &settings.version)?;
    dict.set_item("pool", &settings.pool.path)?;
    dict.set_item("fingerprint", &settings.pool.fingerprint)?;
    dict.set_item("pool_size", settings.pool.size)?;
    dict.set_item("carried", &settings.pool.carried)?;
    dict.set_item("predictions", settings.subject.in_words())?;
    let classes = match &settings.subject {
        Subject::Classes { names } => Some(names.clone()),
        _ => None,
    };
    dict.set_item("classes", classes)?;
    let pair = settings.judge.as_ref().and_then(|judge| judge.pair.as_ref());
    let systems = pair.iter().flat_map(|pair| &pair.names);
    dict.set_item(
        "models",
        settings.rivals.iter().map(|rival| &rival.name).chain(systems).collect::<Vec<_>>(),
    )?;
    dict.set_item("ties", settings.ties)?;
    dict.set_item("loss", settings.made_for())?;
    dict.set_item("positive", settings.positive.as_deref())?;
    dict.set_item("threshold", settings.threshold)?;
    dict.set_item("cap", settings.cap)?;
    dict.set_item("surrogate", settings.surrogate_in_words())?;
    dict.set_item("acquisition", settings.acquisition.in_words())?;
    dict.set_item("floor", settings.floor.in_words())?;
    dict.set_item("design", settings.design.name())?;
    dict.set_item("budget", settings.design.budget())?;
    dict.set_item("seed", settings.seed)?;
    let fates = kept.fates().map_err(Error::from)?;
    let count = |name: &str| fates.iter().filter(|fate| state(fate) == name).count();
    dict.set_item("asked", fates.len())?;
    dict.set_item("labels", kept.labels())?;
    dict.set_item("waiting", count("open"))?;
    dict.set_item("skipped", count("skipped"))?;
    dict.set_item("missing_at_random", count("missing"))?;
    dict.set_item("counting", kept.counting().map_err(Error::from)?)?;
    dict.set_item("left", kept.left())?;
    dict.set_item("refreshes", kept.refreshes())?;
    dict.set_item("fell_back", kept.fell_back().map_err(Error::from)?)?;
    Ok(dict)
}

/// Columns of all draws.
pub(crate) fn draws<'py>(py: Python<'py>, kept: &Study) -> PyResult<Bound<'py, PyDict>> {
    let rows: Vec<DrawRecord<'_>> = kept.history().map_err(Error::from)?.collect();
    let rows = || rows.iter();
    let dict = PyDict::new(py);
    dict.set_item("id", rows().map(|row| row.id).collect::<Vec<&str>>())?;
    dict.set_item("item", PyArray1::from_iter(py, rows().map(|row| whole(row.item))))?;
    dict.set_item("q", PyArray1::from_iter(py, rows().map(|row| row.q)))?;
    let label = |row: &DrawRecord<'_>| match row.fate {
        Fate::Labelled(label) => Some(label.clone()),
        _ => None,
    };
    dict.set_item("label", rows().map(label).collect::<Vec<Option<String>>>())?;
    // Of several models, only differences are known.
    let losses = kept.losses(&kept.settings().metric);
    let losses = losses.unwrap_or_default().into_iter().map(|loss| loss.unwrap_or(f64::NAN));
    let losses = losses.chain(std::iter::repeat(f64::NAN)).take(rows().len());
    dict.set_item("loss", PyArray1::from_iter(py, losses))?;
    dict.set_item("expected_loss", PyArray1::from_iter(py, rows().map(|row| row.expected)))?;
    dict.set_item("expected_total", PyArray1::from_iter(py, rows().map(|row| row.expected_total)))?;
    let refreshes = rows().map(|row| i64::try_from(row.refresh).unwrap_or(i64::MAX));
    dict.set_item("refresh", PyArray1::from_iter(py, refreshes))?;
    dict.set_item("state", rows().map(|row| state(row.fate)).collect::<Vec<&str>>())?;
    dict.set_item("at", PyArray1::from_iter(py, rows().map(|row| row.at)))?;
    dict.set_item("who", rows().map(|row| row.who).collect::<Vec<&str>>())?;
    Ok(dict)
}

/// Everything that was told, in order.
pub(crate) fn events<'py>(py: Python<'py>, kept: &Study) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let mut events = Vec::new();
    for event in kept.events().map_err(Error::from)? {
        let dict = PyDict::new(py);
        dict.set_item("what", event.what)?;
        dict.set_item("id", event.id)?;
        dict.set_item("place", event.place)?;
        dict.set_item("label", event.label)?;
        dict.set_item("note", event.note)?;
        dict.set_item("at", event.at)?;
        dict.set_item("who", event.who)?;
        events.push(dict);
    }
    Ok(events)
}

fn state(fate: &Fate) -> &'static str {
    match fate {
        Fate::Open => "open",
        Fate::Labelled(_) => "labelled",
        Fate::Skipped => "skipped",
        Fate::MissingAtRandom => "missing",
    }
}

pub(crate) fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
