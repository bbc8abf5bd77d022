//! Assertions of a test, as the macros write them down.

use flex_run::model::{Distance, Place, RATIO_OF_TIMES, SiteId};

/// One assertion in the source: what the macro knows of it. Each expands to a `static`.
#[derive(Debug)]
pub struct Assertion {
    /// The tokens of the assertion without white space.
    pub text: &'static str,
    /// The macro that asserts, such as `assert_tail_bound!`.
    pub form: &'static str,
    /// What is bounded, if it is how far two values are apart.
    pub distance: Option<Distance>,
    /// The literal `name`, if it has one.
    pub name: Option<&'static str>,
    /// Which of the equal texts of its stochastic test it is, from 1 on; 0 for a site in a helper function.
    pub nth: u32,
    /// The type name of a local function, which tells the enclosing one.
    pub here: fn() -> &'static str,
    /// The source file.
    pub file: &'static str,
    /// The line in it.
    pub line: u32,
    /// Whether it stops the run itself when it fails, like a plain `assert!`. It is recorded where that is possible,
    /// and never judged.
    pub hard: bool,
}

/// What an assertion says besides its comparison. Nothing is evaluated before it is needed.
#[derive(Clone, Copy, Default)]
pub struct Extras<'a> {
    /// A `name` that is not a literal.
    pub name: Option<&'a dyn Fn() -> String>,
    /// The `case`.
    pub case: Option<&'a dyn Fn() -> String>,
    /// The ends of the `domain`.
    pub domain: Option<&'a dyn Fn() -> (f64, f64)>,
    /// The site's own `confidence`.
    pub confidence: Option<&'a dyn Fn() -> f64>,
    /// The message.
    pub message: Option<&'a dyn Fn() -> String>,
}

/// What `assert_close!` allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// `_`.
    Learned,
    /// A literal.
    Literal(f64),
    /// Another expression: the sample is the margin.
    Computed(f64),
}

impl Assertion {
    /// The identity of the site in its test; it survives moving and reformatting.
    pub(crate) fn id(&self) -> SiteId {
        match (self.name, self.nth) {
            (Some(name), _) => SiteId::of_label(name),
            (None, 0) => {
                let function = enclosing_function((self.here)());
                SiteId::new(format!("{function}: {}", self.text))
            }
            (None, nth) => SiteId {
                occurrence: nth,
                ..SiteId::new(self.text)
            },
        }
    }

    /// Whether its values are ratios of times, which no seed decides.
    pub(crate) fn is_of_times(&self) -> bool {
        self.form == RATIO_OF_TIMES
    }

    /// Where it is.
    pub(crate) fn place(&self) -> Place {
        Place::new(self.file, self.line)
    }
}

/// The path of the function around a local one, without the crate and without what the macros add.
fn enclosing_function(local: &str) -> String {
    let (path, _) = local.rsplit_once("::").unwrap_or((local, ""));
    // A method of a trait reads `<crate::Type as crate::Trait>::method`; there the crates stay.
    let path = match path.split_once("::") {
        Some((_, rest)) if !path.starts_with('<') => rest,
        _ => path,
    };
    let is_ours = |part: &str| part == "{{closure}}" || part.starts_with("__flex_");
    let parts: Vec<&str> = path.split("::").filter(|part| !is_ours(part)).collect();
    parts.join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_named_by_their_path() {
        let check = |local: &str, expected: &str| assert_eq!(enclosing_function(local), expected);
        check("sketch::helper::here", "helper");
        check("sketch::tests::helper::{{closure}}::here", "tests::helper");
        check("sketch::__flex_name::name::here", "name");
        check(
            "<sketch::Holder<_> as sketch::Tested>::tested::{{closure}}::here",
            "<sketch::Holder<_> as sketch::Tested>::tested",
        );
    }
}
