//! The accelerated proximal gradient that the paper leaves as future work.

use super::params::Stop;
use super::step::{Block, Descent, Limits, Progress, dot, first_step, largest};
use crate::error::LearnError;
use crate::pass::Want;

/// Accelerated steps whose points are all convex combinations of points of the set, so that none
/// leaves it: the exponential of an infeasible point may overflow. Restarts from the best point
/// when the objective rises; the step is halved until the quadratic bound holds.
pub(crate) fn accelerate(
    block: &mut dyn Block,
    mut x: Vec<f64>,
    limits: Limits,
) -> Result<Descent, LearnError> {
    let n = x.len();
    let reach = block.reach();
    let mut gradient = vec![0.0; n];
    let first = block.evaluate(&x, Want::GradientAndCurvature, &mut gradient);
    let mut step = first_step(first.curvature, &gradient, reach);
    let mut f = first.objective;
    let mut f_y = f;
    let mut history = vec![f];
    let mut progress = Progress::new(limits.tolerance);
    let (mut y, mut z, mut theta) = (x.clone(), x.clone(), 1.0_f64);
    let mut at_x = true; // the gradient is that of x
    let (mut z_next, mut trial) = (vec![0.0; n], vec![0.0; n]);
    let mut evaluations = 1;
    let stop = loop {
        if f == 0.0 || (at_x && largest(&gradient) == 0.0) {
            break Stop::Stationary;
        }
        if evaluations + 2 > limits.evaluations {
            break Stop::Limit;
        }
        if !at_x {
            for i in 0..n {
                y[i] = (1.0 - theta) * x[i] + theta * z[i];
            }
            f_y = block.evaluate(&y, Want::Gradient, &mut gradient).objective;
            evaluations += 1;
        }
        let mut f_next;
        loop {
            let scaled = (step / theta).min(100.0 * reach / largest(&gradient));
            for i in 0..n {
                z_next[i] = z[i] - scaled * gradient[i];
            }
            block.project(&mut z_next)?;
            let (mut slope, mut length) = (0.0, 0.0);
            for i in 0..n {
                trial[i] = (1.0 - theta) * x[i] + theta * z_next[i];
                let m = trial[i] - y[i];
                slope += gradient[i] * m;
                length += m * m;
            }
            f_next = block.evaluate(&trial, Want::Objective, &mut []).objective;
            evaluations += 1;
            let bound = f_y + slope + length / (2.0 * step);
            if f_next <= bound + 1e-15 * f_y || evaluations >= limits.evaluations {
                break;
            }
            step *= 0.5;
        }
        if f_next < f {
            std::mem::swap(&mut x, &mut trial);
            std::mem::swap(&mut z, &mut z_next);
            let before = std::mem::replace(&mut f, f_next);
            history.push(f);
            if progress.settled(before, f) {
                break Stop::Converged;
            }
            theta = 0.5 * theta * ((theta * theta + 4.0).sqrt() - theta);
            step *= 1.25;
        } else if theta == 1.0 {
            // A plain step from x that does not lower the objective.
            break Stop::Stationary;
        } else {
            theta = 1.0;
            z.copy_from_slice(&x);
        }
        at_x = false;
    };
    debug_assert!(dot(&x, &x).is_finite());
    Ok(Descent { x, history, step, stop })
}
