//! Numbers, decorators and imports in Python sources.

mod decorator;
mod statements;

use std::ops::Range;

use crate::record::{Given, Knob, ObservedSite, ObservedTest, Span};
use crate::source::literal::{WholeNumber, restyle};
use crate::source::{Edit, NoPlace, line_ending, lines, offset, text_start};
pub use decorator::decorator_option;
use statements::{Statement, statements};

/// Where a number stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberInPython {
    range: Range<usize>,
    /// The literal, or the keyword that is left out.
    given: Text,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Text {
    Literal(String),
    LeftOut { keyword: String, default: String },
}

impl NumberInPython {
    /// Finds the number that the record speaks of, and makes sure that it is still there.
    pub fn find(text: &str, knob: &Knob) -> Result<NumberInPython, NoPlace> {
        match &knob.given {
            Given::Constant {
                name,
                also_in: Some(line),
                ..
            } => Err(NoPlace::NoNumber(format!(
                "`{name}` stands for something else too, in line {line}, which another number would change: give the \
                 assertion a number of its own"
            ))),
            Given::Literal { span } | Given::Constant { span, .. } => {
                let range = range(text, *span).filter(|range| text[range.clone()] == knob.text);
                let range = range.ok_or_else(|| {
                    NoPlace::Changed(format!("line {} no longer says `{}`", span.line, knob.text))
                })?;
                Ok(NumberInPython {
                    range,
                    given: Text::Literal(knob.text.clone()),
                })
            }
            Given::Default {
                keyword,
                line,
                column,
            } => {
                let at = offset(text, *line, *column).filter(|at| ends_argument(&text[*at..]));
                let at = at.ok_or_else(|| {
                    NoPlace::Changed(format!("line {line} no longer ends a call where it did"))
                })?;
                Ok(NumberInPython {
                    range: at..at,
                    given: Text::LeftOut {
                        keyword: keyword.clone(),
                        default: knob.text.clone(),
                    },
                })
            }
            Given::Source => Err(NoPlace::NoNumber(
                "the record does not say where the number stands".to_owned(),
            )),
        }
    }

    /// The bytes that hold the number; empty where it is left out.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The edit that writes another number, and the number as it is written.
    pub fn write(&self, value: f64) -> Option<(Edit, String)> {
        match &self.given {
            Text::Literal(literal) => {
                let number = restyle(literal, value, WholeNumber::MayBecomeFraction)?;
                Some((Edit::replace(self.range.clone(), number.clone()), number))
            }
            Text::LeftOut { keyword, default } => {
                let number = restyle(default, value, WholeNumber::MayBecomeFraction)?;
                let text = format!(", {keyword}={number}");
                Some((Edit::insert(self.range.start, text), number))
            }
        }
    }

    /// The edit that leaves the number to flex, if it is written in the assertion: a constant may be read elsewhere too.
    pub fn learn(&self, knob: &Knob) -> Result<Edit, NoPlace> {
        match (&self.given, &knob.given) {
            (_, Given::Constant { name, .. }) => Err(NoPlace::NoNumber(format!(
                "`{name}` is a constant: write learned() into the assertion in its place"
            ))),
            (Text::Literal(_), _) => Ok(Edit::replace(self.range.clone(), "learned()")),
            (Text::LeftOut { keyword, .. }, _) => Ok(Edit::insert(
                self.range.start,
                format!(", {keyword}=learned()"),
            )),
        }
    }
}

/// Makes sure that the function around an assertion is what was run: the same number may stand at its place in another
/// one by now, and what was seen says nothing about other code.
pub fn as_run(text: &str, site: &ObservedSite) -> Result<(), NoPlace> {
    let Some(within) = &site.within else {
        return Ok(());
    };
    let first = usize::try_from(within.line).unwrap_or(0).wrapping_sub(1);
    let now = lines(text)
        .skip(first)
        .map(|(_, line)| line.trim_end_matches(['\r', '\n']));
    let mut then = within.text.split('\n');
    let count = then.clone().count();
    if now.take(count).eq(&mut then) {
        Ok(())
    } else {
        Err(NoPlace::Changed(format!(
            "the function around line {} is not what was run",
            site.place.line
        )))
    }
}

/// The edit that puts a decorator on top of a test; `None` if the function is not where it was.
pub fn decorate(text: &str, test: &ObservedTest, decorator: &str) -> Result<Edit, NoPlace> {
    decorators(text, test)?;
    let (start, line) = function_line(text, test)?;
    let indent = &line[..line.len() - line.trim_start().len()];
    Ok(Edit::insert(
        start,
        format!("{indent}{decorator}{}", line_ending(text)),
    ))
}

