//! What stays where when a file is written over.

use super::*;
use crate::file::{Learned, Sides};

const A: &str = r#"# Above the entry.
[[bound]] # Beside its header.
test = "t"
site = "a"
tail = "upper"
confidence = 0.9999
# Why so high?
ceiling = 2.5   # By hand.
strategy = "order"
samples = 100
reached = "always"
"#;

/// An entry with few keys.
fn plain(site: &str) -> String {
    format!(
        "[[bound]]\ntest = \"t\"\nsite = \"{site}\"\ntail = \"upper\"\nconfidence = 0.9999\nstrategy = \"keep\"\n\
         samples = 100\nreached = \"always\"\n"
    )
}

/// Applies a change to what a text says, and asserts the new text and that it says what it should.
fn check(old: &str, change: impl FnOnce(&mut BoundsFile), expected: &str) {
    let mut file: BoundsFile = old.parse().unwrap();
    change(&mut file);
    let text = edit(old, &file).unwrap();
    assert_eq!(text, expected);
    assert_eq!(text.parse(), Ok(file.clone()));
    let windows = edit(&old.replace('\n', "\r\n"), &file).unwrap();
    assert_eq!(windows, expected.replace('\n', "\r\n"));
    let marked = edit(&format!("\u{feff}{old}"), &file).unwrap();
    assert_eq!(marked, format!("\u{feff}{expected}"));
}

fn of_site(file: &BoundsFile, site: &str) -> Entry {
    let mut entries = file.entries().iter();
    let entry = entries.find(|entry| entry.key.site == site.into());
    entry.unwrap().clone()
}

fn alter(file: &mut BoundsFile, site: &str, change: impl FnOnce(&mut Entry)) {
    let mut entry = of_site(file, site);
    change(&mut entry);
    file.insert(entry).unwrap();
}

fn add(file: &mut BoundsFile, site: &str) {
    let text = format!("version = 2\n{}", plain(site));
    let entry = text.parse::<BoundsFile>().unwrap().entries()[0].clone();
    file.insert(entry).unwrap();
}

fn delete(file: &mut BoundsFile, site: &str) {
    file.remove(&of_site(file, site).key);
}

#[test]
fn comments_stay_above_and_beside_their_lines() {
    let old = format!("# Ours.\nversion = 2 # one\n\n{A}\n# The end.\n");
    let new = old.replace("100", "101").replace("2.5", "3.0");
    check(
        &old,
        |file| {
            alter(file, "a", |entry| {
                entry.samples = 101;
                entry.sides = new.parse::<BoundsFile>().unwrap().entries()[0]
                    .sides
                    .clone();
            });
        },
        &new,
    );
}

#[test]
fn comments_on_what_is_gone_stay_in_the_entry() {
    let old = format!("version = 2\n\n{A}{}", plain("b"));
    let new = old
        .replace(
            "# Why so high?\nceiling = 2.5   # By hand.\n",
            "# Why so high?\n# By hand.\n",
        )
        .replace("\"order\"", "\"keep\"");
    check(
        &old,
        |file| alter(file, "a", |entry| entry.sides = Sides::Upper(Learned::Keep)),
        &new,
    );
    let at_the_end = plain("a") + "engine = \"e\" # Old.\n";
    check(
        &format!("version = 2\n{at_the_end}{}", plain("b")),
        |file| alter(file, "a", |entry| entry.engine = None),
        &format!("version = 2\n{}# Old.\n\n{}", plain("a"), plain("b")),
    );
}

