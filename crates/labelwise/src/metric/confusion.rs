//! Every metric of the confusion matrix here changes with the mass at one item by α + β_a + γ_b + δ_a·1[a = b], where a
//! was predicted and b is the label. These four are its slope; estimates and proposals both are made of it.

use super::{ClassMetric, Judged, Undefined, kappa};

/// Masses: of everything, and of each class as it was predicted, as it was labelled, and as both.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Totals {
    all: f64,
    predicted: Vec<f64>,
    labelled: Vec<f64>,
    right: Vec<f64>,
}

impl Totals {
    /// No mass yet, for at least this number of classes.
    pub(crate) fn new(classes: usize) -> Self {
        let none = vec![0.0; classes];
        Self { all: 0.0, predicted: none.clone(), labelled: none.clone(), right: none }
    }

    pub(crate) fn of_points(classes: usize, points: &[(&Judged, f64)]) -> Self {
        let most = points.iter().map(|(point, _)| point.predicted.max(point.label) + 1).max();
        let mut totals = Self::new(classes.max(most.unwrap_or(0)));
        for (point, weight) in points {
            totals.add_prediction(point.predicted, *weight);
            totals.add_label(point.predicted, point.label, *weight);
        }
        totals
    }

    /// Mass at an item of this prediction.
    pub(crate) fn add_prediction(&mut self, predicted: usize, mass: f64) {
        self.all += mass;
        if let Some(sum) = self.predicted.get_mut(predicted) {
            *sum += mass;
        }
    }

    /// The part of an item's mass that has this label.
    pub(crate) fn add_label(&mut self, predicted: usize, label: usize, mass: f64) {
        if let Some(sum) = self.labelled.get_mut(label) {
            *sum += mass;
        }
        if predicted == label
            && let Some(sum) = self.right.get_mut(label)
        {
            *sum += mass;
        }
    }

    /// The mass of everything, and those of each class: predicted, labelled, and both.
    pub(super) fn parts(&self) -> (f64, &[f64], &[f64], &[f64]) {
        (self.all, &self.predicted, &self.labelled, &self.right)
    }

    /// Of a class: predicted, labelled, and both.
    pub(super) fn class(&self, class: usize) -> (f64, f64, f64) {
        let of = |sums: &[f64]| sums.get(class).copied().unwrap_or(0.0);
        (of(&self.predicted), of(&self.labelled), of(&self.right))
    }
}

/// The value of a metric, and how it changes with the mass at an item of each prediction and label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slope {
    pub(crate) value: f64,
    pub(crate) support: f64,
    pub(super) constant: f64,
    pub(super) of_predicted: Vec<f64>,
    pub(super) of_label: Vec<f64>,
    pub(super) of_right: Vec<f64>,
}

impl Slope {
    pub(super) fn new(classes: usize) -> Self {
        let none = vec![0.0; classes];
        let (of_predicted, of_label, of_right) = (none.clone(), none.clone(), none);
        Self { value: 0.0, support: f64::INFINITY, constant: 0.0, of_predicted, of_label, of_right }
    }

    /// u of an item.
    pub(crate) fn at(&self, predicted: usize, label: usize) -> f64 {
        let of = |slopes: &[f64], class: usize| slopes.get(class).copied().unwrap_or(0.0);
        let right = if predicted == label { of(&self.of_right, label) } else { 0.0 };
        self.constant + of(&self.of_predicted, predicted) + of(&self.of_label, label) + right
    }

    /// E(u²) of an item of which only the belief is known.
    pub(crate) fn expected_square(&self, predicted: usize, belief: &[f64]) -> f64 {
        belief.iter().enumerate().map(|(label, pi)| pi * self.at(predicted, label).powi(2)).sum()
    }

    /// A share `times` of right / (x·predicted + y·labelled), by class.
    fn add_ratio(&mut self, class: usize, totals: &Totals, ratio: Ratio, times: f64) {
        let (predicted, labelled, right) = totals.class(class);
        let (x, y) = ratio.parts();
        let below = x * predicted + y * labelled;
        let value = right / below;
        self.value += times * value;
        self.support = self.support.min(below / totals.all);
        let add = |slopes: &mut Vec<f64>, slope: f64| {
            if let Some(sum) = slopes.get_mut(class) {
                *sum += times * slope / below;
            }
        };
        add(&mut self.of_predicted, -x * value);
        add(&mut self.of_label, -y * value);
        add(&mut self.of_right, 1.0);
    }
}

