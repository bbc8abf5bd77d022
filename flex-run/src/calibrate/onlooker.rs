//! Whoever wants to know how far runs are while they are made. Nothing depends on it.

use std::fmt;
use std::path::Path;

use super::so_far::SoFar;

/// Looks at runs while they are made, and decides nothing.
pub trait Onlooker: Sync {
    /// So many runs are wanted in all, those in front of the first among them; `known` is what was learned so far.
    fn wants(&self, _runs: u32, _known: Option<&dyn Fn() -> SoFar>) {}

    /// So many runs are made again, to see whether their seed decides what they show.
    fn repeats(&self, _runs: u32) {}

    /// A process begins, which writes down here what its runs show.
    fn begins(&self, _record: &Path) {}

    /// Processes are under way. This is asked again and again, and is to be quick.
    fn look(&self) {}

    /// A process has ended; its record is still there.
    fn ends(&self, _record: &Path) {}

    /// What processes recorded that ended has been taken: so many runs are done.
    fn taken(&self, _done: u32) {}
}

/// Nobody looks.
#[derive(Debug)]
pub struct Nobody;

impl Onlooker for Nobody {}

impl fmt::Debug for dyn Onlooker + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Onlooker")
    }
}
