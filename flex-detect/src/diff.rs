//! Unified diffs, as `git apply` and `patch -p1` read them.

use similar::TextDiff;

/// The difference between two texts of one file; nothing if there is none. `path` is written with slashes.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    // A tab ends a path that has spaces in it.
    let end = if path.contains(' ') { "\t" } else { "" };
    TextDiff::from_lines(before, after)
        .unified_diff()
        .header(&format!("a/{path}{end}"), &format!("b/{path}{end}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_has_its_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = before.replace('5', "five");
        let expected =
            "--- a/x.py\n+++ b/x.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified("x.py", before, &after), expected);
        assert_eq!(unified("x.py", before, before), "");
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let before: String = (0..40).map(|i| format!("{i}\n")).collect();
        let after = format!("new\n{}", before.replace("30\n", "thirty\n"));
        let diff = unified("x", &before, &after);
        assert!(diff.contains("@@ -1,3 +1,4 @@\n+new\n 0\n"), "{diff}");
        assert!(diff.contains("@@ -28,7 +29,7 @@\n 27\n"), "{diff}");
    }

    #[test]
    fn a_missing_end_of_line_is_said() {
        let diff = unified("x", "a\nb", "a\nc");
        let expected = " a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";
        assert!(diff.ends_with(expected), "{diff}");
    }
}
