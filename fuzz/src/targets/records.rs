//! Records: what `detect` leaves behind, and `fix` reads from wherever it came.

use std::path::Path;

use flex_core::bound::confidence::Confidence;
use flex_core::paint::Paint;
use flex_detect::diff::unified;
use flex_detect::menu::OfferKind;
use flex_detect::picture::histogram;
use flex_detect::proposal::{FixOrder, propose};
use flex_detect::pull_request::markdown;
use flex_detect::record::Record;
use flex_detect::report;
use flex_detect::verdict::{JudgeRule, judge};
use serde_json::Value;

/// The source that every file of a record holds.
const SOURCE: &str = "LIMIT = 0.9\n\n\ndef test_x():\n    assert x < 0.5\n    assert x < LIMIT\n";

/// A record is read or refused; what was read is written and read again, judged, reported and patched.
pub fn record(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let Ok(record) = Record::parse(text) else {
        return;
    };
    let written = record.to_json();
    let again = Record::parse(&written).expect("what was written is a record");
    // Numbers may be NaN, so texts are compared.
    assert_eq!(again.to_json(), written);

    let findings = judge(&record, &JudgeRule::default());
    for verbose in [false, true] {
        assert!(!report::text(&findings, verbose, Paint::Coloured).is_empty());
    }
    let json: Result<Value, _> = serde_json::from_str(&report::json(&findings));
    assert!(json.is_ok(), "{json:?}");
    let choices = [None, Some(OfferKind::Learned), Some(OfferKind::Rerun)];
    for choose in choices {
        let order = FixOrder {
            confidence: Confidence::DEFAULT,
            choose,
            even_suspected: choose.is_some(),
        };
        let mut read = |_: &Path| Ok(SOURCE.to_owned());
        let plan = propose(&record, &findings, &order, |_| true, &mut read);
        for proposal in &plan.proposals {
            let picture = histogram(&proposal.menu, &proposal.finding.text, Some(1.0));
            assert!(picture.ends_with("</svg>\n"), "{picture}");
        }
        for patch in &plan.patches {
            let picture = |index: usize| format!("{index}.svg");
            let words = markdown((&record, &findings), &plan, patch, picture);
            let diff = unified("source", &patch.before, &patch.after);
            assert!(words.contains("## The patch") && !diff.is_empty());
        }
    }
}
