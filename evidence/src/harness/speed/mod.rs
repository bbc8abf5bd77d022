//! The cost of flex beside that of the test itself, measured in one run: everything is a difference or a ratio.

mod trivial_tests;

use std::fmt::Write;

use crate::page::{Bar, Section};
use crate::project::{Build, build_flex};
use trivial_tests::{Calibrating, Enforcing, Rerun, TrivialTests};

/// The section of the part `speed`.
pub fn section() -> Result<Section, String> {
    let speed = measure()?;
    let mut section = Section::with_bars(HEAD.to_owned(), &bars(&speed));
    section.text.push('\n');
    for e in &speed.enforcing {
        let _ = writeln!(
            section.text,
            "For a whole program of 100 tests ({}), the file with 1,000 entries costs {:.1} ms instead of {:.1} ms with its own 100.",
            e.build.name(),
            e.all_with_thousand,
            e.all_alone
        );
    }
    Ok(section)
}

const HEAD: &str = "## Time

All times are of the processor, summed over all processes: they hardly depend on what else the machine does. The bare loop derives the seed, makes the generator, calls the body under `catch_unwind`, and throws the value away; it lies
in the same program as the tests. Calibration starts six processes for a test; *starts* is as many starts of the same program that
make one run each. What cargo takes to find that there is nothing to build is left out on both sides. Calibration runs one
process at a time here (`--jobs 1`).

";

fn bars(speed: &Speed) -> Vec<Bar> {
    let mut bars = Vec::new();
    let extra = speed.rerun.recorded - speed.rerun.bare;
    bars.push(Bar {
        what: "one more run, release".to_owned(),
        measured: format!(
            "{:.0} ns, bare {:.0} ns: {extra:.0} ns more",
            speed.rerun.recorded, speed.rerun.bare
        ),
        bar: "≤ 300 ns more".to_owned(),
        kept: extra <= 300.0,
    });
    for c in &speed.calibrating {
        let [all, bare, starts] = c.cpu();
        let [ratio, by_clock] = c.ratios();
        bars.push(Bar {
            what: format!(
                "calibrating 100 tests with 3,000 runs each, {}",
                c.build.name()
            ),
            measured: format!(
                "{all:.2} s; bare {bare:.2} s + starts {starts:.2} s: ratio {ratio:.2} (by the clock {by_clock:.2})"
            ),
            bar: "≤ 1.5".to_owned(),
            kept: ratio <= 1.5,
        });
    }
    for e in &speed.enforcing {
        let extra = e.with_thousand - e.alone;
        bars.push(Bar {
            what: format!(
                "a test process with 1,000 entries in the file, {}",
                e.build.name()
            ),
            measured: format!(
                "{:.2} ms, with its own {:.2} ms: {extra:.2} ms more",
                e.with_thousand, e.alone
            ),
            bar: "≤ 2 ms more".to_owned(),
            kept: extra <= 2.0,
        });
    }
    bars
}

/// Everything that was measured.
struct Speed {
    rerun: Rerun,
    calibrating: Vec<Calibrating>,
    enforcing: Vec<Enforcing>,
}

/// Measures all of it on one crate.
fn measure() -> Result<Speed, String> {
    build_flex()?;
    let project = trivial_tests::project()?;
    let mut speed = Speed {
        rerun: TrivialTests::build(&project, Build::Release)?.rerun()?,
        calibrating: Vec::new(),
        enforcing: Vec::new(),
    };
    for build in [Build::Release, Build::Dev] {
        let tests = TrivialTests::build(&project, build)?;
        speed.calibrating.push(tests.calibrating()?);
        speed.enforcing.push(tests.enforcing()?);
    }
    Ok(speed)
}
