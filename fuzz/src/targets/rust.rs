//! Rust sources, and what is changed in them.

use flex_detect::record::{Given, Knob, ObservedSite, ObservedTest};
use flex_detect::source::rust;
use flex_run::model::{Place, Runner, TestId};

use super::scenario::{FILE, changes, last_number, site, with_runs};

/// A patched source is still Rust, and only the lines of its assertions and attributes are others.
pub fn rust_source(bytes: &[u8]) {
    let Some((choice, source)) = bytes.split_first() else {
        return;
    };
    let Ok(source) = str::from_utf8(source) else {
        return;
    };
    let is_rust = rust::parses(source).is_ok();
    for change in changes(Runner::Cargo, *choice, source, tests(source)) {
        assert!(is_rust, "what is no Rust was changed:\n{source}");
        if let Err(why) = rust::parses(&change.after) {
            panic!("{why}\n{source}\n=>\n{}", change.after);
        }
    }
}

/// The tests of a source: functions from their attribute to the next one.
fn tests(source: &str) -> Vec<ObservedTest> {
    let mut tests: Vec<(ObservedTest, Vec<ObservedSite>)> = Vec::new();
    for (number, line) in (1..).zip(source.split('\n')) {
        let name = line
            .split_once("fn ")
            .and_then(|(_, rest)| rest.split('(').next());
        if let Some(name) = name.filter(|_| tests.len() < 4) {
            let mut test = ObservedTest::new(TestId::cargo("lib", name), Place::new(FILE, number));
            test.is_stochastic = true;
            tests.push((test, Vec::new()));
        }
        let Some((_, sites)) = tests.last_mut() else {
            continue;
        };
        if let Some(found) =
            last_number(line).filter(|_| line.contains("assert") && sites.len() < 4)
        {
            let knob = Knob {
                text: found.text.to_owned(),
                given: Given::Source,
            };
            let is_negative = line[..found.column].trim_end().ends_with('-');
            let bound = if is_negative {
                -found.value
            } else {
                found.value
            };
            sites.push(site((number, line), bound, knob));
        }
    }
    let tests = tests.into_iter();
    tests.map(|(test, sites)| with_runs(test, sites)).collect()
}
