//! `--jsonl`: a question a line in, an answer a line out.

use std::io::{BufRead, Write};

use flex_core::bound::Question;
use flex_core::ceiling::Promise;
use flex_core::confidence::{Confidence, DEFAULT_EFFORT, Share};
use flex_core::sample::Samples;
use flex_core::tail::{Domain, Tail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::Answer;
use super::{Finding, Inquiry, unreadable};
use crate::exit::Failure;

/// A line of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    id: Value,
    samples: Vec<Option<f64>>,
    confidence: Option<f64>,
    tail: Option<String>,
    method: Option<String>,
    domain: Option<(Option<f64>, Option<f64>)>,
    #[serde(default)]
    light: bool,
    #[serde(default)]
    predictive: bool,
    effort: Option<f64>,
    declared: Option<f64>,
}

#[derive(Serialize)]
struct Answered {
    id: Value,
    #[serde(flatten)]
    answer: Answer,
}

#[derive(Serialize)]
struct Unreadable {
    id: Value,
    error: String,
}

/// Answers every line, in order; `name` is what errors call the input. Empty lines are passed over.
pub fn answer_lines(
    name: &str,
    mut input: impl BufRead,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if input
            .read_until(b'\n', &mut bytes)
            .map_err(|error| unreadable(name, &error))?
            == 0
        {
            break;
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match answer(&bytes) {
            Ok((id, finding)) => {
                let answer = Answer::new(&finding);
                serde_json::to_writer(&mut *output, &Answered { id, answer })?;
            }
            Err(Unreadable { id, error }) => {
                let error = format!("line {number}: {error}");
                serde_json::to_writer(&mut *output, &Unreadable { id, error })?;
            }
        }
        output.write_all(b"\n")?;
        // Whoever waits for this answer before the next question must get it now.
        output.flush()?;
    }
    Ok(())
}

fn answer(line: &[u8]) -> Result<(Value, Finding), Unreadable> {
    let line: Line = serde_json::from_slice(line).map_err(|error| Unreadable {
        id: id_of(line),
        error: explain(&error),
    })?;
    let id = line.id.clone();
    match inquire(&line) {
        Ok(inquiry) => {
            let values = line.samples.iter().map(|value| value.unwrap_or(f64::NAN));
            let samples = Samples::new((0..).zip(values));
            Ok((id, inquiry.answer(samples)))
        }
        Err(error) => Err(Unreadable { id, error }),
    }
}

fn inquire(line: &Line) -> Result<Inquiry, String> {
    match line.method.as_deref() {
        None | Some("default") => {}
        Some(other) => return Err(format!("`{other}` is not a method: write `default`")),
    }
    let confidence = match line.confidence {
        Some(value) => Confidence::new(value)?,
        None => Confidence::DEFAULT,
    };
    let effort = line.effort.unwrap_or(DEFAULT_EFFORT);
    if effort < 0.0 {
        return Err("the effort cannot be negative".to_owned());
    }
    let tail = match &line.tail {
        Some(tail) => tail.parse()?,
        None => Tail::Upper,
    };
    let domain = match line.domain {
        Some((lower, upper)) => Some(Domain::new(
            lower.unwrap_or(f64::NEG_INFINITY),
            upper.unwrap_or(f64::INFINITY),
        )?),
        None => None,
    };
    let question = Question {
        share: Share { confidence, effort },
        domain,
        light: line.light,
        promise: if line.predictive {
            Promise::Expected
        } else {
            Promise::Assured
        },
        ..Question::new(tail, confidence)
    };
    Inquiry::new(question, line.declared)
}

/// The id of a line that is JSON but not a question.
fn id_of(line: &[u8]) -> Value {
    let parsed: Option<Value> = serde_json::from_slice(line).ok();
    parsed
        .and_then(|value| value.get("id").cloned())
        .unwrap_or(Value::Null)
}

/// serde's message, with the column in our words and help for what people often write.
fn explain(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(words, _)| words);
    let hint = if error.is_syntax() {
        "; JSON has no NaN: write null for it"
    } else {
        ""
    };
    format!("column {}: {message}{hint}", error.column())
}
