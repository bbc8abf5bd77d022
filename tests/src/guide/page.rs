//! A page as steps to be taken, one after the other.

use std::fmt;
use std::fs;
use std::path::Path;

/// A page of the guide.
#[derive(Debug)]
pub struct Page {
    /// Its path in the repository.
    pub path: String,
    /// Where in the page each step begins, and the step.
    pub steps: Vec<(usize, Step)>,
}

/// What a page asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// A script that prepares something.
    Prepare(String),
    /// A file, and its text.
    Write(String, String),
    /// A file, and what is added to it.
    Append(String, String),
    /// Commands, each with what it must say; the last ends with this code.
    Commands(Vec<(String, String)>, i32),
    /// What the last command must have said.
    Says(String),
    /// A part of this file of the repository, which other tests run.
    PartOf(String, String),
    /// A block that is not run, and why.
    NotRun(String),
}

/// What a comment says of the block below it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Directive {
    Exits(i32),
    File(String),
    Append(String),
    Says,
    From(String),
    NotRun(String),
}

impl Page {
    /// Reads a page of the repository.
    pub fn read(root: &Path, path: &str) -> Result<Self, String> {
        let text = fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        Page::parse(path, &text)
    }

    fn parse(path: &str, text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut said = None;
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let at = index + 1;
            let wrong = |what: &dyn fmt::Display| Err(format!("{path}:{at}: {what}"));
            let trimmed = line.trim_start();
            if trimmed == "<!-- run" {
                let script: Vec<&str> = lines
                    .by_ref()
                    .map(|(_, line)| line)
                    .take_while(|line| line.trim() != "-->")
                    .collect();
                steps.push((at, Step::Prepare(script.join("\n"))));
            } else if let Some(directive) = directive(trimmed) {
                said = Some(directive);
            } else if let Some(language) = trimmed.strip_prefix("```") {
                let indent = line.len() - trimmed.len();
                let mut block = String::new();
                for (_, line) in lines.by_ref() {
                    if line.trim_start().starts_with("```") {
                        break;
                    }
                    block += line.get(indent..).unwrap_or_default();
                    block.push('\n');
                }
                match step(language, block, said.take()) {
                    Ok(step) => steps.extend(step.map(|step| (at, step))),
                    Err(error) => return wrong(&error),
                }
            } else if !trimmed.is_empty() && said.is_some() {
                return wrong(&"a comment that speaks of a block stands right before it");
            }
        }
        Ok(Page {
            path: path.to_owned(),
            steps,
        })
    }

    /// Whether anything is run.
    pub fn runs(&self) -> bool {
        let idle = |step: &Step| matches!(step, Step::NotRun(_));
        !self.steps.iter().all(|(_, step)| idle(step))
    }
}

fn directive(line: &str) -> Option<Directive> {
    let said = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    if said == "says" {
        return Some(Directive::Says);
    }
    let (word, rest) = said.split_once(": ")?;
    Some(match word {
        "exits" => Directive::Exits(rest.parse().ok()?),
        "file" => Directive::File(rest.to_owned()),
        "append" => Directive::Append(rest.to_owned()),
        "from" => Directive::From(rest.to_owned()),
        "not run" => Directive::NotRun(rest.to_owned()),
        _ => return None,
    })
}

fn step(
    language: &str,
    text: String,
    directive: Option<Directive>,
) -> Result<Option<Step>, String> {
    Ok(Some(match (language, directive) {
        (_, Some(Directive::NotRun(why))) => Step::NotRun(why),
        (_, Some(Directive::File(path))) => Step::Write(path, text),
        (_, Some(Directive::Append(path))) => Step::Append(path, text),
        (_, Some(Directive::From(path))) => Step::PartOf(path, text),
        ("text", Some(Directive::Says)) => Step::Says(text),
        ("console", directive @ (None | Some(Directive::Exits(_)))) => {
            let commands = commands(&text)?;
            let exit = match directive {
                Some(Directive::Exits(code)) => code,
                _ => 0,
            };
            Step::Commands(commands, exit)
        }
        ("text", None) => return Ok(None),
        (language, None) => {
            return Err(format!(
                "a block of `{language}` is run by nobody: say with a comment where it belongs, or why not"
            ));
        }
        (language, Some(directive)) => {
            return Err(format!("{directive:?} means nothing for `{language}`"));
        }
    }))
}

/// The commands of a block, each with what stands below it.
fn commands(block: &str) -> Result<Vec<(String, String)>, String> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, said))) => *said += &format!("{line}\n"),
            (None, None) => return Err("a block of `console` begins with `$ `".to_owned()),
        }
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_steps() {
        let text = "# Page\n\n<!-- run\nmkdir a\n-->\n1. Do this:\n\n   <!-- file: a/b.py -->\n   ```python\n   if x:\n       y\n   \
                    ```\n\n<!-- exits: 1 -->\n\n```console\n$ one\nsaid\n$ two\n```\n\n```text\nshown\n```\n\
                    <!-- not run: no server -->\n```yaml\na: b\n```\n";
        let page = Page::parse("a.md", text).unwrap();
        let file = Step::Write("a/b.py".to_owned(), "if x:\n    y\n".to_owned());
        let commands = vec![
            ("one".to_owned(), "said\n".to_owned()),
            ("two".to_owned(), String::new()),
        ];
        let commands = Step::Commands(commands, 1);
        let not_run = Step::NotRun("no server".to_owned());
        let expected = [
            (3, Step::Prepare("mkdir a".to_owned())),
            (9, file),
            (16, commands),
            (26, not_run),
        ];
        assert_eq!(page.steps, expected);
        assert!(page.runs());
    }

    #[test]
    fn what_nobody_would_run_is_refused() {
        for (text, expected) in [
            ("```rust\nfn a() {}\n```\n", "a.md:1: a block of `rust`"),
            ("```console\nsaid\n```\n", "begins with `$ `"),
            (
                "<!-- says -->\n```console\n$ a\n```\n",
                "Says means nothing for `console`",
            ),
            ("<!-- says -->\nwords\n", "stands right before it"),
        ] {
            let error = Page::parse("a.md", text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
