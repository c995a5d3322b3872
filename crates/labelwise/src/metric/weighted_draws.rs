//! The labelled draws as metrics use them: prediction, label and weight.

use super::domains::{Domains, Placed};
use super::estimate::{self, MeanEstimate, MetricEstimate};
use super::{Judged, Measure, MetricError, PredictedClasses, Unlabelled};
use crate::error::{Error, Result};
use crate::estimator::{Sample, lure_weight};
use crate::interval::Target;
use crate::ledger::{Draw, Imputed, Ledger, Outcome};
use crate::loss::Bounds;
use crate::task::Task;

/// Labelled draws in draw order, each with its point.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedDraws<P> {
    samples: Vec<Sample>,
    points: Vec<P>,
    pool_size: usize,
    groups: Option<Vec<usize>>,
    /// The place of each draw among all draws, and its weight; empty where they are not known.
    origins: Vec<(usize, f64)>,
    /// The draws that were skipped, in order: the labels of their points mean nothing.
    skipped: Vec<usize>,
    /// The classes by which ratios of sums are estimated.
    domains: Option<Partition>,
    /// The items by the class that a model predicts, of one model or of both of a pair.
    counted: Vec<Counted>,
}

/// The pool by predicted classes.
#[derive(Debug, Clone, PartialEq)]
struct Partition {
    classes: PredictedClasses,
    /// The class of each draw.
    of: Vec<usize>,
    /// Whether they are the classes that the points are predicted as, and not those of another model.
    is_own: bool,
}

/// What is known of a model's predictions without any label.
#[derive(Debug, Clone, PartialEq)]
struct Counted {
    /// The number of items per predicted class.
    items: Vec<usize>,
    /// The class that each draw is predicted as.
    of: Vec<usize>,
}

impl<P> WeightedDraws<P> {
    /// From the longest prefix of draws that waits for nothing. `point` makes a point of a draw, given its place in
    /// draw order and its label. Draws missing at random are left out as estimates leave them out; skipped ones are
    /// refused.
    pub fn new<T: Task>(
        ledger: &Ledger<T>,
        mut point: impl FnMut(usize, &Draw, T::Label) -> Result<P>,
    ) -> Result<Self> {
        Self::with_skipped(ledger, |place, draw, label| match label {
            Some(label) => point(place, draw, label),
            None => Err(MetricError::Skipped { item: draw.index }.into()),
        })
    }

    /// The same with skipped draws, whose points are made without a label. Metrics that have bounds over all labels
    /// ([`Measure::extremes`]) span these bounds; the others are refused.
    pub fn with_skipped<T: Task>(
        ledger: &Ledger<T>,
        mut point: impl FnMut(usize, &Draw, Option<T::Label>) -> Result<P>,
    ) -> Result<Self> {
        let count = ledger.facts().known.count;
        if count > 0 {
            return Err(MetricError::Known { count }.into());
        }
        let settled = ledger.draws().iter().zip(ledger.outcomes()).enumerate().take(ledger.complete());
        let mut points = Vec::with_capacity(ledger.complete());
        let mut origins = Vec::with_capacity(ledger.complete());
        let mut skipped = Vec::new();
        for (place, (draw, outcome)) in settled {
            let label = match *outcome {
                Outcome::Labelled { label, .. } => Some(label),
                Outcome::Skipped => {
                    skipped.push(points.len());
                    None
                }
                Outcome::MissingAtRandom | Outcome::Open => continue,
            };
            points.push(point(place, draw, label)?);
            origins.push((place, draw.q * draw.mass));
        }
        let evidence = ledger.evidence(Imputed::Expected)?;
        Ok(Self { origins, skipped, ..Self::from_samples(evidence.samples, points, evidence.pool_size)? })
    }

    /// From draws that were kept elsewhere, with a point each; their losses do not matter.
    pub fn from_samples(samples: Vec<Sample>, points: Vec<P>, pool_size: usize) -> Result<Self> {
        if samples.is_empty() {
            return Err(Error::NoSamples { next: None });
        }
        if points.len() != samples.len() {
            let (entries, expected) = (points.len(), samples.len());
            return Err(MetricError::Entries { what: "points", entries, expected }.into());
        }
        let (origins, skipped) = (Vec::new(), Vec::new());
        let (domains, counted) = (None, Vec::new());
        Ok(Self { samples, points, pool_size, groups: None, origins, skipped, domains, counted })
    }

