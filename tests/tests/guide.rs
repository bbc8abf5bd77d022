//! README and guide do what they say: every command and every block of code is run, from top to bottom of each page, in a
//! project of its own (`flex_tests::guide` has the rules).

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use flex_tests::guide::{Page, Step, pages_in, run};
use flex_tests::pictures;

/// Pages about pytest, which need the plugin: `cargo xtask test` runs them once it is installed.
const OF_PYTEST: [&str; 8] = [
    "docs/guide/claims.md",
    "docs/guide/compare.md",
    "docs/guide/detect.md",
    "docs/guide/gate.md",
    "docs/guide/how/old-suite.md",
    "docs/guide/pytest.md",
    "docs/guide/start-pytest.md",
    "docs/guide/trace.md",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie in the repository")
}

fn pages() -> Vec<Page> {
    let mut paths = pages_in("docs/guide");
    paths.insert(0, "README.md".to_owned());
    // For who works on a page: the others are left out.
    if let Ok(wanted) = std::env::var("FLEX_GUIDE_PAGE") {
        paths.retain(|path| path.contains(&wanted));
    }
    let read = |path: String| Page::read(root(), &path).unwrap_or_else(|error| panic!("{error}"));
    paths.into_iter().map(read).collect()
}

/// Runs pages, two at a time.
fn run_all(are_of_pytest: bool, programs: &[PathBuf]) {
    let mut pages = pages();
    pages.retain(|page| page.runs() && OF_PYTEST.contains(&page.path.as_str()) == are_of_pytest);
    let (waiting, wrong) = (Mutex::new(pages), Mutex::new(Vec::new()));
    let next = || lock(&waiting).pop();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = next() {
                    lock(&wrong).extend(run(&page, programs).err());
                }
            });
        }
    });
    let wrong = lock(&wrong).join("\n\n");
    assert!(wrong.is_empty(), "{wrong}");
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn pages_do_what_they_say() {
    run_all(false, &[]);
}

#[test]
#[ignore = "needs pytest with the plugin: FLEX_PYTHON names the folder of its programs; `cargo xtask test` does that"]
fn pages_about_pytest_do_what_they_say() {
    let programs = std::env::var_os("FLEX_PYTHON").expect("FLEX_PYTHON names a folder");
    run_all(true, &[PathBuf::from(programs)]);
}

/// What is not run is rare, and has a reason that is not ours to change.
#[test]
fn few_blocks_are_not_run() {
    let mut not_run = Vec::new();
    let mut all = 0;
    for page in pages() {
        for (line, step) in &page.steps {
            all += 1;
            if let Step::NotRun(why) = step {
                not_run.push(format!("{}:{line}: {why}", page.path));
            }
        }
    }
    assert!(all > 60, "blocks are missed: {all}");
    assert!(not_run.len() * 5 < all, "{not_run:#?}");
}

#[test]
fn the_pictures_are_what_would_be_drawn_today() {
    for (path, svg) in pictures::all() {
        let drawn = std::fs::read_to_string(&path).unwrap_or_default();
        let path = path.display();
        assert!(drawn == svg, "{path}: `cargo xtask pictures` draws it anew");
    }
}
