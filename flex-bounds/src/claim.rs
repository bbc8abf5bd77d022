//! Claims: what an assertion says of all runs together, such as a mean, by the families there are and their options.
//!
//! [`FAMILIES`] and [`CLAIM_OPTIONS`] are the one list of these. pytest's functions read their options by it; the macros
//! have a list of their own, which a test holds equal to this one.

use std::fmt;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// The mean of a value.
    Mean,
    /// How often something is true.
    Rate,
    /// The distribution of a value, which is stated.
    Distributed,
    /// The distributions of two values, which are the same.
    SameDistribution,
    /// Two values of one run: the first is not worse than the second.
    NoWorse,
}

/// The options of a family that has none of its own.
const USUAL: &[&str] = &[
    "name",
    "case",
    "confidence",
    "margin",
    "max_runs",
    "undecided",
    "draws",
];

/// Every family, with what its assertion is called and which options it has.
pub const FAMILIES: &[FamilyForm] = &[
    FamilyForm {
        family: Family::Mean,
        name: "mean",
        options: &[
            "name",
            "case",
            "confidence",
            "domain",
            "within",
            "of",
            "margin",
            "max_runs",
            "undecided",
            "draws",
        ],
    },
    FamilyForm {
        family: Family::Rate,
        name: "rate",
        options: USUAL,
    },
    FamilyForm {
        family: Family::Distributed,
        name: "distributed",
        options: USUAL,
    },
    FamilyForm {
        family: Family::SameDistribution,
        name: "same_distribution",
        options: USUAL,
    },
    FamilyForm {
        family: Family::NoWorse,
        name: "no_worse",
        options: &[
            "name",
            "case",
            "confidence",
            "margin",
            "better",
            "max_runs",
            "undecided",
            "draws",
        ],
    },
];

/// How a family is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FamilyForm {
    /// The family.
    pub family: Family,
    /// Its function in Python; the macro has `assert_` before it.
    pub name: &'static str,
    /// The options that its assertion has.
    pub options: &'static [&'static str],
}

/// Every option that the assertion of a claim can have.
pub const CLAIM_OPTIONS: &[ClaimOption] = &[
    ClaimOption {
        name: "name",
        rule: ClaimRule::Text,
        meaning: "names the claim, which otherwise goes by its text",
    },
    ClaimOption {
        name: "case",
        rule: ClaimRule::Text,
        meaning: "makes one claim for each value",
    },
    ClaimOption {
        name: "confidence",
        rule: ClaimRule::Probability,
        meaning: "is a probability between 0 and 1",
    },
    ClaimOption {
        name: "domain",
        rule: ClaimRule::Range,
        meaning: "is the range that no value ever leaves",
    },
    ClaimOption {
        name: "within",
        rule: ClaimRule::Positive,
        meaning: "is above 0: how far the mean may be from `of`",
    },
    ClaimOption {
        name: "of",
        rule: ClaimRule::Number,
        meaning: "is the number that the mean is near to",
    },
    ClaimOption {
        name: "margin",
        rule: ClaimRule::Positive,
        meaning: "is above 0: the smallest excess that is worth finding",
    },
    ClaimOption {
        name: "better",
        rule: ClaimRule::Word(["lower", "higher"]),
        meaning: "is lower or higher: which values are better",
    },
    ClaimOption {
        name: "max_runs",
        rule: ClaimRule::Count,
        meaning: "is at least 1: the runs after which the claim stays undecided",
    },
    ClaimOption {
        name: "undecided",
        rule: ClaimRule::Word(["pass", "fail"]),
        meaning: "is pass or fail: what a claim does that stays undecided",
    },
    ClaimOption {
        name: "draws",
        rule: ClaimRule::Word(["cluster", "independent"]),
        meaning: "is cluster if several values of a run count as one, or independent if each counts",
    },
];

/// One option of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClaimOption {
    /// Its name.
    pub name: &'static str,
    /// What values it takes.
    pub rule: ClaimRule,
    /// What it is, to be read behind its name.
    pub meaning: &'static str,
}

/// What values an option of a claim takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClaimRule {
    /// Anything that can be shown.
    Text,
    /// A number strictly between 0 and 1.
    Probability,
    /// A finite number.
    Number,
    /// A finite number above 0.
    Positive,
    /// A whole number from 1 up.
    Count,
    /// Two ends.
    Range,
    /// One of two words; the first is the default.
    Word([&'static str; 2]),
}

impl Family {
    /// How it is written.
    pub fn form(self) -> &'static FamilyForm {
        &FAMILIES[self as usize]
    }

    /// The family of a name such as `mean`.
    pub fn named(name: &str) -> Option<Self> {
        let mut forms = FAMILIES.iter();
        Some(forms.find(|form| form.name == name)?.family)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.form().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_its_row_and_known_options() {
        for (place, form) in FAMILIES.iter().enumerate() {
            assert_eq!(form.family as usize, place);
            assert_eq!(Family::named(form.name), Some(form.family));
            assert_eq!(form.family.to_string(), form.name);
            for option in form.options {
                let is_known = CLAIM_OPTIONS.iter().any(|known| known.name == *option);
                assert!(is_known, "{option}");
            }
        }
        assert_eq!(Family::named("median"), None);
    }
}
