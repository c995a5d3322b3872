//! How the study is reached: one thread at a time, without holding up the others.

use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};
use std::thread::sleep;
use std::time::Duration;

use labelwise_report::Page;
use labelwise_study::{Answer, Study as Kept, TellResult, now};
use pyo3::prelude::*;

use super::Study;
use super::how::{How, by, first_metric, one_metric};
use crate::answers::For;
use crate::error::{Error, LabelwiseError, Outcome, detached};

/// How long and how often a call waits for an open labelling page, which uses the evaluation for moments.
const PAUSE: Duration = Duration::from_millis(5);
const ATTEMPTS: usize = 400;

impl Study {
    /// The study, unless somebody uses it.
    pub(super) fn lock(&self) -> PyResult<MutexGuard<'_, Kept>> {
        let is_used = || matches!(self.kept.try_lock(), Err(TryLockError::WouldBlock));
        let has_page = || Arc::strong_count(&self.kept) > 1;
        (0..ATTEMPTS).take_while(|_| has_page() && is_used()).for_each(|_| sleep(PAUSE));
        match self.kept.try_lock() {
            Ok(kept) => Ok(kept),
            // Nothing was half done: a study records all of a call or nothing.
            Err(TryLockError::Poisoned(poisoned)) => Ok(PoisonError::into_inner(poisoned)),
            Err(TryLockError::WouldBlock) => Err(LabelwiseError::new_err(
                "this evaluation is in use, by another thread or by the surrogate that called it: wait until it is done",
            )),
        }
    }

    /// The study with what others have written since.
    pub(super) fn followed(&self) -> PyResult<MutexGuard<'_, Kept>> {
        let mut kept = self.lock()?;
        kept.reload().map_err(Error::from)?;
        Ok(kept)
    }

    /// Asks or tells something, without holding up other threads of Python. The study reads what others have written.
    pub(crate) fn change<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Kept) -> Outcome<R> + Send,
    ) -> PyResult<R> {
        let mut kept = self.lock()?;
        let kept = &mut *kept;
        detached(py, &self.raised, || work(kept))
    }

    /// Does something with the study as it is now, without holding up other threads of Python.
    pub(super) fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Kept) -> Outcome<R> + Send,
    ) -> PyResult<R> {
        self.change(py, |kept| {
            kept.reload()?;
            work(kept)
        })
    }

    /// Records labels: how many are new, and how many were there.
    pub(super) fn record(
        &self,
        py: Python<'_>,
        answers: Vec<Answer>,
        (who, key): (String, Option<String>),
        amends: bool,
    ) -> PyResult<(usize, usize)> {
        let TellResult { recorded, already, .. } = self.change(py, |kept| {
            let by = by(kept, who, key);
            Ok(if amends { kept.amend(&answers, &by)? } else { kept.tell(&answers, &by)? })
        })?;
        Ok((recorded, already))
    }

    /// Does something with the page of a report.
    pub(super) fn page<R: Send>(
        &self,
        py: Python<'_>,
        (title, metric, positive): (Option<String>, Option<String>, Option<String>),
        how: &How,
        made: impl FnOnce(&Page) -> Outcome<R> + Send,
    ) -> PyResult<R> {
        let For { level, target } = how.what()?;
        self.with(py, |kept| {
            let metric = match metric {
                Some(name) => one_metric(kept, Some(&name))?,
                None => first_metric(kept),
            };
            let (positive, now) = (positive.as_deref(), now());
            let order = labelwise_report::Order { title, metric: &metric, positive, level, target, now };
            made(&labelwise_report::page(kept, &order)?)
        })
    }
}
