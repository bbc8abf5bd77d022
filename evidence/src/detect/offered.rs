//! Menus of simulated assertions: which sound ones look like a bug, what the first offer still catches, and what becomes
//! of limits of p-values.

use std::fmt::Write;

use flex_core::bound::confidence::Confidence;
use flex_core::search::convergence::StopRule;
use flex_detect::menu::{Ask, Menu, OfferKind, Remedy, Standing};
use flex_detect::record::{Given, Knob, ObservedTest, Role};
use flex_detect::search::SearchRule;
use flex_detect::verdict::{Finding, JudgeRule, judge};
use rand::RngExt;

use super::simulated::{Show, Simulated, record};
use crate::distribution::{self, TailKind};
use crate::page::{Bar, Section};
use crate::parallel::in_parallel;

/// Tests of each row.
const TESTS: u64 = 200;

/// The runs of a test.
const RUNS: u32 = 100;

/// The failure rate of the assertion as it is.
const RATE: f64 = 0.06;

/// The confidence that is asked for.
const CONFIDENCE: f64 = 0.9999;

/// The share of sound assertions that may be said to look like a bug, where their number has to move less than [`FAR`].
const SUSPECTED: f64 = 0.05;

/// Times that a number has to move outward, half of what looks like a bug.
const FAR: f64 = 5.0;

/// What a first offer catches of a shift by three standard deviations, at least.
const CAUGHT: f64 = 0.05;

/// Runs that are searched for p-values below their limit.
const P_RUNS: u32 = 3000;

/// Exponents: p-values are powers of uniform numbers, of which some are smaller than the limit.
const EXPONENTS: [f64; 3] = [1.5, 1.75, 2.0];

/// The limit of p-values.
const LIMIT: f64 = 1e-6;

/// The section of the part `offered`.
pub fn section() -> Section {
    let mut text = format!(
        "## What looks like a bug, and what is offered first

{TESTS} simulated assertions of each kind, whose bound leaves out {}% of sound values: {RUNS} runs of each go through the
verdicts of `detect` and the menu of `fix`, as they are without `--choose`. Looks like a bug: nothing is offered first;
that is right where the number that keeps a confidence of {CONFIDENCE} is ten times as far, which the second column has by the
law. Caught: the probability that one run of the test notices a shift by three standard deviations, by the price in the menu.

| values | times as far | looks like a bug | left open | bound | learned | rerun, none | caught, least | on average |
|---|---|---|---|---|---|---|---|---|
",
        100.0 * RATE
    );
    let mut bars = Vec::new();
    for row in margins() {
        let _ = writeln!(
            text,
            "| {} | {:.1} | {} | {} | {} | {} | {} | {:.0}% | {:.0}% |",
            row.name,
            row.farther,
            row.suspected,
            row.open,
            row.bounds,
            row.learned,
            row.others,
            100.0 * row.least,
            100.0 * row.caught / (row.bounds + row.learned).max(1) as f64
        );
        if (1.0..FAR).contains(&row.farther) {
            bars.push(Bar {
                what: format!("{}: sound assertions that look like a bug", row.name),
                measured: format!("{} of {TESTS}", row.suspected),
                bar: format!("≤ {}%", 100.0 * SUSPECTED),
                kept: row.suspected as f64 <= SUSPECTED * TESTS as f64,
            });
        }
        bars.push(Bar {
            what: format!("{}: the least that a first offer catches", row.name),
            measured: format!("{:.0}%", 100.0 * row.least),
            bar: format!("≥ {}%", 100.0 * CAUGHT),
            kept: row.least >= CAUGHT,
        });
    }
    let _ = write!(
        text,
        "
P-values that are powers of uniform numbers, above a limit of {LIMIT:e}, {P_RUNS} runs: the number that `--choose bound`
writes, by how often it was which, of {TESTS} tests. A number that keeps the promise has the given power of ten.

| p-values | fails | keeps {CONFIDENCE} | looks like a bug | numbers |
|---|---|---|---|---|
"
    );
    for row in p_values() {
        let numbers: Vec<String> = row
            .numbers
            .iter()
            .map(|(number, count)| format!("{number}: {count}"))
            .collect();
        let _ = writeln!(
            text,
            "| U^{} | {:.2e} | {:.1e} | {} | {} |",
            row.exponent,
            LIMIT.powf(1.0 / row.exponent),
            row.needed,
            row.suspected,
            numbers.join(", ")
        );
        bars.push(Bar {
            what: format!(
                "p-values U^{}: limits that are no power of ten, or looser than 1e-12",
                row.exponent
            ),
            measured: format!("{} of {TESTS}", row.nonsense),
            bar: "0".to_owned(),
            kept: row.nonsense == 0,
        });
        bars.push(Bar {
            what: format!(
                "p-values U^{}: limits within ten times of what keeps the promise",
                row.exponent
            ),
            measured: format!("{} of {}", row.near, row.offered),
            bar: "≥ 90%".to_owned(),
            kept: row.offered > 0 && row.near as f64 >= 0.9 * row.offered as f64,
        });
        bars.push(Bar {
            what: format!(
                "p-values U^{}: sound ones that look like a bug",
                row.exponent
            ),
            measured: format!("{} of {TESTS}", row.suspected),
            bar: format!("≤ {}%", 100.0 * SUSPECTED),
            kept: row.suspected as f64 <= SUSPECTED * TESTS as f64,
        });
    }
    text.push('\n');
    Section::with_bars(text, &bars)
}