#[test]
fn an_entry_that_is_written_in_another_way_becomes_plain_and_keeps_its_comments() {
    let by_hand = "version = 2\n\n[[bound]]\nreached='always'\nsamples=100\n\n# Wide.\ndomain = [ # from\n  0, # to\n  5\n] # both\n\
                   test = 't'\nsite = \"a\"\ntail = \"upper\"\nconfidence = 0.5\nstrategy = \"guard\"\nguard = 1\n\
                   [bound.race] # G\ncuts = [1] # B\n# H\nabove = [0]\nscores = [-1, 9]\nclear = -9\nfail = 99\nmost = 9\n";
    let plain = "version = 2\n\n[[bound]]\ntest = \"t\"\nsite = \"a\"\ntail = \"upper\"\nconfidence = 0.5\n\n# Wide.\n# from\n# to\n\
                 domain = [0.0, 5.0] # both\nguard = 1.0\n# B\n# H\nrace = { cuts = [1.0], above = [0], scores = [-1, 9], clear = -9, fail = 99, most = 9 } # G\nstrategy = \"guard\"\nsamples = 101\n\
                 reached = \"always\"\n";
    check(
        by_hand,
        |file| alter(file, "a", |entry| entry.samples = 101),
        plain,
    );
}

#[test]
fn new_entries_go_to_their_sorted_place() {
    let (a, b, c, d) = (plain("a"), plain("b"), plain("c"), plain("d"));
    let old = format!("version = 2\n\n# On b.\n{b}\n# On d.\n{d}\n# The end.\n");
    check(
        &old,
        |file| ["a", "c", "e"].into_iter().for_each(|site| add(file, site)),
        &format!(
            "version = 2\n\n{a}\n# On b.\n{b}\n{c}\n# On d.\n{d}\n{}\n# The end.\n",
            plain("e")
        ),
    );
    check(
        &format!("version = 2\n{d}{b}"),
        |file| ["a", "c"].into_iter().for_each(|site| add(file, site)),
        &format!("version = 2\n{d}\n{a}\n{b}\n{c}"),
    );
    check(
        "version = 2\n\n# Notes.",
        |file| add(file, "a"),
        &format!("version = 2\n\n# Notes.\n\n{a}"),
    );
}

#[test]
fn a_deleted_entry_takes_its_comments_but_not_those_of_the_file() {
    let (a, b) = (plain("a"), plain("b"));
    let old = format!(
        "version = 2\n\n# Of the file.\n\n# On a.\n{a}# Below a.\n\n# Section b.\n\n# On b.\n{b}"
    );
    check(
        &old,
        |file| delete(file, "a"),
        &format!("version = 2\n\n# Of the file.\n\n# Section b.\n\n# On b.\n{b}"),
    );
    check(
        &old,
        |file| delete(file, "b"),
        &format!("version = 2\n\n# Of the file.\n\n# On a.\n{a}# Below a.\n\n# Section b.\n"),
    );
    check(
        &old,
        |file| {
            delete(file, "a");
            delete(file, "b");
            add(file, "c");
        },
        &format!(
            "version = 2\n\n# Of the file.\n\n# Section b.\n\n{}",
            plain("c")
        ),
    );
}

#[test]
fn entries_in_an_array_become_blocks() {
    let inline = plain("a")
        .replace("[[bound]]\n", "")
        .trim_end()
        .replace('\n', ", ");
    let (a, b) = (plain("a"), plain("b"));
    check(
        &format!("version = 2\nbound = [ # All.\n  {{ {inline} }}, # One.\n]\n"),
        |file| add(file, "b"),
        &format!("version = 2\n# All.\n# One.\n\n{a}\n{b}"),
    );
    check(
        "bound = []\nversion = 2\n",
        |file| add(file, "b"),
        &format!("version = 2\n\n{b}"),
    );
}

#[test]
fn only_an_empty_text_is_a_new_file() {
    let mut file = BoundsFile::default();
    add(&mut file, "a");
    assert_eq!(edit("", &file), Ok(file.to_string()));
    for unreadable in [
        "\n",
        "# Mine.\n",
        "version = 2\n",
        "version = 2\n<<<<<<< HEAD\n",
    ] {
        assert_eq!(
            edit(unreadable, &file).err(),
            unreadable.parse::<BoundsFile>().err()
        );
    }
}
