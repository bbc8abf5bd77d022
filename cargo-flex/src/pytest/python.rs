//! Finding python.

use std::io;

/// Starts `python`, or `python3` where there is no `python`.
pub fn with_python<T>(start: impl Fn(&str) -> io::Result<T>) -> io::Result<T> {
    match start("python") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => start("python3"),
        started => started,
    }
}
