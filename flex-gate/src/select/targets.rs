//! Where in the sources the tests are that runners name.

use super::TestTarget;
use crate::graph::{Graph, Node, ProjectFile};
use crate::source::{ItemKind, Language, SourceItem};

/// The items that a test is.
pub fn nodes_of(graph: &Graph<'_>, test: &TestTarget) -> Vec<Node> {
    let all = |is_file: &dyn Fn(&ProjectFile) -> bool,
               is_item: &dyn Fn(&SourceItem) -> bool|
     -> Vec<Node> {
        let files = graph
            .files()
            .iter()
            .enumerate()
            .filter(|(_, file)| is_file(file));
        files
            .flat_map(|(index, file)| {
                let items = file.source.items.iter().enumerate();
                let items =
                    items.filter(|(_, item)| item.kind == ItemKind::Function && is_item(item));
                items
                    .map(move |(number, _)| (index, number))
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    if Language::of(&test.file) == Some(Language::Python) {
        let own = all(&|file| file.path == test.file, &|item| {
            item.name == test.function
        });
        if !own.is_empty() {
            return own;
        }
        // A method of a class that it inherits from, wherever that is.
        let last = test.function.rsplit('.').next().unwrap_or_default();
        let inherited = all(&|file| file.source.language == Language::Python, &|item| {
            !item.container().is_empty() && item.last_name() == last
        });
        let class = test.function.split('.').next().unwrap_or_default();
        let files = graph.files().iter().position(|file| file.path == test.file);
        let header = files.and_then(|index| {
            let items = graph.files()[index].source.items.iter();
            items
                .enumerate()
                .find(|(_, item)| item.name == class)
                .map(|(number, _)| (index, number))
        });
        return inherited.into_iter().chain(header).collect();
    }
    let folder = test.package.as_ref().and_then(|package| {
        let package = graph.packages().iter().find(|known| known.name == *package);
        package.map(|package| package.folder.clone())
    });
    let folder = folder.unwrap_or_default();
    let is_source = !["tests", "benches", "examples"].iter().any(|part| {
        let inner = test.file.strip_prefix(&folder).unwrap_or(&test.file);
        inner
            .trim_start_matches('/')
            .starts_with(&format!("{part}/"))
    });
    let in_target = |file: &ProjectFile| {
        let inner = file
            .path
            .strip_prefix(&folder)
            .unwrap_or(&file.path)
            .trim_start_matches('/');
        let in_source = inner.starts_with("src/");
        crate::govern::is_below(&file.path, &folder)
            && match is_source {
                true => in_source || file.path == test.file,
                false => file.path == test.file || (!in_source && inner.matches('/').count() > 1),
            }
    };
    // A case that a macro makes of a function has one name more.
    let segments: Vec<&str> = test.function.split("::").collect();
    for (length, tests_only) in [
        (segments.len(), true),
        (segments.len() - 1, true),
        (segments.len(), false),
    ] {
        let Some(last) = segments[..length].last() else {
            continue;
        };
        let named = all(&in_target, &|item| {
            item.last_name() == *last && (item.role.is_test || !tests_only)
        });
        // Of several, those whose modules fit best.
        let fit = |node: &Node| {
            let file = graph.files()[node.0]
                .path
                .trim_end_matches(".rs")
                .trim_end_matches("/mod");
            let whole = format!("{}::{}", file.replace('/', "::"), graph.item(*node).name);
            let whole: Vec<&str> = whole.split("::").collect();
            let wanted = segments[..length].iter().rev();
            wanted
                .zip(whole.iter().rev())
                .take_while(|(a, b)| a == b)
                .count()
        };
        let best = named.iter().map(fit).max();
        if let Some(best) = best {
            return named.into_iter().filter(|node| fit(node) == best).collect();
        }
    }
    Vec::new()
}
