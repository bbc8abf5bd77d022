//! The cost of probes: of functions that stand in for libc's, and of processes that tell what their test touched.

use std::path::Path;
use std::process::Command;

use super::process_cost::ProcessCost;
use crate::page::{Bar, Section};
use crate::project::{Build, Project};
use crate::statistics::median;

const MANIFEST: &str = r#"
[dev-dependencies]
flex-harness = { path = "{flex}/flex-harness", features = ["entropy"] }
"#;

/// What is called, as often as the environment says.
const CALLS: &str = r#"
fn calls() -> usize {
    std::env::var("CALLS").map_or(0, |calls| calls.parse().unwrap())
}

#[test]
fn clock() {
    for _ in 0..calls() {
        std::hint::black_box(std::time::Instant::now());
    }
}

#[test]
fn file() {
    for _ in 0..calls() {
        std::hint::black_box(std::fs::File::open("Cargo.toml").unwrap());
    }
}

#[test]
fn thread() {
    for _ in 0..calls() {
        std::thread::spawn(|| {}).join().unwrap();
    }
}

#[test]
fn nothing() {}
"#;

/// How a program is run: without flex, with it, and with what its test touches counted.
const WAYS: usize = 3;

/// A function, its test, and calls that take some tenths of a second.
const CALLED: [(&str, &str, usize); 3] = [
    ("`Instant::now()`", "clock", 10_000_000),
    ("`File::open()` and its end", "file", 200_000),
    ("`thread::spawn()` and `join()`", "thread", 20_000),
];

/// Each is measured so often, in turn, and the median of the differences counts.
const ROUNDS: usize = 11;

/// The section of the part `probes`.
pub fn section() -> Result<Section, String> {
    let linked = format!("use flex_harness as _;\n{CALLS}");
    let files = [
        ("src/lib.rs", ""),
        ("tests/alone.rs", CALLS),
        ("tests/linked.rs", &linked),
    ];
    let project = Project::new("probes", MANIFEST, &files)?;
    let mut programs = project.build(Build::Release)?;
    let mut program = |name: &str| programs.remove(name).ok_or("no test program");
    let (alone, linked) = (program("alone")?, program("linked")?);
    let probe = project.path("probe");
    let command = |way: usize, test: &str, calls: usize| -> Command {
        let exe: &Path = if way == 0 { &alone } else { &linked };
        let mut command = project.program(exe);
        command
            .args(["--exact", test, "--test-threads=1"])
            .env("CALLS", calls.to_string());
        if way == 2 {
            command.env("FLEX_PROBE", &probe);
        }
        command
    };
    let mut bars = Vec::new();
    for (what, test, calls) in CALLED {
        let mut rounds = Vec::new();
        for round in 0..ROUNDS {
            let mut nanos = [0.0; WAYS];
            for turn in 0..WAYS {
                let way = if round % 2 == 0 {
                    turn
                } else {
                    WAYS - 1 - turn
                };
                let all = ProcessCost::of_many(1, || command(way, test, calls))?;
                nanos[way] = all.cpu / calls as f64 * 1e9;
            }
            rounds.push(nanos);
        }
        // What the machine does besides changes from minute to minute, by more than what is measured.
        let of_rounds = |value: &dyn Fn(&[f64; WAYS]) -> f64| {
            median(&rounds.iter().map(value).collect::<Vec<_>>())
        };
        let alone = of_rounds(&|nanos| nanos[0]);
        let [inert, counting] = [1, 2].map(|way| alone + of_rounds(&|nanos| nanos[way] - nanos[0]));
        // A fiftieth, or what one look at a variable takes at most.
        let allowed = |share: f64, least: f64| (share * alone).max(least);
        bars.push(bar(what, "inert", [alone, inert], allowed(0.02, 5.0)));
        bars.push(bar(
            what,
            "counting",
            [alone, counting],
            allowed(0.25, 25.0),
        ));
    }
    bars.push(of_processes(&command)?);
    Ok(Section::with_bars(HEAD.to_owned(), &bars))
}

const HEAD: &str = "## Probes

With the feature `entropy`, functions of libc are replaced by ones that can count
([reference/probes.md](../reference/probes.md)). The same loops in a program without flex, in one with it, where they are
*inert*, and with what the test touches *counted*; processor time of the whole program by the number of calls, release, the
median of eleven rounds.

";

fn bar(what: &str, how: &str, [alone, with]: [f64; 2], allowed: f64) -> Bar {
    let more = with - alone;
    Bar {
        what: format!("{what}, {how}"),
        measured: format!("{with:.0} ns, without flex {alone:.0} ns: {more:.0} ns more"),
        bar: format!("≤ {allowed:.0} ns more"),
        kept: more <= allowed,
    }
}

/// The cost of asking a process what its test touches.
fn of_processes(command: &dyn Fn(usize, &str, usize) -> Command) -> Result<Bar, String> {
    const STARTS: usize = 100;
    let mut millis = [0.0; 2];
    for _ in 0..ROUNDS {
        for (millis, way) in millis.iter_mut().zip([1, 2]) {
            let cost = ProcessCost::of_many(STARTS, || command(way, "nothing", 0))?;
            *millis += cost.cpu / (ROUNDS * STARTS) as f64 * 1e3;
        }
    }
    let more = millis[1] - millis[0];
    Ok(Bar {
        what: "a process that tells what its test touched".to_owned(),
        measured: format!(
            "{:.2} ms, without {:.2} ms: {more:.2} ms more",
            millis[1], millis[0]
        ),
        bar: "≤ 0.5 ms more".to_owned(),
        kept: more <= 0.5,
    })
}
