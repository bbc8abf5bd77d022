//! The things that a run can touch, as far as libc tells.

use flex_run::model::Cause;

/// What was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TouchKind {
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

impl TouchKind {
    pub const ALL: [TouchKind; 14] = [
        TouchKind::Entropy,
        TouchKind::ControlledEntropy,
        TouchKind::RandomDevice,
        TouchKind::ProcessId,
        TouchKind::WallClock,
        TouchKind::MonotonicClock,
        TouchKind::ThreadStart,
        TouchKind::ProcessStart,
        TouchKind::LockWait,
        TouchKind::Sleep,
        TouchKind::EventWait,
        TouchKind::Socket,
        TouchKind::NameLookup,
        TouchKind::File,
    ];

    pub fn cause(self) -> Cause {
        match self {
            TouchKind::Entropy
            | TouchKind::ControlledEntropy
            | TouchKind::RandomDevice
            | TouchKind::ProcessId => Cause::Randomness,
            TouchKind::WallClock | TouchKind::MonotonicClock => Cause::Time,
            TouchKind::ThreadStart | TouchKind::ProcessStart | TouchKind::LockWait => {
                Cause::Concurrency
            }
            TouchKind::Sleep | TouchKind::EventWait => Cause::AsyncWait,
            TouchKind::Socket | TouchKind::NameLookup => Cause::Network,
            TouchKind::File => Cause::Files,
        }
    }

    /// In a few words.
    pub fn what(self) -> &'static str {
        match self {
            TouchKind::Entropy => "entropy of the operating system",
            TouchKind::ControlledEntropy => "controlled entropy",
            TouchKind::RandomDevice => "random device",
            TouchKind::ProcessId => "process id",
            TouchKind::WallClock => "wall clock",
            TouchKind::MonotonicClock => "monotonic clock",
            TouchKind::ThreadStart => "thread start",
            TouchKind::ProcessStart => "process start",
            TouchKind::LockWait => "lock waited for",
            TouchKind::Sleep => "sleep",
            TouchKind::EventWait => "events waited for",
            TouchKind::Socket => "socket",
            TouchKind::NameLookup => "name look-up",
            TouchKind::File => "file",
        }
    }

    /// Whether the seed of the run decides what comes of it.
    pub fn is_seeded(self) -> bool {
        self == TouchKind::ControlledEntropy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_stand_in_their_own_places() {
        for (place, kind) in TouchKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
    }
}