    /// The same draws, each of a group: several items of one document or one person. Intervals for the population
    /// become wider, since items of a group are alike; those for the pool stay as they are.
    pub fn with_groups(mut self, groups: Vec<usize>) -> Result<Self> {
        if groups.len() != self.samples.len() {
            let (entries, expected) = (groups.len(), self.samples.len());
            return Err(MetricError::Entries { what: "groups", entries, expected }.into());
        }
        self.groups = Some(groups);
        Ok(self)
    }

    /// The points, in draw order.
    pub fn points(&self) -> &[P] {
        &self.points
    }

    /// The items that were drawn, in draw order.
    pub fn items(&self) -> impl Iterator<Item = usize> {
        self.samples.iter().map(|sample| sample.index)
    }

    /// The draws that were skipped, in draw order: the labels of their points mean nothing.
    pub fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    /// Number of items that could be drawn.
    pub fn pool_size(&self) -> usize {
        self.pool_size
    }

    /// v_m / M of every draw.
    pub fn weights(&self) -> Vec<f64> {
        let budget = self.samples.len();
        let weight = |(sample, m): (&Sample, usize)| lure_weight(m, budget, self.pool_size, sample.q);
        self.samples.iter().zip(1..).map(|draw| weight(draw) / budget as f64).collect()
    }

    /// A metric with its interval.
    pub fn measure(&self, measure: &dyn Measure<P>, target: Target, level: f64) -> Result<MetricEstimate> {
        self.all().measure(measure, target, level)
    }

    /// The same about an estimate of the mean loss of all items that was made otherwise, for targets and groups that its own
    /// estimator does not know.
    pub fn measure_about(
        &self,
        mean: MeanEstimate,
        measure: &dyn Measure<P>,
        target: Target,
        level: f64,
    ) -> Result<MetricEstimate> {
        estimate::estimate(&self.all(), measure, target, level, Some(mean))
    }

    /// The draws of a slice: for each draw whether it belongs to the slice, and the slice's size in the pool if that is known. If
    /// all of the slice is labelled, nothing is left to estimate.
    pub fn slice(&self, inside: Vec<bool>, size: Option<usize>) -> Result<Slice<'_, P>> {
        if inside.len() != self.points.len() {
            let (entries, expected) = (inside.len(), self.points.len());
            return Err(MetricError::Entries { what: "a slice", entries, expected }.into());
        }
        Ok(Slice { draws: self, inside, size, unlabelled: Vec::new(), all: false, completed: None })
    }

    /// All draws as one slice.
    pub fn all(&self) -> Slice<'_, P> {
        let inside = vec![true; self.points.len()];
        let left = |counted: &Counted| left_of(&counted.items, counted.of.iter().zip(&inside));
        let unlabelled = self.counted.iter().map(left).collect();
        Slice { draws: self, inside, size: Some(self.pool_size), unlabelled, all: true, completed: None }
    }

    /// The same draws with other points, which may be those of another model: its classes are not counted yet. Ratios of sums
    /// are estimated by the same classes as before.
    pub(super) fn with_other_points<Q>(&self, points: Vec<Q>) -> Result<WeightedDraws<Q>> {
        let draws = WeightedDraws::from_samples(self.samples.clone(), points, self.pool_size)?;
        let domains = self.domains.clone().map(|domains| Partition { is_own: false, ..domains });
        let (groups, origins, skipped) = (self.groups.clone(), self.origins.clone(), self.skipped.clone());
        Ok(WeightedDraws { groups, origins, skipped, domains, ..draws })
    }

    /// The same draws with what is known of the predictions of two models, if it is known of both.
    pub(super) fn with_counts_of<Q>(mut self, one: &WeightedDraws<Q>, other: &WeightedDraws<Q>) -> Self {
        if let (Some(one), Some(other)) = (one.counted.first(), other.counted.first()) {
            self.counted = vec![one.clone(), other.clone()];
        }
        self
    }

    /// Whether ratios of sums are estimated by the classes that the points are predicted as.
    pub(super) fn is_by_own_classes(&self) -> bool {
        self.domains.as_ref().is_some_and(|domains| domains.is_own)
    }

    pub(super) fn samples(&self) -> &[Sample] {
        &self.samples
    }

    pub(super) fn groups(&self) -> Option<&[usize]> {
        self.groups.as_deref()
    }
}

