//! What is wrong with the input of a macro, and where.

use std::fmt;

use crate::quoted::{ToTokens, quote_spanned};
use crate::token::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};

/// What reading tokens gives.
pub type Result<T> = std::result::Result<T, Error>;

/// One or more things that are wrong.
#[derive(Debug)]
pub struct Error(Vec<Complaint>);

#[derive(Debug)]
struct Complaint {
    /// The first and the last of the tokens that it is about.
    first: Span,
    last: Span,
    message: String,
}

impl Error {
    /// An error at a place.
    pub fn new(place: Span, message: impl Into<String>) -> Self {
        Error(vec![Complaint {
            first: place,
            last: place,
            message: message.into(),
        }])
    }

    /// An error about tokens.
    pub fn new_spanned(tokens: impl ToTokens, message: impl Into<String>) -> Self {
        let mut spans = tokens.to_tokens().into_iter().map(|t| t.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        let last = spans.last().unwrap_or(first);
        Error(vec![Complaint {
            first,
            last,
            message: message.into(),
        }])
    }

    /// Takes another error.
    pub fn combine(&mut self, other: Error) {
        self.0.extend(other.0);
    }

    /// Calls of `compile_error!`, which the compiler shows at the tokens.
    pub fn into_compile_error(self) -> TokenStream {
        let mut errors = TokenStream::new();
        for complaint in self.0 {
            let mut message = Literal::string(&complaint.message);
            message.set_span(complaint.last);
            let mut input = Group::new(Delimiter::Brace, TokenTree::from(message).into());
            input.set_span(complaint.last);
            errors.extend(quote_spanned!(complaint.first => [] ::core::compile_error!));
            errors.extend([TokenTree::from(input)]);
        }
        errors
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0[0].message)
    }
}
