//! What is summed over a whole pool, part by part. Sums are exact, so their order does not matter.

use std::collections::BTreeMap;

use labelwise::loss::ExpectedLosses;
use labelwise_sketch::{Arrivals, Bytes, ExactSum, Rest, SetFingerprint};

use super::scoring::is_open;
use crate::journal::record::{PredictedClass, Totals as LossTotals};

/// Predicted texts that are counted; a pool with more has no counts.
const MOST_TEXTS: usize = 1000;

/// Sums over the items that can be drawn, and the fingerprint of all items.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Totals {
    pub(crate) fingerprint: SetFingerprint,
    /// All items, also those that were drawn before.
    pub(crate) items: u64,
    pub(crate) least_score: f64,
    losses: Vec<LossSum>,
    classes: BTreeMap<u64, ClassSum>,
    texts: BTreeMap<String, ClassSum>,
    too_many_texts: bool,
}

impl Default for Totals {
    fn default() -> Self {
        Self {
            fingerprint: SetFingerprint::default(),
            items: 0,
            least_score: f64::INFINITY,
            losses: Vec::new(),
            classes: BTreeMap::new(),
            texts: BTreeMap::new(),
            too_many_texts: false,
        }
    }
}

/// Sums of a loss.
#[derive(Debug, Clone, PartialEq)]
struct LossSum {
    control: ExactSum,
    low: ExactSum,
    high: ExactSum,
    least: f64,
    most: f64,
}

