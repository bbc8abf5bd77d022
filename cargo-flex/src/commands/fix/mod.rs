//! `flex-harness fix`: proposes patches for flaky assertions, with what each alternative costs and catches.

mod apply;
mod args;
mod check;
mod json;
mod pull_request;
mod record;
mod root;
mod words;
mod work;

use std::io::{self, Write};
use std::path::Path;

use flex_core::paint::{Ink, Paint};
use flex_core::visible::visible;
use flex_core::words::count;
use flex_detect::proposal::{FixOrder, propose};
use flex_detect::record::{ObservedTest, Record};
use flex_detect::verdict::{JudgeRule, judge};
use flex_run::text_file;

use crate::called;
use crate::exit::{Exit, Failure};
use crate::terminal;
pub use args::FixArgs;
use work::FixWork;

/// Runs the command.
pub fn run(args: &FixArgs) -> Result<Exit, Failure> {
    let (record, root) = record::read(args)?;
    let rule = JudgeRule {
        probability: Some(args.confidence.false_alarm_rate()),
    };
    let findings = judge(&record, &rule);
    let order = FixOrder {
        confidence: args.confidence,
        choose: args.choose,
        even_suspected: args.suspected,
    };
    let is_named = |test: &ObservedTest| args.names(test, &record.root);
    if !record.tests.iter().any(is_named) {
        return Err(nothing_named(&record));
    }
    let mut read = |file: &Path| {
        let path = root.file(&record.root.join(file))?;
        let text = text_file::read_text(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        text.ok_or_else(|| format!("{} is gone", path.display()))
    };
    let mut plan = propose(&record, &findings, &order, is_named, &mut read);
    for patch in plan.last_patches() {
        if let Err(why) = check::parses(record.runner, &patch.file, &patch.after) {
            plan.withdraw(&patch.file, &why);
        }
    }
    let work = FixWork {
        args,
        record: &record,
        root: &root,
        findings: &findings,
        plan: &plan,
    };
    if !args.json {
        terminal::stderr().write_all(words::menus(&work).as_bytes())?;
    }
    if let Some(folder) = &args.pr_text {
        pull_request::write(&work, folder)?;
    }
    let mended = if args.apply {
        apply::apply(&work)?
    } else {
        true
    };
    if args.json {
        writeln!(io::stdout(), "{:#}", json::json(&work))?;
    } else if !args.apply {
        print_patches(&work)?;
    }
    let remain = work.unmended();
    if !args.json {
        terminal::stderr().write_all(words::summary(&work, remain).as_bytes())?;
    }
    Ok(match remain == 0 && mended {
        true => Exit::Fine,
        false => Exit::Findings,
    })
}

fn print_patches(work: &FixWork<'_>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for patch in &work.plan.patches {
        // What stands before a patch is for people; who applies it skips that.
        let name = work.record.tests[patch.test].name();
        // In one line, or a name could be a patch of its own.
        writeln!(out, "# {}", visible(name))?;
        out.write_all(painted(&work.diff(patch), terminal::paint()).as_bytes())?;
    }
    Ok(())
}

/// A diff, with what goes and what comes in ink. Who applies it reads no terminal.
fn painted(diff: &str, paint: Paint) -> String {
    let line = |line: &str| {
        let words = line.strip_suffix('\n').unwrap_or(line);
        let ink = match words.get(..1) {
            _ if words.starts_with("+++") || words.starts_with("---") => Ink::Strong,
            Some("+") => Ink::Good,
            Some("-") => Ink::Bad,
            Some("@") => Ink::Hint,
            _ => return line.to_owned(),
        };
        paint.word(ink, words) + &line[words.len()..]
    };
    diff.split_inclusive('\n').map(line).collect()
}

fn nothing_named(record: &Record) -> Failure {
    let tests = count(record.tests.len(), "test", "tests");
    Failure::Input {
        error: format!("the record holds {tests}, and none that is asked for"),
        hint: format!(
            "leave out filters, or let `{} detect` search the tests first",
            called::name()
        ),
    }
}
