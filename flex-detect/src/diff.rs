//! Unified diffs, as `git apply` and `patch -p1` read them.

use similar::TextDiff;

/// The difference between two texts of one file; nothing if there is none. `path` is written with slashes.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    // A tab ends a path that has spaces in it.
    let end = if path.contains(' ') { "\t" } else { "" };
    // For git a line ends with a line feed, and a carriage return alone ends none.
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&lines(before), &lines(after))
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
    fn a_line_ends_where_git_ends_it() {
        let diff = unified("x.py", "a\rb\r\nc", "a\rx\r\nc");
        let expected = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-a\rb\r\n+a\rx\r\n c\n\\ No newline at end of file\n";
        assert_eq!(diff, expected);
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
