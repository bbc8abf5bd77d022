//! A copy of a workspace's sources in which plain tests can be seen: what is changed is written, everything else is a link
//! to the original, so that whatever a source includes is found where it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use flex_detect::source::rust::observable;

/// The folders of a package in which tests are looked for.
const SOURCES: [&str; 4] = ["src", "tests", "benches", "examples"];

/// The version of flex, and how often copies have changed in it.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " 3");

/// Whether these packages have plain tests.
pub fn has_plain_tests(root: &Path, packages: &[PathBuf]) -> bool {
    changed_in(root, packages).is_ok_and(|changed| !changed.is_empty())
}

/// Makes or renews the copy of these packages, which lie in `root`; `false` if none of them has a plain test. What is the
/// same stays untouched, or cargo would build it again. `harness` is the library that programs get which have none.
pub fn renew(
    root: &Path,
    copy: &Path,
    packages: &[PathBuf],
    harness: Option<&Path>,
) -> io::Result<bool> {
    let changed = changed_in(root, packages)?;
    if changed.is_empty() {
        return Ok(false);
    }
    // Every folder above a file that is written is one of ours.
    let folders: BTreeSet<PathBuf> = changed
        .keys()
        .flat_map(|file: &PathBuf| file.ancestors().skip(1).map(Path::to_owned))
        .collect();
    // What another version copied, cargo would take for fresh, whatever this one makes of it; and so what it linked.
    let version = copy.with_extension("version");
    let library = harness.unwrap_or(Path::new("")).display();
    let wanted = format!("{VERSION} {library}");
    if !fs::read_to_string(&version).is_ok_and(|known| known == wanted) {
        remove(copy)?;
    }
    fs::create_dir_all(copy)?;
    fs::write(&version, wanted)?;
    let own = copy.canonicalize();
    for folder in &folders {
        renew_folder(
            root,
            copy,
            folder,
            (&changed, &folders),
            own.as_deref().ok(),
        )?;
    }
    Ok(true)
}

/// The sources of these packages that change, relative to the root.
fn changed_in(root: &Path, packages: &[PathBuf]) -> io::Result<BTreeMap<PathBuf, String>> {
    let mut changed = BTreeMap::new();
    for package in packages {
        for folder in SOURCES {
            add_changed(root, &package.join(folder), &mut changed)?;
        }
    }
    Ok(changed)
}

/// The sources below a folder that change.
fn add_changed(
    root: &Path,
    folder: &Path,
    changed: &mut BTreeMap<PathBuf, String>,
) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        // Links lead elsewhere, or back.
        if kind.is_dir() {
            add_changed(root, &path, changed)?;
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "rs") {
            // What is no text is no Rust.
            let text = fs::read_to_string(&path).unwrap_or_default();
            if let (Some(text), Ok(below)) = (observable(&text), path.strip_prefix(root)) {
                changed.insert(below.to_owned(), text);
            }
        }
    }
    Ok(())
}

fn renew_folder(
    root: &Path,
    copy: &Path,
    folder: &Path,
    (changed, folders): (&BTreeMap<PathBuf, String>, &BTreeSet<PathBuf>),
    own: Option<&Path>,
) -> io::Result<()> {
    let here = copy.join(folder);
    if here.is_symlink() {
        fs::remove_file(&here)?;
    }
    fs::create_dir_all(&here)?;
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(root.join(folder))? {
        let name = entry?.file_name();
        let (original, below) = (root.join(folder).join(&name), folder.join(&name));
        // The copy lies in the target folder, which no source is in.
        let holds_copy = original
            .canonicalize()
            .is_ok_and(|original| own.is_some_and(|own| own.starts_with(&original)));
        if holds_copy {
            continue;
        }
        let place = here.join(&name);
        names.insert(name);
        if let Some(text) = changed.get(&below) {
            let is_same =
                !place.is_symlink() && fs::read_to_string(&place).is_ok_and(|old| old == *text);
            if !is_same {
                remove(&place)?;
                fs::write(&place, text)?;
            }
        } else if !folders.contains(&below)
            && !fs::read_link(&place).is_ok_and(|old| old == original)
        {
            remove(&place)?;
            link(&original, &place)?;
        }
    }
    for entry in fs::read_dir(&here)? {
        let entry = entry?;
        if !names.contains(&entry.file_name()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes what is there, but nothing that a link leads to.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

#[cfg(unix)]
fn link(original: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(original, place)
}

/// Links need rights there that few have.
#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_what_changes_and_links_to_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "");
        write("data/a.txt", "a");
        write("m/src/lib.rs", "mod inner;\n");
        write("m/src/inner/mod.rs", "#[test]\nfn t() {}\n");
        write("m/src/other.rs", "");
        let copy = root.join("target/flex/observed");
        let packages = [root.join("m")];
        assert!(renew(&root, &copy, &packages, None).unwrap());
        let inner = copy.join("m/src/inner/mod.rs");
        assert!(
            fs::read_to_string(&inner)
                .unwrap()
                .contains("#[test]#[::flex_harness")
        );
        let is_link = |path: &str| copy.join(path).is_symlink();
        assert!(is_link("m/src/lib.rs") && is_link("data") && is_link("Cargo.toml"));
        assert!(!is_link("m") && !copy.join("target").exists());

        // Again: what is the same is not written, what is gone goes, what is new comes.
        let written = fs::metadata(&inner).unwrap().modified().unwrap();
        fs::remove_dir_all(root.join("data")).unwrap();
        write("m/src/other.rs", "#[test]\nfn u() {}\n");
        assert!(renew(&root, &copy, &packages, None).unwrap());
        assert_eq!(fs::metadata(&inner).unwrap().modified().unwrap(), written);
        assert!(!copy.join("data").is_symlink() && !is_link("m/src/other.rs"));

        // Without tests there is no copy to build, and what a link leads to was never touched.
        write("m/src/other.rs", "");
        write("m/src/inner/mod.rs", "");
        assert!(!renew(&root, &copy, &packages, None).unwrap());
        assert!(root.join("m/src/lib.rs").exists());
    }
}
