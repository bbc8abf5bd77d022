//! Where nothing can be counted.

/// Nothing can be told of what a run touches.
pub(super) fn can_watch() -> bool {
    false
}

pub(super) fn prepare(_: &std::path::Path) {}

pub(super) fn at_start() {}
