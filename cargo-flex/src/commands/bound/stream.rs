//! `--jsonl`: a question a line in, an answer a line out.

use std::fmt;
use std::io::{BufRead, Write};

use flex_core::bound::Question;
use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT, Share};
use flex_core::sample::Samples;
use flex_core::tail::{Domain, Tail};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::answer::BoundAnswer;
use super::input::each_line;
use super::inquiry::{Inquiry, settling};
use super::published::{PublishedAnswer, PublishedSettings};
use crate::exit::Failure;

/// A line of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    id: Value,
    samples: Vec<Sample>,
    confidence: Option<f64>,
    tail: Option<String>,
    method: Option<String>,
    domain: Option<Ends>,
    light: Option<bool>,
    predictive: Option<bool>,
    effort: Option<f64>,
    uncontrolled: Option<bool>,
    declared: Option<f64>,
}

/// A number, null, or the name of what JSON has no number for.
#[derive(Debug, Clone, Copy)]
struct Sample(f64);

impl<'de> Deserialize<'de> for Sample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SampleVisitor;

        impl Visitor<'_> for SampleVisitor {
            type Value = Sample;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, null, NaN or Infinity")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Sample, E> {
                Ok(Sample(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Sample, E> {
                Ok(Sample(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Sample, E> {
                Ok(Sample(value as f64))
            }

            fn visit_unit<E>(self) -> Result<Sample, E> {
                Ok(Sample(f64::NAN))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Sample, E> {
                match text {
                    "NaN" => Ok(Sample(f64::NAN)),
                    "Infinity" => Ok(Sample(f64::INFINITY)),
                    "-Infinity" => Ok(Sample(f64::NEG_INFINITY)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }

        deserializer.deserialize_any(SampleVisitor)
    }
}

/// A domain as a pair, with null for an open end, or as the text of the command line.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a domain is written like [0, 1] or \"0..1\"")]
enum Ends {
    Pair(Option<f64>, Option<f64>),
    Text(String),
}

#[derive(Serialize)]
struct Answered {
    id: Value,
    #[serde(flatten)]
    answer: Either,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Either {
    Default(Box<BoundAnswer>),
    Published(Box<PublishedAnswer>),
}

#[derive(Serialize)]
struct Unreadable {
    id: Value,
    error: String,
}

/// Answers every line, in order; `name` is what errors call the input. Empty lines are passed over.
pub fn answer_lines(
    name: &str,
    input: impl BufRead,
    output: &mut impl Write,
) -> Result<(), Failure> {
    each_line(name, input, |number, bytes| {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match answer(bytes) {
            Ok(answered) => serde_json::to_writer(&mut *output, &answered)?,
            Err(Unreadable { id, error }) => {
                let error = format!("line {number}: {error}");
                serde_json::to_writer(&mut *output, &Unreadable { id, error })?;
            }
        }
        output.write_all(b"\n")?;
        // Whoever waits for this answer before the next question must get it now.
        output.flush()?;
        Ok(())
    })
}

fn answer(line: &[u8]) -> Result<Answered, Unreadable> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line: Line = match serde_json::from_slice(line) {
        Err(error) if error.is_syntax() => {
            let quoted = quote_names(line);
            serde_json::from_slice(&quoted).map_err(|second| Unreadable {
                id: id_of(&quoted),
                // The quotes that were added move the columns, so the words must do.
                error: if quoted == line {
                    explain(&error)
                } else {
                    words(&second)
                },
            })
        }
        read => read.map_err(|error| Unreadable {
            id: id_of(line),
            error: explain(&error),
        }),
    }?;
    match answer_line(&line) {
        Ok(answer) => Ok(Answered {
            id: line.id,
            answer,
        }),
        Err(error) => Err(Unreadable { id: line.id, error }),
    }
}

fn answer_line(line: &Line) -> Result<Either, String> {
    let inquiry = inquire(line)?;
    let values = line.samples.iter().map(|sample| sample.0);
    let samples = Samples::new((0..).zip(values));
    match line.method.as_deref() {
        None | Some("default") => {
            let answer = BoundAnswer::new(&inquiry.answer(samples));
            Ok(Either::Default(Box::new(answer)))
        }
        Some("flex") if line.light == Some(true) || line.predictive == Some(true) => {
            Err("`light` and `predictive` go with the default method".to_owned())
        }
        Some("flex") => {
            let bounds = PublishedSettings::default().bounds(&inquiry, &samples)?;
            Ok(Either::Published(Box::new(bounds.answer())))
        }
        Some(other) => Err(format!(
            "`{other}` is not a method: write `default` or `flex`"
        )),
    }
}

fn inquire(line: &Line) -> Result<Inquiry, String> {
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
    let domain = match &line.domain {
        Some(Ends::Pair(lower, upper)) => Some(Domain::new(
            lower.unwrap_or(f64::NEG_INFINITY),
            upper.unwrap_or(f64::INFINITY),
        )?),
        Some(Ends::Text(text)) => Some(text.parse()?),
        None => None,
    };
    let question = Question {
        share: Share { confidence, effort },
        domain,
        light: line.light == Some(true),
        promise: if line.predictive == Some(true) {
            Promise::Expected
        } else {
            Promise::Assured
        },
        settling: settling(line.uncontrolled == Some(true)),
        ..Question::new(tail, confidence)
    };
    Inquiry::new(question, line.declared).map_err(|error| error.to_string())
}

/// The id of a line that is JSON but not a question.
fn id_of(line: &[u8]) -> Value {
    let parsed: Option<Value> = serde_json::from_slice(line).ok();
    parsed
        .and_then(|value| value.get("id").cloned())
        .unwrap_or(Value::Null)
}

/// Puts quotes around NaN, Infinity and -Infinity, which Python writes although JSON does not know them.
fn quote_names(line: &[u8]) -> Vec<u8> {
    let names: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
    let mut quoted = Vec::with_capacity(line.len() + 16);
    let (mut rest, mut in_string) = (line, false);
    while let Some((byte, after)) = rest.split_first() {
        let name = names
            .into_iter()
            .find(|name| !in_string && rest.starts_with(name));
        if let Some(name) = name {
            quoted.push(b'"');
            quoted.extend_from_slice(name);
            quoted.push(b'"');
            rest = &rest[name.len()..];
            continue;
        }
        quoted.push(*byte);
        rest = after;
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                if let Some((escaped, after)) = rest.split_first() {
                    quoted.push(*escaped);
                    rest = after;
                }
            }
            _ => {}
        }
    }
    quoted
}

/// serde's message, with the column in our words.
fn explain(error: &serde_json::Error) -> String {
    format!("column {}: {}", error.column(), words(error))
}

/// serde's message without its place.
fn words(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((words, _)) => words.to_owned(),
        None => message,
    }
}
