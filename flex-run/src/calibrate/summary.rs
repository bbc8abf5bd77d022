//! What a calibration has to say, 80 columns wide.

use std::fmt;

use flex_bounds::file::{Entry, Learned};
use flex_core::paint::{Ink, Paint};
use flex_core::seed::{Phase, SeedRequest};
use flex_core::tail::{Side, Tail};
use flex_core::visible::visible;
use flex_core::words::{count, duration, percent, plain, run_list, short, thousands, wrapped};

use super::cases::sort_by_case;
use super::outcome::{
    ClaimSite, DeclaredSite, LearnedSite, Objection, TestCalibration, Uncontrolled,
};
use crate::model::{Runner, TestId};
use flex_bounds::change::Change;

/// Columns of the whole.
const WIDTH: usize = 80;
/// Columns of the site in the table.
const SITE: usize = 22;
/// A bound that catches three standard deviations more rarely is worth a hint.
const WEAK: f64 = 0.5;
/// Runs of a suspicion that are shown with the command that repeats them: as many as are named.
const REPLAYED: usize = 5;

impl fmt::Display for TestCalibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:#}` is for those who see weight and colour.
        if let TestId::Cargo { target, .. } = &self.test.id {
            write!(
                f,
                "{} {target} ",
                self.test.package.as_deref().unwrap_or_default()
            )?;
        }
        writeln!(f, "{}", paint(f).word(Ink::Strong, self.test.name()))?;
        self.made(f)?;
        for site in self.sites_in_order() {
            self.site(f, site)?;
        }
        self.weak(f)?;
        self.extra_runs(f)?;
        for site in &self.declared {
            self.declared(f, site)?;
        }
        for site in &self.claims {
            self.claim(f, site)?;
        }
        self.notes(f)
    }
}

impl TestCalibration {
    /// The runs that were made, and those that were not.
    fn made(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = duration(self.seconds_per_run);
        if self.saved > 0 {
            let made = count((self.runs - self.saved) as usize, "run", "runs");
            let saved = count(self.saved as usize, "run", "runs");
            return writeln!(
                f,
                "  {made}, {each} each; nothing in it varies: {saved} saved"
            );
        }
        let runs = count(self.runs as usize, "run", "runs");
        let processes = count(self.processes, "process", "processes");
        writeln!(f, "  {runs} in {processes}, {each} each")
    }

    fn site(&self, f: &mut fmt::Formatter<'_>, site: &LearnedSite) -> fmt::Result {
        let mut name = site.name.as_str();
        if name.chars().count() > SITE {
            writeln!(f, "  {name}")?;
            name = "";
        }
        let mut said = None;
        let tiers = |learned: &Learned| match site.is_time {
            true => learned.tiers_as(duration),
            false => learned.tiers(),
        };
        let has_both = site.in_force().tail() == Tail::Both;
        for (side, learned) in site.in_force().sides.iter() {
            let which = match has_both {
                true => format!("{side}  "),
                false => String::new(),
            };
            let strategy = learned.strategy();
            let row = format!("  {name:<SITE$} {strategy:<7} {which}");
            self.row(f, &row, &tiers(learned))?;
            name = "";
            let old = site.old.as_ref().filter(|_| site.change != Change::Kept);
            if let Some(old) = old.and_then(|old| changed(old, side, learned)) {
                let old = match old {
                    Learned::Refuse { .. } => "refused".to_owned(),
                    _ => tiers(old),
                };
                fitting(f, &format!("  {:<SITE$} {:<7} ", "", "was"), &old)?;
            }
            if let Some(power) = site.power_on(side) {
                let words = match site.is_time {
                    true => power.in_words(duration),
                    false => power.to_string(),
                };
                // What waits for a review is not in force.
                let verb = match site.change {
                    Change::Pending(_) => "would catch",
                    _ => "catches",
                };
                writeln!(f, "      {verb} {words}")?;
            }
            if let Some(reason) = learned.reason().filter(|reason| said != Some(*reason)) {
                said = Some(reason);
                let label = match learned {
                    Learned::Refuse { .. } => "refused",
                    _ => "no ceiling",
                };
                paragraph(f, label, &visible(reason))?;
            }
        }
        if let Some(outlook) = self.outlook(site) {
            self.claim(f, &outlook)?;
        }
        if let Some(limits) = site.assumed() {
            let words = format!(
                "nothing of the mean lies outside of {} to {}, half the range of these runs beyond the outermost; \
                 `domain` states what is known",
                short(limits.lower()),
                short(limits.upper())
            );
            paragraph(f, "assumed", &words)?;
        }
        match &site.change {
            Change::Kept if self.kept.is_none() => {
                paragraph(f, "kept", "the old numbers still fit, and stay")?;
            }
            Change::Pending(why) => {
                let look = match self.is_pytest() {
                    true => "`flex-harness review --pytest .`, or --flex-accept",
                    false => "`cargo flex review`, or --accept",
                };
                let words = format!("{why}. The old entry stays; see {look}");
                paragraph(f, "not written", &words)?;
            }
            Change::New | Change::Kept | Change::Replaced => {}
        }
        if let Some(objection) = site.objection.as_ref().filter(|_| site.entry.accepted) {
            paragraph(f, "accepted in spite of", &objection.to_string())?;
        }
        if let (Some(Objection::Suspected(suspicion)), true) =
            (&site.objection, site.is_objected_to())
        {
            for run in suspicion.runs.iter().take(REPLAYED) {
                self.replay(f, *run)?;
            }
            let accept = match self.is_pytest() {
                true => "--flex-accept",
                false => "--accept",
            };
            let words = format!("if the values are as they should be, {accept} learns a bound");
            paragraph(f, "hint", &words)?;
        }
        if site.is_time {
            paragraph(
                f,
                "warning",
                "the site measures time: its bound holds for this machine",
            )?;
        }
        Ok(())
    }

