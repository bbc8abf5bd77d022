//! What one assertion compared, run by run, and where its numbers stand.

use flex_run::model::{Place, SiteId};
use serde::{Deserialize, Serialize};

use super::json;

/// An assertion, and what it compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedSite {
    /// Its identity in the test.
    #[serde(flatten, with = "json::site_id")]
    pub id: SiteId,
    /// Where it is.
    #[serde(flatten, with = "json::PlaceJson")]
    pub place: Place,
    /// The whole assertion, where that is known.
    #[serde(default)]
    pub span: Option<Span>,
    /// Its source, in one line.
    pub text: String,
    /// The function that asserts: `assert`, `unittest.assertLess`, `numpy.testing.assert_allclose`, `assert_tail_bound!`, …
    pub form: String,
    /// The function around it as it was when it was run, where spans are to be trusted only as long as it stays so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<SourceText>,
    /// Whether a failure stops the run.
    pub is_hard: bool,
    /// Runs that it failed.
    pub failed: Vec<u32>,
    /// What it compares: a series for each number that could be another one. The first is what failures are about.
    pub series: Vec<Series>,
}

impl ObservedSite {
    /// The form of assertions of which nothing is known but that they failed.
    pub const CONDITION: &str = "condition";

    /// Whether it compared nothing that could be recorded: it holds or not.
    pub fn is_condition(&self) -> bool {
        self.form == Self::CONDITION && self.series.is_empty()
    }
}

/// A part of a source file, and what stood there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Its first line.
    pub line: u32,
    /// Its lines, without the end of the last one; lines end with `\n`.
    pub text: String,
}

/// What was compared with one number of an assertion: the most extreme value of each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What the number means.
    pub role: Role,
    /// The bound that the values are held against, in their own unit: 0.5e-7 for `places=7`. 0 for a margin.
    #[serde(with = "json::maybe_float")]
    pub bound: Option<f64>,
    /// Whether the values are differences from a bound that is computed in each run.
    #[serde(default)]
    pub is_margin: bool,
    /// Whether a value that equals the bound fails, where the operator is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_strict: Option<bool>,
    /// The number in the source, where one can be written.
    #[serde(default)]
    pub knob: Option<Knob>,
    /// The values by run; several hits and all elements of an array are folded to the one nearest to failing.
    #[serde(with = "json::floats")]
    pub values: Vec<(u32, f64)>,
}

impl Series {
    /// A series without values, and without a number in the source.
    pub fn new(role: Role, bound: f64) -> Self {
        Series {
            role,
            bound: Some(bound),
            is_margin: false,
            is_strict: None,
            knob: None,
            values: Vec::new(),
        }
    }
}

/// What a number of an assertion means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Values are to stay below.
    Upper,
    /// Values are to stay above.
    Lower,
    /// An absolute tolerance: the values are absolute differences, less what the relative tolerance allows.
    Absolute,
    /// A relative tolerance: the values are relative differences, as the function in question defines them.
    Relative,
    /// unittest's `places`: |a − b| rounded to so many decimal places is 0.
    Places,
    /// numpy's `decimal`: |a − b| < 1.5 · 10^−decimal.
    Decimal,
    /// numpy's `significant`: the difference, in units of the number's own power of ten, < 10^−(significant−1).
    Significant,
    /// Units in the last place.
    Ulps,
}

/// A number in the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knob {
    /// The number as it stands there; for one that is left out, its default.
    pub text: String,
    /// How it is given.
    #[serde(flatten)]
    pub given: Given,
}

/// How a number is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "given", rename_all = "kebab-case")]
pub enum Given {
    /// Written in the assertion, positionally or by keyword.
    Literal {
        /// The number, its sign included.
        span: Span,
    },
    /// A name that is bound once, to a literal, in the same function or module.
    Constant {
        /// The name.
        name: String,
        /// The number where the name is bound, in the file of the site.
        span: Span,
        /// A line that uses the name for something else than a bound or tolerance of this sort, if there is one:
        /// another number would change that too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        also_in: Option<u32>,
    },
    /// Left out, so that the default holds.
    Default {
        /// The keyword.
        keyword: String,
        /// Where `, keyword=value` would be inserted: after the last argument.
        line: u32,
        /// The column there.
        column: u32,
    },
    /// In Rust sources, which are searched when a patch is made.
    Source,
}

/// A part of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First line.
    pub line: u32,
    /// Column of its first byte.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after its last byte.
    pub end_column: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_journey() {
        let series = Series {
            knob: Some(Knob {
                text: "0.1".to_owned(),
                given: Given::Default {
                    keyword: "atol".to_owned(),
                    line: 3,
                    column: 20,
                },
            }),
            values: vec![(0, 0.1), (1, f64::NAN), (2, f64::NEG_INFINITY), (3, 1e-300)],
            ..Series::new(Role::Upper, f64::INFINITY)
        };
        let text = serde_json::to_string(&series).unwrap();
        let back: Series = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{back:?}"), format!("{series:?}"));
        assert!(serde_json::from_str::<Series>(&text.replace("\"nan\"", "\"many\"")).is_err());
    }
}
