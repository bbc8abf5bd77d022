//! Writing a bounds file: the same file is always the same bytes, so that a diff shows what was learned.

use std::fmt::{self, Display, Formatter, Write};

use crate::Runner;

use super::{BoundsFile, Entry, Fit, GuardBound, Learned, Sides, VERSION};

/// The commands that learn the bounds anew and show what changed: cargo's, or those for a file of pytest.
const CARGO: [&str; 2] = ["cargo flex calibrate", "cargo flex review"];
const PYTEST: [&str; 2] = ["pytest --flex=calibrate", "flex-harness review --pytest ."];

impl Display for BoundsFile {
    /// The text of the file.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let of_pytest = |entry: &Entry| entry.key.test.runner() == Runner::Pytest;
        let all_of_pytest = !self.entries.is_empty() && self.entries.iter().all(of_pytest);
        let [calibrate, review] = if all_of_pytest { PYTEST } else { CARGO };
        writeln!(
            f,
            "# Learned by flex. Commit this file; recalibrate with `{calibrate}`, see changes with `{review}`."
        )?;
        writeln!(f, "version = {VERSION}")?;
        for entry in &self.entries {
            write!(f, "\n[[bound]]\n{}", Body(entry))?;
        }
        Ok(())
    }
}

/// The lines of an entry that follow its `[[bound]]`, one for each key.
pub(super) struct Body<'a>(pub &'a Entry);

impl Display for Body<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_entry(f, self.0)
    }
}

fn write_entry(f: &mut Formatter<'_>, entry: &Entry) -> fmt::Result {
    let key = &entry.key;
    text_line(f, "target", key.test.target())?;
    text_line(f, "test", Some(key.test.name()))?;
    text_line(f, "site", Some(&key.site.label()))?;
    text_line(f, "case", key.site.case.as_deref())?;
    text_line(f, "variant", key.variant.as_deref())?;
    text_line(f, "tail", Some(entry.tail().as_str()))?;
    line(f, "confidence", Some(Number(entry.confidence.value())))?;
    let domain = entry.domain.map(|domain| [domain.lower(), domain.upper()]);
    line(f, "domain", domain.as_ref().map(|ends| Numbers(ends)))?;
    line(f, "light", entry.light.then_some(true))?;
    match &entry.sides {
        Sides::Upper(learned) | Sides::Lower(learned) => {
            line(f, "ceiling", learned.ceiling().map(Number))?;
            line(f, "guard", learned.guard().map(Inline))?;
            text_line(f, "strategy", Some(learned.strategy().as_str()))?;
            text_line(f, "reason", learned.reason())?;
        }
        Sides::Both { lower, upper } => {
            line(f, "lower", Some(Inline(lower)))?;
            line(f, "upper", Some(Inline(upper)))?;
        }
    }
    text_line(f, "accept", entry.unenforced.then_some("unenforced"))?;
    line(f, "samples", Some(entry.samples))?;
    let not_finite = Some(entry.not_finite).filter(|count| *count > 0);
    line(f, "not_finite", not_finite)?;
    if let Sides::Upper(learned) | Sides::Lower(learned) = &entry.sides {
        line(f, "fit", learned.fit().map(Inline))?;
    }
    line(
        f,
        "quantiles",
        entry.quantiles.as_ref().map(|all| Numbers(all)),
    )?;
    text_line(f, "reached", Some(entry.reached.as_str()))?;
    text_line(f, "fingerprint", entry.fingerprint.as_deref())?;
    text_line(f, "calibrated", entry.calibrated.as_deref())?;
    text_line(f, "base", entry.base.as_deref())?;
    text_line(f, "engine", entry.engine.as_deref())
}

fn line(f: &mut Formatter<'_>, key: &str, value: Option<impl Display>) -> fmt::Result {
    match value {
        Some(value) => writeln!(f, "{key} = {value}"),
        None => Ok(()),
    }
}