    /// A line of the table, with the numbers that matter most.
    fn row(&self, f: &mut fmt::Formatter<'_>, row: &str, tiers: &str) -> fmt::Result {
        match tiers {
            "" => writeln!(f, "{}", row.trim_end()),
            tiers => fitting(f, row, tiers),
        }
    }

    /// The sites, cases of one assertion in the order of the numbers in them.
    fn sites_in_order(&self) -> Vec<&LearnedSite> {
        let mut sites: Vec<&LearnedSite> = self.sites.iter().collect();
        let of_one = |a: &&LearnedSite, b: &&LearnedSite| {
            a.entry.key.site.label() == b.entry.key.site.label()
        };
        for cases in sites.chunk_by_mut(of_one) {
            sort_by_case(cases, |site| {
                site.entry.key.site.case.clone().unwrap_or_default()
            });
        }
        sites
    }

    /// What helps where bounds catch little.
    fn weak(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = |site: &LearnedSite| site.entry.tail().sides().to_vec();
        let caught = self.sites.iter().flat_map(|site| {
            let powers = sides(site).into_iter().map(|side| site.power_on(side));
            powers.flatten().map(|power| power.caught[2])
        });
        if caught.fold(1.0, f64::min) >= WEAK {
            return Ok(());
        }
        let (sites, runs) = (self.sites.len(), self.runs);
        let share = match sites {
            1 => String::new(),
            many => {
                format!("{many} sites share the test's false alarms and extra runs: split it, or ")
            }
        };
        let program = match self.is_pytest() {
            true => "flex-harness",
            false => "cargo flex",
        };
        let words = format!(
            "some bounds catch little of three standard deviations; {share}use more than {runs} runs, raise `effort` or \
             lower `confidence`; `{program} plan calibrate --sites {sites}` says what that gives"
        );
        paragraph(f, "hint", &words)
    }

