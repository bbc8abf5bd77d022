//! What the end-to-end tests share: the real program, built and run as a user would.

pub mod clusters;
pub mod crash;
pub mod folders;
pub mod guide;
pub mod history;
pub mod pictures;
pub mod project;

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// What a program said and how it ended.
#[derive(Debug)]
pub struct Said {
    /// The exit code; −1 if a signal ended it.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The text with each run of white space as one space.
fn in_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign.is_whitespace() {
            true if line.ends_with(' ') => {}
            true => line.push(' '),
            false => line.push(sign),
        }
    }
    line
}

impl Said {
    /// Standard output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Standard output as one JSON value a line.
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.out.lines().map(parse).collect()
    }
}

impl Said {
    /// Everything that was said.
    pub fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Asserts how it ended and that these words were said somewhere, wherever lines end: that depends on how long a path is.
    #[track_caller]
    pub fn says(&self, code: i32, words: &[&str]) -> &Self {
        assert_eq!(self.code, code, "{self}");
        let all = in_one_line(&self.all());
        for words in words {
            assert!(
                all.contains(&in_one_line(words)),
                "`{words}` is not in:\n{self}"
            );
        }
        self
    }

    /// Asserts that no line of words is wider than 80 columns. Commands to paste, messages of tests and names of files are
    /// as long as they are.
    #[track_caller]
    pub fn fits(&self) -> &Self {
        for line in self.all().lines() {
            let is_verbatim = ["replay:", "hint:", "$ ", "/", "::error "]
                .iter()
                .any(|sign| line.contains(sign));
            assert!(is_verbatim || line.chars().count() <= 80, "{line}\n{self}");
        }
        self
    }

    /// The rest of the line that begins so, after white space.
    #[track_caller]
    pub fn line(&self, beginning: &str) -> String {
        let all = self.all();
        let line = all
            .lines()
            .find_map(|line| line.trim_start().strip_prefix(beginning));
        match line {
            Some(line) => line.trim().to_owned(),
            None => panic!("no line begins with `{beginning}`:\n{self}"),
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Said { code, out, err } = self;
        write!(f, "exit code {code}\n--- out\n{out}\n--- err\n{err}")
    }
}

/// Runs `flex-harness` with these arguments and this standard input.
pub fn flex_harness(args: &[&str], input: &str) -> Said {
    run(Command::new(program("flex-harness")).args(args), input)
}

/// Runs a command to its end.
pub fn run(command: &mut Command, input: &str) -> Said {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_owned();
    // A thread of its own, or a program that answers while it reads would wait for us and we for it.
    let writer = std::thread::spawn(move || {
        // A program that ends early does not read everything.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer does not panic");
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("the program writes UTF-8"),
        err: String::from_utf8(output.stderr).expect("the program writes UTF-8"),
    }
}

/// The path of one of our programs: in the folder that `FLEX_PROGRAMS` names, or else built once per test process.
pub fn program(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| match std::env::var_os("FLEX_PROGRAMS") {
        Some(folder) => PathBuf::from(folder),
        None => built(),
    });
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Builds our programs and returns their folder.
fn built() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--message-format=json", "--package=cargo-flex"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let messages = String::from_utf8_lossy(&output.stdout);
    let program = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)));
    let program = program.expect("the programs are built");
    program.parent().expect("it is in a folder").to_owned()
}
