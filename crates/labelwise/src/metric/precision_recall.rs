//! The precision-recall curve of one class: its area as scikit-learn sums it (average precision), and the precision where
//! it reaches a recall. All are functions of the masses at and above each score.

use super::{Judged, Linearised, Undefined};

/// Masses at one score, and at all scores from it upwards.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// Mass of the class at this score.
    own: f64,
    /// Mass of the class from this score upwards.
    own_above: f64,
    /// Mass of everything from this score upwards.
    all_above: f64,
}

/// The curve, from the largest score to the smallest.
pub(crate) struct Curve {
    levels: Vec<Level>,
    /// The level of each item.
    level_of: Vec<usize>,
    /// Mass of the class.
    positives: f64,
}

impl Curve {
    /// The curve of items with a score, a mass of the class and a mass of everything; `None` without mass of the class.
    pub(crate) fn new(scores: &[f64], masses: &[(f64, f64)]) -> Option<Self> {
        let positives: f64 = masses.iter().map(|mass| mass.0).sum();
        if positives.is_nan() || positives <= 0.0 {
            return None;
        }
        let score = |item: usize| scores.get(item).copied().unwrap_or(f64::NAN);
        let mut order: Vec<usize> = (0..scores.len().min(masses.len())).collect();
        order.sort_unstable_by(|&one, &other| score(other).total_cmp(&score(one)));
        let mut levels: Vec<Level> = Vec::new();
        let mut level_of = vec![0; scores.len()];
        let (mut own_above, mut all_above) = (0.0, 0.0);
        for tied in order.chunk_by(|&one, &other| score(one) == score(other)) {
            let mass = |item: &usize| masses.get(*item).copied().unwrap_or_default();
            let (own, all) =
                tied.iter().map(mass).fold((0.0, 0.0), |sum, mass| (sum.0 + mass.0, sum.1 + mass.1));
            own_above += own;
            all_above += all;
            for &item in tied {
                if let Some(level) = level_of.get_mut(item) {
                    *level = levels.len();
                }
            }
            levels.push(Level { own, own_above, all_above });
        }
        Some(Self { levels, level_of, positives })
    }

    /// Average precision, and its change with the mass at each item by whether it is of the class: (of it, not of it).
    ///
    /// AP = Σ_i w_i y_i A_i / B_i / P, where A_i and B_i are the masses of the class and of everything from the score of i
    /// upwards, and P is the mass of the class. The mass at k changes A_i and B_i of every i at or below its score.
    pub(crate) fn average_precision(&self) -> (f64, Vec<(f64, f64)>) {
        let precision =
            |level: &Level| if level.all_above > 0.0 { level.own_above / level.all_above } else { 0.0 };
        let area: f64 =
            self.levels.iter().map(|level| level.own * precision(level)).sum::<f64>() / self.positives;
        let mut slopes = vec![(0.0, 0.0); self.levels.len()];
        let (mut inverse, mut ratio) = (0.0, 0.0);
        // From the smallest score upwards: what lies at or below.
        for (level, slope) in self.levels.iter().zip(&mut slopes).rev() {
            if level.all_above > 0.0 {
                inverse += level.own / level.all_above;
                ratio += level.own * precision(level) / level.all_above;
            }
            let other = -ratio / self.positives;
            *slope = (other + (precision(level) - area + inverse) / self.positives, other);
        }
        let of = |level: &usize| slopes.get(*level).copied().unwrap_or_default();
        (area, self.level_of.iter().map(of).collect())
    }
}

/// The curve of labelled points.
fn curve_of(class: usize, points: &[(&Judged, f64)]) -> Result<Curve, Undefined> {
    if points.is_empty() {
        return Err(Undefined::NoLabels);
    }
    let scores: Option<Vec<f64>> =
        points.iter().map(|(point, _)| point.probabilities.get(class).copied()).collect();
    let own = |(point, weight): &(&Judged, f64)| (if point.label == class { *weight } else { 0.0 }, *weight);
    let masses: Vec<(f64, f64)> = points.iter().map(own).collect();
    let scores = scores.ok_or(Undefined::NoProbabilities)?;
    Curve::new(&scores, &masses).ok_or(Undefined::NeverLabelled { class, others: 0 })
}

fn linearised_by(
    class: usize,
    points: &[(&Judged, f64)],
    value: f64,
    slopes: impl Iterator<Item = (f64, f64)>,
) -> Linearised {
    let influence = points
        .iter()
        .zip(slopes)
        .map(|((point, _), slope)| if point.label == class { slope.0 } else { slope.1 });
    let (own, all) = points.iter().fold((0.0, 0.0), |(own, all), (point, weight)| {
        (if point.label == class { own + weight } else { own }, all + weight)
    });
    let relevant = points.iter().filter(|(point, _)| point.label == class).count();
    Linearised { value, influence: influence.collect(), support: own / all, relevant }
}

