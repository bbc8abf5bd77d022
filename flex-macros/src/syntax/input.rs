//! Tokens that are read from the first to the last.

use std::rc::Rc;

use crate::token::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};

use super::{Error, Result};
use crate::tokens::is_word;

/// What can be read from tokens.
pub trait Parse: Sized {
    /// Reads it from the next tokens.
    fn parse(input: &mut Input) -> Result<Self>;
}

/// Reads something that all of the tokens are.
pub fn parse<T: Parse>(tokens: TokenStream) -> Result<T> {
    let mut input = Input::new(tokens);
    let parsed = T::parse(&mut input)?;
    input.check_end()?;
    Ok(parsed)
}

/// Reads what all of the tokens are, with commas between.
pub fn parse_list<T: Parse>(tokens: TokenStream) -> Result<Vec<T>> {
    let mut input = Input::new(tokens);
    let mut list = Vec::new();
    while !input.is_empty() {
        list.push(T::parse(&mut input)?);
        if !input.is_empty() && !input.take_punct(",") {
            return Err(input.error("expected `,`"));
        }
    }
    Ok(list)
}

/// The tokens without the invisible brackets that `macro_rules!` puts around what it passes on, such as `$vis` and
/// `$body:block`. Only for tokens without operators, whose order they may change.
pub fn without_invisible_brackets(tokens: TokenStream) -> TokenStream {
    let seen = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            without_invisible_brackets(group.stream())
        }
        token => token.into(),
    });
    seen.collect()
}

/// Tokens, and how many of them have been read. A clone reads ahead.
#[derive(Clone)]
pub struct Input {
    tokens: Rc<[TokenTree]>,
    place: usize,
}

impl Input {
    /// All of the tokens, unread.
    pub fn new(tokens: TokenStream) -> Self {
        Input {
            tokens: tokens.into_iter().collect(),
            place: 0,
        }
    }

    /// Reads something from the next tokens.
    pub fn parse<T: Parse>(&mut self) -> Result<T> {
        T::parse(self)
    }

    /// Whether everything is read.
    pub fn is_empty(&self) -> bool {
        self.place == self.tokens.len()
    }

    /// How many tokens have been read.
    pub fn place(&self) -> usize {
        self.place
    }

    /// The tokens that were read since so many had been.
    pub fn since(&self, place: usize) -> TokenStream {
        self.tokens[place..self.place].iter().cloned().collect()
    }

    /// The next token.
    pub fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.place)
    }

    /// The token after the next.
    pub fn peek_second(&self) -> Option<&TokenTree> {
        self.tokens.get(self.place + 1)
    }

    /// Reads a token.
    pub fn next(&mut self) -> Option<TokenTree> {
        let token = self.tokens.get(self.place).cloned();
        self.place += usize::from(token.is_some());
        token
    }

    /// Reads so many tokens.
    pub fn skip(&mut self, count: usize) {
        self.place = (self.place + count).min(self.tokens.len());
    }

    /// Reads all tokens that are left.
    pub fn rest(&mut self) -> TokenStream {
        let start = self.place;
        self.place = self.tokens.len();
        self.since(start)
    }

    /// Whether the next characters are these, written without white space between them.
    pub fn is_punct(&self, expected: &str) -> bool {
        let mut place = self.place;
        let mut expected = expected.chars().peekable();
        while let Some(character) = expected.next() {
            match self.tokens.get(place) {
                Some(TokenTree::Punct(punct))
                    if punct.as_char() == character
                        && (expected.peek().is_none() || punct.spacing() == Spacing::Joint) => {}
                _ => return false,
            }
            place += 1;
        }
        true
    }

    /// Reads these characters if they come next.
    pub fn take_punct(&mut self, expected: &str) -> bool {
        let is_next = self.is_punct(expected);
        if is_next {
            self.place += expected.len();
        }
        is_next
    }

    /// Whether the next token is this word.
    pub fn is_word(&self, expected: &str) -> bool {
        matches!(self.peek(), Some(TokenTree::Ident(word)) if is_word(word, expected))
    }

    /// Reads this word if it comes next.
    pub fn take_word(&mut self, expected: &str) -> bool {
        let is_next = self.is_word(expected);
        self.place += usize::from(is_next);
        is_next
    }

    /// The next token, if it is a word of any kind.
    pub fn peek_word(&self) -> Option<&Ident> {
        match self.peek() {
            Some(TokenTree::Ident(word)) => Some(word),
            _ => None,
        }
    }

    /// Reads a word of any kind.
    pub fn word(&mut self) -> Result<Ident> {
        match self.peek_word().cloned() {
            Some(word) => {
                self.place += 1;
                Ok(word)
            }
            None => Err(self.error("expected identifier")),
        }
    }

    /// The next token, if it is such brackets.
    pub fn peek_group(&self, delimiter: Delimiter) -> Option<&Group> {
        match self.peek() {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
            _ => None,
        }
    }

    /// Reads such brackets if they come next.
    pub fn take_group(&mut self, delimiter: Delimiter) -> Option<Group> {
        let group = self.peek_group(delimiter).cloned();
        self.place += usize::from(group.is_some());
        group
    }

    /// Where the next token stands; after the last one, the call of the macro.
    pub fn span(&self) -> Span {
        self.peek().map_or_else(Span::call_site, TokenTree::span)
    }

    /// An error about the next token.
    pub fn error(&self, message: &str) -> Error {
        match self.peek() {
            Some(token) => Error::new_spanned(token, message),
            None => Error::new(
                Span::call_site(),
                format!("unexpected end of input, {message}"),
            ),
        }
    }

    /// Refuses tokens that are left.
    pub fn check_end(&self) -> Result<()> {
        match self.peek() {
            Some(token) => Err(Error::new_spanned(token, "unexpected token")),
            None => Ok(()),
        }
    }
}
