use super::*;

fn check(language: Language, old: &str, new: &str, expected: &[&str]) {
    let shown: Vec<String> = changed_items(language, old, new)
        .iter()
        .map(|item| {
            let name = item.name.as_ref().map(|name| format!("({name})"));
            let lines: Vec<String> = item.lines.iter().map(|(a, b)| format!("{a}:{b}")).collect();
            let (kind, name) = (item.change.as_str(), name.unwrap_or_default());
            format!("{}{name} {kind} {}", item.function, lines.join(","))
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn functions_of_python_are_told_apart() {
    let old = "import os\nLIMIT = 3\ndef a():\n    return 1\n\nclass C:\n    x = 1\n    def m(self):\n        return 2\n";
    check(Language::Python, old, old, &[]);
    let comments = old
        .replace("LIMIT = 3", "LIMIT  =  3  # three")
        .replace("return 2", "return 2  # two");
    check(Language::Python, old, &comments, &[]);
    check(
        Language::Python,
        old,
        &old.replace("return 2", "return 3"),
        &["C.m changed 9:9"],
    );
    check(
        Language::Python,
        old,
        &old.replace("LIMIT = 3", "LIMIT = 4")
            .replace("x = 1", "x = 2"),
        &["top-level(LIMIT) changed 2:2", "top-level(C.x) changed 7:7"],
    );
    check(
        Language::Python,
        old,
        &old.replace("def a():\n    return 1\n", "def b():\n    return 1\n"),
        &["b added 3:3", "a removed 3:3"],
    );
    // An indentation is no mere space.
    check(
        Language::Python,
        "def f(x):\n    if x:\n        y = 1\n        z = 2\n",
        "def f(x):\n    if x:\n        y = 1\n    z = 2\n",
        &["f changed 4:4"],
    );
}

#[test]
fn functions_of_rust_are_told_apart() {
    let old = "use a::b;\nconst N: u32 = 3;\nfn f() -> u32 { N }\nstruct S;\nimpl S {\n    fn m(&self) -> u32 { 1 }\n}\nmod inner {\n    fn g() {}\n}\n";
    check(Language::Rust, old, old, &[]);
    check(
        Language::Rust,
        old,
        &old.replace("{ 1 }", "{ 2 }")
            .replace("fn g() {}", "/* */ fn g() { }"),
        &["S::m changed 6:6"],
    );
    check(
        Language::Rust,
        old,
        &old.replace("fn g() {}", "fn g() { f() }")
            .replace("a::b", "a::c"),
        &[
            "top-level(c) added 1:1",
            "inner::g changed 9:9",
            "top-level(b) removed 1:1",
        ],
    );
    check(
        Language::Rust,
        old,
        &old.replace("= 3", "= 4"),
        &["top-level(N) changed 2:2"],
    );
}

#[test]
fn what_cannot_be_parsed_does_not_stop_it() {
    check(
        Language::Python,
        "def a():\n    return 1\n\ndef b():\n    return 2\n",
        "def a(:\n    return 1\n\ndef b():\n    return 3\n",
        &["a changed 1:1", "b changed 5:5", "top-level changed 1:5"],
    );
    let long = "(".repeat(3_000);
    for language in [Language::Rust, Language::Python] {
        for text in [
            "\u{0}\u{1}\u{fffd}",
            "}}}}{{{{",
            "fn",
            "def",
            "class",
            "impl",
            &long,
        ] {
            changed_items(language, text, "");
            changed_items(language, "", text);
        }
    }
}
