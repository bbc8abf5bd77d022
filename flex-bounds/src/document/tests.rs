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

/// Asserts that what is read as flex writes it is read as the same tree by everybody; answers whether it is.
fn as_written(text: &str) -> bool {
    let mut written = Written::new(text);
    let Some(head) = written.table() else {
        return false;
    };
    let mut tables = Vec::new();
    while !written.is_done() {
        let Some(at) = written.header("[[a]]") else {
            return false;
        };
        let Some(table) = written.table() else {
            return false;
        };
        let value = Value::Table(table);
        tables.push(Placed { at, value });
    }
    // A key cannot be a field and a header; of our files none is.
    if head.get("a").is_some() && !tables.is_empty() {
        return false;
    }
    let mut whole = head;
    if let Some(first) = tables.first() {
        let (key_at, at) = (first.at + 2, first.at);
        let array = Array {
            values: tables,
            is_of_headers: true,
        };
        let value = Value::Array(array);
        let placed = Placed { at, value };
        whole
            .fields
            .insert(Cow::Borrowed("a"), TableField { key_at, placed });
    }
    assert_eq!(Ok(show_table(&whole)), ours(text), "{text}");
    true
}

#[test]
fn what_is_written_in_lines_is_read_without_a_parser() {
    for text in [
        "",
        "# c\n\nversion = 2\n",
        "a = 1\nb = -1.5e-3\nc = inf\nd = -inf\ne = nan\nf = 0\ng = 1e300\nh = true\ni = false\n",
        "a = \"\"\nb = ''\nc = 'x\"\\'\nd = \"\\\"\\\\\\b\\t\\n\\f\\r\\u001B\\u00e9 é\"\n",
        "a = []\nb = [1, 2.5]\nc = [[1], ['x']]\nd = { a = 1, 17 = { b = [1] }, a-b_c = 'x' }\n",
        "[[a]]\nb = 1\n\n[[a]] # c\nb = 1  # c\r\n  \n# d\r\n[[a]]",
        "a = 1",
    ] {
        assert!(as_written(text), "{text}");
    }
}

#[test]
fn what_is_written_otherwise_is_left_to_the_parser() {
    for text in [
        "a=1\n",
        "a =  1\n",
        " a = 1\n",
        "\t\n",
        "a = 1\na = 2\n",
        "a = 01\n",
        "a = +1\n",
        "a = 1_0\n",
        "a = 0x1\n",
        "a = 1.\n",
        "a = .5\n",
        "a = 1e+5\n",
        "a = 1e\n",
        "a = --1\n",
        "a = 1979-05-27\n",
        "a = truely\n",
        "a = \"\"\"x\"\"\"\n",
        "a = '''x'''\n",
        "a = \"x\n",
        "a = \"\\q\"\n",
        "a = \"\\\n",
        "a = \"\\",
        "a = \"\\é\"\n",
        "a = \"\u{1}\"\n",
        "a = '\u{7f}'\n",
        "# \u{1}\n",
        "a = 1\r",
        "a = [1,2]\n",
        "a = [1, ]\n",
        "a = [1\n]\n",
        "a = {}\n",
        "a = { b = 1, }\n",
        "a = { b.c = 1 }\n",
        "a.b = 1\n",
        "'a' = 1\n",
        "= 1\n",
        "a = \n",
        "[a]\n",
        "[[a]\n",
        "[[b]]\n",
        "<<<<<<< x\n",
        "=======\n",
        "\u{feff}a = 1\n",
    ] {
        assert!(!as_written(text), "{text}");
    }
    let deep = format!("a = {}{}\n", "[".repeat(100), "]".repeat(100));
    assert!(!as_written(&deep));
}

/// Texts that are mostly like ours.
fn scraps() -> impl Strategy<Value = String> {
    let scraps = "a = ¦b = ¦version = ¦17 = ¦{ ¦ }¦, ¦[¦]¦\n¦\n¦\r\n¦\r¦ ¦[[a]]\n¦[[a]]¦[a]\n¦# c¦\"¦'¦\"\"¦\\n¦\\¦\\u00¦\
                  41¦1¦0¦-¦.5¦e-7¦e¦inf¦nan¦true¦false¦\t¦é¦\u{0}¦a = 1\n¦b = \"x\"\n¦c = { a = 1, b = [1, 2.5] }\n¦d = 'x'\n";
    let scrap = prop::sample::select(scraps.split('¦').collect::<Vec<_>>());
    prop::collection::vec(scrap, 0..12).prop_map(|scraps| scraps.concat())
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

    #[test]
    fn whatever_is_read_without_a_parser_is_the_same_tree(text in scraps()) {
        as_written(&text);
    }

    /// Where several things are wrong, which of them is said may differ.
    #[test]
    fn any_order_of_lines_is_read_as_toml_reads_it(text in lines()) {
        prop_assert_eq!(ours(&text).ok(), theirs(&text).ok());
    }
}
