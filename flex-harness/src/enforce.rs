//! Enforcement: one run is compared with the bounds file, and doubts are settled by a race of reruns (DESIGN §2.1).

use std::any::Any;
use std::io::Write;

use flex_core::bounds_file::{BoundsFile, Entry, Learned, Reached};
use flex_core::calibration::SiteSpec;
use flex_core::confidence::Confidence;
use flex_core::race::{Race, RaceStep};
use flex_core::sample::Extremes;
use flex_core::seed::{Phase, Seeds};
use flex_core::tail::Side;

use crate::env::{self, Settings};
use crate::recorder::{Kind, KnownSite, RunRecord};
use crate::replay::Replay;
use crate::report::Report;
use crate::run::{End, Runs};
use crate::site::Ends;
use crate::store::Store;
use crate::test::Test;

/// Why a test fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// flex says so.
    Report(String),
    /// The test panicked by itself; the note says under which seed.
    Panic {
        payload: Box<dyn Any + Send>,
        note: String,
    },
}

impl From<String> for Failure {
    fn from(report: String) -> Self {
        Failure::Report(report)
    }
}

/// Something about one site that fails the test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    /// The site's id, and its case.
    pub site: String,
    /// Where it is, if it was hit.
    pub place: Option<String>,
    /// What the assertion says itself.
    pub message: Option<String>,
    pub problem: Problem,
    /// The entry that it was judged by.
    pub entry: Option<Entry>,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// A declared bound was broken.
    Broken { value: f64, ends: Ends },
    /// Values cannot be compared.
    Incomparable(String),
    /// There is no entry that fits.
    Uncalibrated(String),
    /// Calibration refused to learn a bound.
    Refused(String),
    /// Every calibration run hit the site, and this run did not.
    NotReached,
    /// A value beyond the ceiling.
    Ceiling(Beyond),
    /// A value beyond the guard, in a test that fails for other reasons.
    Unconfirmed(Beyond),
    /// A value beyond the guard, and reruns that confirm it.
    Regression { beyond: Beyond, reruns: Vec<Rerun> },
}

/// A value beyond a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Beyond {
    pub side: Side,
    pub value: f64,
    pub bound: f64,
}

/// What a confirmation run showed of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rerun {
    /// The value, if the site was reached.
    pub value: Option<f64>,
    /// Whether it was beyond the guard.
    pub hit: bool,
}

/// Runs a test once, and more often where a value is in doubt.
pub(crate) fn enforce(test: &'static Test, settings: &Settings) -> Result<(), Failure> {
    let replay = Replay::of(test, settings);
    let target = test.target();
    let store = Store::at(env::bounds_file(test.identity.manifest_dir));
    let entries = store
        .select(Some(&target), test.name())
        .map_err(|error| error.to_string())?;
    let bounds = TestBounds {
        test,
        target: &target,
        entries: &entries,
        variant: settings.variant.as_deref(),
    };
    let seeds = Seeds::new(&replay.base, Phase::Enforce, &target, test.name());
    let mut runs = Runs::new(test, seeds, true);
    let report = Report {
        test,
        replay: &replay,
        is_stale: bounds.is_stale(),
        bounds_file: store.path(),
    };

    finished(runs.run(0).end, &report)?;
    let mistakes = runs.recorder.mistakes();
    if !mistakes.is_empty() {
        return Err(report.mistakes(&mistakes).into());
    }
    let sites = runs.recorder.sites_from(0);
    let Judged {
        mut findings,
        warnings,
        doubts,
    } = bounds.judge(&sites, &runs.record, settings);
    for warning in warnings {
        say(&report.warning(&warning));
    }
    if report.is_stale && settings.stale_fails {
        return Err(report.stale(&findings).into());
    }
    if !findings.is_empty() {
        findings.extend(doubts.into_iter().map(|doubt| Finding {
            problem: Problem::Unconfirmed(doubt.beyond),
            ..doubt.finding
        }));
        return Err(report.failure(&findings).into());
    }
    let cleared = confirm(doubts, &mut runs, &report)?;
    if settings.log {
        say(&report.passed(&sites, &runs, &cleared));
    }
    Ok(())
}

