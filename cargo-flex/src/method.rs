//! The method by which bounds are learned, and what the published one leaves open: options of several commands.

use clap::ValueEnum;
use flex_core::published::ThresholdRule;

/// How a bound is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Method {
    /// A guard with replay and reruns, and a ceiling with a margin
    #[default]
    Default,
    /// The method of the FLEX paper: a point estimate without reruns
    Flex,
}

/// How thresholds of the published method are rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Rule {
    /// StrongStop, as in the paper
    #[default]
    Strong,
    /// ForwardStop, and each threshold's own p-value
    Forward,
}

impl From<Rule> for ThresholdRule {
    fn from(rule: Rule) -> Self {
        match rule {
            Rule::Strong => ThresholdRule::StrongStop,
            Rule::Forward => ThresholdRule::ForwardStop,
        }
    }
}
