//! Reading which runs are replayed, and what they showed: `{ base = "…", 17 = 0.5, 62 = "missed" }`.

use flex_core::sample::Extremes;
use flex_core::sorted::sort;

use super::super::error::{ENTRY_ADVICE, Parsed};
use super::super::field::{Field, fields};
use super::super::{Replay, ReplayedRun};
use crate::keys::{self, names};

pub(super) fn replay(field: &Field<'_>) -> Parsed<Replay> {
    let (mut base, mut always, mut runs) = (None, false, Vec::new());
    for field in fields(field.table()?, ENTRY_ADVICE) {
        match (field.key, field.key.parse()) {
            ("base", _) => base = Some(field.string()?),
            ("always", _) => always = field.boolean()?,
            (_, Ok(run)) => runs.push(ReplayedRun {
                run,
                shown: shown(&field)?,
            }),
            _ => return Err(field.unknown(&names(keys::REPLAY))),
        }
    }
    // TOML has its keys in the order of texts.
    sort(&mut runs, |a, b| a.run < b.run);
    runs.shrink_to_fit();
    if runs.is_empty() {
        return Err(field.wrong("`replay` names no run"));
    }
    Ok(Replay {
        base: field.part("base", base)?,
        always,
        runs,
    })
}

/// One value, the least and the greatest, or `"missed"`.
fn shown(field: &Field<'_>) -> Parsed<Option<Extremes>> {
    if field.is("missed") {
        return Ok(None);
    }
    match field.one_or_more()?[..] {
        [value] => Ok(Some(Extremes::new(value))),
        [least, greatest] if least <= greatest => Ok(Some(Extremes { least, greatest })),
        _ => Err(field.wrong(format!(
            "what run {} showed is a number, two numbers in ascending order, or \"missed\"",
            field.key
        ))),
    }
}
