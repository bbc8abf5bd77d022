//! Hits of claims: what the macros about all runs together call when an assertion is reached.

use super::hit::current;
use super::recording::{HitAsks, SiteOptions};
use crate::assertion::{Assertion, Extras};
use crate::claim::{BareClaim, ClaimSettings};
use crate::measure::Measurement;
use flex_run::model::{ClaimSpec, Draws};

/// A hit of a site that claims something of all runs.
pub fn claimed(
    site: &'static Assertion,
    claimed: BareClaim,
    draws: Draws,
    settings: ClaimSettings<'_>,
    extras: Extras<'_>,
) {
    // Without a scope there is a panic.
    let _ = record(site, claimed, draws, settings, extras);
}

fn record(
    site: &'static Assertion,
    claimed: BareClaim,
    draws: Draws,
    settings: ClaimSettings<'_>,
    extras: Extras<'_>,
) -> Option<()> {
    let scope = current(site)?;
    let name = extras.name.map(|name| name());
    let case = extras.case.map(|case| case());
    let mut recording = scope.lock(site)?;
    let index = match recording.claim(site, name.as_deref(), case.as_deref()) {
        Some((index, known)) => {
            if let (Some(then), Some(now)) = (known.declared(), claimed.bound())
                && then.to_bits() != now.to_bits()
            {
                recording.mistake(format!(
                    "`{}` ({}): its bound was {then} and then {now}; a claim about all runs has one bound, or a `case` for each",
                    site.text,
                    site.place()
                ));
            }
            index
        }
        None => {
            // The options may hit sites.
            drop(recording);
            let options = SiteOptions::of(&extras);
            let (domain, confidence) = match (&options.domain, &options.confidence) {
                (Ok(domain), Ok(confidence)) => (*domain, *confidence),
                (Err(error), _) | (_, Err(error)) => {
                    let what = format!("`{}` ({}): {error}", site.text, site.place());
                    scope.lock(site)?.mistake(what);
                    return None;
                }
            };
            let spec = ClaimSpec {
                confidence,
                ..claimed.spec(&settings, domain)
            };
            recording = scope.lock(site)?;
            let sample = Measurement {
                value: 0.0,
                is_time: false,
                is_margin: false,
                ends: None,
            };
            recording.register(site, HitAsks::Claim(&spec), (name, case), sample, options)?
        }
    };
    let wants_message = recording.draw(index, draws);
    drop(recording);
    if wants_message && let Some(message) = extras.message {
        let message = scope.within_message(message);
        if let Some(hit) = &mut scope.lock(site)?.hits[index] {
            hit.message = Some(message);
        }
    }
    Some(())
}
