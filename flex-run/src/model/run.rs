//! What one run of a test showed.

use flex_core::sample::Extremes;

/// What one run showed: what each known site saw, and what went wrong.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRecord {
    /// By the index of the site; `None` if it was not reached.
    pub hits: Vec<Option<Hit>>,
    /// What made the run fail without stopping it.
    pub faults: Vec<Fault>,
}

/// What a site saw in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The most extreme of all values.
    pub extremes: Extremes,
    /// How often the declared bound was broken.
    pub broken: u32,
    /// The message of the assertion at the last value that was more extreme than all before.
    pub message: Option<String>,
}

/// A failure that no bound decides: lengths that differ, NaN where numbers are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The index of the site.
    pub site: usize,
    /// What is wrong.
    pub what: String,
}

impl RunRecord {
    /// What a site saw, by its index.
    pub fn hit(&self, site: usize) -> Option<&Hit> {
        self.hits.get(site)?.as_ref()
    }
}
