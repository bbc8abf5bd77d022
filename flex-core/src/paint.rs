//! Weight and colour for a terminal. What is painted says the same without: no meaning is in colour alone.

/// Whether words are painted. Whoever writes to a terminal decides; everything else is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paint {
    /// The words as they are.
    #[default]
    Plain,
    /// With what ECMA-48 calls Select Graphic Rendition.
    Coloured,
}

/// What a word is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Something is wrong.
    Bad,
    /// Somebody should look.
    Look,
    /// All is well.
    Good,
    /// What to do.
    Hint,
    /// What matters most.
    Strong,
    /// What matters least.
    Faint,
}

impl Ink {
    /// The colours that terminals have had longest, which their owners choose so that they can be read.
    const fn code(self) -> &'static str {
        match self {
            Ink::Bad => "1;31",
            Ink::Look => "1;33",
            Ink::Good => "32",
            Ink::Hint => "36",
            Ink::Strong => "1",
            Ink::Faint => "2",
        }
    }
}

impl Paint {
    /// Paints, if somebody wants that.
    #[inline]
    pub fn when(wanted: bool) -> Self {
        match wanted {
            true => Paint::Coloured,
            false => Paint::Plain,
        }
    }

    /// A word in its ink. Nothing of a line that is to be wrapped or padded: signs of colour would be counted.
    #[inline]
    pub fn word(self, ink: Ink, word: &str) -> String {
        match self {
            Paint::Coloured if !word.is_empty() => format!("\x1b[{}m{word}\x1b[0m", ink.code()),
            _ => word.to_owned(),
        }
    }

    /// A text that begins with this word, which is painted. It is wrapped already.
    #[inline]
    pub fn beginning(self, ink: Ink, word: &str, text: &str) -> String {
        match text.strip_prefix(word) {
            Some(rest) => self.word(ink, word) + rest,
            None => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_painted_says_the_same() {
        assert_eq!(Paint::Plain.word(Ink::Bad, "failed"), "failed");
        let painted = Paint::Coloured.word(Ink::Bad, "failed");
        assert_eq!(painted, "\x1b[1;31mfailed\x1b[0m");
        assert_eq!(Paint::Coloured.word(Ink::Bad, ""), "");
        let text = Paint::Coloured.beginning(Ink::Strong, "a:", "a: b");
        assert_eq!(text, "\x1b[1ma:\x1b[0m b");
        assert_eq!(Paint::Coloured.beginning(Ink::Strong, "c", "a: b"), "a: b");
    }
}
