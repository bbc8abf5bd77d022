//! The exit code of a session, from what became of its tests.

use flex_run::calibrate::CalibrationError;

use crate::exit::Exit;

/// What a test of which nothing came says about the exit code.
pub fn exit_of(error: &CalibrationError) -> Exit {
    match error {
        CalibrationError::Hung(_) => Exit::Findings,
        CalibrationError::NoTime => Exit::Refused,
        CalibrationError::Interrupted => Exit::Interrupted,
        CalibrationError::NotMade => Exit::MoreRuns,
        CalibrationError::Process(_) | CalibrationError::Test(_) | CalibrationError::NotAlone => {
            Exit::Build
        }
    }
}

/// The exit code that says most, of those that speak for themselves.
pub fn most_urgent(exits: impl IntoIterator<Item = Exit>) -> Exit {
    const ORDER: [Exit; 6] = [
        Exit::Refused,
        Exit::Findings,
        Exit::MoreRuns,
        Exit::Build,
        Exit::Interrupted,
        Exit::Usage,
    ];
    let rank = |exit: &Exit| ORDER.iter().position(|other| other == exit);
    exits.into_iter().max_by_key(rank).unwrap_or(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_most_urgent_decides() {
        assert_eq!(most_urgent([]), Exit::Fine);
        let check = |exits: &[Exit], expected| {
            assert_eq!(most_urgent(exits.iter().copied()), expected);
        };
        check(&[Exit::Fine, Exit::Refused], Exit::Refused);
        check(&[Exit::Findings, Exit::Refused, Exit::Fine], Exit::Findings);
        check(&[Exit::Build, Exit::Findings], Exit::Build);
        check(&[Exit::Build, Exit::Interrupted], Exit::Interrupted);
    }

    #[test]
    fn no_time_left_is_no_broken_build_and_a_hang_is_a_finding() {
        assert_eq!(exit_of(&CalibrationError::NoTime), Exit::Refused);
        let hung = CalibrationError::Hung(String::new());
        assert_eq!(exit_of(&hung), Exit::Findings);
    }
}
