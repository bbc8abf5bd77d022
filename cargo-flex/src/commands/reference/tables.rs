//! Tables of the code: variables, options, keys, exit codes.

use flex_bounds::claim::{CLAIM_OPTIONS, ClaimRule, FAMILIES};
use flex_bounds::keys::{self, Keys};
use flex_bounds::options::{Rule, TABLE as TEST_OPTIONS};
use flex_run::project::env::{SetBy, VARIABLES};
use flex_run::project::variables::READ_BY_NAME;
use flex_shard::auto::SYSTEMS;

use super::table;
use crate::exit;

/// The table of this name.
pub fn named(name: &str) -> Option<String> {
    let of_keys = |keys: Keys| {
        let row = |(key, meaning): &(&str, &str)| [format!("`{key}`"), (*meaning).to_owned()];
        Some(table(["key", "means"], keys.iter().map(row)))
    };
    match name {
        "exit-codes" => Some(exit_codes()),
        "variables of people" => Some(variables(SetBy::People)),
        "variables of flex" => Some(variables(SetBy::Flex)),
        "variables of terminals" => Some(variables(SetBy::Terminal)),
        "variables of shards" => Some(shards()),
        "variables of others" => Some(variables(SetBy::Others)),
        "test options" => Some(test_options()),
        "claim options" => Some(claim_options()),
        "flex.toml" => of_keys(keys::CONFIG),
        "flex.toml [[test]]" => of_keys(keys::TEST),
        "flex.toml [[variant]]" => of_keys(keys::VARIANT),
        "flex.toml [[assertion]]" => of_keys(keys::ASSERTION),
        "flex.toml [[characteristic]]" => of_keys(keys::CHARACTERISTIC),
        "flex.toml [[seed]]" => of_keys(keys::SEED),
        "flex.toml [[depends]]" => of_keys(keys::DEPENDS),
        "flex.toml [engine]" => of_keys(keys::ENGINE),
        "bounds file" => of_keys(keys::BOUNDS),
        "bounds file [[bound]]" => of_keys(keys::ENTRY),
        "bounds file side" => of_keys(keys::SIDE),
        "bounds file race" => of_keys(keys::RACE),
        "bounds file strays" => of_keys(keys::STRAYS),
        "bounds file fit" => of_keys(keys::FIT),
        "bounds file replay" => of_keys(keys::REPLAY),
        _ => None,
    }
}

fn exit_codes() -> String {
    let lines = exit::TABLE.lines().filter_map(|line| {
        let (code, meaning) = line.trim().split_once(' ')?;
        code.parse::<u8>().ok()?;
        Some([code.to_owned(), meaning.trim().to_owned()])
    });
    table(["code", "means"], lines)
}

fn variables(set_by: SetBy) -> String {
    let rows = VARIABLES
        .iter()
        .chain(READ_BY_NAME)
        .filter(|variable| variable.set_by == set_by);
    table(
        ["variable", "means"],
        rows.map(|variable| [format!("`{}`", variable.name), variable.meaning.to_owned()]),
    )
}

/// What systems tell the jobs that they start.
fn shards() -> String {
    let rows = SYSTEMS.iter().map(|system| {
        let read = [Some(system.index), Some(system.total), system.start];
        let read = read.into_iter().flatten().map(|name| format!("`{name}`"));
        let read: Vec<String> = read.collect();
        [system.name.to_owned(), read.join(", ")]
    });
    table(["system", "job, jobs, start"], rows)
}

/// The options of a test: in the attribute, in the marker of pytest and in `flex.toml`.
fn test_options() -> String {
    let mut text = "| Rust | pytest | flex.toml | means |\n|---|---|---|---|\n".to_owned();
    for option in TEST_OPTIONS {
        let name = option.name;
        let in_python = option.in_python.map(|value| value.trim_matches('\''));
        let value = match option.rule {
            Rule::Word([_, other]) => other,
            Rule::Flag => "true",
            _ => in_python.unwrap_or_default(),
        };
        let (toml, quoted) = match option.rule {
            Rule::Word(_) => (option.toml_name(), format!("\"{value}\"")),
            _ => (option.toml_name(), value.to_owned()),
        };
        let python = option.in_python.map_or_else(
            || "–".to_owned(),
            |value| format!("`{name}={}`", value.replace('\'', "\"")),
        );
        let meaning = option.meaning;
        text += &format!("| `{name} = {value}` | {python} | `{toml} = {quoted}` | {meaning} |\n");
    }
    text
}

/// The options of claims about all runs, with the assertions that have them.
fn claim_options() -> String {
    let rows = CLAIM_OPTIONS.iter().map(|option| {
        let value = match option.rule {
            ClaimRule::Text => "\"…\"",
            ClaimRule::Probability => "0.999",
            ClaimRule::Number | ClaimRule::Positive => "0.05",
            ClaimRule::Count => "1000",
            ClaimRule::Range => "0.0..=1.0",
            ClaimRule::Word([_, other]) => other,
        };
        let of = FAMILIES
            .iter()
            .filter(|family| family.options.contains(&option.name));
        let of: Vec<&str> = of.map(|family| family.name).collect();
        let of = match of.len() == FAMILIES.len() {
            true => "all".to_owned(),
            false => of.join(", "),
        };
        let name = option.name;
        [
            format!("`{name} = {value}`"),
            format!("{} (of: {of})", option.meaning),
        ]
    });
    table(["option", "means"], rows)
}
