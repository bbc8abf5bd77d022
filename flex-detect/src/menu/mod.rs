//! The priced menu: what can be done about an assertion, how often it would still fail, what it costs, what it catches.

mod ask;
mod choose;
mod claims;
mod numbers;
mod offer;
mod others;
mod standing;
mod subjects;
mod suspicion;
mod tolerance;
mod values;

use flex_core::bound::ceiling::TailFit;
use flex_core::published::PERCENTILES;
use flex_core::sample::Samples;
use flex_core::tail::{Domain, Side};
use flex_run::model::Runner;

use crate::record::{ObservedSite, ObservedTest, Role, Series};
use crate::verdict::Finding;
pub use ask::Ask;
pub use offer::{Offer, OfferKind, Percentile, Price, Rate, Remedy};
pub use others::test_rate;
pub use standing::Standing;
use standing::standing;
use subjects::has_two_ends;
pub use subjects::subjects;
pub use suspicion::Suspicion;
use values::Values;

/// The confidences at which bounds are shown.
pub const LEVELS: [f64; 3] = [0.99, 0.999, 0.9999];

/// What can be done about one assertion.
#[derive(Debug, Clone)]
pub struct Menu {
    /// Whether something should be done, and by whom.
    pub standing: Standing,
    /// Whoever runs the test.
    pub runner: Runner,
    /// Whether the source fixes a seed.
    pub is_seeded: bool,
    /// The series that the assertion fails by, among those of the site.
    pub series: usize,
    /// Its values.
    pub samples: Samples,
    /// The side on which they fail.
    pub side: Side,
    /// The range that they can take.
    pub domain: Option<Domain>,
    /// The number in the source, in the unit of the values.
    pub bound: Option<f64>,
    /// The standard deviation of the values.
    pub deviation: f64,
    /// How often the assertion fails as it is.
    pub rate: Rate,
    /// The tail, where one was fitted.
    pub tail: Option<TailFit>,
    /// Values that most runs do not pass.
    pub percentiles: Vec<Percentile>,
    /// What looks like a bug.
    pub suspicions: Vec<Suspicion>,
    /// What can be done.
    pub offers: Vec<Offer>,
    /// Why some things cannot be done.
    pub refusals: Vec<(OfferKind, String)>,
    /// What might help besides.
    pub hint: Option<String>,
}

impl Menu {
    /// The menu for one number of an assertion: one of [`subjects`].
    pub fn price(
        test: &ObservedTest,
        site: &ObservedSite,
        index: usize,
        finding: &Finding,
        ask: &Ask,
    ) -> Option<Menu> {
        let series = site.series.get(index)?;
        let values = Values::new(test, site, series, ask.domain);
        let suspicions = suspicion::suspicions(finding, series, &values, 1.0 - ask.confidence);
        let present = numbers::present_limit(series, &values);
        let figures = &finding.figures;
        let failures = match present {
            // Of two ends, each has its own failures.
            Some(limit) if has_two_ends(site) => values.samples.count_beyond(values.side, limit),
            _ => figures.failed.len(),
        };
        let rate = match (failures, present) {
            (0, Some(limit)) => values.rate(limit),
            (0, None) => Rate::unknown(),
            _ => Rate::counted(failures, figures.runs),
        };
        let typical = values.ceiling(1.0 - ask.confidence).ok();
        let standing = match standing(finding, &suspicions) {
            // The other end may fail.
            Standing::Mend | Standing::Suspected
                if has_two_ends(site) && failures == 0 && rate.estimate <= 1.0 - ask.confidence =>
            {
                Standing::Keep
            }
            Standing::Mend if suspicion::is_open(series, &values, 1.0 - ask.confidence) => {
                Standing::Open
            }
            standing => standing,
        };
        let mut menu = Menu {
            standing,
            runner: test.id.runner(),
            is_seeded: !test.literal_seeds.is_empty(),
            series: index,
            side: values.side,
            domain: values.domain,
            bound: series.bound.filter(|_| !series.is_margin),
            deviation: values.deviation,
            rate,
            tail: values.tail(),
            percentiles: percentiles(&values),
            suspicions,
            offers: Vec::new(),
            refusals: Vec::new(),
            hint: typical
                .and_then(|ceiling| others::parameters(series, &values, ceiling.typical, ask)),
            samples: values.samples.clone(),
        };
        match menu.standing {
            Standing::Keep => menu.keep(series, &values, present, ask),
            // No promise would hold.
            Standing::Uncontrolled(_) | Standing::Broken => {}
            _ => menu.mend((test, site), &values, present, ask),
        }
        if menu.runner == Runner::Cargo && !test.is_stochastic {
            menu.without_attribute();
        }
        Some(menu)
    }

