//! Where a plain test stands in the source, as far as its path tells.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use flex_run::model::Place;

use super::markers::FoundTest;

/// Where a plain test stands, relative to the folder of the workspace.
pub fn place_of_test(test: &FoundTest<'_>, root: &Path) -> Place {
    let (file, line) = place(&test.program.source, &test.name);
    let file = file.strip_prefix(root).unwrap_or(&file);
    Place::new(file.display().to_string(), line)
}

/// The sources that a test may draw its seeds in: the file that holds it, and those of its target's modules, relative to
/// the folder of the workspace.
pub fn sources_of_test(test: &FoundTest<'_>, root: &Path) -> Vec<(String, String)> {
    let modules: Vec<&str> = test.name.split("::").collect();
    let modules = &modules[..modules.len().saturating_sub(1)];
    let mut waiting = files(&test.program.source, modules);
    let (mut known, mut sources) = (BTreeSet::new(), Vec::new());
    while !waiting.is_empty() && sources.len() < MOST_SOURCES {
        let file = waiting.remove(0);
        if !known.insert(file.clone()) {
            continue;
        }
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        waiting.extend(declared_in(&file, &text));
        let shown = file.strip_prefix(root).unwrap_or(&file).display();
        sources.push((shown.to_string(), text));
    }
    sources
}

/// Files that are read for one test at most.
const MOST_SOURCES: usize = 50;

/// Where the modules may lie that a file declares by `mod name;`.
fn declared_in(file: &Path, text: &str) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(file);
    let stem = file.file_stem().unwrap_or_default();
    let names = text.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("pub ");
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    names
        .flat_map(|name| {
            [folder.to_owned(), folder.join(stem)].map(|folder| {
                [
                    folder.join(format!("{name}.rs")),
                    folder.join(name).join("mod.rs"),
                ]
            })
        })
        .flatten()
        .collect()
}

/// The file and line of the function with this path, in a target whose source begins in `root`; line 1 of that file if it
/// cannot be found, as where a macro makes the function.
fn place(root: &Path, path: &str) -> (PathBuf, u32) {
    let mut modules: Vec<&str> = path.split("::").collect();
    let name = modules.pop().unwrap_or_default();
    files(root, &modules)
        .into_iter()
        .find_map(|file| {
            let line = line_of(&fs::read_to_string(&file).ok()?, name)?;
            Some((file, line))
        })
        .unwrap_or_else(|| (root.to_owned(), 1))
}

/// Files that may hold these modules, the innermost first.
fn files(root: &Path, modules: &[&str]) -> Vec<PathBuf> {
    let folder = root.parent().unwrap_or(root);
    let mut files = vec![root.to_owned()];
    let mut inside = folder.to_owned();
    for module in modules {
        files.push(inside.join(format!("{module}.rs")));
        inside.push(module);
        files.push(inside.join("mod.rs"));
    }
    files.reverse();
    files
}

/// The line of `fn name` with its attributes, if there is exactly one.
fn line_of(text: &str, name: &str) -> Option<u32> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = (0..lines.len()).filter(|at| is_function(lines[*at], name));
    let (Some(at), None) = (found.next(), found.next()) else {
        return None;
    };
    let attributes = lines[..at].iter().rev();
    let attributes = attributes.take_while(|line| line.trim_start().starts_with("#["));
    u32::try_from(at + 1 - attributes.count()).ok()
}

/// Whether a line begins the function with this name.
pub(super) fn is_function(line: &str, name: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| *word != "fn");
    let after = words.nth(1).and_then(|word| word.strip_prefix(name));
    after.is_some_and(|rest| rest.starts_with(['(', '<']) || rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_path() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "lib.rs",
            "mod a;\n#[test]\nfn here() {}\nfn here_too() {}\n",
        );
        write("a/mod.rs", "pub async fn b() {}\n");
        write("a/c.rs", "\nfn d<T>() {}\nfn e() {}\nmod f { fn e() {} }\n");
        let check = |path: &str, file: &str, line: u32| {
            let found = place(&folder.path().join("lib.rs"), path);
            assert_eq!(found, (folder.path().join(file), line), "{path}");
        };
        check("here", "lib.rs", 2);
        check("a::b", "a/mod.rs", 1);
        check("a::c::d", "a/c.rs", 2);
        check("a::c::e", "lib.rs", 1);
        check("made_by_a_macro", "lib.rs", 1);
    }

    #[test]
    fn modules_that_a_file_declares_are_found_beside_it_and_below_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("common")).unwrap();
        fs::write(folder.path().join("common/mod.rs"), "mod deep;\n").unwrap();
        fs::write(folder.path().join("common/deep.rs"), "fn d() {}\n").unwrap();
        let mut found = declared_in(&folder.path().join("a.rs"), "use x;\n  pub mod common;\n");
        found.retain(|path| path.exists());
        assert_eq!(found, [folder.path().join("common/mod.rs")]);
        let mut deeper = declared_in(&found[0], "mod deep;");
        deeper.retain(|path| path.exists());
        assert_eq!(deeper, [folder.path().join("common/deep.rs")]);
    }
}
