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
    x: Vec<f64>,
    limits: Limits,
) -> Result<Descent, LearnError> {
    let mut at = Iterates::new(x);
    let first = block.evaluate(&at.x, Want::GradientAndCurvature, &mut at.gradient);
    at.step = first_step(first.curvature, &at.gradient, block.reach());
    let mut f = first.objective;
    let mut f_y = f;
    let mut history = vec![f];
    let mut progress = Progress::new(limits.tolerance);
    let mut at_x = true; // the gradient is that of x
    let mut evaluations = 1;
    let stop = loop {
        if f == 0.0 || (at_x && largest(&at.gradient) == 0.0) {
            break Stop::Stationary;
        }
        if evaluations + 2 > limits.evaluations {
            break Stop::Limit;
        }
        if !at_x {
            mix(&mut at.y, &at.x, &at.z, at.theta);
            f_y = block.evaluate(&at.y, Want::Gradient, &mut at.gradient).objective;
            evaluations += 1;
        }
        let (f_next, tries) = at.shorten(block, f_y, limits.evaluations - evaluations)?;
        evaluations += tries;
        if f_next < f {
            std::mem::swap(&mut at.x, &mut at.trial);
            std::mem::swap(&mut at.z, &mut at.z_next);
            let before = std::mem::replace(&mut f, f_next);
            history.push(f);
            if progress.settled(before, f) {
                break Stop::Converged;
            }
            at.theta = 0.5 * at.theta * ((at.theta * at.theta + 4.0).sqrt() - at.theta);
            at.step *= 1.25;
        } else if at.theta == 1.0 {
            // A plain step from x that does not lower the objective.
            break Stop::Stationary;
        } else {
            at.theta = 1.0;
            at.z.copy_from_slice(&at.x);
        }
        at_x = false;
    };
    debug_assert!(dot(&at.x, &at.x).is_finite());
    Ok(Descent { x: at.x, history, step: at.step, stop })
}

/// The points of the method, by the letters that are usual for them.
struct Iterates {
    /// The best point so far, and the one that may follow it.
    x: Vec<f64>,
    trial: Vec<f64>,
    /// Where the gradient is taken: between x and z.
    y: Vec<f64>,
    gradient: Vec<f64>,
    /// Long steps, and the next of them.
    z: Vec<f64>,
    z_next: Vec<f64>,
    /// The share of z.
    theta: f64,
    step: f64,
}

impl Iterates {
    fn new(x: Vec<f64>) -> Self {
        let zero = vec![0.0; x.len()];
        Self {
            y: x.clone(),
            z: x.clone(),
            x,
            gradient: zero.clone(),
            trial: zero.clone(),
            z_next: zero,
            theta: 1.0,
            step: 0.0,
        }
    }

    /// Halves the step until the quadratic bound around y, where the objective is `f_y`, holds at
    /// `trial`, or `most` trials are made. Returns the objective there and the number of trials.
    fn shorten(
        &mut self,
        block: &mut dyn Block,
        f_y: f64,
        most: usize,
    ) -> Result<(f64, usize), LearnError> {
        let longest = 100.0 * block.reach() / largest(&self.gradient);
        let mut tries = 0;
        loop {
            let scaled = (self.step / self.theta).min(longest);
            for i in 0..self.x.len() {
                self.z_next[i] = self.z[i] - scaled * self.gradient[i];
            }
            block.project(&mut self.z_next)?;
            mix(&mut self.trial, &self.x, &self.z_next, self.theta);
            let (mut slope, mut length) = (0.0, 0.0);
            for i in 0..self.x.len() {
                let m = self.trial[i] - self.y[i];
                slope += self.gradient[i] * m;
                length += m * m;
            }
            let f_trial = block.evaluate(&self.trial, Want::Objective, &mut []).objective;
            tries += 1;
            let bound = f_y + slope + length / (2.0 * self.step);
            if f_trial <= bound + 1e-15 * f_y || tries >= most {
                return Ok((f_trial, tries));
            }
            self.step *= 0.5;
        }
    }
}

/// `out = (1 - theta) x + theta z`.
fn mix(out: &mut [f64], x: &[f64], z: &[f64], theta: f64) {
    for i in 0..out.len() {
        out[i] = (1.0 - theta) * x[i] + theta * z[i];
    }
}
