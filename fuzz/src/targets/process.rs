//! What processes tell each other.

use flex_run::model::{Place, ProcessRecord, Test, TestId, Took};
use flex_run::wire::{self, RecordWriter};

/// Any bytes are read up to where they stop being a record; what was read is written and read again. If the first byte is
/// 0, the others follow the beginning of a record of this version, else they are all there is.
pub fn wire(bytes: &[u8]) {
    let record = match bytes.split_first() {
        Some((0, rest)) => wire::read(&[&beginning(), rest].concat()),
        Some((_, rest)) => wire::read(rest),
        None => return,
    };
    let Ok(record) = record else {
        return;
    };
    let Some(again) = written(&record) else {
        return;
    };
    let read = wire::read(&again).expect("what was written is a record");
    // Numbers may be NaN, so bytes are compared.
    assert_eq!(Some(again), written(&read), "{record:?}");
    assert_eq!(read.runs().count(), record.runs().count());
}

/// What a record begins with.
fn beginning() -> Vec<u8> {
    let test = Test {
        place: Place::new("src/lib.rs", 1),
        ..Test::new(TestId::cargo("lib", "t"))
    };
    let mut bytes = Vec::new();
    RecordWriter::new(&mut bytes, &test).expect("memory is written");
    bytes
}

/// The bytes of a record; `None` if it never came to its end.
fn written(record: &ProcessRecord) -> Option<Vec<u8>> {
    let took = Took {
        all: record.took?,
        slowest: record.slowest,
    };
    let mut writer = RecordWriter::new(Vec::new(), &record.test).ok()?;
    for (run, hits) in record.runs() {
        writer.begin(run.index).ok()?;
        let shown = record.run_record(hits);
        writer.run(run.clone(), &record.sites, &shown).ok()?;
    }
    if let Some(hung) = record.hung {
        writer.hung(hung).ok()?;
    }
    writer.end(&record.mistakes, took).ok()?;
    Some(writer.into_inner())
}
