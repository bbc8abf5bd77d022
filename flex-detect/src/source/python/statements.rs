//! The statements at the top level of a Python source: enough of the language to see where imports end.

use crate::source::text_start;

/// A statement that begins in the first column, with all its lines but without those indented below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Where it begins.
    pub start: usize,
    /// After the end of its last line.
    pub end: usize,
    /// Its text.
    pub text: &'a str,
}

impl Statement<'_> {
    /// Whether it imports something.
    pub fn is_import(&self) -> bool {
        let words: Vec<&str> = self.text.split_whitespace().take(3).collect();
        matches!(words[..], ["import", ..] | ["from", _, "import", ..])
    }

    /// Whether it is `from module import … name …`.
    pub fn imports(&self, module: &str, name: &str) -> bool {
        let text = self.text.trim();
        let names = text.strip_prefix("from ").and_then(|rest| {
            let (from, names) = rest.split_once(" import")?;
            (from.trim() == module).then_some(names)
        });
        let is_name = |word: &str| word.trim() == name;
        names.is_some_and(|names| {
            names
                .lines()
                .map(|line| line.split('#').next().unwrap_or_default())
                .flat_map(|line| line.split([',', '(', ')', '\\']))
                .any(is_name)
        })
    }

    /// Whether it is a text and nothing else.
    pub fn is_docstring(&self) -> bool {
        let text = self.text.trim_start_matches(['r', 'R', 'u', 'U']);
        text.starts_with(['"', '\''])
    }
}

/// The statements that begin in the first column.
pub fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut statements = Vec::new();
    let mut at = text_start(text);
    while at < text.len() {
        let end = logical_end(text, at);
        let line = &text[at..end];
        let first = line.chars().next().unwrap_or('\n');
        if !first.is_whitespace() && first != '#' {
            statements.push(Statement {
                start: at,
                end,
                text: line,
            });
        }
        at = end;
    }
    statements
}

/// After the end of the line, where brackets, texts and backslashes join lines to one.
fn logical_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut depth = 0usize;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' if depth == 0 => return at + 1,
            b'\\' => {
                at += if bytes[at + 1..].starts_with(b"\r\n") {
                    2
                } else {
                    1
                }
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => {
                while at + 1 < bytes.len() && bytes[at + 1] != b'\n' {
                    at += 1;
                }
            }
            b'"' | b'\'' => at = text_end(bytes, at) - 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// After the end of the text that begins here.
fn text_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if is_long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !is_long => return at,
            byte if byte == quote && !is_long => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_where_python_ends_them() {
        let source = "\"\"\"Doc\nimport no\n\"\"\"\nimport a\nfrom b import (\n    c,  # )\n    d,\n)\n\
                      x = 'it\\'s # (' + \\\n  \"[\"\ndef f():\n    import e\n# end\n";
        let found: Vec<&str> = statements(source).iter().map(|s| s.text).collect();
        assert_eq!(
            found,
            [
                "\"\"\"Doc\nimport no\n\"\"\"\n",
                "import a\n",
                "from b import (\n    c,  # )\n    d,\n)\n",
                "x = 'it\\'s # (' + \\\n  \"[\"\n",
                "def f():\n",
            ]
        );
        let imports: Vec<bool> = statements(source).iter().map(|s| s.is_import()).collect();
        assert_eq!(imports, [false, true, true, false, false]);
        assert!(statements(source)[2].imports("b", "d"));
        assert!(!statements(source)[2].imports("b", "e"));
    }

    #[test]
    fn unfinished_sources_end_at_their_end() {
        for source in ["x = (1,\n", "\"\"\"a", "'", "\\", "x = '\n", "\u{feff}x"] {
            let end = statements(source).last().map(|statement| statement.end);
            assert!(end.is_none_or(|end| end <= source.len()), "{source}");
        }
    }
}
