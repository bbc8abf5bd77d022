//! A run that was made twice under one seed, and was not the same.

use std::fmt;

use flex_core::words::plain;
use flex_run::model::SiteKey;

use super::Made;
use super::shown::Differing;

/// A run that was made twice, and was not the same twice.
#[derive(Debug, Clone, PartialEq)]
pub struct RunConflict {
    /// The run.
    pub run: u32,
    /// The site that saw two values; `None` if the run failed only once, or told nothing only once.
    pub site: Option<SiteKey>,
    /// What it saw; `None` where it was not reached.
    pub values: (Option<f64>, Option<f64>),
    /// Where.
    pub hosts: (String, String),
    /// On which kinds of machines.
    pub platforms: (usize, usize),
}

/// What differs in a run that both made.
pub fn conflicts(
    run: u32,
    differing: Vec<Differing>,
    one: &Made,
    other: &Made,
) -> Vec<RunConflict> {
    let conflict = |(site, values)| RunConflict {
        run,
        site,
        values,
        hosts: (one.host.clone(), other.host.clone()),
        platforms: (one.platform, other.platform),
    };
    differing.into_iter().map(conflict).collect()
}

impl RunConflict {
    /// How far apart the two values are, as a share of the larger; infinite where one of them is none.
    pub fn size(&self) -> f64 {
        let (Some(ours), Some(theirs)) = self.values else {
            return f64::INFINITY;
        };
        let share = (ours - theirs).abs() / ours.abs().max(theirs.abs());
        match share.is_nan() {
            true => f64::INFINITY,
            false => share,
        }
    }
}

impl fmt::Display for RunConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, other) = (&self.hosts.0, &self.hosts.1);
        let run = self.run;
        let Some(site) = &self.site else {
            return write!(
                f,
                "run {run} ends in one way on {one} and in another on {other}"
            );
        };
        let value = |value: Option<f64>| value.map_or("nothing".to_owned(), plain);
        let (ours, theirs) = (value(self.values.0), value(self.values.1));
        let label = site.id.label();
        write!(
            f,
            "run {run}, `{label}`: {ours} on {one}, {theirs} on {other}"
        )
    }
}
