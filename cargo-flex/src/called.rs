//! The name by which this program was called, for hints that can be pasted: `cargo flex` or `flex-harness`.

use std::sync::OnceLock;

static CALLED: OnceLock<&'static str> = OnceLock::new();

/// The program was called by this name. Who comes second is not heard.
pub fn by(name: &'static str) {
    let _ = CALLED.set(name);
}

/// Returns the name by which the program was called.
pub fn name() -> &'static str {
    CALLED.get().copied().unwrap_or("flex-harness")
}
