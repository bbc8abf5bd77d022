//! `[[depends]]`: what a file of tests depends on that neither its sources nor a trace show.

use super::Glob;
use crate::document::Placed;
use crate::file::error::{Fault, Parsed};
use crate::file::field::{NO_ADVICE, fields, table_of};
use crate::keys::{self, names};

/// A file that depends on others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependsRule {
    /// The file, or files, that depend on something.
    pub file: Glob,
    /// The file, or files, that they depend on.
    pub on: Glob,
}

pub(super) fn depends_rule(value: &Placed<'_>) -> Parsed<DependsRule> {
    let (mut file, mut on) = (None, None);
    for field in fields(table_of(value, "depends")?, NO_ADVICE) {
        match field.key {
            "file" => file = Some(Glob::new(field.string()?)),
            "on" => on = Some(Glob::new(field.string()?)),
            _ => return Err(field.unknown(&names(keys::DEPENDS))),
        }
    }
    let missing = |what: &str, example: &str| {
        Fault::new(
            value.at,
            format!("this `[[depends]]` does not say {what}: add `{example}`"),
        )
    };
    Ok(DependsRule {
        file: file.ok_or_else(|| missing("which file depends", "file = \"tests/test_io.py\""))?,
        on: on.ok_or_else(|| missing("on what", "on = \"schema/*.sql\""))?,
    })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn files_depend_on_others() {
        let text = "[[depends]]\nfile = 'tests/test_io.py'\non = 'schema/*'\n";
        let config: Config = text.parse().unwrap();
        assert!(config.depends[0].on.matches("schema/a.sql"));
        for (text, line, expected) in [
            ("[[depends]]\non = 'a'", 1, "which file depends"),
            ("[[depends]]\nfile = 'a'", 1, "on what"),
            ("[[depends]]\nfiel = 'a'", 2, "did you mean `file`?"),
        ] {
            let error = text.parse::<Config>().unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
