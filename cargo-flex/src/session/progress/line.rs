//! The line of one test: runs, what remains, the guard and how steady it is, the test. No number is ever cut.

use flex_core::words::about;
use flex_run::calibrate::{GuardSoFar, guards_in_words};

/// How far a test is.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub stage: Stage,
    /// Runs that are made and taken.
    pub done: u32,
    /// Further runs that processes under way have made.
    pub under_way: u32,
    /// All that are wanted, as far as is known.
    pub wanted: u32,
    /// The guards that they teach so far.
    pub guards: Vec<GuardSoFar>,
    pub seconds_left: Option<f64>,
}

/// What the runs are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    #[default]
    Runs,
    /// Some are made again, to see whether their seed decides them.
    Repeats,
}

impl Facts {
    /// The runs that are over.
    pub fn shown_done(&self) -> u32 {
        (self.done + self.under_way).min(self.wanted)
    }

    /// Seconds until the runs are made that are wanted so far, if those that are over took so many.
    pub fn left_after(&self, elapsed: f64) -> Option<f64> {
        let done = f64::from(self.shown_done());
        let more = f64::from(self.wanted) - done;
        // Nobody needs to know how long something quick takes, and of a single run nobody knows.
        let is_known = self.stage == Stage::Runs && done >= 2.0 && elapsed >= 1.0;
        is_known.then(|| elapsed / done * more)
    }

    /// All of it.
    pub fn words(&self) -> String {
        let parts = [Some(self.runs()), self.guard(), self.left()];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(", ")
    }

    /// As much of it as fits in beside the end of the label: the first parts, all of each.
    pub fn line(&self, label: &str, width: usize) -> String {
        let mut line = self.runs();
        for part in [self.left(), self.guard()].into_iter().flatten() {
            // Some of the label is to be seen.
            if line.chars().count() + part.chars().count() + 2 + LABEL <= width {
                line = format!("{line}  {part}");
            }
        }
        let room = width.saturating_sub(line.chars().count() + 2);
        match end_of(label, room) {
            Some(label) => format!("{line}  {label}"),
            None => line,
        }
    }

    fn runs(&self) -> String {
        let (done, wanted) = (self.shown_done(), self.wanted);
        match self.stage {
            Stage::Runs => format!("run {done} of {wanted}"),
            Stage::Repeats => format!("repeat {done} of {wanted}"),
        }
    }

    fn left(&self) -> Option<String> {
        let left = self.seconds_left.filter(|left| *left > 0.0)?;
        Some(format!("{} left", about(left)))
    }

    fn guard(&self) -> Option<String> {
        match self.stage {
            Stage::Runs => guards_in_words(&self.guards),
            Stage::Repeats => None,
        }
    }
}

/// Columns that a label has at least.
const LABEL: usize = 14;

/// The end of a label, which says most of a test.
fn end_of(label: &str, room: usize) -> Option<String> {
    let length = label.chars().count();
    match room {
        _ if length <= room => Some(label.to_owned()),
        0..4 => None,
        _ => Some(format!(
            "…{}",
            label.chars().skip(length + 1 - room).collect::<String>()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            done: 30,
            under_way: 7,
            wanted: 100,
            guards: vec![GuardSoFar {
                bound: 0.04123,
                moved: Some(0.031),
            }],
            seconds_left: Some(11.2),
            ..Facts::default()
        }
    }

    #[test]
    fn the_line_holds_what_fits_and_cuts_no_number() {
        let check = |width, expected: &str| {
            let line = facts().line("lib tests::moves_a_bit", width);
            assert_eq!(line, expected);
            assert!(line.chars().count() <= width);
        };
        check(
            80,
            "run 37 of 100  12 s left  guard 0.04123 ± 3.1%  lib tests::moves_a_bit",
        );
        check(
            63,
            "run 37 of 100  12 s left  guard 0.04123 ± 3.1%  …s::moves_a_bit",
        );
        check(58, "run 37 of 100  12 s left  lib tests::moves_a_bit");
        check(30, "run 37 of 100  …s::moves_a_bit");
        check(13, "run 37 of 100");
        assert_eq!(
            facts().words(),
            "run 37 of 100, guard 0.04123 ± 3.1%, 12 s left"
        );
    }

    #[test]
    fn what_is_left_follows_from_what_it_took() {
        assert_eq!(facts().left_after(37.0), Some(63.0));
        assert_eq!(facts().left_after(0.5), None);
        let begun = Facts {
            wanted: 100,
            under_way: 1,
            ..Facts::default()
        };
        assert_eq!(begun.left_after(60.0), None);
        let beyond = Facts {
            done: 120,
            ..facts()
        };
        assert_eq!(beyond.left_after(10.0), Some(0.0));
        assert_eq!(
            beyond.words(),
            "run 100 of 100, guard 0.04123 ± 3.1%, 12 s left"
        );
    }
}