    /// A plain `#[test]` makes one run, in which nothing is learned and nothing claimed of others.
    fn without_attribute(&mut self) {
        let needs_one = |kind: OfferKind| [OfferKind::Learned, OfferKind::Claim].contains(&kind);
        let refused: Vec<OfferKind> = self.offers.iter().map(|offer| offer.kind).collect();
        self.offers.retain(|offer| !needs_one(offer.kind));
        for kind in refused.into_iter().filter(|kind| needs_one(*kind)) {
            let why = "a plain #[test] makes one run: put #[stochastic_test] in its place first";
            if !self.refusals.iter().any(|(known, _)| *known == kind) {
                self.refusals.push((kind, why.to_owned()));
            }
        }
    }

    /// The menu of a test that fails elsewhere than in an assertion that compares numbers.
    pub fn of_outcome(test: &ObservedTest, finding: &Finding, ask: &Ask) -> Menu {
        let figures = &finding.figures;
        let mut menu = Menu {
            standing: match standing(finding, &[]) {
                Standing::Mend if is_unseen(test) => Standing::Unseen,
                Standing::Mend => Standing::Elsewhere,
                other => other,
            },
            runner: test.id.runner(),
            is_seeded: !test.literal_seeds.is_empty(),
            series: 0,
            samples: Samples::default(),
            side: Side::Upper,
            domain: None,
            bound: None,
            deviation: 0.0,
            rate: Rate::counted(figures.failed.len(), figures.runs),
            tail: None,
            percentiles: Vec::new(),
            suspicions: Vec::new(),
            offers: Vec::new(),
            refusals: Vec::new(),
            hint: None,
        };
        if [Standing::Elsewhere, Standing::Unseen].contains(&menu.standing) {
            // How much an exception shifts, nobody knows.
            menu.offer(OfferKind::Rerun, others::rerun(test, ask, [0.0; 3]));
        }
        menu
    }

    /// The offers for an assertion that fails, or is likely to.
    fn mend(
        &mut self,
        (test, site): (&ObservedTest, &ObservedSite),
        values: &Values,
        present: Option<f64>,
        ask: &Ask,
    ) {
        let index = self.series;
        let series = &site.series[index];
        if self.standing == Standing::Golden {
            // What one seed showed is no distribution to bound.
        } else if series.knob.is_some() {
            let mut levels = LEVELS.to_vec();
            levels.retain(|level| (level - ask.confidence).abs() > 1e-12);
            levels.push(ask.confidence);
            levels.sort_by(f64::total_cmp);
            for level in levels {
                let offer = numbers::bound(index, series, values, level);
                self.offer_looser(offer, series, values, level == ask.confidence);
            }
            let has_bound = |offer: &Offer| offer.confidence == Some(ask.confidence);
            if !self.offers.iter().any(has_bound) {
                let offer = numbers::empirical(index, series, values);
                self.offer_looser(offer, series, values, true);
            }
            self.offer_others((test, site), ask);
        } else {
            let why = "no number is written in the assertion".to_owned();
            self.refusals.push((OfferKind::Bound, why));
        }
        let power = present.map_or([0.0; 3], |limit| values.power(limit));
        self.offer(OfferKind::Rerun, others::rerun(test, ask, power));
        if series.knob.is_some() {
            let learned = others::learned(index, test, series, values, ask);
            self.offer(OfferKind::Learned, learned);
        }
        self.offers
            .extend(claims::claim(test, site, series, values, ask));
        if let Some(limit) = present {
            self.offers.push(others::seed(test, series, values, limit));
        }
    }

