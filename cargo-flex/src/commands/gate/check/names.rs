//! Names of tests, as people write them.

use std::path::Path;

use crate::exit::Failure;

/// Node ids of pytest, if names are of tests of Python: `tests/test_x.py::test_y`, `dir/test_x.py:test_y`, or
/// `test_x.test_y`; `None` if they are of tests of Rust.
pub fn of_pytest(names: &[String]) -> Result<Option<Vec<String>>, Failure> {
    let nodes: Vec<Option<String>> = names.iter().map(|name| node(name)).collect();
    match nodes.iter().filter(|node| node.is_some()).count() {
        0 => Ok(None),
        found if found == names.len() => Ok(Some(nodes.into_iter().flatten().collect())),
        _ => Err(Failure::input(
            "some of these are tests of Python and some of Rust",
            "check those of one language at a time",
        )),
    }
}

fn node(name: &str) -> Option<String> {
    if let Some((file, rest)) = name.split_once(".py") {
        let rest = rest.trim_start_matches(':').replace('.', "::");
        let rest = if rest.is_empty() {
            rest
        } else {
            format!("::{rest}")
        };
        return Some(format!("{file}.py{rest}"));
    }
    if name.contains("::") || Path::new(name).is_dir() {
        return None;
    }
    // A module with its folders, and a function with its class: the longest that is a file.
    let parts: Vec<&str> = name.split('.').collect();
    (1..parts.len()).rev().find_map(|length| {
        let stem = parts[..length].join("/");
        let file = ["", "tests/", "test/"]
            .iter()
            .map(|folder| format!("{folder}{stem}.py"));
        let file = file.into_iter().find(|file| Path::new(file).is_file())?;
        Some(format!("{file}::{}", parts[length..].join("::")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_have_several_names() {
        let check =
            |name: &str, expected: Option<&str>| assert_eq!(node(name).as_deref(), expected);
        check("tests/test_x.py::test_y", Some("tests/test_x.py::test_y"));
        check("dir/test_x.py:test_y", Some("dir/test_x.py::test_y"));
        check(
            "dir/test_x.py:TestC.test_y",
            Some("dir/test_x.py::TestC::test_y"),
        );
        check("dir/test_x.py", Some("dir/test_x.py"));
        check("path::of::rust_test", None);
        check("no_such_module.test_y", None);
        let mixed = ["a.py::b".to_owned(), "a::b".to_owned()];
        assert!(of_pytest(&mixed).is_err());
    }
}
