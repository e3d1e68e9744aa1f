//! The oracle: compares with the clean cloud after every iteration. It lives here, outside every
//! method, and whatever it decides is called `oracle` in the results.

use pellucid::cloud::Point;
use pellucid::denoise::{Control, Observer, Snapshot};

/// The oracle's rule: as in the published runs.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The error before the first iteration.
    pub start: f64,
    /// It stops when the error falls by less than this.
    pub least_gain: f64,
    /// Most iterations.
    pub limit: usize,
}

/// What ends a run.
#[derive(Debug, Clone, Copy)]
pub struct StopRequest {
    /// The oracle decides; the best of its iterations counts.
    pub oracle: Option<Rule>,
    /// The run goes on until its own rule would have ended it, at most this many iterations.
    pub blind_limit: Option<usize>,
}

/// The error after an iteration, and when that was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub index: usize,
    pub mse: f64,
    /// Wall and CPU seconds of the method so far, without the time spent in here.
    pub spent: [f64; 2],
}

/// A state of the cloud that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub index: usize,
    pub mse: f64,
    pub positions: Vec<Point>,
}

/// Follows one run.
#[derive(Debug)]
pub struct Oracle {
    wanted: StopRequest,
    pub steps: Vec<Step>,
    /// The best iteration until the oracle stopped.
    pub best: Option<Kept>,
    /// Where the oracle stopped.
    pub stopped: Option<Step>,
    /// Where the method's own rule would have stopped.
    pub blind: Option<(Kept, Step)>,
}

impl Oracle {
    /// Nothing seen yet.
    pub fn new(wanted: StopRequest) -> Self {
        Oracle { wanted, steps: Vec::new(), best: None, stopped: None, blind: None }
    }

    /// Judges the state after an iteration.
    pub fn judge(
        &mut self,
        step: Step,
        would_stop: bool,
        positions: impl FnOnce() -> Vec<Point>,
    ) -> Control {
        let Step { index, mse, .. } = step;
        let better = self.best.as_ref().is_none_or(|b| mse < b.mse);
        let take_best = self.wanted.oracle.is_some() && self.stopped.is_none() && better;
        let take_blind = self.blind.is_none()
            && self.wanted.blind_limit.is_some_and(|limit| would_stop || index >= limit);
        if take_best || take_blind {
            let kept = Kept { index, mse, positions: positions() };
            if take_blind {
                self.blind = Some((kept.clone(), step));
            }
            if take_best {
                self.best = Some(kept);
            }
        }
        if let Some(rule) = self.wanted.oracle
            && self.stopped.is_none()
        {
            let before = self.steps.last().map_or(rule.start, |s| s.mse);
            // Not `gain < least`: an error that is no number also ends it.
            let gains = before - mse >= rule.least_gain;
            if !gains || index >= rule.limit {
                self.stopped = Some(step);
            }
        }
        self.steps.push(step);
        if self.decided() { Control::Stop } else { Control::Continue }
    }

    /// Whether there is nothing left to wait for; never if the method ends by its own rule.
    fn decided(&self) -> bool {
        let StopRequest { oracle, blind_limit } = self.wanted;
        (oracle.is_some() || blind_limit.is_some())
            && (oracle.is_none() || self.stopped.is_some())
            && (blind_limit.is_none() || self.blind.is_some())
    }

    /// The run ended by itself before the oracle did.
    pub fn finish(&mut self) {
        if self.stopped.is_none() {
            self.stopped = self.steps.last().copied();
        }
    }
}

/// Lends an oracle to a run.
pub struct Watch<'a> {
    pub oracle: &'a mut Oracle,
    /// The error of some positions.
    pub error: &'a (dyn Fn(&[Point]) -> f64 + Sync),
    pub clock: &'a mut super::usage::Clock,
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, snapshot: &Snapshot) -> Control {
        self.clock.pause();
        let positions = (snapshot.positions)();
        let mse = (self.error)(&positions);
        let step = Step { index: snapshot.record.index, mse, spent: self.clock.spent() };
        let control = self.oracle.judge(step, snapshot.record.would_stop, || positions);
        self.clock.resume();
        control
    }
}
