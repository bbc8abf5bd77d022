//! Node ids of pytest, read without it.

use std::path::Path;

use flex_gate::source::{self, Item, Language};

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
        |item: &Item| item.name == function || (function.contains('.') && item.name == class);
    function.is_empty() || items.iter().any(is_it)
}
