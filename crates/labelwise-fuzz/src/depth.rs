//! How far a file gets: through the reader, through questions and answers, through a simulation.

use labelwise::Target;
use labelwise::plan::{Assurance, Side, Threshold};
use labelwise_study::simulate::{Plan, Simulation, Strategy};
use labelwise_study::{
    Answer, AnswerOptions, Author, Choices, Column, DesignWish, EstimateOptions, Labels, LearnerName,
    LossName, Metric, PlanGoals, PoolTable, Predictions, Reply, Result, Study, SurrogateWish,
};

/// What a file reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reached {
    /// The file was read.
    pub read: bool,
    /// Items were asked and told, and an estimate was made.
    pub estimated: bool,
    /// All strategies were simulated.
    pub simulated: bool,
}

/// Takes a pool through an evaluation and a simulation. A byte makes the choices.
pub(crate) fn explore(table: &PoolTable, choice: u8) -> Reached {
    check(table);
    let Some(table) = labelled(table) else { return Reached { read: true, ..Reached::default() } };
    let choices = choices(&table, choice);
    let estimated = evaluate(&table, &choices, choice % 8 == 7).is_ok();
    let simulated = simulate(&table, &choices).is_ok();
    Reached { read: true, estimated, simulated }
}

/// The columns of a pool that was read belong together.
fn check(table: &PoolTable) {
    let rows = table.rows();
    assert_eq!(table.ids.len(), rows);
    assert!(table.surrogates.iter().all(|beliefs| beliefs.len() == rows));
    assert!(table.features.as_ref().is_none_or(|features| features.rows.rows() == rows));
    assert!(table.carried.iter().all(|(_, column)| column.len() == rows));
}

/// The pool with labels: its own, or some that fit.
fn labelled(table: &PoolTable) -> Option<PoolTable> {
    if table.labels.is_some() {
        return Some(table.clone());
    }
    let rows = table.rows();
    let column = match table.predictions.classes() {
        Some(names) => Column::Texts((0..rows).map(|row| names[row % names.len()].as_str()).collect()),
        None => Column::Numbers((0..rows).map(|row| row as f64).collect()),
    };
    table.clone().with_labels(&column).ok()
}

fn choices(table: &PoolTable, choice: u8) -> Choices {
    let values = matches!(table.predictions, Predictions::Values { .. });
    let surrogate = match (choice >> 4) % 4 {
        2 => Some(SurrogateWish::Nothing),
        3 if table.features.is_some() && values => Some(SurrogateWish::Learnt(LearnerName::Linear)),
        3 if table.features.is_some() => Some(SurrogateWish::Learnt(LearnerName::Logistic)),
        _ => None,
    };
    let loss = if values { LossName::AbsoluteError } else { LossName::ZeroOne };
    let design = match (choice >> 2) % 4 {
        2 => DesignWish::OneShot { budget: table.rows().min(5) },
        3 => DesignWish::Stratified { budget: table.rows().min(8), strata: None },
        _ => DesignWish::Adaptive,
    };
    Choices {
        seed: u64::from(choice % 4),
        metric: (choice >> 6 == 3).then(|| Metric::plain(loss)),
        surrogate,
        design,
        ..Choices::default()
    }
}

fn evaluate(table: &PoolTable, choices: &Choices, skips: bool) -> Result<()> {
    let (mut study, by) = (Study::in_memory(table.clone(), choices)?.evaluation, Author::default());
    let asked = study.ask_up_to(6, &by)?;
    let label = |item: usize| match table.labels.as_ref() {
        Some(Labels::Classes(classes)) => {
            let names = table.predictions.classes().unwrap_or_default();
            names[classes[item] as usize].clone()
        }
        Some(Labels::Values(values)) => values[item].to_string(),
        None => String::new(),
    };
    for (place, asked) in asked.into_iter().enumerate() {
        let reply = if skips && place == 4 { Reply::Skip } else { Reply::Label(label(asked.item)) };
        study.tell(&[Answer { id: asked.id, reply, line: None, note: None, who: None }], &by)?;
    }
    questions(&study)
}

/// Every question about the labels of a study. The estimate must have an answer; the others need not.
pub(crate) fn questions(study: &Study) -> Result<()> {
    let estimated = study.estimate(&EstimateOptions::default());
    let metrics = study.usual_scores();
    let (level, assurance, target) = (0.95, Assurance::Guaranteed, Target::Pool);
    for metric in metrics.iter().chain(&study.aims()).take(3) {
        let goals = PlanGoals { half_width: Some(0.1), threshold: Some(0.5), level, target, assurance };
        let _ = study.plan(metric, None, &goals);
        let bar = Threshold { value: 0.5, side: Side::Below, level, assurance, target };
        let _ = study.check(metric, None, &bar);
    }
    let _ = study.answers(&AnswerOptions { metrics, ..AnswerOptions::default() });
    estimated.map(|_| ())
}

fn simulate(table: &PoolTable, choices: &Choices) -> Result<()> {
    let choices = Choices { design: DesignWish::Adaptive, ..choices.clone() };
    let simulation = Simulation::new(table, &choices)?;
    let suited = |strategy: &Strategy| strategy.unsuited(simulation.settings()).is_none();
    let strategies: Vec<Strategy> = Strategy::ALL.into_iter().filter(suited).collect();
    let plan = Plan::new(table.rows().div_ceil(2), 2, 0, 0.95);
    simulation.run(&strategies, &plan, &|| ()).map(|_| ())
}
