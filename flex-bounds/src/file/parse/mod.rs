//! Reading a bounds file: TOML with byte spans in, checked entries out, or the first problem and its line.

mod draft;
mod quick;
mod replay;
mod side;

use std::cmp::Ordering;
use std::str::FromStr;

use super::error::{ENTRY_ADVICE, Fault, ParseError, Parsed, place, syntax};
use super::field::{Field, fields, written};
use super::{
    BoundsFile, Checksum, Entry, EntryError, Key, Learned, QUANTILES, Reached, Replay, Sides,
    VERSION,
};
use crate::TestId;
use crate::document::{Placed, Table, Value, parse};
use crate::keys::{self, names};
use draft::{absent, domain, locate, required};
use flex_core::bound::confidence::Confidence;
use flex_core::calibration::SiteId;
use flex_core::sorted::order;
use flex_core::tail::{Domain, Tail};
pub(super) use quick::HEADER;
pub use quick::Pieces;
use quick::quick;
use replay::replay;
use side::{SideDraft, side};

pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

const CONFLICT_ADVICE: &str = "run `cargo flex calibrate`, which keeps the entries of both sides and learns those anew \
                               on which they differ";

impl FromStr for BoundsFile {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Ok(BoundsFile::of(in_order(text)?.entries))
    }
}

/// The entries of a file in the order of its text.
#[derive(Debug, PartialEq, Default)]
pub(super) struct InOrder {
    pub entries: Vec<Entry>,
    /// Where each begins, in the text without its byte-order mark.
    pub places: Vec<usize>,
}

pub(super) fn in_order(text: &str) -> Result<InOrder, ParseError> {
    // Some editors put a byte-order mark first.
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    quick(text).map_or_else(|| thoroughly(text), Ok)
}

/// Reads whatever is TOML, and knows what is wrong.
fn thoroughly(text: &str) -> Result<InOrder, ParseError> {
    let root = parse(text).map_err(|error| syntax(text, &error, CONFLICT_ADVICE).locate(text))?;
    file(&root, text).map_err(|fault| fault.locate(text))
}

impl BoundsFile {
    /// Reads the bytes of a file. What is not UTF-8 is an error that names its line.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        match str::from_utf8(bytes) {
            Ok(text) => text.parse(),
            Err(error) => {
                let readable = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let message = "this is not UTF-8 text; restore the file from version control";
                Err(Fault::new(readable.len(), message).locate(&readable))
            }
        }
    }
}

