//! Whether an entry still is what a calibration wrote.
//!
//! It is about the lines of an entry as flex writes them, so that comments, spacing and the order of keys do not count.
//! `accept` does not count either: people decide it, in a review or by hand. What a line looks like is a part of the format.

use super::Entry;
use super::checksum::Checksum;
use super::write::Body;

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
        Checksum::of(text.lines().filter(|line| {
            let key = line.split(' ').next();
            !matches!(key, Some("accept" | "checksum"))
        }))
    }
}

#[cfg(test)]
mod tests {
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
