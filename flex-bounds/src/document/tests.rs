//! The tree is that of the crate `toml`, offsets and complaints included.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use toml::de::{DeTable, DeValue};

use super::*;

/// What we make of a text: the tree with its offsets, or what is wrong and where.
fn ours(text: &str) -> Result<String, (usize, String)> {
    match parse(text) {
        Ok(table) => Ok(show_table(&table)),
        Err(Wrong { at, what }) => Err((at, what.into_owned())),
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
    check("a = 1_000\nb = 0xf_f\nc = -1_0.0_1e+1_0\nd = +17\n");
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

/// Asserts that both refuse a text, and what is said where.
fn refuse(text: &str, at: usize, what: &str) {
    assert!(theirs(text).is_err(), "{text}");
    assert_eq!(ours(text), Err((at, what.to_owned())), "{text}");
}

#[test]
fn what_is_no_toml_is_refused() {
    refuse("a", 1, "expected `=` or a dot");
    refuse("a =", 3, "expected a value");
    refuse("a = ]", 4, "expected a value");
    refuse("[a", 2, "expected `]` or a dot");
    refuse("[[a]", 4, "expected `]]`");
    refuse("[]", 1, "expected a key");
    refuse("= 1", 0, "expected a key");
    refuse("a = 1 b = 2", 6, "expected the end of the line");
    refuse("a = 'x", 6, "expected `'` at the end of the string");
    refuse(
        "a = \"x\nb = 1",
        6,
        "expected `\"` at the end of the string",
    );
    refuse("a = \"\"\"x", 8, "expected `\"` at the end of the string");
    refuse("a = \"xy\\q\"", 7, "there is no such escape");
    refuse("a = [1 2]", 7, "expected `,` or `]`");
    refuse("a = [1", 6, "expected `,` or `]`");
    refuse("a = { b }", 8, "expected `=` or a dot");
    refuse("a = { b = 1 c = 2 }", 12, "expected `,` or `}`");
    refuse("a..b = 1", 2, "expected a key");
    refuse("\"\"\"a\"\"\" = 1", 2, "expected `=` or a dot");
    refuse("a = \"\u{1}\"", 5, "expected `\"` at the end of the string");
    refuse("a = 1 # \u{1}", 8, "expected the end of the line");
    refuse("a\r = 1", 1, "expected `=` or a dot");
    refuse("a = 1\r", 5, "expected the end of the line");
    refuse("a = `", 4, "expected a value");
    refuse("é = 1", 0, "expected a key");
    let deep = format!("a = {}", "[".repeat(100));
    refuse(&deep, 84, "more than 80 levels");
    let long = format!("{}a = 1", "a.".repeat(100));
    refuse(&long, 161, "more than 80 levels");
}

#[test]
fn what_is_nearly_a_value_is_refused() {
    let words = "1. .5 01 -01 1__0 _1 1_ 0x_f 0xg -0x1 0X1 1e 1e+ 1.e5 1._5 --1 +-1 tru True truely in Inf \
                 1979-05 1979-05-2 1979-05-27X07:32 7:32 07:32: 07:32:00. 07:32Z";
    for word in words.split(' ') {
        refuse(&format!("a = {word}"), 4, "expected a value");
    }
}

#[test]
fn strings_are_read() {
    check(r#"a = "\b\t\n\f\r\e\"\\\x41\u00e9\U0001F600""#);
    check("a = \"\"\"\n\n b \\\n   \n  c\\  \n d\"\"\"");
    check("a = \"\"\"\"\"b\"\"c\"\"\"\"\"\nd = ''''''\ne = '''''f'''''");
    check("a = '''\nb\\\n'''\nc = \"\"\"x\\\"\"\"\"");
    check("a = \"\"\"\r\nb\r\n\"\"\"\r\nc = '''\r\nd\r\n'''\r\n");
    check("a = 'x\"\\'\n\"b\\u0020c\" = \"é\tü\"\n'' = ''\n\"d\" . a = 1");
    for text in [
        r#"a = "\u00g9""#,
        r#"a = "\ud800""#,
        r#"a = "\x+1""#,
        r#"a = "\U00110000""#,
        r#"a = "\u12""#,
        r#"a = """\ b""""#,
        r#"a = """""""""" "#,
        "a = '''\r'''",
        "a = \"\"\"\u{7f}\"\"\"",
        "a = \"\\",
        "a = \"\\é\"",
        "a = \"\\\n\"",
        "'''a''' = 1",
    ] {
        assert!(theirs(text).is_err() && ours(text).is_err(), "{text}");
    }
}

#[test]
fn white_space_and_comments_stand_where_they_may() {
    check("\ta\t=\t1\t#é\n\r\n \n[ a2 . 'b' ] # c\n[[c ]]\n\"d\" . e = 1");
    check("a = [ # b\n\n 1 # c\n , # d\r\n 2,\n]\nb = [\n]\n");
    check("a = { # b\n c = 1 # d\n , e.f = 2,\n}\ng = {\n}\nh = {}");
    for text in [
        "[ [a]]",
        "[[a] ]",
        "[a]]",
        "[a] b = 1",
        "a =\n1",
        "a\n= 1",
        "a = { , }",
        "a = [,]",
    ] {
        assert!(theirs(text).is_err() && ours(text).is_err(), "{text}");
    }
}

#[test]
fn dates_are_read_as_such() {
    let dates = "1979-05-27|1979-05-27T07:32:00Z|1979-05-27 07:32:00.5-07:00|1979-05-27t07:32z|07:32:00.999|07:32|\
                 1979-05-27 07:32";
    for date in dates.split('|') {
        check(&format!(
            "a = {date}\nb = [{date}, 1]\nc = {{ d = {date} }}"
        ));
    }
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

/// Asserts that what is read table by table is the same.
fn in_pieces(text: &str) {
    let mut reader = Reader::new(text);
    let Ok((mut whole, mut header)) = Table::before_header(&mut reader) else {
        return;
    };
    while let Some((kind, path, at)) = header {
        let Ok((table, next)) = Table::before_header(&mut reader) else {
            return;
        };
        let Ok(opened) = open(&mut whole, path, kind, at) else {
            return;
        };
        // What is there already may refuse what comes: that is for those who read all at once.
        if !opened.fields().is_empty() {
            return;
        }
        opened.fields = table.fields;
        header = next;
    }
    assert_eq!(Ok(show_table(&whole)), ours(text), "{text}");
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
    fn scraps_are_read_as_toml_reads_them(text in scraps()) {
        prop_assert_eq!(ours(&text).ok(), theirs(&text).ok());
        in_pieces(&text);
    }

    /// Where several things are wrong, which of them is said may differ.
    #[test]
    fn any_order_of_lines_is_read_as_toml_reads_it(text in lines()) {
        prop_assert_eq!(ours(&text).ok(), theirs(&text).ok());
    }
}