    /// The other numbers of the assertion, such as the relative tolerance beside the absolute one.
    fn offer_others(&mut self, (test, site): (&ObservedTest, &ObservedSite), ask: &Ask) {
        for (index, series) in site.series.iter().enumerate() {
            let is_bound = matches!(series.role, Role::Upper | Role::Lower);
            if index == self.series || series.knob.is_none() || is_bound {
                continue;
            }
            let values = Values::new(test, site, series, None);
            if let Ok(offer) = numbers::bound(index, series, &values, ask.confidence) {
                self.offers.push(offer);
            }
        }
    }

    fn offer_looser(
        &mut self,
        offer: Result<Offer, String>,
        series: &Series,
        values: &Values,
        is_asked_for: bool,
    ) {
        match offer {
            Ok(offer) => match offer.change {
                Remedy::Number { limit, .. } if !numbers::is_looser(limit, series, values) => {
                    if is_asked_for {
                        let why = "the number is looser than that already".to_owned();
                        self.refusals.push((OfferKind::Bound, why));
                    }
                }
                _ => self.offers.push(offer),
            },
            Err(why) if is_asked_for => self.refusals.push((OfferKind::Bound, why)),
            Err(_) => {}
        }
    }

    fn offer(&mut self, kind: OfferKind, offer: Result<Offer, String>) {
        match offer {
            Ok(offer) => self.offers.push(offer),
            Err(why) => self.refusals.push((kind, why)),
        }
    }

    /// The offers for an assertion that is fine.
    fn keep(&mut self, series: &Series, values: &Values, present: Option<f64>, ask: &Ask) {
        if let Some(limit) = present {
            self.offers.push(Offer {
                kind: OfferKind::Keep,
                confidence: None,
                change: Remedy::Nothing,
                price: Price {
                    rate: self.rate,
                    seconds: 0.0,
                    power: values.power(limit),
                },
                notes: Vec::new(),
            });
        }
        if series.knob.is_some() && series.bound.is_some() && !series.is_margin {
            self.offers.extend(numbers::tighten(
                self.series,
                series,
                values,
                ask.confidence,
            ));
        }
    }
}

/// What is said of a test of which nothing is known but how it ends.
pub const UNSEEN: &str = "of this plain #[test] nothing is known but how it ends; with `use flex_harness as _;` in its \
     program, if that is of edition 2018 or newer, or #[stochastic_test] in place of #[test], `detect` sees what its \
     assertions compare, and `fix` can price a number";

/// Whether nothing is known of a test but how it ends: annotated and observed ones show what they compare.
fn is_unseen(test: &ObservedTest) -> bool {
    test.id.runner() == Runner::Cargo && !test.is_stochastic && test.sites.is_empty()
}

fn percentiles(values: &Values) -> Vec<Percentile> {
    let percentile = |level: f64| {
        let ceiling = values.ceiling(1.0 - level);
        let counted = match values.side {
            Side::Upper => values.samples.quantile(level),
            Side::Lower => values.samples.quantile(1.0 - level),
        };
        let value = ceiling.as_ref().map(|ceiling| ceiling.typical);
        Some(Percentile {
            level,
            value: value.ok().or(counted)?,
            limit: ceiling.ok().map(|ceiling| ceiling.bound),
        })
    };
    PERCENTILES.into_iter().filter_map(percentile).collect()
}

#[cfg(test)]
mod tests;
