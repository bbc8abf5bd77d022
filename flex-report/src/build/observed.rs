//! What a search for flaky assertions found: verdicts, rates, and what can be done with prices.

use flex_bounds::TestId;
use flex_bounds::file::Key;
use flex_core::bound::confidence::Confidence;
use flex_core::words::{percent, plain, short};
use flex_detect::menu::{self, Ask, Remedy};
use flex_detect::record::{Float, ObservedSite, ObservedTest, Role};
use flex_detect::verdict::{Diagnosis, Finding, JudgedTest};
use flex_run::model::SiteId;

use super::SuiteFacts;
use super::declared::declared_side;
use super::known::{ANY_RUN, Known, any_run};
use super::learned::blank;
use crate::model::{Menu, Offer, Probability, Series, Side, Site, Values};

/// Adds what a search found, in the place of what a calibration saw of the same assertions.
pub fn sites(known: &Known<'_>, facts: &SuiteFacts, sites: &mut Vec<Site>) {
    let Some((test, judged)) = known.observed else {
        return;
    };
    for finding in &judged.findings {
        let found = match finding.site.and_then(|index| test.sites.get(index)) {
            Some(site) => of_site(test, site, judged, finding, facts),
            None => outcome(test, judged, finding, facts),
        };
        let is_same = |site: &&mut Site| {
            site.kind == "declared" && site.site == found.site && site.case == found.case
        };
        match sites.iter_mut().find(is_same) {
            Some(site) => *site = found,
            None => sites.push(found),
        }
    }
}

fn of_site(
    test: &ObservedTest,
    site: &ObservedSite,
    judged: &JudgedTest,
    finding: &Finding,
    facts: &SuiteFacts,
) -> Site {
    let key = Key {
        test: TestId::pytest(""),
        site: site.id.clone(),
        variant: None,
    };
    let series = site.series.iter().map(|series| Series {
        sides: vec![side(series.role)],
        values: exact(&series.values),
    });
    let shown = site.series.first();
    Site {
        text: site.text.clone(),
        sides: declared_sides(site),
        series: series.take(2).collect(),
        extremes: shown.map_or_else(Vec::new, |series| {
            let mut values = series.values.clone();
            let sign = if side(series.role) == "upper" {
                -1.0
            } else {
                1.0
            };
            values.sort_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)));
            values.truncate(5);
            values
                .into_iter()
                .map(|(run, value)| (run, Float(value)))
                .collect()
        }),
        menu: priced(test, site, finding, facts).map(Box::new),
        ..found(&key, judged, finding)
    }
}

/// A test that fails elsewhere than in an assertion that compares numbers.
fn outcome(
    test: &ObservedTest,
    judged: &JudgedTest,
    finding: &Finding,
    facts: &SuiteFacts,
) -> Site {
    let key = Key {
        test: TestId::pytest(""),
        site: SiteId::new("outcome"),
        variant: None,
    };
    let ask = Ask::shared(Confidence::DEFAULT, 1);
    let menu = menu::Menu::of_outcome(test, finding, &ask);
    Site {
        kind: "outcome",
        menu: (!menu.offers.is_empty()).then(|| Box::new(of_menu(&menu, facts))),
        ..found(&key, judged, finding)
    }
}

/// What was found, as far as it is the same for assertions and outcomes.
fn found(key: &Key, judged: &JudgedTest, finding: &Finding) -> Site {
    let figures = &finding.figures;
    let grade = match finding.verdict {
        _ if finding.is_finding() => "bad",
        _ if finding.is_notable() => "look",
        Diagnosis::Steady => "good",
        _ => "quiet",
    };
    let (low, high) = figures.interval;
    let counted = Probability {
        basis: "counted",
        estimate: (figures.runs > 0).then(|| figures.failed.len() as f64 / figures.runs as f64),
        low,
        high,
    };
    let of_tail = figures.tail.as_ref().and_then(|tail| tail.as_ref().ok());
    let replay = judged
        .replay
        .as_ref()
        .map(|replay| replay.shown(&format!("{}:{ANY_RUN}", judged.seeds)));
    Site {
        kind: "declared",
        file: finding.place.file.clone(),
        line: finding.place.line,
        text: finding.text.clone(),
        verdict: finding.word(),
        grade,
        words: words(finding),
        runs: figures.runs as u32,
        failure: Some(match of_tail {
            Some(tail) => Probability {
                basis: "tail",
                estimate: Some(tail.estimate),
                low: 0.0,
                high: tail.upper_limit,
            },
            None => counted,
        }),
        failed_runs: figures.failed.clone(),
        replay: replay.map(|replay| any_run(&replay.to_string())),
        ..blank(key)
    }
}

