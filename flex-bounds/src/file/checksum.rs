//! Checksums: whether an entry still is what a calibration wrote.
//!
//! It is about the lines of an entry as flex writes them, so that comments, spacing and the order of keys do not count.
//! `accept` does not count either: people decide it, in a review or by hand. What a line looks like is a part of the format.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use super::Entry;
use super::write::Body;

/// What an entry is when it is written, in 32 bits. It tells changes by hand, and keeps nobody from forging it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(NonZeroU32);

impl Entry {
    /// States that the entry is what a calibration learned, as it is now.
    pub fn seal(&mut self) {
        self.checksum = Some(self.sum());
    }

    /// Whether somebody changed the entry by hand. Of one without a checksum, as older versions wrote them, nobody knows.
    pub fn is_edited(&self) -> bool {
        self.checksum.is_some_and(|stated| stated != self.sum())
    }

    fn sum(&self) -> Checksum {
        let text = Body(self).to_string();
        let learned = text.lines().filter(|line| {
            let key = line.split(' ').next();
            !matches!(key, Some("accept" | "checksum"))
        });
        let sum = fnv_1a(learned.flat_map(|line| line.bytes().chain([b'\n'])));
        Checksum(NonZeroU32::new(sum).unwrap_or(NonZeroU32::MIN))
    }
}

/// Fowler, Noll and Vo's FNV-1a, with 32 bits.
fn fnv_1a(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for Checksum {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hex = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sum = is_hex.then(|| u32::from_str_radix(text, 16).ok()).flatten();
        let checksum = sum.and_then(NonZeroU32::new).map(Checksum);
        checksum.ok_or_else(|| "a checksum has eight hexadecimal digits".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::tests::{entry, file};
    use crate::file::{BoundsFile, Entry};

    /// The text of a file with one sealed entry.
    fn sealed() -> String {
        let mut entry = entry("error<_");
        entry.seal();
        file([entry]).to_string()
    }

    /// Whether the entry of a file that was changed so is said to be edited.
    fn is_edited(text: &str) -> bool {
        let file: BoundsFile = text.parse().unwrap();
        file.entries()[0].is_edited()
    }

    #[test]
    fn numbers_of_others() {
        // From the test vectors that come with the authors' code.
        assert_eq!(fnv_1a(b"".iter().copied()), 0x811c_9dc5);
        assert_eq!(fnv_1a(b"foobar".iter().copied()), 0xbf9c_f968);
    }

    #[test]
    fn every_line_that_is_changed_or_gone_shows() {
        let text = sealed();
        assert!(!is_edited(&text));
        let optional = ["quantiles", "fingerprint", "strays", "fit", "replay"];
        for line in text.lines().filter(|line| line.contains(" = ")) {
            let key = line.split(' ').next().unwrap_or_default();
            if optional.contains(&key) {
                assert!(is_edited(&text.replace(&format!("{line}\n"), "")), "{key}");
            }
        }
        for (old, new) in [
            ("ceiling = 0.0931", "ceiling = 0.0932"),
            ("guard = 0.0412", "guard = 0.04"),
            ("samples = 290", "samples = 2900"),
            ("confidence = 0.99998", "confidence = 0.9"),
            ("test = \"sketch", "test = \"other"),
        ] {
            assert!(text.contains(old), "{old}");
            assert!(is_edited(&text.replace(old, new)), "{new}");
        }
    }

    #[test]
    fn what_people_may_write_does_not_show() {
        let text = sealed();
        for changed in [
            text.replace("samples = 290", "samples=290 # enough"),
            text.replace("reached = ", "\n\naccept = \"unenforced\"\nreached = "),
            text.replace("0.0931", "9.31e-2"),
        ] {
            assert_ne!(changed, text);
            assert!(!is_edited(&changed), "{changed}");
        }
        let without: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("checksum"))
            .collect();
        assert!(!is_edited(&without.join("\n")));
    }

    #[test]
    fn a_checksum_that_is_none_names_its_line() {
        let text = sealed();
        let line = text.lines().find(|line| line.starts_with("checksum"));
        for wrong in ["", "123", "+1234567", "00000000", "g0000000"] {
            let text = text.replace(line.unwrap(), &format!("checksum = \"{wrong}\""));
            let error = text.parse::<BoundsFile>().unwrap_err().to_string();
            assert!(error.contains("eight hexadecimal digits"), "{error}");
        }
    }

    #[test]
    fn an_entry_that_is_sealed_again_is_whole() {
        let mut entry: Entry = entry("error<_");
        entry.seal();
        entry.samples += 1;
        assert!(entry.is_edited());
        entry.seal();
        assert!(!entry.is_edited());
    }
}