/// An assertion of one line whose values are drawn.
struct Assertion<'a> {
    name: String,
    text: &'static str,
    role: Role,
    bound: f64,
    /// The number that keeps the confidence, by the law.
    needed: f64,
    show: Show<'a>,
}

impl Assertion<'_> {
    /// The menu of a test with so many runs; `seed` decides them.
    fn menu(&self, runs: u32, seed: u64) -> Menu {
        let simulated = Simulated {
            bounds: vec![(self.role, self.bound)],
            first_as_written: false,
            show: Box::new(|rng| (self.show)(rng)),
        };
        let stop = StopRule {
            first: runs,
            most: runs,
            ..StopRule::default()
        };
        let mut test = simulated.search(
            SearchRule {
                stop,
                ..SearchRule::default()
            },
            seed,
        );
        let site = &mut test.sites[0];
        site.text = self.text.to_owned();
        site.series[0].knob = Some(Knob {
            text: self.bound.to_string(),
            given: Given::Source,
        });
        let rule = JudgeRule {
            probability: Some(1.0 - CONFIDENCE),
        };
        let findings = judge(&record(vec![test.clone()]), &rule);
        priced(&test, &findings.tests[0].findings[0])
    }
}

fn priced(test: &ObservedTest, finding: &Finding) -> Menu {
    let confidence = Confidence::new(CONFIDENCE).expect("it is a confidence");
    let ask = Ask::shared(confidence, 1);
    Menu::price(test, &test.sites[0], 0, finding, &ask).expect("the assertion has a number")
}

/// What became of the assertions of one kind.
struct Margins {
    name: String,
    /// How many times as far the number has to be.
    farther: f64,
    suspected: u64,
    /// Those of which too few runs say where the number belongs, and nothing can be learned.
    open: u64,
    bounds: u64,
    learned: u64,
    /// Reruns, or nothing that still catches enough.
    others: u64,
    /// The least that a first offer catches of three standard deviations.
    least: f64,
    /// The sum of it.
    caught: f64,
}

