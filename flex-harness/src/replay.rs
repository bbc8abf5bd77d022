//! Base seeds, and the lines that repeat a verdict.

use std::collections::hash_map::RandomState;
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::time::SystemTime;

use flex_core::seed::{Phase, SeedRequest};

use crate::env::{self, Settings};
use crate::test::Test;

/// How a verdict can be repeated.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    /// The base seed of this verdict.
    pub base: String,
    /// The one run that is replayed, if it is one.
    run: Option<(Phase, u64)>,
    /// The test in the words of cargo: `-p sketch --test sketch -- --exact name`.
    pub selection: String,
}

impl Replay {
    /// The base that the environment sets, or a fresh one.
    pub fn of(test: &Test, settings: &Settings) -> Self {
        let stated = settings.seed.as_ref();
        Replay {
            base: stated.map_or_else(fresh_base, |seed| seed.base.clone()),
            run: stated.and_then(|seed| seed.run),
            selection: selection(test),
        }
    }

    /// The line that repeats the verdict.
    pub fn line(&self) -> String {
        let seed = SeedRequest {
            base: self.base.clone(),
            run: self.run,
        };
        format!(
            "{}={} {}cargo test {}",
            env::SEED,
            quoted(&seed.to_string()),
            which_bounds(),
            self.selection
        )
    }

    /// The line that learns the bounds of this test, without the command line of flex.
    pub fn calibrate_line(&self) -> String {
        let bounds = which_bounds();
        format!(
            "{}=calibrate {bounds}cargo test {}",
            env::MODE,
            self.selection
        )
    }

    /// The command that does the same with progress and options.
    pub fn cargo_flex_line(&self) -> String {
        // Cargo's own options, and a filter that is no part of another name.
        let selection = self.selection.replace(" -- ", " ");
        format!("{}cargo flex calibrate {selection}", which_bounds())
    }
}

/// What else decides which bounds hold, for the front of a command.
fn which_bounds() -> String {
    let mut words = String::new();
    for name in [env::BOUNDS, env::VARIANT] {
        if let Ok(value) = std::env::var(name)
            && !value.is_empty()
        {
            let _ = write!(words, "{name}={} ", quoted(&value));
        }
    }
    words
}

/// A base that nobody had before: ten letters and digits.
pub fn fresh_base() -> String {
    const LETTERS: &[u8] = b"0123456789abcdefghijkmnopqrstuvwxyz";
    // The standard library's hash maps are seeded by the operating system; time and process make sure.
    let mut hasher = RandomState::new().build_hasher();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    hasher.write_u128(now.map_or(0, |since| since.as_nanos()));
    hasher.write_u32(std::process::id());
    let mut number = hasher.finish();
    let letters = LETTERS.len() as u64;
    (0..10)
        .map(|_| {
            let letter = LETTERS[(number % letters) as usize];
            number /= letters;
            char::from(letter)
        })
        .collect()
}

/// The arguments of `cargo test` that run exactly this test.
pub(crate) fn selection(test: &Test) -> String {
    let mut words = format!("-p {}", test.identity.package);
    words += &profile(&std::env::current_exe().unwrap_or_default());
    let target = test.target();
    match target.split_once(':') {
        Some((kind, name)) => {
            let name = cargo_name(name, test.identity.file);
            let _ = write!(words, " --{kind} {name}");
        }
        None => words += " --lib",
    }
    let ignored = if test.identity.ignored {
        " --include-ignored"
    } else {
        ""
    };
    format!("{words} -- --exact{ignored} {}", test.name())
}

/// What cargo calls a target: the crate has underscores where the target may have hyphens.
fn cargo_name(crate_name: &str, file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    match stem {
        Some(stem) if stem.replace('-', "_") == crate_name => stem.to_owned(),
        _ if crate_name.contains('_') => quoted(&crate_name.replace('_', "[-_]")),
        _ => crate_name.to_owned(),
    }
}

/// The option for the profile that the executable was built with, by the folder that cargo puts it into.
fn profile(exe: &Path) -> String {
    let folder = exe
        .parent()
        .and_then(Path::parent)
        .and_then(Path::file_name);
    match folder.and_then(|name| name.to_str()) {
        None | Some("debug") => String::new(),
        Some("release") => " --release".to_owned(),
        Some(name) => format!(" --profile {}", quoted(name)),
    }
}

/// A word for the shell, quoted where it must be.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_fresh_and_need_no_quotes() {
        // Equal by chance once in 35^10 > 10^15 runs.
        let (a, b) = (fresh_base(), fresh_base());
        assert_ne!(a, b);
        assert!(a.len() == 10 && quoted(&a) == a);
    }

    #[test]
    fn hyphens_of_a_target_are_found_again() {
        assert_eq!(cargo_name("my_test", "tests/my-test.rs"), "my-test");
        assert_eq!(cargo_name("my_test", "tests/my_test.rs"), "my_test");
        assert_eq!(
            cargo_name("my_test", "tests/my-test/part.rs"),
            "'my[-_]test'"
        );
        assert_eq!(cargo_name("sketch", "tests/sketch/part.rs"), "sketch");
    }

    #[test]
    fn the_profile_is_that_of_the_folder() {
        let check = |exe: &str, expected: &str| assert_eq!(profile(Path::new(exe)), expected);
        check("target/debug/deps/sketch-1", "");
        check("release/target/debug/examples/sketch-1", "");
        check("target/release/deps/sketch-1", " --release");
        check("target/bench/deps/sketch-1", " --profile bench");
    }

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("k3J9@calibrate:57"), "k3J9@calibrate:57");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