fn words(finding: &Finding) -> Vec<String> {
    let figures = &finding.figures;
    let (low, high) = figures.interval;
    let mut words = vec![format!(
        "{} of {} runs failed; the true rate is between {} and {} (95%).",
        figures.failed.len(),
        figures.runs,
        percent(low),
        percent(high)
    )];
    if let Some((least, greatest)) = figures.range {
        let (least, greatest) = (plain(least), plain(greatest));
        words.push(format!("Values went from {least} to {greatest}."));
    }
    match &figures.tail {
        Some(Ok(tail)) => words.push(format!(
            "No run failed, and the tail of the values puts the probability at {} (at most {}).",
            percent(tail.estimate),
            percent(tail.upper_limit)
        )),
        Some(Err(why)) => words.push(format!("No tail could be fitted: {why}.")),
        None => {}
    }
    if let Diagnosis::Uncontrolled(source) = &finding.verdict {
        words.push(format!(
            "The same seed shows something else; the source: {source}."
        ));
    }
    words.extend(
        figures
            .why
            .iter()
            .map(|why| format!("The first failure said: {why}")),
    );
    words
}

/// The menu of an assertion that something should be done about.
fn priced(
    test: &ObservedTest,
    site: &ObservedSite,
    finding: &Finding,
    facts: &SuiteFacts,
) -> Option<Menu> {
    if !finding.is_notable() {
        return None;
    }
    let ask = Ask::shared(Confidence::DEFAULT, test.sites.len());
    let subject = menu::subjects(site).into_iter().next()?;
    let menu = menu::Menu::price(test, site, subject, finding, &ask)?;
    (!menu.offers.is_empty()).then(|| of_menu(&menu, facts))
}

fn of_menu(menu: &menu::Menu, facts: &SuiteFacts) -> Menu {
    let offers = menu.offers.iter().map(|offer| Offer {
        option: offer.kind.as_str(),
        confidence: offer.confidence,
        change: match &offer.change {
            Remedy::Number { number, .. } => short(*number),
            Remedy::Reruns { attempts } => format!("{attempts} attempts"),
            Remedy::Learned { .. } => "flex learns the number".to_owned(),
            Remedy::Hint(how) => how.clone(),
            Remedy::Nothing => String::new(),
        },
        false_alarms: Probability {
            basis: "tail",
            estimate: Some(offer.price.rate.estimate),
            low: offer.price.rate.low,
            high: offer.price.rate.high,
        },
        seconds: offer.price.seconds,
        power: offer.price.power,
        notes: offer.notes.clone(),
    });
    Menu {
        deviation: Float(menu.deviation),
        offers: offers.collect(),
        suspicions: menu.suspicions.iter().map(ToString::to_string).collect(),
        command: facts.fix.clone(),
    }
}

fn side(role: Role) -> &'static str {
    match role {
        Role::Lower => "lower",
        _ => "upper",
    }
}

fn declared_sides(site: &ObservedSite) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::new();
    for series in &site.series {
        let is_there = |known: &Side| known.side == side(series.role);
        if let (Some(bound), false) = (series.bound, sides.iter().any(is_there)) {
            sides.push(declared_side(side(series.role), bound));
        }
    }
    sides
}

fn exact(runs: &[(u32, f64)]) -> Values {
    let most = runs.iter().map(|(run, _)| *run as usize + 1).max();
    let mut values = vec![None; most.unwrap_or(0)];
    for (run, value) in runs {
        values[*run as usize] = Some(Float(*value));
    }
    Values::Exact { values }
}
