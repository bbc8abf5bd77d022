//! What is kept of a verdict, besides its JSON: when it was, and what the sites of the judged run saw.

use flex_core::tail::{Side, Tail};

use crate::history::origin;
use crate::json::{Object, list};
use crate::kept::VERSION;
use crate::model::{Asks, RunRecord, Site, Test};
use crate::project::date::now;

/// Adds it to the line of a verdict.
pub(in crate::enforce) fn kept(
    line: &mut Object,
    test: &Test,
    variant: Option<&str>,
    sites: &[Site],
    record: &RunRecord,
) {
    line.raw("version", &VERSION.to_string());
    line.raw("at", &now().to_string());
    line.maybe_text("variant", variant);
    line.text("selection", &test.selection);
    origin(line, &test.fingerprint);
    let reached = sites.iter().zip(&record.hits);
    let values = reached.filter_map(|(site, hit)| {
        let extremes = hit.as_ref()?.extremes;
        let mut object = Object::new();
        object.text("site", &site.id.label());
        object.maybe_text("case", site.id.case.as_deref());
        object.text(
            "kind",
            match site.asks {
                Asks::Learned(_) => "learned",
                Asks::Declared(_) => "declared",
                Asks::Claim(_) => "claim",
            },
        );
        object.text("tail", tail_of(site));
        object.text("file", &site.place.file);
        object.raw("line", &site.place.line.to_string());
        object.number("least", extremes.least);
        object.number("greatest", extremes.greatest);
        Some(object.end())
    });
    line.raw("values", &list(values));
}

/// The sides on which values of a site can be too extreme.
fn tail_of(site: &Site) -> &'static str {
    let tail = match site.sides()[..] {
        [Side::Upper] => Tail::Upper,
        [Side::Lower] => Tail::Lower,
        _ => Tail::Both,
    };
    tail.as_str()
}
