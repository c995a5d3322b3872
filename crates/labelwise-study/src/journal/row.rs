//! A draw as bytes: its numbers, its prediction and belief, and the predicted class as text. With them, estimates of
//! any loss do not need the pool.

use labelwise::estimator::RatioBounds;
use labelwise::ledger::Draw;
use labelwise::loss::Bounds;

/// A draw, with everything that its loss needs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) draw: Draw,
    /// f(x_i).
    pub(crate) prediction: Vec<f64>,
    /// π(y | x_i); empty if the model is its own surrogate.
    pub(crate) belief: Vec<f64>,
    /// The beliefs of given predictions that were recalibrated, one after the other; empty otherwise.
    pub(crate) experts: Vec<f64>,
    /// The predicted class of a classifier without probabilities; empty otherwise.
    pub(crate) predicted: String,
    /// The input of a custom loss; empty if that is the prediction. Files have no custom losses.
    pub(crate) code: Vec<f64>,
    /// The item itself, where the evaluation does not have the pool.
    pub(crate) apart: Option<Apart>,
}

/// An item of a pool that the evaluation does not have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Apart {
    pub(crate) id: String,
    /// Its passthrough columns, in the order of the settings.
    pub(crate) carried: Vec<String>,
}

impl Row {
    /// The input of the loss that draws are made for.
    pub(crate) fn own(&self) -> &[f64] {
        if self.code.is_empty() { &self.prediction } else { &self.code }
    }

    /// The numbers of a given prediction, of this width.
    pub(crate) fn given(&self, member: usize, width: usize) -> Vec<f64> {
        self.experts.chunks(width.max(1)).nth(member).map(<[f64]>::to_vec).unwrap_or_default()
    }

    /// The belief at the time of the draw.
    pub(crate) fn belief(&self) -> &[f64] {
        if self.belief.is_empty() { &self.prediction } else { &self.belief }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let Draw { q, mass, control, control_total, ratio_bounds: reach, bounds, refresh, .. } = self.draw;
        let (reach, bounds) = (
            reach.map_or([f64::NAN; 2], |reach| [reach.low, reach.high]),
            bounds.map_or([f64::NAN; 2], |bounds| [bounds.low, bounds.high]),
        );
        let mut bytes = Vec::with_capacity(80 + 8 * (self.prediction.len() + self.belief.len()));
        bytes.extend_from_slice(&refresh.to_le_bytes());
        for number in [q, mass, control, control_total].into_iter().chain(reach).chain(bounds) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let mut put = |count: u64, numbers: &[f64]| {
            bytes.extend_from_slice(&count.to_le_bytes());
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        };
        // So do rows of items whose pool is in the file.
        let texts = self.apart.as_ref().map_or(0, |apart| 1 + apart.carried.len() as u64);
        put(texts << 32 | self.prediction.len() as u64, &self.prediction);
        // Rows of earlier versions have no experts, and nothing above the lower half.
        let counts = (self.experts.len() as u64) << 32 | self.belief.len() as u64;
        put(counts, &[self.belief.as_slice(), &self.experts].concat());
        let texts = self.apart.iter().flat_map(|apart| std::iter::once(&apart.id).chain(&apart.carried));
        for text in texts {
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.extend_from_slice(self.predicted.as_bytes());
        bytes
    }

    /// `None` if the bytes are not a draw; their checksum would have shown that before.
    pub(crate) fn decode(index: usize, bytes: &[u8]) -> Option<Self> {
        let mut rest = Rest(bytes);
        let refresh = rest.whole()?;
        let [q, mass, control, control_total] =
            [rest.number()?, rest.number()?, rest.number()?, rest.number()?];
        let reach = RatioBounds { low: rest.number()?, high: rest.number()? };
        let bounds = Bounds { low: rest.number()?, high: rest.number()? };
        let reach = (!reach.low.is_nan()).then_some(reach);
        let bounds = (!bounds.low.is_nan()).then_some(bounds);
        let count = rest.whole()?;
        let texts = count >> 32;
        let prediction = rest.numbers(count & u64::from(u32::MAX))?;
        let counts = rest.whole()?;
        let belief = rest.numbers(counts & u64::from(u32::MAX))?;
        let experts = rest.numbers(counts >> 32)?;
        let apart = match texts {
            0 => None,
            texts => {
                let id = rest.text()?;
                Some(Apart { id, carried: (1..texts).map(|_| rest.text()).collect::<Option<_>>()? })
            }
        };
        let predicted = String::from_utf8(rest.0.to_vec()).ok()?;
        let draw = Draw { index, q, mass, control, control_total, ratio_bounds: reach, bounds, refresh };
        Some(Self { draw, prediction, belief, experts, predicted, code: Vec::new(), apart })
    }
}

/// The bytes that were not read yet.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn eight(&mut self) -> Option<[u8; 8]> {
        let (&eight, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(eight)
    }

    fn whole(&mut self) -> Option<u64> {
        self.eight().map(u64::from_le_bytes)
    }

    fn number(&mut self) -> Option<f64> {
        self.eight().map(f64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.whole()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(std::str::from_utf8(text).ok()?.to_owned())
    }

    fn numbers(&mut self, count: u64) -> Option<Vec<f64>> {
        let count = usize::try_from(count).ok().filter(|count| *count <= self.0.len() / 8)?;
        (0..count).map(|_| self.number()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_the_same_again_and_half_of_it_is_none() {
        let draw = Draw {
            index: 17,
            q: 0.1 + 0.2,
            mass: 1e-300,
            control: -0.5,
            control_total: 3.0,
            ratio_bounds: Some(RatioBounds { low: 0.0, high: f64::MAX }),
            bounds: None,
            refresh: u64::MAX,
        };
        let rows = [
            (vec![0.25, 0.75], vec![], ""),
            (vec![], vec![], "a cat, \u{1F408}"),
            (vec![0.25, 0.75], vec![0.1, 0.9, 0.8, 0.2], "a dog"),
        ];
        let apart = ["", "a text, \u{1F408}"].map(str::to_owned).to_vec();
        let apart = Apart { id: "doc 7".to_owned(), carried: apart };
        let rows = rows.into_iter().flat_map(|row| [(row.clone(), None), (row, Some(apart.clone()))]);
        for ((belief, experts, predicted), apart) in rows {
            let row = Row {
                draw,
                prediction: vec![0.5; 3],
                belief,
                experts,
                predicted: predicted.to_owned(),
                code: Vec::new(),
                apart,
            };
            let bytes = row.encode();
            assert_eq!(Row::decode(17, &bytes), Some(row));
            assert!((0..96).all(|length| Row::decode(17, &bytes[..length]).is_none()));
        }
    }
}
