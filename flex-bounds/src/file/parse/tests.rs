//! What is read, what is refused, and what is said about it.

use super::*;
use crate::file::tests::{entry, file};
use flex_core::tail::Side;

const ENTRY: &str = r#"version = 2

[[bound]]
target = "lib"
test = "t"
site = "x<_"
tail = "upper"
confidence = 0.9999
ceiling = 2.5
guard = 1.5
strategy = "tail"
samples = 100
reached = "always"
race = { cuts = [1, 2], above = [20, 0], scores = [-4, 6, 24], clear = -24, fail = 172, most = 100 }
"#;

/// Replaces text in a valid file, and asserts the line of the complaint and words that it contains.
fn check(old: &str, new: &str, line: usize, words: &[&str]) {
    assert!(ENTRY.contains(old), "{old}");
    complain(&ENTRY.replacen(old, new, 1), line, words);
}

/// The same, in a file whose guard has no race.
fn check_without_race(old: &str, new: &str, line: usize, words: &[&str]) {
    let lines = ENTRY.lines().filter(|line| !line.starts_with("race"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    assert!(text.contains(old), "{old}");
    complain(&text.replacen(old, new, 1), line, words);
}

fn complain(text: &str, line: usize, words: &[&str]) {
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
    let fail = |entry: &Entry| {
        let guard = entry.sides.get(Side::Upper).unwrap().guard();
        guard.is_some_and(|guard| guard.bound == 1.5 && guard.race.fail() == 99)
    };
    accept("fail = 172", "fail = 99", fail);
    accept(
        "race = { cuts = [1, 2], above = [20, 0], scores = [-4, 6, 24], clear = -24, fail = 172, most = 100 }\n",
        "race.cuts = [1.0]\nrace.above = [0]\nrace.scores = [-4,\n 24]\nrace.clear = -2_4\nrace.fail = 99\nrace.most = 9\n",
        fail,
    );
    accept(
        "most = 100 }\n",
        "most = 100 }\n[bound.fit]\nthreshold = 1\nscale = 1\nshape = 0\nexceedances = 9\n",
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
    assert_eq!("version = 2".parse(), Ok(BoundsFile::default()));
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
    check("version = 2\n", "\n", 1, &["`version = 2`"]);
    check(
        "version = 2",
        "colour = 3\nversion = 3",
        2,
        &["version 3", "newer flex", "upgrade"],
    );
    check(
        "version = 2",
        "version = 99999999999999999999",
        1,
        &["newer flex"],
    );
    check("version = 2", "version = 0", 1, &["no version 0"]);
    check(
        "version = 2",
        "version = 1",
        1,
        &["older flex", "remove the file", "`cargo flex calibrate`"],
    );
    check(
        "version = 2",
        "version = \"1\"",
        1,
        &["whole number", "`version = 2`"],
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
    check_without_race(
        "reached = \"always\"\n",
        "reached = \"alw",
        13,
        &["breaks off at column 15"],
    );
    check_without_race(
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
    check("scores", "score", 14, &["did you mean `scores`?"]);
    check(
        "samples",
        "strays = { score = [-2, 15] }\nsamples",
        12,
        &["did you mean `scores`?"],
    );
    check(
        "samples",
        "replay = { base = \"b\", allways = true }\nsamples",
        12,
        &["did you mean `always`?"],
    );
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
    check("KEY = []\nsamples", &names(keys::ENTRY));
    check("upper = { KEY = [] }\nsamples", &names(keys::SIDE));
    check("fit = { KEY = [] }\nsamples", &names(keys::FIT));
    check(
        "lower = { race = { KEY = [] } }\nsamples",
        &names(keys::RACE),
    );
    check("strays = { KEY = {} }\nsamples", &names(keys::STRAYS));
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
    check("most = 100 }", "}", 14, &["`race` has no `most`"]);
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
    check("guard = 1.5", "guard = {}", 10, &["a table", "a number"]);
    check("fail = 172", "fail = 1.5", 14, &["1.5", "a whole number"]);
    check(
        "[-4, 6, 24]",
        "[-4, 6.5]",
        14,
        &["whole numbers and nothing"],
    );
    check("[20, 0]", "[-20, 0]", 14, &["whole numbers and nothing"]);
    check("[1, 2]", "3", 14, &["an array of numbers"]);
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
    let error = "version = 2\nbound = [3]"
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
    check("guard = 1.5", "guard = inf", 10, &["finite"]);
    check("[1, 2]", "[1, inf]", 14, &["finite"]);
    check("[1, 2]", "[2, 1]", 14, &["must go outward"]);
    check("[1, 2]", "[1]", 14, &["1 `cuts`", "of 2"]);
    check("[-4, 6, 24]", "[-4, 6]", 14, &["2 cuts make 3 cells"]);
    check("[-4, 6, 24]", "[-4, 26, 24]", 14, &["must not fall"]);
    check("-24", "172", 14, &["cleared at 172"]);
    check("clear = -24, ", "", 14, &["`race` has no `clear`"]);
    check_without_race("guard = 1.5", "guard = 1.5", 10, &["needs a `race`"]);
    check("guard = 1.5\n", "", 13, &["needs a `guard`"]);
    let replay = |inside: &str| format!("replay = {{ {inside} }}\nsamples");
    check("samples", &replay("base = \"b\""), 12, &["names no run"]);
    check("samples", &replay("17 = 1.0"), 12, &["no `base`"]);
    check(
        "samples",
        &replay("base = \"b\", 17 = [2, 1]"),
        12,
        &["run 17", "ascending"],
    );
    check(
        "samples",
        &replay("base = \"b\", 17 = \"hit\""),
        12,
        &["a string", "a number"],
    );
    check("2.5", "1.25", 9, &["ceiling 1.25", "below its guard 1.5"]);
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
        check_without_race(
            "ceiling = 2.5\nguard = 1.5\nstrategy = \"tail\"",
            &new,
            3,
            &["needs a `ceiling`", strategy],
        );
    }
    check_without_race(
        "guard = 1.5\nstrategy = \"tail\"",
        "strategy = \"guard\"",
        9,
        &["`ceiling` is out of place"],
    );
    check_without_race(
        "ceiling = 2.5\nguard = 1.5\nstrategy = \"tail\"",
        "strategy = \"guard\"",
        3,
        &["needs a `guard`"],
    );
    check_without_race(
        "ceiling = 2.5\nguard = 1.5\nstrategy = \"tail\"",
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
    let both = "tail = \"both\"\nlower = { strategy = \"keep\" }\nupper = { strategy = \"tail\", ceiling = 1, guard = 2, race = { cuts = [2], above = [0], scores = [-1, 9], clear = -9, fail = 99, most = 9 } }\n";
    let one =
        "tail = \"upper\"\nconfidence = 0.9999\nceiling = 2.5\nguard = 1.5\nstrategy = \"tail\"\n";
    let two = format!("{both}confidence = 0.9999\n");
    check_without_race(one, &two, 9, &["below its guard"]);
    check_without_race(
        one,
        &two.replace("ceiling = 1, ", ""),
        9,
        &["needs a `ceiling`"],
    );
    check_without_race(
        one,
        &two.replace("lower", "# lower"),
        3,
        &["`lower` is missing"],
    );
    let fine = ENTRY.replace(one, &two.replace("guard = 2", "guard = 1"));
    let fine = fine.replace("\nrace = { cuts = [1, 2]", "\n# race = { cuts = [1, 2]");
    let file: BoundsFile = fine.parse().unwrap();
    assert_eq!(file.entries()[0].tail(), Tail::Both);
}

#[test]
fn the_lines_of_both_duplicates_are_named() {
    let again = ENTRY.replace("version = 2\n", "");
    let text = format!("{ENTRY}{again}");
    let error = text.parse::<BoundsFile>().unwrap_err();
    assert_eq!(error.line, 16);
    assert!(error.message.contains("on line 3"), "{error}");
    assert!(error.message.contains("site `x<_` of test `t`"), "{error}");
}

#[test]
fn what_is_not_utf8_names_its_line() {
    let error = BoundsFile::from_bytes(b"version = 2\n\n# caf\xe9\n").unwrap_err();
    assert_eq!((error.line, error.column), (3, 6));
    assert!(error.message.contains("not UTF-8"), "{error}");
}
