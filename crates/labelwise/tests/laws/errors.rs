//! Every error as a person reads it.

use labelwise::interval::{Interval, Method};
use labelwise::loss::{Brier, CostMatrix, Custom, GaussianNll, ZeroOne};
use labelwise::proposal::{BadScore, Floor};
use labelwise::surrogate::{Beliefs, Data};
use labelwise::task::Gaussian;
use labelwise::{
    CrossEntropy, Error, Evaluation, Fixed, Lure, Matrix, Pool, Regression, SquaredError, Target,
};

use crate::pools::{builder, pool, regression, zero_one};

fn classes(values: &[f64], columns: usize) -> Result<Evaluation<labelwise::Classification>, Error> {
    let pool = Pool::classification(Matrix::f64(values.to_vec(), columns)?)?;
    let surrogate = Fixed(pool.own_beliefs()?);
    Evaluation::builder(pool, CrossEntropy::default(), surrogate).build()
}

fn means(values: &[f64], columns: usize) -> Result<Evaluation<Regression>, Error> {
    let pool = Pool::regression(Matrix::f64(values.to_vec(), columns)?)?;
    let surrogate = Fixed(pool.own_beliefs()?);
    Evaluation::builder(pool, SquaredError::default(), surrogate).build()
}

/// What bad input of every kind is told, through the calls that find it.
#[test]
fn bad_input_is_named_with_the_way_out() {
    let mut texts = Vec::new();
    let mut say = |what: &str, error: Error| texts.push(format!("{what}\n    {error}"));
    say("an empty pool", classes(&[], 2).unwrap_err());
    say("a ragged table", classes(&[0.5, 0.5, 1.0], 2).unwrap_err());
    say("one class", classes(&[1.0, 1.0], 1).unwrap_err());
    say("a negative probability", classes(&[0.5, 0.5, 1.1, -0.1], 2).unwrap_err());
    say("a probability that is not a number", classes(&[0.5, 0.5, f64::NAN, 0.5], 2).unwrap_err());
    say("logits", classes(&[2.0, -1.0], 2).unwrap_err());
    say("probabilities that do not sum to one", classes(&[0.5, 0.5, 0.3, 0.3], 2).unwrap_err());
    say("a mean that is not a number", means(&[0.0, 1.0, f64::NAN, 1.0], 2).unwrap_err());
    say("a negative variance", means(&[0.0, 1.0, 0.0, -1.0], 2).unwrap_err());
    say("means without variances as beliefs", means(&[0.0, 1.0], 1).unwrap_err());
    say("too many columns", means(&[0.0; 8], 4).unwrap_err());
    let (gaussians, beliefs) = regression(5);
    let flat = Pool::regression(Matrix::f64(vec![0.0, 0.5], 1).unwrap()).unwrap();
    let two = Beliefs::new(Matrix::f64(vec![0.0, 1.0, 0.0, 1.0], 2).unwrap(), &flat).unwrap();
    say(
        "no variance for the likelihood",
        Evaluation::builder(flat, GaussianNll::default(), Fixed(two)).build().unwrap_err(),
    );
    let short = Matrix::f64(vec![0.5; 4], 2).unwrap();
    say("beliefs about other items", Beliefs::new(short.clone(), &gaussians).unwrap_err());
    say("features of other items", pool(5, 3).with_features(short.clone()).unwrap_err());
    let endless = Matrix::f64(vec![f64::INFINITY; 5], 1).unwrap();
    say("features that are not finite", pool(5, 3).with_features(endless).unwrap_err());
    let narrow = Matrix::f64(vec![0.5; 10], 2).unwrap();
    say("beliefs about other classes", Beliefs::new(narrow, &pool(5, 3)).unwrap_err());
    say("no members", Beliefs::<Regression>::from_members(&[], &gaussians).unwrap_err());
    say("labels for other rows", Data::<Regression>::new(short.clone(), vec![1.0]).map(|_| ()).unwrap_err());
    let square = CostMatrix::new(&short).unwrap();
    say("costs for other classes", builder(5, square).build().unwrap_err());
    say("costs that are not square", CostMatrix::new(&Matrix::f64(vec![0.0; 6], 2).unwrap()).unwrap_err());
    say("an epsilon out of range", CrossEntropy::with_epsilon(0.7).unwrap_err());
    say("a label range the wrong way round", SquaredError::with_label_range(2.0, 1.0).unwrap_err());
    say("a rho out of range", builder(5, ZeroOne).floor(Floor::Mixture { rho: -0.1 }).build().unwrap_err());
    let broken = Custom::non_negative(|_: Gaussian, _: f64| f64::NAN);
    let surrogate = Fixed(beliefs.clone());
    say(
        "a loss that is not a number",
        Evaluation::builder(gaussians.clone(), broken, surrogate).build().unwrap_err(),
    );

    let mut evaluation = zero_one(5);
    say("nothing told", evaluation.estimate(&Lure).unwrap_err());
    say("a label before any draw", evaluation.tell(2, 0).unwrap_err());
    let first = evaluation.ask().unwrap().index;
    say("a first draw without a label", evaluation.estimate(&Lure).unwrap_err());
    say("a label for an item that was not asked", evaluation.tell((first + 1) % 5, 0).unwrap_err());
    say("a label for an item that is not there", evaluation.tell(5, 0).unwrap_err());
    say("a class that is not there", evaluation.tell(first, 3).unwrap_err());
    say("a correction before a label", evaluation.amend(first, 1).unwrap_err());
    evaluation.tell(first, 0).unwrap();
    say("another label", evaluation.tell(first, 1).unwrap_err());
    say("a skip after the label", evaluation.skip(first).unwrap_err());
    say("more than there is", evaluation.ask_batch(5).unwrap_err());
    say("a budget above the pool", evaluation.run(9, &mut |_| Ok(0)).unwrap_err());
    say("a known loss twice", builder(5, ZeroOne).known([(1, 0.0), (1, 0.0)]).build().unwrap_err());
    say("every loss known", builder(2, ZeroOne).known([(1, 0.0), (0, 0.0)]).build().unwrap_err());
    say("a known loss that cannot be", builder(5, ZeroOne).known([(1, 7.0)]).build().unwrap_err());
    let lying = Custom::non_negative(|f: &[f64], y: usize| f[y] - 0.5);
    say("a loss that is negative after all", builder(5, lying).build().unwrap_err());
    say("a known loss that is not a number", builder(5, Brier).known([(1, f64::NAN)]).build().unwrap_err());

    let mut bounded =
        Evaluation::builder(gaussians, SquaredError::with_label_range(-1.0, 1.0).unwrap(), Fixed(beliefs))
            .build()
            .unwrap();
    let first = bounded.ask().unwrap().index;
    say("a label that is not a number", bounded.tell(first, f64::NAN).unwrap_err());
    say("a label outside of its range", bounded.tell(first, 9.0).unwrap_err());
    let level: Result<Interval, Error> = {
        bounded.tell(first, 0.5).unwrap();
        bounded.interval(&Lure, Method::Ordinary, Target::Pool, 95.0)
    };
    say("a level in per cent", level.unwrap_err());
    insta::assert_snapshot!(texts.join("\n"));
}

