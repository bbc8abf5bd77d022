//! Numbers in the assertions of Rust sources.
//!
//! Assertions are macros, and what they hold need not be an expression: `_ < x < 0.5`. So they are read as tokens, which
//! know their place in the text.

pub mod attribute;
mod calls;
mod constants;
mod learn;

use std::ops::Range;

use flex_core::tail::Domain;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::record::{self, Knob, ObservedSite, Role, Series};
use crate::source::literal::{Whole, restyle, value};
use crate::source::{Edit, NoPlace};
use calls::{Call, calls};
pub use learn::learn;

/// Where a number stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberInRust {
    range: Range<usize>,
    given: Given,
    /// The name of the constant, if the number is one's.
    pub constant: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Given {
    Literal(String),
    /// An option that is left out, and after which style its number is written.
    LeftOut {
        key: &'static str,
        style: &'static str,
    },
}

/// An assertion in a source.
#[derive(Debug)]
pub struct Assertion {
    call: Call,
    file: TokenStream,
}

impl Assertion {
    /// Finds the assertion that the record speaks of: at its line, or by its text if lines have moved.
    pub fn find(text: &str, site: &ObservedSite) -> Result<Assertion, NoPlace> {
        let file = tokens(text)?;
        let known: Vec<Call> = calls(&file)
            .into_iter()
            .filter(|call| Kind::of(&call.name).is_some())
            .collect();
        let wanted: String = site.text.split_whitespace().collect();
        let says_it = |call: &&Call| says(call, &wanted);
        let is_there = |call: &&Call| call.lines.contains(&site.place.line);
        let here: Vec<&Call> = known.iter().filter(is_there).collect();
        let call = match here[..] {
            [call] if site.text.is_empty() || says(call, &wanted) => Some(call),
            // Several in one line, or one inside of another.
            [_, _, ..] => only(here.iter().copied().filter(says_it)),
            _ => None,
        };
        let call = call.or_else(|| only(known.iter().filter(says_it)));
        match call {
            Some(call) => Ok(Assertion {
                call: call.clone(),
                file,
            }),
            None => Err(NoPlace::Changed(format!(
                "line {} no longer holds `{}`",
                site.place.line, site.text
            ))),
        }
    }

    /// The domain that it declares.
    pub fn domain(&self) -> Option<Domain> {
        let option = self.call.option("domain")?;
        let text: String = option.iter().map(ToString::to_string).collect();
        text.parse().ok()
    }

