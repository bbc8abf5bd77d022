//! The tree is that of the crate `toml`, offsets and complaints included.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use toml::de::{DeTable, DeValue};

use super::*;

/// What we make of a text: the tree with its offsets, or what is wrong and where.
fn ours(text: &str) -> Result<String, (usize, String)> {
    match parse(text) {
        Ok(table) => Ok(show_table(&table)),
        Err(error) => Err((
            error.unexpected().map_or(0, |span| span.start()),
            cause(&error),
        )),
    }
}

fn show_table(table: &Table<'_>) -> String {
    let fields = table.fields().iter();
    let fields =
        fields.map(|(key, field)| format!("{key}@{}={}", field.key_at, show(&field.placed)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(" "))
}

fn show(Placed { at, value }: &Placed<'_>) -> String {
    let shown = match value {
        Value::String(text) => format!("{text:?}"),
        Value::Integer(digits, radix) => format!("{digits}/{radix}"),
        Value::Float(digits) => format!("{digits}f"),
        Value::Boolean(boolean) => boolean.to_string(),
        Value::Date => "date".to_owned(),
        Value::Array(array) => {
            let values = array.values.iter().map(show);
            format!("[{}]", values.collect::<Vec<_>>().join(" "))
        }
        Value::Table(table) => show_table(table),
    };
    format!("{shown}@{at}")
}

/// The same by `toml`.
fn theirs(text: &str) -> Result<String, (usize, String)> {
    match DeTable::parse(text) {
        Ok(table) => Ok(show_their_table(table.get_ref())),
        Err(error) => Err((
            error.span().map_or(0, |span| span.start),
            error.message().to_owned(),
        )),
    }
}

fn show_their_table(table: &DeTable<'_>) -> String {
    let fields = table.iter().map(|(key, value)| {
        format!(
            "{}@{}={}",
            key.get_ref(),
            key.span().start,
            show_their(value)
        )
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(" "))
}

fn show_their(value: &toml::Spanned<DeValue<'_>>) -> String {
    let shown = match value.get_ref() {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(integer) => format!("{}/{}", integer.as_str(), integer.radix()),
        DeValue::Float(float) => format!("{}f", float.as_str()),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(_) => "date".to_owned(),
        DeValue::Array(array) => {
            let values = array.iter().map(show_their);
            format!("[{}]", values.collect::<Vec<_>>().join(" "))
        }
        DeValue::Table(table) => show_their_table(table),
    };
    format!("{shown}@{}", value.span().start)
}

fn check(text: &str) {
    assert_eq!(ours(text), theirs(text), "{text}");
}

#[test]
fn values_are_read() {
    check("a = 1_000\nb = 0x_ff\n");
    check("a = 0xff\nb = -1.5e3\nc = +inf\nd = nan\ne = 0b11\nf = 0o17\n");
    check("a = true\nb = 1979-05-27T07:32:00Z\nc = 07:32:00\n");
    check("a = \"b\\n\\u00e9\"\nc = 'd\\n'\ne = \"\"\"f\ng\"\"\"\n'h i' = '''j'''\n");
    check("a = [1, [2, 'x'], {b = 1}, # c\n]\nd = { e.f = 1, e.g = { }, }\n");
    check("");
    check("# only a comment");
}

#[test]
fn headers_and_dotted_keys_find_their_table() {
    check("[a]\nb = 1\n[a.c]\nd = 2\n[e.f]\n[e]\ng = 1\n");
    check("[[a]]\nb = 1\n[a.c]\nd = 1\n[[a]]\n[[a.e]]\n[[a.e]]\n");
    check("a.b.c = 1\na.b.d = 2\n[e]\nf.g = 1\n[e.h]\n");
    check("[fruit]\napple.color = 1\n[fruit.apple.texture]\nsmooth = true\n");
}

#[test]
fn what_is_defined_twice_is_refused() {
    check("a = 1\na = 2\n");
    check("[a]\n[a]\n");
    check("a = 1\n[a]\n");
    check("a = 1\n[[a]]\n");
    check("a = []\n[[a]]\n");
    check("[[a]]\n[a]\n");
    check("a.b = 1\n[a]\n");
    check("[a.b]\nc = 1\n[a]\nb.c = 1\n");
    check("a = 1\na.b = 2\n");
    check("a = []\na.b = 2\n");
    check("a = {}\na.b = 2\n");
    check("a = {}\n[a.b]\n");
    check("a = 'x'\n[a.b]\n");
    check("a = { b = 1, b = 2 }\n");
    check("a = { b = {}, b.c = 2 }\n");
    check("a = { b = [], b.c = 2 }\n");
    check("a = { b.c = 1, b.c = 2 }\n");
}

#[test]
fn what_is_no_toml_is_refused() {
    for text in [
        "a",
        "a =",
        "a = ]",
        "[a",
        "[[a]",
        "[]",
        "= 1",
        "a = 1 b = 2",
        "a = 'x",
        "a = \"\\q\"",
        "a = [1 2]",
        "a = { b }",
        "a = 1.",
        "a = 01",
        "a = tru",
        "a..b = 1",
        "\"\"\"a\"\"\" = 1",
        "a = \"\u{1}\"",
        "a = 1 # \u{1}",
        "a\r = 1",
        "a = `",
    ] {
        check(text);
    }
    check(&format!("a = {}", "[".repeat(100)));
    check(&format!("{}a = 1", "a.".repeat(100)));
}

fn lines() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["a", "b", "a.b", "b.a", "a.a", "\"a\""]);
    let value = prop::sample::select(vec![
        "1",
        "'x'",
        "[]",
        "[{a = 1}]",
        "{}",
        "{ a = 1, b.a = 2 }",
        "{ a.b = 1, a.a = 2, a = 3 }",
    ]);
    let line = prop_oneof![
        key.clone().prop_map(|key| format!("[{key}]\n")),
        key.clone().prop_map(|key| format!("[[{key}]]\n")),
        (key, value).prop_map(|(key, value)| format!("{key} = {value}\n")),
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 4000,
        rng_seed: RngSeed::Fixed(20_261_118),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Where several things are wrong, which of them is said may differ.
    #[test]
    fn any_order_of_lines_is_read_as_toml_reads_it(text in lines()) {
        prop_assert_eq!(ours(&text).ok(), theirs(&text).ok());
    }
}
