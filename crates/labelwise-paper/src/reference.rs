//! What the authors' released code gives: standard deviations, means and medians that were measured by running it
//! 5,000 times, to hold our curves against.

use crate::claims::{Claim, Verdict};
use crate::problem::Settings;
use crate::statistics::Summary;
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// The steps at which it was measured.
const STEPS: [usize; 7] = [1, 2, 5, 10, 20, 30, 40];
/// The runs it was measured in.
const RUNS: f64 = 5000.0;
/// Two measurements agree if they differ by at most this many combined standard errors. There are dozens of
/// comparisons, and the standard errors of standard deviations are themselves too small for most heavy-tailed samples.
const STANDARD_ERRORS: f64 = 4.0;

/// A curve of the released code, at [`STEPS`].
struct Measured {
    curve: Strategy,
    std_dev: [f64; 7],
    mean: [f64; 7],
    median_squared_error: [f64; 7],
}

/// A Gaussian process on draws of its prior, no clip.
const GP_UNCLIPPED: [Measured; 5] = [
    Measured {
        curve: strategies::UNIFORM,
        std_dev: [0.0619, 0.0466, 0.0243, 0.0163, 0.0111, 0.00773, 0.00331],
        mean: [0.0001, 0.0003, 0.00069, -2.20e-5, 3.40e-5, 4.80e-5, 3.00e-5],
        median_squared_error: [2.72e-5, 1.61e-5, 6.40e-6, 2.74e-6, 9.41e-7, 3.92e-7, 1.02e-7],
    },
    Measured {
        curve: strategies::DISTANCE,
        std_dev: [0.0621, 0.0427, 0.0248, 0.0148, 0.00934, 0.00634, 0.00308],
        mean: [0.00083, 0.001, 0.00051, -0.00019, 0.00015, 0.00011, 3.60e-5],
        median_squared_error: [2.63e-5, 1.56e-5, 5.99e-6, 2.45e-6, 9.21e-7, 3.70e-7, 8.81e-8],
    },
    Measured {
        curve: strategies::PROCESS,
        std_dev: [0.0168, 0.0104, 0.00524, 0.00232, 0.000864, 0.000348, 8.73e-5],
        mean: [0.00043, 0.00012, -1.40e-5, 6.90e-6, 1.10e-6, 5.20e-7, 1.00e-7],
        median_squared_error: [7.61e-6, 3.64e-6, 9.28e-7, 2.56e-7, 3.94e-8, 6.65e-9, 4.30e-10],
    },
    Measured {
        curve: strategies::PROCESS_IID,
        std_dev: [0.103, 0.094, 0.0885, 0.0751, 0.0441, 0.0201, 0.00506],
        mean: [0.036, 0.037, 0.038, 0.033, 0.018, 0.008, 0.002],
        median_squared_error: [5.05e-5, 5.35e-5, 8.25e-5, 8.08e-5, 3.23e-5, 7.37e-6, 5.08e-7],
    },
    Measured {
        curve: strategies::UNCERTAINTY,
        std_dev: [0.0168, 0.0118, 0.00723, 0.00405, 0.00184, 0.000747, 0.000188],
        mean: [0.00021, 0.00012, -3.50e-5, 5.80e-6, 1.80e-5, 7.10e-6, 2.20e-6],
        median_squared_error: [7.66e-6, 4.10e-6, 1.52e-6, 5.28e-7, 1.17e-7, 2.17e-8, 1.49e-9],
    },
];

/// The same with the text's clip.
const GP_CLIPPED: [Measured; 4] = [
    Measured {
        curve: strategies::UNIFORM,
        std_dev: [0.0585, 0.0408, 0.0256, 0.0168, 0.0102, 0.00675, 0.00338],
        mean: [-0.00061, -0.0004, -6.60e-5, 0.00019, 5.90e-5, -4.80e-5, -2.40e-5],
        median_squared_error: [2.53e-5, 1.60e-5, 6.14e-6, 2.65e-6, 9.07e-7, 3.86e-7, 1.00e-7],
    },
    Measured {
        curve: strategies::PROCESS,
        std_dev: [0.0209, 0.0133, 0.00677, 0.0038, 0.00144, 0.000576, 0.000144],
        mean: [-1.30e-5, -0.00024, -7.30e-5, -5.00e-5, -3.20e-5, -1.40e-5, -3.30e-6],
        median_squared_error: [8.30e-6, 3.89e-6, 1.09e-6, 2.80e-7, 4.57e-8, 7.67e-9, 5.05e-10],
    },
    Measured {
        curve: strategies::PROCESS_IID,
        std_dev: [0.107, 0.0895, 0.0755, 0.0651, 0.0392, 0.0177, 0.00447],
        mean: [0.033, 0.032, 0.033, 0.03, 0.018, 0.0079, 0.002],
        median_squared_error: [4.99e-5, 4.87e-5, 6.30e-5, 6.69e-5, 2.90e-5, 6.76e-6, 4.77e-7],
    },
    Measured {
        curve: strategies::UNCERTAINTY,
        std_dev: [0.0191, 0.0127, 0.00821, 0.00459, 0.00228, 0.00105, 0.000261],
        mean: [-0.00038, -0.00023, -5.80e-5, -3.00e-5, -3.40e-5, -1.40e-5, -3.20e-6],
        median_squared_error: [8.36e-6, 4.36e-6, 1.69e-6, 5.76e-7, 1.24e-7, 2.45e-8, 1.91e-9],
    },
];

