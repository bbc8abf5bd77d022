//! The options of claims, as `flex_bounds::claim::CLAIM_OPTIONS` has them: a test of this crate holds the two equal.

use super::input::{Claimed, Input};
use crate::settings::{Errors, check_confidence, check_keys, number, word};
use crate::syntax::Error;

/// What values an option takes.
#[derive(Debug, Clone, Copy)]
pub enum ClaimRule {
    Text,
    Probability,
    Number,
    Positive,
    Count,
    Range,
    Word([&'static str; 2]),
}

/// Every option of a claim, what values it takes, and what to say of one that it does not take.
pub const OPTIONS: [(&str, ClaimRule, &str); 11] = [
    (
        "name",
        ClaimRule::Text,
        "names the claim, which otherwise goes by its text",
    ),
    ("case", ClaimRule::Text, "makes one claim for each value"),
    (
        "confidence",
        ClaimRule::Probability,
        "is a probability between 0 and 1",
    ),
    (
        "domain",
        ClaimRule::Range,
        "is the range that no value ever leaves",
    ),
    (
        "within",
        ClaimRule::Positive,
        "is above 0: how far the mean may be from `of`",
    ),
    (
        "of",
        ClaimRule::Number,
        "is the number that the mean is near to",
    ),
    (
        "margin",
        ClaimRule::Positive,
        "is above 0: the smallest excess that is worth finding",
    ),
    (
        "better",
        ClaimRule::Word(["lower", "higher"]),
        "is lower or higher: which values are better",
    ),
    (
        "max_runs",
        ClaimRule::Count,
        "is at least 1: the runs after which the claim stays undecided",
    ),
    (
        "undecided",
        ClaimRule::Word(["pass", "fail"]),
        "is pass or fail: what a claim does that stays undecided",
    ),
    (
        "draws",
        ClaimRule::Word(["cluster", "independent"]),
        "is cluster if several values of a run count as one, or independent if each counts",
    ),
];

/// Refuses options that the family does not have, and values that break a rule.
pub fn check(input: &Input, errors: &mut Errors) {
    let settings = &input.details.settings;
    check_keys(settings, input.family.options, errors);
    input.details.check_name(errors);
    for setting in settings {
        let value = &setting.value;
        let known = OPTIONS.iter().find(|(name, _, _)| setting.is(name));
        let Some((name, rule, meaning)) = known else {
            continue;
        };
        let is_kept = match rule {
            ClaimRule::Probability => {
                check_confidence(value, errors);
                true
            }
            ClaimRule::Positive => number(value).is_none_or(|number| number > 0.0),
            ClaimRule::Count => number(value).is_none_or(|number| number >= 1.0),
            ClaimRule::Word(words) => word(value).is_some_and(|word| words.contains(&&*word)),
            ClaimRule::Text | ClaimRule::Number | ClaimRule::Range => true,
        };
        if !is_kept {
            errors.push(Error::new_spanned(value, format!("`{name}` {meaning}")));
        }
    }
    if matches!(input.claimed, Claimed::Held { .. })
        && let Some(draws) = input.details.get("draws")
        && word(draws).as_deref() == Some("independent")
    {
        errors.push(Error::new_spanned(
            draws,
            "what is learned is about the mean of what a run draws: leave `draws` out, or write the bound",
        ));
    }
    if let Claimed::Bounded { bound, .. } = &input.claimed
        && input.family.name == "rate"
        && let Some(rate) = number(bound)
        && !(0.0..=1.0).contains(&rate)
    {
        let hint = match (10.0..=100.0).contains(&rate) {
            true => format!("; write {} for {rate} %", rate / 100.0),
            false => String::new(),
        };
        let message = format!("a rate is between 0 and 1{hint}");
        errors.push(Error::new_spanned(bound, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flex_bounds::claim::CLAIM_OPTIONS;

    #[test]
    fn the_macros_have_the_options_of_the_table() {
        let ours = OPTIONS.map(|(name, rule, meaning)| (name, format!("{rule:?}"), meaning));
        let table = CLAIM_OPTIONS
            .iter()
            .map(|option| (option.name, format!("{:?}", option.rule), option.meaning));
        assert_eq!(ours.to_vec(), table.collect::<Vec<_>>());
    }
}
