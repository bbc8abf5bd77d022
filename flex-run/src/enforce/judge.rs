//! Judging one run: every site that was hit is held against its entry, and every entry against what was hit.

use flex_bounds::file::{BoundsFile, Entry, Learned, Reached};
use flex_core::bound::confidence::Confidence;
use flex_core::calibration::SiteSpec;
use flex_core::sample::Extremes;
use flex_core::tail::Side;

use crate::enforce::doubt::Doubt;
use crate::model::run::{Kind, RunRecord, SiteRecord};
use crate::model::site::Ends;
use crate::model::test::TestRecord;
use crate::project::env::Settings;

/// The entries of a test, and what its source says.
pub(crate) struct TestBounds<'a> {
    pub test: &'a TestRecord,
    pub entries: &'a BoundsFile,
    pub variant: Option<&'a str>,
}

impl<'a> TestBounds<'a> {
    /// The entry that a site is judged by.
    pub fn entry(&self, site: &str, case: Option<&str>) -> Option<&'a Entry> {
        self.applicable()
            .find(|entry| entry.key.site == site && entry.key.case.as_deref() == case)
    }

    /// The entries that hold for this variant.
    fn applicable(&self) -> impl Iterator<Item = &'a Entry> {
        self.entries.holding(self.variant)
    }

    /// Whether an entry was learned from another version of the test.
    pub fn is_stale(&self) -> bool {
        self.applicable().any(|entry| {
            let known = entry.fingerprint.as_deref();
            known.is_some_and(|known| known != self.test.fingerprint)
        })
    }

    /// Judges the first run.
    pub fn judge(&self, sites: &[SiteRecord], record: &RunRecord, settings: &Settings) -> Judged {
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
        let is_stale = self.is_stale();
        for entry in self.applicable() {
            let hit = |(index, site): (usize, &SiteRecord)| {
                site.is_learned()
                    && site.id == entry.key.site
                    && site.case == entry.key.case
                    && record.seen.get(index).is_some_and(Option::is_some)
            };
            let reached = sites.iter().enumerate().any(hit);
            // A test whose assertions were rewritten has sites that nobody calibrated and entries that nobody hits.
            let rewritten = is_stale && !judged.all_calibrated();
            if entry.reached == Reached::Always && !entry.unenforced && !reached && !rewritten {
                judged.doubts.push(Doubt::missed(entry));
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
                if !self.test.options.ceiling_warns() {
                    judged.findings.push(finding);
                    continue;
                }
                judged.warnings.push(finding);
            }
            if let Some(guard) = learned.guard()
                && let Some(beyond) = beyond(guard.bound)
            {
                let finding = finding(Problem::Unconfirmed(beyond));
                judged
                    .doubts
                    .push(Doubt::beyond(index, beyond, guard, finding));
            }
        }
    }

    /// Whether the shares of the entries add up to what the test may spend now.
    fn shares(&self, sites: &[SiteRecord]) -> Result<(), String> {
        let spent: f64 = self
            .applicable()
            .map(|entry| entry.confidence.false_alarm_rate())
            .sum();
        let confidence = match (self.test.options.confidence, self.test.suite) {
            // What the test spends is between it and the other tests of its suite; not all of it is for this one.
            (None, Some(suite)) if suite.allows(spent) => return Ok(()),
            (None, Some(suite)) => {
                return Err(format!("it alone spends more than the suite's {suite}"));
            }
            (stated, _) => stated.unwrap_or(Confidence::DEFAULT.value()),
        };
        let budget = 1.0 - confidence;
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

/// What the first run gives reason to say.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub findings: Vec<Finding>,
    pub warnings: Vec<Finding>,
    pub doubts: Vec<Doubt>,
}

impl Judged {
    fn all_calibrated(&self) -> bool {
        let all = self.findings.iter().chain(&self.warnings);
        let mut problems = all.map(|finding| &finding.problem);
        !problems.any(|problem| matches!(problem, Problem::Uncalibrated(_)))
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
    Broken {
        value: f64,
        ends: Ends,
        /// The value is a difference of two.
        is_margin: bool,
    },
    /// Values cannot be compared.
    Incomparable(String),
    /// There is no entry that fits.
    Uncalibrated(String),
    /// Calibration refused to learn a bound.
    Refused(String),
    /// Every calibration run hit the site, and so many runs did not.
    NotReached { runs: u32 },
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
pub(crate) fn declared_findings(sites: &[SiteRecord], record: &RunRecord) -> Vec<Finding> {
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
            && !site.is_hard
        {
            // A strict bound may be broken by equality, so only one that is clearly kept is left out.
            let Extremes { least, greatest } = seen.extremes;
            let too_small = ends
                .lower
                .is_some_and(|lower| least.is_nan() || least <= lower);
            let value = if too_small { least } else { greatest };
            add(Problem::Broken {
                value,
                ends,
                is_margin: site.is_margin,
            });
        }
    }
    findings
}

impl Finding {
    fn new(site: &SiteRecord, problem: Problem) -> Self {
        Finding {
            site: site_name(&site.id, site.case.as_deref()),
            place: Some(site.place.clone()),
            message: None,
            problem,
            entry: None,
        }
    }
}

/// A site for people, on one line: its id, with its case.
pub(crate) fn site_name(id: &str, case: Option<&str>) -> String {
    let name = match case {
        Some(case) => format!("{id} [{case}]"),
        None => id.to_owned(),
    };
    let mut line = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// The sample of one side.
pub(crate) fn side_of(extremes: Extremes, side: Side) -> f64 {
    match side {
        Side::Lower => extremes.least,
        Side::Upper => extremes.greatest,
    }
}