/// The few that no short program meets.
#[test]
fn the_rest_reads_well_too() {
    let all = [
        Error::Score { item: 17, value: f64::NAN, why: BadScore::NotANumber },
        Error::Score { item: 17, value: f64::INFINITY, why: BadScore::Infinite },
        Error::Score { item: 17, value: -0.5, why: BadScore::Negative },
        Error::LossNotFinite { item: 3, label: "2".to_owned(), loss: f64::INFINITY },
        Error::UnboundedSkip { item: 4 },
        Error::Unbounded,
        Error::TooFewLabels { what: "an interval for a loss without bounds", needed: 5, labels: 2 },
        Error::TooManySamples { samples: 9, pool_size: 5 },
        Error::Sample {
            m: 2,
            item: 7,
            name: "q",
            value: 0.0,
            range: "a probability above 0 and at most 1 is needed",
        },
        Error::Diverged { event: 3, recorded: 1, recorded_q: 0.25, drawn: 2, drawn_q: 0.5 },
        Error::Surrogate("the forest has no data".to_owned()),
        Error::Oracle { item: 3, why: "the laboratory is closed".to_owned() },
        Error::Acquisition {
            acquisition: "distance",
            needs: "features: give the pool one row of them an item",
        },
        Error::NotAsked { item: 4, open: 3, next: Some(9) },
    ];
    insta::assert_snapshot!(all.map(|error| error.to_string()).join("\n"));
}