fn file(root: &Table<'_>, text: &str) -> Parsed<InOrder> {
    // The version goes first: what else is strange about a newer file is not the user's mistake.
    version(root)?;
    let mut tables: &[Placed<'_>] = &[];
    for field in fields(root, ENTRY_ADVICE) {
        match field.key {
            "version" => {}
            "bound" => tables = field.tables()?,
            _ => return Err(field.unknown(&names(keys::BOUNDS))),
        }
    }
    let (mut entries, mut places) = (Vec::with_capacity(tables.len()), Vec::new());
    for Placed { at, value } in tables {
        let table = value.as_table().ok_or_else(|| {
            Fault::in_entry(*at, "an entry must be a table that begins with `[[bound]]`")
        })?;
        entries.push(entry(table, *at)?);
        places.push(*at);
    }
    if let Some((first, second)) = twice(&entries) {
        let line = place(text, places[first]).0;
        let key = &entries[second].key;
        let message = format!("{key} has an entry on line {line} already; delete one of the two");
        return Err(Fault::new(places[second], message));
    }
    Ok(InOrder { entries, places })
}

/// The first entry whose key another has before it, and that other.
fn twice(entries: &[Entry]) -> Option<(usize, usize)> {
    let key = |index: usize| &entries[index].key;
    if entries.is_sorted_by(|a, b| a.key < b.key) {
        return None;
    }
    let order = order(entries.len(), &|a, b| key(a) < key(b));
    let same = order.chunk_by(|a, b| key(*a) == key(*b));
    let pairs = same.filter_map(|same| Some((*same.first()?, *same.get(1)?)));
    pairs.min_by_key(|(_, second)| *second)
}

fn version(root: &Table<'_>) -> Parsed<()> {
    let Some(version) = root.get("version") else {
        let message =
            format!("the file does not state its version; write `version = {VERSION}` at its top");
        return Err(Fault::new(0, message));
    };
    let message = match &version.value {
        Value::Integer(digits, radix) => {
            let number = written(digits, *radix);
            // What does not even fit is certainly newer.
            let parsed = i64::from_str_radix(digits, *radix).unwrap_or(i64::MAX);
            match parsed.cmp(&i64::from(VERSION)) {
                Ordering::Equal => return Ok(()),
                Ordering::Greater => {
                    format!("version {number} was written by a newer flex; upgrade flex to read it")
                }
                Ordering::Less if parsed > 0 => format!(
                    "version {number} was written by an older flex, whose bounds mean something else; remove the file \
                     and learn it anew with `cargo flex calibrate` or `pytest --flex=calibrate`"
                ),
                Ordering::Less => {
                    format!("there is no version {number}; write `version = {VERSION}`")
                }
            }
        }
        _ => format!("the version must be a whole number; write `version = {VERSION}`"),
    };
    Err(Fault::new(version.at, message))
}

fn entry(table: &Table<'_>, at: usize) -> Parsed<Entry> {
    let mut draft = EntryDraft::default();
    for field in fields(table, ENTRY_ADVICE) {
        draft.read(&field)?;
    }
    let entry = draft.finish().map_err(|error| locate(error, table, at))?;
    entry.check().map_err(|error| locate(error, table, at))?;
    Ok(entry)
}

/// The values of an entry as they come, in any order.
#[derive(Default)]
struct EntryDraft {
    target: Option<String>,
    test: Option<String>,
    site: Option<String>,
    case: Option<String>,
    variant: Option<String>,
    tail: Option<Tail>,
    confidence: Option<Confidence>,
    domain: Option<Domain>,
    light: bool,
    side: SideDraft,
    lower: Option<Learned>,
    upper: Option<Learned>,
    samples: Option<u32>,
    not_finite: u32,
    earlier: u32,
    quantiles: Option<[f64; QUANTILES]>,
    reached: Option<Reached>,
    effort: Option<f64>,
    replay: Option<Replay>,
    fingerprint: Option<String>,
    calibrated: Option<String>,
    base: Option<String>,
    engine: Option<String>,
    checksum: Option<Checksum>,
    unenforced: bool,
    accepted: bool,
}

impl EntryDraft {
    fn read(&mut self, field: &Field<'_>) -> Parsed<()> {
        match field.key {
            "target" => self.target = Some(field.string()?),
            "test" => self.test = Some(field.string()?),
            "site" => self.site = Some(field.string()?),
            "case" => self.case = Some(field.string()?),
            "variant" => self.variant = Some(field.string()?),
            "tail" => self.tail = Some(field.word()?),
            "confidence" => {
                let confidence = Confidence::new(field.number()?);
                self.confidence = Some(confidence.map_err(|error| field.wrong(error))?);
            }
            "domain" => self.domain = Some(domain(field)?),
            "light" => self.light = field.boolean()?,
            "accept" => match field.text()? {
                "unenforced" => self.unenforced = true,
                "learned" => self.accepted = true,
                other => {
                    let other = other.escape_debug();
                    let message = format!(
                        "`accept` is \"{other}\" and can only be \"unenforced\" or \"learned\""
                    );
                    return Err(field.wrong(message));
                }
            },
            "lower" => self.lower = Some(side(field)?),
            "upper" => self.upper = Some(side(field)?),
            "samples" => self.samples = Some(field.count()?),
            "not_finite" => self.not_finite = field.count()?,
            "earlier" => self.earlier = field.count()?,
            "quantiles" => self.quantiles = Some(field.numbers()?),
            "reached" => self.reached = Some(field.word()?),
            "effort" => self.effort = Some(field.number()?),
            "replay" => self.replay = Some(replay(field)?),
            "fingerprint" => self.fingerprint = Some(field.string()?),
            "calibrated" => self.calibrated = Some(field.string()?),
            "base" => self.base = Some(field.string()?),
            "engine" => self.engine = Some(field.string()?),
            "checksum" => self.checksum = Some(field.word()?),
            key if keys::SIDE.iter().any(|(name, _)| *name == key) => self.side.read(field)?,
            _ => return Err(field.unknown(&names(keys::ENTRY))),
        }
        Ok(())
    }

    fn finish(self) -> Result<Entry, EntryError> {
        let tail = required("tail", self.tail)?;
        if tail != Tail::Both {
            let why = "only tail `both` has sides of their own";
            absent("lower", self.lower.is_some(), why)?;
            absent("upper", self.upper.is_some(), why)?;
        }
        let sides = match tail {
            Tail::Upper => Sides::Upper(self.side.finish()?),
            Tail::Lower => Sides::Lower(self.side.finish()?),
            Tail::Both => {
                let why = "with tail `both` it belongs into `lower` and `upper`";
                self.side.only(&[], why)?;
                Sides::Both {
                    lower: required("lower", self.lower)?.into(),
                    upper: required("upper", self.upper)?.into(),
                }
            }
        };
        Ok(Entry {
            key: Key {
                test: match (self.target, required("test", self.test)?) {
                    (Some(target), path) => TestId::Cargo { target, path },
                    (None, node) => TestId::Pytest { node },
                },
                site: SiteId::of_label(&required("site", self.site)?).with_case(self.case),
                variant: self.variant,
            },
            confidence: required("confidence", self.confidence)?,
            domain: self.domain,
            light: self.light,
            sides,
            samples: required("samples", self.samples)?,
            not_finite: self.not_finite,
            earlier: self.earlier,
            quantiles: self.quantiles,
            reached: required("reached", self.reached)?,
            effort: self.effort,
            replay: self.replay,
            fingerprint: self.fingerprint,
            calibrated: self.calibrated,
            base: self.base,
            engine: self.engine,
            checksum: self.checksum,
            unenforced: self.unenforced,
            accepted: self.accepted,
        })
    }
}

#[cfg(test)]
mod tests;
