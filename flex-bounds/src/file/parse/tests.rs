//! What is read, what is refused, and what is said about it.

use super::*;
use crate::file::tests::{entry, file};
use flex_core::bound::race::Hits;

use flex_core::tail::Side;

const ENTRY: &str = r#"version = 1

[[bound]]
target = "lib"
test = "t"
site = "x<_"
tail = "upper"
confidence = 0.9999
ceiling = 2.5
guard = { bound = 1.5, hits = 12 }
strategy = "tail"
samples = 100
reached = "always"
"#;

/// Replaces text in a valid file, and asserts the line of the complaint and words that it contains.
fn check(old: &str, new: &str, line: usize, words: &[&str]) {
    assert!(ENTRY.contains(old), "{old}");
    let text = ENTRY.replacen(old, new, 1);
    let error = text.parse::<BoundsFile>().unwrap_err();
    assert_eq!(error.line, line, "{error}");
    for word in words {
        assert!(
            error.message.contains(word),
            "{error}\ndoes not say: {word}"
        );
    }
    for text in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        let again = text.parse::<BoundsFile>().unwrap_err();
        assert_eq!(
            again, error,
            "line endings and byte-order marks change nothing"
        );
    }
}

/// Asserts that a change of a valid file is read as `expected` says.
fn accept(old: &str, new: &str, expected: impl Fn(&Entry) -> bool) {
    assert!(ENTRY.contains(old), "{old}");
    let text = ENTRY.replacen(old, new, 1);
    for text in [
        text.clone(),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
    ] {
        let file: BoundsFile = text.parse().unwrap();
        assert_eq!(file.entries().len(), 1);
        assert!(expected(&file.entries()[0]), "{text}");
    }
}

#[test]
fn people_may_write_toml_as_they_like() {
    let ceiling = |number: f64| {
        move |entry: &Entry| entry.sides.get(Side::Upper).unwrap().ceiling() == Some(number)
    };
    accept("ceiling = 2.5", "ceiling = 3 # by hand", ceiling(3.0));
    accept("ceiling = 2.5", "ceiling = 1_000.5", ceiling(1000.5));
    accept("ceiling = 2.5", "ceiling = 0x10", ceiling(16.0));
    accept("ceiling = 2.5", "'ceiling' = +2e0", ceiling(2.0));
    let guard = |entry: &Entry| {
        let guard = GuardBound {
            bound: 1.0,
            hits: Hits::new(7).unwrap(),
        };
        entry.sides.get(Side::Upper).unwrap().guard() == Some(guard)
    };
    accept(
        "guard = { bound = 1.5, hits = 12 }",
        "guard.bound = 1\nguard.hits = 7",
        guard,
    );
    accept(
        "reached = \"always\"\n",
        "reached = 'always'\n[bound.fit]\nthreshold = 1\nscale = 1\nshape = 0\nexceedances = 9\n",
        |entry| entry.sides.get(Side::Upper).unwrap().fit().is_some(),
    );
    accept("samples", "domain = [-inf, 5]\nsamples", |entry| {
        entry.domain == Domain::new(f64::NEG_INFINITY, 5.0).ok()
    });
    accept(
        "samples",
        "light = false\naccept = \"unenforced\"\nsamples",
        |entry| !entry.light && entry.unenforced,
    );
}

#[test]
fn a_file_without_entries_is_a_file() {
    assert_eq!("version = 1".parse(), Ok(BoundsFile::default()));
}

#[test]
fn entries_may_come_in_any_order() {
    let expected = file([entry("a"), entry("b")]);
    let text = expected.to_string();
    let (head, entries) = text.split_once("\n[[bound]]").unwrap();
    let (a, b) = entries.split_once("\n[[bound]]").unwrap();
    let reversed = format!("{head}\n[[bound]]{b}\n[[bound]]{a}");
    assert_eq!(reversed.parse(), Ok(expected));
}

#[test]
fn the_version_is_looked_at_first() {
    check("version = 1\n", "\n", 1, &["`version = 1`"]);
    check(
        "version = 1",
        "colour = 3\nversion = 2",
        2,
        &["version 2", "newer flex", "upgrade"],
    );
    check(
        "version = 1",
        "version = 99999999999999999999",
        1,
        &["newer flex"],
    );
    check("version = 1", "version = 0", 1, &["no version 0"]);
    check(
        "version = 1",
        "version = \"1\"",
        1,
        &["whole number", "`version = 1`"],
    );
}

#[test]
fn a_merge_conflict_says_how_to_resolve_it() {
    for marker in ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> branch"] {
        let words = [&marker[..7], "both sides", "`cargo flex calibrate`"];
        check("site = ", &format!("{marker}\nsite = "), 6, &words);
    }
}

