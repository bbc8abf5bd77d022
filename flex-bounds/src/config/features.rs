//! The features that a package is built with, as options of cargo.

use crate::document::{self, Table, Value};

/// Returns the options of cargo that build a package with just these features, by what its manifest says of its default
/// ones: `--features a,b`, with `--no-default-features` before it if they are off. All of them are named if the manifest
/// cannot be read.
pub fn feature_options(manifest: &str, active: &str) -> Vec<String> {
    let active: Vec<&str> = active.split(',').filter(|name| !name.is_empty()).collect();
    let root = document::parse(manifest).ok();
    let table = root.as_ref().and_then(|root| root.get("features"));
    let table = table.and_then(|table| table.value.as_table());
    let has_default = table.is_some_and(|table| table.get("default").is_some());
    let mut options = Vec::new();
    let mut implied = Vec::new();
    if active.contains(&"default") {
        imply(table, "default", &mut implied);
    } else if has_default {
        options.push("--no-default-features".to_owned());
    }
    let named = active.into_iter();
    let named: Vec<&str> = named
        .filter(|name| *name != "default" && !implied.iter().any(|other| other == name))
        .collect();
    if !named.is_empty() {
        options.extend(["--features".to_owned(), named.join(",")]);
    }
    options
}

/// Adds all features that one brings.
fn imply<'t>(table: Option<&'t Table<'t>>, name: &'t str, implied: &mut Vec<&'t str>) {
    let Some(Value::Array(list)) = table.and_then(|table| Some(&table.get(name)?.value)) else {
        return;
    };
    for feature in list.values.iter().filter_map(|value| value.value.as_str()) {
        if !implied.contains(&feature) {
            implied.push(feature);
            imply(table, feature, implied);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_default_does_not_bring_is_named() {
        let manifest = "[features]\ndefault = [\"std\"]\nstd = [\"alloc\", \"dep:a\"]\nalloc = []\nslow = [\"std\"]\n";
        let check = |manifest: &str, active: &str, expected: &str| {
            assert_eq!(
                feature_options(manifest, active).join(" "),
                expected,
                "{active}"
            );
        };
        check(manifest, "alloc,default,std", "");
        check(manifest, "alloc,default,slow,std", "--features slow");
        check(manifest, "alloc", "--no-default-features --features alloc");
        check(manifest, "", "--no-default-features");
        check("[package]\nname = \"a\"\n", "", "");
        check(
            "[features]\na = [\"b\"]\nb = [\"a\"]\n",
            "a,b",
            "--features a,b",
        );
        check("not toml", "a", "--features a");
    }
}
