//! The markers that stochastic tests leave in an executable: by these they are found without running it.

use std::fs;

use flex_run::model::TestId;
use memchr::memmem;

use super::program::Program;
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
    /// Which test it is.
    pub fn id(&self) -> TestId {
        TestId::cargo(&*self.program.target, &*self.name)
    }

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

impl<'p> AsRef<FoundTest<'p>> for FoundTest<'p> {
    fn as_ref(&self) -> &FoundTest<'p> {
        self
    }
}

/// The beginning of a marker. The macros of flex-harness write it before the path, in `__identity!`.
const BEGIN: &[u8] = b"\x1eflex test 1\x1f";

/// By this, the executable is known to ask libtest which tests to run; no stable program has it otherwise.
const LIBTEST: &[u8] = b"RUST_TEST_SHUFFLE_SEED";

/// By this, the executable is known to hold flex's own `getrandom`; see `entropy` in flex-harness.
const ENTROPY: &[u8] = b"\x1eflex entropy 1\x1e";

/// The contents of an executable, as far as its bytes tell.
pub struct Scanned<'a> {
    /// Its stochastic tests.
    pub tests: Vec<FoundTest<'a>>,
    /// Whether its other tests are libtest's.
    pub has_libtest: bool,
    /// Whether the entropy of the whole process can follow a seed.
    pub controls_entropy: bool,
}

/// The stochastic tests of a program.
pub fn find(program: &Program) -> Result<Vec<FoundTest<'_>>, Failure> {
    bytes_of(program).map(|bytes| tests(program, &bytes))
}

/// Looks into the executable of a program.
pub fn scan(program: &Program) -> Result<Scanned<'_>, Failure> {
    let bytes = bytes_of(program)?;
    let holds = |text: &[u8]| memmem::find(&bytes, text).is_some();
    Ok(Scanned {
        tests: tests(program, &bytes),
        has_libtest: holds(LIBTEST),
        controls_entropy: holds(ENTROPY),
    })
}

fn bytes_of(program: &Program) -> Result<Vec<u8>, Failure> {
    let exe = &program.program.exe;
    fs::read(exe).map_err(|error| {
        Failure::build(
            format!("cannot read {}: {error}", exe.display()),
            "build the tests again",
        )
    })
}

fn tests<'p>(program: &'p Program, bytes: &[u8]) -> Vec<FoundTest<'p>> {
    let mut tests: Vec<FoundTest<'_>> = markers(bytes)
        .map(|(name, ignored)| FoundTest {
            program,
            name: name.to_owned(),
            ignored,
        })
        .collect();
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests.dedup_by(|a, b| a.name == b.name);
    tests
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
