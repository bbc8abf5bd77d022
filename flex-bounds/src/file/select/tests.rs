use super::*;
use crate::file::Entry;
use crate::file::tests::{entry, file};

fn id(test: &str) -> TestId {
    TestId::cargo("test:sketch", test)
}

fn named(test: &str) -> Entry {
    let mut entry = entry("x<_");
    entry.key.test = id(test);
    entry
}

/// Asserts that one entry of test `b` is selected, and whether the entries before it were cut out for that.
fn check(text: &str, quick: bool) {
    let selected = BoundsFile::select(text, &id("b")).unwrap();
    assert_eq!(selected, file([named("b")]), "{text}");
    let excerpt = excerpt(text, "b");
    assert_eq!(
        excerpt.is_some_and(|e| e.len() < text.len()),
        quick,
        "{text}"
    );
}

#[test]
fn entries_of_other_tests_are_not_read() {
    let text = file(["a", "b", "bb", "c"].map(named)).to_string();
    check(&text, true);
    check(&text.replace('\n', "\r\n"), true);
    check(&format!("\u{feff}{text}"), true);
    check(&text.replacen("ceiling = 0.0931", "ceiling = =", 1), true);
    check(&text.replacen("\"a\"", "'a'", 1), true);
    check(&text.replacen("\"a\"", "\"a\" # by hand", 1), true);
}

#[test]
fn what_is_written_in_another_way_is_read() {
    let text = file(["a", "b", "c"].map(named)).to_string();
    let other = |old: &str, new: &str, quick| check(&text.replacen(old, new, 1), quick);
    let reached = "reached = \"always\"";
    other(reached, "reached = \"\"\"always\"\"\"", false);
    other(reached, "reached = '''always'''", false);
    // Of three entries, the first can be left out where its header is as flex writes it.
    for spelt in ["[[ bound ]]", " [[bound]]", "[[bound]] # first"] {
        other("[[bound]]", spelt, false);
    }
    let test_b = "test = \"b\"";
    for spelt in [
        "test=\"b\"",
        "test = 'b'",
        "test = \"\\u0062\"",
        "\"test\" = \"b\"",
    ] {
        other(test_b, spelt, true);
    }
    other(
        "target = \"test:sketch\"\ntest = \"b\"",
        "test = \"b\"\ntarget = 'test:sketch'",
        true,
    );
}

#[test]
fn an_entry_in_a_text_of_several_lines_is_none() {
    let mut text = file([named("a"), named("z")]).to_string();
    let b = file([named("b")]).to_string();
    let b = b.split_once("\n\n").unwrap().1;
    text = text.replacen("\"flex 0.1, chacha8\"", &format!("'''\n{b}\n'''"), 1);
    let selected = BoundsFile::select(&text, &id("b"));
    assert_eq!(selected, Ok(BoundsFile::default()));
}

#[test]
fn what_deceives_is_seen_wherever_it_is() {
    for (sign, enough) in [("\"", 3), ("<", 7), ("=", 7), ("|", 7)] {
        for before in 0..50 {
            for after in 0..50 {
                let text = |signs| "a".repeat(before) + &sign.repeat(signs) + &"a".repeat(after);
                let deceives = |signs| may_deceive(text(signs).as_bytes());
                assert!(!deceives(enough - 1), "{}", text(enough - 1));
                assert!(deceives(enough), "{}", text(enough));
            }
        }
    }
}

#[test]
fn a_text_is_found_wherever_it_stands() {
    let check = |text: &str, needle: &str| {
        let expected: Vec<usize> = (0..text.len())
            .filter(|at| text[*at..].starts_with(needle))
            .collect();
        let found = occurrences(text.as_bytes(), needle.as_bytes());
        assert_eq!(found, expected, "{needle} in {text}");
    };
    check("aabaabaaab", "aab");
    check("aaaaaa", "aa");
    check("abcabcab", "b");
    check("ab", "abc");
    check("", "a");
}

#[test]
fn what_concerns_the_test_is_an_error() {
    let text = file(["a", "b", "c"].map(named)).to_string();
    let check = |broken: String, test: &str| {
        let error = BoundsFile::select(&broken, &id(test)).unwrap_err();
        assert_eq!(Err(error), broken.parse::<BoundsFile>(), "{broken}");
    };
    check(text.replace("version = 2", "version = 3"), "b");
    check(text.replace("version = 2\n", ""), "b");
    check(text.replace("\"b\"\n", "\"b\"\nceiling = 0.1\n"), "b");
    check(text.replace("\"c\"", "\"b\""), "b");
    check(text[..text.len() - 10].to_owned(), "b");
    for marker in ["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"] {
        check(text.replacen("site", &format!("{marker}\nsite"), 1), "c");
    }
}
