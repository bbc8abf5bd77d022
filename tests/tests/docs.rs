//! The documentation holds together: links lead somewhere, sources cite headings that exist, and nothing is left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn links_between_markdown_files_resolve() {
    let mut broken = Vec::new();
    let pages = files(&["md"]);
    for page in &pages {
        let folder = page.parent().expect("a file lies in a folder");
        for link in links(&read(page)) {
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let to = if path.is_empty() {
                page.clone()
            } else {
                folder.join(path)
            };
            let is_there = match heading {
                // A book has pages, and no folders to look into.
                "" if folder.starts_with(root().join("docs")) => to.is_file(),
                "" => to.exists(),
                _ => to.is_file() && anchors(&read(&to)).contains(heading),
            };
            if !is_there {
                broken.push(format!("{}: {link}", shown(page)));
            }
        }
    }
    assert!(pages.len() > 20, "pages are missed: {pages:?}");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn sources_cite_pages_and_headings_that_exist() {
    let mut broken = Vec::new();
    let mut design = 0;
    for source in files(&["rs", "py", "pyi", "toml", "md"]) {
        for citation in citations(&read(&source)) {
            design += usize::from(citation.page.starts_with("docs/design/"));
            let page = root().join(&citation.page);
            let is_there = match &citation.heading {
                None => page.exists(),
                Some(heading) => {
                    page.is_file() && headings(&read(&page)).any(|known| known == *heading)
                }
            };
            if !is_there {
                broken.push(format!("{}: {citation:?}", shown(&source)));
            }
        }
    }
    assert!(design > 30, "citations are missed: {design}");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_walks_through_the_code_name_files_that_exist() {
    let page = read(&root().join("ARCHITECTURE.md"));
    let (_, walks) = page.split_once("## Two walks").expect("it has walks");
    let (walks, _) = walks.split_once("\n## ").expect("another heading follows");
    let is_source = |name: &&str| name.ends_with(".rs") || name.ends_with(".py");
    let named: Vec<&str> = walks.split('`').filter(is_source).collect();
    let is_there = |name: &str| {
        let of_python = root().join("pytest-bridge/python").join(name);
        root().join(name).exists() || of_python.exists()
    };
    let missing: Vec<&&str> = named.iter().filter(|name| !is_there(name)).collect();
    assert!(named.len() > 25, "files are missed: {named:?}");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The first picture of the architecture is the listing of the repository: all that it names is there, and no folder of a
/// crate is missing where it names any.
#[test]
fn the_first_diagram_of_the_architecture_lists_the_folders() {
    let page = read(&root().join("ARCHITECTURE.md"));
    let diagram = page.split("```").nth(1).expect("it begins with a diagram");
    let mut rooms = vec![Room::new(0, root())];
    let mut wrong = Vec::new();
    for line in diagram.lines().skip(1) {
        let text = line.trim_start();
        let depth = 1 + (line.len() - text.len()) / 2;
        while rooms.last().is_some_and(|room| room.depth >= depth) {
            wrong.extend(rooms.pop().iter().flat_map(Room::missing));
        }
        let names = text.split("  ").next().unwrap_or_default();
        let above = rooms.len() - 1;
        for name in names.split(", ").filter(|name| !name.is_empty()) {
            match rooms[above].enter(name) {
                Some(path) => rooms.push(Room::new(depth, path)),
                None => wrong.push(format!("{name} is not there: {line}")),
            }
        }
    }
    wrong.extend(rooms.iter().flat_map(Room::missing));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A line of the diagram, and what the lines below it name.
struct Room {
    depth: usize,
    path: PathBuf,
    named: BTreeSet<String>,
}

impl Room {
    fn new(depth: usize, path: PathBuf) -> Self {
        let named = BTreeSet::new();
        Room { depth, path, named }
    }

    /// What it names lies in it, or among its sources.
    fn enter(&mut self, name: &str) -> Option<PathBuf> {
        self.named.insert(name.trim_end_matches('/').to_owned());
        let places = [self.path.join("src").join(name), self.path.join(name)];
        places.into_iter().find(|path| path.exists())
    }

    /// Folders that it should name beside those that it does.
    fn missing(&self) -> Vec<String> {
        let sources = self.path.join("src");
        let folder = match sources.is_dir() && !self.named.contains("src") {
            true => sources,
            false => self.path.clone(),
        };
        let is_told = self.named.is_empty() || self.named.contains("src");
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| !is_told && is_ours(&entry.path()));
        let folders = folders.filter(|entry| entry.path().is_dir());
        let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let names = names.filter(|name| !self.named.contains(name));
        names
            .map(|name| format!("{} is not listed", shown(&folder.join(name))))
            .collect()
    }
}

#[test]
fn every_page_is_in_the_index() {
    let index = root().join("docs/README.md");
    let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
    for index in [index, root().join("docs/design/README.md")] {
        let folder = index.parent().expect("a file lies in a folder");
        let linked = links(&read(&index))
            .into_iter()
            .map(|link| folder.join(link));
        listed.extend(linked.filter_map(|path| path.canonicalize().ok()));
        listed.insert(index.canonicalize().expect("it was read"));
    }
    let docs = root().join("docs");
    let is_listed = |page: &&PathBuf| listed.contains(&page.canonicalize().expect("it was found"));
    let pages = files(&["md"]);
    let missing: Vec<&PathBuf> = pages
        .iter()
        .filter(|page| page.starts_with(&docs) && !page.ends_with("SUMMARY.md"))
        .filter(|page| !is_listed(page))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn the_reference_is_what_the_code_says() {
    let docs = root().join("docs/reference");
    let pages = files(&["md"]).into_iter();
    let pages = pages.filter(|page| page.starts_with(&docs));
    let pages: Vec<String> = pages.map(|page| page.display().to_string()).collect();
    let mut args = vec!["reference", "--check"];
    args.extend(pages.iter().map(String::as_str));
    let said = flex_tests::flex_harness(&args, "");
    assert_eq!(said.code, 0, "{said}");
    let environment = read(&docs.join("environment.md"));
    assert!(environment.contains("| `FLEX_SEED` |"), "{environment}");
}

/// The table of defaults is written by hand; the one beside it is written by the code.
#[test]
fn every_option_of_a_test_has_its_default_in_the_reference() {
    let keys = |page: &str, heading: &str, column: usize| -> BTreeSet<String> {
        let text = read(&root().join("docs/reference").join(page));
        let (_, below) = text.split_once(heading).expect("it has this heading");
        let table = below.lines().skip_while(|line| !line.starts_with('|'));
        let rows = table.skip(2).take_while(|line| line.starts_with('|'));
        let cells = rows.filter_map(|row| row.split('|').nth(column));
        let keys = cells.filter_map(|cell| cell.trim().strip_prefix('`')?.split(' ').next());
        keys.map(str::to_owned).collect()
    };
    let defaults = keys("flex-toml.md", "## For every test, or for some", 1);
    let options = keys("options.md", "<!-- generated: test options -->", 3);
    assert!(options.len() > 10, "{options:?}");
    assert_eq!(defaults, options);

    // Those of a learned bound are the ones that the macros take.
    let macros = read(&root().join("flex-macros/src/details.rs"));
    let (_, known) = macros.split_once("const OPTIONS").expect("they are listed");
    let (known, _) = known.split_once("];").expect("the list ends");
    let known: BTreeSet<String> = known
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    assert_eq!(keys("options.md", "## Of a learned bound", 1), known);
}

/// Beginnings of variables that flex reads; words of Slurm and variables that it only sets for others begin otherwise.
const VARIABLES: &[&str] = &[
    "FLEX_",
    "GITHUB_",
    "CI_",
    "CIRCLE_",
    "BUILDKITE_",
    "BUILD_",
    "BITBUCKET_",
    "GIT_COMMIT",
    "SLURM_",
    "JOB_",
    "TEST_",
    "NEXTEST_",
    "DASK_",
    "RAY_",
    "CLICOLOR",
    "NO_COLOR",
    "CARGO_TERM_",
    "LC_",
    "PYTHONHASH",
];

#[test]
fn every_variable_of_the_sources_is_in_the_reference() {
    let page = read(&root().join("docs/reference/environment.md"));
    let mut named = BTreeSet::new();
    for source in files(&["rs", "py"]) {
        let path = shown(&source);
        let mut parts = path.split('/');
        let room = parts.next().unwrap_or_default();
        let is_tool = room.starts_with("flex-") || ["cargo-flex", "pytest-bridge"].contains(&room);
        if !is_tool || path.ends_with("/tests.rs") || parts.any(|part| part == "tests") {
            continue;
        }
        let text = read(&source);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: String = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let literals = code.split('"').skip(1).step_by(2);
        let is_variable = |word: &&str| {
            let mut letters = word.bytes();
            letters.all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
                && VARIABLES.iter().any(|known| word.starts_with(known))
        };
        named.extend(literals.filter(is_variable).map(str::to_owned));
    }
    let is_missing = |name: &&String| !page.contains(&format!("`{name}`"));
    let missing: Vec<&String> = named.iter().filter(is_missing).collect();
    assert!(named.len() > 60, "variables are missed: {named:?}");
    assert!(missing.is_empty(), "{missing:?}");
}

/// What mdBook makes of the pages has them all, and no link that leads out of it.
#[test]
fn the_book_has_every_page_and_no_link_leads_out_of_it() {
    let docs = root().join("docs");
    let summary = links(&read(&docs.join("SUMMARY.md")));
    let listed: BTreeSet<PathBuf> = summary.iter().map(|link| docs.join(link)).collect();
    assert_eq!(summary.len(), listed.len(), "a page is listed twice");
    let is_page = |page: &PathBuf| page.starts_with(&docs) && !page.ends_with("SUMMARY.md");
    let pages: BTreeSet<PathBuf> = files(&["md"]).into_iter().filter(is_page).collect();
    assert_eq!(pages, listed);
    let inside = docs.canonicalize().expect("it was read");
    for page in &pages {
        let folder = page.parent().expect("a file lies in a folder");
        for link in links(&read(page)) {
            let path = link.split('#').next().unwrap_or_default();
            let to = folder.join(path).canonicalize();
            let is_inside = to.is_ok_and(|to| to.starts_with(&inside));
            assert!(path.is_empty() || is_inside, "{}: {link}", shown(page));
        }
    }
}

/// A page that a text names, such as `docs/design/bound.md, "The guard"`.
#[derive(Debug)]
struct Citation {
    page: String,
    heading: Option<String>,
}

/// The pages in the rooms of `docs` that a text names, and the headings in quotes behind them.
fn citations(text: &str) -> Vec<Citation> {
    let rooms = ["design", "evidence", "guide", "reference"].map(|room| format!("docs/{room}/"));
    let starts = rooms
        .iter()
        .flat_map(|room| text.match_indices(room.as_str()));
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    starts
        .map(|(at, _)| {
            let rest = &text[at..];
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let page = rest[..end].trim_end_matches('.');
            let behind = rest[end..].strip_prefix(", \"");
            Citation {
                page: page.to_owned(),
                heading: behind.and_then(|behind| Some(behind.split_once('"')?.0.to_owned())),
            }
        })
        .collect()
}

/// The targets of links within the repository, in text that is not code.
fn links(markdown: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in text_lines(markdown) {
        // Every other part stands between backticks.
        let text: Vec<&str> = line.split('`').step_by(2).collect();
        for part in text.join("`").split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if !target.contains("://") {
                links.push(target.to_owned());
            }
        }
    }
    links
}

/// The headings of a page.
fn headings(markdown: &str) -> impl Iterator<Item = String> {
    text_lines(markdown)
        .into_iter()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_owned())
}

/// What follows `#` in a link to each heading of a page.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let anchor = |heading: String| {
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings(markdown).map(anchor).collect()
}

/// The lines that are not between fences.
fn text_lines(markdown: &str) -> Vec<&str> {
    let mut is_code = false;
    let is_text = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_fence && !is_code
    };
    markdown.lines().filter(is_text).collect()
}

/// The files of the repository with one of these endings, without what is built or hidden.
fn files(endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the repository can be read") {
            let path = entry.expect("the repository can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() && is_ours(&path) {
                folders.push(path);
            } else if path.is_file()
                && endings
                    .iter()
                    .any(|ending| name.ends_with(&format!(".{ending}")))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whether a folder is part of the repository.
fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && name != "target" && name != "__pycache__"
}

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests
        .parent()
        .expect("the tests lie in the repository")
        .to_owned()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
