//! Several annotators: the label of an item is the mean over those who labelled it, and their own noise is in the interval.

use std::collections::{BTreeSet, HashMap};

use labelwise::ledger::{AnnotatorNoise, Imputed, Ledger, Outcome, PanelItem};
use labelwise::loss::{Loss, checked_loss};

use crate::error::{Result, damaged};
use crate::questions::ledger::Lens;
use crate::task::StudyTask;
use crate::{Fate, OpinionRule, Study};

/// The labels of people other than the author of the label of record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panel {
    /// Their labels, by the place of the draw.
    further: HashMap<usize, Vec<String>>,
    /// Everybody who labelled something.
    people: BTreeSet<String>,
}

impl Panel {
    /// Whether one person labelled everything, as far as is known.
    pub(crate) fn is_alone(&self) -> bool {
        self.further.is_empty() && self.people.len() < 2
    }

    /// The further labels of a draw.
    pub(crate) fn further(&self, place: usize) -> &[String] {
        self.further.get(&place).map_or(&[], Vec::as_slice)
    }
}

impl Study {
    /// Who labelled what besides the labels of record.
    pub(crate) fn panel(&self) -> Result<Panel> {
        let mut panel = Panel::default();
        let opinions = self.opinions()?;
        if opinions.is_empty() && self.settings.judge.is_none() {
            return Ok(panel);
        }
        let record = self.record()?;
        let mut authors: HashMap<usize, &str> = HashMap::new();
        for event in record.events.iter().filter(|event| event.label.is_some()) {
            authors.insert(usize::try_from(event.place).unwrap_or(usize::MAX), &event.who);
        }
        panel.people.extend(authors.values().map(|who| (*who).to_owned()));
        for opinion in opinions {
            let (Some(label), Some(draw)) = (opinion.label, record.find(&opinion.id)) else { continue };
            let is_own = authors.get(&draw.place).is_some_and(|author| *author == opinion.who);
            if is_own || !matches!(&*draw.fate, Fate::Labelled(_)) {
                continue;
            }
            panel.further.entry(draw.place).or_default().push(label);
            panel.people.insert(opinion.who);
        }
        Ok(panel)
    }

    /// Whether estimates are of the mean over annotators. By another rule, one label is the truth, and the others only say how far
    /// people agree.
    fn averages_people(&self, panel: &Panel) -> Result<bool> {
        Ok(!panel.is_alone() && self.opinion_rule()? == OpinionRule::Mean)
    }

    /// The ledger with the mean loss over the annotators of each item, and with their noise.
    pub(crate) fn by_panel<T: StudyTask>(
        &self,
        mut ledger: Ledger<T>,
        loss: &dyn Loss<T>,
        lens: &Lens<'_, T>,
    ) -> Result<Ledger<T>> {
        let panel = self.panel()?;
        if !self.averages_people(&panel)? {
            return Ok(ledger);
        }
        let (record, path) = (self.record()?, self.journal.path());
        let mut losses: HashMap<usize, (usize, Vec<f64>)> = HashMap::new();
        for &place in panel.further.keys() {
            let Some(row) = record.draws.get(place).map(|drawn| &drawn.row) else { continue };
            let Some(Outcome::Labelled { label, loss: own }) = ledger.outcomes().get(place) else { continue };
            let (label, mut all) = (*label, vec![*own]);
            let prediction = (lens.row)(row)?;
            for text in panel.further(place) {
                let label =
                    T::label(text, row, &self.settings).map_err(|_| damaged(path, "request", place))?;
                all.push(checked_loss(loss, row.draw.index, T::prediction(&prediction), label)?);
            }
            #[allow(clippy::cast_precision_loss, reason = "annotators are few")]
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            ledger.settle(place, Outcome::Labelled { label, loss: mean });
            losses.insert(row.draw.index, (place, all));
        }
        let noise = annotator_noise(&ledger, &losses, loss, self.settings.pool.size)?;
        Ok(ledger.with_noise(noise.map_or(0.0, |noise| noise.variance)))
    }

    /// The noise of the annotators in the estimate of the metric that draws are made for; `None` for one annotator.
    pub fn annotator_noise(&self) -> Result<Option<AnnotatorNoise>> {
        crate::task::with_task!(self.settings, T => self.noise_of::<T>())
    }

    fn noise_of<T: StudyTask>(&self) -> Result<Option<AnnotatorNoise>> {
        let panel = self.panel()?;
        let name = self.settings.metric.loss;
        if !self.averages_people(&panel)? {
            return Ok(None);
        }
        let Some(loss) = T::loss(name, &self.settings) else { return Ok(None) };
        let record = self.record()?;
        let ledger = record.own_ledger::<T>(self.journal.path(), &self.settings)?;
        let mut losses = HashMap::new();
        for &place in panel.further.keys() {
            let Some(row) = record.draws.get(place).map(|drawn| &drawn.row) else { continue };
            let Some(Outcome::Labelled { loss: own, .. }) = ledger.outcomes().get(place) else { continue };
            let mut all = vec![*own];
            for text in panel.further(place) {
                if let Ok(label) = T::label(text, row, &self.settings) {
                    all.push(checked_loss(&*loss, row.draw.index, T::prediction(row.own()), label)?);
                }
            }
            losses.insert(row.draw.index, (place, all));
        }
        annotator_noise(&ledger, &losses, &*loss, self.settings.pool.size)
    }
}

fn annotator_noise<T: StudyTask>(
    ledger: &Ledger<T>,
    losses: &HashMap<usize, (usize, Vec<f64>)>,
    loss: &dyn Loss<T>,
    pool_size: usize,
) -> Result<Option<AnnotatorNoise>> {
    if ledger.complete() == 0 || ledger.strata().is_some() {
        return Ok(None);
    }
    let evidence = ledger.evidence(Imputed::Expected)?;
    let items = evidence.samples.iter().zip(evidence.weights()).map(|(sample, weight)| {
        let own = || vec![sample.loss];
        PanelItem { weight, losses: losses.get(&sample.index).map_or_else(own, |(_, all)| all.clone()) }
    });
    let items: Vec<PanelItem> = items.collect();
    Ok(AnnotatorNoise::of(&items, pool_size, loss.range()))
}
