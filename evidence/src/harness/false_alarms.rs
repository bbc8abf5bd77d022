//! False alarms, counted: many calibrations, each enforced under many seeds on unchanged code, and on code that changed
//! and is as good.

use std::fmt::Write;
use std::path::Path;

use xtask::process::{output, printed, succeed};

use crate::page::Section;
use crate::project::{Build, Project, VALUES, WITH_FLEX, build_flex};

/// The confidence at which false alarms can be counted.
const CONFIDENCE: f64 = 0.99;
/// Calibrations of every test, each under another base seed.
const ROUNDS: usize = 8;
/// Tests of each kind; they differ in their names, hence in their seeds.
const COPIES: usize = 10;
/// Verdicts under each calibration.
const SEEDS: usize = 300;

/// Code that draws the same distribution in another way, which no replay can clear.
const TURNED: &str = "
fn turned(rng: &mut TestRng) -> f64 {
    let x = normal(rng);
    if std::env::var_os(\"TURNED\").is_some() { -x } else { x }
}
";

/// The kinds of tests: a name, the values in words, and a body.
const KINDS: [(&str, &str, &str); 5] = [
    (
        "upper",
        "normal, one upper site",
        "let x = turned(rng); assert_tail_bound!(x < _);",
    ),
    (
        "both",
        "normal, one site with two sides",
        "let x = turned(rng); assert_tail_bound!(_ < x < _);",
    ),
    (
        "three",
        "normal, three sites",
        "let (x, y, z) = (turned(rng), turned(rng), turned(rng)); assert_tail_bound!(x < _); assert_tail_bound!(y > _); assert_tail_bound!(_ < z < _);",
    ),
    (
        "heavy",
        "lognormal, one upper site",
        "let x = turned(rng).exp(); assert_tail_bound!(x < _);",
    ),
    (
        "count",
        "binomial counts, one upper site",
        "let x = (0..24).filter(|_| turned(rng) < 0.0).count(); assert_tail_bound!(x < _);",
    ),
];

/// The section of the part `false-alarms`.
pub fn section() -> Result<Section, String> {
    let kinds = measure()?;
    let calibrations = kinds.first().map_or(0, |kind| kind.reds.len());
    let mut text = format!(
        "## False alarms, counted

The promise: code that is as good as at calibration fails with probability at most 1 − C, and of all calibrations at most
1 % fall short of that. At C = {CONFIDENCE} the promise can be counted. Each kind of test was calibrated {calibrations}
times (100 runs each) and then enforced under {SEEDS} fresh seeds per calibration, replay, races and all. *Unchanged*:
nothing was changed. *Turned*: every value has the opposite sign, which changes the value of every run and not the
distribution, so that every replay differs and every run goes through a race. Every red verdict is a false alarm. The
promise allows {:.0} reds in {SEEDS}. *Above*: calibrations that showed more than that. A calibration that sits exactly on
its promise shows more in four cases of ten, by chance, so this count errs on the strict side.

| values and sites | code | false alarms | rate | allowed | above | most reds in {SEEDS} |
|---|---|---|---|---|---|---|
",
        (1.0 - CONFIDENCE) * SEEDS as f64
    );
    for kind in &kinds {
        let _ = writeln!(
            text,
            "| {} | {} | {} of {} | {:.2} % | {:.0} % | {} of {} | {} |",
            kind.what,
            kind.code.as_str(),
            kind.reds.iter().sum::<usize>(),
            kind.reds.len() * SEEDS,
            100.0 * kind.rate(),
            100.0 * (1.0 - CONFIDENCE),
            kind.above(),
            kind.reds.len(),
            kind.reds.iter().max().unwrap_or(&0)
        );
    }
    Ok(Section {
        text,
        missed: kinds.iter().filter_map(RedVerdicts::missed).collect(),
        ..Section::default()
    })
}

/// Which code is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    Unchanged,
    Turned,
}

impl Code {
    const ALL: [Code; 2] = [Code::Unchanged, Code::Turned];

    fn as_str(self) -> &'static str {
        match self {
            Code::Unchanged => "unchanged",
            Code::Turned => "turned",
        }
    }
}

