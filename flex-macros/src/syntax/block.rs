//! Expressions that begin with a keyword.

use crate::token::{Delimiter, TokenTree};

use super::Result;
use super::expression::{ExprKind, Reader};
use super::operator::Precedence;
use super::type_::take_lifetime;

impl Reader<'_> {
    /// The expression that the word begins, and whether what follows can make it longer; `None` if it is no keyword.
    pub(super) fn keyword(&mut self, word: &str) -> Result<Option<(ExprKind, bool)>> {
        let kind = match word {
            "if" => self.if_()?,
            "while" | "match" => {
                self.input.next();
                self.condition()?;
                self.braces()?
            }
            "for" => {
                self.input.next();
                self.skip_pattern(|reader| reader.input.take_word("in"))?;
                self.condition()?;
                self.braces()?
            }
            "loop" | "unsafe" => {
                self.input.next();
                self.braces()?
            }
            "const" | "async" | "move" | "static" => return self.qualified().map(Some),
            "let" => {
                self.input.next();
                self.skip_pattern(|reader| {
                    !reader.input.is_punct("==") && reader.input.take_punct("=")
                })?;
                self.expression(Precedence::And.tighter())?;
                return Ok(Some((ExprKind::Let, false)));
            }
            "return" | "break" | "continue" | "yield" | "become" => {
                self.input.next();
                take_lifetime(self.input);
                if word != "continue" && self.begins() {
                    self.expression(Precedence::Assign)?;
                }
                return Ok(Some((ExprKind::Other, false)));
            }
            _ => return Ok(None),
        };
        Ok(Some((kind, true)))
    }

    /// `'a: loop { … }`.
    pub(super) fn labelled(&mut self) -> Result<ExprKind> {
        take_lifetime(self.input);
        if !self.input.take_punct(":") {
            return Err(self.input.error("expected `:`"));
        }
        match self.input.peek_word().map(ToString::to_string) {
            Some(word) => match self.keyword(&word)? {
                Some((kind, _)) => Ok(kind),
                None => Err(self.input.error("expected a loop or block")),
            },
            None => self.braces(),
        }
    }

    fn if_(&mut self) -> Result<ExprKind> {
        self.input.next();
        self.condition()?;
        self.braces()?;
        if self.input.take_word("else") {
            return match self.input.is_word("if") {
                true => self.if_(),
                false => self.braces(),
            };
        }
        Ok(ExprKind::Other)
    }

    /// A block or a closure after `const`, `async`, `move` or `static`.
    fn qualified(&mut self) -> Result<(ExprKind, bool)> {
        let is_move = self.input.is_word("move");
        self.input.next();
        let is_block = self.input.take_word("move") || !is_move;
        if is_block && self.input.peek_group(Delimiter::Brace).is_some() {
            return Ok((self.braces()?, true));
        }
        Ok((self.closure(is_move && !is_block, is_move)?, false))
    }

    fn condition(&mut self) -> Result<()> {
        let mut condition = Reader {
            input: &mut *self.input,
            has_structs: false,
        };
        condition.expression(Precedence::Assign).map(drop)
    }

    fn braces(&mut self) -> Result<ExprKind> {
        match self.input.take_group(Delimiter::Brace) {
            Some(_) => Ok(ExprKind::Other),
            None => Err(self.input.error("expected curly braces")),
        }
    }

    /// Reads a pattern up to its end.
    fn skip_pattern(&mut self, take_end: impl Fn(&mut Self) -> bool) -> Result<()> {
        while !take_end(self) {
            // The `=` of `..=` is a part of the pattern.
            let length = if self.input.is_punct("..=") { 3 } else { 1 };
            if self.input.is_empty()
                || matches!(self.input.peek(), Some(TokenTree::Punct(end)) if end.as_char() == ';')
            {
                return Err(self.input.error("expected the end of a pattern"));
            }
            self.input.skip(length);
        }
        Ok(())
    }
}