/// Average precision.
pub(super) fn average_precision(class: usize, points: &[(&Judged, f64)]) -> Result<Linearised, Undefined> {
    let curve = curve_of(class, points)?;
    let (area, slopes) = curve.average_precision();
    Ok(linearised_by(class, points, area, slopes.into_iter()))
}

/// Draws on each side of a threshold, in units of the root of their number, that say how the class is mixed there.
const NEIGHBOURS: f64 = 2.0;

/// A threshold on the curve.
struct Place {
    level: usize,
    /// Masses of the class and of everything from it upwards.
    own: f64,
    all: f64,
    /// The share of the class near it.
    mixed: f64,
}

impl Curve {
    /// The place of the first level, from the largest score, where `reached` is true of its masses.
    fn first(&self, reached: impl Fn(f64, f64) -> bool) -> Option<Place> {
        let level = self.levels.iter().position(|level| reached(level.own_above, level.all_above))?;
        self.place(level)
    }

    /// The place of the last such level.
    fn last(&self, reached: impl Fn(f64, f64) -> bool) -> Option<Place> {
        let level = self.levels.iter().rposition(|level| reached(level.own_above, level.all_above))?;
        self.place(level)
    }

    /// A moved threshold lets items in or out, in the mixture that is near it.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of levels")]
    fn place(&self, level: usize) -> Option<Place> {
        let reach = (NEIGHBOURS * (self.level_of.len() as f64).sqrt()).ceil() as usize;
        let near = self.levels.get(level.saturating_sub(reach)..self.levels.len().min(level + reach + 1))?;
        let before = match level.saturating_sub(reach).checked_sub(1).and_then(|at| self.levels.get(at)) {
            Some(level) => level.all_above,
            None => 0.0,
        };
        let own: f64 = near.iter().map(|level| level.own).sum();
        let all = near.last()?.all_above - before;
        let here = self.levels.get(level)?;
        Some(Place { level, own: here.own_above, all: here.all_above, mixed: own / all })
    }

    /// Slopes of every item, given those of an item at or above a threshold and of one below it, each as (of the class, not of
    /// it).
    fn split(&self, place: &Place, above: (f64, f64), below: (f64, f64)) -> Vec<(f64, f64)> {
        self.level_of.iter().map(|level| if *level <= place.level { above } else { below }).collect()
    }
}

/// Masses are sums, so a share that is reached may be short of it by rounding.
const SLACK: f64 = 1e-12;

/// The precision at the largest threshold that finds a share ρ ≥ `recall` of the class.
///
/// With A = ρ P of the class and B of everything above it, the precision is A / B. More mass of the class moves the
/// threshold, and with it lets in everything near it: dB = 1[above] − (1[above] − ρ) y / λ, where λ is the share of the
/// class near the threshold.
pub(super) fn precision_at_recall(
    class: usize,
    recall: f64,
    points: &[(&Judged, f64)],
) -> Result<Linearised, Undefined> {
    let curve = curve_of(class, points)?;
    let enough = (recall * curve.positives) * (1.0 - SLACK);
    let place = curve.first(|own, _| own >= enough).ok_or(Undefined::NoLabels)?;
    let (found, value) = (place.own / curve.positives, place.own / place.all);
    let slope = |above: f64, own: f64| {
        (found * own - value * (above - (above - found) * own / place.mixed)) / place.all
    };
    let slopes = curve.split(&place, (slope(1.0, 1.0), slope(1.0, 0.0)), (slope(0.0, 1.0), slope(0.0, 0.0)));
    Ok(linearised_by(class, points, value, slopes.into_iter()))
}

/// The largest recall of a threshold with at least this precision.
///
/// There A = p B, so mass above the threshold moves it by (y − p) / (λ − p) of the mixture near it, of which λ < p is of
/// the class.
pub(super) fn recall_at_precision(
    class: usize,
    precision: f64,
    points: &[(&Judged, f64)],
) -> Result<Linearised, Undefined> {
    let curve = curve_of(class, points)?;
    let reached = |own: f64, all: f64| own >= precision * all * (1.0 - SLACK);
    let Some(place) = curve.last(reached) else {
        return Ok(linearised_by(class, points, 0.0, points.iter().map(|_| (0.0, 0.0))));
    };
    let (value, precise) = (place.own / curve.positives, place.own / place.all);
    // Without another level below, nothing more can be let in.
    let last = place.level + 1 == curve.levels.len();
    let mixed = place.mixed.min(MOST_MIXED * precision);
    let moved = if last { 0.0 } else { mixed / (mixed - precision) };
    let slope = |above: f64, own: f64| {
        (above * own - value * own - above * (own - precise) * moved) / curve.positives
    };
    let slopes = curve.split(&place, (slope(1.0, 1.0), slope(1.0, 0.0)), (slope(0.0, 1.0), slope(0.0, 0.0)));
    Ok(linearised_by(class, points, value, slopes.into_iter()))
}

/// The share of the class near a threshold, at most, in units of the precision that ends there.
const MOST_MIXED: f64 = 0.8;
