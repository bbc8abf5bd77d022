//! `--method flex`: the published method, for those who want the paper's numbers.

mod answer;
mod explain;
mod fit;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::strategy::Strategy;
use flex_core::published::{PValuesBy, Published, PublishedQuestion, PublishedTail};
use flex_core::sample::Samples;
use flex_core::seed::{Phase, Seeds};
use flex_core::tail::{Domain, Side};

use super::inquiry::Inquiry;
pub use answer::PublishedAnswer;
pub use fit::{Fit, NoFit};

/// The published method's bounds, for every side that was asked for.
pub struct PublishedBounds {
    confidence: Confidence,
    domain: Option<Domain>,
    median: f64,
    /// The width of the middle 80 % of the samples: what numbers are rounded by.
    spread: f64,
    sides: Vec<(Side, Published)>,
}

impl PublishedBounds {
    /// Learns the bounds. A two-sided question gives half of its false-alarm rate to each side.
    ///
    /// p-values come from the table, or from so many bootstrap replicates.
    pub fn new(
        inquiry: &Inquiry,
        samples: &Samples,
        bootstrap: Option<usize>,
    ) -> Result<Self, String> {
        let question = &inquiry.question;
        let sides = question.tail.sides();
        let confidence = question.share.confidence;
        let of_side = Confidence::new(1.0 - confidence.false_alarm_rate() / sides.len() as f64)?;
        let learn = |side: &Side| {
            let asked = PublishedQuestion {
                side: *side,
                confidence: of_side,
                domain: question.domain,
                declared: inquiry.declared,
            };
            let mut uniform = uniform_numbers();
            let by = p_values_by(bootstrap, &mut uniform);
            (*side, Published::learn(samples, &asked, by))
        };
        let quantile = |p: f64| samples.quantile(p).unwrap_or(f64::NAN);
        Ok(PublishedBounds {
            confidence,
            domain: question.domain,
            median: quantile(0.5),
            spread: quantile(0.9) - quantile(0.1),
            sides: sides.iter().map(learn).collect(),
        })
    }

    /// Refused if any side is.
    pub fn is_refused(&self) -> bool {
        let refused = |(_, side): &(Side, Published)| side.decision.strategy() == Strategy::Refuse;
        self.sides.iter().any(refused)
    }
}

fn p_values_by(bootstrap: Option<usize>, uniform: &mut dyn FnMut() -> f64) -> PValuesBy<'_> {
    match bootstrap {
        Some(replicates) => PValuesBy::Bootstrap {
            replicates,
            uniform,
        },
        None => PValuesBy::Table,
    }
}

/// Numbers in [0, 1), the same each time: a seed gives four of 53 bits.
fn uniform_numbers() -> impl FnMut() -> f64 {
    let seeds = Seeds::new("bootstrap", Phase::Calibrate, "", "");
    let mut bits: Vec<u64> = Vec::new();
    let mut next = 0;
    move || {
        if bits.is_empty() {
            let seed = seeds.run(next);
            next += 1;
            let words = seed.as_chunks::<8>().0.iter();
            bits.extend(words.map(|word| u64::from_le_bytes(*word)));
        }
        (bits.pop().unwrap_or_default() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The tail that was used: the transformed one if there is one.
fn used(published: &Published) -> Option<&PublishedTail> {
    let transformed = published
        .transformed
        .as_ref()
        .and_then(|tail| tail.as_ref().ok());
    transformed.or(published.tail.as_ref().ok())
}
