//! What tests touch and execute, as traces on disk: `trace` writes them; `trace learn`, `plan campaign` and the order of a
//! search read them.

mod file;
mod project;

pub use file::TraceFile;
pub use project::TracedProject;

use std::path::{Path, PathBuf};

use crate::cargo::Program;
use crate::record;

/// The trace file of a cargo workspace, beside its record.
pub fn file_of<'a>(programs: impl IntoIterator<Item = &'a Program>, root: &Path) -> PathBuf {
    record::file_of(programs, root).with_file_name("trace.json")
}

/// A name in so many columns: of one that is too long, its end.
pub fn fitted(name: &str, columns: usize) -> String {
    let letters = name.chars().count();
    match letters > columns {
        true => {
            let end = name.chars().skip(letters + 1 - columns);
            std::iter::once('…').chain(end).collect()
        }
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn the_end_of_a_long_name_is_shown() {
        assert_eq!(fitted("tests/a.py::test_é", 9), "…::test_é");
        assert_eq!(fitted("short", 5), "short");
    }
}
