//! Comparisons that are refused, each with the sentence that says why.

use labelwise::compare::{CompareError, Question, Rivals, Versus, compare};
use labelwise::loss::{GaussianNll, ZeroOne};
use labelwise::surrogate::Beliefs;
use labelwise::{CrossEntropy, Error, Evaluation, Fixed, Matrix, Pool, Regression};

use crate::comparisons::{Pair, rivals};
use crate::pools::probabilities;
use crate::verdicts::told;

#[test]
fn what_cannot_be_compared_is_refused_in_a_sentence() {
    let good = || Matrix::f64(probabilities(4, 3, 1), 3).unwrap();
    let said = |models: &[Matrix]| Pair::rivals(models).unwrap_err().to_string();
    insta::assert_snapshot!(said(&[good()]), @"a comparison needs at least 2 models, not 1");
    let wide = Matrix::f64(probabilities(4, 2, 1), 2).unwrap();
    insta::assert_snapshot!(said(&[good(), wide]), @"model 1 has 4 rows of 2 columns, but the first model has 4 rows of 3: all models need one row per item, and the same columns");
    let bad = Matrix::f64([vec![0.2, 0.3, 0.9], probabilities(3, 3, 1)].concat(), 3).unwrap();
    insta::assert_snapshot!(said(&[good(), bad]), @"model 1: predictions of item 0: the class probabilities sum to 1.4, but must sum to 1; normalise them");

    let pool = rivals(30, 2, |item| item > 0 && item < 4);
    let own = || Fixed(pool.own_beliefs().unwrap());
    let same = Pair::rivals(&[good(), good()]).unwrap();
    let own_same = Fixed(same.own_beliefs().unwrap());
    let said = Evaluation::comparison(same, ZeroOne, own_same).unwrap_err().to_string();
    insta::assert_snapshot!(said, @"the two models never differ by this loss (zero-one loss), whatever the labels: their difference is 0, and no label is needed");
    let mut evaluation =
        Evaluation::comparison(pool.clone(), CrossEntropy::default(), own()).unwrap().build().unwrap();
    let drawn = evaluation.ask().unwrap().index;
    // Three classes a model, not six.
    let said = evaluation.tell(drawn, 4).unwrap_err().to_string();
    assert!(said.contains("3 classes") || said.contains("from 0 to 2"), "{said}");
    evaluation.tell(drawn, 1).unwrap();
    // Ties were never drawn, so what one model loses on them is not known.
    let alone = Versus::alone(CrossEntropy::default(), 3, 0);
    let said = evaluation.ledger_for(&pool, &alone).unwrap_err().to_string();
    insta::assert_snapshot!(said, @"item 0 and others (27 in total) were never drawn because their loss was known without a label, but this loss is not known: estimate only the loss that the draws were made for");
    let nobody = Versus::between(ZeroOne, 3, 0, 2);
    let surrogate = own();
    let refused = Evaluation::builder(pool.clone(), nobody, surrogate).build().unwrap_err();
    assert_eq!(refused, Error::Compare(CompareError::NoSuchModel { model: 2, models: 2 }));
    let needs = GaussianNll::default();
    let values = Pool::<Rivals<Regression>>::rivals(&[
        Matrix::f64(vec![1.0, 0.5], 2).unwrap(),
        Matrix::f64(vec![1.0, 0.0], 2).unwrap(),
    ])
    .unwrap();
    let own = Fixed(Beliefs::new(Matrix::f64(vec![1.0, 0.5], 2).unwrap(), &values).unwrap());
    let refused = Evaluation::comparison(values, needs, own).unwrap().build().unwrap_err().to_string();
    assert!(refused.starts_with("model 1: "), "{refused}");
    let bad_level = compare(told(60, 50).ledger(), &Question { level: 1.0, ..Question::default() });
    assert!(matches!(bad_level, Err(Error::Option { name: "level", .. })));
}
