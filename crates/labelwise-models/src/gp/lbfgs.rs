//! Minimisation in a box, with the curvature learnt from the last few steps (L-BFGS).

use super::cholesky::dot;

/// Number of steps that are remembered.
const MEMORY: usize = 10;
/// Maximum number of steps of a search.
const STEPS: usize = 200;
/// It ends where no coordinate that is free to move has a larger slope.
const FLAT: f64 = 1e-6;
/// A step must bring this share of what the slope promises.
const PROMISE: f64 = 1e-4;
/// No coordinate moves further in one step: two powers of e are far for a hyperparameter.
const FURTHEST: f64 = 2.0;

/// The lowest value found and where, from `place` on, with every coordinate between `low` and `high`. The objective
/// writes its gradient.
pub(super) fn minimise(
    mut place: Vec<f64>,
    (low, high): (f64, f64),
    mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; place.len()];
    let mut value = objective(&place, &mut gradient);
    let mut memory: Vec<Step> = Vec::new();
    for _ in 0..STEPS {
        let free: Vec<bool> = place
            .iter()
            .zip(&gradient)
            .map(|(x, slope)| !((*x <= low && *slope > 0.0) || (*x >= high && *slope < 0.0)))
            .collect();
        let slopes = masked(&gradient, &free);
        if !slopes.iter().any(|slope| slope.abs() > FLAT) {
            break;
        }
        let learnt = masked(&direction(&slopes, &memory), &free);
        let is_downhill = !memory.is_empty() && dot(&learnt, &slopes) < 0.0;
        let downhill = if is_downhill { learnt } else { slopes.iter().map(|slope| -slope).collect() };
        let longest = downhill.iter().fold(0.0_f64, |most, step| most.max(step.abs()));
        // Without memory the length of a step means nothing: it starts at one power of e.
        let first = if is_downhill { (FURTHEST / longest).min(1.0) } else { 1.0 / longest };
        let mut searched = gradient.clone();
        let mut found = None;
        let mut length = first;
        while length > 1e-12 * first {
            let there: Vec<f64> =
                place.iter().zip(&downhill).map(|(x, step)| (x + length * step).clamp(low, high)).collect();
            let moved: Vec<f64> = there.iter().zip(&place).map(|(there, here)| there - here).collect();
            let lower = objective(&there, &mut searched);
            if lower <= value + PROMISE * dot(&gradient, &moved) && lower.is_finite() {
                found = Some((lower, there, moved));
                break;
            }
            length *= 0.5;
        }
        let Some((lower, there, moved)) = found else {
            // Along the slope itself nothing is lower: rounding is all that is left. Otherwise forget the curvature.
            if !is_downhill {
                break;
            }
            memory.clear();
            continue;
        };
        let bent: Vec<f64> = searched.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        if let Some(step) = Step::new(moved, bent) {
            memory.push(step);
            if memory.len() > MEMORY {
                memory.remove(0);
            }
        }
        let gained = value - lower;
        (place, value, gradient) = (there, lower, searched);
        if gained <= 1e-13 * value.abs().max(1.0) {
            break;
        }
    }
    (value, place)
}

/// A step and the change of the gradient along it.
struct Step {
    moved: Vec<f64>,
    bent: Vec<f64>,
    /// 1 / (moved · bent).
    rho: f64,
}

impl Step {
    /// `None` where the objective does not bend upwards: such a step says nothing about a minimum.
    fn new(moved: Vec<f64>, bent: Vec<f64>) -> Option<Self> {
        let product = dot(&moved, &bent);
        let bends = product > 1e-10 * dot(&bent, &bent) && product > 0.0;
        bends.then(|| Self { rho: product.recip(), moved, bent })
    }
}

/// -H g, with H the inverse curvature that the remembered steps tell of (the two loops of Nocedal).
fn direction(slopes: &[f64], memory: &[Step]) -> Vec<f64> {
    let mut result: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
    let mut factors = Vec::with_capacity(memory.len());
    for step in memory.iter().rev() {
        let factor = step.rho * dot(&step.moved, &result);
        add(&mut result, -factor, &step.bent);
        factors.push(factor);
    }
    if let Some(step) = memory.last() {
        let scale = 1.0 / (step.rho * dot(&step.bent, &step.bent));
        result.iter_mut().for_each(|value| *value *= scale);
    }
    for (step, factor) in memory.iter().zip(factors.iter().rev()) {
        let back = step.rho * dot(&step.bent, &result);
        add(&mut result, factor - back, &step.moved);
    }
    result
}

fn add(to: &mut [f64], factor: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += factor * value);
}

fn masked(values: &[f64], free: &[bool]) -> Vec<f64> {
    values.iter().zip(free).map(|(value, free)| if *free { *value } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A narrow bent valley with its lowest place at (1, 1).
    fn valley(x: &[f64], gradient: &mut [f64]) -> f64 {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient.copy_from_slice(&[-2.0 * a - 400.0 * x[0] * b, 200.0 * b]);
        a * a + 100.0 * b * b
    }

    #[test]
    fn it_finds_the_end_of_a_bent_valley() {
        let (value, place) = minimise(vec![-1.2, 1.0], (-5.0, 5.0), valley);
        assert!(value < 1e-10, "{value} at {place:?}");
    }

    #[test]
    fn it_stops_at_the_walls() {
        // With x at most 0.5, the lowest place is (0.5, 0.25).
        let (value, place) = minimise(vec![-1.2, 0.3], (-5.0, 0.5), valley);
        assert!((value - 0.25).abs() < 1e-9 && place[0] == 0.5, "{value} at {place:?}");
    }

    #[test]
    fn it_does_not_move_from_nothing() {
        let (value, place) = minimise(vec![0.3], (0.0, 1.0), |_, gradient| {
            gradient[0] = 0.0;
            7.0
        });
        assert_eq!((value, place), (7.0, vec![0.3]));
    }
}
