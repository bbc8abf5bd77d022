//! What one run of a test showed.

use flex_core::sample::Extremes;

/// What one run showed: what each known site saw, and what went wrong.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRecord {
    /// By the index of the site; `None` if it was not reached.
    pub hits: Vec<Option<Hit>>,
    /// What made the run fail without stopping it.
    pub faults: Vec<Fault>,
    /// Why the run tells nothing of the code, if it said so: then whatever else it showed does not count.
    pub inconclusive: Option<String>,
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
    /// What it drew, if it claims something of all runs.
    pub draws: Draws,
}

/// What a claim saw in one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draws {
    /// The values, or those of the first of two things; of a value with a stated law F, where it begins: F(x−).
    pub first: Vec<f64>,
    /// The values of the second thing; of a value with a stated law, where it ends: F(x).
    pub second: Vec<f64>,
}

impl Draws {
    /// Adds what a further hit drew.
    pub fn extend(&mut self, other: Draws) {
        self.first.extend(other.first);
        self.second.extend(other.second);
    }

    /// What one run showed as one number, for those who compare runs: the mean, or by how much two means differ.
    pub fn summary(&self) -> f64 {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        match self.second.is_empty() {
            true => mean(&self.first),
            false => mean(&self.first) - mean(&self.second),
        }
    }
}

/// A failure that no bound decides: lengths that differ, NaN where numbers are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The index of the site.
    pub site: usize,
    /// What is wrong.
    pub what: String,
}

impl Hit {
    /// A hit that saw this value.
    pub fn of(value: f64) -> Self {
        Hit {
            extremes: Extremes::new(value),
            broken: 0,
            message: None,
            draws: Draws::default(),
        }
    }

    /// Adds what a claim drew to what it has seen in this run, if anything.
    pub fn draw(hit: &mut Option<Hit>, draws: Draws) {
        let hit = hit.get_or_insert_with(|| Hit::of(0.0));
        hit.draws.extend(draws);
        hit.extremes = Extremes::new(hit.draws.summary());
    }
}

impl RunRecord {
    /// What a site saw, by its index.
    pub fn hit(&self, site: usize) -> Option<&Hit> {
        self.hits.get(site)?.as_ref()
    }
}
