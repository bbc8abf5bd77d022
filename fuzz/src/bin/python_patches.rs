//! Prints the patches of all inputs in the folders that are named, a line of JSON each, for `python_patches.py`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use flex_fuzz::targets::python_patches;
use serde_json::json;

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for folder in std::env::args_os().skip(1).map(PathBuf::from) {
        for file in std::fs::read_dir(folder)? {
            for patch in python_patches(&std::fs::read(file?.path())?) {
                let line = json!({
                    "before": patch.before,
                    "after": patch.after,
                    "numbers": patch.numbers,
                    "functions": patch.functions,
                });
                writeln!(out, "{line}")?;
            }
        }
    }
    out.flush()
}
