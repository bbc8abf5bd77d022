//! Sites: which assertion of a test a sample belongs to, and what its source asks for.

use std::fmt;

use crate::bound::confidence::Confidence;
use crate::tail::{Domain, Tail};
use crate::visible::visible;

/// The identity of a site in its test. It survives moving lines and reformatting.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId {
    /// The assertion's text without white space, or the name that it was given.
    pub text: String,
    /// Which of the equal texts of its test it is, from 1 on.
    pub occurrence: u32,
    /// The value of `case`, where one assertion is several sites.
    pub case: Option<String>,
}

impl SiteId {
    /// The first site with this text.
    pub fn new(text: impl Into<String>) -> Self {
        SiteId {
            text: text.into(),
            occurrence: 1,
            case: None,
        }
    }

    /// Reads what [`SiteId::label`] wrote: a text or a name, `#2` and so on behind it for a later occurrence.
    pub fn of_label(label: &str) -> Self {
        let (text, occurrence) = later_occurrence(label).unwrap_or((label, 1));
        SiteId {
            occurrence,
            ..SiteId::new(text)
        }
    }

    /// The same site, for one value of its `case`.
    pub fn with_case(self, case: Option<String>) -> Self {
        SiteId { case, ..self }
    }

    /// The text with its occurrence, as files spell it: `x<_`, `x<_#2`.
    pub fn label(&self) -> String {
        match self.occurrence {
            0 | 1 => self.text.clone(),
            later => format!("{}#{later}", self.text),
        }
    }
}

/// Splits a label like `x<_#2`.
fn later_occurrence(label: &str) -> Option<(&str, u32)> {
    let (text, number) = label.rsplit_once('#')?;
    let occurrence: u32 = number.parse().ok()?;
    let is_canonical = occurrence > 1 && number == occurrence.to_string() && !text.is_empty();
    is_canonical.then_some((text, occurrence))
}

impl From<&str> for SiteId {
    fn from(label: &str) -> Self {
        SiteId::of_label(label)
    }
}

impl fmt::Display for SiteId {
    /// Writes the site for a person, on one line: its label, and its case in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = self.label();
        if let Some(case) = &self.case {
            name += &format!(" [{case}]");
        }
        f.write_str(&visible(&name))
    }
}

/// What the source says of a learned site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SiteSpec {
    /// The tail to bound.
    pub tail: Tail,
    /// The range that the metric can take.
    pub domain: Option<Domain>,
    /// The user promises a tail that falls off at least exponentially.
    pub light: bool,
    /// The site's own confidence, instead of an even share.
    pub confidence: Option<Confidence>,
    /// What the bound is for.
    pub about: About,
}

/// What a bound is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum About {
    /// The value of each run.
    Runs,
    /// The mean over runs, which stays where it was.
    Mean {
        /// The smallest change worth finding, if it is stated.
        margin: Option<f64>,
    },
    /// How often something is true, which stays where it was.
    Rate {
        /// The smallest change worth finding, if it is stated.
        margin: Option<f64>,
    },
}

impl About {
    /// Whether it is about all runs together.
    pub fn is_held(self) -> bool {
        self != About::Runs
    }
}

impl SiteSpec {
    /// A site that says nothing but its tail.
    pub fn new(tail: Tail) -> Self {
        SiteSpec {
            tail,
            domain: None,
            light: false,
            confidence: None,
            about: About::Runs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_are_written() {
        let check = |label: &str, text: &str, occurrence: u32| {
            let id = SiteId::of_label(label);
            assert_eq!((id.text.as_str(), id.occurrence), (text, occurrence));
            assert_eq!(id.label(), label);
        };
        check("x<_", "x<_", 1);
        check("x<_#2", "x<_", 2);
        check("tests::helper: x<_#12", "tests::helper: x<_", 12);
        for odd in [
            "x#1", "x#0", "x#02", "#2", "x#", "x#+3", "x#-3", "r#in<_", "",
        ] {
            check(odd, odd, 1);
        }
    }

    #[test]
    fn a_site_is_one_line_for_people() {
        let id = SiteId::of_label("a<_#2").with_case(Some("1\n2".to_owned()));
        assert_eq!(id.to_string(), "a<_#2 [1\\n2]");
    }
}
