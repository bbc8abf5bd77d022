//! The options of `#[stochastic_test(…)]`.

use crate::quoted::{ToTokens, quote, quote_spanned};
use crate::token::{Ident, Span, TokenStream};

use crate::runtime;
use crate::settings::{Errors, Setting, check_confidence, check_keys, number, number_tokens, word};
use crate::site::some;
use crate::syntax::{Error, Expr, ExprKind, parse_list};
use crate::tokens::ends;

/// Every option, as `flex_bounds::options::TABLE` has it: a test of this crate holds the two equal.
const OPTIONS: [TestOption; 15] = [
    TestOption {
        name: "confidence",
        field: "confidence",
        rule: Rule::Probability,
        complaint: "`confidence` is a probability between 0 and 1",
    },
    TestOption {
        name: "runs",
        field: "runs",
        rule: Rule::Count,
        complaint: "`runs` is at least 1: the calibration runs to begin with",
    },
    TestOption {
        name: "max_runs",
        field: "max_runs",
        rule: Rule::Count,
        complaint: "`max_runs` is at least 1, and not less than `runs`",
    },
    TestOption {
        name: "tail",
        field: "light",
        rule: Rule::Word(["any", "light"]),
        complaint: "the only promise about the tail is `tail = light`: at most exponential; `tail = any`, the default, \
                    promises nothing",
    },
    TestOption {
        name: "effort",
        field: "effort",
        rule: Rule::NotNegative,
        complaint: "`effort` is not negative: the expected extra runs per run, like 0.3, or 0.0 for none",
    },
    TestOption {
        name: "on_ceiling",
        field: "ceiling_warns",
        rule: Rule::Word(["fail", "warn"]),
        complaint: "write `on_ceiling = fail`, which is the default, or `on_ceiling = warn`",
    },
    TestOption {
        name: "overlap",
        field: "overlap",
        rule: Rule::Flag,
        complaint: "write `overlap = true` if the runs of this test may overlap in time, or leave it out",
    },
    TestOption {
        name: "entropy",
        field: "controlled",
        rule: Rule::Word(["system", "controlled"]),
        complaint: "write `entropy = controlled`, or `entropy = system`, which is the default",
    },
    TestOption {
        name: "replay",
        field: "replays_always",
        rule: Rule::Word(["doubt", "always"]),
        complaint: "write `replay = always` or `replay = doubt`; quick tests replay always, others in doubt",
    },
    TestOption {
        name: "attempts",
        field: "attempts",
        rule: Rule::Count,
        complaint: "`attempts` is at least 1: the runs of which one must not fail by itself",
    },
    TestOption {
        name: "timeout",
        field: "timeout",
        rule: Rule::Positive,
        complaint: "`timeout` is above 0: the seconds after which a run that has not ended counts as hanging",
    },
    TestOption {
        name: "inconclusive",
        field: "inconclusive",
        rule: Rule::NotNegative,
        complaint: "`inconclusive` is not negative: the share of runs that may be inconclusive, like 0.5",
    },
    TestOption {
        name: "runs_in_parallel",
        field: "runs_in_parallel",
        rule: Rule::Count,
        complaint: "`runs_in_parallel` is at least 1: the runs of a test that are under way at once, on threads",
    },
    TestOption {
        name: "keep_runs",
        field: "keep_runs",
        rule: Rule::Flag,
        complaint: "write `keep_runs = true` if an interrupted test is to go on where it was, or leave it out",
    },
    TestOption {
        name: "time_limit",
        field: "time_limit",
        rule: Rule::Positive,
        complaint: "`time_limit` is above 0: the seconds after which no further run decides a claim",
    },
];

/// One option.
struct TestOption {
    /// What it is called in the attribute.
    name: &'static str,
    /// What it is called in `Options`.
    field: &'static str,
    rule: Rule,
    /// What to say about a value that breaks the rule.
    complaint: &'static str,
}

