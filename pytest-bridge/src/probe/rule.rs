//! Which calls of a function of C count, and what to call them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A call of a function of C, while it lasts.
#[derive(Debug)]
pub struct Call<'py> {
    /// What it is a method of, or its module.
    pub object: Bound<'py, PyAny>,
    /// Its argument, or the tuple of all of them, by how it is called.
    pub argument: Option<Bound<'py, PyAny>>,
    pub keywords: Option<Bound<'py, PyAny>>,
}

/// Which calls count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Rule {
    /// All of them.
    Always,
    /// Those without a time to convert.
    Now,
    /// The same, after a format.
    NowFormatted,
    /// All of them: numbers from a generator of `random`.
    Draw,
    /// None, but it is noted which generator was seeded.
    Seed,
    /// All of them: random bytes of the operating system.
    Entropy,
    /// All of them: a thread is started, and what threads do counts from then on.
    Thread,
    /// Those that wait for a lock, and those for the lock of a generator.
    Lock,
}

const NAMES: [(&str, Rule); 8] = [
    ("always", Rule::Always),
    ("now", Rule::Now),
    ("now-formatted", Rule::NowFormatted),
    ("draw", Rule::Draw),
    ("seed", Rule::Seed),
    ("entropy", Rule::Entropy),
    ("thread", Rule::Thread),
    ("lock", Rule::Lock),
];

impl Rule {
    pub fn named(name: &str) -> PyResult<Self> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        let wrong = || PyValueError::new_err(format!("`{name}` is not a rule"));
        found.map(|(_, rule)| *rule).ok_or_else(wrong)
    }

    /// The rule that `rule as u8` is the number of.
    pub fn numbered(number: u8) -> Self {
        let found = NAMES.iter().find(|(_, rule)| *rule as u8 == number);
        found.map_or(Rule::Always, |(_, rule)| *rule)
    }

    /// Whether a call counts, as far as its arguments say.
    pub fn counts(self, call: &Call<'_>) -> bool {
        match self {
            Rule::Now => call.has_no_time(0),
            Rule::NowFormatted => call.has_no_time(1),
            _ => true,
        }
    }

    /// Whether one call says it all, so that others need only be counted.
    pub fn settles(self) -> bool {
        self != Rule::Entropy
    }

    /// Says by which function of the standard library it was called, where that is what its caller knows.
    pub fn name(self, what: &mut String, through: &[(String, String)]) {
        let is_known = |module: &str| match self {
            Rule::Draw => module == "random",
            Rule::Entropy => matches!(module, "uuid" | "secrets" | "random"),
            _ => false,
        };
        let outermost = through.iter().rfind(|(module, _)| is_known(module));
        match outermost {
            Some((module, _)) if self == Rule::Entropy && module == "random" => {
                *what = "random.SystemRandom".to_owned();
            }
            Some((module, function)) => *what = format!("{module}.{function}()"),
            None => {}
        }
    }
}

impl Call<'_> {
    /// Where its object is.
    pub fn address(&self) -> usize {
        self.object.as_ptr() as usize
    }

    /// Whether it has an argument that says something.
    pub fn has_argument(&self) -> bool {
        self.argument
            .as_ref()
            .is_some_and(|argument| !argument.is_none())
    }

    /// Whether there is no time in this place of its arguments.
    fn has_no_time(&self, place: usize) -> bool {
        let arguments = self
            .argument
            .as_ref()
            .and_then(|argument| argument.cast::<PyTuple>().ok());
        let time = arguments.and_then(|arguments| arguments.get_item(place).ok());
        time.is_none_or(|time| time.is_none())
    }

    /// Whether it waits for a lock that somebody has.
    pub fn would_wait(&self) -> bool {
        let arguments = self
            .argument
            .as_ref()
            .and_then(|argument| argument.cast::<PyTuple>().ok());
        let first = arguments.and_then(|arguments| arguments.get_item(0).ok());
        let keywords = self
            .keywords
            .as_ref()
            .and_then(|keywords| keywords.cast::<PyDict>().ok());
        let named = keywords.and_then(|keywords| keywords.get_item("blocking").ok().flatten());
        let blocks = first
            .or(named)
            .is_none_or(|blocks| blocks.is_truthy().unwrap_or(true));
        let is_locked = || {
            self.object
                .call_method0("locked")
                .and_then(|locked| locked.is_truthy())
        };
        blocks && is_locked().unwrap_or(false)
    }
}
