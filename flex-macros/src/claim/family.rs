//! The families, as `flex_bounds::claim::FAMILIES` has them: a test of this crate holds the two equal.

/// How a family is written.
#[derive(Debug)]
pub struct Family {
    /// Its name; the macro has `assert_` before it.
    pub name: &'static str,
    /// What it is called in Rust.
    pub variant: &'static str,
    /// The method that makes numbers of what is claimed about.
    pub method: &'static str,
    /// The options that the macro has.
    pub options: &'static [&'static str],
    /// How the macro is used.
    pub usage: &'static str,
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

/// `assert_mean!`.
pub static MEAN: Family = Family {
    name: "mean",
    variant: "Mean",
    method: "__flex_numbers",
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
    usage: "`assert_mean!(error < 0.01, domain = 0.0..=1.0)`",
};

/// `assert_rate!`.
pub static RATE: Family = Family {
    name: "rate",
    variant: "Rate",
    method: "__flex_outcomes",
    options: USUAL,
    usage: "`assert_rate!(solved > 0.9)`",
};

/// `assert_distributed!`.
pub static DISTRIBUTED: Family = Family {
    name: "distributed",
    variant: "Distributed",
    method: "__flex_numbers",
    options: USUAL,
    usage: "`assert_distributed!(draw, law)`, with a law that has a distribution function",
};

/// `assert_same_distribution!`.
pub static SAME_DISTRIBUTION: Family = Family {
    name: "same_distribution",
    variant: "SameDistribution",
    method: "__flex_numbers",
    options: USUAL,
    usage: "`assert_same_distribution!(fast, slow)`",
};

/// `assert_no_worse!`.
pub static NO_WORSE: Family = Family {
    name: "no_worse",
    variant: "NoWorse",
    method: "__flex_numbers",
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
    usage: "`assert_no_worse!(new, reference, margin = 0.01)`",
};

/// Every family.
pub static FAMILIES: [&Family; 5] = [&MEAN, &RATE, &DISTRIBUTED, &SAME_DISTRIBUTION, &NO_WORSE];

impl Family {
    /// The family of a macro such as `assert_mean`.
    pub fn of_macro(name: &str) -> Option<&'static Family> {
        let name = name.strip_prefix("assert_")?;
        FAMILIES.into_iter().find(|family| family.name == name)
    }

    /// The macro.
    pub fn form(&self) -> String {
        format!("assert_{}!", self.name)
    }

    /// Whether what it claims is written as a comparison.
    pub fn compares(&self) -> bool {
        ["mean", "rate"].contains(&self.name)
    }

    /// What the macro needs and did not find.
    pub fn expected(&self, what: &str) -> String {
        format!("expected {what}; write {}", self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macros_are_those_of_the_table() {
        let ours = FAMILIES.map(|family| (family.name, family.variant.to_owned(), family.options));
        let table = flex_bounds::claim::FAMILIES
            .iter()
            .map(|form| (form.name, format!("{:?}", form.family), form.options));
        assert_eq!(ours.to_vec(), table.collect::<Vec<_>>());
    }
}
