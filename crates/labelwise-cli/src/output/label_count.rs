//! Approximate numbers of labels, in words.

use labelwise::plan::{LabelForecast, LabelRange, Source};
use serde::Serialize;

use crate::output::text::thousands;

/// The JSON object of a number of labels.
#[derive(Serialize)]
pub(crate) struct LabelCount {
    expected: usize,
    low: usize,
    high: usize,
}

impl From<LabelRange> for LabelCount {
    fn from(labels: LabelRange) -> Self {
        let LabelRange { expected, low, high } = labels;
        Self { expected, low, high }
    }
}

/// The source of a plan, in one word.
pub(crate) fn source(prospect: &LabelForecast) -> &'static str {
    match prospect.source {
        Source::Surrogate => "surrogate",
        Source::Labels(_) => "labels",
    }
}

/// If the ends of a range differ by more than this factor, only its upper end says something.
const WIDE: usize = 10;

/// A number of labels in words. A surrogate's forecast is only a range; a forecast from labels also has a middle.
pub(crate) fn in_words(labels: LabelRange, source: Source) -> String {
    let LabelRange { expected, low, high } = labels;
    let [about, least, most] = [expected, low, high].map(|labels| thousands(rounded(labels)));
    match source {
        _ if least == most => format!("about {least}"),
        Source::Surrogate if high > WIDE * low => format!("up to {most}"),
        Source::Surrogate => format!("{least} to {most}"),
        Source::Labels(_) => format!("about {about} ({least} to {most})"),
    }
}

/// Rounded to two significant digits.
fn rounded(labels: usize) -> usize {
    let mut unit = 1;
    while labels / unit >= 100 {
        unit *= 10;
    }
    (labels + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::{LabelRange, Source, in_words, rounded};

    #[test]
    fn two_digits_count() {
        let cases =
            [(0, 0), (7, 7), (99, 99), (104, 100), (105, 110), (994, 990), (996, 1000), (12_345, 12_000)];
        for (labels, expected) in cases {
            assert_eq!(rounded(labels), expected, "of {labels}");
        }
    }

    #[test]
    fn a_range_has_a_middle_only_if_labels_show_it() {
        let labels = LabelRange { expected: 1234, low: 1001, high: 2222 };
        assert_eq!(in_words(labels, Source::Surrogate), "1,000 to 2,200");
        assert_eq!(in_words(labels, Source::Labels(80)), "about 1,200 (1,000 to 2,200)");
        let vague = LabelRange { expected: 300, low: 100, high: 1001 };
        assert_eq!(in_words(vague, Source::Surrogate), "up to 1,000");
        let sure = LabelRange { expected: 100, low: 100, high: 100 };
        assert_eq!(in_words(sure, Source::Surrogate), "about 100");
    }
}