fn text_line(f: &mut Formatter<'_>, key: &str, value: Option<&str>) -> fmt::Result {
    line(f, key, value.map(Quoted))
}

/// A value as an inline table.
struct Inline<T>(T);

impl Display for Inline<&Learned> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let learned = self.0;
        write!(f, "{{ strategy = {}", Quoted(learned.strategy().as_str()))?;
        if let Some(ceiling) = learned.ceiling() {
            write!(f, ", ceiling = {}", Number(ceiling))?;
        }
        if let Some(guard) = learned.guard() {
            write!(f, ", guard = {}", Inline(guard))?;
        }
        if let Some(fit) = learned.fit() {
            write!(f, ", fit = {}", Inline(fit))?;
        }
        if let Some(reason) = learned.reason() {
            write!(f, ", reason = {}", Quoted(reason))?;
        }
        f.write_str(" }")
    }
}

impl Display for Inline<GuardBound> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let GuardBound { bound, hits } = self.0;
        write!(f, "{{ bound = {}, hits = {hits} }}", Number(bound))
    }
}

impl Display for Inline<Fit> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let fit = self.0;
        let [threshold, scale, shape] = [fit.threshold, fit.scale, fit.shape].map(Number);
        let exceedances = fit.exceedances;
        write!(
            f,
            "{{ threshold = {threshold}, scale = {scale}, shape = {shape}, exceedances = {exceedances} }}"
        )
    }
}

/// A string that stays on one line: an entry can then be merged line by line, and nothing in it looks like a conflict
/// marker.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Quoted(text) = self;
        let is_rare = |c: char| c == '\'' || c.is_ascii_control() && c != '\t';
        if text.contains(['"', '\\']) && !text.contains(is_rare) {
            return write!(f, "'{text}'");
        }
        f.write_char('"')?;
        for c in text.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\u{8}' => f.write_str("\\b")?,
                '\t' => f.write_str("\\t")?,
                '\n' => f.write_str("\\n")?,
                '\u{c}' => f.write_str("\\f")?,
                '\r' => f.write_str("\\r")?,
                c if c.is_ascii_control() => write!(f, "\\u{:04X}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// The shortest decimal that reads back as the same float, always with a point or an exponent.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Adding zero turns -0.0 into 0.0, so that equal files are equal bytes.
        fmt::Debug::fmt(&(self.0 + 0.0), f)
    }
}

struct Numbers<'a>(&'a [f64]);