/// Sound assertions on every healthy distribution, and |mean| < 0.1. Seeds are fixed.
fn margins() -> Vec<Margins> {
    let all = distribution::all();
    let normal = all.iter().find(|one| one.name == "normal");
    let normal = normal.expect("the truth table has it");
    // Of both tails, each has half of the rate.
    let scale = 0.1 / normal.quantile_above(0.5 * RATE);
    let mut assertions = vec![Assertion {
        name: "abs(mean) < 0.1".to_owned(),
        text: "assert abs(x) < 0.1",
        role: Role::Upper,
        bound: 0.1,
        needed: scale * normal.quantile_above(0.5 * (1.0 - CONFIDENCE)),
        show: Box::new(move |rng| (vec![(scale * normal.draw(rng)).abs()], false)),
    }];
    let healthy = |kind: TailKind| !matches!(kind, TailKind::Irregular | TailKind::Discrete);
    for one in all.iter().filter(|one| healthy(one.tail)) {
        assertions.push(Assertion {
            name: one.name.to_owned(),
            text: "assert x < b",
            role: Role::Upper,
            bound: one.quantile_above(RATE),
            needed: one.quantile_above(1.0 - CONFIDENCE),
            show: Box::new(|rng| (vec![one.draw(rng)], false)),
        });
    }
    let indexed: Vec<(usize, &Assertion<'_>)> = assertions.iter().enumerate().collect();
    in_parallel(&indexed, |(index, assertion)| {
        let mut row = Margins {
            name: assertion.name.clone(),
            farther: assertion.needed / assertion.bound,
            suspected: 0,
            open: 0,
            bounds: 0,
            learned: 0,
            others: 0,
            least: 1.0,
            caught: 0.0,
        };
        for test in 0..TESTS {
            let menu = assertion.menu(RUNS, (*index as u64) << 32 | test);
            row.take(&menu);
        }
        row
    })
}

impl Margins {
    fn take(&mut self, menu: &Menu) {
        let Ok(offer) = menu.choose(None, false, CONFIDENCE) else {
            match menu.standing {
                Standing::Suspected => self.suspected += 1,
                Standing::Open => self.open += 1,
                _ => self.others += 1,
            }
            return;
        };
        match offer.kind {
            OfferKind::Bound | OfferKind::Empirical => self.bounds += 1,
            OfferKind::Learned => self.learned += 1,
            _ => {
                self.others += 1;
                return;
            }
        }
        let caught = offer.price.power[2];
        self.least = self.least.min(caught);
        self.caught += caught;
    }
}

/// What became of a limit of p-values.
struct Limits {
    exponent: f64,
    /// The limit that keeps the confidence, by the law.
    needed: f64,
    suspected: u64,
    /// The numbers that were offered, with how often.
    numbers: Vec<(String, u64)>,
    offered: u64,
    /// Those within ten times of the needed limit, on either side, beyond the rounding to powers of ten.
    near: u64,
    nonsense: u64,
}

/// P-values of several laws above the same limit. Seeds are fixed.
fn p_values() -> Vec<Limits> {
    let indexed: Vec<(usize, f64)> = EXPONENTS.into_iter().enumerate().collect();
    in_parallel(&indexed, |(index, exponent)| {
        let exponent = *exponent;
        let assertion = Assertion {
            name: String::new(),
            text: "assert kstest(x, 'norm')[1] > 1e-06",
            role: Role::Lower,
            bound: LIMIT,
            needed: (1.0 - CONFIDENCE).powf(exponent),
            show: Box::new(move |rng| (vec![rng.random::<f64>().powf(exponent)], false)),
        };
        let mut row = Limits {
            exponent,
            needed: assertion.needed,
            suspected: 0,
            numbers: Vec::new(),
            offered: 0,
            near: 0,
            nonsense: 0,
        };
        for test in 0..TESTS {
            row.take(&assertion.menu(P_RUNS, (*index as u64 + 1) << 40 | test));
        }
        row.numbers
            .sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        row
    })
}

impl Limits {
    fn take(&mut self, menu: &Menu) {
        self.suspected += u64::from(menu.standing == Standing::Suspected);
        let offer = menu.choose(Some(OfferKind::Bound), true, CONFIDENCE).ok();
        let Some(Remedy::Number { number, .. }) = offer.map(|offer| &offer.change) else {
            return;
        };
        self.offered += 1;
        // By its power, since ten times of what is needed may be a limit that is rounded down.
        self.near += u64::from((0.01..=10.0).contains(&(number / self.needed)));
        let is_power = number.log10().fract().abs() < 1e-9;
        self.nonsense += u64::from(!is_power || !(1e-12..LIMIT).contains(number));
        let text = format!("{number:e}");
        match self.numbers.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => self.numbers.push((text, 1)),
        }
    }
}
