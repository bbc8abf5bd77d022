//! What a search and a comparison leave: records of the same stories, judged and compared by flex.

use flex_detect::compare::{
    Compared, ComparedTest, Revision, SeenTest, SeriesRule, Shares, TestPairs, VERSION as COMPARED,
    json,
};
use flex_detect::record::{
    CargoReplay, Given, Knob, ObservedRun, ObservedSite, ObservedTest, Outcome, Reader, Record,
    Role, RunnerReplay, Series, VERSION,
};
use flex_run::calibrate::Recorded;
use flex_run::model::Runner;

use super::story::{PACKAGE, Project, Story};
use super::write;

/// Keeps what a search saw of a test with a declared bound.
pub fn keep(project: &Project, story: &Story) {
    let runs: Vec<u32> = (0..200).collect();
    let record = story.record(&runs, 0.0);
    let bound = story.site.declared()[0].bound;
    let values: Vec<(u32, f64)> = record
        .runs()
        .map(|(run, hits)| (run.index, hits[0].extremes.greatest))
        .collect();
    let failed: Vec<u32> = values
        .iter()
        .filter(|(_, value)| *value >= bound)
        .map(|(run, _)| *run)
        .collect();
    let test = story.test();
    let observed = ObservedTest {
        package: Some(PACKAGE.to_owned()),
        is_stochastic: true,
        seeds: Some("k3J9@detect".to_owned()),
        replay: Some(RunnerReplay::Cargo(CargoReplay::default())),
        seconds_per_run: 0.011,
        runs: runs
            .iter()
            .map(|run| ObservedRun {
                index: *run,
                outcome: Outcome::of(failed.contains(run)),
                why: None,
                failed_site: failed.contains(run).then_some(0),
            })
            .collect(),
        sites: vec![ObservedSite {
            id: story.site.id.clone(),
            place: story.site.place.clone(),
            span: None,
            text: story.site.text.clone(),
            form: "assert!".to_owned(),
            within: None,
            is_hard: true,
            failed: failed.clone(),
            series: vec![Series {
                is_strict: Some(true),
                knob: Some(Knob {
                    text: bound.to_string(),
                    given: Given::Source,
                }),
                values,
                ..Series::new(Role::Upper, bound)
            }],
        }],
        ..ObservedTest::new(test.id, test.place)
    };
    let record = Record {
        version: VERSION,
        runner: Runner::Cargo,
        base: "k3J9".to_owned(),
        root: project.folder.clone(),
        rerun_marker: None,
        tests: vec![observed],
        reader: Reader::default(),
    };
    write(project.flex.join("detect.json"), &record.to_json());
}

/// Compares old code with new code that is a little worse.
pub fn compare(project: &Project, stories: &[&Story]) {
    let shares = Shares::new(0.01, stories.len());
    let compared = |story: &&Story| -> ComparedTest {
        let seen = |runs: &[u32], shift: f64| {
            let recorded = Recorded {
                hung: None,
                records: vec![story.record(runs, shift)],
                deaths: Vec::new(),
                vanished: None,
            };
            SeenTest::of_recorded(&recorded).expect("it told which test it is")
        };
        let rule = SeriesRule {
            most: 120,
            ..SeriesRule::default()
        };
        let first: Vec<u32> = (0..3).collect();
        let mut pairs = TestPairs::new(rule, &seen(&first, 0.0), &seen(&first, 0.4));
        pairs.begin(&shares);
        while let Some(wanted) = pairs.wanted() {
            let runs: Vec<u32> = wanted.collect();
            pairs.take(&seen(&runs, 0.0), &seen(&runs, 0.4), &shares);
        }
        pairs.compared()
    };
    let revision = |name: Option<&str>, commit: &str| Revision {
        name: name.map(str::to_owned),
        commit: commit.repeat(8),
    };
    let all = Compared {
        version: COMPARED,
        runner: Runner::Cargo,
        old: revision(Some("main"), "1a2b3"),
        new: revision(None, "9f8e7"),
        base: "k3J9".to_owned(),
        alpha: 0.01,
        margin: None,
        tests: stories.iter().map(compared).collect(),
        gone: Vec::new(),
        added: Vec::new(),
    };
    write(project.flex.join("compare.json"), &json(&all));
}
