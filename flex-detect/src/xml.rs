//! Text from elsewhere in XML.

use flex_core::visible::visible;

/// A text between tags: what has a meaning there is escaped, and what may not stand there at all is shown.
pub fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&apos;",
            // No character of XML 1.0 (section 2.2).
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_a_tag_or_forbidden() {
        assert_eq!(
            text("</title><script>\x1b&\u{ffff}"),
            "&lt;/title&gt;&lt;script&gt;\\u{1b}&amp;\u{fffd}"
        );
    }
}
