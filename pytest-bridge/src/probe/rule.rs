//! Which calls of a function of C count, and what to call them.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
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

    /// On whose calls nothing depends but their number, once one of them has touched something: on those of all objects,
    /// of this one, or on none.
    pub fn only_counts(self, call: &Call<'_>) -> Option<Option<usize>> {
        match self {
            Rule::Always | Rule::Thread => Some(None),
            Rule::Draw => Some(Some(call.address())),
            _ => None,
        }
    }

    /// Whether one call says it all, so that others need only be counted.
    pub fn settles(self) -> bool {
        self != Rule::Entropy
    }

    /// Whether the function of the standard library by way of which it was called is what its caller knows.
    pub fn has_names(self) -> bool {
        matches!(self, Rule::Draw | Rule::Entropy)
    }

    /// Says by which function of the standard library it was called.
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
        self.in_place(place).is_none_or(|time| time.is_none())
    }

    /// The argument in this place of all. One that is not there is not asked for, since Python would word an error.
    fn in_place(&self, place: usize) -> Option<Bound<'_, PyAny>> {
        let arguments = self.argument.as_ref()?.cast::<PyTuple>().ok()?;
        let is_there = place < arguments.len();
        is_there.then(|| arguments.get_item(place).ok()).flatten()
    }

    /// Whether it waits for a lock that somebody has.
    pub fn would_wait(&self) -> bool {
        let keywords = self
            .keywords
            .as_ref()
            .and_then(|keywords| keywords.cast::<PyDict>().ok());
        let named = keywords.and_then(|keywords| keywords.get_item("blocking").ok().flatten());
        let blocks = self
            .in_place(0)
            .or(named)
            .is_none_or(|blocks| blocks.is_truthy().unwrap_or(true));
        blocks && self.is_held().unwrap_or(false)
    }

    /// Whether somebody has it, who for a reentrant lock is another thread.
    fn is_held(&self) -> PyResult<bool> {
        let py = self.object.py();
        let kinds = Kinds::get(py)?;
        if self.object.get_type().is(&kinds.plain) {
            // As it stands in its type: an attribute of the lock would be made anew for each call.
            return kinds.locked.bind(py).call1((&self.object,))?.is_truthy();
        }
        if !self.object.is_instance(kinds.reentrant.bind(py))? {
            return self.object.call_method0(intern!(py, "locked"))?.is_truthy();
        }
        // Before CPython 3.14 it tells nobody: whoever gets it without waiting would not have waited.
        let is_free = self
            .object
            .call_method1(intern!(py, "acquire"), (false,))?
            .is_truthy()?;
        if is_free {
            self.object.call_method0(intern!(py, "release"))?;
        }
        Ok(!is_free)
    }
}

/// The types of locks, and how plain ones tell whether somebody has them.
struct Kinds {
    plain: Py<PyAny>,
    locked: Py<PyAny>,
    reentrant: Py<PyAny>,
}

impl Kinds {
    fn get(py: Python<'_>) -> PyResult<&Self> {
        static KINDS: PyOnceLock<Kinds> = PyOnceLock::new();
        KINDS.get_or_try_init(py, || {
            let threads = py.import("_thread")?;
            let plain = threads.getattr("LockType")?;
            Ok(Kinds {
                locked: plain.getattr("locked")?.unbind(),
                plain: plain.unbind(),
                reentrant: threads.getattr("RLock")?.unbind(),
            })
        })
    }
}
