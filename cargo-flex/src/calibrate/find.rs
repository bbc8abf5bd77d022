//! Finds stochastic tests in an executable without running it: each leaves a marker in it.

use std::fs;

use memchr::memmem;

use super::cargo::Program;
use crate::exit::Failure;

/// A stochastic test in a program.
#[derive(Clone)]
pub struct FoundTest<'a> {
    /// The program.
    pub program: &'a Program,
    /// The test's path without the crate.
    pub name: String,
    /// Whether it is ignored.
    pub ignored: bool,
}

impl FoundTest<'_> {
    /// The test, for people.
    pub fn label(&self) -> String {
        format!(
            "{} {} {}",
            self.program.package, self.program.target, self.name
        )
    }

    /// Packages by name, then targets, then tests.
    pub fn sort_key(&self) -> (&str, &str, &str) {
        (&self.program.package, &self.program.target, &self.name)
    }
}

/// What a marker begins with. The macros of flex-harness write it before the path, in `__identity!`.
const BEGIN: &[u8] = b"\x1eflex test 1\x1f";

/// The stochastic tests of a program.
pub fn find(program: &Program) -> Result<Vec<FoundTest<'_>>, Failure> {
    let exe = &program.program.exe;
    let bytes = fs::read(exe).map_err(|error| Failure::Build {
        error: format!("cannot read {}: {error}", exe.display()),
        hint: "build the tests again".to_owned(),
    })?;
    let mut tests: Vec<FoundTest<'_>> = markers(&bytes)
        .map(|(name, ignored)| FoundTest {
            program,
            name: name.to_owned(),
            ignored,
        })
        .collect();
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests.dedup_by(|a, b| a.name == b.name);
    Ok(tests)
}

/// The tests that the markers name, and whether they are ignored.
fn markers(bytes: &[u8]) -> impl Iterator<Item = (&str, bool)> {
    memmem::find_iter(bytes, BEGIN).filter_map(|at| {
        let rest = &bytes[at + BEGIN.len()..];
        let end = memchr::memchr(b'\x1e', rest)?;
        let (path, ignored) = str::from_utf8(&rest[..end]).ok()?.split_once('\x1f')?;
        let (_, name) = path.split_once("::")?;
        Some((name, ignored.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_found_between_other_bytes() {
        let bytes = [
            b"\xff\x00\x1eflex test 1\x1fsketch::tests::small\x1ffalse\x1e",
            b"rubbish\x1eflex test 1\x1fbroken".as_slice(),
            b"\x1eflex test 1\x1fsketch::large\x1ftrue\x1e\x00",
        ]
        .concat();
        let found: Vec<_> = markers(&bytes).collect();
        assert_eq!(found, [("tests::small", false), ("large", true)]);
    }
}
