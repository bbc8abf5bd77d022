//! Making inputs again: those of a corpus in a test, and those that a fuzzer found on the command line.

use std::process::ExitCode;

/// Checks the files that are named on the command line.
pub fn replay(check: fn(&[u8])) -> ExitCode {
    for file in std::env::args_os().skip(1) {
        match std::fs::read(&file) {
            Ok(bytes) => check(&bytes),
            Err(error) => {
                eprintln!("error: cannot read {}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        }
        println!("{} holds", file.display());
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    use crate::TARGETS;
    use crate::targets::python_patches;

    /// The inputs of a target, in the order of their names.
    fn corpus(target: &str) -> Vec<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = fs::read_dir(folder.join("corpus").join(target)).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }

    /// Every input that was worth keeping, and every one that once was a finding.
    #[test]
    fn what_the_corpora_hold_holds() {
        for target in TARGETS {
            let files = corpus(target.name);
            assert!(!files.is_empty(), "{} has no corpus", target.name);
            for file in files {
                println!("{}", file.display());
                (target.check)(&fs::read(&file).unwrap());
            }
        }
    }

    #[test]
    fn patched_sources_are_python_still() {
        let mut python = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/python_patches.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = python.stdin.take().unwrap();
        for file in corpus("python_source") {
            for patch in python_patches(&fs::read(file).unwrap()) {
                // Python stops reading where it finds something.
                let _ = writeln!(input, "{}", patch.json());
            }
        }
        drop(input);
        let output = python.wait_with_output().unwrap();
        assert!(output.status.success());
        let counted: u32 = String::from_utf8(output.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        assert!(counted > 20, "{counted}");
    }
}
