//! What a test asks for: by its attribute or marker, by `flex.toml`, or not at all.
//!
//! [`TABLE`] is the one list of these options. `flex.toml`, the marker of pytest and the wire between processes read
//! and write options by it; `#[stochastic_test]` has a list of its own, which a test holds equal to this one.

use std::time::Duration;

use flex_core::bound::confidence::Confidence;
use flex_core::calibration::CalibrationPlan;

/// Declares the options: a field of [`Options`] and a row of [`TABLE`] each.
macro_rules! options {
    ($($(#[$doc:meta])* $field:ident: $type:ident = $name:literal, $rule:expr, $python:expr, $meaning:literal;)*) => {
        /// What is said of a test. What is not said is left to whoever is asked next, and to the defaults in the end.
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct Options {
            $($(#[$doc])* pub $field: Option<$type>,)*
        }

        /// Every option that a test has.
        pub const TABLE: &[TestOption] = &[
            $(TestOption { name: $name, rule: $rule, in_python: $python, meaning: $meaning },)*
        ];

        impl Options {
            /// Nothing is said.
            pub const NONE: Options = Options { $($field: None,)* };

            /// The value of an option of the table; `None` if nothing is said.
            pub fn get(&self, name: &str) -> Option<OptionValue> {
                match name {
                    $($name => self.$field.map(OptionValue::from),)*
                    _ => None,
                }
            }

            /// Takes a value that keeps the rule of its option; any other is an error for people.
            pub fn set(&mut self, name: &str, value: OptionValue) -> Result<(), String> {
                let option = TABLE.iter().find(|option| option.name == name);
                let option = option.ok_or_else(|| format!("there is no option `{name}`"))?;
                option.check(value)?;
                match name {
                    $($name => self.$field = value.try_into().ok(),)*
                    _ => {}
                }
                Ok(())
            }

            fn each_or(self, other: Options) -> Options {
                Options { $($field: self.$field.or(other.$field),)* }
            }
        }
    };
}

options! {
    /// `confidence = 0.9999`.
    confidence: f64 = "confidence", Rule::Probability, Some("0.9999"),
        "is a probability between 0 and 1";
    /// `runs = 100`: calibration runs to begin with.
    runs: u32 = "runs", Rule::Count, Some("100"),
        "is at least 1: the calibration runs to begin with";
    /// `max_runs = 3000`: calibration runs at most.
    max_runs: u32 = "max_runs", Rule::Count, Some("3000"),
        "is at least 1, and not less than `runs`";
    /// `tail = light`: the user promises tails that are at most exponential.
    light: bool = "tail", Rule::Word(["any", "light"]), Some("'light'"),
        "is light, the promise that tails are at most exponential, or any, which promises nothing";
    /// `effort = 0.3`: expected extra runs per run.
    effort: f64 = "effort", Rule::NotNegative, Some("0.3"),
        "is the expected extra runs per run, from 0 up, like 0.3";
    /// `on_ceiling = warn`: a value beyond a ceiling is no failure.
    ceiling_warns: bool = "on_ceiling", Rule::Word(["fail", "warn"]), Some("'warn'"),
        "is fail or warn: what a value beyond a ceiling does";
    /// `overlap = true`: runs may overlap in time.
    overlap: bool = "overlap", Rule::Flag, None,
        "says whether the runs of this test may overlap in time";
    /// `entropy = controlled`: what the operating system gives follows the seed.
    controlled: bool = "entropy", Rule::Word(["system", "controlled"]), None,
        "is controlled if what the operating system gives follows the seed, or system";
    /// `replay = always`: a calibration run is replayed in every run, whether or not a value is in doubt.
    replays_always: bool = "replay", Rule::Word(["doubt", "always"]), Some("'always'"),
        "is always if a calibration run is replayed in every run, or doubt if only where a value is in doubt";
    /// `attempts = 4`: runs of which one must not fail by itself.
    attempts: u32 = "attempts", Rule::Count, Some("4"),
        "is at least 1: the runs of which one must not fail by itself";
    /// `timeout = 60`: seconds after which a run hangs.
    timeout: f64 = "timeout", Rule::Positive, Some("60"),
        "is above 0: the seconds after which a run that has not ended counts as hanging";
    /// `inconclusive = 0.5`: the share of runs that may be inconclusive.
    inconclusive: f64 = "inconclusive", Rule::NotNegative, Some("0.5"),
        "is the share of runs that may be inconclusive, from 0 up, like 0.5";
    /// `runs_in_parallel = 8`: runs that are under way at once.
    runs_in_parallel: u32 = "runs_in_parallel", Rule::Count, Some("8"),
        "is at least 1: the runs of a test that are under way at once, on threads";
    /// `keep_runs = true`: an interrupted test goes on where it was.
    keep_runs: bool = "keep_runs", Rule::Flag, Some("True"),
        "says whether runs are kept on disk until the verdict, so that an interrupted test goes on where it was";
    /// `time_limit = 600`: seconds after which claims stay undecided.
    time_limit: f64 = "time_limit", Rule::Positive, Some("600"),
        "is above 0: the seconds after which no further run decides a claim";
}

/// One option of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestOption {
    /// Its name in source code; files of TOML have hyphens in place of underscores.
    pub name: &'static str,
    /// What values it takes.
    pub rule: Rule,
    /// A value as it is written in Python; `None` for an option that only Rust has.
    pub in_python: Option<&'static str>,
    /// What it is, to be read behind its name.
    pub meaning: &'static str,
}

/// What values an option takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// A number strictly between 0 and 1.
    Probability,
    /// A finite number from 0 up.
    NotNegative,
    /// A finite number above 0.
    Positive,
    /// A whole number from 1 up.
    Count,
    /// `true` or `false`.
    Flag,
    /// One of two words; the first is the default and stands for `false`.
    Word([&'static str; 2]),
}

/// The value of an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OptionValue {
    /// Of [`Rule::Probability`], [`Rule::NotNegative`] or [`Rule::Positive`].
    Number(f64),
    /// Of [`Rule::Count`].
    Count(u32),
    /// Of [`Rule::Flag`] or [`Rule::Word`].
    Flag(bool),
}

macro_rules! values {
    ($($variant:ident: $type:ty;)*) => {$(
        impl From<$type> for OptionValue {
            fn from(value: $type) -> Self {
                OptionValue::$variant(value)
            }
        }

        impl TryFrom<OptionValue> for $type {
            type Error = ();

            fn try_from(value: OptionValue) -> Result<Self, ()> {
                match value {
                    OptionValue::$variant(value) => Ok(value),
                    _ => Err(()),
                }
            }
        }
    )*};
}

values! {
    Number: f64;
    Count: u32;
    Flag: bool;
}

impl TestOption {
    /// Its name in files of TOML.
    pub fn toml_name(&self) -> String {
        self.name.replace('_', "-")
    }

    /// The value that a word stands for.
    pub fn of_word(&self, word: &str) -> Option<OptionValue> {
        match self.rule {
            Rule::Word([_, other]) if word == other => Some(OptionValue::Flag(true)),
            Rule::Word([default, _]) if word == default => Some(OptionValue::Flag(false)),
            _ => None,
        }
    }

    /// Says what is wrong with a value, if something is.
    fn check(&self, value: OptionValue) -> Result<(), String> {
        let is_kept = match (self.rule, value) {
            (Rule::Probability, OptionValue::Number(number)) => {
                return Confidence::new(number).map(drop);
            }
            (Rule::NotNegative, OptionValue::Number(number)) => number >= 0.0 && number.is_finite(),
            (Rule::Positive, OptionValue::Number(number)) => number > 0.0 && number.is_finite(),
            (Rule::Count, OptionValue::Count(count)) => count > 0,
            (Rule::Flag | Rule::Word(_), OptionValue::Flag(_)) => true,
            _ => false,
        };
        match is_kept {
            true => Ok(()),
            false => Err(format!("`{}` {}", self.name, self.meaning)),
        }
    }
}

impl Options {
    /// What is said here, and what the other says where nothing is.
    pub fn or(self, other: Options) -> Options {
        let mut both = self.each_or(other);
        // Whoever states one end of the runs is not held to another's other end, if the two do not go together.
        match (self.runs, self.max_runs) {
            (Some(least), None) => both.max_runs = other.max_runs.map(|most| most.max(least)),
            (None, Some(most)) => both.runs = other.runs.map(|least| least.min(most)),
            _ => {}
        }
        both
    }

    /// Whether tails are promised to be light.
    pub fn is_light(&self) -> bool {
        self.light == Some(true)
    }

    /// Whether a value beyond a ceiling is no failure.
    pub fn ceiling_warns(&self) -> bool {
        self.ceiling_warns == Some(true)
    }

    /// Whether runs may overlap in time.
    pub fn may_overlap(&self) -> bool {
        self.overlap == Some(true) || self.runs_in_parallel.is_some_and(|runs| runs > 1)
    }

    /// The runs that are under way at once in one process, at most: as many as there are processors where they only may
    /// overlap.
    pub fn runs_at_once(&self) -> usize {
        match (self.runs_in_parallel, self.may_overlap()) {
            (Some(runs), _) => runs as usize,
            (None, true) => std::thread::available_parallelism().map_or(1, usize::from),
            (None, false) => 1,
        }
    }

    /// Whether runs are kept until the verdict is there.
    pub fn keeps_runs(&self) -> bool {
        self.keep_runs == Some(true)
    }

    /// How long runs may be made for claims.
    pub fn time_limit(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.time_limit?).ok()
    }

    /// Whether what the operating system gives follows the seed.
    pub fn controls_entropy(&self) -> bool {
        self.controlled == Some(true)
    }

    /// The share of runs that may be inconclusive.
    pub fn inconclusive(&self) -> f64 {
        self.inconclusive.unwrap_or(0.5)
    }

    /// The runs that a calibration begins with.
    pub fn runs_to_begin_with(&self) -> u32 {
        let runs = self.runs.unwrap_or(CalibrationPlan::default().min_runs);
        self.max_runs.map_or(runs, |most| runs.min(most))
    }

    /// How many runs are made until one does not fail by itself.
    pub fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_first_counts() {
        let own = Options {
            overlap: Some(false),
            runs: Some(500),
            ..Options::NONE
        };
        let other = Options {
            overlap: Some(true),
            light: Some(true),
            max_runs: Some(300),
            ..Options::NONE
        };
        let both = own.or(other);
        assert!(!both.may_overlap() && both.is_light());
        assert_eq!((both.runs, both.max_runs), (Some(500), Some(500)));
        let both = other.or(own);
        assert_eq!((both.runs, both.max_runs), (Some(300), Some(300)));
        assert_eq!(Options::NONE.or(own), own);
        assert_eq!(own.or(Options::NONE), own);
    }

    #[test]
    fn options_are_set_and_read_by_name() {
        let mut options = Options::NONE;
        for option in TABLE {
            let value = match option.rule {
                Rule::Probability => OptionValue::Number(0.5),
                Rule::NotNegative => OptionValue::Number(0.0),
                Rule::Positive => OptionValue::Number(1.5),
                Rule::Count => OptionValue::Count(7),
                Rule::Flag => OptionValue::Flag(true),
                Rule::Word([_, other]) => option.of_word(other).unwrap(),
            };
            assert_eq!(options.get(option.name), None);
            options.set(option.name, value).unwrap();
            assert_eq!(options.get(option.name), Some(value), "{}", option.name);
        }
        assert!(options.is_light() && options.controls_entropy() && options.attempts() == 7);
    }

    #[test]
    fn values_that_break_a_rule_are_refused() {
        let check = |name: &str, value: OptionValue, expected: &str| {
            let mut options = Options::NONE;
            let error = options.set(name, value).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert_eq!(options, Options::NONE);
        };
        check("confidence", 1.0.into(), "strictly between 0 and 1");
        check("confidence", 3.into(), "`confidence` is a probability");
        check("runs", 0.into(), "`runs` is at least 1");
        check("attempts", 0.into(), "`attempts` is at least 1");
        check("effort", f64::NAN.into(), "extra runs per run");
        check("effort", f64::INFINITY.into(), "extra runs per run");
        check("timeout", 0.0.into(), "`timeout` is above 0");
        check("timeout", f64::INFINITY.into(), "counts as hanging");
        check("overlap", 1.into(), "overlap in time");
        check("speed", 1.into(), "no option `speed`");
    }
}
