//! The modules of every crate have no cycles: of two that lie beside each other, one does not know the other. A name means
//! one thing. And what a Rust test links stays light.
//!
//! What a module knows is read from its `use` declarations and paths. A name that the parent passes on counts as the
//! child that it comes from. What a child takes from its parent is no edge, and tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A module by the words of its path; the root of a crate has none.
type Module = Vec<String>;

#[test]
fn modules_beside_each_other_have_no_cycles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut crates = 0;
    let mut cycles = Vec::new();
    for folder in fs::read_dir(root).expect("the repository") {
        let folder = folder.expect("an entry").path();
        let sources = folder.join("src");
        if folder.join("Cargo.toml").is_file() && sources.is_dir() {
            crates += 1;
            let modules = Modules::read(&sources);
            let name = folder.file_name().unwrap_or_default();
            let found = modules.cycles().into_iter();
            cycles.extend(found.map(|cycle| format!("{}: {cycle}", name.display())));
        }
    }
    assert!(crates > 9, "{crates} crates");
    assert!(cycles.is_empty(), "{cycles:#?}");
}

#[test]
fn a_name_means_one_thing_in_all_libraries() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut places = BTreeMap::<String, Vec<String>>::new();
    for library in LIBRARIES {
        let modules = Modules::read(&root.join(library).join("src"));
        for (module, source) in &modules.0 {
            for name in source.lines().filter_map(named_type) {
                let place = format!("{library}::{}", module.join("::"));
                places.entry(name.to_owned()).or_default().push(place);
            }
        }
    }
    assert!(places.len() > 200, "{} types", places.len());
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

/// The libraries that say what things are. The macros have the grammar of what these are, the command line and the plugin
/// show it, each to its own users.
const LIBRARIES: [&str; 8] = [
    "flex-core",
    "flex-bounds",
    "flex-run",
    "flex-detect",
    "flex-gate",
    "flex-report",
    "flex-shard",
    "flex-harness",
];

/// The public type that a line declares.
fn named_type(line: &str) -> Option<&str> {
    let declared = line.trim_start().strip_prefix("pub ")?;
    let (keyword, rest) = declared.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "type", "union"].contains(&keyword);
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    is_type.then_some(name)
}

#[test]
fn what_a_rust_test_links_parses_no_rust() {
    // Crates that pin an old proc-macro2 could not have flex beside them.
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let tree = Command::new(cargo)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(["tree", "--offline", "--locked", "--package=flex-harness"])
        .args([
            "--edges=normal",
            "--prefix=none",
            "--features=entropy,rand_0_8,rand_0_9",
        ])
        .output()
        .expect("cargo runs");
    let tree = String::from_utf8_lossy(&tree.stdout);
    let names: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(
        names.contains("flex-macros") && names.contains("rand_core"),
        "{names:?}"
    );
    for heavy in ["syn", "quote", "proc-macro2", "serde", "toml", "clap"] {
        assert!(!names.contains(heavy), "{heavy}: {tree}");
    }
}

#[test]
fn a_cycle_is_found_through_what_a_parent_passes_on() {
    let module = |path: &[&str]| path.iter().map(ToString::to_string).collect::<Module>();
    let check = |sources: &[(&[&str], &str)], expected: &[&str]| {
        let sources = sources
            .iter()
            .map(|(path, source)| (module(path), (*source).to_owned()));
        let modules = Modules(
            sources
                .map(|(path, source)| (path, without_tests(&source)))
                .collect(),
        );
        assert_eq!(modules.cycles(), expected);
    };
    let a: &[&str] = &["a"];
    let (b, c, d): (&[&str], &[&str], &[&str]) = (&["b"], &["a", "c"], &["a", "d"]);
    check(&[(a, "use crate::b::B;"), (b, "")], &[]);
    check(
        &[
            (a, "use crate::b::{self, B};"),
            (b, "fn f() { super::a::f() }"),
        ],
        &["a, b"],
    );
    check(
        &[
            (a, "pub use c::C; pub use d::{D as E, self};"),
            (c, "use super::E;"),
            (d, "use crate::a::{C, c};"),
        ],
        &["a::c, a::d"],
    );
    check(
        &[
            (a, "pub use c::C;"),
            (b, "// use crate::a::C;"),
            (c, "use crate::b;"),
        ],
        &[],
    );
}

/// The modules of a crate and their sources.
struct Modules(BTreeMap<Module, String>);

impl Modules {
    fn read(sources: &Path) -> Self {
        let mut modules = BTreeMap::new();
        for file in files(sources) {
            let path = file.strip_prefix(sources).expect("a file of the folder");
            let words = path.with_extension("");
            let words = words.iter().map(|word| word.to_string_lossy().into_owned());
            let mut module = words.collect::<Module>();
            module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
            if !module.iter().any(|word| word == "tests") {
                let source = fs::read_to_string(&file).expect("a source");
                modules.insert(module, without_tests(&source));
            }
        }
        Modules(modules)
    }

