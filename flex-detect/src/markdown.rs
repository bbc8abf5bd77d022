//! Text from elsewhere in Markdown: as code that nothing in it can end, and in sentences where nothing in it counts.

use flex_core::visible::{visible, visible_lines};

/// A text as code within a line. Its fence is longer than any in it (CommonMark 0.31, section 6.1).
pub fn code(text: &str) -> String {
    let text = visible(text);
    let fence = fence(&text, 1);
    // A blank keeps a fence apart from a backtick, and is no part of the code.
    let blank = match text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        true => " ",
        false => "",
    };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Lines of code in a language, in a block of its own.
pub fn block(language: &str, text: &str) -> String {
    let text = visible_lines(text);
    let fence = fence(&text, 3);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// A text within a sentence: every sign that Markdown or HTML would read is escaped.
pub fn words(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '!' | '#' | '|' | '~' | '@' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

fn fence(text: &str, least: usize) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let longest = runs.max().unwrap_or(0);
    "`".repeat(least.max(if longest == 0 { 0 } else { longest + 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_cannot_end_itself() {
        assert_eq!(code("x < 1"), "`x < 1`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a``"), "``` `a`` ```");
        assert_eq!(code("a\n# b"), "`a\\n# b`");
        assert_eq!(block("sh", "a"), "```sh\na\n```\n");
        assert_eq!(block("diff", "+```\n"), "````diff\n+```\n````\n");
    }

    #[test]
    fn words_are_words() {
        assert_eq!(
            words("a_b <img src=x>\n| [c](d)"),
            "a\\_b &lt;img src=x&gt;\\\\n\\| \\[c\\]\\(d\\)"
        );
    }
}