/// A linear model on quadratic data, no clip.
const QUADRATIC_UNCLIPPED: [Measured; 4] = [
    Measured {
        curve: strategies::UNIFORM,
        std_dev: [0.0279, 0.0193, 0.0117, 0.00789, 0.00476, 0.00325, 0.00153],
        mean: [-0.00059, -3.50e-5, -0.00021, -0.0001, -3.20e-5, -2.70e-6, -1.90e-5],
        median_squared_error: [6.04e-5, 4.13e-5, 1.59e-5, 6.72e-6, 2.37e-6, 9.88e-7, 2.60e-7],
    },
    Measured {
        curve: strategies::DISTANCE,
        std_dev: [0.0304, 0.0203, 0.0115, 0.00741, 0.00441, 0.00285, 0.00137],
        mean: [0.00082, 0.00051, 5.30e-5, -5.10e-5, -2.20e-5, -7.10e-6, -6.20e-6],
        median_squared_error: [6.03e-5, 3.66e-5, 1.38e-5, 5.84e-6, 2.10e-6, 8.03e-7, 2.14e-7],
    },
    Measured {
        curve: strategies::PROCESS,
        std_dev: [0.00511, 0.0036, 0.00172, 0.000834, 0.000319, 0.000131, 3.32e-5],
        mean: [2.10e-5, -6.30e-5, -1.90e-5, -1.10e-5, -3.90e-6, -1.40e-6, -2.30e-7],
        median_squared_error: [3.80e-6, 2.47e-6, 5.99e-7, 1.66e-7, 2.60e-8, 4.56e-9, 3.22e-10],
    },
    Measured {
        curve: strategies::PROCESS_IID,
        std_dev: [0.0453, 0.0359, 0.0306, 0.0258, 0.0149, 0.0063, 0.00154],
        mean: [0.029, 0.027, 0.026, 0.022, 0.013, 0.0061, 0.0017],
        median_squared_error: [0.000168, 0.000213, 0.00022, 0.000164, 5.91e-5, 1.52e-5, 1.40e-6],
    },
];

/// What is said of standard deviations. One rare error decides them, so that with fewer runs than were made of the authors'
/// code their standard errors mean nothing, and a difference would be a false alarm.
const STD_DEVS: &str = "standard deviations are those of the authors' code";

/// With fewer runs, standard errors of standard deviations say too little about such heavy tails.
const FEWEST: usize = 1000;

