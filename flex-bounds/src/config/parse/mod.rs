//! Reading `flex.toml`, or the same keys under `[package.metadata.flex]` in `Cargo.toml`.

use std::str::FromStr;

use super::assertion::assertion_rule;
use super::characteristic::characteristic_rule;
use super::depends::depends_rule;
use super::engine::engine;
use super::quarantine::quarantine;
use super::seed::seed_rule;
use super::{Config, Glob, TestRule, VariantRule};
use crate::document::{self, Placed, Table};
use crate::file::ParseError;
use crate::file::error::{Fault, Parsed, place, syntax};
use crate::file::field::{Field, NO_ADVICE, fields, table_of};
use crate::keys::{self, Keys};
use crate::options::{Options, Rule, TABLE, TestOption};

impl FromStr for Config {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root = parse(text)?;
        config(&root, text).map_err(|fault| fault.locate(text))
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
        let table = root.get("package").and_then(|package| {
            let package = package.value.as_table()?;
            let metadata = package.get("metadata")?.value.as_table()?;
            metadata.get("flex")
        });
        let Some(table) = table else { return Ok(None) };
        match table.value.as_table() {
            Some(table) => config(table, text).map(Some),
            None => Err(Fault::new(
                table.at,
                "`flex` is a table: `[package.metadata.flex]`",
            )),
        }
        .map_err(|fault| fault.locate(text))
    }
}

fn parse(text: &str) -> Result<Table<'_>, ParseError> {
    document::parse(text).map_err(|error| syntax(text, &error, "choose a side").locate(text))
}

fn config(table: &Table<'_>, text: &str) -> Parsed<Config> {
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
            "characteristic" => {
                for table in field.tables()? {
                    config.characteristics.push(characteristic_rule(table)?);
                }
            }
            "seed" => {
                for table in field.tables()? {
                    config.seeds.push(seed_rule(table)?);
                }
            }
            "depends" => {
                for table in field.tables()? {
                    config.depends.push(depends_rule(table)?);
                }
            }
            "engine" => config.engine = engine(&field)?,
            _ => option(&mut config.defaults, &field, keys::CONFIG)?,
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

fn test_rule(value: &Placed<'_>, text: &str) -> Parsed<TestRule> {
    let at = value.at;
    let (mut path, mut target, mut options) = (None, None, Options::NONE);
    let mut quarantined = None;
    for field in fields(table_of(value, "test")?, NO_ADVICE) {
        match field.key {
            "path" => path = Some(Glob::new(field.string()?)),
            "target" => target = Some(Glob::new(field.string()?)),
            "quarantine" => quarantined = Some(quarantine(&field)?),
            _ => option(&mut options, &field, keys::TEST)?,
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
        quarantine: quarantined,
        line: place(text, at).0,
    })
}

fn variant_rule(value: &Placed<'_>) -> Parsed<VariantRule> {
    let (mut name, mut os, mut arch) = (None, None, None);
    for field in fields(table_of(value, "variant")?, NO_ADVICE) {
        let slot = match field.key {
            "name" => &mut name,
            "os" => &mut os,
            "arch" => &mut arch,
            _ => return Err(field.unknown(&keys::names(keys::VARIANT))),
        };
        let text = field.string()?;
        if text.is_empty() {
            return Err(field.wrong(format!("`{}` is empty", field.key)));
        }
        *slot = Some(text);
    }
    let name = name.ok_or_else(|| {
        Fault::new(
            value.at,
            "this `[[variant]]` has no name: add `name = \"gpu\"`",
        )
    })?;
    Ok(VariantRule { name, os, arch })
}

/// Reads what the attribute of a test may say too, in a table that knows these other keys.
fn option(options: &mut Options, field: &Field<'_>, others: Keys) -> Parsed<()> {
    let names: Vec<String> = TABLE.iter().map(TestOption::toml_name).collect();
    let Some(index) = names.iter().position(|name| name == field.key) else {
        let mut known = keys::names(others);
        known.extend(names.iter().map(String::as_str));
        return Err(field.unknown(&known));
    };
    let option = &TABLE[index];
    let value = match option.rule {
        Rule::Probability | Rule::NotNegative | Rule::Positive => field.number()?.into(),
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
mod tests;
