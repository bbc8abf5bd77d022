//! The things that a run can touch, as far as libc tells.

use flex_run::model::Cause;

/// What was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Entropy,
    ControlledEntropy,
    RandomDevice,
    ProcessId,
    WallClock,
    MonotonicClock,
    ThreadStart,
    ProcessStart,
    LockWait,
    Sleep,
    EventWait,
    Socket,
    NameLookup,
    File,
}

impl Kind {
    pub const ALL: [Kind; 14] = [
        Kind::Entropy,
        Kind::ControlledEntropy,
        Kind::RandomDevice,
        Kind::ProcessId,
        Kind::WallClock,
        Kind::MonotonicClock,
        Kind::ThreadStart,
        Kind::ProcessStart,
        Kind::LockWait,
        Kind::Sleep,
        Kind::EventWait,
        Kind::Socket,
        Kind::NameLookup,
        Kind::File,
    ];

    pub fn cause(self) -> Cause {
        match self {
            Kind::Entropy | Kind::ControlledEntropy | Kind::RandomDevice | Kind::ProcessId => {
                Cause::Randomness
            }
            Kind::WallClock | Kind::MonotonicClock => Cause::Time,
            Kind::ThreadStart | Kind::ProcessStart | Kind::LockWait => Cause::Concurrency,
            Kind::Sleep | Kind::EventWait => Cause::AsyncWait,
            Kind::Socket | Kind::NameLookup => Cause::Network,
            Kind::File => Cause::Files,
        }
    }

    /// In a few words.
    pub fn what(self) -> &'static str {
        match self {
            Kind::Entropy => "entropy of the operating system",
            Kind::ControlledEntropy => "controlled entropy",
            Kind::RandomDevice => "random device",
            Kind::ProcessId => "process id",
            Kind::WallClock => "wall clock",
            Kind::MonotonicClock => "monotonic clock",
            Kind::ThreadStart => "thread start",
            Kind::ProcessStart => "process start",
            Kind::LockWait => "lock waited for",
            Kind::Sleep => "sleep",
            Kind::EventWait => "events waited for",
            Kind::Socket => "socket",
            Kind::NameLookup => "name look-up",
            Kind::File => "file",
        }
    }

    /// Whether the seed of the run decides what comes of it.
    pub fn is_seeded(self) -> bool {
        self == Kind::ControlledEntropy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_stand_in_their_own_places() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
    }
}
