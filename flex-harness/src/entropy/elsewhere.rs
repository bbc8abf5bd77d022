//! Where entropy cannot be controlled.

use std::convert::Infallible;

/// Says why not.
pub(crate) fn check() -> Result<(), String> {
    if cfg!(feature = "entropy") {
        Err(
            "`entropy = controlled` works on Linux only, and not under Miri; put `#[cfg(target_os = \"linux\")]` on the test, or seed what it calls from its `TestRng` and leave the option out"
                .to_owned(),
        )
    } else {
        Err("`entropy = controlled` needs the feature `entropy` of flex-harness".to_owned())
    }
}

/// The entropy of a run: there is none.
#[derive(Debug)]
pub(crate) struct Entropy(Infallible);

impl Entropy {
    pub fn of_run(_: [u8; 32]) -> Option<Self> {
        None
    }

    pub fn split(&self) -> Self {
        match self.0 {}
    }

    pub fn drawn(&self) -> bool {
        match self.0 {}
    }

    pub fn during<T>(&self, _: impl FnOnce() -> T) -> T {
        match self.0 {}
    }
}
