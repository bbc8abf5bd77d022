//! The price of every strategy for every project, and for all together.

use flex_core::search::reruns::NoTrials;
use flex_core::search::strategies::{
    RerunStrategy, SearchEnds, StrategyPrice, StrategyTest, Terms, price,
};
use flex_detect::search::SearchRule;
use flex_detect::trace::campaign::{Rates, campaign_tests};
use flex_detect::trace::learn::characteristics;
use serde_json::{Value, json};

use super::{CampaignArgs, usage};
use crate::called;
use crate::exit::Failure;
use crate::record::file::RecordFile;
use crate::trace::TracedProject;

/// The numbers of runs that a plan is about.
pub const RUNS: std::ops::RangeInclusive<u64> = 2..=170;

/// What was priced, under which terms.
pub struct Priced {
    pub terms: Terms,
    /// The most runs of a test in words; JSON has all of [`RUNS`] too.
    pub runs: u64,
    /// The share of flaky tests and their failure rate, where these are assumed.
    pub assumed: Option<(f64, f64)>,
    /// Tests that no record knows.
    pub unknown: usize,
    /// Whether all traces have the functions that tests call.
    pub is_full: bool,
    pub projects: Vec<PricedProject>,
}

/// The tests of a project, or of all.
pub struct PricedProject {
    pub name: String,
    pub tests: Vec<StrategyTest>,
}

/// Reads traces and records, and prices them.
pub fn price_all(args: &CampaignArgs) -> Result<Priced, Failure> {
    let traced = TracedProject::read_all(&args.from)?;
    let records = read_records(args)?;
    let rates = match records.is_empty() {
        true => Rates::Assumed {
            share: args.flaky_share,
            fail: args.fail,
        },
        false => Rates::Measured(&records),
    };
    let mut unknown = 0;
    let mut projects = Vec::new();
    for project in &traced {
        let rules = characteristics(&project.added()?);
        let tests = campaign_tests(&project.trace, &rules, rates);
        let (tests, missing) = tests.map_err(|error: NoTrials| usage(error))?;
        unknown += missing;
        projects.push(PricedProject {
            name: project.name.clone(),
            tests,
        });
    }
    if projects.len() > 1 {
        let tests = projects.iter().flat_map(|project| project.tests.clone());
        let all = PricedProject {
            name: "all".to_owned(),
            tests: tests.collect(),
        };
        projects.push(all);
    }
    Ok(Priced {
        terms: Terms {
            short: args.short,
            ..Terms::default()
        },
        runs: args.runs.unwrap_or(*RUNS.end()),
        assumed: records.is_empty().then_some((args.flaky_share, args.fail)),
        unknown,
        is_full: traced.iter().all(|project| project.trace.is_full),
        projects,
    })
}

fn read_records(args: &CampaignArgs) -> Result<Vec<flex_detect::record::Record>, Failure> {
    let read = |path: &std::path::PathBuf| {
        let missing = || {
            Failure::input(
                format!("{}: there is no such file", path.display()),
                format!("`{} detect --record FILE` writes one", called::name()),
            )
        };
        RecordFile::at(path.clone()).read()?.ok_or_else(missing)
    };
    args.rates.iter().map(read).collect()
}

impl PricedProject {
    /// The price of a strategy.
    pub fn price(&self, strategy: RerunStrategy, runs: u64, terms: &Terms) -> StrategyPrice {
        price(strategy, &self.tests, runs, terms)
    }

    /// The price of `detect` as it is, which goes on until failure rates are known.
    pub fn detect(&self, terms: &Terms) -> StrategyPrice {
        SearchEnds::new(&SearchRule::default().stop).price(&self.tests, terms)
    }
}

impl Priced {
    /// Everything, for programs.
    pub fn json(&self) -> Value {
        let project = |project: &PricedProject| {
            let strategy = |strategy: RerunStrategy| {
                let runs = RUNS.chain((!RUNS.contains(&self.runs)).then_some(self.runs));
                let at = runs.map(|runs| {
                    let price = project.price(strategy, runs, &self.terms);
                    json!({
                        "runs": runs,
                        "tests": price.tests,
                        "found": price.found,
                        "expected_runs": price.runs,
                        "expected_seconds": price.seconds,
                    })
                });
                json!({ "strategy": strategy.as_str(), "at": at.collect::<Vec<_>>() })
            };
            let detect = project.detect(&self.terms);
            json!({
                "project": project.name,
                "tests": project.tests.len(),
                "strategies": RerunStrategy::ALL.map(strategy),
                "detect": {
                    "found": detect.found,
                    "expected_runs": detect.runs,
                    "expected_seconds": detect.seconds,
                },
            })
        };
        let assumed = self
            .assumed
            .map(|(share, fail)| json!({ "flaky_share": share, "fail": fail }));
        json!({
            "assumed": assumed,
            "unknown_tests": self.unknown,
            "calls_traced": self.is_full,
            "terms": {
                "tracing": self.terms.tracing,
                "probing": self.terms.probing,
                "short_seconds": self.terms.short,
            },
            "projects": self.projects.iter().map(project).collect::<Vec<_>>(),
        })
    }
}