    /// What replays and races cost.
    fn extra_runs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let learned = self.sites.iter().filter(|site| !site.is_objected_to());
        let most = learned.map(|site| site.most_reruns).max();
        let Some(most) = most.filter(|most| *most > 0) else {
            return Ok(());
        };
        let expected = self.extra_runs;
        let always = match self.replays_always && self.is_replayed() {
            true => ", a replay in each",
            false => "",
        };
        let words = format!(
            "{expected:.2} a run ({}){always}; {most} at most ({})",
            duration(expected * self.seconds_per_run),
            duration(f64::from(most) * self.seconds_per_run)
        );
        paragraph(f, "extra runs", &words)
    }

    fn notes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.failures.is_empty() {
            self.failing(f)?;
        }
        if let Some(words) = self.observed.inconclusive().in_words() {
            paragraph(f, "inconclusive", &words)?;
        }
        if self.is_deterministic {
            let words = match self.is_pytest() {
                true => "no value varied; a plain test would do",
                false => {
                    "no run drew a random number, and no value varied; a plain #[test] would do"
                }
            };
            paragraph(f, "deterministic", words)?;
        } else if self.sites.is_empty() && self.claims.is_empty() {
            paragraph(
                f,
                "note",
                "no learned site was hit: there is nothing to learn",
            )?;
        }
        for shared in &self.shared {
            paragraph(f, "warning", shared)?;
        }
        if let Some(uncontrolled) = &self.uncontrolled {
            paragraph(f, "uncontrolled randomness", &self.two_values(uncontrolled))?;
        }
        if self.runs > self.asked {
            let words = format!(
                "{} were asked for to begin with; so few are not enough for a bound (--max-runs ends it earlier)",
                count(self.asked as usize, "run", "runs")
            );
            paragraph(f, "note", &words)?;
        }
        if self.ran_out_of_time {
            let words = "the time was up before there were as many runs as wanted";
            paragraph(f, "note", words)?;
        }
        if let Some(words) = self.earlier_in_words() {
            paragraph(f, "history", &words)?;
        }
        if let Some(why) = self.kept {
            let words = format!("{why}, so the bounds file keeps what it has of this test");
            paragraph(f, "not written", &words)?;
        }
        for removed in &self.removed {
            let words = format!("{removed}: the site was not hit any more");
            paragraph(f, "entry removed", &words)?;
        }
        Ok(())
    }

    /// What was made of earlier runs, if anybody asked for them.
    fn earlier_in_words(&self) -> Option<String> {
        let left_out = self.left_out.as_ref()?;
        let most = |of: fn(&LearnedSite) -> u32| self.sites.iter().map(of).max().unwrap_or(0);
        let values = |earlier: u32| count(earlier as usize, "value", "values");
        let used = most(|site| site.in_force().earlier);
        let found = most(|site| site.entry.earlier);
        let mut words = match (used, found) {
            (0, 0) => "no values of earlier runs are used".to_owned(),
            (0, found) => format!(
                "{} of earlier runs are not worth a new bound",
                values(found)
            ),
            (used, _) => format!("ceilings rest on {} of earlier runs too", values(used)),
        };
        if !left_out.is_empty() {
            words += &format!("; left out: {}", left_out.join("; "));
        }
        Some(words)
    }

    /// Runs that failed by themselves.
    fn failing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: Vec<u32> = self.failures.iter().map(|(run, _)| *run).collect();
        let mut words = format!(
            "{} of {} ({}): {}",
            runs.len(),
            count(self.runs as usize, "run", "runs"),
            percent(runs.len() as f64 / f64::from(self.runs.max(1))),
            run_list(&runs),
        );
        if let Some(attempts) = self.attempts() {
            words += &format!(
                "; {} would pass with confidence {}",
                count(attempts as usize, "attempt", "attempts"),
                self.confidence
            );
        }
        paragraph(f, "failed by themselves", &words)?;
        let (run, why) = &self.failures[0];
        let why = why.lines().next().unwrap_or_default();
        paragraph(f, "such as", why)?;
        self.replay(f, *run)
    }

    /// The command that repeats one run.
    fn replay(&self, f: &mut fmt::Formatter<'_>, run: u32) -> fmt::Result {
        let seed = SeedRequest {
            base: self.base.clone(),
            run: Some((Phase::Calibrate, u64::from(run))),
        };
        writeln!(f, "    replay: {}", self.test.commands().replay(&seed))
    }

    fn is_pytest(&self) -> bool {
        self.test.id.runner() == Runner::Pytest
    }

    fn two_values(&self, uncontrolled: &Uncontrolled) -> String {
        let value = |value: Option<f64>| value.map_or("not reached".to_owned(), |v| v.to_string());
        let what = match &uncontrolled.site {
            Some(site) => format!(
                "{site} is {} and then {}",
                value(uncontrolled.values.0),
                value(uncontrolled.values.1)
            ),
            None => "the test fails in one process and not in another".to_owned(),
        };
        let causes = if self.is_pytest() {
            "A generator made without a seed (`default_rng()`), the hash of a string, time or threads do that; take the fixture `flex_rng` or `flex_seed`, and set PYTHONHASHSEED."
        } else if self.controls_entropy {
            "Time, addresses, threads or `fastrand`, which `entropy = controlled` does not reach, do that."
        } else {
            "Hash order, `rand::rng()`, time or threads do that; on Linux, `entropy = controlled` makes the first two follow the seed."
        };
        format!(
            "under the same seed (run {}), {what}. {causes} The bound holds if every run draws anew, but no failure can be replayed",
            uncontrolled.run
        )
    }

    fn declared(&self, f: &mut fmt::Formatter<'_>, site: &DeclaredSite) -> fmt::Result {
        let broken = site.broken.len();
        let mut words = format!(
            "{broken} of {} break it",
            count(site.samples, "run", "runs")
        );
        for (side, bound, rate) in &site.rates {
            let which = if site.rates.len() > 1 {
                format!(" {side} {}", plain(*bound))
            } else {
                String::new()
            };
            let (low, high) = rate.interval;
            words += &format!(";{which} rate {} to {}", percent(low), percent(high));
            if let Some(tail) = rate.from_tail {
                words += &format!(
                    ", by the tail {} (at most {})",
                    percent(tail.estimate),
                    percent(tail.upper_limit)
                );
            }
        }
        paragraph(f, &format!("declared {}", site.name), &words)?;
        match site.broken.first() {
            Some(run) => self.replay(f, *run),
            None => Ok(()),
        }
    }
}

