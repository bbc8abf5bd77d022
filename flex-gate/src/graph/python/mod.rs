//! What items of Python use: by imports, names, members of values, fixtures, and what pytest runs around a test.

mod modules;

use std::collections::{BTreeMap, BTreeSet};

pub use modules::Modules;
use modules::conftests;

use super::{Names, Node, ProjectFile, Use};
use crate::source::{ItemKind, Mention, SourceItem};

/// A file, and what names mean in it.
pub struct PythonScope<'s> {
    names: &'s Names<'s>,
    modules: &'s Modules,
    files: &'s [ProjectFile],
    file: usize,
    closure: BTreeSet<usize>,
    conftests: Vec<usize>,
    /// Imports of the file, by the name that they bind.
    bound: BTreeMap<&'s str, Vec<usize>>,
}

impl<'s> PythonScope<'s> {
    pub fn new(
        names: &'s Names<'s>,
        modules: &'s Modules,
        files: &'s [ProjectFile],
        file: usize,
    ) -> Self {
        PythonScope {
            names,
            modules,
            files,
            file,
            closure: modules.closure(file),
            conftests: conftests(files, &files[file].path),
            bound: files[file].source.imports(),
        }
    }

    fn item(&self, (file, item): Node) -> &'s SourceItem {
        &self.files[file].source.items[item]
    }

    fn all_of(&self, file: usize) -> impl Iterator<Item = (Node, &'s SourceItem)> {
        let items = self.files[file].source.items.iter().enumerate();
        items.map(move |(number, item)| ((file, number), item))
    }

    /// What an item uses.
    pub fn used_by(&self, number: usize) -> Vec<(Node, Use)> {
        let item = self.item((self.file, number));
        let mut used = Vec::new();
        let mention = |node: Node| (node, Use::Mention);
        for mentioned in &item.mentions {
            used.extend(self.mentioned(mentioned).into_iter().map(mention));
        }
        if let ItemKind::Import { path, up, all } = &item.kind {
            used.extend(self.imported(path, *up, *all).into_iter().map(mention));
        }
        // What a class does without being asked by name, and all that stands in it by no name. Whatever it inherits from may
        // call its members, too, from a file that knows nothing of it.
        if item.kind == ItemKind::Named {
            let own_name = item.last_name();
            let inherits = item.mentions.iter().any(|base| base.name != own_name);
            let own = self.all_of(self.file).filter(|(_, other)| {
                let name = other.last_name();
                let is_special = name.starts_with("__") && name.ends_with("__");
                let is_called = is_special || (inherits && !name.starts_with("test"));
                (other.container() == item.name && is_called)
                    || (other.name == item.name && other.kind == ItemKind::Named)
            });
            used.extend(own.map(|(node, _)| mention(node)));
        }
        // A method needs its class.
        let of_class =
            |other: &SourceItem| !item.container().is_empty() && other.name == item.container();
        let class = self.all_of(self.file).filter(|(_, other)| of_class(other));
        used.extend(class.map(|(node, _)| mention(node)));
        used.extend(
            self.around(item)
                .into_iter()
                .map(|node| (node, Use::Around)),
        );
        used
    }

    /// What a module and pytest do around an item.
    fn around(&self, item: &SourceItem) -> Vec<Node> {
        // The statements of the module, which are run before anything in it.
        let mut around: Vec<Node> = self.rests(self.file);
        if item.kind == ItemKind::Rest {
            let imported = self.modules.imports[self.file].iter();
            return imported.flat_map(|file| self.rests(*file)).collect();
        }
        let is_run_by_pytest = item.kind == ItemKind::Function
            && (item.role.fixture.is_some() || item.last_name().starts_with("test"));
        if !is_run_by_pytest {
            return around;
        }
        for parameter in &item.parameters {
            around.extend(self.fixtures(parameter));
        }
        for file in self.conftests.iter().copied().chain([self.file]) {
            let runs = self.all_of(file).filter(|(_, other)| {
                let name = other.last_name();
                let is_of_item = file != self.file
                    || other.container().is_empty()
                    || other.container() == item.container();
                let is_run = other.role.is_autouse
                    || (file != self.file && name.starts_with("pytest_"))
                    || (file == self.file && is_set_up(name));
                is_run && is_of_item
            });
            around.extend(runs.map(|(node, _)| node));
            around.extend(self.rests(file));
        }
        around
    }

    fn rests(&self, file: usize) -> Vec<Node> {
        let rests = self
            .all_of(file)
            .filter(|(_, item)| item.kind == ItemKind::Rest);
        rests.map(|(node, _)| node).collect()
    }

    /// Fixtures of this name that tests of the file can ask for.
    fn fixtures(&self, name: &str) -> Vec<Node> {
        let visible = self.closure.iter().copied();
        let found = visible.flat_map(|file| self.all_of(file));
        let found = found.filter(|(_, item)| item.role.fixture.as_deref() == Some(name));
        found.map(|(node, _)| node).collect()
    }

    fn mentioned(&self, Mention { name, path, .. }: &Mention) -> Vec<Node> {
        let Some(first) = path.first() else {
            let own = self.all_of(self.file);
            let own = own.filter(|(_, item)| {
                item.name == *name || (item.last_name() == name && item.container().is_empty())
            });
            let mut found: Vec<Node> = own.map(|(node, _)| node).collect();
            if found.is_empty() {
                // A text may name a fixture, and a star may have brought anything.
                found.extend(self.fixtures(name));
                for number in self.bound.get("*").into_iter().flatten() {
                    if let ItemKind::Import { path, up, .. } = &self.item((self.file, *number)).kind
                    {
                        found.extend(self.of_modules(
                            &self.modules.files(self.files, self.file, path, *up),
                            name,
                        ));
                    }
                }
            }
            return found;
        };
        let Some(imports) = self.bound.get(first.as_str()) else {
            // A text such as `package.module.name`, or a member of a value.
            let is_text = path.len() > 1 || !self.modules.named(first).is_empty();
            let modules = match is_text {
                true => self.modules.files(self.files, self.file, path, 0),
                false => Vec::new(),
            };
            let named = self.of_modules(&modules, name);
            return match named.is_empty() {
                true => self.members(name),
                false => named,
            };
        };
        let mut found = Vec::new();
        let mut is_ours = false;
        for number in imports {
            if let ItemKind::Import {
                path: target, up, ..
            } = &self.item((self.file, *number)).kind
            {
                // `import a.b` binds `a`.
                let is_first = target.first() == Some(first) && *up == 0 && target.len() > 1;
                let root = if is_first { &target[..1] } else { &target[..] };
                let whole = [root, &path[1..]].concat();
                let modules = self.modules.files(self.files, self.file, &whole, *up);
                is_ours |= !self
                    .modules
                    .files(self.files, self.file, root, *up)
                    .is_empty()
                    || !self.imported(target, *up, false).is_empty();
                found.extend(self.of_modules(&modules, name));
            }
        }
        // A class or a value that is imported.
        if found.is_empty() && is_ours {
            found = self.members(name);
        }
        found
    }

    /// Items of this name in modules, and in what these import all of.
    fn of_modules(&self, modules: &[usize], name: &str) -> Vec<Node> {
        let mut found = Vec::new();
        let mut open = modules.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(module) = open.pop() {
            if !seen.insert(module) {
                continue;
            }
            for (node, item) in self.all_of(module) {
                if item.name == name {
                    found.push(node);
                }
                if let ItemKind::Import {
                    path,
                    up,
                    all: true,
                } = &item.kind
                {
                    open.extend(self.modules.files(self.files, module, path, *up));
                }
            }
        }
        found
    }

    /// What an import uses: the name that it is about, or all names, and the statements of the modules on its way.
    fn imported(&self, path: &[String], up: usize, all: bool) -> Vec<Node> {
        let mut found = Vec::new();
        for length in (usize::from(up == 0))..=path.len() {
            let modules = self
                .modules
                .files(self.files, self.file, &path[..length], up);
            for module in &modules {
                found.extend(self.rests(*module));
            }
            if length + 1 == path.len() && !all {
                found.extend(self.of_modules(&modules, &path[length]));
            }
        }
        found
    }

    /// Members of this name, of any class that the file can know.
    fn members(&self, name: &str) -> Vec<Node> {
        let named = self.names.named(name).iter().copied();
        let is_known = |node: &Node| {
            self.closure.contains(&node.0) && !self.item(*node).container().is_empty()
        };
        named.filter(is_known).collect()
    }
}

/// Whether pytest or unittest calls a function of this name around tests.
fn is_set_up(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "setUp",
        "tearDown",
        "setUpClass",
        "tearDownClass",
        "setUpModule",
        "tearDownModule",
        "setup",
        "teardown",
        "asyncSetUp",
        "asyncTearDown",
        "setUpTestData",
        "load_tests",
    ];
    NAMES.contains(&name) || name.starts_with("setup_") || name.starts_with("teardown_")
}
