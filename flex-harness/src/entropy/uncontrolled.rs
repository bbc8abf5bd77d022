//! Probes without control: no seed decides what the operating system gives.

/// Draws nothing, so that what the kernel gave stays.
pub(crate) fn draw(_: &mut [u8]) -> bool {
    false
}
