//! Files that people have edited: what one test reads of them, and what is left when flex writes over them.
//!
//! Every test draws its cases from a fixed seed and stores no failures.

#![expect(
    clippy::unwrap_used,
    reason = "an input that cannot be made is a mistake in this file"
)]

#[path = "support/by_hand.rs"]
mod by_hand;
#[path = "support/entries.rs"]
mod entries;

use by_hand::Hand;
use entries::{any_entry, any_file_of, config};
use flex_bounds::TestId;
use flex_bounds::file::{BoundsFile, Entry, Learned, Sides, edit};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const TARGETS: [Option<&str>; 4] = [None, Some("lib"), Some("test:it's \"x\""), Some("")];
const TESTS: [&str; 5] = [
    "t",
    "tt",
    "a\\b",
    "it's \"x\"",
    "t\"\n[[bound]]\ntest = \"tt\"\n",
];

fn id(target: Option<&str>, name: &str) -> TestId {
    match target {
        Some(target) => TestId::cargo(target, name),
        None => TestId::pytest(name),
    }
}

/// Entries of few tests, so that some tests have several.
fn any_entry_of_few_tests() -> impl Strategy<Value = Entry> {
    let key = (select(TARGETS.to_vec()), select(TESTS.to_vec()));
    (any_entry(), key).prop_map(|(mut entry, (target, test))| {
        entry.key.test = id(target, test);
        entry
    })
}

fn any_file_of_few_tests() -> impl Strategy<Value = BoundsFile> {
    any_file_of(any_entry_of_few_tests())
}

fn any_hand() -> impl Strategy<Value = Hand> {
    let decisions = prop_oneof![Just(Vec::new()), vec(any::<u8>(), 0..400)];
    decisions.prop_map(Hand::new)
}

