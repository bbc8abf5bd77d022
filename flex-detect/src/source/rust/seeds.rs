//! Generators with a seed that is written out, in a test and in the functions that it names: such a test makes one run, and
//! hides what varies.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use super::comparison::is_literal;
use super::constants::number_of;

/// What takes a seed: the functions of `rand`'s `SeedableRng`, of fastrand and of nanorand.
const SEEDERS: [&str; 5] = [
    "seed_from_u64",
    "from_seed",
    "with_seed",
    "new_seed",
    "seed",
];

/// The letters of a call that are shown.
const SHOWN: usize = 50;

/// A generator whose seed is written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedSeed {
    /// The index of the source.
    pub source: usize,
    /// The line.
    pub line: u32,
    /// The call, on one line.
    pub text: String,
}

/// A function in one of the sources.
struct Function {
    source: usize,
    /// The modules around it in its file, and its name.
    path: String,
    body: TokenStream,
}

/// The fixed seeds that a test draws by, as far as its own body and the functions tell that it names in these sources, the
/// first of which holds the test.
pub fn fixed_seeds(sources: &[String], test: &str) -> Vec<FixedSeed> {
    // What is no Rust is left out: it did not build either.
    let parsed: Vec<TokenStream> = sources
        .iter()
        .map(|text| text.parse().unwrap_or_default())
        .collect();
    let mut functions = Vec::new();
    for (source, tokens) in parsed.iter().enumerate() {
        add_functions(tokens, source, "", &mut functions);
    }
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, function) in functions.iter().enumerate() {
        by_name.entry(function.name()).or_default().push(index);
    }
    let is_it = |function: &&Function| {
        test == function.path || test.ends_with(&format!("::{}", function.path))
    };
    let begin = functions.iter().enumerate().filter(|(_, f)| is_it(f));
    // The longest path tells most; among equals, the first source.
    let Some((begin, _)) = begin.max_by_key(|(index, f)| (f.path.len(), usize::MAX - index)) else {
        return Vec::new();
    };
    let (mut reached, mut next) = (vec![begin], 0);
    while let Some(index) = reached.get(next) {
        for name in names(&functions[*index].body) {
            for called in by_name.get(&*name).into_iter().flatten() {
                if !reached.contains(called) {
                    reached.push(*called);
                }
            }
        }
        next += 1;
    }
    let mut found = Vec::new();
    for function in reached.into_iter().map(|index| &functions[index]) {
        let file = &parsed[function.source];
        add_seeds(&function.body, file, function.source, &mut found);
    }
    found.dedup();
    found
}

impl Function {
    fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }
}

/// Every function with a body, also in modules, blocks and implementations.
fn add_functions(tokens: &TokenStream, source: usize, modules: &str, all: &mut Vec<Function>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let within = match &tokens[..at] {
            [.., TokenTree::Ident(word), TokenTree::Ident(name)]
                if word == "mod" && group.delimiter() == Delimiter::Brace =>
            {
                format!("{modules}{name}::")
            }
            _ => modules.to_owned(),
        };
        add_functions(&group.stream(), source, &within, all);
    }
    for (at, pair) in tokens.windows(2).enumerate() {
        let [TokenTree::Ident(word), TokenTree::Ident(name)] = pair else {
            continue;
        };
        let is_end = |token: &&TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        if word == "fn"
            && let Some(TokenTree::Group(body)) = tokens[at + 2..].iter().find(is_end)
        {
            all.push(Function {
                source,
                path: format!("{modules}{name}"),
                body: body.stream(),
            });
        }
    }
}

/// The names in a body.
fn names(tokens: &TokenStream) -> Vec<String> {
    let mut all = Vec::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(name) => all.push(name.to_string()),
            TokenTree::Group(group) => all.extend(names(&group.stream())),
            _ => {}
        }
    }
    all
}

fn add_seeds(body: &TokenStream, file: &TokenStream, source: usize, all: &mut Vec<FixedSeed>) {
    let tokens: Vec<TokenTree> = body.clone().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        if let Some(call) = seeding(&tokens[..at])
            && group.delimiter() == Delimiter::Parenthesis
            && is_fixed(&group.stream(), file, true)
        {
            let begin = call.first().map_or_else(Span::call_site, TokenTree::span);
            let written = begin.join(group.span()).and_then(|span| span.source_text());
            all.push(FixedSeed {
                source,
                line: u32::try_from(begin.start().line).unwrap_or(0),
                text: on_one_line(&written.unwrap_or_default()),
            });
        }
        add_seeds(&group.stream(), file, source, all);
    }
}