impl TestCalibration {
    /// What a claim showed, and the runs that decisions about it take.
    fn claim(&self, f: &mut fmt::Formatter<'_>, site: &ClaimSite) -> fmt::Result {
        let runs = count(site.runs, "run", "runs");
        let Some((mean, sd)) = site.shown else {
            return paragraph(f, &format!("claim {}", site.name), &runs);
        };
        let about = |runs: Option<u32>| match runs {
            Some(runs) => format!("about {runs}"),
            None => "more than there may be".to_owned(),
        };
        let mut words = format!(
            "{} in {runs}, which scatter by {}; runs to a decision: {} as it is",
            short(mean),
            short(sd),
            about(site.now)
        );
        let mut said = String::new();
        for (truth, runs) in &site.found {
            let truth = short(*truth);
            // Where nothing scatters, values beyond the bound look like the bound.
            if truth != said {
                words += &format!(", {} if it were {truth}", about(*runs));
                said = truth;
            }
        }
        let once = |rate: f64| thousands((1.0 / rate).round());
        words += &format!(
            "; wrongly broken once in {} tests, wrongly fine once in {}",
            once(site.levels.broken),
            once(site.levels.fine)
        );
        paragraph(f, &format!("claim {}", site.name), &words)
    }
}

/// The old side, if its bounds were others.
fn changed<'a>(old: &'a Entry, side: Side, new: &Learned) -> Option<&'a Learned> {
    let old = old.sides.get(side)?;
    (old.tiers() != new.tiers()).then_some(old)
}

/// Words behind a label, wrapped at 80 columns and indented.
fn paragraph(f: &mut fmt::Formatter<'_>, label: &str, words: &str) -> fmt::Result {
    let words: Vec<&str> = words.split_whitespace().collect();
    let line = format!("  {label}: {}", words.join(" "));
    let text = wrapped(&line, WIDTH, "    ");
    let ink = match label {
        "refused" | "failed by themselves" => Some(Ink::Bad),
        "not written" | "warning" | "uncontrolled randomness" | "inconclusive" => Some(Ink::Look),
        "hint" => Some(Ink::Hint),
        _ => None,
    };
    match ink {
        Some(ink) => writeln!(
            f,
            "{}",
            paint(f).beginning(ink, &format!("  {label}:"), &text)
        ),
        None => writeln!(f, "{text}"),
    }
}

/// Numbers at the end of a line, or on one of their own where the line is too short for them.
fn fitting(f: &mut fmt::Formatter<'_>, row: &str, numbers: &str) -> fmt::Result {
    let width = row.chars().count() + numbers.chars().count();
    let numbers = paint(f).word(Ink::Strong, numbers);
    match width <= WIDTH {
        true => writeln!(f, "{row}{numbers}"),
        false => writeln!(f, "{}\n      {numbers}", row.trim_end()),
    }
}

/// Whether whoever reads this sees weight and colour.
fn paint(f: &fmt::Formatter<'_>) -> Paint {
    Paint::when(f.alternate())
}
