//! Evidence over runs, thinned as it grows, for a picture.

/// The evidence after a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// The number of runs so far.
    pub run: u64,
    /// The logarithm of the e-value against the claim.
    pub broken: f64,
    /// The logarithm of the e-value for it.
    pub fine: f64,
}

/// At most this many points are kept.
const MOST: usize = 256;

/// Points at even distances; the distance doubles when there are too many.
#[derive(Debug, Clone)]
pub(super) struct Path {
    points: Vec<PathPoint>,
    every: u64,
}

impl Path {
    pub fn new() -> Self {
        Path {
            points: Vec::new(),
            every: 1,
        }
    }

    pub fn push(&mut self, point: PathPoint) {
        if !point.run.is_multiple_of(self.every) {
            return;
        }
        if self.points.len() == MOST {
            self.every *= 2;
            let every = self.every;
            self.points.retain(|point| point.run.is_multiple_of(every));
            if !point.run.is_multiple_of(every) {
                return;
            }
        }
        self.points.push(point);
    }

    pub fn points(&self) -> &[PathPoint] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_few_points_at_even_distances() {
        let mut path = Path::new();
        for run in 1..=100_000 {
            path.push(PathPoint {
                run,
                broken: run as f64,
                fine: 0.0,
            });
        }
        let runs: Vec<u64> = path.points().iter().map(|point| point.run).collect();
        assert!((MOST / 2..=MOST).contains(&runs.len()), "{}", runs.len());
        assert!(runs.windows(2).all(|pair| pair[1] - pair[0] == runs[0]));
    }
}
