//! `--apply`: writes patches into files that can be had back, and runs the patched tests.

mod verify;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flex_detect::proposal::Patch;

use super::work::FixWork;
use crate::exit::Failure;
use crate::terminal;

/// Writes all patches, or none if a file has changes that are not committed; and whether all could be written, and the
/// patched tests pass. A file that cannot be written does not keep others from it.
pub fn apply(work: &FixWork<'_>) -> Result<bool, Failure> {
    let patches = work.plan.last_patches();
    if !work.args.allow_dirty {
        let paths = patches
            .iter()
            .map(|patch| work.record.root.join(&patch.file));
        refuse_dirty(&paths.collect::<Vec<_>>())?;
    }
    let mut written = Vec::new();
    for patch in &patches {
        match write(work, patch) {
            Ok(path) => {
                writeln!(terminal::notes(), "wrote {}", path.display())?;
                written.push(patch.file.as_path());
            }
            Err(why) => writeln!(terminal::stderr(), "error: {why}")?,
        }
    }
    let pass = verify::verify(work, &written)?;
    Ok(pass && written.len() == patches.len())
}

/// Writes a file, and says where it is.
fn write(work: &FixWork<'_>, last: &Patch) -> Result<PathBuf, String> {
    // Once more, since what a link leads to may have changed.
    let path = work.path(&last.file)?;
    unchanged(work, &path, last)?;
    replace(&path, &last.after)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

/// Refuses files that are not committed, since they could not be had back.
fn refuse_dirty(paths: &[PathBuf]) -> Result<(), Failure> {
    let (mut dirty, mut unknown) = (Vec::new(), Vec::new());
    for path in paths {
        // What a link leads to is what is written.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .args(arguments)
                .arg(&real)
                .current_dir(real.parent().unwrap_or(Path::new(".")))
                .output();
            output.ok().filter(|output| output.status.success())
        };
        // A file that is ignored has no changes, and nothing to go back to.
        let is_known = git(&["ls-files", "--error-unmatch", "--"]).is_some();
        match git(&["status", "--porcelain", "--"]) {
            Some(status) if !status.stdout.is_empty() => dirty.push(path.display().to_string()),
            Some(_) if is_known => {}
            _ => unknown.push(path.display().to_string()),
        }
    }
    let (error, files) = if !dirty.is_empty() {
        ("there are changes that are not committed in", dirty)
    } else if !unknown.is_empty() {
        ("no version control knows", unknown)
    } else {
        return Ok(());
    };
    Err(Failure::input(
        format!("{error} {}", files.join(", ")),
        "commit first, so that the patch can be taken back; or write anyway with --allow-dirty",
    ))
}

/// The file must be what the patches were made for.
fn unchanged(work: &FixWork<'_>, path: &Path, last: &Patch) -> Result<(), String> {
    let mut patches = work.plan.patches.iter();
    let first = patches.find(|patch| patch.file == last.file);
    let text = fs::read_to_string(path).unwrap_or_default();
    match first {
        Some(first) if first.before == text => Ok(()),
        _ => Err(format!(
            "{} was changed in this moment; run fix again",
            path.display()
        )),
    }
}

/// Puts a new text in the place of a file, at once and with its permissions.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file()
        .set_permissions(fs::metadata(path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