/// The red verdicts of tests of one kind.
struct RedVerdicts {
    what: &'static str,
    code: Code,
    /// Red verdicts of each calibration.
    reds: Vec<usize>,
}

impl RedVerdicts {
    /// The share of red verdicts.
    fn rate(&self) -> f64 {
        self.reds.iter().sum::<usize>() as f64 / (self.reds.len() * SEEDS) as f64
    }

    /// Calibrations under which more verdicts were red than the promise allows.
    fn above(&self) -> usize {
        let allowed = (1.0 - CONFIDENCE) * SEEDS as f64;
        self.reds
            .iter()
            .filter(|reds| **reds as f64 > allowed + 1e-9)
            .count()
    }

    /// Why the promise is not kept, if it is not.
    fn missed(&self) -> Option<String> {
        let n = self.reds.len() as f64;
        let chance = 3.0 * (0.01 * 0.99 / n).sqrt();
        (self.rate() > 1.0 - CONFIDENCE || self.above() as f64 / n > 0.01 + chance).then(|| {
            format!(
                "false alarms, {}, {}: rate {:.4}, {} of {n} calibrations above",
                self.what,
                self.code.as_str(),
                self.rate(),
                self.above()
            )
        })
    }
}

fn measure() -> Result<Vec<RedVerdicts>, String> {
    build_flex()?;
    let mut source = format!("{VALUES}{TURNED}");
    for (kind, _, body) in KINDS {
        for copy in 0..COPIES {
            let _ = writeln!(
                source,
                "#[stochastic_test(confidence = {CONFIDENCE})]\nfn {kind}_{copy}(rng: &mut TestRng) {{ {body} }}"
            );
        }
    }
    let files = [("src/lib.rs", ""), ("tests/unchanged.rs", source.as_str())];
    let project = Project::new("false-alarms", WITH_FLEX, &files)?;
    let programs = project.build(Build::Release)?;
    let exe = &programs["unchanged"];
    let mut kinds: Vec<RedVerdicts> = KINDS
        .iter()
        .flat_map(|(_, what, _)| {
            Code::ALL.map(|code| RedVerdicts {
                what,
                code,
                reds: Vec::new(),
            })
        })
        .collect();
    for round in 0..ROUNDS {
        let _ = std::fs::remove_file(project.path("flex-bounds.toml"));
        let base = format!("round {round}");
        succeed(&mut project.calibrate(Build::Release, &["--seed", &base]))?;
        for code in Code::ALL {
            let reds = red_verdicts(&project, exe, round, code)?;
            let of_code = kinds.iter_mut().filter(|kind| kind.code == code);
            for (kind, reds) in of_code.zip(reds) {
                kind.reds.extend(reds);
            }
        }
        eprintln!("false alarms: {} of {ROUNDS} rounds", round + 1);
    }
    Ok(kinds)
}

/// The red verdicts of each test, by kind and copy, under all seeds of a round.
fn red_verdicts(
    project: &Project,
    exe: &Path,
    round: usize,
    code: Code,
) -> Result<[[usize; COPIES]; KINDS.len()], String> {
    let mut reds = [[0; COPIES]; KINDS.len()];
    for seed in 0..SEEDS {
        let mut command = project.program(exe);
        command.env("FLEX_SEED", format!("round {round}, verdict {seed}"));
        if code == Code::Turned {
            command.env("TURNED", "1");
        }
        let printed = printed(&output(&mut command)?);
        for line in printed.lines() {
            let Some((name, word)) = line
                .strip_prefix("test ")
                .and_then(|l| l.split_once(" ... "))
            else {
                continue;
            };
            let (kind, copy) = name.split_once('_').ok_or("a test without a number")?;
            let kind = KINDS.iter().position(|(known, ..)| *known == kind);
            let copy: usize = copy.parse().map_err(|_| "a test without a number")?;
            reds[kind.ok_or("a test of no kind")?][copy] += usize::from(word != "ok");
        }
        if !printed.contains(&format!("running {} tests", COPIES * KINDS.len())) {
            return Err(format!("not all tests ran:\n{printed}"));
        }
    }
    Ok(reds)
}
