//! The sections of docs/detect.md that are about real tests.

use std::fmt::Write;

use flex_core::bound::declared::clopper_pearson;

use super::corpus::{Mended, RUNS};
use super::cost::Cost;
use super::library::{MOST, Module};
use super::sound::Sound;
use crate::page::{Bar, Section, table};

pub fn sound(sound: &Sound) -> Section {
    let mut text = format!(
        "## Real tests without a flaw

200 deterministic tests and 50 that are random and sound, in pytest (`xtask/src/detect/sound.py`), searched under two
seeds: {} runs of {} tests.

",
        sound.runs, sound.tests
    );
    let (rows, missed) = table(&[Bar {
        what: "sound tests of which anything is told".to_owned(),
        measured: match sound.told.is_empty() {
            true => format!("0 of {}", sound.tests),
            false => sound.told.join("; "),
        },
        bar: "0".to_owned(),
        kept: sound.told.is_empty() && sound.tests == 500,
    }]);
    text += &rows;
    Section { text, missed }
}

pub fn corpus(tests: &[Mended]) -> Section {
    let mut text = format!(
        "## The corpus: searched, mended, and searched again

The tests of `tests/corpus`: `detect --tight`, `fix --apply` at a confidence of 0.9999, and {RUNS} fresh runs of each
under another seed; then the same at 0.99. A patch promises that unchanged code fails in at most 1 − confidence of its
runs. That is kept if no more failures are seen than chance allows at that rate, at a level of 1 in 1000; the bounds
themselves keep their promise in 95% of all cases. What looks like a bug is not patched.

| test | verdict | failures | at 0.9999 | failures of {RUNS} | at 0.99 | failures of {RUNS} |
|---|---|---|---|---|---|---|
"
    );
    let mut bars = Vec::new();
    for test in tests {
        let (failed, runs) = test.before;
        let name = test.test.rsplit("::").next().unwrap_or(&test.test);
        let _ = write!(
            text,
            "| {name} ({}) | {} | {failed} of {runs} |",
            test.language, test.verdict
        );
        for patch in &test.patches {
            let _ = write!(
                text,
                " {}: {} | {} |",
                patch.option, patch.number, patch.failures
            );
            let low = clopper_pearson(patch.failures as usize, RUNS, 0.998).0;
            bars.push(Bar {
                what: format!("{name} fails as promised"),
                measured: format!("{} of {RUNS}", patch.failures),
                bar: format!("≤ {:.2}%", 100.0 * patch.promised),
                kept: low <= patch.promised,
            });
        }
        if test.patches.is_empty() {
            let looks = test.look_here.as_deref();
            let words = looks.map_or("no patch".to_owned(), |looks| format!("look here: {looks}"));
            let _ = write!(text, " {words} | | | |");
        }
        text.push('\n');
    }
    text.push('\n');
    let (rows, missed) = table(&bars);
    text += &rows;
    Section { text, missed }
}

pub fn library((version, modules): &(String, Vec<Module>)) -> Section {
    let mut text = format!(
        "## scikit-learn

Tests of scikit-learn {version}, as they are installed, once the seeds that they state vary with the run, {MOST} runs at
most. Nothing of this is a bug of the library: it says how much a test rests on its seed.

"
    );
    for module in modules {
        let verdicts: Vec<String> = module
            .verdicts
            .iter()
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        let _ = writeln!(
            text,
            "### {}\n\n{} tests, {} runs. Assertions: {}.\n",
            module.name,
            module.tests,
            module.runs,
            verdicts.join(", ")
        );
        if module.findings.is_empty() {
            continue;
        }
        text += "| test | assertion | verdict | fails | values |\n|---|---|---|---|---|\n";
        for finding in &module.findings {
            let source = finding.text.replace('|', "\\|");
            let _ = writeln!(
                text,
                "| {} | line {}: `{source}` | {} | {} of {} | {} |",
                finding.test,
                finding.line,
                finding.verdict,
                finding.failures,
                finding.runs,
                finding.range
            );
        }
        text.push('\n');
    }
    let says = |test: &str, verdict: &str| {
        let mut found = modules.iter().flat_map(|module| &module.findings);
        found.any(|finding| finding.test.starts_with(test) && finding.verdict == verdict)
    };
    let bar = |test: &str, verdict: &str| Bar {
        what: test.to_owned(),
        measured: if says(test, verdict) { verdict } else { "no" }.to_owned(),
        bar: verdict.to_owned(),
        kept: says(test, verdict),
    };
    let (rows, missed) = table(&[
        bar("test_polynomial_count_sketch", "flaky"),
        bar("test_fit_gibbs", "golden"),
    ]);
    text += &rows;
    Section { text, missed }
}

pub fn cost(cost: &Cost) -> Section {
    let mut text = format!(
        "## What it costs

Processor time, in one go. Recording: a loop over an assertion within one run, with and without it. Searching: a test of
{:.1} ms, searched with {} runs and with {}, beside as many calls of its function; what is repeated to see whether
values are controlled is counted as cost.

",
        cost.bare_milliseconds, cost.runs.0, cost.runs.1
    );
    let mut bars: Vec<Bar> = cost
        .recording
        .iter()
        .map(|(form, microseconds)| Bar {
            what: format!("recording `{form}`"),
            measured: format!("{microseconds:.2} µs"),
            bar: "≤ 3 µs".to_owned(),
            kept: *microseconds <= 3.0,
        })
        .collect();
    bars.push(Bar {
        what: "a search beside its bare runs".to_owned(),
        measured: format!("{:.3}", cost.ratio),
        bar: "≤ 1.05".to_owned(),
        kept: cost.ratio <= 1.05,
    });
    let (rows, missed) = table(&bars);
    text += &rows;
    Section { text, missed }
}
