//! Probabilities below the cap of cross-entropy: how many there are, before a label is asked.

use labelwise::{CrossEntropy, Matrix};
use labelwise_pool::{PoolTable, Predictions};
use rayon::prelude::*;

use crate::error::ChoiceError;

/// The cap of cross-entropy by default.
pub(crate) const USUAL_CAP: f64 = 1e-15;

/// Rows that are counted at a time.
const AT_A_TIME: usize = 1 << 14;

/// Refuses a cap that cross-entropy cannot have.
pub(crate) fn check_cap(cap: f64) -> Result<f64, ChoiceError> {
    CrossEntropy::with_epsilon(cap).map(|_| cap).map_err(|_| ChoiceError::Cap { cap })
}

/// How many probabilities of the models are below the cap, and what a label there costs.
pub(crate) fn in_words(table: &PoolTable, cap: f64) -> Option<String> {
    let others = table.rivals.iter().flat_map(|rivals| &rivals.predictions);
    let tables = std::iter::once(&table.predictions).chain(others).filter_map(|model| match model {
        Predictions::Classes { rows, .. } => Some(rows),
        _ => None,
    });
    let (zeros, below) =
        tables.map(|rows| counted(rows, cap)).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let (count, are) =
        if below > zeros { (below, format!("below {cap:e}")) } else { (zeros, "0".to_owned()) };
    let costs = -cap.ln();
    let (count, are) = match count {
        0 => return None,
        1 => ("1 probability".to_owned(), format!("is {are}")),
        _ => (format!("{} probabilities", thousands(count)), format!("are {are}")),
    };
    Some(format!("{count} {are}: a label there costs {costs:.1}, the cap of cross-entropy"))
}

/// A number with commas between thousands.
fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    groups.into_iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// How many numbers are 0, and how many are below the cap.
fn counted(rows: &Matrix, cap: f64) -> (usize, usize) {
    let starts: Vec<usize> = (0..rows.rows()).step_by(AT_A_TIME).collect();
    let counts = starts.into_par_iter().map(|start| {
        let mut reader = rows.reader();
        let values = reader.rows(start..rows.rows().min(start + AT_A_TIME)).values();
        values
            .iter()
            .fold((0, 0), |(zeros, below), &p| (zeros + usize::from(p == 0.0), below + usize::from(p < cap)))
    });
    counts.reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted_and_priced() {
        let table = |values: Vec<f64>| {
            let names = vec!["a".to_owned(), "b".to_owned()];
            PoolTable::new(Predictions::Classes { names, rows: Matrix::f64(values, 2).unwrap() })
        };
        let said = |values: &[f64], cap: f64| in_words(&table(values.to_vec()), cap);
        assert_eq!(said(&[0.5, 0.5], 1e-15), None);
        let one = said(&[0.0, 1.0, 0.5, 0.5], 1e-15).unwrap();
        assert_eq!(one, "1 probability is 0: a label there costs 34.5, the cap of cross-entropy");
        let many = said(&[0.0, 1.0].repeat(1234), 2.2e-16).unwrap();
        assert_eq!(many, "1,234 probabilities are 0: a label there costs 36.1, the cap of cross-entropy");
        let tiny = said(&[1e-20, 1.0, 0.0, 1.0], 1e-15).unwrap();
        assert!(tiny.starts_with("2 probabilities are below 1e-15:"), "{tiny}");
    }

    #[test]
    fn thousands_have_commas() {
        assert_eq!(
            [7, 999, 1000, 111_050, 1_000_000].map(thousands),
            ["7", "999", "1,000", "111,050", "1,000,000"]
        );
    }
}
