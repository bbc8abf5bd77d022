//! `[[characteristic]]`: a function that is called by tests whose runs can differ.

use super::Glob;
use crate::Cause;
use crate::document::Placed;
use crate::file::error::{Fault, Parsed};
use crate::file::field::{Field, NO_ADVICE, fields, table_of};
use crate::keys::{self, names};

/// A function that tells of a cause of differing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharacteristicRule {
    /// Its name, with its class if it has one: `Session.request`, `Random.*`.
    pub function: Glob,
    /// Why runs of a test that calls it can differ.
    pub cause: Cause,
}

pub(super) fn characteristic_rule(value: &Placed<'_>) -> Parsed<CharacteristicRule> {
    let (mut function, mut cause) = (None, None);
    for field in fields(table_of(value, "characteristic")?, NO_ADVICE) {
        match field.key {
            "function" => function = Some(name(&field)?),
            "cause" => cause = Some(cause_of(&field)?),
            _ => return Err(field.unknown(&names(keys::CHARACTERISTIC))),
        }
    }
    let missing = |what: &str, example: &str| {
        Fault::new(
            value.at,
            format!("this `[[characteristic]]` does not say {what}: add `{example}`"),
        )
    };
    Ok(CharacteristicRule {
        function: function
            .ok_or_else(|| missing("which function it is", "function = \"Session.request\""))?,
        cause: cause.ok_or_else(|| missing("what it tells of", "cause = \"network\""))?,
    })
}

/// A function, with its class if it has one, in which `*` stands for any text.
fn name(field: &Field<'_>) -> Parsed<Glob> {
    let name = field.string()?;
    let is_part = |part: &str| {
        let fits = |letter: char| letter.is_alphanumeric() || "_*?<>".contains(letter);
        !part.is_empty() && part.chars().all(fits)
    };
    let parts: Vec<&str> = name.split('.').collect();
    if parts.len() > 2 || !parts.iter().all(|part| is_part(part)) {
        return Err(field.wrong(format!(
            "\"{name}\" is not a function, nor a class and a function, like \"open\" or \"Session.request\""
        )));
    }
    Ok(Glob::new(name))
}

fn cause_of(field: &Field<'_>) -> Parsed<Cause> {
    let word = field.text()?;
    Cause::named(word).ok_or_else(|| {
        let names = Cause::ALL.iter().map(|cause| cause.as_str());
        let names = names.collect::<Vec<&str>>().join("\", \"");
        field.wrong(format!("`cause` is one of \"{names}\", not \"{word}\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_function_tells_of_a_cause() {
        let text = "[[characteristic]]\nfunction = 'Session.*'\ncause = 'network'\n\
                    [[characteristic]]\nfunction = 'sample'\ncause = 'async-wait'\n";
        let config: Config = text.parse().unwrap();
        let [session, sample] = &config.characteristics[..] else {
            panic!("{config:?}");
        };
        assert!(session.function.matches("Session.get"));
        assert_eq!(
            (session.cause, sample.cause),
            (Cause::Network, Cause::AsyncWait)
        );
    }

    fn wrong(keys: &str, line: usize, expected: &str) {
        let text = format!("[[characteristic]]\n{keys}");
        let error = text.parse::<Config>().unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(expected), "{error}");
    }

    #[test]
    fn what_is_missing_or_unknown_is_said() {
        wrong("cause = 'time'", 1, "which function it is");
        wrong("function = 'now'", 1, "what it tells of");
        wrong(
            "function = 'now'\ncause = 'weather'",
            3,
            "\"time\", \"concurrency\"",
        );
        wrong("function = 'a.b.c'", 2, "like \"open\"");
        wrong("function = 'now()'", 2, "like \"open\"");
        wrong("function = ''", 2, "like \"open\"");
        wrong("functon = 'now'", 2, "did you mean `function`?");
        let error = "[characteristic]".parse::<Config>().unwrap_err();
        assert!(error.message.contains("double brackets"), "{error}");
    }
}
