//! What a run touched that can differ from run to run.
//!
//! A probe watches the few places by which variation enters a test: generators, clocks, threads, sockets, files. Calls
//! are not traced. What it proves is an absence: a run that touched nothing has nothing that could differ.

use std::fmt;

use flex_bounds::Cause;

use super::Place;

/// One way in which a run touched a source of variation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The kind of source.
    pub cause: Cause,
    /// What was done, in a few words: `thread start`, `numpy.random.default_rng()`, `wall clock`.
    pub what: String,
    /// Whether the seed of the run decides what came of it.
    pub seeded: bool,
    /// How often.
    pub count: u64,
    /// Where it happened first: the nearest line of the project's own sources, where that is known.
    pub place: Option<Place>,
}

impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.place {
            Some(place) => write!(f, " at {place}"),
            None => Ok(()),
        }
    }
}

/// Where a run first touched something, as addresses in its program: for whoever has that and knows the lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstStack {
    /// What was touched, as its [`Touch`] says it.
    pub what: String,
    /// The calls, the innermost first, as addresses in the file of the program.
    pub frames: Vec<u64>,
}

/// What the runs of a test touched, by cause and in the order in which it happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    touches: Vec<Touch>,
}

/// Whether runs of a test can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variability {
    /// Nothing was touched that could differ: once more, under other hashes, is enough.
    Fixed,
    /// Only what the seed decides was touched.
    Controlled,
    /// Something was touched that no seed decides.
    CanVary,
}

impl Variability {
    /// Its name, for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Variability::Fixed => "fixed",
            Variability::Controlled => "controlled",
            Variability::CanVary => "can vary",
        }
    }
}

impl Probe {
    /// Adds what was touched; the same thing done again is counted, and keeps its first place.
    pub fn add(&mut self, touch: Touch) {
        let is_same = |known: &&mut Touch| {
            (known.cause, known.seeded, &known.what) == (touch.cause, touch.seeded, &touch.what)
        };
        match self.touches.iter_mut().find(is_same) {
            Some(known) => known.count += touch.count,
            None => {
                let after = self.touches.partition_point(|t| t.cause <= touch.cause);
                self.touches.insert(after, touch);
            }
        }
    }

    /// Adds what another run touched.
    pub fn absorb(&mut self, other: &Probe) {
        other
            .touches
            .iter()
            .cloned()
            .for_each(|touch| self.add(touch));
    }

    /// What was touched.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Whether runs can differ, by what was touched.
    pub fn variability(&self) -> Variability {
        match &self.touches[..] {
            [] => Variability::Fixed,
            touches if touches.iter().all(|touch| touch.seeded) => Variability::Controlled,
            _ => Variability::CanVary,
        }
    }
}

impl FromIterator<Touch> for Probe {
    fn from_iter<T: IntoIterator<Item = Touch>>(touches: T) -> Self {
        let mut probe = Probe::default();
        touches.into_iter().for_each(|touch| probe.add(touch));
        probe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(cause: Cause, what: &str, seeded: bool, line: u32) -> Touch {
        Touch {
            cause,
            what: what.to_owned(),
            seeded,
            count: 1,
            place: Some(Place::new("a.py", line)),
        }
    }

    #[test]
    fn what_is_done_again_is_counted_at_its_first_place() {
        let clock = |line| touch(Cause::Time, "wall clock", false, line);
        let draw = touch(Cause::Randomness, "random.random()", true, 2);
        let mut probe: Probe = [clock(7), draw.clone(), clock(9)].into_iter().collect();
        assert_eq!(
            probe.touches(),
            [
                draw,
                Touch {
                    count: 2,
                    ..clock(7)
                }
            ]
        );
        probe.absorb(&[clock(1)].into_iter().collect());
        assert_eq!(probe.touches()[1].count, 3);
        assert_eq!(probe.touches()[1].to_string(), "wall clock at a.py:7");
    }

    #[test]
    fn what_the_seed_decides_is_controlled() {
        let check = |touches: &[Touch], expected| {
            let probe: Probe = touches.iter().cloned().collect();
            assert_eq!(probe.variability(), expected);
        };
        let (seeded, clock) = (
            touch(Cause::Randomness, "draw", true, 1),
            touch(Cause::Time, "clock", false, 1),
        );
        check(&[], Variability::Fixed);
        check(std::slice::from_ref(&seeded), Variability::Controlled);
        check(&[seeded, clock], Variability::CanVary);
    }
}