    /// Children of one parent that know each other, by way of others or directly.
    fn cycles(&self) -> Vec<String> {
        let passed_on = self.passed_on();
        let mut known = BTreeMap::<Module, BTreeSet<Module>>::new();
        for (module, source) in &self.0 {
            for path in paths(source) {
                let Some(path) = absolute(module, &path) else {
                    continue;
                };
                let other = self.resolve(path, &passed_on);
                let same = module.iter().zip(&other).take_while(|(a, b)| a == b);
                let same = same.count();
                if same < module.len() && same < other.len() {
                    let from = module[..=same].to_vec();
                    known
                        .entry(from)
                        .or_default()
                        .insert(other[..=same].to_vec());
                }
            }
        }
        let reached = known.keys().map(|module| (module, reached(module, &known)));
        let reached = reached.collect::<BTreeMap<_, _>>();
        let mut cycles = BTreeSet::new();
        for (module, others) in &reached {
            let back = |other: &&Module| reached.get(other).is_some_and(|o| o.contains(*module));
            let cycle = others.iter().filter(back).map(|other| other.join("::"));
            let cycle = cycle.collect::<Vec<_>>();
            if !cycle.is_empty() {
                cycles.insert(cycle.join(", "));
            }
        }
        cycles.into_iter().collect()
    }

    /// The children that names come from which their parents pass on.
    fn passed_on(&self) -> BTreeMap<(Module, String), Module> {
        let mut passed_on = BTreeMap::new();
        for (module, source) in &self.0 {
            for (mut path, name) in uses(source) {
                if path.first().is_some_and(|first| first == "self") {
                    path.remove(0);
                }
                path.pop();
                let child = [&module[..], &path].concat();
                if !path.is_empty() && self.0.contains_key(&child) {
                    passed_on.insert((module.clone(), name), child);
                }
            }
        }
        passed_on
    }

    /// The module that a path leads to.
    fn resolve(&self, mut path: Module, passed_on: &BTreeMap<(Module, String), Module>) -> Module {
        // No name is passed on more often than modules are nested.
        for _ in 0..8 {
            let mut module = path.clone();
            while !module.is_empty() && !self.0.contains_key(&module) {
                module.pop();
            }
            let from = path.get(module.len());
            let from = from.and_then(|name| passed_on.get(&(module.clone(), name.clone())));
            match from {
                Some(from) => path = [&from[..], &path[module.len()..]].concat(),
                None => return module,
            }
        }
        path
    }
}

/// All modules that one knows, directly or by way of others.
fn reached(module: &Module, known: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module.clone()];
    while let Some(module) = open.pop() {
        for other in known.get(&module).into_iter().flatten() {
            if reached.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    reached
}

/// The path from the root of the crate; `None` if it leads to another crate.
fn absolute(module: &Module, path: &[String]) -> Option<Module> {
    let ups = path.iter().take_while(|word| *word == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => Some([&module[..module.len().checked_sub(ups)?], &path[ups..]].concat()),
        _ => None,
    }
}

/// The paths of a source, in `use` declarations and elsewhere.
fn paths(source: &str) -> Vec<Vec<String>> {
    let mut paths = uses(source)
        .into_iter()
        .map(|(path, _)| path)
        .collect::<Vec<_>>();
    let is_of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    for path in source.split(|c: char| !is_of_path(c)) {
        paths.push(path.split("::").map(str::to_owned).collect());
    }
    paths
}

/// The paths of the `use` declarations, and what each is called.
fn uses(source: &str) -> Vec<(Vec<String>, String)> {
    let mut uses = Vec::new();
    for declaration in source.split("use ").skip(1) {
        let tree = declaration.split(';').next().unwrap_or_default();
        let tree = tree.replace(" as ", "@");
        let tree = tree.split_whitespace().collect::<String>();
        add_uses(&[], &tree, &mut uses);
    }
    uses
}

/// Adds what a tree of `use` says, such as `a::{b, c::d@e}`.
fn add_uses(before: &[String], tree: &str, uses: &mut Vec<(Vec<String>, String)>) {
    let mut depth = 0;
    let branches = tree.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for branch in branches.filter(|branch| !branch.is_empty()) {
        let (path, inside) = match branch.split_once('{') {
            Some((path, inside)) => (path, inside.strip_suffix('}')),
            None => (branch, None),
        };
        let (path, renamed) = path.split_once('@').unwrap_or((path, ""));
        let words = path.split("::").filter(|word| !word.is_empty());
        let mut path = before.to_vec();
        path.extend(words.map(str::to_owned));
        match inside {
            Some(inside) => add_uses(&path, inside, uses),
            None => {
                if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                    path.pop();
                }
                let name = match renamed {
                    "" => path.last().cloned().unwrap_or_default(),
                    renamed => renamed.to_owned(),
                };
                uses.push((path, name));
            }
        }
    }
}

/// The source without comments and tests.
fn without_tests(source: &str) -> String {
    let end = source.find("#[cfg(test)]\nmod tests {");
    let lines = source[..end.unwrap_or(source.len())].lines();
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The sources in a folder and in those below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
