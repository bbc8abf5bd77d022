use super::*;

fn names(language: Language, text: &str) -> Vec<String> {
    let source = read(language, text);
    let shown = source.items.iter().map(|item| {
        let kind = match &item.kind {
            ItemKind::Function => "fn",
            ItemKind::Named => "name",
            ItemKind::Import { .. } => "import",
            ItemKind::Rest => "rest",
        };
        format!("{kind} {}", item.name).trim().to_owned()
    });
    shown.collect()
}

fn mentions(language: Language, text: &str, item: &str) -> Vec<String> {
    let source = read(language, text);
    let item = source
        .items
        .iter()
        .find(|found| found.name == item)
        .unwrap();
    let shown = item.mentions.iter().map(|mention| {
        let mut path = mention.path.clone();
        path.push(mention.name.clone());
        path.join(if mention.is_member { "." } else { "::" })
    });
    shown.collect()
}

#[test]
fn items_of_rust_have_their_paths() {
    let text = r#"
        #![allow(dead_code)]
        use std::{fmt, collections::{BTreeMap as Map, *}};
        pub(crate) struct S<T> { x: T }
        impl<T> fmt::Display for S<T> { fn fmt(&self) {} }
        trait Shape { const N: u32; fn area(&self) -> f64 { 0.0 } }
        macro_rules! m { () => {} }
        thread_local! { static X: u32 = 3; }
        proptest! { #[test] fn holds(x in 0..3) { check(x) } }
        mod tests { #[test] fn works() { super::f() } }
        async fn f() { fn nested() {} }
    "#;
    assert_eq!(
        names(Language::Rust, text),
        [
            "import fmt",
            "import Map",
            "import *",
            "name S",
            "name S",
            "fn S::fmt",
            "name Shape",
            "name Shape::N",
            "fn Shape::area",
            "name m",
            "fn holds",
            "name tests",
            "fn tests::works",
            "fn f",
            "rest",
        ]
    );
    let source = read(Language::Rust, text);
    let tests = source.items.iter().filter(|item| item.role.is_test);
    let tests: Vec<&str> = tests.map(|item| item.name.as_str()).collect();
    assert_eq!(tests, ["holds", "tests::works"]);
    let of_trait = source.items.iter().find(|item| item.name == "S::fmt");
    assert_eq!(of_trait.unwrap().role.of_trait.as_deref(), Some("Display"));
}

#[test]
fn items_of_python_have_their_paths() {
    let text = "
import a.b, c as d
from . import e
from ..f.g import h as i, j
X, Y = 1, 2
random.seed(0)
if True:
    def k(): pass
class T(Base):
    z: int = 3
    @property
    def m(self): pass
    class U:
        def n(self): pass
@pytest.fixture(name='given', autouse=True)
def fix(tmp_path): pass
";
    assert_eq!(
        names(Language::Python, text),
        [
            "import a", "import d", "import e", "import i", "import j", "name X", "name Y", "fn k",
            "name T", "name T.z", "fn T.m", "name T.U", "fn T.U.n", "fn fix", "rest",
        ]
    );
    let source = read(Language::Python, text);
    let fixture = &source.items.iter().find(|item| item.name == "fix").unwrap();
    assert_eq!(fixture.role.fixture.as_deref(), Some("given"));
    assert!(fixture.role.is_autouse);
    assert_eq!(fixture.parameters, ["tmp_path"]);
    let j = &source
        .items
        .iter()
        .find(|item| item.name == "j")
        .unwrap()
        .kind;
    let path = ["f", "g", "j"].map(str::to_owned).to_vec();
    assert_eq!(
        *j,
        ItemKind::Import {
            path,
            up: 2,
            all: false
        }
    );
}

#[test]
fn names_are_mentioned_with_what_stands_before_them() {
    let text = "def f(x, y=DEFAULT):\n    z = helper(x)\n    z.run()\n    np.random.rand(other)\n    return [q for q in z] + mock('pkg.mod.name')\n";
    assert_eq!(
        mentions(Language::Python, text, "f"),
        [
            "DEFAULT",
            "f",
            "helper",
            "mock",
            "pkg.mod.name",
            "np",
            "other",
            "np.random.rand",
            "np.random",
            "z.run",
        ]
    );
    let text = "fn f(x: Kind) { let y = helper(x); y.run(); a::b::go(&y); assert_eq!(Sketch::new(1).size(), K, \"{LIMIT}\"); }";
    assert_eq!(
        mentions(Language::Rust, text, "f"),
        [
            "K",
            "Kind",
            "LIMIT",
            "Sketch",
            "a",
            "assert_eq",
            "a::b",
            "f",
            "a::b::go",
            "helper",
            "Sketch::new",
            "?.run",
            "?.size",
        ]
    );
}
