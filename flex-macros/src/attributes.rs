//! The other attributes of a stochastic test: which of its items gets which.

use crate::quoted::{listed, quote};
use crate::token::TokenStream;

use crate::settings::Errors;
use crate::syntax::{Attribute, Error, Input, Meta, Result};

/// The attributes, sorted.
#[derive(Default)]
pub struct Attributes {
    /// `cfg`: for every item.
    pub cfgs: Vec<Attribute>,
    /// Doc comments and `ignore`: for the `#[test]` function.
    pub on_test: Vec<Attribute>,
    /// Lints and all others: for the function with the body.
    pub on_body: Vec<Attribute>,
    /// The conditions under which the test is ignored.
    ignored: Vec<TokenStream>,
}

impl Attributes {
    /// Sorts the attributes of a function.
    pub fn sort(attributes: Vec<Attribute>, errors: &mut Errors) -> Self {
        let mut sorted = Attributes::default();
        for attribute in attributes {
            match Conditional::read(&attribute) {
                Some(conditional) => sorted.add_conditional(conditional, errors),
                None => sorted.add(attribute, None, errors),
            }
        }
        sorted
    }

    /// Whether the test is ignored: a literal, or `cfg!(…)`.
    pub fn ignored(&self) -> TokenStream {
        match &self.ignored[..] {
            [] => quote!([] false),
            conditions if conditions.iter().any(TokenStream::is_empty) => quote!([] true),
            conditions => {
                let conditions = listed(conditions);
                quote!([conditions] ::core::cfg!(any(#conditions)))
            }
        }
    }

    fn add_conditional(&mut self, conditional: Conditional, errors: &mut Errors) {
        let Conditional { condition, metas } = conditional;
        for meta in metas {
            let attribute = Attribute::of(meta, Some(&condition));
            self.add(attribute, Some(&condition), errors);
        }
    }

    fn add(&mut self, attribute: Attribute, condition: Option<&TokenStream>, errors: &mut Errors) {
        if let Err(error) = check(&attribute.meta) {
            errors.push(error);
        }
        let is_ignore = attribute.is("ignore");
        if is_ignore {
            self.ignored.push(condition.cloned().unwrap_or_default());
        }
        let place = if attribute.is("cfg") {
            &mut self.cfgs
        } else if is_ignore || attribute.is("doc") {
            &mut self.on_test
        } else {
            &mut self.on_body
        };
        place.push(attribute);
    }
}

/// `cfg_attr(condition, metas…)`.
struct Conditional {
    condition: TokenStream,
    metas: Vec<Meta>,
}

impl Conditional {
    fn read(attribute: &Attribute) -> Option<Self> {
        let list = attribute.meta.list.as_ref()?;
        if !attribute.is("cfg_attr") {
            return None;
        }
        let mut input = Input::new(list.stream());
        while !input.is_empty() && !input.is_punct(",") {
            input.next();
        }
        let condition = input.since(0);
        let mut metas = Vec::new();
        while input.take_punct(",") && !input.is_empty() {
            metas.push(input.parse().ok()?);
        }
        Some(Conditional { condition, metas })
    }
}

/// Refuses attributes that make no sense beside `#[stochastic_test]`.
fn check(meta: &Meta) -> Result<()> {
    let last = meta.path.segments.last();
    let message = match last.map(|segment| segment.name.to_string()).as_deref() {
        Some("should_panic") => {
            "`#[should_panic]` would turn every failure that flex finds into a pass; \
             use `std::panic::catch_unwind` in the test and assert on its result"
        }
        Some("test") => "`#[stochastic_test]` makes a `#[test]` already; remove this attribute",
        Some("stochastic_test") => "`#[stochastic_test]` is given twice; remove one of them",
        _ => return Ok(()),
    };
    Err(Error::new_spanned(meta, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quoted::ToTokens as _;

    #[test]
    fn attributes_are_sorted() {
        let check = |source: &str, expected: [&str; 4]| {
            let mut input = Input::new(source.parse().unwrap());
            let attributes = Attribute::parse_all(&mut input).unwrap();
            let mut errors = Errors::default();
            let sorted = Attributes::sort(attributes, &mut errors);
            errors.into_result().unwrap();
            let written = |attributes: &[Attribute]| crate::tokens::text(&attributes.to_tokens());
            let ignored = crate::tokens::text(&sorted.ignored());
            assert_eq!(written(&sorted.cfgs), expected[0], "{source}");
            assert_eq!(written(&sorted.on_test), expected[1], "{source}");
            assert_eq!(written(&sorted.on_body), expected[2], "{source}");
            assert_eq!(ignored, expected[3], "{source}");
        };
        check("", ["", "", "", "false"]);
        check(
            "#[cfg(unix)] #[ignore = \"slow\"]",
            ["#[cfg(unix)]", "#[ignore=\"slow\"]", "", "true"],
        );
        check(
            "#[cfg_attr(miri, ignore)] #[cfg_attr(not(feature = \"slow\"), ignore = \"slow\", allow(dead_code))]",
            [
                "",
                "#[cfg_attr(miri,ignore)]#[cfg_attr(not(feature=\"slow\"),ignore=\"slow\")]",
                "#[cfg_attr(not(feature=\"slow\"),allow(dead_code))]",
                "::core::cfg!(any(miri,not(feature=\"slow\")))",
            ],
        );
        check(
            "#[expect(unused)] #[inline(never)]",
            ["", "", "#[expect(unused)]#[inline(never)]", "false"],
        );
        check(
            "#[cfg_attr(true, ignore)] #[ignore]",
            ["", "#[cfg_attr(true,ignore)]#[ignore]", "", "true"],
        );
    }
}
