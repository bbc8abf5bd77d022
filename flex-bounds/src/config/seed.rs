//! `[[seed]]`: a function of the project that seeds something, so that a search can vary the numbers that it gets.

use crate::document::Placed;
use crate::file::error::{Fault, Parsed};
use crate::file::field::{NO_ADVICE, fields, table_of};
use crate::keys::{self, names};

/// A function that seeds something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedRule {
    /// Its full name: `package.module.set_seed`.
    pub function: String,
    /// The parameter that is the seed; without one, the first.
    pub parameter: Option<String>,
}

pub(super) fn seed_rule(value: &Placed<'_>) -> Parsed<SeedRule> {
    let (mut function, mut parameter) = (None, None);
    for field in fields(table_of(value, "seed")?, NO_ADVICE) {
        match field.key {
            "function" => {
                let name = field.string()?;
                if !name.contains('.') || name.split('.').any(str::is_empty) {
                    return Err(field.wrong(format!(
                        "\"{name}\" is not a function with its module, like \"package.testing.set_seed\""
                    )));
                }
                function = Some(name);
            }
            "parameter" => parameter = Some(field.string()?),
            _ => return Err(field.unknown(&names(keys::SEED))),
        }
    }
    let function = function.ok_or_else(|| {
        Fault::new(
            value.at,
            "this `[[seed]]` does not say which function it is: add `function = \"package.set_seed\"`",
        )
    })?;
    Ok(SeedRule {
        function,
        parameter,
    })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn functions_seed_by_their_first_parameter_or_by_another() {
        let text = "[[seed]]\nfunction = 'a.b.set_seed'\n[[seed]]\nfunction = 'a.seeded'\nparameter = 'state'\n";
        let config: Config = text.parse().unwrap();
        let found = config.seeds.iter();
        let found: Vec<_> = found
            .map(|s| (&*s.function, s.parameter.as_deref()))
            .collect();
        assert_eq!(found, [("a.b.set_seed", None), ("a.seeded", Some("state"))]);
        for (text, line, expected) in [
            ("[[seed]]\nparameter = 'a'", 1, "which function"),
            ("[[seed]]\nfunction = 'set_seed'", 2, "with its module"),
            ("[[seed]]\nfunction = 'a..b'", 2, "with its module"),
            ("[[seed]]\nfnuction = 'a.b'", 2, "did you mean `function`?"),
        ] {
            let error = text.parse::<Config>().unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
