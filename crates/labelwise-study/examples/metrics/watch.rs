//! Runs: draws, and a look at every metric at every budget.

use labelwise::acquisition::{Acquisition, ForMetrics, Uniform};
use labelwise::loss::{Loss, ZeroOne};
use labelwise::metric::{
    Calibration, ClassMetric, ErrorRate, Gap, Judged, MeanLoss, Measure, MetricEstimate, ValueMetric, Valued,
    WeightedDraws,
};
use labelwise::rng::Stream;
use labelwise::{
    Classification, Evaluation, Fixed, Pool, Regression, Result, Seed, SquaredError, Target, Task,
};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;

use crate::options::{BUDGETS, LEVEL, Options};
use crate::pools::Known;

/// What one run saw of one metric at one budget: nothing where it has no value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

/// All looks at one metric at one budget, by kind of draws.
pub(crate) struct Row {
    pub(crate) metric: String,
    pub(crate) budget: usize,
    pub(crate) truth: f64,
    pub(crate) own: Vec<Option<Look>>,
    pub(crate) shared: Vec<Option<Look>>,
    pub(crate) uniform: Vec<Option<Look>>,
}

/// Something to measure, and to draw for.
trait Watched<T: Task, P>: Sync {
    fn name(&self) -> String;
    fn aim(&self) -> ForMetrics<T>;
    fn and(&self, aims: ForMetrics<T>) -> ForMetrics<T>;
    fn look(&self, sheet: &WeightedDraws<P>, evaluation: Option<&Evaluation<T>>) -> Result<Option<Look>>;
}

fn of_figure(figure: &MetricEstimate) -> Option<Look> {
    let interval = figure.interval.map(|span| (span.low, span.high));
    figure.value.ok().map(|value| Look { value, interval })
}

impl Watched<Classification, Judged> for ClassMetric {
    fn name(&self) -> String {
        Measure::name(self)
    }

    fn aim(&self) -> ForMetrics<Classification> {
        ForMetrics::new(*self)
    }

    fn and(&self, aims: ForMetrics<Classification>) -> ForMetrics<Classification> {
        aims.and(*self)
    }

    fn look(
        &self,
        sheet: &WeightedDraws<Judged>,
        _: Option<&Evaluation<Classification>>,
    ) -> Result<Option<Look>> {
        Ok(of_figure(&sheet.measure(self, Target::Pool, LEVEL)?))
    }
}

/// The share of wrong classes within the metrics module; by its own estimator it is in the tables of coverage.
struct Errors;

impl Watched<Classification, Judged> for Errors {
    fn name(&self) -> String {
        "error rate".to_owned()
    }

    fn aim(&self) -> ForMetrics<Classification> {
        ForMetrics::new(MeanLoss(ZeroOne))
    }

    fn and(&self, aims: ForMetrics<Classification>) -> ForMetrics<Classification> {
        aims.and(MeanLoss(ZeroOne))
    }

    fn look(
        &self,
        sheet: &WeightedDraws<Judged>,
        _: Option<&Evaluation<Classification>>,
    ) -> Result<Option<Look>> {
        Ok(of_figure(&sheet.measure(&ErrorRate, Target::Pool, LEVEL)?))
    }
}

/// The squared calibration error, with the sizes of the bins known.
struct Gaps {
    counts: Vec<usize>,
}

impl Watched<Classification, Judged> for Gaps {
    fn name(&self) -> String {
        "squared calibration error".to_owned()
    }

    fn aim(&self) -> ForMetrics<Classification> {
        ForMetrics::new(Gap)
    }

    fn and(&self, aims: ForMetrics<Classification>) -> ForMetrics<Classification> {
        aims.and(Gap)
    }

    fn look(
        &self,
        sheet: &WeightedDraws<Judged>,
        _: Option<&Evaluation<Classification>>,
    ) -> Result<Option<Look>> {
        let found = Calibration::new(sheet, self.counts.len(), Some(&self.counts), Target::Pool, LEVEL)?;
        Ok(found.squared_error.map(|value| Look { value, interval: found.interval }))
    }
}

