//! What was seen of one test: functions, each with a number, and how often each was called.

use std::collections::HashMap;

use flex_detect::trace::{Calls, Function};
use pyo3::prelude::*;

use super::names::{self, Files};
use super::native::{Kinds, NativeFunction};
use super::own::is_own;
use super::pointers::PointerMap;

/// Calls of one place that are looked at in a test, where looking ends at all: what a place calls can differ.
const CALLS_OF_A_SITE: u8 = 16;

/// Functions that were seen, by address, and their calls in the present test.
#[derive(Debug)]
pub struct SeenFunctions {
    files: Files,
    kinds: Kinds,
    phase: Phase,
    /// The code of the test, and how many calls of it have not returned.
    test: Option<Py<PyAny>>,
    depth: usize,
    functions: Vec<Function>,
    /// The calls of each in the present test.
    calls: Vec<u64>,
    /// Whose `functions` are the same although the objects are not, such as those of two equal modules.
    numbers: HashMap<Function, usize>,
    codes: PointerMap<usize, Known>,
    natives: PointerMap<(usize, usize), Known>,
    /// The functions of the present test.
    called: Vec<usize>,
    sites: PointerMap<(usize, u32), u8>,
    /// Every call is told, so that calls can be counted.
    counts: bool,
}

/// Objects that nobody asks for any more.
#[derive(Debug)]
pub struct Forgotten(#[expect(dead_code, reason = "is dropped by whoever may")] Vec<Known>);

/// What is done with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The test itself has not been called yet.
    Waiting,
    /// It is the test's.
    Active,
    /// The test has returned.
    Over,
    /// Nothing is traced.
    Ended,
}

/// A function that is known by an address.
#[derive(Debug)]
struct Known {
    number: usize,
    /// What the address belongs to, so that it belongs to nothing else.
    _kept: Vec<Py<PyAny>>,
    /// Made at run time, so that it is forgotten with the test.
    is_passing: bool,
}

impl SeenFunctions {
    pub fn new(py: Python<'_>, files: Files, counts: bool) -> PyResult<Self> {
        Ok(SeenFunctions {
            files,
            kinds: Kinds::new(py)?,
            phase: Phase::Ended,
            test: None,
            depth: 0,
            functions: Vec::new(),
            calls: Vec::new(),
            numbers: HashMap::new(),
            codes: PointerMap::default(),
            natives: PointerMap::default(),
            called: Vec::new(),
            sites: PointerMap::default(),
            counts,
        })
    }

    /// Begins with a test: with the first call of its code, or at once. It ends with the return of that, if one is known.
    pub fn begin(&mut self, test: Option<Bound<'_, PyAny>>, returns: bool) {
        self.phase = match test {
            Some(_) => Phase::Waiting,
            None => Phase::Active,
        };
        self.test = test.map(Bound::unbind);
        // A call of its own, which never returns, if nobody can tell when the others do.
        self.depth = usize::from(!returns);
    }

    /// Ends with a test, and returns what it executed, in the order in which it was first called.
    pub fn end(&mut self) -> (Vec<Calls>, Forgotten) {
        self.phase = Phase::Ended;
        self.sites.clear();
        let passing = |known: &Known| known.is_passing;
        let codes = self.codes.extract_if(|_, known| passing(known));
        let natives = self.natives.extract_if(|_, known| passing(known));
        let forgotten = codes.map(|(_, known)| known);
        let forgotten = forgotten.chain(natives.map(|(_, known)| known)).collect();
        let calls = &mut self.calls;
        let called = self.called.drain(..).map(|function| {
            let count = std::mem::take(&mut calls[function]);
            Calls {
                function,
                count: if self.counts { count } else { 1 },
            }
        });
        (called.collect(), Forgotten(forgotten))
    }

    /// All functions that were seen, by their numbers.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Whether no test is under way.
    pub fn has_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// Whether the test has not been called yet.
    pub fn is_waiting(&self) -> bool {
        self.phase == Phase::Waiting
    }

    /// Whether a code object is that of the test, every call and return of which must be known.
    pub fn is_test(&self, code: &Bound<'_, PyAny>) -> bool {
        let test = self.test.as_ref();
        test.is_some_and(|test| test.as_ptr() == code.as_ptr())
    }

    /// The test is called, perhaps by itself.
    pub fn enter_test(&mut self) {
        self.depth += 1;
        if self.phase == Phase::Waiting {
            self.phase = Phase::Active;
        }
    }

    /// The test has returned.
    pub fn leave_test(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 && self.phase == Phase::Active {
            self.phase = Phase::Over;
        }
    }

    /// Counts a call of a function of Python. Its first argument tells its class where its code does not.
    pub fn python(&mut self, code: &Bound<'_, PyAny>, frame: Option<&Bound<'_, PyAny>>) {
        if self.phase != Phase::Active || is_own() {
            return;
        }
        let address = code.as_ptr() as usize;
        if let Some(known) = self.codes.get(&address) {
            let number = known.number;
            return self.count(number);
        }
        let function = names::of_code(code, frame, &self.files);
        // Locks of generators are ours while probes watch.
        if function
            .file
            .split('/')
            .any(|folder| folder == "pytest_flex")
        {
            return;
        }
        // What `exec` makes has no file.
        let is_passing = function.file.starts_with('<');
        let known = Known {
            number: self.number(function),
            _kept: vec![code.clone().unbind()],
            is_passing,
        };
        self.count(known.number);
        self.codes.insert(address, known);
    }

    /// Counts a call of a function that is written in C, if it is one; `first` is its first argument, if that is known.
    pub fn native_call(&mut self, callable: &Bound<'_, PyAny>, first: Option<&Bound<'_, PyAny>>) {
        if self.phase == Phase::Active
            && !is_own()
            && let Some(callable) = self.kinds.native(callable, first)
        {
            self.native(&callable);
        }
    }

    fn native(&mut self, callable: &NativeFunction<'_>) {
        let key = callable.key();
        if let Some(known) = self.natives.get(&key) {
            let number = known.number;
            return self.count(number);
        }
        let known = Known {
            number: self.number(callable.named()),
            _kept: callable.kept(),
            is_passing: callable.is_passing(),
        };
        self.count(known.number);
        self.natives.insert(key, known);
    }

    /// Whether enough calls of a place were seen.
    pub fn site(&mut self, code: &Bound<'_, PyAny>, offset: u32) -> bool {
        let calls = self
            .sites
            .entry((code.as_ptr() as usize, offset))
            .or_default();
        *calls += 1;
        *calls >= CALLS_OF_A_SITE || self.phase != Phase::Active
    }

    fn number(&mut self, function: Function) -> usize {
        if let Some(number) = self.numbers.get(&function) {
            return *number;
        }
        let number = self.functions.len();
        self.functions.push(function.clone());
        self.calls.push(0);
        self.numbers.insert(function, number);
        number
    }

    fn count(&mut self, number: usize) {
        let calls = &mut self.calls[number];
        if *calls == 0 {
            self.called.push(number);
        }
        *calls += 1;
    }
}
