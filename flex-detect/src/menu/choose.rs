//! Which offer is taken: what is asked for, or what is best, and nothing where something looks like a bug.

use flex_run::model::Runner;

use super::{Menu, Offer, OfferKind, Standing, UNSEEN};

/// A patch that catches a shift by three standard deviations in so many runs is good enough.
const ENOUGH: f64 = 0.1;

/// One that catches it more rarely is none.
const LEAST: f64 = 0.05;

impl Menu {
    /// What to do: what is asked for, or the first that can be done of a bound, an empirical bound, a number that flex
    /// learns and reruns, and still catches what it should. An assertion that is suspected of showing a bug is changed
    /// only on request.
    pub fn choose(
        &self,
        asked: Option<OfferKind>,
        even_suspected: bool,
        confidence: f64,
    ) -> Result<&Offer, String> {
        match &self.standing {
            Standing::Uncontrolled(source) => {
                return Err(format!(
                    "the same seed shows other values ({source}), so no bound keeps a promise; control that first"
                ));
            }
            Standing::Broken => {
                return Err("it always fails: mend the code, or the test".to_owned());
            }
            Standing::Keep if asked != Some(OfferKind::Tighten) => {
                return Err("it is fine as it is".to_owned());
            }
            Standing::Golden if !(even_suspected && asked.is_some()) => {
                return Err(
                    "it passes only under the seed of the source: compare with a tolerance that other seeds keep, \
                     or let flex learn one (--choose learned --suspected)"
                        .to_owned(),
                );
            }
            Standing::Elsewhere if asked.is_none() => {
                return Err(
                    "it fails elsewhere than in an assertion that compares numbers; look at the failing run"
                        .to_owned(),
                );
            }
            Standing::Unseen if asked.is_none() => {
                return Err(UNSEEN.to_owned());
            }
            Standing::Open
                if asked.is_none() && self.best(&[OfferKind::Learned], confidence).is_none() =>
            {
                return Err(
                    "these runs leave open where its number belongs; `detect --tight` makes more"
                        .to_owned(),
                );
            }
            Standing::Suspected if !(even_suspected && asked.is_some()) => {
                return Err("this looks like a bug; look there first".to_owned());
            }
            _ => {}
        }
        if let Some(kind) = asked {
            let offer = self.at_level(kind, confidence);
            return offer.ok_or_else(|| self.why_not(&[kind]));
        }
        let order = match self.standing {
            Standing::Open => &[OfferKind::Learned][..],
            _ => self.order(),
        };
        self.best(order, confidence).ok_or_else(|| {
            match order.iter().any(|kind| self.at_level(*kind, confidence).is_some()) {
                true => "nothing that unchanged code passes would still catch a shift by three standard deviations \
                         in one run of twenty; choose with --choose, or use more data"
                    .to_owned(),
                false => self.why_not(order),
            }
        })
    }

    /// What is looked at in turn if nobody asks. Flex learns the numbers of an annotated test anyway; under a seed that
    /// the source fixes there is nothing to learn.
    fn order(&self) -> &'static [OfferKind] {
        use OfferKind::{Bound, Empirical, Learned, Rerun};
        match (self.is_seeded, self.runner) {
            (true, _) => &[Bound, Empirical, Rerun],
            (false, Runner::Cargo) => &[Learned, Bound, Empirical, Rerun],
            (false, Runner::Pytest) => &[Bound, Empirical, Learned, Rerun],
        }
    }

    /// The first that still catches what it should, or else whichever catches most.
    fn best(&self, order: &[OfferKind], confidence: f64) -> Option<&Offer> {
        let caught = |offer: &&Offer| offer.price.power[2];
        let offers = || {
            order
                .iter()
                .filter_map(|kind| self.at_level(*kind, confidence))
        };
        let most = offers().filter(|offer| caught(offer) >= LEAST);
        offers()
            .find(|offer| caught(offer) >= ENOUGH)
            .or_else(|| most.max_by(|a, b| caught(a).total_cmp(&caught(b))))
    }

    fn at_level(&self, kind: OfferKind, confidence: f64) -> Option<&Offer> {
        let fits = |offer: &&Offer| {
            let is_at_level = offer.confidence.is_none_or(|level| level == confidence);
            offer.kind.answers(kind) && is_at_level
        };
        self.offers.iter().find(fits)
    }

    fn why_not(&self, wanted: &[OfferKind]) -> String {
        let reasons: Vec<&str> = self
            .refusals
            .iter()
            .filter(|(kind, _)| wanted.iter().any(|wanted| wanted.answers(*kind)))
            .map(|(_, why)| why.as_str())
            .collect();
        match reasons[..] {
            [] => "nothing of that sort can be done about it".to_owned(),
            _ => reasons.join("; "),
        }
    }
}