impl Watched<Regression, Valued> for ValueMetric {
    fn name(&self) -> String {
        Measure::name(self)
    }

    fn aim(&self) -> ForMetrics<Regression> {
        ForMetrics::new(*self)
    }

    fn and(&self, aims: ForMetrics<Regression>) -> ForMetrics<Regression> {
        aims.and(*self)
    }

    /// The root of the mean squared error is that of our default estimator, as the program has it.
    fn look(
        &self,
        sheet: &WeightedDraws<Valued>,
        evaluation: Option<&Evaluation<Regression>>,
    ) -> Result<Option<Look>> {
        match (self, evaluation) {
            (Self::RootMeanSquaredError, Some(evaluation)) => {
                let report = evaluation.report(Target::Pool, LEVEL)?;
                let interval = report.interval.map(|interval| (interval.low.sqrt(), interval.high.sqrt()));
                Ok(Some(Look { value: report.estimate.value.sqrt(), interval }))
            }
            _ => Ok(of_figure(&sheet.measure(self, Target::Pool, LEVEL)?)),
        }
    }
}

pub(crate) fn classes(world: &Known<Classification>, options: &Options) -> Result<Vec<Row>> {
    let (classes, class) = (world.pool.predictions().columns(), world.positive);
    let mut rows = world.pool.predictions().reader();
    let all: Vec<Vec<f64>> = (0..world.labels.len()).map(|item| rows.row(item).to_vec()).collect();
    let counts = Calibration::count(all.iter().map(Vec::as_slice), 10);
    let mut metrics: Vec<Box<dyn Watched<Classification, Judged>>> = vec![
        Box::new(Errors),
        Box::new(ClassMetric::F1 { class }),
        Box::new(ClassMetric::Precision { class }),
        Box::new(ClassMetric::Recall { class }),
        Box::new(ClassMetric::MacroRecall { classes }),
        Box::new(ClassMetric::Matthews { classes }),
        Box::new(ClassMetric::Auc { class }),
        Box::new(Gaps { counts }),
    ];
    if classes > 2 {
        metrics.push(Box::new(ClassMetric::MacroPrecision { classes }));
        metrics.push(Box::new(ClassMetric::MacroF1 { classes }));
    }
    let point = |item: usize, label: usize| Judged::new(all.get(item).cloned().unwrap_or_default(), label);
    table(world, options, &metrics, || ZeroOne, &point)
}

pub(crate) fn values(world: &Known<Regression>, options: &Options) -> Result<Vec<Row>> {
    let metrics: Vec<Box<dyn Watched<Regression, Valued>>> =
        vec![Box::new(ValueMetric::RootMeanSquaredError), Box::new(ValueMetric::RSquared)];
    let mut rows = world.pool.predictions().reader();
    let all: Vec<_> = (0..world.labels.len()).map(|item| Regression::prediction(rows.row(item))).collect();
    let point = |item: usize, label: f64| match all.get(item) {
        Some(prediction) => Ok(Valued { prediction: *prediction, label }),
        None => Err(labelwise::Error::UnknownItem { item, pool_size: all.len() }),
    };
    table(world, options, &metrics, SquaredError::default, &point)
}

/// What one run saw: for each metric and each kind of draws, a look at each budget.
type Seen = Vec<[Vec<Option<Look>>; 3]>;

