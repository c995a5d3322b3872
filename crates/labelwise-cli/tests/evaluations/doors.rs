//! One trace, two doors: the same pool and seed through the library and through the program give the same draws and the
//! same estimate, to the last bit.

use std::sync::Arc;

use labelwise::acquisition::Centred;
use labelwise::estimator::CentredLure;
use labelwise::interval::Method;
use labelwise::proposal::Floor;
use labelwise::surrogate::{Recalibrated, Schedule};
use labelwise::{CrossEntropy, Evaluation, Pool, Seed, Target};
use labelwise_study::{PoolTable, Predictions, Reading};
use serde_json::Value;

use crate::folder::{CLASSES, Folder, label};

#[test]
fn the_program_draws_what_the_library_draws() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise", "--seed", "42"]);
    folder.label("pets.labelwise", 90, |item| label(item).to_owned());

    let table = PoolTable::open(folder.path("pool.csv"), &Reading::new()).unwrap();
    let Predictions::Classes { rows, .. } = table.predictions else { panic!("probabilities") };
    let pool = Pool::classification(rows).unwrap();
    let loss = CrossEntropy::default();
    let surrogate = Recalibrated::new(vec![pool.own_beliefs().unwrap()], &pool, Arc::new(loss)).unwrap();
    // Items are asked before the first label is told.
    let surrogate = surrogate.schedule(Schedule::Never);
    let builder = Evaluation::builder(pool, loss, surrogate).acquisition(Centred).seed(Seed(42));
    let mut evaluation = builder.floor(Floor::Mixture { rho: 0.2 }).build().unwrap();
    let class = |item| CLASSES.iter().position(|class| *class == label(item)).unwrap();
    evaluation.run(90, &mut |item| Ok(class(item))).unwrap();

    let draws = folder.run(&["export", "pets.labelwise", "--json"]);
    let draws: Vec<Value> = draws.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(draws.len(), 90);
    for (there, here) in draws.iter().zip(evaluation.draws()) {
        assert_eq!(there["row"], here.index);
        assert_eq!(there["q"].as_f64().unwrap().to_bits(), here.q.to_bits());
    }
    let there: Value = serde_json::from_str(&folder.run(&["estimate", "pets.labelwise", "--json"])).unwrap();
    let here = evaluation.report_by(&CentredLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
    let interval = here.interval.unwrap();
    for (key, value) in [("estimate", here.estimate.value), ("low", interval.low), ("high", interval.high)] {
        assert_eq!(there[key].as_f64().unwrap().to_bits(), value.to_bits(), "{key}");
    }
}