impl Display for Numbers<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, number) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{}", Number(*number))?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestId;
    use crate::file::Reached;
    use crate::file::tests::{entry, file};
    use flex_core::bound::confidence::Confidence;
    use flex_core::bound::race::Hits;
    use flex_core::tail::Domain;
    use toml_writer::{ToTomlValue as _, TomlStringBuilder};

    /// Asserts the text of an entry, and that it reads back.
    fn check(entry: Entry, expected: &str) {
        let written = file([entry]);
        let text = written.to_string();
        let body = text.split_once("[[bound]]\n").unwrap().1;
        assert_eq!(body, expected);
        assert_eq!(text.parse(), Ok(written));
    }

    #[test]
    fn an_empty_file_has_a_header_and_a_version() {
        assert_eq!(
            BoundsFile::default().to_string(),
            "# Learned by flex. Commit this file; recalibrate with `cargo flex calibrate`, see changes with `cargo flex review`.\n\
             version = 1\n"
        );
    }

    #[test]
    fn keys_come_in_the_order_of_the_design() {
        check(
            entry("error<_"),
            r#"target = "test:sketch"
test = "sketch_error_is_small"
site = "error<_"
tail = "upper"
confidence = 0.99998
ceiling = 0.0931
guard = { bound = 0.0412, hits = 12 }
strategy = "tail"
samples = 290
fit = { threshold = 0.0301, scale = 0.0061, shape = 0.02, exceedances = 34 }
quantiles = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0]
reached = "always"
fingerprint = "9f2c4e1a"
calibrated = "2026-11-16"
base = "k3J9"
engine = "flex 0.1, chacha8"
"#,
        );
    }

    #[test]
    fn optional_keys_stand_beside_what_they_qualify() {
        let mut entry = entry("recall>_");
        entry.key.test = TestId::pytest(entry.key.test.name());
        entry.key.site.case = Some("n=10".to_owned());
        entry.key.variant = Some("gpu".to_owned());
        entry.domain = Domain::new(0.0, f64::INFINITY).ok();
        entry.light = true;
        entry.sides = Sides::Lower(Learned::Refuse {
            reason: "shared state".to_owned(),
        });
        entry.unenforced = true;
        entry.quantiles = None;
        entry.reached = Reached::Sometimes;
        for absent in [
            &mut entry.fingerprint,
            &mut entry.calibrated,
            &mut entry.base,
            &mut entry.engine,
        ] {
            *absent = None;
        }
        check(
            entry,
            r#"test = "sketch_error_is_small"
site = "recall>_"
case = "n=10"
variant = "gpu"
tail = "lower"
confidence = 0.99998
domain = [0.0, inf]
light = true
strategy = "refuse"
reason = "shared state"
accept = "unenforced"
samples = 290
reached = "sometimes"
"#,
        );
    }

    #[test]
    fn the_sides_of_a_two_sided_site_are_inline_tables() {
        let mut entry = entry("_<bias<_");
        let guard = GuardBound {
            bound: -0.5,
            hits: Hits::new(9).unwrap(),
        };
        let Sides::Upper(upper) = entry.sides else {
            panic!("the fixture has an upper tail")
        };
        entry.sides = Sides::Both {
            lower: Learned::Guard {
                guard,
                fit: None,
                reason: Some("a second mode".to_owned()),
            },
            upper,
        };
        let text = file([entry.clone()]).to_string();
        for line in [
            r#"lower = { strategy = "guard", guard = { bound = -0.5, hits = 9 }, reason = "a second mode" }"#,
            r#"upper = { strategy = "tail", ceiling = 0.0931, guard = { bound = 0.0412, hits = 12 }, fit = { threshold = 0.0301, scale = 0.0061, shape = 0.02, exceedances = 34 } }"#,
        ] {
            assert!(text.lines().any(|written| written == line), "{text}");
        }
        assert_eq!(text.parse(), Ok(file([entry])));
    }

    #[test]
    fn floats_are_short_and_never_look_like_integers() {
        for (number, expected) in [
            (1.0, "1.0"),
            (-0.0, "0.0"),
            (1e-7, "1e-7"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e300, "1e300"),
            (1.5e16, "1.5e16"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(Number(number).to_string(), expected);
        }
    }

    /// The text as `toml_writer` quotes it, on one line.
    fn by_toml_writer(text: &str) -> String {
        let string = TomlStringBuilder::new(text);
        let pretty = string.as_basic_pretty().or_else(|| string.as_literal());
        pretty.unwrap_or_else(|| string.as_basic()).to_toml_value()
    }

    #[test]
    fn every_text_stays_on_its_line_and_reads_back() {
        for text in [
            "a\n<<<<<<< HEAD\n",
            "\"quoted\" and 'quoted'",
            "tab\tand \\ and # and \u{0} and \u{7f} and \r and \u{8}\u{c}",
            "tab\tand \\",
            "tab\tand \"",
            "tab\tand '",
            "'''\"\"\"",
            "ünï¢ödé \u{85}\u{2028}",
            " ",
        ] {
            let quoted = Quoted(text).to_string();
            assert!(!quoted.contains(['\n', '\r']), "{quoted}");
            assert_eq!(quoted, by_toml_writer(text));
            let mut entry = entry(text);
            entry.confidence = Confidence::DEFAULT;
            let written = file([entry]);
            assert_eq!(written.to_string().parse(), Ok(written));
        }
    }
}
