//! Makes a folder for `flex-harness report` to look at: a package whose tests were calibrated, enforced, searched and compared
//! by the machines that do so for real, on values that are drawn here. Nothing is compiled, so that a thousand tests take
//! seconds.
//!
//! `report-project FOLDER` makes a small one that shows everything, and `report-project FOLDER TESTS RUNS` a large one.

mod searched;
mod story;
mod values;

use std::fs;
use std::path::{Path, PathBuf};

use flex_core::tail::Tail;
use flex_run::model::Limit;
use story::{Project, Story};
use values::Law;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let project = |folder: &str| Project::new(Path::new(folder));
    match &words[..] {
        [folder] => demo(&project(folder)),
        [folder, tests, runs] => {
            let number = |text: &String| text.parse().expect("a number");
            large(&project(folder), number(tests), number(runs));
        }
        _ => panic!("report-project FOLDER [TESTS RUNS]"),
    }
}

/// Tests of one site each.
fn large(project: &Project, tests: u32, runs: u32) {
    let laws = [Law::Gamma, Law::Normal, Law::Beta];
    let mut stories = Vec::new();
    for index in 0..tests {
        let name = format!("module_{}::tests::value_{index}_stays_small", index % 40);
        let law = laws[index as usize % laws.len()];
        let story = Story::new(&name, "relative_error < _", law, u64::from(index));
        stories.push(project.calibrated(&story, runs, 0.0));
    }
    project.save(stories);
}

/// One test for each thing that the page shows.
fn demo(project: &Project) {
    project.commit("first");
    let error = Story::new(
        "sketch::relative_error_is_small",
        "relative_error < _",
        Law::Gamma,
        1,
    );
    let recall = Story::new("search::recall_is_high", "recall > _", Law::Beta, 2);
    let mean = Story::new("rng::mean_stays_near_zero", "_ < mean < _", Law::Normal, 3);
    let merged = Story::new(
        "sketch::merging_keeps_the_error",
        "merged_error < _",
        Law::Gamma,
        4,
    );
    let lag = Story::new(
        "sampler::chain_mixes",
        "autocorrelation < _",
        Law::Normal,
        5,
    );
    let broken = Story::new(
        "solver::residual_is_finite",
        "residual < _",
        Law::NotANumber,
        6,
    );
    let count = Story::new("hash::collisions_are_few", "collisions < _", Law::Counts, 7);
    let hostile = Story::new(
        "names::</script><img src=x onerror=alert(1)>",
        "\u{202e}\"'><b>&amp; < _",
        Law::Gamma,
        8,
    );
    let declared = Story::declared("kmeans::inertia_is_low", "inertia < 13.2", 13.2, 9);
    let near = Limit::Near {
        of: 0.0,
        within: 0.004,
    };
    let (noise, bias) = ("mean(noise) = 0 ± 0.004", "mean(drift) < _");
    let claimed = Story::claimed("noise::noise_has_no_bias", noise, near, 10);
    let stays = Limit::Learned(Tail::Upper);
    let held = Story::claimed("noise::drift_stays", bias, stays, 11);
    let learned = [
        &error, &recall, &mean, &merged, &lag, &broken, &count, &hostile, &declared, &claimed,
        &held,
    ];
    let runs = |story: &Story| if story.name == merged.name { 60 } else { 300 };
    let stories = learned.map(|story| project.calibrated(story, runs(story), 0.0));
    project.save(stories.into());
    for commit in ["second", "third"] {
        for story in learned {
            for run in 0..8 {
                project.enforced(story, &format!("{commit}{run}"), 0.0);
            }
        }
        project.commit(commit);
    }
    for run in 0..6 {
        for story in [&error, &recall, &mean, &count] {
            project.enforced(story, &format!("last{run}"), 0.0);
        }
    }
    // The error grows, and a race says so; the chain mixes worse, and its new bound waits.
    project.enforced(&error, "red", 2.0);
    project.save(vec![project.calibrated(&lag, 300, 1.2)]);
    let python = project.of_pytest();
    let drawn = "test_sampler.py::test_the_chain_mixes";
    let drawn = Story::of_pytest(drawn, "autocorrelation < learned()", Law::Normal, 12);
    let fixed = "test_checksum.py::test_the_checksum_stays";
    let fixed = Story::of_pytest(fixed, "checksum < learned()", Law::Constant, 13);
    write(python.folder.join("flex-bounds.toml"), "");
    python.save(
        [&drawn, &fixed]
            .map(|story| python.calibrated(story, 60, 0.0))
            .into(),
    );
    python.enforced(&drawn, "green", 0.0);
    searched::keep(project, &declared);
    searched::compare(project, &[&error, &recall]);
}

/// Writes a file of the project.
fn write(path: PathBuf, text: &str) {
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder).expect("the folder can be written");
    fs::write(path, text).expect("the folder can be written");
}
