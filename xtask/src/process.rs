//! Running other programs, and where things are.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The top folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the project")
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// Cargo, in the project's folder.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root()).args(args);
    command
}

/// Runs a command whose output the user sees.
pub fn run(command: &mut Command) -> Result<(), String> {
    eprintln!("$ {}", typed(command));
    let status = command
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed: {status}", typed(command)))
    }
}

/// Runs a command on some input and returns what it prints.
pub fn capture(command: &mut Command, input: &str) -> Result<String, String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child
        .wait_with_output()
        .map_err(|error| cannot_start(command, &error))?;
    // A program that fails may not read everything; its status says so.
    let _ = writer.join();
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| error.to_string())
    } else {
        Err(format!("`{}` failed: {}", typed(command), output.status))
    }
}

/// Runs a command to its end, silently, however it ends.
pub fn output(command: &mut Command) -> Result<Output, String> {
    command
        .output()
        .map_err(|error| cannot_start(command, &error))
}

/// Runs a command that must succeed, silently.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", printed(&output)))
}

/// Everything that a program printed: standard output, then standard error.
pub fn printed(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes))
        .concat()
}

/// A command as somebody would type it.
fn typed(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(
        command
            .get_args()
            .map(|arg| arg.to_string_lossy().into_owned()),
    );
    if let Some(name) = Path::new(&words[0]).file_name() {
        words[0] = name.to_string_lossy().into_owned();
    }
    words.join(" ")
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot run `{}`: {error}", typed(command))
}
