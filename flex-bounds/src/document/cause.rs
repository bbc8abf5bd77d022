//! What is wrong with a text that is no TOML, in words.

use toml_parser::{Expected, ParseError};

/// What is wrong, and what is expected instead.
pub(crate) fn cause(error: &ParseError) -> String {
    let mut words = error.description().to_owned();
    let Some(expected) = error.expected() else {
        return words;
    };
    words += ", expected ";
    if expected.is_empty() {
        words += "nothing";
    }
    for (index, expected) in expected.iter().enumerate() {
        if index > 0 {
            words += ", ";
        }
        match expected {
            Expected::Literal(literal) => words += &shown(literal),
            Expected::Description(description) => words += description,
            _ => words += "etc",
        }
    }
    words
}

/// A piece of TOML, in quotes.
fn shown(literal: &str) -> String {
    match literal {
        "\n" => "newline".to_owned(),
        "`" => "'`'".to_owned(),
        _ if literal.chars().all(|c| c.is_ascii_control()) => {
            format!("`{}`", literal.escape_debug())
        }
        _ => format!("`{literal}`"),
    }
}
