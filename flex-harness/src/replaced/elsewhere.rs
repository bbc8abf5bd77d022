//! Where no function of libc is replaced: without the feature, and elsewhere than on Linux.

use std::convert::Infallible;
use std::path::Path;

use flex_run::model::{FirstStack, Probe};

/// Says why not.
pub(crate) fn check() -> Result<(), String> {
    #[cfg(feature = "entropy")]
    let why = "`entropy = controlled` works on Linux only, and not under Miri; put `#[cfg(target_os = \"linux\")]` on the test, or seed what it calls from its `TestRng` and leave the option out";
    #[cfg(not(feature = "entropy"))]
    let why = crate::entropy::NEEDS_FEATURE;
    Err(why.to_owned())
}

/// What runs touch: nobody can tell.
#[derive(Debug)]
pub(crate) struct Watch(Infallible);

impl Watch {
    pub fn begin(_: &Path) -> Option<Self> {
        None
    }

    pub fn during<T>(&self, _: impl FnOnce() -> T) -> T {
        match self.0 {}
    }

    pub fn seen(&self) -> (Probe, Vec<FirstStack>) {
        match self.0 {}
    }
}
