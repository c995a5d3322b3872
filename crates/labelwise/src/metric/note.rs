//! Something to keep in mind about a metric, and when it is said.

use std::fmt;

use super::Measure;
use super::estimate::{IntervalKind, MetricEstimate, MetricInterval, Uncertainty};

/// Number of labels below which no interval that rests on the variance holds what it promises.
const ENOUGH_LABELS: usize = 50;

/// Number of effective hits below which the variance is itself a guess.
pub(super) const ENOUGH_HITS: f64 = 3.0;

/// One in this number of the needed labels must be of the rarer side.
const RARER: usize = 8;

/// A draw with more of the variance than this is said to have it.
const LARGE_SHARE: f64 = 0.25;

/// Number of groups below which the variance between groups is itself a guess.
const ENOUGH_GROUPS: usize = 10;

/// Number of labels on what a metric rests on, such as positives for recall, below which it is a guess.
const ENOUGH_RELEVANT: usize = 10;

/// Something to keep in mind about a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// Too few labels.
    FewLabels {
        /// Number of labels.
        labels: usize,
    },
    /// Too few draws carry the variance.
    FewHits {
        /// Effective number of draws that carry the variance.
        hits: f64,
    },
    /// Little of what was labelled is what the metric rests on.
    FewRelevant {
        /// Number of these labels.
        labels: usize,
    },
    /// No draw speaks against the value.
    Edge,
    /// The interval is known to cover too seldom with so few labels, or with so few of the rarer side.
    Experimental {
        /// The labels there are.
        labels: usize,
        /// The labels from which on it is not.
        needed: usize,
        /// Labels of the rarer side.
        relevant: usize,
    },
    /// One draw has a large part of the variance.
    OneTerm {
        /// Its share.
        share: f64,
    },
    /// Few groups have labels.
    FewGroups {
        /// Number of groups with labels.
        groups: usize,
    },
    /// Some items were skipped.
    Skipped {
        /// How many.
        items: usize,
    },
}

impl Note {
    /// The note without its numbers, for many estimates at once.
    pub fn in_general(&self) -> &'static str {
        match self {
            Self::FewLabels { .. } => "fewer than 50 labels: treat the interval as rough",
            Self::FewHits { .. } => "fewer than 3 labels carry the variance: treat the interval as rough",
            Self::FewRelevant { .. } => {
                "fewer than 10 labels have the rarest outcome: treat the interval as rough"
            }
            Self::Edge => {
                "no label contradicts the value: the interval covers what the labels may have missed"
            }
            Self::Experimental { .. } => {
                "experimental: with so few labels, the interval covers less often than its level"
            }
            Self::OneTerm { .. } => {
                "one label has more than a quarter of the variance: more labels may move the estimate"
            }
            Self::FewGroups { .. } => "fewer than 10 groups have labels: treat the interval as rough",
            Self::Skipped { .. } => {
                "some items were skipped: the interval includes every label that they may have"
            }
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::FewLabels { labels } => {
                let s = if labels == 1 { "" } else { "s" };
                write!(f, "only {labels} label{s}: treat the interval as rough below {ENOUGH_LABELS}")
            }
            Self::FewHits { hits } => {
                write!(
                    f,
                    "only about {hits:.1} labels carry the variance: treat the interval as rough below 3"
                )
            }
            Self::FewRelevant { labels } => write!(
                f,
                "only {labels} {} the rarest outcome: treat the interval as rough below {ENOUGH_RELEVANT}",
                if labels == 1 { "label has" } else { "labels have" }
            ),
            Self::Edge => f.write_str(
                "no label contradicts this value: the interval covers what the labels may have missed",
            ),
            Self::Experimental { labels, needed, .. } if labels < needed => write!(
                f,
                "experimental: with {labels} labels (fewer than {needed}), this interval covers less often than its level"
            ),
            Self::Experimental { relevant, needed, .. } => write!(
                f,
                "experimental: with {relevant} labels of the rarer class (fewer than {}), this interval covers less often \
                 than its level",
                needed / RARER
            ),
            Self::OneTerm { share } => write!(
                f,
                "one label has {:.0} % of the variance: more labels may move the estimate, and the interval may be too \
                 short",
                100.0 * share
            ),
            Self::FewGroups { groups } => {
                write!(
                    f,
                    "only {groups} groups have labels: treat the interval as rough below {ENOUGH_GROUPS}"
                )
            }
            Self::Skipped { items: 1 } => {
                f.write_str("1 item was skipped: the interval includes every label that it may have")
            }
            Self::Skipped { items } => {
                write!(f, "{items} items were skipped: the interval includes every label that they may have")
            }
        }
    }
}

/// The notes on an estimate.
pub(super) fn notes<P>(
    estimate: &MetricEstimate,
    measure: &dyn Measure<P>,
    found: &Uncertainty,
    relevant: usize,
) -> Vec<Note> {
    let labels = estimate.labels;
    let mut notes = Vec::new();
    let edge = matches!(estimate.interval, Some(MetricInterval { kind: IntervalKind::Edge, .. }));
    if labels < ENOUGH_LABELS {
        notes.push(Note::FewLabels { labels });
    } else if !edge && found.hits < ENOUGH_HITS {
        notes.push(Note::FewHits { hits: found.hits });
    }
    if edge {
        notes.push(Note::Edge);
    }
    if relevant < ENOUGH_RELEVANT && labels >= ENOUGH_LABELS {
        notes.push(Note::FewRelevant { labels: relevant });
    }
    let needed = measure.experimental_below();
    if labels < needed || relevant < needed / RARER {
        notes.push(Note::Experimental { labels, needed, relevant });
    }
    if let Some(share) = found.share.filter(|share| labels >= ENOUGH_LABELS && *share > LARGE_SHARE) {
        notes.push(Note::OneTerm { share });
    }
    if let Some(groups) = found.groups.filter(|groups| *groups < ENOUGH_GROUPS) {
        notes.push(Note::FewGroups { groups });
    }
    notes
}
