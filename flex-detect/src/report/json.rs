//! Findings as JSON, for programs.

use serde_json::{Value, json};

use super::block::remarked;
use super::replay::{replay, replay_of_any, seed, telling_run};
use flex_run::model::{Probe, Runner, Touch};

use crate::record::Float;
use crate::verdict::{Cluster, Diagnosis, Finding, Findings, JudgedTest, Randomness};

/// The version of the format.
const VERSION: u32 = 1;

pub(super) fn json(findings: &Findings) -> String {
    let tests = findings.tests.iter().map(of_test);
    let value = json!({
        "version": VERSION,
        "harness": match findings.runner {
            Runner::Cargo => "cargo",
            Runner::Pytest => "pytest",
        },
        "base": findings.base,
        "probability": findings.rule.probability.map(number),
        "has_findings": findings.has_findings(),
        "tests": tests.collect::<Vec<Value>>(),
    });
    format!("{value:#}\n")
}

fn of_test(test: &JudgedTest) -> Value {
    let judged = test.findings.iter();
    json!({
        "name": test.name(),
        "package": test.package,
        "target": test.id.target(),
        "file": test.place.file,
        "line": test.place.line,
        "verdict": test.gravest().map(Finding::word),
        "runs": test.runs,
        "passed": test.passed,
        "failed": test.failed,
        "skipped": test.skipped,
        "replay": replay_of_any(test),
        "variability": test.probe.as_ref().map(|probe| probe.variability().as_str()),
        "touches": test.probe.as_ref().map(touches),
        "notes": test.notes,
        "assertions": judged.map(|finding| of_finding(test, finding)).collect::<Vec<Value>>(),
    })
}

fn of_finding(test: &JudgedTest, finding: &Finding) -> Value {
    let figures = &finding.figures;
    let controlled = test.replay.is_some();
    let seeds = |runs: &[u32]| match controlled {
        true => runs.iter().map(|run| seed(test, *run)).collect(),
        false => Vec::new(),
    };
    let rate = figures.failed.len() as f64 / figures.runs as f64;
    json!({
        "site": finding.site,
        "file": finding.place.file,
        "line": finding.place.line,
        "text": finding.text,
        "case": finding.case,
        "verdict": finding.verdict.word(),
        "risky": finding.is_risky,
        "finding": finding.is_finding(),
        "source": match &finding.verdict {
            Diagnosis::Uncontrolled(source) => of_source(source),
            _ => Value::Null,
        },
        "cluster": match &finding.verdict {
            Diagnosis::SecondMode(cluster) => of_cluster(cluster),
            _ => Value::Null,
        },
        "runs": figures.runs,
        "failures": figures.failed.len(),
        "failed_runs": figures.failed,
        "rate": (figures.runs > 0).then(|| number(rate)),
        "interval": [number(figures.interval.0), number(figures.interval.1)],
        "tail": figures.tail.as_ref().map(|tail| match tail {
            Ok(tail) => json!({
                "estimate": number(tail.estimate),
                "upper_limit": number(tail.upper_limit),
            }),
            Err(why) => json!({ "refused": why }),
        }),
        "bound": figures.bound.map(number),
        "range": figures.range.map(ends),
        "varies": figures.varies,
        "as_written": figures.as_written.map(|run| json!({
            "failed": run.failed,
            "value": run.value.map(number),
        })),
        "why": figures.why,
        "remarks": finding.remarks.iter().map(remarked).collect::<Vec<String>>(),
        "seeds": seeds(&figures.failed),
        "replay": telling_run(finding).and_then(|run| Some(replay(test, run)?.to_string())),
    })
}

/// What a run touched, for programs.
pub fn touches(probe: &Probe) -> Vec<Value> {
    let touches = probe.touches().iter();
    let value = |touch: &Touch| {
        json!({
            "cause": touch.cause.as_str(),
            "what": touch.what,
            "seeded": touch.seeded,
            "count": touch.count,
            "file": touch.place.as_ref().map(|place| &place.file),
            "line": touch.place.as_ref().map(|place| place.line),
        })
    };
    touches.map(value).collect()
}

fn of_source(source: &Randomness) -> Value {
    let kind = match source {
        Randomness::HashOrder => "hash-order",
        Randomness::Unseeded(_) => "unseeded",
        Randomness::Touched(_) => "touched",
        Randomness::SharedState => "shared-state",
        Randomness::Unknown => "unknown",
    };
    json!({ "kind": kind, "text": source.to_string() })
}

fn of_cluster(cluster: &Cluster) -> Value {
    json!({
        "runs": cluster.runs,
        "range": ends(cluster.range),
        "rest": ends(cluster.rest),
    })
}

fn ends((low, high): (f64, f64)) -> Value {
    json!([number(low), number(high)])
}

/// A number, or the text for one that JSON does not know.
fn number(value: f64) -> Value {
    serde_json::to_value(Float(value)).unwrap_or(Value::Null)
}