/// Asserts that every test is given its entries, or the error that reading all of the file gives.
fn check_select(text: &str, must_fail: bool) -> Result<(), TestCaseError> {
    let whole = text.parse::<BoundsFile>();
    for target in TARGETS {
        for test in TESTS {
            match (BoundsFile::select(text, &id(target, test)), &whole) {
                (Ok(selected), Ok(whole)) => {
                    let expected = whole
                        .entries()
                        .iter()
                        .filter(|entry| entry.key.test == id(target, test));
                    prop_assert!(selected.entries().iter().eq(expected), "{}", text);
                }
                (Err(error), whole) => prop_assert_eq!(whole.as_ref(), Err(&error)),
                (Ok(_), Err(error)) => prop_assert!(!must_fail, "{}\n{}", error, text),
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_test_reads_its_own_entries(file in any_file_of_few_tests(), mut hand in any_hand()) {
        let text = hand.edit(&file).text;
        prop_assert_eq!(text.parse(), Ok(file), "{}", text);
        check_select(&text, true)?;
    }

    #[test]
    fn a_file_that_was_cut_short_is_noticed_by_every_test(
        file in any_file_of_few_tests(), mut hand in any_hand(), cut in any::<Index>(),
    ) {
        let text = hand.edit(&file).text;
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        check_select(&text[..ends[cut.index(ends.len())]], true)?;
    }

    #[test]
    fn a_merge_conflict_is_noticed_by_every_test(
        file in any_file_of_few_tests(), mut hand in any_hand(), at in any::<Index>(),
        marker in select(vec!["<<<<<<< HEAD", "||||||| 1234567", "=======", ">>>>>>> theirs", "<<<<<<<"]),
    ) {
        let text = hand.edit(&file).text;
        let mut lines: Vec<&str> = text.lines().collect();
        lines.insert(at.index(lines.len() + 1), marker);
        check_select(&lines.join("\n"), true)?;
    }

    #[test]
    fn damage_is_never_read_as_another_entry(
        file in any_file_of_few_tests(), mut hand in any_hand(),
        damage in vec((any::<Index>(), select(b"\"'[]{}=\n\r \\#.,a<\0".to_vec())), 1..4),
    ) {
        let mut bytes = hand.edit(&file).text.into_bytes();
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(text) = str::from_utf8(&bytes) {
            check_select(text, false)?;
        }
    }

    #[test]
    fn what_is_not_changed_is_not_touched(file in any_file_of_few_tests(), mut hand in any_hand()) {
        let text = hand.edit(&file).text;
        prop_assert_eq!(edit(&text, &file), Ok(text));
    }
}

/// What happens to an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
enum HandChange {
    Keep,
    Recalibrate,
    LoseKeys,
    Delete,
}

fn change(entry: &Entry, change: HandChange) -> Option<Entry> {
    let mut entry = entry.clone();
    match change {
        HandChange::Keep => {}
        HandChange::Recalibrate => entry.samples ^= 1,
        HandChange::LoseKeys => {
            entry.sides = Sides::Upper(Learned::Keep);
            entry.quantiles = None;
            entry.fingerprint = None;
            entry.engine = None;
            entry.samples ^= 1;
        }
        HandChange::Delete => return None,
    }
    Some(entry)
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn comments_and_the_text_of_other_entries_survive_a_rewrite(
        file in any_file_of_few_tests(), mut hand in any_hand(),
        changes in vec(select(vec![HandChange::Keep, HandChange::Recalibrate, HandChange::LoseKeys, HandChange::Delete]), 6),
        added in vec(any_entry_of_few_tests(), 0..3),
    ) {
        let old = hand.edit(&file);
        let mut new = BoundsFile::default();
        for (entry, change_of_it) in file.entries().iter().zip(&changes) {
            if let Some(entry) = change(entry, *change_of_it) {
                new.insert(entry).unwrap();
            }
        }
        for entry in added {
            if file.get(&entry.key).is_none() {
                new.insert(entry).unwrap();
            }
        }
        let text = edit(&old.text, &new).unwrap();
        prop_assert_eq!(text.parse(), Ok(new.clone()), "{}\n=>\n{}", old.text, text);
        prop_assert_eq!(edit(&text, &new), Ok(text.clone()));

        let count = |comment: &String| text.matches(comment.as_str()).count();
        for comment in &old.free {
            prop_assert_eq!(count(comment), 1, "{}\n{}\n=>\n{}", comment, old.text, text);
        }
        for (block, change) in old.blocks.iter().zip(&changes) {
            let expected = usize::from(*change != HandChange::Delete);
            for comment in &block.comments {
                prop_assert_eq!(count(comment), expected, "{}\n{}\n=>\n{}", comment, old.text, text);
            }
            if *change == HandChange::Keep {
                prop_assert!(text.contains(block.text.trim_end()), "{}\n=>\n{}", old.text, text);
            }
        }
        if new != file {
            let ending = if old.text.contains("\r\n") { "\r\n" } else { "\n" };
            prop_assert!(text.split_inclusive('\n').all(|line| line.ends_with(ending)));
            prop_assert_eq!(text.contains('\r'), old.text.contains('\r'));
        }
        prop_assert_eq!(text.starts_with('\u{feff}'), old.text.starts_with('\u{feff}'));
    }

    #[test]
    fn entries_stay_in_the_order_they_are_in(
        file in any_file_of_few_tests(), mut hand in any_hand(), added in vec(any_entry_of_few_tests(), 1..3),
    ) {
        let old = hand.edit(&file);
        let mut new = file.clone();
        for entry in added {
            if file.get(&entry.key).is_none() {
                new.insert(entry).unwrap();
            }
        }
        let text = edit(&old.text, &new).unwrap();
        let places = |text: &str| {
            let mut places: Vec<(usize, usize)> = old
                .blocks
                .iter()
                .enumerate()
                .map(|(index, block)| (text.find(block.text.trim_end()).unwrap(), index))
                .collect();
            places.sort_unstable();
            places.into_iter().map(|(_, index)| index).collect::<Vec<_>>()
        };
        prop_assert_eq!(places(&text), places(&old.text));
    }
}