/// Makes exactly one run, of any phase, and shows what it saw.
pub(crate) fn replay_run(
    test: &'static Test,
    settings: &Settings,
    phase: Phase,
    index: u64,
) -> Result<(), Failure> {
    let replay = Replay::of(test, settings);
    let seeds = Seeds::new(&replay.base, phase, &test.target(), test.name());
    let mut runs = Runs::new(test, seeds, true);
    let store = Store::at(env::bounds_file(test.identity.manifest_dir));
    let report = Report {
        test,
        replay: &replay,
        is_stale: false,
        bounds_file: store.path(),
    };
    let run = runs.run(index);
    let sites = runs.recorder.sites_from(0);
    say(&report.replayed(phase, index, &sites, &runs));
    finished(run.end, &report)?;
    let broken = declared_findings(&sites, &runs.record);
    if broken.is_empty() {
        Ok(())
    } else {
        Err(report.failure(&broken).into())
    }
}

/// Runs a test once, with no bounds but the declared ones.
pub(crate) fn run_without_bounds(test: &'static Test, settings: &Settings) -> Result<(), Failure> {
    let replay = Replay::of(test, settings);
    let seeds = Seeds::new(&replay.base, Phase::Enforce, &test.target(), test.name());
    let mut runs = Runs::new(test, seeds, true);
    let path = env::bounds_file(test.identity.manifest_dir);
    let report = Report {
        test,
        replay: &replay,
        is_stale: false,
        bounds_file: &path,
    };
    finished(runs.run(0).end, &report)?;
    let findings = declared_findings(&runs.recorder.sites_from(0), &runs.record);
    if findings.is_empty() {
        Ok(())
    } else {
        Err(report.failure(&findings).into())
    }
}

/// Prints where libtest does not capture: a passing test has something to say.
pub(crate) fn say(text: &str) {
    // If standard error is gone, there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// A run that ended by itself is an ordinary failure, with its seed.
fn finished(end: End, report: &Report<'_>) -> Result<(), Failure> {
    match end {
        End::Done => Ok(()),
        End::Error(error) => Err(report.returned(&error).into()),
        End::Panic(payload) => Err(Failure::Panic {
            payload,
            note: report.panicked(),
        }),
    }
}

/// A value beyond its guard, to be confirmed.
#[derive(Debug)]
struct Doubt {
    site: usize,
    beyond: Beyond,
    race: Race,
    reruns: Vec<Rerun>,
    finding: Finding,
}

/// A doubt that the race cleared.
#[derive(Debug)]
pub(crate) struct Cleared {
    pub site: String,
    pub beyond: Beyond,
    pub reruns: Vec<Rerun>,
}

/// Reruns the test until every doubt is cleared or one is a regression.
fn confirm(
    mut doubts: Vec<Doubt>,
    runs: &mut Runs,
    report: &Report<'_>,
) -> Result<Vec<Cleared>, Failure> {
    let is = |step: RaceStep| move |doubt: &Doubt| doubt.race.step() == step;
    let mut run = 0;
    while doubts.iter().any(is(RaceStep::Rerun)) && !doubts.iter().any(is(RaceStep::Regression)) {
        run += 1;
        finished(runs.run(run).end, report)?;
        for doubt in doubts.iter_mut().filter(|doubt| is(RaceStep::Rerun)(doubt)) {
            let seen = runs.record.seen.get(doubt.site).and_then(Option::as_ref);
            let value = seen.map(|seen| side_of(seen.extremes, doubt.beyond.side));
            let beyond = |value| doubt.beyond.side.is_beyond(value, doubt.beyond.bound);
            let hit = value.is_some_and(beyond);
            doubt.reruns.push(Rerun { value, hit });
            if hit {
                doubt.race.hit();
            } else {
                doubt.race.miss();
            }
        }
    }
    let (lost, cleared): (Vec<Doubt>, Vec<Doubt>) =
        doubts.into_iter().partition(is(RaceStep::Regression));
    if lost.is_empty() {
        return Ok(cleared
            .into_iter()
            .map(|doubt| Cleared {
                site: doubt.finding.site,
                beyond: doubt.beyond,
                reruns: doubt.reruns,
            })
            .collect());
    }
    let findings: Vec<Finding> = lost
        .into_iter()
        .map(|doubt| Finding {
            problem: Problem::Regression {
                beyond: doubt.beyond,
                reruns: doubt.reruns,
            },
            ..doubt.finding
        })
        .collect();
    Err(report.failure(&findings).into())
}

/// What the first run gives reason to say.
#[derive(Debug, Default)]
struct Judged {
    findings: Vec<Finding>,
    warnings: Vec<Finding>,
    doubts: Vec<Doubt>,
}

/// The entries of a test, and what its source says.
struct TestBounds<'a> {
    test: &'static Test,
    target: &'a str,
    entries: &'a BoundsFile,
    variant: Option<&'a str>,
}

