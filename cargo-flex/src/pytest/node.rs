//! Node ids of pytest, read without it.

use std::path::Path;

use flex_gate::source::{self, Language, SourceItem};

/// Whether a node id is that of a test, or of a case of it; either may be relative to a folder further up.
pub fn is_case_of(node: &str, test: &str) -> bool {
    let function = |node: &str| -> String { node.split('[').next().unwrap_or_default().to_owned() };
    let (node, test) = (function(node), function(test));
    let ends = |whole: &str, part: &str| {
        let before = whole.strip_suffix(part);
        before.is_some_and(|before| before.ends_with('/'))
    };
    node == test
        || ends(&test, &node)
        || ends(&node, &test)
        || node.starts_with(&format!("{test}::"))
}

/// Whether a folder has the test of a node id, by its source: pytest refuses all tests if it does not know one of them.
pub fn has_test(folder: &Path, node: &str) -> bool {
    let (file, function) = node.split_once("::").unwrap_or((node, ""));
    let Ok(text) = std::fs::read_to_string(folder.join(file)) else {
        return false;
    };
    let function = function
        .split('[')
        .next()
        .unwrap_or_default()
        .replace("::", ".");
    let items = source::read(Language::Python, &text).items;
    // A method may be that of another class, which only pytest knows.
    let class = function.split('.').next().unwrap_or_default();
    let is_it =
        |item: &SourceItem| item.name == function || (function.contains('.') && item.name == class);
    function.is_empty() || items.iter().any(is_it)
}
