//! From what `toml_parser` reads to the tree.

use std::borrow::Cow;

use toml_parser::decoder::ScalarKind;
use toml_parser::parser::{Event, EventKind, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ParseError, Raw, Source};

use super::place::{Header, Key, Path, open, put};
use super::{Array, Origin, Placed, Table, Value};

/// How deep values and dotted keys may go.
const DEPTH: u32 = 80;

/// Reads a text. Of several errors, the first one counts.
pub(crate) fn parse(text: &str) -> Result<Table<'_>, ParseError> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut events = Vec::new();
    let mut error = None;
    let mut receiver = |event: Event| {
        if says_something(event.kind()) {
            events.push(event);
        }
    };
    let mut valid = ValidateWhitespace::new(&mut receiver, source);
    let mut shallow = RecursionGuard::new(&mut valid, DEPTH);
    parse_document(&tokens, &mut shallow, &mut error);
    match error {
        Some(error) => Err(error),
        None => Reader {
            source,
            events: events.into_iter(),
        }
        .document(),
    }
}

/// Whether an event is more than what separates others in a text that is known to be well formed.
fn says_something(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::Whitespace
            | EventKind::Comment
            | EventKind::Newline
            | EventKind::KeySep
            | EventKind::ValueSep
    )
}

/// Takes the events of a text without syntax errors.
struct Reader<'t> {
    source: Source<'t>,
    events: std::vec::IntoIter<Event>,
}

impl<'t> Reader<'t> {
    fn document(mut self) -> Result<Table<'t>, ParseError> {
        let mut root = Table::default();
        let mut current = &mut root;
        while let Some(event) = self.events.next() {
            let header = match event.kind() {
                EventKind::StdTableOpen => Header::Table,
                EventKind::ArrayTableOpen => Header::Element,
                _ => {
                    self.field(event, current, Origin::Dotted)?;
                    continue;
                }
            };
            let first = self.next()?;
            let path = self.path(first)?;
            current = open(&mut root, path, header, event.span().start())?;
        }
        Ok(root)
    }

    /// `key = value`, which begins with this event. If the key is dotted, tables on its way have this origin.
    fn field(
        &mut self,
        first: Event,
        table: &mut Table<'t>,
        dotted: Origin,
    ) -> Result<(), ParseError> {
        let path = self.path(first)?;
        let event = self.next()?;
        let placed = self.value(event)?;
        put(table, path, placed, dotted)
    }

    /// A key, dotted or not, and what ends it.
    fn path(&mut self, first: Event) -> Result<Path<'t>, ParseError> {
        let mut way = Vec::new();
        let mut last = self.key(first)?;
        while let Some(event) = self.events.next()
            && event.kind() == EventKind::SimpleKey
        {
            let next = self.key(event)?;
            way.push(std::mem::replace(&mut last, next));
        }
        match way.len() < DEPTH as usize {
            true => Ok(Path { way, last }),
            false => Err(ParseError::new("recursion limit")),
        }
    }

    fn key(&self, event: Event) -> Result<Key<'t>, ParseError> {
        let mut name = Cow::Borrowed("");
        let mut error = None;
        self.raw(event).decode_key(&mut name, &mut error);
        let span = event.span();
        error.map_or(Ok(Key { name, span }), Err)
    }

    /// The value that begins with this event.
    fn value(&mut self, first: Event) -> Result<Placed<'t>, ParseError> {
        let value = match first.kind() {
            EventKind::ArrayOpen => {
                let mut array = Array::default();
                while let Some(event) = self.next_before(EventKind::ArrayClose) {
                    array.values.push(self.value(event)?);
                }
                Value::Array(array)
            }
            EventKind::InlineTableOpen => {
                let mut table = Table::of(Origin::Inline);
                while let Some(event) = self.next_before(EventKind::InlineTableClose) {
                    self.field(event, &mut table, Origin::DottedInline)?;
                }
                Value::Table(table)
            }
            _ => self.scalar(first)?,
        };
        Ok(Placed {
            at: first.span().start(),
            value,
        })
    }

    fn next(&mut self) -> Result<Event, ParseError> {
        let event = self.events.next();
        event.ok_or_else(|| ParseError::new("unexpected end of the text"))
    }

    fn next_before(&mut self, end: EventKind) -> Option<Event> {
        self.events.next().filter(|event| event.kind() != end)
    }

    fn raw(&self, event: Event) -> Raw<'t> {
        let raw = self.source.get(event);
        raw.expect("an event is a part of its text")
    }

    fn scalar(&self, event: Event) -> Result<Value<'t>, ParseError> {
        let mut text = Cow::Borrowed("");
        let mut error = None;
        let kind = self.raw(event).decode_scalar(&mut text, &mut error);
        if let Some(error) = error {
            return Err(error);
        }
        Ok(match kind {
            ScalarKind::String => Value::String(text),
            ScalarKind::Boolean(value) => Value::Boolean(value),
            ScalarKind::DateTime => Value::Date,
            ScalarKind::Float => Value::Float(text),
            ScalarKind::Integer(radix) => Value::Integer(text, radix.value()),
        })
    }
}
