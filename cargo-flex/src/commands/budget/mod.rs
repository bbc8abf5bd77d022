//! `cargo flex budget`: how much of their false-alarm budget the bounds of a suite spend.

mod suite;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use flex_bounds::config::Quarantine;
use flex_bounds::file::Entry;
use flex_core::paint::Ink;
use flex_core::visible::visible;
use flex_core::words::{count, one_in, percent, short, thousands};
use serde_json::{Value, json};

use crate::called;
use crate::cargo::packages;
use crate::exit::{Exit, Failure};
use crate::terminal;
use suite::Suite;

/// Shows how often the learned bounds of a suite fail by chance, and how its budget is spent.
///
/// Example: cargo flex budget --ci-runs 2000
///
/// A budget is stated in flex.toml, as false-alarms = "1 in 10000 runs". Without one, the rates of all tests add up to
/// whatever they do. The exit code is 1 if a suite spends more than its budget. Tests in quarantine are listed, with its end.
/// For a project of pytest it is `flex-harness budget --pytest tests`.
#[derive(Debug, Args)]
pub struct BudgetArgs {
    /// Runs of the whole suite in a month, in CI and elsewhere
    #[arg(long, value_name = "N", default_value_t = 1000)]
    ci_runs: u32,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// Look at the bounds of pytest tests that lie here, or in the nearest folder above, instead of cargo packages
    #[arg(long, value_name = "PATH", conflicts_with = "manifest_path")]
    pytest: Option<PathBuf>,

    /// One JSON array, with an object for each bounds file
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &BudgetArgs) -> Result<Exit, Failure> {
    let suites = suites(args)?;
    let mut output = io::stdout().lock();
    if args.json {
        let all: Vec<Value> = suites.iter().map(|suite| suite.json(args)).collect();
        writeln!(output, "{}", Value::from(all))?;
    } else {
        for suite in &suites {
            suite.show(args, &mut terminal::stdout())?;
        }
    }
    if suites.is_empty() {
        writeln!(
            terminal::notes(),
            "note: no package has a bounds file yet; `{} calibrate` writes it",
            called::name()
        )?;
    }
    let overspent: Vec<&Suite> = suites.iter().filter(|suite| suite.overspends()).collect();
    for suite in &overspent {
        writeln!(
            terminal::stderr(),
            "error: {} spends more than its budget\nhint: `{}` shares it out anew",
            suite.file,
            suite.calibrate,
        )?;
    }
    Ok(match overspent.is_empty() {
        true => Exit::Fine,
        false => Exit::Findings,
    })
}

/// The suites that are asked for.
fn suites(args: &BudgetArgs) -> Result<Vec<Suite>, Failure> {
    if let Some(path) = &args.pytest {
        return Ok(vec![Suite::of_pytest(path)?]);
    }
    let mut suites = Vec::new();
    for package in packages(args.manifest_path.as_deref())? {
        suites.extend(Suite::of_package(package)?);
    }
    Ok(suites)
}

/// How the tests of a suite spend its false-alarm budget.
impl Suite {
    fn rate(&self) -> f64 {
        // The sum of nothing is -0.
        self.bounds.false_alarm_rate(self.variant.as_deref()) + 0.0
    }

    fn overspends(&self) -> bool {
        let budget = self.project.config.false_alarms;
        budget.is_some_and(|budget| !budget.allows(self.rate()))
    }

    /// The tests with the number of their enforced sites and what these spend, the dearest first.
    fn tests(&self) -> Vec<(String, usize, f64)> {
        let enforced: Vec<&Entry> = self
            .bounds
            .holding(self.variant.as_deref())
            .filter(|entry| !entry.unenforced)
            .collect();
        let of_one_test = |a: &&Entry, b: &&Entry| a.key.test == b.key.test;
        let mut tests: Vec<(String, usize, f64)> = enforced
            .chunk_by(of_one_test)
            .map(|entries| {
                let test = &entries[0].key.test;
                let name = match test.target() {
                    Some(target) => format!("{target} {}", test.name()),
                    None => test.name().to_owned(),
                };
                let rates = entries
                    .iter()
                    .map(|entry| entry.confidence.false_alarm_rate());
                (name, entries.len(), rates.sum())
            })
            .collect();
        tests.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        tests
    }

    fn show(&self, args: &BudgetArgs, output: &mut impl Write) -> Result<(), Failure> {
        let variant = match &self.variant {
            Some(variant) => format!(" (variant {variant})"),
            None => String::new(),
        };
        writeln!(output, "{}{variant}", self.name)?;
        let (tests, rate) = (self.tests(), self.rate());
        let sites = tests.iter().map(|(_, sites, _)| sites).sum();
        let whole = match self.project.config.false_alarms {
            Some(budget) => budget.rate(),
            None => rate,
        };
        for (name, sites, spent) in &tests {
            let share = percent(spent / whole);
            let sites = count(*sites, "site", "sites");
            // A long name pushes the numbers to a line of their own.
            let name = match name.chars().count() {
                0..=42 => format!("{name:<42}"),
                _ => format!("{name}\n  {:<42}", ""),
            };
            writeln!(
                output,
                "  {name} {sites:>9} {:>12} {share:>6}",
                one_in(*spent)
            )?;
        }
        writeln!(
            output,
            "  {:<42} {:>9} {:>12}",
            count(tests.len(), "test", "tests"),
            count(sites, "site", "sites"),
            one_in(rate),
        )?;
        match self.project.config.false_alarms {
            Some(budget) => {
                let ink = match self.overspends() {
                    true => Ink::Bad,
                    false => Ink::Strong,
                };
                let spent = terminal::paint().word(ink, &percent(rate / budget.rate()));
                writeln!(output, "  budget: {budget}; {spent} of it is spent")?;
            }
            None => writeln!(
                output,
                "  no budget: `false-alarms = \"1 in 10000 runs\"` in flex.toml states one"
            )?,
        }
        for (path, quarantine, holds) in self.quarantines() {
            let (path, end) = (visible(&path), quarantine.end());
            let words = if holds { "until" } else { "ended" };
            writeln!(output, "  in quarantine: {path}, {words} {}", visible(&end))?;
        }
        writeln!(
            output,
            "  at {} a month: {} a month, at most\n",
            match args.ci_runs {
                1 => "1 run".to_owned(),
                runs => format!("{} runs", thousands(f64::from(runs))),
            },
            false_reds(rate * f64::from(args.ci_runs))
        )?;
        Ok(())
    }

    fn json(&self, args: &BudgetArgs) -> Value {
        let test = |(name, sites, rate): (String, usize, f64)| json!({ "test": name, "sites": sites, "false_alarm_rate": rate });
        let rate = self.rate();
        let quarantine = |(path, quarantine, holds): (String, &Quarantine, bool)| json!({ "path": path, "until": quarantine.until, "issue": quarantine.issue, "holds": holds });
        json!({
            "package": self.package,
            "file": self.file,
            "variant": self.variant,
            "budget": self.project.config.false_alarms.map(|budget| budget.rate()),
            "false_alarm_rate": rate,
            "ci_runs": args.ci_runs,
            "false_reds_a_month": rate * f64::from(args.ci_runs),
            "tests": self.tests().into_iter().map(test).collect::<Vec<_>>(),
            "quarantined": self.quarantines().map(quarantine).collect::<Vec<_>>(),
        })
    }
}

/// A rate as people say it.
fn false_reds(expected: f64) -> String {
    match expected {
        expected if expected >= 10.0 => format!("{expected:.0} false reds"),
        expected => format!("{} false reds", short(expected)),
    }
}
