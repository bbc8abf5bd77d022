//! Runs each patched test once, under the first seed that failed it.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use flex_detect::menu::Remedy;
use flex_detect::proposal::Patch;
use flex_detect::report::{replay, replay_all};

use crate::commands::fix::work::Work;
use crate::exit::Failure;

/// Programs that a record may ask for.
const RUNNERS: [&str; 4] = ["cargo", "pytest", "python", "python3"];

/// Whether every patched test passes. One that does not is left as it is: its other assertions may fail under that seed,
/// and version control has the file as it was.
pub fn verify(work: &Work<'_>) -> Result<bool, Failure> {
    let mut all_pass = true;
    for patch in &work.plan.patches {
        let name = work.record.tests[patch.test].name();
        let Some(command) = command(work, patch) else {
            continue;
        };
        let said = match run(&command, &work.record.root) {
            Some(Ok(true)) => format!("{name} passes: {command}"),
            Some(Ok(false)) => {
                all_pass = false;
                let file = work.record.root.join(&patch.file);
                format!(
                    "warning: {name} still fails: {command}\nhint: another assertion may fail it, which `flex-harness detect` sees now; `git checkout {}` takes \
                     the patch back",
                    file.display()
                )
            }
            Some(Err(error)) => {
                all_pass = false;
                format!("warning: cannot run {name}: {error}\nhint: run `{command}`")
            }
            None => format!("hint: see whether {name} passes now: {command}"),
        };
        writeln!(io::stderr(), "{said}")?;
    }
    Ok(all_pass)
}

/// The command that repeats the first failing run. A number that is yet to be learned has nothing to repeat; a test that
/// is rerun now is to pass as a whole, not in the run that failed.
fn command(work: &Work<'_>, patch: &Patch) -> Option<String> {
    let proposals = || {
        patch
            .proposals
            .iter()
            .map(|index| &work.plan.proposals[*index])
    };
    let changes = |is_it: fn(&Remedy) -> bool| {
        proposals().any(|proposal| {
            let choice = proposal.choice.as_ref().ok();
            let offer = choice.map(|choice| &proposal.menu.offers[choice.offer]);
            offer.is_some_and(|offer| is_it(&offer.change))
        })
    };
    let is_learned = changes(|change| matches!(change, Remedy::Learned { .. }));
    let is_rerun = changes(|change| matches!(change, Remedy::Reruns { .. }));
    let first = proposals().find_map(|proposal| proposal.finding.figures.failed.first());
    let judged = work.findings.tests.get(patch.test)?;
    let nearest = proposals().find_map(|proposal| proposal.finding.figures.nearest);
    let run = first.copied().or(nearest).filter(|_| !is_learned)?;
    match is_rerun {
        true => replay_all(judged),
        false => replay(judged, run),
    }
}

/// Runs a command that begins with variables and one of [`RUNNERS`]; `None` if it does not.
fn run(command: &str, folder: &Path) -> Option<io::Result<bool>> {
    let words = words(command)?;
    let is_variable = |word: &&String| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        !name.is_empty() && name.chars().all(plain)
    };
    let variables: Vec<&String> = words.iter().take_while(is_variable).collect();
    let (program, arguments) = words[variables.len()..].split_first()?;
    if !RUNNERS.contains(&program.as_str()) {
        return None;
    }
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.envs(variables.iter().filter_map(|word| word.split_once('=')));
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    Some(status.map(|status| status.success()))
}

/// The words of a command as a shell splits them; `None` if it would do more than that.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some('"'), '$' | '`') | (None, '$' | '`' | ';' | '|' | '&' | '<' | '>') => {
                return None;
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().push(characters.next()?),
            (Some(_), other) => word.get_or_insert_default().push(other),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, space) if space.is_whitespace() => words.extend(word.take()),
            (None, other) => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let check = |command: &str, expected: &[&str]| {
            let words = words(command).unwrap();
            assert_eq!(words, expected);
        };
        check(
            "A=b@detect:7 cargo test  -- x",
            &["A=b@detect:7", "cargo", "test", "--", "x"],
        );
        check(
            r#"pytest 'a b.py::t[x-"y"]' --s="c d" e\ f"#,
            &["pytest", "a b.py::t[x-\"y\"]", "--s=c d", "e f"],
        );
        check("a ''", &["a", ""]);
        for command in ["a; b", "a $(b)", "a | b", "a > b", "a 'b", "a \"$b\""] {
            assert_eq!(words(command), None, "{command}");
        }
    }

    #[test]
    fn only_test_runners_are_run() {
        let here = Path::new(".");
        assert!(run("rm -r x", here).is_none());
        assert!(run("PATH=/tmp", here).is_none());
        assert!(matches!(run("A=1 cargo --version", here), Some(Ok(true))));
    }
}
