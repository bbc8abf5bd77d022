//! `--method flex`: the published method, for those who want the paper's numbers.

use std::fmt;

use clap::ValueEnum;
use flex_bounds::round::{nearest, outward};
use flex_core::bound::confidence::Confidence;
use flex_core::bound::strategy::Strategy;
use flex_core::published::{
    Decision, Evidence, PERCENTILES, PValuesBy, Published, PublishedQuestion, PublishedTail,
    ThresholdFit, fit_at,
};
use flex_core::sample::Samples;
use flex_core::seed::{Phase, Seeds};
use flex_core::tail::{Domain, Side};
use serde::Serialize;

use super::Inquiry;
use flex_core::words::{paragraph, percent, plain, short};

/// How a bound is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Method {
    /// A guard with reruns and a ceiling with a margin
    #[default]
    Default,
    /// The method of the FLEX paper: a point estimate without reruns
    Flex,
}

/// What the method says of every side that was asked for.
pub struct PublishedFinding {
    confidence: Confidence,
    domain: Option<Domain>,
    median: f64,
    /// The width of the middle 80 % of the samples: what numbers are rounded by.
    spread: f64,
    sides: Vec<(Side, Published)>,
}

impl PublishedFinding {
    /// A two-sided question gives half of its false-alarm rate to each side.
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
        Ok(PublishedFinding {
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

    pub fn answer(&self) -> PublishedAnswer {
        PublishedAnswer {
            method: "flex",
            confidence: self.confidence.value(),
            sides: match self.sides.as_slice() {
                [lower, upper] => Sides::Both(Box::new(Pair {
                    lower: SideAnswer::new(lower),
                    upper: SideAnswer::new(upper),
                })),
                one => Sides::One(Box::new(SideAnswer::new(&one[0]))),
            },
        }
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

/// The answer as JSON, with the keys of the default method and those of the published one.
#[derive(Debug, Serialize)]
pub struct PublishedAnswer {
    method: &'static str,
    confidence: f64,
    #[serde(flatten)]
    sides: Sides,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Sides {
    One(Box<SideAnswer>),
    Both(Box<Pair>),
}

#[derive(Debug, Serialize)]
struct Pair {
    lower: SideAnswer,
    upper: SideAnswer,
}

#[derive(Debug, Serialize)]
struct SideAnswer {
    samples: usize,
    tail: &'static str,
    strategy: &'static str,
    ceiling: Option<f64>,
    guard: Option<()>,
    reason: Option<String>,
    fit: Option<Fit>,
    power: Option<()>,
    extra_runs: f64,
    /// light, exponential or heavy.
    kind: Option<String>,
    box_cox: Option<f64>,
    percentiles: Option<[(f64, f64); PERCENTILES.len()]>,
    empirical: Option<(f64, f64)>,
    /// Runs of which one must pass, with `rerun`.
    runs: Option<u64>,
    failure_rate: Option<f64>,
}

/// A fit over one threshold.
#[derive(Debug, Serialize)]
pub struct Fit {
    threshold: f64,
    exceedances: usize,
    scale: f64,
    shape: f64,
    log_likelihood: f64,
    ad: f64,
    ad_p: f64,
    cvm: f64,
    cvm_p: f64,
}

/// Why there is no such fit.
#[derive(Debug, Serialize)]
pub struct NoFit {
    pub reason: String,
}

impl Fit {
    /// The fit at exactly so many exceedances.
    pub fn at(
        samples: &Samples,
        side: Side,
        exceedances: usize,
        bootstrap: Option<usize>,
    ) -> Result<Fit, NoFit> {
        let mut uniform = uniform_numbers();
        let by = p_values_by(bootstrap, &mut uniform);
        match fit_at(samples, side, exceedances, by) {
            Ok(fit) => Ok(Fit::new(&fit, fit.threshold)),
            Err(why) => Err(NoFit {
                reason: why.to_string(),
            }),
        }
    }

    /// The threshold is in the units of the samples; after a Box–Cox transform, scale and shape are not.
    fn new(fit: &ThresholdFit, threshold: f64) -> Self {
        Fit {
            threshold,
            exceedances: fit.exceedances,
            scale: fit.fit.gpd.scale(),
            shape: fit.fit.gpd.shape(),
            log_likelihood: fit.fit.log_likelihood,
            ad: fit.distance.anderson_darling,
            ad_p: fit.p_values.anderson_darling,
            cvm: fit.distance.cramer_von_mises,
            cvm_p: fit.p_values.cramer_von_mises,
        }
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} exceedances of {}\n",
            self.exceedances,
            short(self.threshold)
        )?;
        writeln!(f, "  scale             {}", short(self.scale))?;
        writeln!(f, "  shape             {}", short(self.shape))?;
        writeln!(f, "  log-likelihood    {}", short(self.log_likelihood))?;
        let (ad, cvm) = (percent(self.ad_p), percent(self.cvm_p));
        writeln!(f, "  Anderson–Darling  {:.6}, p = {ad}", self.ad)?;
        writeln!(f, "  Cramér–von Mises  {:.6}, p = {cvm}", self.cvm)
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

impl SideAnswer {
    fn new((side, published): &(Side, Published)) -> Self {
        let tail = used(published);
        let (runs, failure_rate) = match published.decision {
            Decision::Rerun {
                runs, failure_rate, ..
            } => (Some(runs), Some(failure_rate)),
            _ => (None, None),
        };
        SideAnswer {
            samples: published.samples,
            tail: side.as_str(),
            strategy: published.decision.strategy().as_str(),
            ceiling: published.decision.bound(),
            guard: None,
            reason: match &published.decision {
                Decision::Refuse { reason } => Some(reason.clone()),
                _ => None,
            },
            fit: tail.map(|tail| Fit::new(&tail.fit, tail.threshold())),
            power: None,
            extra_runs: 0.0,
            kind: tail.map(|tail| tail.kind.to_string()),
            box_cox: tail
                .and_then(|tail| tail.transform)
                .map(|transform| transform.lambda),
            percentiles: published
                .percentiles
                .map(|values| std::array::from_fn(|i| (100.0 * PERCENTILES[i], values[i]))),
            empirical: match &published.empirical {
                Some(Ok(empirical)) => Some(empirical.interval),
                _ => None,
            },
            runs,
            failure_rate,
        }
    }
}

impl fmt::Display for PublishedFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (side, published) in &self.sides {
            let sign = match side {
                Side::Upper => "≤",
                Side::Lower => "≥",
            };
            let values = match published.samples {
                1 => "1 value".to_owned(),
                many => format!("{many} values"),
            };
            writeln!(f, "{values}, {side} tail, the published method\n")?;
            if let Some(bound) = published.decision.bound() {
                let strategy = published.decision.strategy();
                let rounded = plain(outward(*side, bound, self.median, None, self.domain));
                writeln!(
                    f,
                    "  bound  x {sign} {rounded:<12}  strategy {strategy}
"
                )?;
            }
            if let Some(tail) = used(published) {
                let transform = match tail.transform {
                    Some(transform) => {
                        format!(" after a Box–Cox transform (λ = {:.3})", transform.lambda)
                    }
                    None => String::new(),
                };
                let words = format!(
                    "The tail is {}{transform}: {} exceedances of {}, shape {:.3}, Anderson–Darling p = {}.",
                    tail.kind,
                    tail.fit.exceedances,
                    plain(nearest(tail.threshold(), self.spread)),
                    tail.fit.fit.gpd.shape(),
                    percent(tail.fit.p_values.anderson_darling)
                );
                paragraph(f, "", &words)?;
            }
            if let Some(values) = published.percentiles {
                for (percentile, value) in PERCENTILES.iter().zip(values) {
                    let value = plain(nearest(value, self.spread));
                    writeln!(f, "  {:>6}%  {value}", short(100.0 * percentile))?;
                }
                writeln!(f)?;
            }
            paragraph(f, "", &decision(published))?;
        }
        let bounded = |(_, side): &(Side, Published)| side.decision.bound().is_some();
        if self.sides.iter().any(bounded) {
            let words = "this bound is a point estimate without a margin, and such bounds fail more often than they promise (docs/truth.md). The default method keeps its promise.";
            paragraph(f, "note: ", words)?;
        }
        Ok(())
    }
}

/// What to do, in a sentence.
fn decision(published: &Published) -> String {
    match &published.decision {
        Decision::Tail { .. } => "Use the quantile of the tail.".to_owned(),
        Decision::Empirical { .. } => match &published.empirical {
            Some(Ok(empirical)) => format!(
                "No light or exponential tail: use the bootstrapped extreme, between {} and {} with 95% confidence.",
                short(empirical.interval.0),
                short(empirical.interval.1)
            ),
            _ => "Use the bootstrapped extreme.".to_owned(),
        },
        Decision::Rerun {
            failure_rate,
            evidence,
            runs,
        } => format!(
            "No bound: keep the declared one and run a failing test up to {runs} times, of which one must pass. It fails in {} of runs, {}.",
            percent(*failure_rate),
            match evidence {
                Evidence::Observed => "as the samples show",
                Evidence::Tail => "as the fitted tail suggests",
            }
        ),
        Decision::Keep {
            declared,
            bound: Some(_),
        } => format!(
            "Keep the declared bound {}: it is looser than needed.",
            plain(*declared)
        ),
        Decision::Keep { declared, .. } => format!(
            "Keep the declared bound {}: it fails no more often than the confidence allows.",
            plain(*declared)
        ),
        Decision::Refuse { reason } => format!("Refused: {reason}"),
    }
}
