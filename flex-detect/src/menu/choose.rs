//! Which offer is taken: what is asked for, or what is best, and nothing where something looks like a bug.

use super::{Menu, Offer, OfferKind, Standing};

impl Menu {
    /// What to do: what is asked for, or the first that can be done of a bound, an empirical bound and reruns. An
    /// assertion that is suspected of showing a bug is changed only on request.
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
            Standing::Open if asked.is_none() => {
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
        let default = [OfferKind::Bound, OfferKind::Empirical, OfferKind::Rerun];
        let wanted = match &asked {
            Some(kind) => std::slice::from_ref(kind),
            None => &default[..],
        };
        let fits = |offer: &&Offer, kind: OfferKind| {
            let is_at_level = offer.confidence.is_none_or(|level| level == confidence);
            offer.kind.answers(kind) && is_at_level
        };
        wanted
            .iter()
            .find_map(|kind| self.offers.iter().find(|offer| fits(offer, *kind)))
            .ok_or_else(|| self.why_not(wanted))
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
