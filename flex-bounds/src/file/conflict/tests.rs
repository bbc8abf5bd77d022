use super::*;
use crate::TestId;
use crate::file::Entry;
use crate::file::tests::{entry, file};

fn named(test: &str, samples: u32) -> Entry {
    let mut entry = entry("x<_");
    entry.key.test = TestId::pytest(test);
    entry.samples = samples;
    entry
}

/// The text of some entries: each word is a test and the number of its samples, which stands for its contents.
fn text(words: &str) -> String {
    let entries = words.split_whitespace().map(|word| {
        let (test, samples) = word.split_at(1);
        named(test, samples.parse().unwrap())
    });
    file(entries).to_string()
}

/// The lines of an entry, as they stand in a file.
fn lines(words: &str) -> String {
    let whole = text(words);
    whole[whole.find("[[bound]]").unwrap()..].to_owned()
}

fn show(text: &str) -> String {
    let file: BoundsFile = text.parse().unwrap();
    let entries = file.entries().iter();
    let words: Vec<String> = entries
        .map(|entry| format!("{}{}", entry.key.test.name(), entry.samples))
        .collect();
    words.join(" ")
}

fn check(conflicted: &str, expected: &str, disputed: &str) -> String {
    for text in [conflicted.to_owned(), conflicted.replace('\n', "\r\n")] {
        let resolved = resolve(&text).unwrap().expect("it has marks");
        assert_eq!(show(&resolved.text), expected, "{}", resolved.text);
        let keys = resolved.disputed.iter();
        let tests: Vec<&str> = keys.map(|key| key.test.name()).collect();
        assert_eq!(tests.join(" "), disputed);
    }
    resolve(conflicted).unwrap().unwrap().text
}

#[test]
fn both_sides_added_an_entry() {
    let conflicted = format!(
        "{}\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n{}",
        text("a1"),
        lines("b1"),
        lines("c1"),
        lines("d1")
    );
    let resolved = check(&conflicted, "a1 b1 c1 d1", "");
    assert_eq!(resolved, text("a1 b1 c1 d1"), "nobody sees that it was two");
}

#[test]
fn marks_within_entries_are_understood() {
    // Git finds that both new entries begin alike and end alike.
    let (b, c) = (lines("b1"), lines("c2"));
    let differ = |line: &&str| line.starts_with("test") || line.starts_with("samples");
    let (b, c): (Vec<&str>, Vec<&str>) = (b.lines().collect(), c.lines().collect());
    let mut both = String::new();
    for (b, c) in b.iter().zip(&c) {
        both += &match differ(b) {
            true => format!("<<<<<<< HEAD\n{b}\n=======\n{c}\n>>>>>>> theirs\n"),
            false => format!("{b}\n"),
        };
    }
    check(&format!("{}\n{both}", text("a1")), "a1 b1 c2", "");
}

#[test]
fn what_both_changed_is_in_dispute() {
    let conflicted = text("a1 b1 c1").replacen(
        "samples = 1\n",
        "<<<<<<< HEAD\nsamples = 2\n||||||| base\nsamples = 1\n=======\nsamples = 3\n>>>>>>> theirs\n",
        1,
    );
    check(&conflicted, "a2 b1 c1", "a");
    assert_eq!(resolve(&conflicted).unwrap().unwrap().unenforced, []);
    let unenforced = conflicted.replace("reached", "accept = \"unenforced\"\nreached");
    let resolved = resolve(&unenforced).unwrap().unwrap();
    assert_eq!(resolved.unenforced, resolved.disputed);
}

#[test]
fn what_both_started_from_does_not_matter() {
    // In `zdiff3` the lines that both sides begin with stand before the mark, but not those of the base.
    let conflicted = format!(
        "{}\n<<<<<<< HEAD\n{}\n||||||| 1234567\n<<<<<<<<< nested\nno TOML\n=======\n{}\n>>>>>>> theirs\n",
        text("a1"),
        lines("b1"),
        lines("c1"),
    );
    check(&conflicted, "a1 b1 c1", "");
}

#[test]
fn comments_of_both_sides_stay() {
    let a = text("a1").replace("version", "# our head\nversion");
    let conflicted = format!(
        "{a}\n<<<<<<< HEAD\n# ours, above\n{}\n=======\n# about c\n\n# theirs, above\n{}\n# below\n>>>>>>> theirs\n",
        lines("b1").replace("tail = \"upper\"", "tail = \"upper\" # ours, beside"),
        lines("b1 c1").replace("samples = 1", "samples = 1 # theirs, beside"),
    );
    let resolved = check(&conflicted, "a1 b1 c1", "");
    for comment in [
        "# our head",
        "# ours, above\n",
        "tail = \"upper\" # ours, beside",
        "# about c",
        "# theirs, above",
        "samples = 1 # theirs, beside",
        "# below",
    ] {
        assert!(resolved.contains(comment), "{comment} is not in {resolved}");
    }
    assert_eq!(resolved.matches("# ours, above").count(), 1, "{resolved}");
    assert_eq!(resolved.matches("# our head").count(), 1, "{resolved}");
}

#[test]
fn a_text_without_marks_is_left_to_others() {
    assert_eq!(resolve(&text("a1")), Ok(None));
    assert_eq!(resolve(""), Ok(None));
    assert_eq!(resolve("no TOML"), Ok(None));
}

/// Asserts that the line is named where a text stops making sense; lines count from the end of a file of one entry.
fn fails(conflicted: &str, line: usize, words: &str) {
    let before = text("a1");
    let error = resolve(&format!("{before}{conflicted}")).unwrap_err();
    assert_eq!(error.line, before.lines().count() + line, "{error}");
    assert!(error.message.contains(words), "{error}");
}

#[test]
fn what_cannot_be_understood_is_an_error_with_its_line() {
    let unclear = "cannot take apart";
    fails("\n<<<<<<< a\n=======\n", 2, unclear);
    fails("\n<<<<<<< a\n", 2, unclear);
    fails("=======\n", 1, unclear);
    fails(">>>>>>> b\n", 1, unclear);
    fails("<<<<<<< a\n<<<<<<< a\n=======\n>>>>>>> b\n", 2, unclear);
    fails("<<<<<<< a\n=======\n=======\n>>>>>>> b\n", 3, unclear);
    fails("<<<<<<< a\n=======\n||||||| c\n>>>>>>> b\n", 3, unclear);
    let one_side = "on one side of a merge conflict";
    fails("<<<<<<< a\n=======\nno TOML\n>>>>>>> b\n", 3, one_side);
    fails("<<<<<<< a\nx = 1\n=======\n>>>>>>> b\n", 2, one_side);
    // Entries that are written in a row have no lines of their own.
    let row = "version = 2\nbound = [{ test = \"z\", site = \"x\", tail = \"upper\", confidence = 0.9, strategy = \"keep\", samples = 1, reached = \"always\" }]\n";
    let conflicted = format!("<<<<<<< a\n{}=======\n{row}>>>>>>> b\n", text("a1"));
    let error = resolve(&conflicted).unwrap_err();
    assert_eq!(
        (error.line, error.message.contains(unclear)),
        (1, true),
        "{error}"
    );
    // The same entry twice on one side.
    let twice = format!("\n<<<<<<< a\n{}=======\n>>>>>>> b\n", lines("a1"));
    fails(&twice, 3, one_side);
}