/// How an experiment compares with the released code, if that was measured with the same settings.
pub(crate) fn compared(experiment: &ExperimentSummary, settings: Settings) -> Vec<Claim> {
    if experiment.runs < FEWEST {
        return Vec::new();
    }
    let measured: &[Measured] = match (experiment.name, settings) {
        ("gp-on-gp", Settings::Released) => &GP_UNCLIPPED,
        ("gp-on-gp", Settings::Text) => &GP_CLIPPED,
        ("linear-on-quadratic", Settings::Released) => &QUADRATIC_UNCLIPPED,
        _ => return Vec::new(),
    };
    let numbers: [(&'static str, Number); 3] = [
        (STD_DEVS, std_dev),
        ("mean errors are those of the authors' code", mean),
        ("medians of the squared error are those of the authors' code", median),
    ];
    let few = (experiment.runs as f64) < RUNS;
    let numbers = numbers.into_iter().filter(|(claim, _)| !few || *claim != STD_DEVS);
    numbers.filter_map(|(claim, number)| judge(experiment, measured, claim, number)).collect()
}

/// A number of ours with its standard error, and theirs.
type Number = fn(&Summary, &Measured, usize) -> Option<(f64, f64, f64)>;

fn std_dev(ours: &Summary, theirs: &Measured, place: usize) -> Option<(f64, f64, f64)> {
    Some((ours.std_dev?, ours.std_dev_std_error?, *theirs.std_dev.get(place)?))
}

fn mean(ours: &Summary, theirs: &Measured, place: usize) -> Option<(f64, f64, f64)> {
    Some((ours.mean, ours.mean_std_error?, *theirs.mean.get(place)?))
}

fn median(ours: &Summary, theirs: &Measured, place: usize) -> Option<(f64, f64, f64)> {
    let error = ours.median_std_error()?;
    Some((ours.median_squared_error, error, *theirs.median_squared_error.get(place)?))
}

fn judge(
    experiment: &ExperimentSummary,
    measured: &[Measured],
    claim: &'static str,
    number: Number,
) -> Option<Claim> {
    let mut largest: Option<(f64, String)> = None;
    for theirs in measured {
        // A figure may follow fewer curves than were measured.
        let Some(ours) = experiment.curve(theirs.curve) else { continue };
        for (place, m) in STEPS.into_iter().enumerate() {
            let (value, error, other) = number(ours.steps.get(m - 1)?, theirs, place)?;
            // Their standard error is ours, scaled to their number of runs.
            let combined = error * (1.0 + experiment.runs as f64 / RUNS).sqrt();
            let distance = (value - other).abs() / combined;
            if largest.as_ref().is_none_or(|(most, _)| distance > *most) {
                let title = theirs.curve.title();
                largest =
                    Some((distance, format!("{title} at step {m}: {value:.2e} here, {other:.2e} there")));
            }
        }
    }
    let (distance, place) = largest?;
    let verdict = Verdict::from(distance <= STANDARD_ERRORS);
    let measured = format!("largest difference {distance:.1} combined standard errors ({place})");
    Some(Claim { experiment: experiment.name, claim, measured, verdict })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Quantiles, Range};
    use crate::summary::{CurveSummary, Judged, Spread};

    /// A step with these numbers, each with a standard error of a hundredth of it.
    fn step(std_dev: f64, mean: f64, median: f64) -> Summary {
        let quantiles = Quantiles { q05: 0.0, q10: 0.0, q25: 0.0, q75: 1.0, q90: 1.0, q95: 1.0 };
        Summary {
            runs: 5000,
            mean,
            mean_std_error: Some(0.01 * mean.abs()),
            std_dev: Some(std_dev),
            std_dev_std_error: Some(0.01 * std_dev),
            mean_squared_error: std_dev * std_dev,
            mean_squared_error_std_error: None,
            median_squared_error: median,
            median_squared_error_range: Some(Range { low: median * 0.9804, high: median * 1.0196 }),
            squared_error_quantiles: quantiles,
            error_quantiles: [0.0; 3],
            mean_log_squared_error: None,
            mean_log_squared_error_std_error: None,
            exact_runs: 0,
        }
    }

    /// The authors' own numbers, with one standard deviation off by a factor.
    fn theirs(runs: usize, factor: f64) -> ExperimentSummary {
        let curves = QUADRATIC_UNCLIPPED.iter().map(|measured| {
            let mut steps = vec![step(1.0, 1.0, 1.0); 40];
            for (place, m) in STEPS.into_iter().enumerate() {
                let off = if measured.curve == strategies::PROCESS && m == 20 { factor } else { 1.0 };
                let std_dev = off * measured.std_dev[place];
                steps[m - 1] = step(std_dev, measured.mean[place], measured.median_squared_error[place]);
            }
            CurveSummary { strategy: measured.curve, steps, against_uniform: None }
        });
        ExperimentSummary {
            name: "linear-on-quadratic",
            pool_size: 45,
            runs,
            wall_seconds: 0.0,
            pool_risk: Spread { mean: 1.0, std_dev: 1.0, median: 1.0 },
            curves: curves.collect(),
            queries: Vec::new(),
            recorded: Default::default(),
            judged: Judged { steps: 40..=40, squares: Vec::new(), uniform_law: Vec::new() },
        }
    }

    #[test]
    fn what_is_theirs_agrees_and_what_is_off_differs_by_as_much() {
        let verdicts = |runs, factor| {
            let claims = compared(&theirs(runs, factor), Settings::Released);
            claims.into_iter().map(|claim| claim.verdict).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(5000, 1.0), [Verdict::Agrees; 3]);
        // 6 % are 6 / 1.06 standard errors of ours, and 4.0 of both together.
        assert_eq!(verdicts(5000, 1.05)[0], Verdict::Agrees);
        assert_eq!(verdicts(5000, 1.07), [Verdict::Differs, Verdict::Agrees, Verdict::Agrees]);
        assert!(
            compared(&theirs(5000, 1.07), Settings::Released)[0]
                .measured
                .contains("at step 20: 3.41e-4 here, 3.19e-4")
        );
        // Other settings were not measured, and few runs say nothing.
        assert!(compared(&theirs(5000, 1.0), Settings::Text).is_empty());
        assert!(verdicts(999, 1.0).is_empty());
        assert_eq!(verdicts(4999, 2.0), [Verdict::Agrees; 2]);
    }
}
