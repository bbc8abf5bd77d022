//! Functions that tell of a cause of differing runs.

use flex_bounds::config::{CharacteristicRule, Glob};
use flex_run::model::Cause;

use crate::trace::Function;

/// The published list, with the cause that each function stands for (docs/design/trace.md, "The published list").
const PUBLISHED: [(&str, Cause); 9] = [
    ("Condition.wait", Cause::AsyncWait),
    ("Random.*", Cause::Randomness),
    ("RandomState.*", Cause::Randomness),
    ("socket.__init__", Cause::Network),
    ("create_connection", Cause::Network),
    // A method of a class, such as `datetime.now`, is one of `type` to whoever asks its object for the class.
    ("type.now", Cause::Time),
    ("open", Cause::Files),
    ("start_new_thread", Cause::Concurrency),
    // The same from CPython 3.13 on.
    ("start_joinable_thread", Cause::Concurrency),
];

/// The published list, and what a project adds to it.
pub fn characteristics(added: &[CharacteristicRule]) -> Vec<CharacteristicRule> {
    let published = PUBLISHED
        .iter()
        .map(|(function, cause)| CharacteristicRule {
            function: Glob::new(*function),
            cause: *cause,
        });
    published.chain(added.iter().cloned()).collect()
}

/// The cause that a function tells of, by the first rule that names it.
pub fn cause_of(function: &Function, rules: &[CharacteristicRule]) -> Option<Cause> {
    let name = function.in_class();
    let rule = rules.iter().find(|rule| rule.function.matches(&name));
    rule.map(|rule| rule.cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_functions_and_those_of_a_project_have_causes() {
        let own = CharacteristicRule {
            function: Glob::new("Session.*"),
            cause: Cause::Network,
        };
        let rules = characteristics(&[own]);
        let check = |class: &str, function: &str, expected| {
            let function = Function {
                function: function.to_owned(),
                class: class.to_owned(),
                ..Function::default()
            };
            assert_eq!(cause_of(&function, &rules), expected, "{function:?}");
        };
        check("Random", "shuffle", Some(Cause::Randomness));
        check("type", "now", Some(Cause::Time));
        check("", "open", Some(Cause::Files));
        check("ZipFile", "open", None);
        check("", "start_new_thread", Some(Cause::Concurrency));
        check("Session", "get", Some(Cause::Network));
        check("", "now", None);
    }
}
