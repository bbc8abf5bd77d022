//! One test: what is known of it as a whole, and its sites.

use flex_bounds::file::Key;
use flex_detect::verdict::{Diagnosis, JudgedTest};
use flex_run::model::{TestId, Variability};
use flex_run::project::commands::Commands;

use super::SuiteFacts;
use super::known::{Known, replay_of};
use super::{compared, declared, history, learned, observed};
use crate::model::{Last, Site, Test};

/// Puts together what is known of a test.
pub fn build_test(
    id: &TestId,
    known: &Known<'_>,
    facts: &SuiteFacts,
    commits: &[(u64, String)],
) -> Test {
    let mut sites: Vec<Site> = Vec::new();
    let mut keys: Vec<&Key> = known.entries.iter().map(|entry| &entry.key).collect();
    keys.extend(known.pending.iter().map(|entry| &entry.key));
    keys.sort();
    keys.dedup();
    sites.extend(keys.iter().map(|key| learned::site(key, known, facts)));
    declared::sites(known, &mut sites);
    observed::sites(known, facts, &mut sites);
    for site in &mut sites {
        history::add(site, &known.verdicts, commits);
        super::claim::add(site, known);
        compared::add(site, known);
    }
    compared::outcome(known, &mut sites);
    let calibration = known.calibration();
    let last = known.verdicts.last();
    let place = place_of(known);
    let selection = selection_of(known);
    let commands = |selection| Commands {
        runner: id.runner(),
        selection,
    };
    Test {
        name: id.name().to_owned(),
        target: id.target().map(str::to_owned),
        file: place.0,
        line: place.1,
        variability: variability(known),
        touches: touches(known),
        seconds_per_run: calibration
            .map(|one| one.seconds_per_run.0)
            .or(known.observed.map(|(test, _)| test.seconds_per_run)),
        extra_runs: calibration.map(|one| one.extra_runs.0),
        false_alarm_rate: known
            .entries
            .iter()
            .filter(|entry| !entry.unenforced && entry.key.variant == facts.variant)
            .map(|entry| entry.confidence.false_alarm_rate())
            .fold(0.0, |sum, rate| sum + rate),
        last: last.map(|line| Last {
            verdict: line.verdict.clone(),
            at: line.about.at,
            replay: line.replay.clone(),
        }),
        calibrate: selection.map(|selection| {
            let commands = commands(selection);
            let with_flex = commands.cargo_flex_calibrate();
            with_flex.unwrap_or_else(|| commands.calibrate())
        }),
        replay: calibration.map(|one| replay_of(one, id.runner())),
        failures: calibration.map_or_else(Vec::new, |one| one.failures.clone()),
        notes: known
            .observed
            .map_or_else(Vec::new, |(test, _)| test.notes.clone()),
        sites,
    }
}

fn selection_of<'a>(known: &Known<'a>) -> Option<&'a str> {
    let of_calibration = known.calibration().map(|one| one.about.selection.as_str());
    let of_verdict = || {
        known
            .verdicts
            .last()
            .map(|line| line.about.selection.as_str())
    };
    of_calibration
        .or_else(of_verdict)
        .filter(|selection| !selection.is_empty())
}

fn place_of(known: &Known<'_>) -> (String, u32) {
    let about = known.verdicts.last().map(|line| &line.about);
    let about = about.or(known.calibration().map(|one| &one.about));
    let of_run = about.map(|about| (about.file.clone(), about.line));
    let observed = known.observed.map(|(test, _)| &test.place);
    let compared = known.compared.map(|test| &test.place);
    let of_record = observed.or(compared);
    of_run
        .or_else(|| of_record.map(|place| (place.file.clone(), place.line)))
        .unwrap_or_default()
}

/// Whether runs of a test can differ, as far as anybody knows.
fn variability(known: &Known<'_>) -> &'static str {
    let calibration = known.calibration();
    let observed = known.observed;
    let is_uncontrolled = |judged: &JudgedTest| {
        let mut findings = judged.findings.iter();
        findings.any(|finding| matches!(finding.verdict, Diagnosis::Uncontrolled(_)))
    };
    let probe = observed.and_then(|(test, _)| test.probe.as_ref());
    let compared = known.compared.and_then(|test| test.uncontrolled.as_ref());
    if calibration.is_some_and(|one| one.uncontrolled)
        || observed.is_some_and(|(_, judged)| is_uncontrolled(judged))
        || compared.is_some()
    {
        return "uncontrolled";
    }
    if calibration.is_some_and(|one| one.saved > 0 || one.deterministic)
        || probe.is_some_and(|probe| probe.variability() == Variability::Fixed)
    {
        return "fixed";
    }
    let is_replayed = known.entries.iter().any(|entry| entry.replay.is_some());
    let is_seeded =
        observed.is_some_and(|(test, _)| test.replay.is_some() && test.unseeded.is_empty());
    match is_replayed || calibration.is_some() || is_seeded {
        true => "controlled",
        false => "unknown",
    }
}

fn touches(known: &Known<'_>) -> Vec<String> {
    let Some((test, _)) = known.observed else {
        return Vec::new();
    };
    let touches = test.probe.iter().flat_map(|probe| probe.touches());
    let mut words: Vec<String> = touches.map(ToString::to_string).collect();
    words.extend(test.unseeded.iter().cloned());
    words.dedup();
    words.truncate(12);
    words
}
