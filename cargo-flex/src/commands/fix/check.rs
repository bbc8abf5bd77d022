//! Whether a patched file is still a program of its language.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use flex_detect::source::rust;
use flex_run::model::Runner;

use crate::pytest::with_python;

/// Says why a patch would break its file. Python is asked if it is at hand.
pub fn parses(runner: Runner, file: &Path, text: &str) -> Result<(), String> {
    let broken = match runner {
        Runner::Cargo => rust::parses(text).err(),
        Runner::Pytest => python(text),
    };
    match broken {
        None => Ok(()),
        Some(why) => Err(format!(
            "{} would no longer parse ({why}), so it stays as it is; please report this with the file",
            file.display()
        )),
    }
}

/// What Python says against a source.
fn python(text: &str) -> Option<String> {
    let asked = |python: &str| -> io::Result<Option<String>> {
        let mut child = Command::new(python)
            // Isolated, or a file `ast.py` in the current folder would be run.
            .args(["-I", "-c"])
            .arg("import ast, sys; ast.parse(sys.stdin.buffer.read())")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // Python reads all of it before it answers.
            stdin.write_all(text.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = said
            .trim_end()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned();
        Ok((!output.status.success() && last.contains("Error")).then_some(last))
    };
    with_python(asked).ok().flatten()
}
