//! Tokens that are written as Rust, with gaps: what the macros expand to.
//!
//! `quote!([value] f(#value))` is the tokens of `f(…)` with those of the variable `value` in their place. The crate
//! `quote` does the same without the list of gaps, and it and what it needs take as long to build as this crate.

use crate::token::{Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// The tokens of a template; `#name` is a gap, for each of the names in brackets.
macro_rules! quote {
    ([$($gap:ident),*] $($template:tt)*) => {
        $crate::quoted::filled(stringify!($($template)*), None, &[$((stringify!($gap), &$gap)),*])
    };
}

/// The same with a place and its names, which the tokens of the template get; those in gaps keep theirs.
macro_rules! quote_spanned {
    ($place:expr => [$($gap:ident),*] $($template:tt)*) => {
        $crate::quoted::filled(stringify!($($template)*), Some($place), &[$((stringify!($gap), &$gap)),*])
    };
}

pub(crate) use {quote, quote_spanned};

/// What can stand in a gap.
pub trait ToTokens {
    fn to_tokens(&self) -> TokenStream;
}

/// The tokens of a template. What the macros above hand over, the compiler has read before.
pub fn filled(template: &str, place: Option<Span>, gaps: &[(&str, &dyn ToTokens)]) -> TokenStream {
    let template = template.parse::<TokenStream>();
    let template = template.unwrap_or_else(|error| panic!("a template: {error}"));
    fill(template, place, gaps)
}

fn fill(template: TokenStream, place: Option<Span>, gaps: &[(&str, &dyn ToTokens)]) -> TokenStream {
    let mut filled = Vec::new();
    let mut tokens = template.into_iter().peekable();
    while let Some(mut token) = tokens.next() {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), fill(group.stream(), place, gaps)).into();
        }
        if matches!(&token, TokenTree::Punct(hash) if hash.as_char() == '#')
            && let Some(TokenTree::Ident(name)) = tokens.peek()
        {
            let name = name.to_string();
            let gap = gaps.iter().find(|(gap, _)| *gap == name);
            let (_, gap) = gap.unwrap_or_else(|| panic!("`{name}` is no gap of the template"));
            tokens.next();
            filled.extend(gap.to_tokens());
            continue;
        }
        if let Some(place) = place {
            token.set_span(place);
        }
        filled.push(token);
    }
    filled.into_iter().collect()
}

impl ToTokens for TokenStream {
    fn to_tokens(&self) -> TokenStream {
        self.clone()
    }
}

impl ToTokens for TokenTree {
    fn to_tokens(&self) -> TokenStream {
        self.clone().into()
    }
}

impl ToTokens for Ident {
    fn to_tokens(&self) -> TokenStream {
        TokenTree::from(self.clone()).into()
    }
}

impl ToTokens for Literal {
    fn to_tokens(&self) -> TokenStream {
        TokenTree::from(self.clone()).into()
    }
}

/// `true` or `false`.
impl ToTokens for bool {
    fn to_tokens(&self) -> TokenStream {
        Ident::new(&self.to_string(), Span::call_site()).to_tokens()
    }
}

/// A text in quotes.
impl ToTokens for str {
    fn to_tokens(&self) -> TokenStream {
        Literal::string(self).to_tokens()
    }
}

/// A text in quotes.
impl ToTokens for String {
    fn to_tokens(&self) -> TokenStream {
        self.as_str().to_tokens()
    }
}

impl<T: ToTokens + ?Sized> ToTokens for &T {
    fn to_tokens(&self) -> TokenStream {
        (**self).to_tokens()
    }
}

/// Nothing, if there is nothing.
impl<T: ToTokens> ToTokens for Option<T> {
    fn to_tokens(&self) -> TokenStream {
        self.iter().map(ToTokens::to_tokens).collect()
    }
}

/// One after the other.
impl<T: ToTokens> ToTokens for [T] {
    fn to_tokens(&self) -> TokenStream {
        self.iter().map(ToTokens::to_tokens).collect()
    }
}

/// One after the other.
impl<T: ToTokens> ToTokens for Vec<T> {
    fn to_tokens(&self) -> TokenStream {
        self.as_slice().to_tokens()
    }
}

/// Parts with commas between them.
pub fn listed(parts: impl IntoIterator<Item = impl ToTokens>) -> TokenStream {
    let mut listed = TokenStream::new();
    for part in parts {
        if !listed.is_empty() {
            listed.extend([TokenTree::from(Punct::new(',', Spacing::Alone))]);
        }
        listed.extend(part.to_tokens());
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::text;

    #[test]
    fn gaps_are_filled_within_brackets_too() {
        let (name, flag, texts) = (Ident::new("f", Span::call_site()), true, ["a", "b\""]);
        let texts = texts.map(|text| quote!([text] #text,)).to_vec();
        let tokens = quote!([name, flag, texts] #[cfg(x)] #name::<'a>({ [#texts] }, #flag) >= -1.0);
        assert_eq!(
            text(&tokens),
            r#"#[cfg(x)]f::<'a>({["a","b\""]},true)>=-1.0"#
        );
        assert_eq!(text(&quote!([])), "");
    }

    #[test]
    fn operators_stay_joined_and_gaps_do_not_join() {
        let value = quote!([] & x);
        let (ours, theirs) = (
            quote!([value] a <<= & #value && b..=c),
            "a <<= & &x && b..=c",
        );
        let theirs = theirs.parse::<TokenStream>().unwrap();
        let shown = |tokens: TokenStream| format!("{:?}", tokens.into_iter().collect::<Vec<_>>());
        assert_eq!(shown(ours), shown(theirs));
    }
}