fn table<T: Task, P: Send + Sync, L: Loss<T> + 'static>(
    world: &Known<T>,
    options: &Options,
    metrics: &[Box<dyn Watched<T, P>>],
    loss: impl Fn() -> L + Sync,
    point: &(impl Fn(usize, T::Label) -> Result<P> + Sync),
) -> Result<Vec<Row>> {
    let shared = || {
        let mut aims = metrics.iter();
        let first = aims.next().map(|metric| metric.aim());
        first.map(|first| aims.fold(first, |all, metric| metric.and(all)))
    };
    let budgets: Vec<usize> = BUDGETS.into_iter().filter(|budget| 2 * budget <= world.labels.len()).collect();
    let runs: Vec<Seen> = (0..options.runs)
        .into_par_iter()
        .map(|run| {
            let seed = Seed(options.seed.stream(Stream::Split, run as u64).next_u64());
            let everything: Vec<&dyn Watched<T, P>> = metrics.iter().map(|metric| &**metric).collect();
            let uniform = one(world, Uniform, loss(), seed, &budgets, &everything, point)?;
            let shared = match shared() {
                Some(aims) => one(world, aims, loss(), seed, &budgets, &everything, point)?,
                None => Vec::new(),
            };
            let own = everything.iter().map(|metric| {
                let looks = one(world, metric.aim(), loss(), seed, &budgets, &[*metric], point)?;
                Ok(looks.into_iter().next().unwrap_or_default())
            });
            let own: Vec<Vec<Option<Look>>> = own.collect::<Result<_>>()?;
            Ok(own
                .into_iter()
                .zip(shared)
                .zip(uniform)
                .map(|((own, shared), uniform)| [own, shared, uniform])
                .collect())
        })
        .collect::<Result<_>>()?;
    let truths = truths(world, metrics, point)?;
    let mut rows = Vec::new();
    for ((place, metric), truth) in metrics.iter().enumerate().zip(truths) {
        for (at, &budget) in budgets.iter().enumerate() {
            let of = |kind: usize| {
                runs.iter().filter_map(|run| run.get(place)?.get(kind)?.get(at).copied()).collect()
            };
            rows.push(Row {
                metric: metric.name(),
                budget,
                truth,
                own: of(0),
                shared: of(1),
                uniform: of(2),
            });
        }
    }
    Ok(rows)
}

/// Every metric of the whole pool.
fn truths<T: Task, P>(
    world: &Known<T>,
    metrics: &[Box<dyn Watched<T, P>>],
    point: &impl Fn(usize, T::Label) -> Result<P>,
) -> Result<Vec<f64>> {
    let size = world.labels.len();
    let points = world.labels.iter().enumerate().map(|(item, &label)| point(item, label));
    let sample = |m: usize| labelwise::estimator::Sample::plain(m, 1.0 / (size - m) as f64, 0.0);
    let sheet =
        WeightedDraws::from_samples((0..size).map(sample).collect(), points.collect::<Result<_>>()?, size)?;
    let looks = metrics.iter().map(|metric| metric.look(&sheet, None));
    looks.map(|look| Ok(look?.map_or(f64::NAN, |look| look.value))).collect()
}

/// One run: draws up to the largest budget, with a look at each metric at each budget.
fn one<T: Task, P>(
    world: &Known<T>,
    acquisition: impl Acquisition<T> + 'static,
    loss: impl Loss<T> + 'static,
    seed: Seed,
    budgets: &[usize],
    metrics: &[&dyn Watched<T, P>],
    point: &impl Fn(usize, T::Label) -> Result<P>,
) -> Result<Vec<Vec<Option<Look>>>> {
    let pool: Pool<T> = world.pool.clone();
    let pool_size = pool.pool_size();
    let surrogate = Fixed(world.beliefs.clone());
    let mut evaluation =
        Evaluation::builder(pool, loss, surrogate).seed(seed).acquisition(acquisition).build()?;
    let mut oracle = |item: usize| {
        world.labels.get(item).copied().ok_or(labelwise::Error::UnknownItem { item, pool_size })
    };
    let mut looks = vec![Vec::new(); metrics.len()];
    for &budget in budgets {
        evaluation.run(budget - evaluation.complete(), &mut oracle)?;
        let sheet = WeightedDraws::new(evaluation.ledger(), |_, draw, label| point(draw.index, label))?;
        for (looks, metric) in looks.iter_mut().zip(metrics) {
            looks.push(metric.look(&sheet, Some(&evaluation))?);
        }
    }
    Ok(looks)
}
