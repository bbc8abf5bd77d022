//! One voice on standard error: a line begins with what it is. The label is painted, the words are not.

use flex_core::paint::{Ink, Paint};

/// What a line may begin with, and its ink.
const LABELS: [(&str, Ink); 5] = [
    ("error:", Ink::Bad),
    ("warning:", Ink::Look),
    ("interrupted:", Ink::Look),
    ("hint:", Ink::Hint),
    ("note:", Ink::Strong),
];

/// Lines with their labels painted.
pub fn painted(text: &str, paint: Paint) -> String {
    if paint == Paint::Plain {
        return text.to_owned();
    }
    let line = |line: &str| {
        let mut labels = LABELS.into_iter();
        match labels.find(|(label, _)| line.starts_with(label)) {
            Some((label, ink)) => paint.beginning(ink, label, line),
            None => line.to_owned(),
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_painted_and_nothing_else() {
        let text = "error: a\nhint: error: b\nno error: c";
        assert_eq!(painted(text, Paint::Plain), text);
        assert_eq!(
            painted(text, Paint::Coloured),
            "\x1b[1;31merror:\x1b[0m a\n\x1b[36mhint:\x1b[0m error: b\nno error: c"
        );
    }
}
