//! `cargo xtask demo`: five minutes with flex, on a copy of the example.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::process::{self, cargo, root, target};

/// Annotates a test, calibrates and enforces it; then somebody breaks the code.
pub fn run() -> Result<(), String> {
    process::run(&mut cargo(&["build", "--package=cargo-flex"]))?;
    let demo = Demo::copied()?;
    say(
        "A test of a randomised data structure",
        "A HyperLogLog sketch counts different items and is a little wrong each time.\nHow wrong may it be? The test leaves the bound open:",
    );
    demo.show("sketch/tests/sketch.rs", "#[stochastic_test(confidence", 6)?;

    say(
        "Learn the bound",
        "100 runs under different seeds, spread over processes:",
    );
    demo.flex(&["calibrate", "the_error_is_small"])?;
    say(
        "What was learned",
        "flex-bounds.toml is committed with the code:",
    );
    demo.show("sketch/flex-bounds.toml", "[[bound]]", 18)?;

    say(
        "Enforce it",
        "From now on `cargo test` holds the code to it, under a fresh seed each time:",
    );
    demo.test(&[])?.passes(true)?;

    say(
        "Somebody breaks the code",
        "To save a little memory, keys are cut to 14 bits. The counter still counts:",
    );
    demo.replace(
        "sketch/src/lib.rs",
        "sketch.insert(&item)",
        "sketch.insert(&(item & 0x3fff))",
    )?;
    let broken = demo.test(&[])?;
    let line = broken.passes(false)?.replay_line()?;

    say(
        "Replay it",
        "The failure says how to repeat it, with the same values:",
    );
    let seed = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix("FLEX_SEED="))
        .ok_or("the replay line sets no seed")?;
    let again = demo.test(&[("FLEX_SEED", seed)])?;
    if again.passes(false)?.value_line()? != broken.value_line()? {
        return Err("the replay showed another value".to_owned());
    }
    println!("\n   The value is the same. That was flex; the example is in examples/sketch.");
    Ok(())
}

fn say(title: &str, words: &str) {
    println!("\n== {title}\n");
    for line in words.lines() {
        println!("   {line}");
    }
    println!();
}

/// A copy of the example in a workspace of its own.
struct Demo {
    folder: PathBuf,
}

/// A test run: whether it passed, and what it printed.
struct Tested {
    passed: bool,
    printed: String,
}

impl Demo {
    /// Copies the example, with our versions of all packages.
    fn copied() -> Result<Self, String> {
        let folder = target().join("demo");
        let _ = fs::remove_dir_all(&folder);
        for part in ["sketch/src", "sketch/tests"] {
            fs::create_dir_all(folder.join(part)).map_err(|error| error.to_string())?;
        }
        for file in ["Cargo.toml", "src/lib.rs", "tests/sketch.rs"] {
            copy(
                &root().join("examples/sketch").join(file),
                &folder.join("sketch").join(file),
            )?;
        }
        copy(&root().join("Cargo.lock"), &folder.join("Cargo.lock"))?;
        let ours = fs::read_to_string(root().join("Cargo.toml"));
        let manifest = ours
            .map_err(|error| error.to_string())?
            .lines()
            // What comes before names our members, and what follows speeds up packages that are not in the copy.
            .skip_while(|line| *line != "[workspace.package]")
            .take_while(|line| !line.starts_with("# The engine is arithmetic"))
            .map(|line| line.replace("path = \"", &format!("path = \"{}/", root().display())))
            .fold(
                "[workspace]\nresolver = \"3\"\nmembers = [\"sketch\"]\n\n".to_owned(),
                |text, line| text + &line + "\n",
            );
        fs::write(folder.join("Cargo.toml"), manifest).map_err(|error| error.to_string())?;
        Ok(Demo { folder })
    }

    /// Shows a few lines of a file, from the first that begins with `from`.
    fn show(&self, file: &str, from: &str, lines: usize) -> Result<(), String> {
        let text = fs::read_to_string(self.folder.join(file)).map_err(|e| e.to_string())?;
        let shown = text.lines().skip_while(|line| !line.starts_with(from));
        for line in shown.take(lines) {
            let cut: String = line.chars().take(76).collect();
            println!("   {cut}{}", if cut == line { "" } else { "…" });
        }
        Ok(())
    }

    fn replace(&self, file: &str, from: &str, to: &str) -> Result<(), String> {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        if !text.contains(from) {
            return Err(format!("{file} does not hold `{from}`"));
        }
        println!("   -        self.{from};\n   +        self.{to};\n");
        fs::write(path, text.replace(from, to)).map_err(|error| error.to_string())
    }

    fn flex(&self, args: &[&str]) -> Result<(), String> {
        println!("   $ cargo flex {}\n", args.join(" "));
        let mut command = Command::new(target().join("debug/flex-harness"));
        self.prepare(&mut command);
        let status = command.args(args).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("flex-harness failed: {status}")),
            Err(error) => Err(format!("cannot run flex-harness: {error}")),
        }
    }

    /// Runs the test and shows what it says.
    fn test(&self, env: &[(&str, &str)]) -> Result<Tested, String> {
        let variables: Vec<String> = env.iter().map(|(k, v)| format!("{k}={v} ")).collect();
        println!("   $ {}cargo test the_error_is_small\n", variables.concat());
        let mut command = cargo(&["test", "--quiet", "--test", "sketch", "the_error_is_small"]);
        self.prepare(&mut command);
        let output = command
            .envs(env.iter().copied())
            .output()
            .map_err(|error| error.to_string())?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        for line in printed.lines() {
            println!("   {line}");
        }
        if printed.is_empty() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(Tested {
            passed: output.status.success(),
            printed,
        })
    }

    fn prepare(&self, command: &mut Command) {
        command
            .current_dir(self.folder.join("sketch"))
            .env("CARGO_TARGET_DIR", target())
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("FLEX_SEED");
    }
}

impl Tested {
    fn passes(&self, expected: bool) -> Result<&Self, String> {
        if self.passed == expected {
            return Ok(self);
        }
        // An intact counter fails once in ten thousand runs; the broken one never gets away.
        let ended = if expected { "failed" } else { "passed" };
        Err(format!(
            "the test {ended}, which is rare; try the demo again"
        ))
    }

    fn replay_line(&self) -> Result<&str, String> {
        self.line("replay: ")
    }

    fn value_line(&self) -> Result<&str, String> {
        self.line("value ")
    }

    fn line(&self, from: &str) -> Result<&str, String> {
        let found = self
            .printed
            .lines()
            .map(str::trim)
            .find(|l| l.starts_with(from));
        found.ok_or_else(|| format!("the failure has no line that begins with `{from}`"))
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("cannot copy {}: {error}", from.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_understands_the_copy() {
        let demo = Demo::copied().unwrap();
        let mut command = cargo(&["metadata", "--no-deps", "--format-version=1"]);
        let output = command.current_dir(&demo.folder).output().unwrap();
        let [said, packages] =
            [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text));
        assert!(output.status.success(), "{said}");
        assert!(packages.contains("sketch-example"), "{packages}");
    }
}