impl Default for LossSum {
    fn default() -> Self {
        let zero = ExactSum::default;
        Self { control: zero(), low: zero(), high: zero(), least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

/// The items that are predicted as one class.
#[derive(Debug, Clone, PartialEq, Default)]
struct ClassSum {
    items: u64,
    scores: ExactSum,
}

impl ClassSum {
    fn add(&mut self, score: f64) {
        self.items += 1;
        self.scores.add(score);
    }

    fn merge(&mut self, other: &Self) {
        self.items += other.items;
        self.scores.merge(&other.scores);
    }
}

/// Adds numbers, equal neighbours at once.
fn add_runs(sum: &mut ExactSum, numbers: impl Iterator<Item = f64>) {
    let mut numbers = numbers.peekable();
    while let Some(number) = numbers.next() {
        let mut times = 1;
        while numbers.next_if(|next| next.to_bits() == number.to_bits()).is_some() {
            times += 1;
        }
        if times < 64 {
            (0..times).for_each(|_| sum.add(number));
        } else {
            sum.add_times(number, times);
        }
    }
}

impl Totals {
    /// Makes room for the sums of this many losses.
    pub(crate) fn widen(&mut self, losses: usize) {
        if self.losses.len() < losses {
            self.losses.resize_with(losses, LossSum::default);
        }
    }

    /// Adds what is expected of a loss of some rows.
    pub(crate) fn add_loss(&mut self, number: usize, expected: &ExpectedLosses, open: &[bool]) {
        let Some(sum) = self.losses.get_mut(number) else { return };
        let rows = || (0..expected.first.len()).filter(|row| is_open(open, *row));
        let of = |column: &'_ [f64], row: usize| column.get(row).copied().unwrap_or(f64::NAN);
        rows().for_each(|row| sum.control.add(of(&expected.first, row)));
        add_runs(&mut sum.low, rows().map(|row| of(&expected.low, row)));
        add_runs(&mut sum.high, rows().map(|row| of(&expected.high, row)));
        for row in rows() {
            sum.least = sum.least.min(of(&expected.low, row));
            sum.most = sum.most.max(of(&expected.high, row));
        }
    }

    /// Sets the sums of a loss whose bounds are the same for all items.
    pub(crate) fn set_loss(&mut self, number: usize, control: &ExactSum, bounds: (f64, f64), items: u64) {
        self.widen(number + 1);
        let Some(sum) = self.losses.get_mut(number) else { return };
        let (least, most) = bounds;
        let (mut low, mut high) = (ExactSum::default(), ExactSum::default());
        low.add_times(least, items);
        high.add_times(most, items);
        *sum = LossSum { control: control.clone(), low, high, least, most };
    }

    pub(crate) fn add_class(&mut self, class: usize, score: f64) {
        self.classes.entry(class as u64).or_default().add(score);
    }

    pub(crate) fn add_text(&mut self, text: String, score: f64) {
        self.texts.entry(text).or_default().add(score);
        self.check_texts();
    }

    fn check_texts(&mut self) {
        self.too_many_texts |= self.texts.len() > MOST_TEXTS;
        if self.too_many_texts {
            self.texts.clear();
        }
    }

    /// Adds the totals of another part.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.fingerprint.merge(other.fingerprint);
        self.items += other.items;
        self.least_score = self.least_score.min(other.least_score);
        self.widen(other.losses.len());
        for (sum, more) in self.losses.iter_mut().zip(&other.losses) {
            sum.control.merge(&more.control);
            sum.low.merge(&more.low);
            sum.high.merge(&more.high);
            sum.least = sum.least.min(more.least);
            sum.most = sum.most.max(more.most);
        }
        for (class, more) in &other.classes {
            self.classes.entry(*class).or_default().merge(more);
        }
        self.too_many_texts |= other.too_many_texts;
        for (text, more) in &other.texts {
            self.texts.entry(text.clone()).or_default().merge(more);
        }
        self.check_texts();
    }

    /// The totals of a loss, and of what it can be over the weights: no weight is below that of the least score.
    pub(crate) fn of_loss(&self, number: usize, arrivals: &Arrivals) -> Option<LossTotals> {
        let sum = self.losses.get(number)?;
        let (low, high) = (sum.low.value(), sum.high.value());
        let bounds = (low.is_finite() && high.is_finite()).then_some((low, high));
        let least = arrivals.weight(self.least_score);
        let reach = bounds.map(|_| (sum.least.min(0.0) / least, sum.most.max(0.0) / least));
        Some(LossTotals { control: sum.control.value(), bounds, reach })
    }

    /// Σ E(ℒ) of a loss.
    pub(crate) fn control(&self, number: usize) -> ExactSum {
        self.losses.get(number).map(|sum| sum.control.clone()).unwrap_or_default()
    }

    /// The items by predicted class.
    pub(crate) fn predicted(&self, classes: usize, arrivals: &Arrivals) -> Vec<PredictedClass> {
        let sum = |text: &str, sum: &ClassSum| PredictedClass {
            text: text.to_owned(),
            items: usize::try_from(sum.items).unwrap_or(usize::MAX),
            weight: arrivals.weight_of(sum.items, sum.scores.value()),
        };
        if classes == 0 {
            return self.texts.iter().map(|(text, of_text)| sum(text, of_text)).collect();
        }
        let none = ClassSum::default();
        (0..classes as u64).map(|class| sum("", self.classes.get(&class).unwrap_or(&none))).collect()
    }

    pub(crate) fn write(&self, bytes: &mut Bytes) {
        let fingerprint = self.fingerprint.number();
        bytes.block(&fingerprint.to_le_bytes());
        bytes.whole(self.items);
        bytes.number(self.least_score);
        bytes.whole(self.losses.len() as u64);
        for sum in &self.losses {
            [&sum.control, &sum.low, &sum.high].into_iter().for_each(|sum| sum.write(bytes));
            bytes.number(sum.least);
            bytes.number(sum.most);
        }
        bytes.whole(self.classes.len() as u64);
        for (class, sum) in &self.classes {
            bytes.whole(*class);
            bytes.whole(sum.items);
            sum.scores.write(bytes);
        }
        bytes.whole(self.texts.len() as u64);
        for (text, sum) in &self.texts {
            bytes.block(text.as_bytes());
            bytes.whole(sum.items);
            sum.scores.write(bytes);
        }
        bytes.whole(u64::from(self.too_many_texts));
    }

    pub(crate) fn read(rest: &mut Rest<'_>) -> Option<Self> {
        let fingerprint = SetFingerprint::of_number(u128::from_le_bytes(rest.block()?.try_into().ok()?));
        let mut read =
            Self { fingerprint, items: rest.whole()?, least_score: rest.number()?, ..Self::default() };
        for _ in 0..rest.count()? {
            let (control, low, high) = (ExactSum::read(rest)?, ExactSum::read(rest)?, ExactSum::read(rest)?);
            read.losses.push(LossSum { control, low, high, least: rest.number()?, most: rest.number()? });
        }
        for _ in 0..rest.count()? {
            let class = rest.whole()?;
            read.classes.insert(class, ClassSum { items: rest.whole()?, scores: ExactSum::read(rest)? });
        }
        for _ in 0..rest.count()? {
            let text = rest.text()?;
            read.texts.insert(text, ClassSum { items: rest.whole()?, scores: ExactSum::read(rest)? });
        }
        read.too_many_texts = rest.whole()? != 0;
        Some(read)
    }
}
