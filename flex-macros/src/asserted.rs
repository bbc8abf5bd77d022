//! Plain `assert!(left < right)` in a stochastic test: recorded, and otherwise what it was.
//!
//! Only the condition is written anew. The operands stay where they are, their types are compared by the user's own
//! operator, and whether they are numbers is found out by method resolution after that.

use crate::quoted::{ToTokens, quote, quote_spanned};
use crate::token::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};

use crate::printed::printed;
use crate::settings::number;
use crate::site::{SiteTexts, borrowed, comparison, hard_items};
use crate::syntax::{Expr, ExprKind, Input};
use crate::tokens::{is_word, text, user_ends};

/// The macros of the standard library that are recorded.
const MACROS: [&str; 2] = ["assert", "debug_assert"];

/// Whether the path is that of a plain assertion.
pub fn is_plain(path: &[String]) -> bool {
    match path {
        [name] => MACROS.contains(&name.as_str()),
        [krate, name] => {
            ["std", "core"].contains(&krate.as_str()) && MACROS.contains(&name.as_str())
        }
        _ => false,
    }
}

/// `left < right`, and what follows it in the input of `assert!`.
pub struct Asserted {
    left: Expr,
    operator: TokenStream,
    /// Whether the left side is to be the smaller one.
    ascending: bool,
    /// Whether equal sides break it.
    is_strict: bool,
    right: Expr,
    /// A comma and the message; or the text that the compiler would make one of.
    message: TokenStream,
    /// The tokens without white space.
    pub text: String,
}

impl Asserted {
    /// Reads the input of `assert!`. `None` if it is to be left alone.
    pub fn parse(input: &TokenStream) -> Option<Self> {
        let mut input = Input::new(input.clone());
        let condition = input.parse::<Expr>().ok()?;
        let message = match input.rest().into_iter().collect::<Vec<_>>()[..] {
            [] => default_message(&condition)?,
            [TokenTree::Punct(ref comma)] if comma.as_char() == ',' => default_message(&condition)?,
            [TokenTree::Punct(ref comma), ref message @ ..] if comma.as_char() == ',' => {
                let message = message.iter().cloned().collect::<TokenStream>();
                quote!([message] , #message)
            }
            _ => return None,
        };
        let text = text(&condition.to_tokens());
        let ExprKind::Binary(left, operator, right) = condition.kind else {
            return None;
        };
        let (ascending, is_strict) = match operator.text {
            "<" => (true, true),
            "<=" => (true, false),
            ">" => (false, true),
            ">=" => (false, false),
            _ => return None,
        };
        let (left, right) = (*left, *right);
        if number(&left).is_some() && number(&right).is_some() {
            return None;
        }
        Some(Asserted {
            left,
            operator: operator.tokens,
            ascending,
            is_strict,
            right,
            message,
            text,
        })
    }

    /// The new input of the macro that stands there; `number` tells equal texts apart.
    pub fn recorded(&self, form: &str, number: u32, at: Span) -> TokenStream {
        let (left, right) = (
            Operand::of(&self.left, "left"),
            Operand::of(&self.right, "right"),
        );
        let operator = &self.operator;
        let (left_value, right_value) = (left.value(), right.value());
        let (left_name, right_name) = (&left.name, &right.name);
        let left_reference = if self.left_may_change() {
            let left = &left.reference;
            quote!([left] (&::flex_harness::__private::Operand(#left)).__flex_held())
        } else {
            left.reference.clone()
        };
        let right_reference = &right.reference;
        let written = SiteTexts {
            text: &self.text,
            form,
            distance: None,
        };
        let site = hard_items(written, number, at);
        let (sampled, bound) = self.sampled();
        let message = &self.message;
        // A match keeps what the operands borrow from alive. The comparison comes first, so that types are known.
        quote! {[site, left_reference, right_reference, left_name, right_name, left_value, operator, right_value, sampled, bound, message]
            {
                #[allow(unused_imports)]
                use ::flex_harness::__private::{NotMeasured as _, NotScalar as _};
                #site
                match (#left_reference, #right_reference) {
                    (#left_name, #right_name) => {
                        let __flex_kept = #left_value #operator #right_value;
                        ::flex_harness::__private::asserted(
                            &__FLEX_SITE,
                            __flex_kept,
                            (&::flex_harness::__private::Operands(&*#left_name, &*#right_name))
                                .__flex_sample(::flex_harness::__private::Sampled::#sampled, #bound),
                        );
                        __flex_kept
                    }
                }
            }
            #message
        }
    }

    /// Whether evaluating the right side may change or move the left one.
    ///
    /// Numbers are copied then, as the compiler does. References are good for all other types.
    fn left_may_change(&self) -> bool {
        root(&self.left).is_some_and(|root| {
            let right = self.right.to_tokens();
            can_act(right.clone()) && mentions(right, &root)
        })
    }

    /// What the sample is, and the comparison that it is to keep: the value, if one side is a literal.
    fn sampled(&self) -> (TokenStream, TokenStream) {
        let (sampled, is_upper, bound) = match (number(&self.left), number(&self.right)) {
            (_, Some(bound)) => (quote!([] Left), self.ascending, bound),
            (Some(bound), _) => (quote!([] Right), !self.ascending, bound),
            _ => (quote!([] Margin), self.ascending, 0.0),
        };
        (sampled, comparison(is_upper, self.is_strict, bound))
    }
}

/// One side of the comparison.
struct Operand {
    reference: TokenStream,
    /// What the reference is called.
    name: Ident,
    /// Where the operand begins and ends.
    span: Span,
    last: Span,
}

impl Operand {
    fn of(operand: &Expr, name: &str) -> Self {
        let tokens = operand.to_tokens();
        // As if the user had written it, so that type errors are those of the user's own comparison.
        let (span, last) = user_ends(&tokens);
        Operand {
            reference: borrowed(&tokens),
            name: Ident::new(&format!("flex_{name}"), last),
            span,
            last,
        }
    }

    /// The value; type errors point at the operand.
    fn value(&self) -> TokenStream {
        let mut name = self.name.clone();
        name.set_span(self.last);
        quote_spanned!(self.span => [name] *#name)
    }
}

/// The message of the compiler, as an argument of `assert!`.
fn default_message(condition: &Expr) -> Option<TokenStream> {
    let message = format!("assertion failed: {}", printed(condition)?);
    let message_literal = Literal::string(&message);
    // Before the edition 2021, a lone message is not a format.
    Some(if message.contains(['{', '}']) {
        quote!([message_literal] , "{}", #message_literal)
    } else {
        quote!([message_literal] , #message_literal)
    })
}

/// The variable that a place is a part of.
fn root(place: &Expr) -> Option<Ident> {
    match &place.kind {
        ExprKind::Path(path) => path.word().cloned(),
        ExprKind::Field(base, _) | ExprKind::Index(base, _) => root(base),
        ExprKind::Brackets(_) => root(&place.in_brackets()?),
        ExprKind::Group(inside) | ExprKind::Unary('*', inside) => root(inside),
        _ => None,
    }
}

/// Whether there are calls or blocks among the tokens.
fn can_act(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Parenthesis | Delimiter::Brace => true,
            Delimiter::Bracket | Delimiter::None => can_act(group.stream()),
        },
        _ => false,
    })
}

fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Ident(word) => is_word(&word, &name.to_string()),
        _ => false,
    })
}
