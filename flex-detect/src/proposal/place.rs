//! A place in a source of either language.

use flex_core::tail::Domain;

use crate::record::{ObservedSite, RerunMarker, Role, Series};
use crate::source::{Edit, NoPlace, python, rust};
use flex_run::model::Runner;

/// A source file.
pub struct SourceFile {
    /// Its language, by who runs its tests.
    pub runner: Runner,
    /// What the project reruns tests with.
    pub marker: Option<RerunMarker>,
    /// Its text.
    pub text: String,
}

/// Where a number stands.
pub struct SourceNumber {
    found: Found,
    /// The number as it stands there.
    before: String,
    /// The name that it is bound to, if it is.
    constant: Option<String>,
}

enum Found {
    Python(python::NumberInPython),
    Rust(rust::NumberInRust),
}

impl SourceFile {
    pub fn new(runner: Runner, marker: Option<RerunMarker>, text: String) -> Self {
        SourceFile {
            runner,
            marker,
            text,
        }
    }

    /// The domain that an assertion declares.
    pub fn domain(&self, site: &ObservedSite) -> Option<Domain> {
        match self.runner {
            Runner::Cargo => rust::RustAssertion::find(&self.text, site).ok()?.domain(),
            Runner::Pytest => None,
        }
    }

    /// The assertion as it is written: margins from a constant become values.
    pub fn as_written(&self, site: &ObservedSite) -> ObservedSite {
        let mut site = site.clone();
        if self.runner == Runner::Cargo
            && site.series.iter().any(|series| series.is_margin)
            && let Ok(assertion) = rust::RustAssertion::find(&self.text, &site)
        {
            for series in site.series.iter_mut().filter(|series| series.is_margin) {
                if let Some(values) = assertion.without_margin(&self.text, series) {
                    *series = values;
                }
            }
        }
        site
    }

    /// The place of the number that a series is compared with.
    pub fn place(&self, site: &ObservedSite, series: &Series) -> Result<SourceNumber, NoPlace> {
        let knob = series
            .knob
            .as_ref()
            .ok_or_else(|| NoPlace::NoNumber("no number is written in the assertion".to_owned()))?;
        match self.runner {
            Runner::Pytest => {
                python::as_run(&self.text, site)?;
                Ok(SourceNumber {
                    found: Found::Python(python::NumberInPython::find(&self.text, knob)?),
                    before: knob.text.clone(),
                    constant: match &knob.given {
                        crate::record::Given::Constant { name, .. } => Some(name.clone()),
                        _ => None,
                    },
                })
            }
            Runner::Cargo => {
                let place =
                    rust::RustAssertion::find(&self.text, site)?.place(&self.text, series)?;
                let written = self.text[place.range()].to_owned();
                Ok(SourceNumber {
                    before: if written.is_empty() {
                        knob.text.clone()
                    } else {
                        written
                    },
                    constant: place.constant.clone(),
                    found: Found::Rust(place),
                })
            }
        }
    }
}

impl SourceNumber {
    /// Whether it is the same number in the source.
    pub fn is_same(&self, other: &SourceNumber) -> bool {
        match (&self.found, &other.found) {
            (Found::Python(a), Found::Python(b)) => a == b,
            (Found::Rust(a), Found::Rust(b)) => a == b,
            _ => false,
        }
    }

    /// The edit that writes another number, and the number as it is written.
    pub fn write(&self, number: f64) -> Option<(Edit, String)> {
        match &self.found {
            Found::Python(place) => place.write(number),
            Found::Rust(place) => place.write(number),
        }
    }

    /// Why there is no edit that writes a number.
    pub fn cannot_say(&self, number: f64) -> String {
        format!("{number} cannot be written as {}", self.before)
    }

    /// What changes.
    pub fn words(&self, written: &str, others: usize) -> String {
        let what = match &self.constant {
            Some(name) => format!("{name} = {}", self.before),
            None => self.before.clone(),
        };
        let shared = match others {
            0 => String::new(),
            1 => ", the looser of two that need it".to_owned(),
            more => format!(", the loosest of {} that need it", more + 1),
        };
        format!("{what} becomes {written}{shared}")
    }
}

/// Whether a larger number lets more pass.
pub fn larger_is_looser(role: Role) -> bool {
    match role {
        Role::Upper | Role::Absolute | Role::Relative | Role::Ulps => true,
        Role::Lower | Role::Places | Role::Decimal | Role::Significant => false,
    }
}
