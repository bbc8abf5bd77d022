//! Reading `flex.toml`, or the same keys under `[package.metadata.flex]` in `Cargo.toml`.

use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::assertion::assertion_rule;
use super::{Config, Glob, TestRule, VariantRule};
use crate::file::ParseError;
use crate::file::error::{Fault, Parsed, place, syntax};
use crate::file::field::{Field, fields};
use crate::options::{Options, Rule, TABLE, TestOption};

const CONFIG_KEYS: [&str; 5] = ["assertion", "false-alarms", "test", "variant", "version"];
const TEST_KEYS: [&str; 2] = ["path", "target"];
const VARIANT_KEYS: [&str; 3] = ["name", "os", "arch"];

/// What to do about a value that is wrong: nothing but what the complaint says.
pub(super) const NO_ADVICE: &str = "";

impl FromStr for Config {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root = parse(text)?;
        config(root.get_ref(), text).map_err(|fault| fault.locate(text))
    }
}

impl Config {
    /// Reads what the text of a `Cargo.toml` says under `[package.metadata.flex]`, if there is such a table.
    pub fn from_manifest(text: &str) -> Result<Option<Config>, ParseError> {
        // Manifests are long, and few have the table.
        if !text.contains("metadata") {
            return Ok(None);
        }
        let root = parse(text)?;
        let table = root.get_ref().get("package").and_then(|package| {
            let package = package.get_ref().as_table()?;
            let metadata = package.get("metadata")?.get_ref().as_table()?;
            metadata.get("flex")
        });
        let Some(table) = table else { return Ok(None) };
        match table.get_ref().as_table() {
            Some(table) => config(table, text).map(Some),
            None => Err(Fault::new(
                table.span().start,
                "`flex` is a table: `[package.metadata.flex]`",
            )),
        }
        .map_err(|fault| fault.locate(text))
    }
}

fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, ParseError> {
    DeTable::parse(text).map_err(|error| syntax(text, &error, "choose a side").locate(text))
}

fn config(table: &DeTable<'_>, text: &str) -> Parsed<Config> {
    let mut config = Config::default();
    let mut budget_at = None;
    for field in fields(table, NO_ADVICE) {
        match field.key {
            "version" if field.count()? == 1 => {}
            "version" => {
                return Err(field.wrong("this flex knows version 1 only; upgrade flex to read it"));
            }
            "false-alarms" => {
                config.false_alarms = Some(field.word()?);
                budget_at = Some(field.at);
            }
            "test" => {
                for table in field.tables()? {
                    config.tests.push(test_rule(table, text)?);
                }
            }
            "variant" => {
                for table in field.tables()? {
                    config.variants.push(variant_rule(table)?);
                }
            }
            "assertion" => {
                for table in field.tables()? {
                    config.assertions.push(assertion_rule(table)?);
                }
            }
            _ => option(&mut config.defaults, &field, &CONFIG_KEYS)?,
        }
    }
    check_runs(&config.defaults, 0)?;
    match budget_at {
        Some(at) if config.defaults.confidence.is_some() => Err(Fault::new(
            at,
            "`false-alarms` decides the confidence of every test that states none; leave `confidence` out, or state it \
             for some tests under `[[test]]`",
        )),
        _ => Ok(config),
    }
}

fn test_rule(value: &Spanned<DeValue<'_>>, text: &str) -> Parsed<TestRule> {
    let at = value.span().start;
    let (mut path, mut target, mut options) = (None, None, Options::NONE);
    for field in fields(table_of(value, "test")?, NO_ADVICE) {
        match field.key {
            "path" => path = Some(Glob::new(field.string()?)),
            "target" => target = Some(Glob::new(field.string()?)),
            _ => option(&mut options, &field, &TEST_KEYS)?,
        }
    }
    check_runs(&options, at)?;
    Ok(TestRule {
        path: path.ok_or_else(|| {
            Fault::new(
                at,
                "this `[[test]]` does not say which: add `path = \"tests::slow_*\"`",
            )
        })?,
        target,
        options,
        line: place(text, at).0,
    })
}

fn variant_rule(value: &Spanned<DeValue<'_>>) -> Parsed<VariantRule> {
    let (mut name, mut os, mut arch) = (None, None, None);
    for field in fields(table_of(value, "variant")?, NO_ADVICE) {
        let slot = match field.key {
            "name" => &mut name,
            "os" => &mut os,
            "arch" => &mut arch,
            _ => return Err(field.unknown(&VARIANT_KEYS)),
        };
        let text = field.string()?;
        if text.is_empty() {
            return Err(field.wrong(format!("`{}` is empty", field.key)));
        }
        *slot = Some(text);
    }
    let name = name.ok_or_else(|| {
        Fault::new(
            value.span().start,
            "this `[[variant]]` has no name: add `name = \"gpu\"`",
        )
    })?;
    Ok(VariantRule { name, os, arch })
}

pub(super) fn table_of<'t>(value: &'t Spanned<DeValue<'t>>, key: &str) -> Parsed<&'t DeTable<'t>> {
    value.get_ref().as_table().ok_or_else(|| {
        Fault::new(
            value.span().start,
            format!("this must be a table that begins with `[[{key}]]`"),
        )
    })
}

