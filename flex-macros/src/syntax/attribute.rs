//! Attributes of an item.

use crate::quoted::{ToTokens, quote};
use crate::token::{Delimiter, Group, TokenStream, TokenTree};

use super::type_::{Path, PathStyle};
use super::{Input, Parse, Result, without_invisible_brackets};
use crate::tokens::is_word;

/// `#[meta]`.
pub struct Attribute {
    pub meta: Meta,
    tokens: TokenStream,
}

/// What stands between the brackets of an attribute.
pub struct Meta {
    pub path: Path,
    /// The brackets after the path, if that is all there is.
    pub list: Option<Group>,
    tokens: TokenStream,
}

impl Attribute {
    /// Reads all attributes that come next.
    pub fn parse_all(input: &mut Input) -> Result<Vec<Self>> {
        let mut attributes = Vec::new();
        while input.is_punct("#") {
            let start = input.place();
            input.next();
            let Some(group) = input.take_group(Delimiter::Bracket) else {
                return Err(input.error("expected square brackets"));
            };
            attributes.push(Attribute {
                meta: super::parse(without_invisible_brackets(group.stream()))?,
                tokens: input.since(start),
            });
        }
        Ok(attributes)
    }

    /// The attribute, wherever it holds or under a condition.
    pub fn of(meta: Meta, condition: Option<&TokenStream>) -> Self {
        let tokens = match condition {
            Some(condition) => quote!([condition, meta] #[cfg_attr(#condition, #meta)]),
            None => quote!([meta] #[#meta]),
        };
        Attribute { meta, tokens }
    }

    /// Whether its path is this word.
    pub fn is(&self, word: &str) -> bool {
        self.meta
            .path
            .word()
            .is_some_and(|path| is_word(path, word))
    }
}

impl Parse for Meta {
    fn parse(input: &mut Input) -> Result<Self> {
        let start = input.place();
        let path = Path::parse(input, PathStyle::Expression)?;
        let list = match input.peek() {
            Some(TokenTree::Group(group)) => Some(group.clone()),
            _ => None,
        };
        // What follows is the compiler's to understand: `= "text"`, or brackets.
        while !input.is_empty() && !input.is_punct(",") {
            input.next();
        }
        Ok(Meta {
            path,
            list,
            tokens: input.since(start),
        })
    }
}

impl ToTokens for Attribute {
    fn to_tokens(&self) -> TokenStream {
        self.tokens.clone()
    }
}

impl ToTokens for Meta {
    fn to_tokens(&self) -> TokenStream {
        self.tokens.clone()
    }
}