/// The denominator of a share of right predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ratio {
    Precision,
    Recall,
    F1,
}

impl Ratio {
    /// The weights of those predicted and those labelled.
    pub(super) fn parts(self) -> (f64, f64) {
        match self {
            Self::Precision => (1.0, 0.0),
            Self::Recall => (0.0, 1.0),
            Self::F1 => (0.5, 0.5),
        }
    }

    /// Refuses classes whose denominator is 0.
    fn check(self, totals: &Totals, classes: impl Iterator<Item = usize>) -> Result<(), Undefined> {
        let (x, y) = self.parts();
        let nothing = |class: &usize| {
            let (predicted, labelled, _) = totals.class(*class);
            x * predicted + y * labelled <= 0.0
        };
        let mut without = classes.filter(nothing);
        let Some(class) = without.next() else {
            return Ok(());
        };
        let others = without.count();
        Err(match self {
            Self::Precision => Undefined::NeverPredicted { class, others },
            Self::Recall => Undefined::NeverLabelled { class, others },
            Self::F1 => Undefined::NeverSeen { class, others },
        })
    }
}

/// The slope of a metric where the masses are these.
pub(crate) fn slope(metric: ClassMetric, totals: &Totals) -> Result<Slope, Undefined> {
    if totals.all <= 0.0 {
        return Err(Undefined::NoLabels);
    }
    let one = |ratio: Ratio, class: usize| {
        ratio.check(totals, std::iter::once(class))?;
        let mut slope = Slope::new(totals.predicted.len());
        slope.add_ratio(class, totals, ratio, 1.0);
        Ok(slope)
    };
    let mean = |ratio: Ratio, classes: usize| {
        ratio.check(totals, 0..classes)?;
        let mut slope = Slope::new(totals.predicted.len());
        (0..classes).for_each(|class| slope.add_ratio(class, totals, ratio, 1.0 / classes as f64));
        Ok(slope)
    };
    match metric {
        ClassMetric::Precision { class } => one(Ratio::Precision, class),
        ClassMetric::Recall { class } => one(Ratio::Recall, class),
        ClassMetric::F1 { class } => one(Ratio::F1, class),
        ClassMetric::MacroPrecision { classes } => mean(Ratio::Precision, classes),
        ClassMetric::MacroRecall { classes } => mean(Ratio::Recall, classes),
        ClassMetric::MacroF1 { classes } => mean(Ratio::F1, classes),
        ClassMetric::Kappa { .. } | ClassMetric::WeightedKappa { .. } => kappa::cohen(totals),
        // Metrics of ranks are not functions of these totals, and do not come here.
        ClassMetric::Matthews { .. }
        | ClassMetric::Auc { .. }
        | ClassMetric::AveragePrecision { .. }
        | ClassMetric::PrecisionAtRecall { .. }
        | ClassMetric::RecallAtPrecision { .. } => matthews(totals),
    }
}

/// (c s − Σ p t) / √((s² − Σ p²)(s² − Σ t²)): c is right, s all, p predicted and t labelled.
fn matthews(totals: &Totals) -> Result<Slope, Undefined> {
    let Totals { all: s, predicted: p, labelled: t, right } = totals;
    let whole = |masses: &[f64]| masses.iter().position(|mass| *mass >= s * (1.0 - 1e-12));
    if let Some(class) = whole(t) {
        return Err(Undefined::OneClassLabelled { class });
    }
    if let Some(class) = whole(p) {
        return Err(Undefined::OneClassPredicted { class });
    }
    let c: f64 = right.iter().sum();
    let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(x, y)| x * y).sum::<f64>();
    let (spread_p, spread_t) = (s * s - product(p, p), s * s - product(t, t));
    let root = (spread_p * spread_t).sqrt();
    let value = (c * s - product(p, t)) / root;
    let mut slope = Slope::new(p.len());
    slope.value = value;
    let seen =
        |masses: &[f64]| masses.iter().copied().filter(|mass| *mass > 0.0).fold(f64::INFINITY, f64::min);
    slope.support = seen(t).min(seen(p)) / s;
    slope.constant = c / root - value * (s / spread_p + s / spread_t);
    let classes = slope.of_predicted.iter_mut().zip(&mut slope.of_label).zip(p.iter().zip(t));
    for ((of_predicted, of_label), (p, t)) in classes {
        *of_predicted = value * p / spread_p - t / root;
        *of_label = value * t / spread_t - p / root;
    }
    slope.of_right.iter_mut().for_each(|of_right| *of_right = s / root);
    Ok(slope)
}
