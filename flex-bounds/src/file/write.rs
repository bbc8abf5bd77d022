//! Writing a bounds file: the same file is always the same bytes, so that a diff shows what was learned.

use std::fmt::{self, Display, Formatter, Write};

use crate::Runner;

use super::{BoundsFile, Entry, Fit, Learned, Replay, Sides, VERSION};
use flex_core::bound::race::Race;
use flex_core::sample::Extremes;

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
            for (key, part) in parts(learned) {
                line(f, key, Some(part))?;
            }
            text_line(f, "strategy", Some(learned.strategy().as_str()))?;
            text_line(f, "reason", learned.reason())?;
        }
        Sides::Both { lower, upper } => {
            line(f, "lower", Some(Inline(&**lower)))?;
            line(f, "upper", Some(Inline(&**upper)))?;
        }
    }
    let accept = match entry {
        Entry {
            unenforced: true, ..
        } => Some("unenforced"),
        Entry { accepted: true, .. } => Some("learned"),
        _ => None,
    };
    text_line(f, "accept", accept)?;
    line(f, "samples", Some(entry.samples))?;
    let not_finite = Some(entry.not_finite).filter(|count| *count > 0);
    line(f, "not_finite", not_finite)?;
    let earlier = Some(entry.earlier).filter(|count| *count > 0);
    line(f, "earlier", earlier)?;
    if let Sides::Upper(learned) | Sides::Lower(learned) = &entry.sides {
        line(f, "fit", learned.fit().map(Inline))?;
    }
    line(
        f,
        "quantiles",
        entry.quantiles.as_ref().map(|all| Numbers(all)),
    )?;
    text_line(f, "reached", Some(entry.reached.as_str()))?;
    line(f, "effort", entry.effort.map(Number))?;
    line(f, "replay", entry.replay.as_ref().map(Inline))?;
    text_line(f, "fingerprint", entry.fingerprint.as_deref())?;
    text_line(f, "calibrated", entry.calibrated.as_deref())?;
    text_line(f, "base", entry.base.as_deref())?;
    text_line(f, "engine", entry.engine.as_deref())?;
    let checksum = entry.checksum.map(|checksum| checksum.to_string());
    text_line(f, "checksum", checksum.as_deref())
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
        for (key, part) in parts(learned) {
            write!(f, ", {key} = {part}")?;
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

/// The parts of a guard, or of what holds a mean, each with its key.
fn parts(learned: &Learned) -> Vec<(&'static str, String)> {
    if let Some(held) = learned.held() {
        let mut parts = vec![
            ("bound", Number(held.bound).to_string()),
            ("margin", Number(held.margin).to_string()),
            ("mean", Number(held.mean).to_string()),
        ];
        if let Some(limits) = held.limits {
            let ends = [limits.lower(), limits.upper()];
            parts.push(("limits", Numbers(&ends).to_string()));
        }
        return parts;
    }
    let Some(guard) = learned.guard() else {
        return Vec::new();
    };
    let mut parts = vec![
        ("guard", Number(guard.bound).to_string()),
        ("race", Inline(&guard.race).to_string()),
    ];
    if let Some(strays) = &guard.strays {
        // Its cut is the last of the race's, and it ends as that does.
        let (scores, fail) = (List(strays.scores()), strays.fail());
        parts.push(("strays", format!("{{ scores = {scores}, fail = {fail} }}")));
    }
    parts
}

impl Display for Inline<&Race> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let race = self.0;
        let cuts: Vec<f64> = race.cuts().iter().map(|cut| cut.value).collect();
        let above: Vec<u32> = race.cuts().iter().map(|cut| cut.above).collect();
        write!(
            f,
            "{{ cuts = {}, above = {}, scores = {}, clear = {}, fail = {}, most = {} }}",
            Numbers(&cuts),
            List(&above),
            List(race.scores()),
            race.clear(),
            race.fail(),
            race.most_reruns()
        )
    }
}