#[test]
fn broken_toml_is_named_with_line_and_column() {
    check(
        "samples = 100",
        "samples = = 100",
        12,
        &["not valid TOML at column 11"],
    );
    check(
        "test = \"t\"",
        "test = \"t",
        5,
        &["not valid TOML at column 10"],
    );
    check("samples = 100", "samples = 12abc", 12, &["not valid TOML"]);
    check(
        "samples = 100",
        "samples = 100\nsamples = 100",
        13,
        &["duplicate key"],
    );
    check(
        "reached = \"always\"\n",
        "reached = \"alw",
        13,
        &["breaks off at column 15"],
    );
    check(
        "reached = \"always\"\n",
        "reached = ",
        13,
        &["breaks off at column 11"],
    );
    let error = ENTRY.replace("100", "=").parse::<BoundsFile>().unwrap_err();
    assert_eq!((error.line, error.column), (12, 11));
    assert!(error.to_string().starts_with("line 12: "), "{error}");
    assert!(
        error
            .in_file("flex-bounds.toml")
            .starts_with("flex-bounds.toml:12: ")
    );
}

#[test]
fn an_unknown_key_brings_a_suggestion() {
    check(
        "ceiling",
        "cieling",
        9,
        &["`cieling`", "did you mean `ceiling`?"],
    );
    check("[[bound]]", "[[bounds]]", 3, &["did you mean `bound`?"]);
    check("hits", "hit", 10, &["did you mean `hits`?"]);
    check(
        "samples",
        "fit = { thresold = 1 }\nsamples",
        12,
        &["did you mean `threshold`?"],
    );
    check(
        "samples",
        "upper = { cieling = 1 }\nsamples",
        12,
        &["did you mean `ceiling`?"],
    );
    check(
        "samples",
        "colour = 3\nsamples",
        12,
        &["`colour`", "`quantiles`"],
    );
}

#[test]
fn every_key_that_is_suggested_is_known() {
    let check = |table: &str, keys: &[&str]| {
        for key in keys {
            let text = ENTRY.replace("samples", &table.replace("KEY", key));
            let message = text.parse::<BoundsFile>().err().map(|error| error.message);
            let unknown = message.is_some_and(|message| message.contains("unknown"));
            assert!(!unknown, "{table}: {key}");
        }
    };
    check("KEY = []\nsamples", &ENTRY_KEYS);
    check("upper = { KEY = [] }\nsamples", &SIDE_KEYS);
    check("fit = { KEY = [] }\nsamples", &FIT_KEYS);
    check("lower = { guard = { KEY = [] } }\nsamples", &GUARD_KEYS);
}

#[test]
fn a_missing_key_is_reported_at_the_entry() {
    for key in [
        "test",
        "site",
        "tail",
        "confidence",
        "strategy",
        "samples",
        "reached",
    ] {
        check(
            &format!("\n{key} = "),
            "\n# ",
            3,
            &["is missing", key, "`cargo flex calibrate`"],
        );
    }
    check("bound = 1.5, ", "", 10, &["`guard` has no `bound`"]);
}

#[test]
fn a_value_of_the_wrong_type_is_named() {
    check(
        "site = \"x<_\"",
        "site = 3",
        6,
        &["`site` is 3", "a string"],
    );
    check(
        "samples = 100",
        "samples = 100.0",
        12,
        &["`samples` is 100.0", "whole number"],
    );
    check(
        "samples = 100",
        "samples = -1",
        12,
        &["`samples` is -1", "whole number"],
    );
    check(
        "ceiling = 2.5",
        "ceiling = \"2.5\"",
        9,
        &["a string", "a number"],
    );
    check("ceiling = 2.5", "ceiling = 1e400", 9, &["1e400", "range"]);
    check(
        "guard = { bound = 1.5, hits = 12 }",
        "guard = 1.5",
        10,
        &["a table"],
    );
    check("samples", "light = 1\nsamples", 12, &["`true` or `false`"]);
    check(
        "samples",
        "domain = [0, \"1\"]\nsamples",
        12,
        &["not a number"],
    );
    check(
        "samples",
        "domain = [0]\nsamples",
        12,
        &["1 numbers", "must have 2"],
    );
    check(
        "samples",
        "calibrated = 2026-11-16\nsamples",
        12,
        &["without quotes"],
    );
    check("[[bound]]", "[bound]", 3, &["`[[bound]]`"]);
    let error = "version = 1\nbound = [3]"
        .parse::<BoundsFile>()
        .unwrap_err();
    assert_eq!((error.line, error.column), (2, 10), "{error}");
}