/// Reads what the attribute of a test may say too, in a table that knows these other keys.
fn option(options: &mut Options, field: &Field<'_>, others: &[&str]) -> Parsed<()> {
    let names: Vec<String> = TABLE.iter().map(TestOption::toml_name).collect();
    let Some(index) = names.iter().position(|name| name == field.key) else {
        let known = others
            .iter()
            .copied()
            .chain(names.iter().map(String::as_str));
        return Err(field.unknown(&known.collect::<Vec<&str>>()));
    };
    let option = &TABLE[index];
    let value = match option.rule {
        Rule::Probability | Rule::NotNegative => field.number()?.into(),
        Rule::Count => field.count()?.into(),
        Rule::Flag => field.boolean()?.into(),
        Rule::Word([default, other]) => {
            let word = field.text()?;
            option.of_word(word).ok_or_else(|| {
                let key = field.key;
                field.wrong(format!(
                    "`{key}` is \"{default}\" or \"{other}\", not \"{word}\""
                ))
            })?
        }
    };
    let set = options.set(option.name, value);
    set.map_err(|error| field.wrong(error.replace(option.name, field.key)))
}

fn check_runs(options: &Options, at: usize) -> Parsed<()> {
    match (options.runs, options.max_runs) {
        (Some(runs), Some(most)) if runs > most => Err(Fault::new(
            at,
            format!("`runs = {runs}` is more than `max-runs = {most}`"),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestId;

    #[test]
    fn everything_that_the_attribute_takes_can_be_said() {
        let text = r#"
            version = 1
            confidence = 0.999
            runs = 50
            max-runs = 500
            tail = "light"
            effort = 0
            on-ceiling = "warn"
            overlap = true
            entropy = "controlled"
            attempts = 4
            [[test]]
            path = "tests::*"
            target = "lib"
            tail = "any"
            [[test]]
            path = "*::slow"
            tail = "light"
            runs = 10
            [[variant]]
            name = "mac"
            os = "macos"
            [[variant]]
            name = "arm"
            arch = "aarch64"
        "#;
        let config: Config = text.parse().unwrap();
        let options = config.options(&TestId::cargo("test:x", "slow"));
        assert_eq!(options, config.defaults);
        assert_eq!((options.confidence, options.runs), (Some(0.999), Some(50)));
        assert!(options.is_light() && options.ceiling_warns());
        assert!(options.may_overlap() && options.controls_entropy());
        assert_eq!(options.attempts(), 4);
        let slow = config.options(&TestId::cargo("lib", "tests::slow"));
        assert!(
            !slow.is_light(),
            "the first rule that says something counts"
        );
        assert_eq!(slow.runs, Some(10), "and others for what it does not say");
        assert!(
            config.options(&TestId::pytest("tests::slow")).is_light(),
            "pytest has no targets"
        );
        assert_eq!(config.variant("macos", "aarch64"), Some("mac"));
        assert_eq!(config.variant("linux", "aarch64"), Some("arm"));
        assert_eq!(config.variant("linux", "x86_64"), None);
        assert_eq!(config.tests[1].line, 16);
    }

    fn wrong(text: &str, line: usize, expected: &str) {
        let error = text.parse::<Config>().unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(expected), "{error}");
    }

    #[test]
    fn what_cannot_be_understood_names_its_line_and_what_to_do() {
        wrong("\nconfidense = 0.9", 2, "did you mean `confidence`?");
        wrong("max_runs = 9", 1, "did you mean `max-runs`?");
        wrong("[[test]]\npaht = 'x'", 2, "did you mean `path`?");
        wrong("[[variant]]\nname = 'x'\ncpu = 'y'", 3, "known here are");
        wrong("confidence = 1", 1, "strictly between 0 and 1");
        wrong("confidence = 'high'", 1, "must be a number");
        wrong("runs = 0", 1, "at least 1");
        wrong("attempts = 0", 1, "at least 1");
        wrong("effort = nan", 1, "extra runs per run");
        wrong("tail = 'heavy'", 1, "\"any\" or \"light\", not \"heavy\"");
        wrong("overlap = 'yes'", 1, "`true` or `false`");
        wrong("false-alarms = '1 in 10'", 1, "1 in 10000 runs");
        wrong(
            "false-alarms = '1 in 9 runs'\nconfidence = 0.9",
            1,
            "leave `confidence` out",
        );
        wrong("[[test]]\nruns = 3", 1, "path");
        wrong(
            "[[test]]\npath = 'x'\nruns = 3\nmax-runs = 2",
            1,
            "more than",
        );
        wrong("[test]\npath = 'x'", 1, "double brackets");
        wrong("test = [1]", 1, "[[test]]");
        wrong("[[variant]]\nos = 'linux'", 1, "name");
        wrong("[[variant]]\nname = ''", 2, "empty");
        wrong("version = 2", 1, "upgrade flex");
        wrong("runs = 3\n<<<<<<< HEAD\nruns = 4", 2, "merge conflict");
        wrong("runs = ", 1, "");
    }

    #[test]
    fn a_manifest_has_it_under_metadata() {
        let manifest = "[package]\nname = 'x'\n\n[package.metadata.flex]\nruns = 7\n";
        let config = Config::from_manifest(manifest).unwrap().unwrap();
        assert_eq!(config.defaults.runs, Some(7));
        let none = |text: &str| assert_eq!(Config::from_manifest(text), Ok(None), "{text}");
        none("[package]\nname = 'x'");
        none("[package.metadata.docs]\nall = true");
        none("[workspace.metadata.flex]\nruns = 3");
        let error = Config::from_manifest(&manifest.replace("runs", "rnus")).unwrap_err();
        assert_eq!(error.line, 5);
        assert!(error.message.contains("did you mean `runs`?"), "{error}");
        let error = Config::from_manifest("[package.metadata]\nflex = 3").unwrap_err();
        assert_eq!(error.line, 2);
    }
}