/// The decorators of a test: text from its first line to its `def`.
pub fn decorators<'a>(text: &'a str, test: &ObservedTest) -> Result<(usize, &'a str), NoPlace> {
    let (start, _) = function_line(text, test)?;
    let rest = lines(text).skip_while(|(place, _)| *place < start);
    let def_of = |line: &'a str| {
        let line = line.trim_start();
        line.strip_prefix("async ")
            .unwrap_or(line)
            .strip_prefix("def ")
    };
    // A case may have any text: `tests/test_a.py::TestA::test_x[a::b]`.
    let id = test.name().split_once("::").map_or(test.name(), |it| it.1);
    let function = id.split('[').next().unwrap_or_default();
    let name = function.rsplit("::").next().unwrap_or_default();
    let def = rest
        .into_iter()
        .find_map(|(place, line)| Some((place, def_of(line)?)))
        .filter(|(_, def)| def.split('(').next().unwrap_or_default().trim() == name)
        .ok_or_else(|| moved(test))?;
    Ok((start, &text[start..def.0]))
}

fn function_line<'a>(text: &'a str, test: &ObservedTest) -> Result<(usize, &'a str), NoPlace> {
    let index = usize::try_from(test.place.line)
        .unwrap_or(0)
        .wrapping_sub(1);
    let begins = |line: &str| {
        let line = line.trim_start();
        ["@", "def ", "async def "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    lines(text)
        .nth(index)
        .filter(|(_, line)| begins(line))
        .ok_or_else(|| moved(test))
}

fn moved(test: &ObservedTest) -> NoPlace {
    NoPlace::Changed(format!(
        "line {} no longer begins the test",
        test.place.line
    ))
}

/// The edit that makes these names of a module known above the given place; `None` if they are.
pub fn import_names(text: &str, module: &str, names: &[&str], before: usize) -> Option<Edit> {
    let all: Vec<Statement<'_>> = statements(text)
        .into_iter()
        .take_while(|statement| statement.start < before)
        .collect();
    let missing: Vec<&str> = names
        .iter()
        .filter(|name| !all.iter().any(|statement| statement.imports(module, name)))
        .copied()
        .collect();
    if missing.is_empty() {
        return None;
    }
    let line = format!("from {module} import {}", missing.join(", "));
    Some(insert_import(text, &all, &line))
}

/// The edit that imports a module above the given place; `None` if it is imported.
pub fn import_module(text: &str, module: &str, before: usize) -> Option<Edit> {
    let all: Vec<Statement<'_>> = statements(text)
        .into_iter()
        .take_while(|statement| statement.start < before)
        .collect();
    let line = format!("import {module}");
    let is_there = all.iter().any(|statement| statement.text.trim() == line);
    (!is_there).then(|| insert_import(text, &all, &line))
}

/// After the last import at the top level, else after the docstring, else at the very beginning.
fn insert_import(text: &str, before: &[Statement<'_>], line: &str) -> Edit {
    let end = line_ending(text);
    let is_import = |statement: &&Statement<'_>| statement.is_import();
    let edit = match (before.iter().rfind(is_import), before.first()) {
        (Some(last), _) => insert_line(text, last, &format!("{line}{end}")),
        (None, Some(first)) if first.is_docstring() => {
            insert_line(text, first, &format!("{end}{line}{end}"))
        }
        (None, first) => {
            let at = first.map_or(text_start(text), |statement| statement.start);
            Edit::insert(at, format!("{line}{end}{end}"))
        }
    };
    // A decorator may be inserted at the same place, and belongs to the function below.
    edit.first()
}

fn insert_line(text: &str, after: &Statement<'_>, line: &str) -> Edit {
    let is_last = !text[..after.end].ends_with('\n');
    let start = if is_last { line_ending(text) } else { "" };
    Edit::insert(after.end, format!("{start}{line}"))
}

fn range(text: &str, span: Span) -> Option<Range<usize>> {
    let start = offset(text, span.line, span.column)?;
    let end = offset(text, span.end_line, span.end_column)?;
    (start <= end).then_some(start..end)
}

/// Whether an argument of a call can end before this text.
fn ends_argument(rest: &str) -> bool {
    rest.starts_with(|next: char| matches!(next, ')' | ',' | '#') || next.is_whitespace())
}

#[cfg(test)]
mod tests;
