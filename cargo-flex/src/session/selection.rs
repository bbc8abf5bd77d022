//! The tests that a command line names.

use std::io::Write;

use flex_core::words::count;

use crate::cargo::FoundTest;
use crate::exit::Failure;
use crate::terminal;

/// Words that tests are selected by, and what a command calls the tests and its work on them.
pub struct TestFilter<'a> {
    pub words: &'a [String],
    /// Whether words are whole paths.
    pub exact: bool,
    pub include_ignored: bool,
    /// One test and several: "test", "tests".
    pub nouns: [&'static str; 2],
    /// The verb for the command's work on tests: "calibrates".
    pub verb: &'static str,
    /// A hint for whoever has no test at all.
    pub hint: &'static str,
}

impl TestFilter<'_> {
    /// Returns the tests of so many programs that are named, or says why there are none. A word that names nothing is
    /// probably mistyped.
    pub fn select<'p, T: AsRef<FoundTest<'p>>>(
        &self,
        mut tests: Vec<T>,
        programs: usize,
    ) -> Result<Vec<T>, Failure> {
        let all = tests.len();
        tests.retain(|test| self.names(&test.as_ref().name));
        let named = tests.len();
        let [noun, _] = self.nouns;
        for word in self.words {
            let is_named = |test: &T| self.matches(word, &test.as_ref().name);
            if named > 0 && !tests.iter().any(is_named) {
                writeln!(terminal::stderr(), "warning: `{word}` names no {noun}")?;
            }
        }
        tests.retain(|test| self.include_ignored || !test.as_ref().ignored);
        let ignored = named - tests.len();
        if tests.is_empty() {
            return Err(self.nothing(programs, all, named));
        }
        if ignored > 0 {
            let ignored = count(ignored, "ignored test is", "ignored tests are");
            let verb = self.verb;
            writeln!(
                terminal::notes(),
                "note: {ignored} left out; --include-ignored {verb} them"
            )?;
        }
        Ok(tests)
    }

    /// Whether any of these tests is named.
    pub fn names_any<'p, T: AsRef<FoundTest<'p>>>(&self, tests: &[T]) -> bool {
        tests.iter().any(|test| self.names(&test.as_ref().name))
    }

    /// Whether a test with this path is named.
    pub fn names(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| self.matches(word, name))
    }

    fn matches(&self, word: &str, name: &str) -> bool {
        if self.exact {
            name == word
        } else {
            name.contains(word)
        }
    }

    /// Why no test is left, of so many in all and so many that the words name.
    fn nothing(&self, programs: usize, all: usize, named: usize) -> Failure {
        let [noun, nouns] = self.nouns;
        if all == 0 {
            let programs = count(programs, "test program", "test programs");
            Failure::input(format!("no {noun} in {programs}"), self.hint)
        } else if named > 0 {
            let tests = count(named, &format!("{noun} is"), &format!("{nouns} are"));
            Failure::input(format!("{tests} ignored"), "add --include-ignored")
        } else {
            let (all, words) = (count(all, noun, nouns), self.words.join("` or `"));
            Failure::input(
                format!("none of {all} has a path with `{words}`"),
                "check the filter",
            )
        }
    }
}
