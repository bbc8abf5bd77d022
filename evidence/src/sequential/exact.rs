//! The exact probability that yes and no ever refute a claim that holds, counted path by path.

use flex_core::sequential::{Claim, Levels, Observation, Process};

/// What a run shows for a yes and for a no.
#[derive(Clone, Copy)]
pub struct YesAndNo {
    pub yes: [f64; 2],
    pub no: [f64; 2],
    /// Whether runs show pairs.
    pub pairs: bool,
}

impl YesAndNo {
    /// 1 and 0.
    pub const RATE: YesAndNo = YesAndNo {
        yes: [1.0, 0.0],
        no: [0.0, 0.0],
        pairs: false,
    };

    fn push(self, process: &mut Process, shown: &[f64; 2]) {
        let run = match self.pairs {
            true => Observation::pair(&shown[0], &shown[1]),
            false => Observation::one(&shown[0]),
        };
        process.push(run).expect("these are outcomes of the claim");
    }
}

/// The probability that the evidence ever reaches each level within `runs` runs that say yes with probability `p`. The
/// evidence of the claim must depend on the numbers of yes and no alone.
pub fn alarm<const N: usize>(
    claim: &Claim,
    outcomes: YesAndNo,
    p: f64,
    levels: [f64; N],
    runs: usize,
) -> [f64; N] {
    let evidence: Vec<Vec<f64>> = (0..=runs)
        .map(|yes| with_yes(claim, outcomes, yes, runs))
        .collect();
    levels.map(|level| {
        // The probability to be at so many yes without an alarm so far.
        let mut at = vec![0.0; runs + 2];
        at[0] = 1.0;
        let mut alarms = 0.0;
        for run in 1..=runs {
            for yes in (0..=run).rev() {
                let from_below = if yes > 0 { at[yes - 1] * p } else { 0.0 };
                at[yes] = at[yes] * (1.0 - p) + from_below;
                if evidence[yes][run - yes] >= -level.ln() {
                    alarms += at[yes];
                    at[yes] = 0.0;
                }
            }
        }
        alarms
    })
}

/// The evidence after so many yes, by the number of no.
fn with_yes(claim: &Claim, outcomes: YesAndNo, yes: usize, runs: usize) -> Vec<f64> {
    let mut process = Process::new(claim, Levels::new(1e-4)).expect("the claim can be decided");
    for _ in 0..yes {
        outcomes.push(&mut process, &outcomes.yes);
    }
    let mut evidence = vec![process.evidence().broken];
    for _ in yes..runs {
        outcomes.push(&mut process, &outcomes.no);
        evidence.push(process.evidence().broken);
    }
    evidence
}