impl<P: Clone> WeightedDraws<P> {
    /// The first draws alone, as they were before the others were made.
    pub fn prefix(&self, draws: usize) -> Self {
        let first = |groups: &Vec<usize>| groups.iter().take(draws).copied().collect();
        Self {
            samples: self.samples.iter().take(draws).copied().collect(),
            points: self.points.iter().take(draws).cloned().collect(),
            pool_size: self.pool_size,
            groups: self.groups.as_ref().map(first),
            origins: self.origins.iter().take(draws).copied().collect(),
            skipped: self.skipped.iter().take_while(|draw| **draw < draws).copied().collect(),
            domains: self.domains.as_ref().map(|domains| Partition {
                classes: domains.classes.clone(),
                of: first(&domains.of),
                is_own: domains.is_own,
            }),
            counted: self
                .counted
                .iter()
                .map(|one| Counted { items: one.items.clone(), of: first(&one.of) })
                .collect(),
        }
    }
}

impl WeightedDraws<Judged> {
    /// The same draws, with what is known of the pool's predictions without any label. Metrics of all items that are ratios of
    /// sums are then estimated class by class of the predictions, where the proposals' weights are known, and stay within what
    /// is certain.
    pub fn with_predicted(self, classes: PredictedClasses) -> Self {
        let of = self.points.iter().map(|point| point.predicted).collect();
        let mut draws = self.with_counts(classes.counts().to_vec());
        draws.domains = Some(Partition { classes, of, is_own: true });
        draws
    }

    /// The same draws, with how many items of the pool are predicted as each class: ratios of sums then stay within what is
    /// certain.
    pub fn with_counts(mut self, items: Vec<usize>) -> Self {
        let of = self.points.iter().map(|point| point.predicted).collect();
        self.counted = vec![Counted { items, of }];
        self
    }
}

/// The numbers of items by predicted class without those that are labelled.
fn left_of<'a>(items: &[usize], labelled: impl Iterator<Item = (&'a usize, &'a bool)>) -> Vec<f64> {
    let mut left: Vec<f64> = items.iter().map(|count| *count as f64).collect();
    for (class, _) in labelled.filter(|(_, inside)| **inside) {
        if let Some(count) = left.get_mut(*class) {
            *count = (*count - 1.0).max(0.0);
        }
    }
    left
}

impl Slice<'_, Judged> {
    /// The same slice, with how many of its items are predicted as each class.
    pub fn with_predicted(mut self, counts: &[usize]) -> Self {
        let predicted: Vec<usize> = self.draws.points.iter().map(|point| point.predicted).collect();
        self.unlabelled = vec![left_of(counts, predicted.iter().zip(&self.inside))];
        self
    }
}

/// The draws of a slice. Draws outside of it stay in the variance, because they too were paid for and told nothing about it.
#[derive(Debug, Clone)]
pub struct Slice<'a, P> {
    pub(super) draws: &'a WeightedDraws<P>,
    pub(super) inside: Vec<bool>,
    pub(super) size: Option<usize>,
    /// Number of its items without a label, by the class that a model predicts: of one model, or of both of a pair.
    unlabelled: Vec<Vec<f64>>,
    /// Whether it is all of the pool.
    all: bool,
    /// The skipped points of the slice with chosen labels; `None` while they have none.
    completed: Option<Vec<P>>,
}

impl<'a, P> Slice<'a, P> {
    /// The skipped draws of the slice whose points have no label.
    pub(super) fn skipped(&self) -> impl Iterator<Item = usize> {
        let open = self.draws.skipped.iter().filter(|_| self.completed.is_none());
        open.copied().filter(|draw| self.inside.get(*draw).is_some_and(|inside| *inside))
    }

