//! What a table predicts, and how it is read.

use labelwise_study::Reading;

use crate::random::Random;
use crate::table::{CLASSES, Table};

/// A kind of predictions. Column names are those of the fixtures of `labelwise-pool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Probabilities and texts, no labels.
    Plain,
    /// Probabilities with a surrogate, features, labels and texts.
    Whole,
    /// Probabilities as lists, and labels.
    Lists,
    /// Logits.
    Logits,
    /// Values.
    Mean,
    /// Values with variances and features.
    Spread,
    /// Predicted classes.
    Hard,
    /// Scores.
    Scores,
}

impl Shape {
    /// Every shape.
    pub(crate) const ALL: [Self; 8] = [
        Self::Plain,
        Self::Whole,
        Self::Lists,
        Self::Logits,
        Self::Mean,
        Self::Spread,
        Self::Hard,
        Self::Scores,
    ];

    /// The shape that a byte stands for.
    pub(crate) fn of(byte: u8) -> Self {
        Self::ALL[usize::from(byte) % Self::ALL.len()]
    }

    /// How to read a table of this shape.
    pub(crate) fn reading(self) -> Reading {
        let reading = Reading::new();
        match self {
            Self::Plain => reading.carry_texts(),
            Self::Whole => reading.surrogate("other_*").features("x*").labels("label").carry("text"),
            Self::Lists => reading.labels("label"),
            Self::Logits => reading.logits("x*"),
            Self::Mean => reading.mean("mean").labels("x1"),
            Self::Spread => reading.mean_and_variance("mean", "variance").labels("x1").features("x2"),
            Self::Hard => reading.hard("label").labels("text"),
            Self::Scores => reading.scores("score").labels("x1"),
        }
    }

    /// A valid table of this shape.
    pub(crate) fn table(self, random: &mut Random) -> Table {
        let mut table = Table::new(random);
        let classes = 2 + random.below(CLASSES.len() - 1);
        if !random.one_in(6) {
            table.texts("id", |row| format!("item-{row}"));
        }
        match self {
            Self::Plain => table.probabilities("prob_", classes, false, random),
            Self::Whole => table
                .probabilities("prob_", classes, false, random)
                .probabilities("other_", classes, false, random)
                .numbers("x1", || random.unit())
                .numbers("x2", || random.unit())
                .texts("label", |row| CLASSES[row % classes].to_owned()),
            Self::Lists => table
                .probabilities("probs", classes, true, random)
                .numbers("label", || random.below(classes) as f64),
            Self::Logits => table
                .numbers("x1", || random.unit() * 20.0 - 10.0)
                .numbers("x2", || random.unit())
                .numbers("x3", || random.unit()),
            Self::Mean | Self::Spread => table
                .numbers("mean", || random.unit() * 4.0 - 2.0)
                .numbers("variance", || random.unit())
                .numbers("x1", || random.unit() * 4.0 - 2.0)
                .numbers("x2", || random.unit()),
            Self::Hard => table.texts("label", |row| CLASSES[row % classes].to_owned()),
            Self::Scores => table.numbers("score", || random.unit()).numbers("x1", || random.unit()),
        };
        table.texts("text", |row| CLASSES[(row * 7 / 3) % classes].to_owned());
        table
    }
}