impl<'a> TestBounds<'a> {
    /// The entry that a site is judged by.
    fn entry(&self, site: &str, case: Option<&str>) -> Option<&'a Entry> {
        let name = self.test.name();
        self.entries
            .find(Some(self.target), name, site, case, self.variant)
    }

    /// The entries that hold for this variant.
    fn applicable(&self) -> impl Iterator<Item = &'a Entry> {
        self.entries.entries().iter().filter(|entry| {
            let key = &entry.key;
            self.entry(&key.site, key.case.as_deref())
                .is_some_and(|found| std::ptr::eq(found, *entry))
        })
    }

    /// Whether an entry was learned from another version of the test.
    fn is_stale(&self) -> bool {
        self.applicable().any(|entry| {
            let known = entry.fingerprint.as_deref();
            known.is_some_and(|known| known != self.test.fingerprint)
        })
    }

    /// Judges the first run.
    fn judge(&self, sites: &[KnownSite], record: &RunRecord, settings: &Settings) -> Judged {
        let mut judged = Judged {
            findings: declared_findings(sites, record),
            ..Judged::default()
        };
        let shares = self.shares(sites);
        for (index, site) in sites.iter().enumerate() {
            let seen = record.seen.get(index).and_then(Option::as_ref);
            let (Kind::Learned(spec), Some(seen)) = (site.kind, seen) else {
                continue;
            };
            let entry = self.entry(&site.id, site.case.as_deref());
            let finding = |problem| Finding {
                message: seen.message.clone(),
                entry: entry.cloned(),
                ..Finding::new(site, problem)
            };
            let entry = match entry {
                None => Err("it has no entry in the bounds file".to_owned()),
                Some(entry) if entry.unenforced => continue,
                Some(entry) => matches_source(entry, &spec, &shares).map(|()| entry),
            };
            match entry {
                Ok(entry) => self.judge_site((index, seen.extremes), entry, &finding, &mut judged),
                Err(why) if settings.uncalibrated_fails => {
                    judged.findings.push(finding(Problem::Uncalibrated(why)));
                }
                Err(why) => judged.warnings.push(finding(Problem::Uncalibrated(why))),
            }
        }
        for entry in self.applicable() {
            let hit = |(index, site): (usize, &KnownSite)| {
                site.id == entry.key.site
                    && site.case == entry.key.case
                    && record.seen.get(index).is_some_and(Option::is_some)
            };
            let reached = sites.iter().enumerate().any(hit);
            if entry.reached == Reached::Always && !entry.unenforced && !reached {
                judged.findings.push(Finding {
                    site: site_name(&entry.key.site, entry.key.case.as_deref()),
                    place: None,
                    message: None,
                    problem: Problem::NotReached,
                    entry: Some(entry.clone()),
                });
            }
        }
        judged
    }

    /// Judges a site by an entry that fits.
    fn judge_site(
        &self,
        (index, extremes): (usize, Extremes),
        entry: &Entry,
        finding: &dyn Fn(Problem) -> Finding,
        judged: &mut Judged,
    ) {
        for (side, learned) in entry.sides.iter() {
            let value = side_of(extremes, side);
            if let Learned::Refuse { reason } = learned {
                judged
                    .findings
                    .push(finding(Problem::Refused(reason.clone())));
                continue;
            }
            let beyond = |bound: f64| {
                side.is_beyond(value, bound)
                    .then_some(Beyond { side, value, bound })
            };
            if let Some(beyond) = learned.ceiling().and_then(beyond) {
                let finding = finding(Problem::Ceiling(beyond));
                if !self.test.options.ceiling_warns {
                    judged.findings.push(finding);
                    continue;
                }
                judged.warnings.push(finding);
            }
            if let Some(guard) = learned.guard()
                && let Some(beyond) = beyond(guard.bound)
            {
                judged.doubts.push(Doubt {
                    site: index,
                    beyond,
                    race: Race::start(guard.hits),
                    reruns: Vec::new(),
                    finding: finding(Problem::Unconfirmed(beyond)),
                });
            }
        }
    }

    /// Whether the shares of the entries add up to what the test may spend now.
    fn shares(&self, sites: &[KnownSite]) -> Result<(), String> {
        let confidence = self
            .test
            .options
            .confidence
            .unwrap_or(Confidence::DEFAULT.value());
        let budget = 1.0 - confidence;
        let spent: f64 = self
            .applicable()
            .map(|entry| entry.confidence.false_alarm_rate())
            .sum();
        // Sites with a confidence of their own may leave a part of the budget unspent; the others share all the rest.
        let all_stated = sites.iter().all(|site| match site.kind {
            Kind::Learned(spec) => spec.confidence.is_some(),
            Kind::Declared(_) => true,
        });
        let slack = 1e-6 * budget;
        if spent > budget + slack || (!all_stated && spent < budget - slack) {
            return Err(format!(
                "its share of the confidence {confidence} has changed since calibration"
            ));
        }
        Ok(())
    }
}

