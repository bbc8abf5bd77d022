//! Functions that tests executed. A trace has each of them once; a test names them by their numbers.

use serde::{Deserialize, Serialize};

/// A function that a test executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub function: String,
    /// Its class; empty for a plain function.
    #[serde(default)]
    pub class: String,
    /// Its name with all that it is defined in, such as `cached.<locals>.wrapper`; empty where that is class and name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub qualified: String,
    /// The file that it is in; empty for a function that is written in C.
    #[serde(default)]
    pub file: String,
    /// The line where it begins; 0 where that is not known.
    #[serde(default)]
    pub line: u32,
}

/// The calls of one function by one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(usize, u64)", into = "(usize, u64)")]
pub struct Calls {
    /// The number of the function, in [`Trace::functions`](super::Trace::functions).
    pub function: usize,
    /// How often it was called; where events end once a function was seen, 1.
    pub count: u64,
}

impl Function {
    /// Whether it is written in C.
    pub fn is_c(&self) -> bool {
        self.file.is_empty()
    }

    /// Its name with its class, if it has one.
    pub fn in_class(&self) -> String {
        match self.class.as_str() {
            "" => self.function.clone(),
            class => format!("{class}.{}", self.function),
        }
    }
}

impl From<(usize, u64)> for Calls {
    fn from((function, count): (usize, u64)) -> Self {
        Calls { function, count }
    }
}

impl From<Calls> for (usize, u64) {
    fn from(calls: Calls) -> Self {
        (calls.function, calls.count)
    }
}
