//! `--method flex`: the published method, for those who want the paper's numbers.

mod answer;
mod explain;
mod fit;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::strategy::Strategy;
use flex_core::calibration::{Run, SiteSpec};
use flex_core::published::{
    PValuesBy, Published, PublishedCalibration, PublishedPlan, PublishedQuestion, PublishedStep,
    PublishedTail, ThresholdRule,
};
use flex_core::sample::Samples;
use flex_core::seed::{Phase, Seeds};
use flex_core::tail::{Domain, Side};

use super::args::BoundArgs;
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

/// How the method is applied, where the paper leaves a choice.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishedSettings {
    rule: ThresholdRule,
    /// p-values come from so many bootstrap replicates instead of the table.
    bootstrap: Option<usize>,
}

impl PublishedSettings {
    /// What the command line says.
    pub fn of(args: &BoundArgs) -> Self {
        PublishedSettings {
            rule: args.rule.unwrap_or_default().into(),
            bootstrap: args.bootstrap.map(|replicates| replicates as usize),
        }
    }

    /// As many of the values, from the first on, as the published tool would have collected.
    pub fn grown(&self, inquiry: &Inquiry, values: &[f64]) -> Result<Samples, String> {
        let question = &inquiry.question;
        let mut calibration = PublishedCalibration::new(PublishedPlan {
            confidence: question.share.confidence,
            rule: self.rule,
            ..PublishedPlan::default()
        });
        let spec = SiteSpec {
            domain: question.domain,
            ..SiteSpec::new(question.tail)
        };
        loop {
            match calibration.step().map_err(|error| error.to_string())? {
                PublishedStep::Done(done) => {
                    let runs = (done.runs as usize).min(values.len());
                    return Ok(Samples::from_values(&values[..runs]));
                }
                PublishedStep::Collect(_) => {
                    let wanted: Vec<u32> = calibration.wanted().collect();
                    for index in wanted {
                        let Some(value) = values.get(index as usize) else {
                            calibration.out_of_time();
                            break;
                        };
                        let run = Run {
                            index,
                            panicked: false,
                            hits: vec![("x".into(), spec, *value)],
                        };
                        calibration.push(&run).map_err(|error| error.to_string())?;
                    }
                }
            }
        }
    }

    /// Learns the bounds. A two-sided question gives half of its false-alarm rate to each side.
    pub fn bounds(&self, inquiry: &Inquiry, samples: &Samples) -> Result<PublishedBounds, String> {
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
                rule: self.rule,
            };
            let mut uniform = uniform_numbers();
            let by = p_values_by(self.bootstrap, &mut uniform);
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
}

impl PublishedBounds {
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
