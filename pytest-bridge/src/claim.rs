//! Claims about all runs together: what the functions of Python say, read by the engine's tables.

use flex_bounds::claim::{CLAIM_OPTIONS, ClaimOption, ClaimRule, FAMILIES, Family};
use flex_core::bound::confidence::Confidence;
use flex_core::tail::{Domain, Side};
use flex_run::model::{ClaimSpec, Claimed, Comparison, Limit, Operator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the functions that claim something, with their options.
#[pyfunction]
pub fn claim_families() -> Vec<(&'static str, Vec<&'static str>)> {
    let forms = FAMILIES.iter();
    forms
        .map(|form| (form.name, form.options.to_vec()))
        .collect()
}

/// Reads what a call claims: a comparison with a bound or, where that is learned, the tail; and its options, of which
/// `None` says nothing.
pub fn read(
    family: &str,
    compared: Option<(&str, Option<f64>)>,
    options: &Bound<'_, PyDict>,
) -> PyResult<ClaimSpec> {
    let family = Family::named(family).ok_or_else(|| refused(format!("no family {family}")))?;
    let stated = Stated { family, options };
    let domain: Option<(f64, f64)> = stated.get("domain")?;
    let confidence: Option<f64> = stated.get("confidence")?;
    let spec = ClaimSpec {
        domain: domain
            .map(|(lower, upper)| Domain::new(lower, upper))
            .transpose()
            .map_err(PyValueError::new_err)?,
        margin: stated.get("margin")?,
        confidence: confidence
            .map(Confidence::new)
            .transpose()
            .map_err(PyValueError::new_err)?,
        max_runs: stated.get("max_runs")?,
        undecided_fails: stated.is_other_word("undecided")?,
        independent: stated.is_other_word("draws")?,
        ..ClaimSpec::new(stated.claimed(compared)?)
    };
    match spec.independent && spec.learns().is_some() {
        true => Err(refused(
            "what is learned is about the mean of what a run draws: leave `draws` out, or write the bound"
                .to_owned(),
        )),
        false => Ok(spec),
    }
}

/// The options that a call states.
struct Stated<'a, 'py> {
    family: Family,
    options: &'a Bound<'py, PyDict>,
}

impl<'py> Stated<'_, 'py> {
    fn claimed(&self, compared: Option<(&str, Option<f64>)>) -> PyResult<Claimed> {
        Ok(match self.family {
            Family::Mean => Claimed::Mean(self.limit(compared)?),
            Family::Rate => Claimed::Rate(self.limit(compared)?),
            Family::Distributed => Claimed::Distributed,
            Family::SameDistribution => Claimed::SameDistribution,
            Family::NoWorse => Claimed::NoWorse {
                worse: match self.is_other_word("better")? {
                    true => Side::Lower,
                    false => Side::Upper,
                },
            },
        })
    }

    fn limit(&self, compared: Option<(&str, Option<f64>)>) -> PyResult<Limit> {
        let near: [Option<f64>; 2] = [self.get("of")?, self.get("within")?];
        match (compared, near) {
            (Some((tail, None)), [None, None]) => {
                let tail = tail.parse().map_err(PyValueError::new_err)?;
                Ok(Limit::Learned(tail))
            }
            (Some((operator, Some(bound))), [None, None]) => {
                let comparison = Comparison::new(operator_of(operator)?, bound);
                Ok(Limit::Declared(comparison))
            }
            (None, [Some(of), Some(within)]) => Ok(Limit::Near { of, within }),
            (None, [None, None]) => {
                let near = match self.family {
                    Family::Mean => ", or say `within` and `of`",
                    _ => "",
                };
                let name = self.family;
                Err(refused(format!(
                    "compare it with a number, as in `{name}(x) < 0.1`{near}"
                )))
            }
            (None, _) => Err(refused("`within` and `of` belong together".to_owned())),
            (Some(_), _) => Err(refused(
                "it is compared with a number, and has `within` or `of`: leave one of the two out"
                    .to_owned(),
            )),
        }
    }

    /// The value of an option, if it is stated; checked by its rule.
    fn get<T: for<'a> FromPyObject<'a, 'py>>(&self, name: &'static str) -> PyResult<Option<T>> {
        let Some((option, value)) = self.stated(name)? else {
            return Ok(None);
        };
        let kept = match option.rule {
            ClaimRule::Text | ClaimRule::Range | ClaimRule::Word(_) => true,
            ClaimRule::Count => value.extract::<u32>().is_ok_and(|count| count >= 1),
            rule => value.extract::<f64>().is_ok_and(|number| match rule {
                ClaimRule::Probability => number > 0.0 && number < 1.0,
                ClaimRule::Positive => number > 0.0 && number.is_finite(),
                _ => number.is_finite(),
            }),
        };
        match value.extract() {
            Ok(read) if kept => Ok(Some(read)),
            _ => Err(against(option, &value)),
        }
    }

    /// Whether an option of two words has the second.
    fn is_other_word(&self, name: &'static str) -> PyResult<bool> {
        let Some((option, value)) = self.stated(name)? else {
            return Ok(false);
        };
        let word: Option<String> = value.extract().ok();
        match (option.rule, word) {
            (ClaimRule::Word([first, _]), Some(word)) if word == first => Ok(false),
            (ClaimRule::Word([_, second]), Some(word)) if word == second => Ok(true),
            _ => Err(against(option, &value)),
        }
    }

    fn stated(
        &self,
        name: &'static str,
    ) -> PyResult<Option<(&'static ClaimOption, Bound<'py, PyAny>)>> {
        let value = self
            .options
            .get_item(name)?
            .filter(|value| !value.is_none());
        let mut known = CLAIM_OPTIONS.iter();
        let option = known.find(|option| option.name == name);
        Ok(option.zip(value))
    }
}

fn operator_of(sign: &str) -> PyResult<Operator> {
    Ok(match sign {
        "<" => Operator::Less,
        "<=" => Operator::AtMost,
        ">" => Operator::Greater,
        ">=" => Operator::AtLeast,
        _ => return Err(refused(format!("no comparison {sign}"))),
    })
}

fn against(option: &ClaimOption, value: &Bound<'_, PyAny>) -> PyErr {
    let ClaimOption { name, meaning, .. } = option;
    let value = value
        .repr()
        .map_or_else(|_| "…".to_owned(), |repr| repr.to_string());
    refused(format!("{name}={value}: `{name}` {meaning}"))
}

fn refused(why: String) -> PyErr {
    PyValueError::new_err(why)
}
