//! An assertion, and the number that its values are compared with.

use flex_core::tail::Domain;
use proc_macro2::{TokenStream, TokenTree};

use super::calls::{self, Call};
use super::comparison::{bounds, is_epsilon, is_literal, sides};
use super::constants;
use super::find::{find, only};
use super::kind::AssertionKind;
use super::number::{GivenNumber, NumberInRust};
use crate::record::{self, Knob, ObservedSite, Role, Series};
use crate::source::NoPlace;
use crate::source::literal::value;

/// An assertion in a source.
#[derive(Debug)]
pub struct RustAssertion {
    pub(super) call: Call,
    file: TokenStream,
}

impl RustAssertion {
    /// Finds the assertion that the record speaks of: at its line, or by its text if lines have moved.
    pub fn find(text: &str, site: &ObservedSite) -> Result<RustAssertion, NoPlace> {
        let (call, file) = find(text, site)?;
        Ok(RustAssertion { call, file })
    }

    /// The domain that it declares.
    pub fn domain(&self) -> Option<Domain> {
        let option = self.call.option("domain")?;
        let text: String = option.iter().map(ToString::to_string).collect();
        text.parse().ok()
    }

    /// The number that the values of a series are compared with.
    pub fn place(&self, text: &str, series: &Series) -> Result<NumberInRust, NoPlace> {
        let kind = AssertionKind::of(&self.call.name).unwrap_or(AssertionKind::Comparison);
        let operand = match kind {
            AssertionKind::Comparison => self.bound_operand(text, series)?,
            _ => {
                let key = kind.key(series.role).ok_or_else(|| self.no_number())?;
                match self.call.option(key) {
                    Some(operand) => operand.to_vec(),
                    None if kind == AssertionKind::Close => return Err(self.no_number()),
                    None => return Ok(self.left_out(key)),
                }
            }
        };
        let place = self
            .resolve(text, &operand)
            .ok_or_else(|| self.no_number())?;
        self.changes_nothing_else(&place, series.role)?;
        Ok(place)
    }

    /// Makes sure that a constant is not used for something else.
    fn changes_nothing_else(&self, place: &NumberInRust, role: Role) -> Result<(), NoPlace> {
        let Some(name) = &place.constant else {
            return Ok(());
        };
        let constant = constants::number_of(&self.file, name, self.call.range.start);
        match constant {
            Some(constant) if constant.only_bounds(name, role != Role::Lower) => Ok(()),
            _ => Err(NoPlace::NoNumber(format!(
                "`{name}` stands for something else too, which another number would change: give the assertion in \
                 line {} a number of its own",
                self.call.lines.start()
            ))),
        }
    }

    /// A series of margins as one of values, where the bound turns out to be a constant: what is recorded is the left side
    /// less the right one, or a difference less its tolerance.
    pub fn without_margin(&self, text: &str, series: &Series) -> Option<Series> {
        let constant = |operand: &[TokenTree]| {
            let place = self.resolve(text, operand)?;
            place.constant.as_ref()?;
            value(&text[place.range])
        };
        let (role, bound, is_left) = match AssertionKind::of(&self.call.name)? {
            AssertionKind::Comparison => {
                let [(is_right_above, right), (_, left)] = &sides(&self.call.tokens)?;
                let role = |is_above: bool| if is_above { Role::Upper } else { Role::Lower };
                match (constant(left), constant(right)) {
                    (None, Some(bound)) => (role(*is_right_above), bound, false),
                    (Some(bound), None) => (role(!is_right_above), bound, true),
                    _ => return None,
                }
            }
            kind => {
                let operand = self.call.option(kind.key(series.role)?)?;
                (series.role, constant(operand)?, false)
            }
        };
        let value = |margin: f64| {
            if is_left {
                bound - margin
            } else {
                margin + bound
            }
        };
        Some(Series {
            role,
            bound: Some(bound),
            is_margin: false,
            is_strict: series.is_strict,
            knob: Some(Knob {
                text: bound.to_string(),
                given: record::Given::Source,
            }),
            values: series
                .values
                .iter()
                .map(|(run, margin)| (*run, value(*margin)))
                .collect(),
        })
    }

    /// Of all operands of comparisons, the number that is on the series' side and has its value.
    pub(super) fn bound_operand(
        &self,
        text: &str,
        series: &Series,
    ) -> Result<Vec<TokenTree>, NoPlace> {
        let is_upper = match series.role {
            Role::Upper => true,
            Role::Lower => false,
            _ => return Err(self.no_number()),
        };
        let numbers: Vec<Vec<TokenTree>> = bounds(&self.call.tokens)
            .into_iter()
            .filter(|(bounds_from_above, _)| *bounds_from_above == is_upper)
            .map(|(_, operand)| operand)
            .filter(|operand| self.resolve(text, operand).is_some())
            .collect();
        if numbers.is_empty() {
            return Err(self.no_number());
        }
        let has_value = |operand: &&Vec<TokenTree>| {
            let place = self.resolve(text, operand);
            let number = place.and_then(|place| value(&text[place.range]));
            // Numbers of type f32 are recorded as they are.
            let is_it = |bound: f64| number == Some(bound) || number.map(f64_of_f32) == Some(bound);
            series.bound.is_none_or(is_it)
        };
        let found = only(numbers.iter().filter(has_value));
        found.cloned().ok_or_else(|| {
            NoPlace::Changed(format!(
                "line {} no longer compares with {}",
                self.call.lines.start(),
                series.bound.unwrap_or(f64::NAN)
            ))
        })
    }

    /// The number that an operand is: a literal with its sign, or a constant's.
    fn resolve(&self, text: &str, operand: &[TokenTree]) -> Option<NumberInRust> {
        let operand = calls::opened(operand);
        let range = calls::range(&operand)?;
        let written = text.get(range.clone())?;
        if is_literal(&operand) || is_epsilon(&operand) {
            let style = if is_literal(&operand) {
                written
            } else {
                "1e-9"
            };
            return Some(NumberInRust {
                range,
                given: GivenNumber::Literal(style.to_owned()),
                constant: None,
            });
        }
        let [TokenTree::Ident(name)] = &operand[..] else {
            return None;
        };
        let name = name.to_string();
        let range = constants::number_of(&self.file, &name, self.call.range.start)?.range;
        Some(NumberInRust {
            given: GivenNumber::Literal(text.get(range.clone())?.to_owned()),
            range,
            constant: Some(name),
        })
    }

    fn left_out(&self, key: &'static str) -> NumberInRust {
        let style = if key == "max_ulps" { "4" } else { "1e-9" };
        let at = self.call.after_last_argument();
        NumberInRust {
            range: at..at,
            given: GivenNumber::LeftOut { key, style },
            constant: None,
        }
    }

    pub(super) fn no_number(&self) -> NoPlace {
        NoPlace::NoNumber(format!(
            "`{}!` in line {} has no number that could be another one",
            self.call.name,
            self.call.lines.start()
        ))
    }
}

fn f64_of_f32(number: f64) -> f64 {
    f64::from(number as f32)
}
