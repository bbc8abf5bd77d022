//! Kinds of sources of variation, as probes find them and `flex.toml` names them.

use std::fmt;

/// A kind of source of variation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Random numbers, by a generator or from the operating system.
    Randomness,
    /// Readings of a clock.
    Time,
    /// Threads and processes that were started, and locks that were waited for.
    Concurrency,
    /// Waiting in an event loop, or for some time.
    AsyncWait,
    /// Sockets and look-ups of names.
    Network,
    /// Files outside of the package and of temporary folders.
    Files,
    /// The order of a set or of hashes: only ever suspected, until a run under other hashes tells.
    HashOrder,
}

impl Cause {
    /// All causes, in the order in which they are shown.
    pub const ALL: [Cause; 7] = [
        Cause::Randomness,
        Cause::Time,
        Cause::Concurrency,
        Cause::AsyncWait,
        Cause::Network,
        Cause::Files,
        Cause::HashOrder,
    ];

    /// Its name, for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::Randomness => "randomness",
            Cause::Time => "time",
            Cause::Concurrency => "concurrency",
            Cause::AsyncWait => "async-wait",
            Cause::Network => "network",
            Cause::Files => "files",
            Cause::HashOrder => "hash-order",
        }
    }

    /// The cause of that name.
    pub fn named(name: &str) -> Option<Self> {
        Cause::ALL.into_iter().find(|cause| cause.as_str() == name)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_known_by_their_names() {
        for cause in Cause::ALL {
            assert_eq!(Cause::named(cause.as_str()), Some(cause));
        }
        assert_eq!(Cause::named("weather"), None);
    }
}