    /// The same slice with these points instead of its skipped ones.
    pub(super) fn with_completed(&self, points: Vec<P>) -> Slice<'a, P> {
        let &Self { draws, size, all, .. } = self;
        let (inside, unlabelled) = (self.inside.clone(), self.unlabelled.clone());
        Slice { draws, inside, size, unlabelled, all, completed: Some(points) }
    }

    /// The points of a draw, given how many skipped draws of the slice come before it.
    fn point(&self, draw: usize, before: &mut usize) -> Option<&P> {
        match &self.completed {
            Some(points) if self.draws.skipped.binary_search(&draw).is_ok() => {
                *before += 1;
                points.get(*before - 1)
            }
            _ => self.draws.points.get(draw),
        }
    }
    /// Number of labels in it.
    pub fn labels(&self) -> usize {
        self.inside.iter().filter(|inside| **inside).count()
    }

    /// What the labels say of a metric on this pool with certainty; `None` where that is not known.
    pub fn certain(&self, measure: &dyn Measure<P>) -> Option<Bounds> {
        let (mut counts, mut unlabelled) = (vec![1.0; self.inside.len()], self.unlabelled.clone());
        let mut skipped = 0;
        for draw in self.skipped() {
            skipped += 1;
            if let Some(count) = counts.get_mut(draw) {
                *count = 0.0;
            }
            for (left, counted) in unlabelled.iter_mut().zip(&self.draws.counted) {
                if let Some(left) = counted.of.get(draw).and_then(|class| left.get_mut(*class)) {
                    *left += 1.0;
                }
            }
        }
        let points: Vec<(&P, f64)> =
            self.weighted(&counts).into_iter().filter(|(_, count)| *count > 0.0).collect();
        let mass = self.size?.checked_sub(self.labels())? + skipped;
        let mut unlabelled = unlabelled.into_iter();
        let (predicted, other) = (unlabelled.next(), unlabelled.next());
        measure.bounds(&points, &Unlabelled { mass: mass as f64, predicted, other })
    }

    /// The pool by predicted classes, where it pays to estimate by them.
    pub(super) fn domains(&self) -> Option<Domains> {
        let Partition { classes, of, .. } =
            self.draws.domains.as_ref().filter(|_| self.all && !self.is_whole())?;
        let placed = self.draws.origins.iter().zip(of);
        let placed: Vec<Placed> =
            placed.map(|(&(place, own), &predicted)| Placed { place, own, predicted }).collect();
        Domains::new(classes, &placed, self.draws.pool_size)
            .filter(|_| placed.len() == self.draws.samples.len())
    }

    /// A metric within the slice, with its interval.
    pub fn measure(&self, measure: &dyn Measure<P>, target: Target, level: f64) -> Result<MetricEstimate> {
        estimate::estimate(self, measure, target, level, None)
    }

    /// Whether all of its items are labelled.
    pub(super) fn is_whole(&self) -> bool {
        self.draws.points.len() == self.draws.pool_size || self.size == Some(self.labels())
    }

    /// The weight of every draw, in the slice or not. Those of a slice that is labelled as a whole are alike, and the others
    /// share what is left of the pool.
    pub(super) fn weights(&self) -> Vec<f64> {
        if !self.is_whole() {
            return self.draws.weights();
        }
        let size = self.draws.pool_size as f64;
        let (inside, all) = (self.labels() as f64, self.inside.len() as f64);
        let other = (1.0 - inside / size) / (all - inside).max(1.0);
        self.inside.iter().map(|inside| if *inside { 1.0 / size } else { other }).collect()
    }

    /// The points inside, with their weights.
    pub(super) fn weighted<'b>(&'b self, weights: &[f64]) -> Vec<(&'b P, f64)> {
        let mut before = 0;
        let all = weights.iter().zip(&self.inside).enumerate().filter(|(_, (_, inside))| **inside);
        all.filter_map(|(draw, (weight, _))| Some((self.point(draw, &mut before)?, *weight))).collect()
    }

    /// A column of the points inside, with 0 for every other draw.
    pub(super) fn spread(&self, influence: &[f64]) -> Vec<f64> {
        let mut next = influence.iter();
        let of = |inside: &bool| if *inside { next.next().copied().unwrap_or(0.0) } else { 0.0 };
        self.inside.iter().map(of).collect()
    }
}
