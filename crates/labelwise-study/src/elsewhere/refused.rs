//! Columns, choices and settings that need the whole pool at once.

use labelwise_pool::ColumnNames;

use super::scoring::needs_whole_pool;
use crate::decide::choices::Choices;
use crate::error::{ElsewhereError, Error, Result};
use crate::spec::design::Design;
use crate::spec::names::AcquisitionName;
use crate::spec::settings::{FloorChoice, Settings, SurrogateChoice};
use crate::spec::supplied::Supplied;

/// More given predictions than this are one belief, which is made of the whole pool.
const MOST_GIVEN: usize = 4;

fn whole_pool(what: &str, way_out: &'static str) -> Error {
    ElsewhereError::WholePool { what: what.to_owned(), way_out }.into()
}

/// Refuses columns that say something of the whole pool at once.
pub(crate) fn refuse_columns(columns: &ColumnNames) -> Result<()> {
    if columns.notation.percent {
        return Err(whole_pool("a guess about percentages", "divide them by 100 where the pool is made"));
    }
    if columns.logits.is_some() {
        return Err(whole_pool("a check of logits", "write probabilities where the pool is made"));
    }
    if !columns.judges.is_empty() || !columns.history.is_empty() {
        return Err(whole_pool("the belief of judges", "give the judge's number as --scores"));
    }
    if !columns.features.is_empty() {
        return Err(whole_pool("a surrogate that learns", "give its predictions with --surrogate-probs"));
    }
    Ok(())
}

/// Refuses choices that need the whole pool at once.
pub(crate) fn refuse_choices(choices: &Choices) -> Result<()> {
    if choices.supplied != Supplied::default() {
        return Err(crate::error::ChoiceError::Supplied.into());
    }
    if choices.train.is_some() || choices.retrain.is_some() {
        return Err(whole_pool("a surrogate that learns", "give its predictions with --surrogate-probs"));
    }
    if choices.refresh.is_some() || choices.rescore.is_some() {
        return Err(whole_pool(
            "a schedule of refreshes",
            "leave it out, and refresh when you want to with `labelwise refresh`",
        ));
    }
    if !choices.known.is_empty() {
        return Err(whole_pool("known losses", "leave these items out where the pool is made"));
    }
    if choices.group.is_some() {
        return Err(whole_pool("groups of items", "make one item of every group where the pool is made"));
    }
    Ok(())
}

/// Refuses settings that need the whole pool at once.
pub(crate) fn refuse_settings(settings: &Settings) -> Result<()> {
    if settings.design != Design::Adaptive {
        return Err(whole_pool(
            "a design with a fixed budget",
            "leave it out: the draws are made ahead anyway",
        ));
    }
    match settings.surrogate {
        SurrogateChoice::Learnt { .. } | SurrogateChoice::Supplied { .. } => {
            return Err(whole_pool("a surrogate that learns", "give its predictions with --surrogate-probs"));
        }
        SurrogateChoice::Given { members } if members > MOST_GIVEN => {
            return Err(whole_pool("an average of more than 4 predictions", "give their average as one"));
        }
        _ => {}
    }
    match settings.acquisition {
        AcquisitionName::Centred
        | AcquisitionName::RootMeanSquare
        | AcquisitionName::ExpectedLoss
        | AcquisitionName::StandardDeviation
        | AcquisitionName::Uniform => {}
        AcquisitionName::Metrics => {
            return Err(whole_pool("a metric that is not an average", "draw for a mean loss"));
        }
        other => return Err(needs_whole_pool(other)),
    }
    match settings.floor {
        FloorChoice::Mixture(rho) if rho > 0.0 => Ok(()),
        floor => {
            let what = format!("the floor \"{}\"", floor.in_words());
            Err(whole_pool(&what, "use a uniform part, as in --floor mixture=0.2"))
        }
    }
}
