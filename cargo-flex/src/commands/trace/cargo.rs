//! `flex-harness trace` for cargo packages.

use flex_detect::trace::Trace;

use super::TraceArgs;
use crate::exit::Failure;
use crate::trace::TraceFile;

/// Runs every test once and watches it.
pub fn trace(args: &TraceArgs) -> Result<(Trace, TraceFile), Failure> {
    if args.full {
        return Err(Failure::input(
            "--full is for tests of pytest: calls of compiled code are not traced",
            "leave it out; probes say which tests can vary",
        ));
    }
    let _ = args.filter();
    todo!()
}