impl Display for Inline<&Replay> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let replay = self.0;
        write!(f, "{{ base = {}", Quoted(&replay.base))?;
        if replay.always {
            f.write_str(", always = true")?;
        }
        for run in &replay.runs {
            match run.shown {
                None => write!(f, ", {} = \"missed\"", run.run)?,
                Some(shown) => write!(f, ", {} = {}", run.run, Inline(shown))?,
            }
        }
        f.write_str(" }")
    }
}

impl Display for Inline<Extremes> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Extremes { least, greatest } = self.0;
        match least == greatest || least.is_nan() {
            true => Number(greatest).fmt(f),
            false => Numbers(&[least, greatest]).fmt(f),
        }
    }
}

impl Display for Inline<Fit> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let fit = self.0;
        let (threshold, scale, shape) =
            (Number(fit.threshold), Number(fit.scale), Number(fit.shape));
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
        match self.0.is_nan() {
            true => f.write_str("nan"),
            false => fmt::Debug::fmt(&(self.0 + 0.0), f),
        }
    }
}

struct Numbers<'a>(&'a [f64]);

impl Display for Numbers<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let numbers: Vec<Number> = self.0.iter().copied().map(Number).collect();
        List(&numbers).fmt(f)
    }
}

struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, value) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{value}")?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestId;
    use crate::file::tests::{entry, file, guard};
    use crate::file::{Reached, ReplayedRun};
    use flex_core::bound::confidence::Confidence;
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
             version = 2\n"
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
guard = 0.0412
race = { cuts = [0.0412, 0.0824], above = [20, 0], scores = [-4, 6, 24], clear = -24, fail = 172, most = 100 }
strays = { scores = [-2, 15], fail = 92 }
strategy = "tail"
samples = 290
fit = { threshold = 0.0301, scale = 0.0061, shape = 0.02, exceedances = 34 }
quantiles = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0]
reached = "always"
replay = { base = "k3J9", 17 = 0.0123, 62 = 0.0158 }
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
        entry.effort = Some(0.5);
        entry.replay = None;
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
effort = 0.5
"#,
        );
    }

    #[test]
    fn the_sides_of_a_two_sided_site_are_inline_tables() {
        let mut entry = entry("_<bias<_");
        let mut lower = guard(0.5);
        lower.bound = -0.5;
        lower.race = lower.race.map_cuts(|cut| -cut);
        lower.strays = None;
        let Sides::Upper(upper) = entry.sides else {
            panic!("the fixture has an upper tail")
        };
        entry.sides = Sides::Both {
            lower: Box::new(Learned::Guard {
                guard: lower,
                fit: None,
                reason: Some("a second mode".to_owned()),
            }),
            upper: Box::new(upper),
        };
        let text = file([entry.clone()]).to_string();
        for line in [
            r#"lower = { strategy = "guard", guard = -0.5, race = { cuts = [-0.5, -1.0], above = [20, 0], scores = [-4, 6, 24], clear = -24, fail = 172, most = 100 }, reason = "a second mode" }"#,
            r#"upper = { strategy = "tail", ceiling = 0.0931, guard = 0.0412, race = { cuts = [0.0412, 0.0824], above = [20, 0], scores = [-4, 6, 24], clear = -24, fail = 172, most = 100 }, strays = { scores = [-2, 15], fail = 92 }, fit = { threshold = 0.0301, scale = 0.0061, shape = 0.02, exceedances = 34 } }"#,
        ] {
            assert!(text.lines().any(|written| written == line), "{text}");
        }
        assert_eq!(text.parse(), Ok(file([entry])));
    }

    #[test]
    fn what_runs_showed_is_one_value_two_or_none() {
        let mut entry = entry("x<_");
        entry.replay = Some(Replay {
            base: "b 1".to_owned(),
            always: true,
            runs: vec![
                ReplayedRun {
                    run: 3,
                    shown: Some(Extremes {
                        least: -1.0,
                        greatest: 0.5,
                    }),
                },
                ReplayedRun {
                    run: 12,
                    shown: None,
                },
            ],
        });
        let text = file([entry.clone()]).to_string();
        let line = r#"replay = { base = "b 1", always = true, 3 = [-1.0, 0.5], 12 = "missed" }"#;
        assert!(text.lines().any(|written| written == line), "{text}");
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
