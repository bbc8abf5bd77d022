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
    use std::path::Path;

    use crate::TARGETS;

    /// Every input that was worth keeping, and every one that once was a finding, in the order of their names.
    #[test]
    fn what_the_corpora_hold_holds() {
        for target in TARGETS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("corpus")
                .join(target.name);
            let files = fs::read_dir(&folder).unwrap();
            let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
            files.sort();
            assert!(!files.is_empty(), "{} has no corpus", target.name);
            for file in files {
                println!("{}", file.display());
                (target.check)(&fs::read(&file).unwrap());
            }
        }
    }
}
