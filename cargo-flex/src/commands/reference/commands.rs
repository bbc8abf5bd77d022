//! The commands with their options, from the same source as `--help`.

use clap::{Arg, Command};

use super::table;

/// All commands, a heading each.
pub fn all(mut program: Command) -> String {
    program.build();
    let of_all = program.get_arguments().filter(|arg| arg.is_global_set());
    let of_all: Vec<[String; 2]> = of_all.filter(|arg| !is_usual(arg)).map(row).collect();
    let mut text = format!(
        "## All commands\n\n{}\n{WHERE_TO}\n",
        table(["option", "means"], of_all)
    );
    for command in program.get_subcommands().filter(is_shown) {
        text += &of(command, program.get_name(), 2);
    }
    text
}

/// What decides how things are shown, besides these options.
const WHERE_TO: &str = "\
Answers go to standard output, words about them to standard error. Colour is for terminals; `NO_COLOR` forbids it, and
`CLICOLOR_FORCE=1` (or `CARGO_TERM_COLOR=always`) asks for it elsewhere. Progress stays in place at a terminal and comes in
lines elsewhere, with `CI=true` and with `-v`: one when a test is done, and one each half minute before. A locale that is
not of UTF-8, such as `LC_ALL=C`, has our signs spelt in ASCII.
";

/// What every program has.
fn is_usual(arg: &Arg) -> bool {
    ["help", "version"].contains(&arg.get_id().as_str())
}

fn row(arg: &Arg) -> [String; 2] {
    [format!("`{}`", written(arg)), meaning(arg)]
}

fn is_shown(command: &&Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn of(command: &Command, above: &str, depth: usize) -> String {
    let name = format!("{above} {}", command.get_name());
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(|about| in_code(&about.to_string()));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let mut text = format!(
        "{} `{name}`\n\n{}\n\n```text\n{usage}\n```\n\n",
        "#".repeat(depth),
        about.unwrap_or_default()
    );
    let args = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let own = |arg: &&Arg| !is_usual(arg) && !arg.is_global_set();
    let rows: Vec<[String; 2]> = args().filter(own).map(row).collect();
    if !rows.is_empty() {
        text += &table(["option", "means"], rows);
        text.push('\n');
    }
    for below in command.get_subcommands().filter(is_shown) {
        text += &of(below, &name, depth + 1);
    }
    text
}

/// The line that begins with `Example:`, as code.
fn in_code(about: &str) -> String {
    let line = |line: &str| match line.strip_prefix("Example: ") {
        Some(example) => format!("Example: `{example}`"),
        None => line.replace('<', "\\<"),
    };
    about.lines().map(line).collect::<Vec<String>>().join("\n")
}

/// An option as it is typed: `-j, --jobs <N>`.
fn written(arg: &Arg) -> String {
    let values = || {
        let names = arg.get_value_names().unwrap_or_default();
        let takes = arg.get_action().takes_values();
        let names = names.iter().filter(|_| takes);
        names.map(|name| format!(" <{name}>")).collect::<String>()
    };
    if arg.is_positional() {
        return values().trim().to_owned();
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    names.join(", ") + &values()
}

/// What it means, with its defaults and where else it can be said.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let mut text = help.map_or_else(String::new, ToString::to_string);
    text = text.replace('<', "\\<");
    if !arg.is_hide_possible_values_set() && arg.get_action().takes_values() {
        let values = arg.get_possible_values();
        let names: Vec<String> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        if !names.is_empty() {
            text += &format!(" ({})", names.join(", "));
        }
    }
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .filter(|_| arg.get_action().takes_values())
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if !defaults.is_empty() {
        text += &format!(" [default: {}]", defaults.join(", "));
    }
    if let Some(variable) = arg.get_env() {
        text += &format!(" [`{}`]", variable.to_string_lossy());
    }
    text
}