/// Whether an entry was learned for what the source says now.
fn matches_source(
    entry: &Entry,
    spec: &SiteSpec,
    shares: &Result<(), String>,
) -> Result<(), String> {
    let now_and_then = |what: &str, now: String, then: String| {
        Err(format!(
            "its {what} is {now} now and was {then} at calibration"
        ))
    };
    let domain = |domain: Option<_>| match domain {
        Some(domain) => format!("{domain}"),
        None::<flex_core::tail::Domain> => "not declared".to_owned(),
    };
    if entry.tail() != spec.tail {
        return now_and_then("tail", spec.tail.to_string(), entry.tail().to_string());
    }
    if entry.domain != spec.domain {
        return now_and_then("domain", domain(spec.domain), domain(entry.domain));
    }
    if entry.light != spec.light {
        let word = |light: bool| if light { "promised" } else { "not promised" };
        return now_and_then(
            "light tail",
            word(spec.light).to_owned(),
            word(entry.light).to_owned(),
        );
    }
    match spec.confidence {
        Some(own) if own != entry.confidence => {
            now_and_then("confidence", own.to_string(), entry.confidence.to_string())
        }
        _ => shares.clone(),
    }
}

/// What no learned bound decides: declared bounds that were broken, values that cannot be compared.
fn declared_findings(sites: &[KnownSite], record: &RunRecord) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, site) in sites.iter().enumerate() {
        let seen = record.seen.get(index).and_then(Option::as_ref);
        let message = seen.and_then(|seen| seen.message.clone());
        let mut add = |problem| {
            findings.push(Finding {
                message: message.clone(),
                ..Finding::new(site, problem)
            });
        };
        let faults = record.faults.iter().filter(|fault| fault.site == index);
        let mut comparable = true;
        for fault in faults {
            add(Problem::Incomparable(fault.what.clone()));
            comparable = false;
        }
        if let (Kind::Declared(ends), Some(seen)) = (site.kind, seen)
            && seen.broken > 0
            && comparable
        {
            // A strict bound may be broken by equality, so only one that is clearly kept is left out.
            let Extremes { least, greatest } = seen.extremes;
            let too_small = ends.lower.is_some_and(|lower| !(least > lower));
            let value = if too_small { least } else { greatest };
            add(Problem::Broken { value, ends });
        }
    }
    findings
}

impl Finding {
    fn new(site: &KnownSite, problem: Problem) -> Self {
        Finding {
            site: site_name(&site.id, site.case.as_deref()),
            place: Some(format!("{}:{}", site.site.file, site.site.line)),
            message: None,
            problem,
            entry: None,
        }
    }
}

/// A site for people: its id, with its case.
pub(crate) fn site_name(id: &str, case: Option<&str>) -> String {
    match case {
        Some(case) => format!("{id} [{case}]"),
        None => id.to_owned(),
    }
}

/// The sample of one side.
pub(crate) fn side_of(extremes: Extremes, side: Side) -> f64 {
    match side {
        Side::Lower => extremes.least,
        Side::Upper => extremes.greatest,
    }
}