#[test]
fn a_value_that_cannot_be_is_named() {
    check("\"upper\"", "\"up\"", 7, &["`up` is not a tail"]);
    check("\"tail\"", "\"luck\"", 11, &["`luck` is not a strategy"]);
    check("\"always\"", "\"often\"", 13, &["`always` or `sometimes`"]);
    for wrong in ["0", "1", "1.5", "-0.5", "nan", "inf"] {
        check("0.9999", wrong, 8, &["not a confidence"]);
    }
    check("2.5", "nan", 9, &["finite"]);
    check("2.5", "-inf", 9, &["finite"]);
    check("bound = 1.5", "bound = inf", 10, &["finite"]);
    check("2.5", "1.25", 9, &["ceiling 1.25", "below its guard 1.5"]);
    check("hits = 12", "hits = 13", 10, &["13 hits", "1 to 12"]);
    check("hits = 12", "hits = 0", 10, &["0 hits"]);
    check(
        "samples",
        "domain = [0, 2]\nsamples",
        9,
        &["2.5", "outside the domain 0..2"],
    );
    check(
        "samples",
        "domain = [2, 3]\nsamples",
        10,
        &["guard 1.5", "outside the domain"],
    );
    check("samples", "domain = [3, 2]\nsamples", 12, &["not a domain"]);
    check(
        "samples",
        "accept = \"all\"\nsamples",
        12,
        &["\"unenforced\""],
    );
    check(
        "samples",
        "calibrated = \"2026-02-30\"\nsamples",
        12,
        &["not a date"],
    );
    check(
        "samples",
        "quantiles = [1, 2]\nsamples",
        12,
        &["2 numbers", "17"],
    );
    let quantiles = "quantiles = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,1]\nsamples";
    check("samples", quantiles, 12, &["ascending"]);
}

#[test]
fn a_strategy_has_the_numbers_that_it_needs_and_no_others() {
    for strategy in ["tail", "order", "empirical"] {
        let new = format!("strategy = \"{strategy}\"");
        check(
            "ceiling = 2.5\nguard = { bound = 1.5, hits = 12 }\nstrategy = \"tail\"",
            &new,
            3,
            &["needs a `ceiling`", strategy],
        );
    }
    check(
        "guard = { bound = 1.5, hits = 12 }\nstrategy = \"tail\"",
        "strategy = \"guard\"",
        9,
        &["`ceiling` is out of place"],
    );
    check(
        "ceiling = 2.5\nguard = { bound = 1.5, hits = 12 }\nstrategy = \"tail\"",
        "strategy = \"guard\"",
        3,
        &["needs a `guard`"],
    );
    check(
        "ceiling = 2.5\nguard = { bound = 1.5, hits = 12 }\nstrategy = \"tail\"",
        "strategy = \"refuse\"",
        3,
        &["needs a `reason`"],
    );
    check(
        "\"tail\"",
        "\"keep\"",
        9,
        &["`ceiling` is out of place", "`keep` has none"],
    );
    check(
        "\"tail\"",
        "\"tail\"\nreason = \"none\"",
        12,
        &["`reason` is out of place"],
    );
}

#[test]
fn the_sides_are_those_of_the_tail() {
    check(
        "samples",
        "lower = { strategy = \"keep\" }\nsamples",
        12,
        &["`lower` is out of place"],
    );
    check(
        "\"upper\"",
        "\"both\"",
        11,
        &["`strategy` is out of place", "`lower` and `upper`"],
    );
    let both = "tail = \"both\"\nlower = { strategy = \"keep\" }\nupper = { strategy = \"tail\", ceiling = 1, guard = { bound = 2, hits = 3 } }\n";
    let one = "tail = \"upper\"\nconfidence = 0.9999\nceiling = 2.5\nguard = { bound = 1.5, hits = 12 }\nstrategy = \"tail\"\n";
    let two = format!("{both}confidence = 0.9999\n");
    check(one, &two, 9, &["below its guard"]);
    check(
        one,
        &two.replace("ceiling = 1, ", ""),
        9,
        &["needs a `ceiling`"],
    );
    check(
        one,
        &two.replace("lower", "# lower"),
        3,
        &["`lower` is missing"],
    );
    accept(one, &two.replace("bound = 2", "bound = 1"), |entry| {
        entry.tail() == Tail::Both
    });
}

#[test]
fn the_lines_of_both_duplicates_are_named() {
    let again = ENTRY.replace("version = 1\n", "");
    let text = format!("{ENTRY}{again}");
    let error = text.parse::<BoundsFile>().unwrap_err();
    assert_eq!(error.line, 15);
    assert!(error.message.contains("on line 3"), "{error}");
    assert!(error.message.contains("site `x<_` of test `t`"), "{error}");
}

#[test]
fn what_is_not_utf8_names_its_line() {
    let error = BoundsFile::from_bytes(b"version = 1\n\n# caf\xe9\n").unwrap_err();
    assert_eq!((error.line, error.column), (3, 6));
    assert!(error.message.contains("not UTF-8"), "{error}");
}