/// A call as it is written, on one line, and of a long one the beginning.
fn on_one_line(written: &str) -> String {
    let words: Vec<&str> = written.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// The path at the end of these tokens, if it is one that seeds: `StdRng::seed_from_u64`.
fn seeding(before: &[TokenTree]) -> Option<&[TokenTree]> {
    let [rest @ .., TokenTree::Ident(last)] = before else {
        return None;
    };
    if !SEEDERS.iter().any(|seeder| last == seeder) {
        return None;
    }
    let is_path = |token: &&TokenTree| match token {
        TokenTree::Ident(word) => word != "return" && word != "mut" && word != "let",
        TokenTree::Punct(punct) => punct.as_char() == ':',
        _ => false,
    };
    let length = rest.iter().rev().take_while(is_path).count();
    let path = &before[rest.len() - length..];
    // `seed` is a common word: it counts with its crate alone.
    let is_plain = path.len() == 1 || last == "seed";
    let of_crate =
        |token: &TokenTree| matches!(token, TokenTree::Ident(name) if name == "fastrand");
    (!is_plain || path.first().is_some_and(of_crate) && path.len() > 1).then_some(path)
}

/// Whether an argument is the same in every run: literals, constants, and arrays and sums of these.
fn is_fixed(argument: &TokenStream, file: &TokenStream, whole: bool) -> bool {
    let tokens: Vec<TokenTree> = argument.clone().into_iter().collect();
    if let ([TokenTree::Ident(name)], true) = (&tokens[..], whole) {
        let at = name.span().byte_range().start;
        let bound = number_of(file, &name.to_string(), at).is_some();
        return bound || is_constant(&name.to_string());
    }
    let of_token = |token: &TokenTree| match token {
        TokenTree::Literal(_) => true,
        TokenTree::Punct(punct) => "-+*&|^<>;,:".contains(punct.as_char()),
        TokenTree::Ident(name) => {
            is_constant(&name.to_string()) || is_of_numbers(&name.to_string())
        }
        TokenTree::Group(group) => is_fixed(&group.stream(), file, false),
    };
    is_literal(&tokens) || !tokens.is_empty() && tokens.iter().all(of_token)
}

/// A name in capitals is a constant's.
fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name.chars().any(|letter| letter.is_ascii_uppercase())
        && !name.chars().any(|letter| letter.is_lowercase())
}

fn is_of_numbers(name: &str) -> bool {
    [
        "as", "u8", "u16", "u32", "u64", "u128", "usize", "i32", "i64",
    ]
    .contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str, test: &str) -> Vec<(u32, String)> {
        let found = fixed_seeds(&[text.to_owned()], test);
        found
            .into_iter()
            .map(|seed| (seed.line, seed.text.replace(' ', "")))
            .collect()
    }

    #[test]
    fn seeds_that_are_written_out_are_named_with_their_line() {
        let text = "
const SEED: u64 = 7;
fn f() {
    let a = StdRng::seed_from_u64(42);
    let b = rand::rngs::SmallRng::seed_from_u64(SEED);
    let c = ChaCha8Rng::from_seed([1; 32]);
    fastrand::seed(0xbeef);
    let d = fastrand::Rng::with_seed(7 as u64);
    let seed = 9;
    run(|| StdRng::seed_from_u64(seed));
}
";
        let expected = [
            (4, "StdRng::seed_from_u64(42)"),
            (5, "rand::rngs::SmallRng::seed_from_u64(SEED)"),
            (6, "ChaCha8Rng::from_seed([1;32])"),
            (7, "fastrand::seed(0xbeef)"),
            (8, "fastrand::Rng::with_seed(7asu64)"),
            (10, "StdRng::seed_from_u64(seed)"),
        ];
        assert_eq!(
            seeds(text, "f"),
            expected.map(|(line, text)| (line, text.to_owned()))
        );
    }

    #[test]
    fn a_call_is_shown_as_it_is_written_and_a_long_one_is_cut() {
        let text = "
fn f() {
    let a = StdRng::from_seed(&[5000, 44,
        55, 199]);
    let b = super::rand::StdRng::from_seed(&[5000, 44, 55, 199, 21, 7, 8]);
}
";
        let found = fixed_seeds(&[text.to_owned()], "f");
        let shown: Vec<&str> = found.iter().map(|seed| &*seed.text).collect();
        let expected = [
            "StdRng::from_seed(&[5000, 44, 55, 199])",
            "super::rand::StdRng::from_seed(&[5000, 44, 55, 199…",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn seeds_that_vary_are_none() {
        let text = "
fn f(rng: &mut TestRng) {
    let a = StdRng::seed_from_u64(rng.seed_u64());
    for seed in 0..100 { StdRng::seed_from_u64(seed); }
    let b = StdRng::from_rng(rng);
    let c = StdRng::from_seed(rng.random());
    plant.seed(42);
    let d = seed(42);
}
";
        assert_eq!(seeds(text, "f"), []);
    }

    #[test]
    fn helpers_that_a_test_names_are_looked_into_and_others_are_not() {
        let text = "
fn make() -> StdRng { StdRng::seed_from_u64(1) }
fn unused() -> StdRng { StdRng::seed_from_u64(2) }
mod a {
    fn works() { super::make(); }
}
mod b {
    fn works() { let x = SmallRng::seed_from_u64(3); }
}
";
        let lines = |test: &str| -> Vec<u32> {
            seeds(text, test)
                .into_iter()
                .map(|(line, _)| line)
                .collect()
        };
        assert_eq!(lines("a::works"), [2]);
        assert_eq!(lines("b::works"), [8]);
        assert!(lines("c::other").is_empty());
        let sources = [
            "mod common;\nfn t() { common::rng(); }",
            "pub fn rng() { fastrand::seed(5) }",
        ];
        let found = fixed_seeds(&sources.map(str::to_owned), "t");
        assert_eq!((found[0].source, found[0].line), (1, 1));
        assert_eq!(fixed_seeds(&["not { rust".to_owned()], "t"), []);
    }
}