/// What values an option takes.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// A number strictly between 0 and 1.
    Probability,
    /// A number from 0 up.
    NotNegative,
    /// A number above 0.
    Positive,
    /// A whole number from 1 up; for `max_runs` from `runs` up.
    Count,
    /// `true` or `false`.
    Flag,
    /// One of two words; the first is the default and stands for `false`.
    Word([&'static str; 2]),
}

/// The settings of the attribute, as they are written; what they are called is checked.
pub fn settings(arguments: TokenStream, errors: &mut Errors) -> Vec<Setting> {
    let settings = match parse_list::<Setting>(arguments) {
        Ok(settings) => settings,
        Err(error) => {
            errors.push(error);
            Vec::new()
        }
    };
    let mut known = OPTIONS.map(|option| option.name).to_vec();
    known.extend(runtime::KEYS);
    check_keys(&settings, &known, errors);
    settings
}

/// The value of the `options` field of the test.
pub fn options(settings: &[Setting], errors: &mut Errors) -> TokenStream {
    let runs = settings.iter().find(|setting| setting.is("runs"));
    let runs = runs.map(|setting| &setting.value);
    let fields = settings.iter().map(|setting| field(setting, runs, errors));
    let fields = fields.collect::<Vec<_>>();
    let given = fields.iter().filter(|field| !field.is_empty()).count();
    let all_given = given == OPTIONS.len();
    let rest = (!all_given).then(|| quote!([]..::flex_harness::__private::Options::NONE));
    quote!([fields, rest] ::flex_harness::__private::Options { #fields #rest })
}

/// One field of the options. The runtime has none, nor have unknown keys, which are reported already.
fn field(setting: &Setting, runs: Option<&Expr>, errors: &mut Errors) -> TokenStream {
    let value = &setting.value;
    let Some(option) = OPTIONS.iter().find(|option| setting.is(option.name)) else {
        return quote!([]);
    };
    let mut check = |is_kept: bool| {
        if !is_kept {
            errors.push(Error::new_spanned(value, option.complaint));
        }
    };
    let value = match option.rule {
        Rule::Probability => {
            check_confidence(value, errors);
            let between = quote!([] __FLEX_VALUE > 0.0 && __FLEX_VALUE < 1.0);
            checked(value, &quote!([] f64), &between, option.complaint)
        }
        Rule::NotNegative => {
            check(number(value).is_none_or(|number| number >= 0.0));
            let condition = quote!([] __FLEX_VALUE >= 0.0);
            checked(value, &quote!([] f64), &condition, option.complaint)
        }
        Rule::Positive => {
            let known = number(value);
            check(known.is_none_or(|number| number > 0.0));
            // Seconds are mostly whole, and nobody writes the point of `60.0`.
            let value = match known {
                Some(number) => number_tokens(number),
                None => value.to_tokens(),
            };
            let condition = quote!([] __FLEX_VALUE > 0.0 && __FLEX_VALUE < f64::INFINITY);
            checked(&value, &quote!([] f64), &condition, option.complaint)
        }
        Rule::Count => {
            let least = runs.filter(|_| option.name == "max_runs");
            let known = least.map_or(Some(1.0), number);
            let known = number(value).zip(known);
            check(known.is_none_or(|(count, least)| count >= least));
            let condition = match least {
                Some(least) => quote!([least] __FLEX_VALUE >= #least),
                None => quote!([] __FLEX_VALUE > 0),
            };
            checked(value, &quote!([] u32), &condition, option.complaint)
        }
        Rule::Flag => match value.kind {
            ExprKind::Bool(flag) => some(Some(flag.to_tokens())),
            _ => {
                check(false);
                return quote!([]);
            }
        },
        Rule::Word([default, other]) => {
            let word = word(value);
            let is_other = word.as_deref() == Some(other);
            check(is_other || word.as_deref() == Some(default));
            let flag = match is_other && option.name == "entropy" {
                true => {
                    let (first, _) = ends(&value.to_tokens());
                    // Whether it can be had is known to the crate with the feature.
                    quote_spanned!(first => [] ::flex_harness::__entropy_controlled!())
                }
                false => is_other.to_tokens(),
            };
            some(Some(flag))
        }
    };
    let field = Ident::new(option.field, Span::mixed_site());
    quote!([field, value] #field: #value,)
}

/// The value, checked by the compiler: it need not be a literal.
fn checked(
    value: &impl ToTokens,
    type_: &TokenStream,
    condition: &TokenStream,
    message: &str,
) -> TokenStream {
    let (first, _) = ends(&value.to_tokens());
    let value = quote_spanned! {first => [type_, value, condition, message] {
        const __FLEX_VALUE: #type_ = #value;
        const { ::core::assert!(#condition, #message) }
        __FLEX_VALUE
    }};
    some(Some(value))
}

#[cfg(test)]
mod tests {
    use super::OPTIONS;
    use flex_bounds::options::TABLE;

    #[test]
    fn the_attribute_has_the_options_of_the_table() {
        let ours = OPTIONS.map(|option| (option.name, format!("{:?}", option.rule)));
        let table = TABLE
            .iter()
            .map(|option| (option.name, format!("{:?}", option.rule)));
        assert_eq!(ours.to_vec(), table.collect::<Vec<_>>());
    }
}