    /// The number that the values of a series are compared with.
    pub fn place(&self, text: &str, series: &Series) -> Result<NumberInRust, NoPlace> {
        let kind = Kind::of(&self.call.name).unwrap_or(Kind::Comparison);
        let operand = match kind {
            Kind::Comparison => self.bound_operand(text, series)?,
            _ => {
                let key = kind.key(series.role).ok_or_else(|| self.no_number())?;
                match self.call.option(key) {
                    Some(operand) => operand.to_vec(),
                    None if kind == Kind::Close => return Err(self.no_number()),
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
        let (role, bound, is_left) = match Kind::of(&self.call.name)? {
            Kind::Comparison => {
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
    fn bound_operand(&self, text: &str, series: &Series) -> Result<Vec<TokenTree>, NoPlace> {
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
                given: Given::Literal(style.to_owned()),
                constant: None,
            });
        }
        let [TokenTree::Ident(name)] = &operand[..] else {
            return None;
        };
        let name = name.to_string();
        let range = constants::number_of(&self.file, &name, self.call.range.start)?.range;
        Some(NumberInRust {
            given: Given::Literal(text.get(range.clone())?.to_owned()),
            range,
            constant: Some(name),
        })
    }

    fn left_out(&self, key: &'static str) -> NumberInRust {
        let style = if key == "max_ulps" { "4" } else { "1e-9" };
        let at = self.call.after_last_argument();
        NumberInRust {
            range: at..at,
            given: Given::LeftOut { key, style },
            constant: None,
        }
    }

    fn no_number(&self) -> NoPlace {
        NoPlace::NoNumber(format!(
            "`{}!` in line {} has no number that could be another one",
            self.call.name,
            self.call.lines.start()
        ))
    }
}

impl NumberInRust {
    /// The bytes that hold the number; empty where it is left out.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The edit that writes another number, and the number as it is written.
    pub fn write(&self, value: f64) -> Option<(Edit, String)> {
        match &self.given {
            Given::Literal(literal) => {
                let number = restyle(literal, value, Whole::Stays)?;
                Some((Edit::replace(self.range.clone(), number.clone()), number))
            }
            Given::LeftOut { key, style } => {
                let number = restyle(style, value, Whole::Stays)?;
                let text = format!(", {key} = {number}");
                Some((Edit::insert(self.range.start, text), number))
            }
        }
    }
}

/// Whether the text is Rust.
pub fn parses(text: &str) -> Result<(), String> {
    syn::parse_file(text).map(drop).map_err(|error| {
        let start = error.span().start();
        format!("line {}: {error}", start.line)
    })
}

/// What an assertion compares, by the name of its macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comparison,
    Close,
    Approx,
}

impl Kind {
    fn of(name: &str) -> Option<Kind> {
        Some(match name {
            "assert" | "debug_assert" | "assert_tail_bound" => Kind::Comparison,
            "assert_close" => Kind::Close,
            "assert_abs_diff_eq" | "assert_relative_eq" | "assert_ulps_eq" => Kind::Approx,
            _ => return None,
        })
    }

    /// The option that holds a tolerance.
    fn key(self, role: Role) -> Option<&'static str> {
        match (self, role) {
            (Kind::Close, Role::Absolute) => Some("abs"),
            (Kind::Close, Role::Relative) => Some("rel"),
            (Kind::Approx, Role::Absolute) => Some("epsilon"),
            (Kind::Approx, Role::Relative) => Some("max_relative"),
            (Kind::Approx, Role::Ulps) => Some("max_ulps"),
            _ => None,
        }
    }
}

fn tokens(text: &str) -> Result<TokenStream, NoPlace> {
    let unreadable = |why: String| NoPlace::Unreadable(format!("not Rust: {why}"));
    parses(text).map_err(unreadable)?;
    // What makes a script of the file is no token; blanks keep every place where it is.
    let blank = if text.starts_with("#!") && !text.starts_with("#![") {
        let end = text.find('\n').unwrap_or(text.len());
        " ".repeat(end) + &text[end..]
    } else {
        text.to_owned()
    };
    blank
        .parse()
        .map_err(|error: proc_macro2::LexError| unreadable(error.to_string()))
}

/// Every operand of a comparison, and whether the other side is to stay below it.
fn bounds(tokens: &[TokenTree]) -> Vec<(bool, Vec<TokenTree>)> {
    let condition = calls::up_to_comma(tokens);
    let mut bounds = Vec::new();
    let mut start = 0;
    let mut ascending_before = None;
    let mut at = 0;
    while at <= condition.len() {
        let (length, ascending) = match condition.get(at..) {
            Some(rest) if !rest.is_empty() => operator(rest),
            _ => (1, None),
        };
        if ascending.is_some() || at == condition.len() {
            let operand = condition[start..at].to_vec();
            // Right of `<` and left of `>` stands what bounds from above.
            if let Some(before) = ascending_before {
                bounds.push((before, operand.clone()));
            }
            if let Some(after) = ascending {
                bounds.push((!after, operand));
            }
            ascending_before = ascending;
            start = at + length;
        }
        at += length;
    }
    bounds
}

/// The right and the left side of a single comparison, and whether each bounds the other from above.
fn sides(tokens: &[TokenTree]) -> Option<[(bool, Vec<TokenTree>); 2]> {
    match <[_; 2]>::try_from(bounds(tokens)) {
        Ok([left, right]) => Some([right, left]),
        Err(_) => None,
    }
}

/// How many tokens the operator here has, and whether it is `<` or `<=` (true), or `>` or `>=` (false).
fn operator(tokens: &[TokenTree]) -> (usize, Option<bool>) {
    let joined = match tokens {
        [TokenTree::Punct(first), TokenTree::Punct(second), ..]
            if first.spacing() == Spacing::Joint =>
        {
            [first.as_char(), second.as_char()].iter().collect()
        }
        [TokenTree::Punct(first), ..] => first.as_char().to_string(),
        _ => String::new(),
    };
    match joined.as_str() {
        "<<" | ">>" | "->" | "=>" => (2, None),
        "<=" => (2, Some(true)),
        ">=" => (2, Some(false)),
        joined if joined.starts_with('<') => (1, Some(true)),
        joined if joined.starts_with('>') => (1, Some(false)),
        _ => (1, None),
    }
}

fn is_literal(tokens: &[TokenTree]) -> bool {
    match tokens {
        [TokenTree::Literal(number)] => value(&number.to_string()).is_some(),
        [TokenTree::Punct(sign), number] => {
            sign.as_char() == '-' && is_literal(std::slice::from_ref(number))
        }
        _ => false,
    }
}

/// Whether it is `f64::EPSILON`, a literal by another name.
fn is_epsilon(tokens: &[TokenTree]) -> bool {
    let text: String = tokens.iter().map(ToString::to_string).collect();
    let text = text.strip_prefix("std::").unwrap_or(&text);
    matches!(text, "f64::EPSILON" | "f32::EPSILON")
}

fn f64_of_f32(number: f64) -> f64 {
    f64::from(number as f32)
}

/// Whether an assertion has this text, without white space.
fn says(call: &Call, wanted: &str) -> bool {
    let text: String = without_spaces(&call.tokens).split_whitespace().collect();
    let bang = wanted.find('!').map_or(0, |bang| bang + 1);
    // The record's text may be that of the condition, or of the whole assertion with its name and brackets.
    let inner = wanted[bang..].trim_matches(['(', ')', '[', ']', '{', '}', ';']);
    let arguments = wanted[bang..].split_once('(').map(|(_, rest)| rest);
    let arguments = arguments.and_then(|rest| rest.strip_suffix(')'));
    let has_arguments = |given: &str| !given.is_empty() && text.starts_with(given);
    !inner.is_empty() && (text.contains(inner) || arguments.is_some_and(has_arguments))
}

fn without_spaces(tokens: &[TokenTree]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                text += open;
                text += &without_spaces(&inner);
                text += close;
            }
            token => text += &token.to_string(),
        }
    }
    text
}

/// The only one of them.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests;
