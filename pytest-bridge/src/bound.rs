//! A bound from numbers, for Python code that has no test.

use flex_core::bound::confidence::Confidence;
use flex_core::bound::power::Power;
use flex_core::bound::{LearnedBound as Learned, Question, SideBound};
use flex_core::sample::Samples;
use flex_core::tail::Domain;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The bound of one metric: what was learned for each side.
#[pyclass(frozen, get_all)]
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedBound {
    /// The number of samples.
    samples: usize,
    /// Their median.
    median: f64,
    /// How the bound came about: `tail`, `order`, `guard` or `refuse`.
    strategy: &'static str,
    /// Why something is missing that one might expect.
    reason: Option<String>,
    /// For small values, if asked for.
    lower: Option<Side>,
    /// For large values, if asked for.
    upper: Option<Side>,
}

/// Both tiers of one side.
#[pyclass(frozen, get_all)]
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// A value beyond it is in doubt.
    guard: Option<f64>,
    /// A value beyond it fails at once.
    ceiling: Option<f64>,
    /// A standard deviation of the values, as a shift outward.
    shift: Option<f64>,
    /// The probability that a run catches a shift of one, two and three of them.
    power: Option<[f64; 3]>,
}

#[pymethods]
impl LearnedBound {
    fn __repr__(&self) -> String {
        let side = |name: &str, side: &Option<Side>| match side {
            Some(side) => format!(", {name}={}", side.__repr__()),
            None => String::new(),
        };
        format!(
            "LearnedBound(samples={}, median={}, strategy='{}'{}{})",
            self.samples,
            self.median,
            self.strategy,
            side("lower", &self.lower),
            side("upper", &self.upper)
        )
    }
}

#[pymethods]
impl Side {
    fn __repr__(&self) -> String {
        let number = |x: Option<f64>| x.map_or("None".to_owned(), |x| x.to_string());
        format!(
            "Side(guard={}, ceiling={})",
            number(self.guard),
            number(self.ceiling)
        )
    }
}

/// Learns how far values can stray, from the values that unchanged code gives, one a run.
#[pyfunction]
#[pyo3(signature = (samples, *, confidence=0.9999, tail="upper", domain=None, light=false))]
pub fn bound(
    samples: Vec<f64>,
    confidence: f64,
    tail: &str,
    domain: Option<(f64, f64)>,
    light: bool,
) -> PyResult<LearnedBound> {
    let confidence = Confidence::new(confidence).map_err(PyValueError::new_err)?;
    let tail = tail.parse().map_err(PyValueError::new_err)?;
    let domain = domain.map(|(lower, upper)| Domain::new(lower, upper));
    let question = Question {
        domain: domain.transpose().map_err(PyValueError::new_err)?,
        light,
        ..Question::new(tail, confidence)
    };
    let samples = Samples::from_values(&samples);
    let learned = Learned::learn(&samples, &question);
    let power = |side: &SideBound| Power::of(side, &samples, 0.0);
    Ok(LearnedBound::of(&learned, power))
}

impl LearnedBound {
    pub fn of(learned: &Learned, power: impl Fn(&SideBound) -> Option<Power>) -> Self {
        let side = |wanted| {
            let found = learned.sides.iter().find(|side| side.side == wanted);
            found.map(|side| Side::of(side, power(side)))
        };
        LearnedBound {
            samples: learned.samples,
            median: learned.median,
            strategy: learned.strategy().as_str(),
            reason: learned.reason(),
            lower: side(flex_core::tail::Side::Lower),
            upper: side(flex_core::tail::Side::Upper),
        }
    }
}

impl Side {
    fn of(learned: &SideBound, power: Option<Power>) -> Self {
        Side {
            guard: learned.guard.as_ref().ok().map(|guard| guard.bound),
            ceiling: learned.ceiling.as_ref().ok().map(|ceiling| ceiling.bound),
            shift: power.map(|power| power.shift),
            power: power.map(|power| power.caught),
        }
    }
}
