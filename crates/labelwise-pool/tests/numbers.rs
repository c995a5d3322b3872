//! Percentages, rounded probabilities, one column of two classes, log-odds and standard deviations become what they mean.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may fail loudly, and so may what it calls")]

use labelwise_pool::{Guess, Looks, Notation, PoolTable, Predictions, Reading};

const PERCENT: Notation = Notation { percent: true, normalise: false };
const ROUNDED: Notation = Notation { percent: false, normalise: true };

fn read(text: &'static str, reading: &Reading) -> PoolTable {
    PoolTable::from_csv("pool", text.as_bytes(), reading).unwrap()
}

fn classes(predictions: &Predictions) -> (Vec<&str>, Vec<Vec<f64>>) {
    let Predictions::Classes { names, rows } = predictions else { panic!("{predictions:?}") };
    let mut reader = rows.reader();
    let rows = (0..rows.rows()).map(|row| reader.row(row).to_vec()).collect();
    (names.iter().map(String::as_str).collect(), rows)
}

#[test]
fn percentages_and_rounded_rows_become_probabilities() {
    let table = read("prob_a,prob_b\n25,75\n100,0\n", &Reading::new().notation(PERCENT));
    assert_eq!(classes(&table.predictions), (vec!["a", "b"], vec![vec![0.25, 0.75], vec![1.0, 0.0]]));
    assert_eq!(table.notes, ["percentages are divided by 100"]);
    // Rows that sum to 1 are no percentages, even where percentages may come.
    let table = read("prob_a,prob_b\n0.25,0.75\n", &Reading::new().notation(PERCENT));
    assert_eq!(classes(&table.predictions).1, [[0.25, 0.75]]);
    assert!(table.notes.is_empty());
    let table = read("prob_a,prob_b,prob_c\n0.33,0.33,0.33\n", &Reading::new().notation(ROUNDED));
    let (_, rows) = classes(&table.predictions);
    assert!(rows.concat().iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
    let both = Notation { percent: true, normalise: true };
    let table = read("prob_a,prob_b,prob_c\n33,33,33\n", &Reading::new().notation(both));
    assert!((classes(&table.predictions).1.concat()[0] - 1.0 / 3.0).abs() < 1e-15);
}

#[test]
fn surrogates_may_be_percentages_while_the_model_is_not() {
    let text = "prob_a,prob_b,q_a,q_b\n0.25,0.75,30,70\n";
    let table = read(text, &Reading::new().surrogate("q_*").notation(PERCENT));
    assert_eq!(classes(&table.surrogates[0]).1, [[0.3, 0.7]]);
    let error = PoolTable::from_csv("pool", text.as_bytes(), &Reading::new().surrogate("q_*")).unwrap_err();
    let labelwise_pool::Error::Rows { guess: Some(Guess { looks, purpose, .. }), .. } = error else {
        panic!("{error}")
    };
    assert_eq!((looks, purpose), (Looks::Percentages, labelwise_pool::Purpose::SurrogateProbabilities));
}

#[test]
fn one_column_is_of_one_of_two_classes() {
    let text = "id,prob_1,prob_old,y\na,0.25,0.5,0\nb,1,0.75,1.0\n";
    let table = read(text, &Reading::new().probability("prob_1").surrogate("prob_old").labels("y"));
    assert_eq!(classes(&table.predictions), (vec!["0", "1"], vec![vec![0.75, 0.25], vec![0.0, 1.0]]));
    assert_eq!(classes(&table.surrogates[0]), (vec!["0", "1"], vec![vec![0.5, 0.5], vec![0.25, 0.75]]));
    assert_eq!(table.labels, Some(labelwise_pool::Labels::Classes(vec![0, 1])));
    assert_eq!(table.positive.as_deref(), Some("1"));
    assert_eq!(table.notes, ["`prob_1` is the probability of class 1; the other class is 0"]);
    // Another file of the same model: another column, the same classes.
    let reading = Reading::new().probability("prob_1").of_surrogate(Some("prob_old"));
    assert_eq!(classes(&read(text, &reading).predictions).0, ["0", "1"]);
    let named = Reading::new().probability("prob_1").classes(["ok", "fraud"]).notation(PERCENT);
    let table = read("prob_1\n0.5\n50\n", &named);
    assert_eq!(classes(&table.predictions), (vec!["ok", "fraud"], vec![vec![0.995, 0.005], vec![0.5, 0.5]]));
}

#[test]
fn one_column_of_logits_is_log_odds() {
    for reading in [Reading::new().logits("z"), Reading::new().logits("z").of_surrogate(None)] {
        let table = read("z\n0\n-40\n1.5\n", &reading);
        let (names, rows) = classes(&table.predictions);
        assert_eq!(names, ["0", "1"]);
        assert!((rows[2][1] - 1.0 / (1.0 + (-1.5_f64).exp())).abs() < 1e-15 && rows[1][1] < 1e-17);
        assert_eq!(rows[0], [0.5, 0.5]);
    }
}

#[test]
fn standard_deviations_are_squared() {
    let table = read("m,std\n1,3\n2,0\n", &Reading::new().mean_and_deviation("m", "std"));
    let Predictions::Values { variances: Some(variances), .. } = table.predictions else { panic!() };
    assert_eq!(variances, [9.0, 0.0]);
}

#[test]
fn few_decimals_and_many_whole_numbers_are_classes() {
    for text in [
        "said\n0.5\n1.5\n0.5\n",
        "said\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n",
    ] {
        assert!(matches!(read(text, &Reading::new().hard("said")).predictions, Predictions::Hard { .. }));
    }
}
