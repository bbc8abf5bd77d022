//! `assert_tail_bound!`: which bounds are learned, which are declared, and the hits to record.

use crate::quoted::{ToTokens as _, listed, quote, quote_spanned};
use crate::token::{Ident, Span, TokenStream};

use crate::comparison::{Comparison, Operand, OperandKind, Operator, parse};
use crate::details::Details;
use crate::settings::Errors;
use crate::site::{SiteTexts, borrowed, comparison, items, take_number};
use crate::syntax::{Error, Result};
use crate::tokens::ends;

/// Expands the macro.
pub fn expand(input: TokenStream) -> Result<TokenStream> {
    let (number, input) = take_number(input);
    let (comparison, details) = parse(input)?;
    expanded(&comparison, &details, number, "assert_tail_bound!")
}

/// Expands a comparison that a macro has read, which is called `form`.
pub fn expanded(
    comparison: &Comparison,
    details: &Details,
    number: u32,
    form: &str,
) -> Result<TokenStream> {
    let values = comparison.values();
    let pairs = pairs(&comparison.operators, &values);
    let tail = tail(&pairs);
    let mut errors = Errors::default();
    details.check(tail.is_some(), &[], &mut errors);
    let measured = match measured(comparison, &values) {
        Ok(measured) => Some(measured),
        Err(error) => {
            errors.push(error);
            None
        }
    };
    errors.into_result()?;

    let written = SiteTexts {
        text: &comparison.text,
        form,
        distance: None,
    };
    let items = items(written, number, details.literal_name());
    let sample = measured.map(Value::sample);
    let declared = declared(&pairs, &sample);
    let learned = tail.map(|tail| {
        let tail = Ident::new(tail, Span::mixed_site());
        quote! {[tail, sample]
            ::flex_harness::__private::learned(
                &__FLEX_SITE,
                ::flex_harness::__private::Tail::#tail,
                #sample,
                __flex_extras,
            );
        }
    });
    // A match keeps what the operands borrow from alive.
    let evaluated = values.iter().filter(|value| !value.is_learned());
    let names = (evaluated.clone()).map(|value| value.name(Span::mixed_site()).to_tokens());
    let names = listed(names.chain([quote!([] __flex_extras)]));
    let references = evaluated.map(|value| borrowed(&value.operand.tokens));
    let references = listed(references.chain([details.extras()]));
    Ok(quote! {[items, references, names, declared, learned] {
        #items
        match (#references) {
            (#names) => {
                #declared
                #learned
            }
        }
    }})
}

/// An operand and its place in the comparison.
#[derive(Clone, Copy)]
struct Value<'a> {
    place: usize,
    operand: &'a Operand,
}

/// Neighbours in the comparison.
struct Pair<'a> {
    left: Value<'a>,
    operator: &'a Operator,
    right: Value<'a>,
}

impl Comparison {
    fn values(&self) -> Vec<Value<'_>> {
        let operands = self.operands.iter().enumerate();
        let values = operands.map(|(place, operand)| Value { place, operand });
        values.collect()
    }
}

fn pairs<'a>(operators: &'a [Operator], values: &[Value<'a>]) -> Vec<Pair<'a>> {
    let pairs = operators.iter().zip(values.windows(2));
    let pairs = pairs.map(|(operator, neighbours)| Pair {
        left: neighbours[0],
        operator,
        right: neighbours[1],
    });
    pairs.collect()
}

/// The value that bounds are for, or why there is none.
fn measured<'a>(comparison: &Comparison, values: &[Value<'a>]) -> Result<Value<'a>> {
    let at = |tokens: &TokenStream, message| Err(Error::new_spanned(tokens, message));
    match (values, &comparison.operators[..]) {
        ([_, _, _], [first, second]) if first.ascending != second.ascending => at(
            &second.tokens,
            "both operators of a chain point the same way: write `_ < x < _` or `_ > x > _`",
        ),
        ([_, middle, _], _) if middle.operand.kind != OperandKind::Expression => at(
            &middle.operand.tokens,
            "the middle of a chain is the value that is measured: write `_ < x < _` or `0.0 < x < 1.0`",
        ),
        ([_, middle, _], _) => Ok(*middle),
        _ => {
            let mut expressions = values.iter();
            let value = expressions.find(|value| value.operand.kind == OperandKind::Expression);
            value.copied().ok_or_else(|| {
                Error::new_spanned(
                    &comparison.operators[0].tokens,
                    "nothing to measure: one side must be a value of the run, as in `x < _` or `x < 0.05`",
                )
            })
        }
    }
}

/// The tail that is to be learned, if one is.
fn tail(pairs: &[Pair]) -> Option<&'static str> {
    let bounds = pairs.iter().filter(|pair| !pair.is_declared());
    let uppers = bounds.map(|pair| pair.operator.ascending != pair.left.is_learned());
    match uppers.collect::<Vec<_>>()[..] {
        [] => None,
        [true] => Some("Upper"),
        [false] => Some("Lower"),
        _ => Some("Both"),
    }
}

/// The hit for the bounds that are written out, if there are any.
///
/// Where all of them are literals, the sample is the value. Otherwise it is the margin, left − right, by which the
/// comparison holds or fails; in a chain, the one that is closer to failing.
fn declared(pairs: &[Pair], sample: &Option<TokenStream>) -> Option<TokenStream> {
    let pairs = pairs.iter().filter(|pair| pair.is_declared());
    let pairs = pairs.collect::<Vec<_>>();
    let ascending = pairs.first()?.operator.ascending;
    let literals = pairs.iter().map(|pair| pair.end());
    let (sample, bounds) = match literals.collect::<Option<Vec<_>>>() {
        Some(bounds) => (sample.to_tokens(), bounds),
        None => {
            let is_strict = pairs.iter().any(|pair| pair.operator.is_strict);
            let margin = worst_margin(&pairs, ascending);
            (margin, vec![comparison(ascending, is_strict, 0.0)])
        }
    };
    let kept = pairs.iter().map(|pair| pair.kept());
    let kept = kept.reduce(|first, second| quote!([first, second] #first && #second));
    let bounds = listed(bounds);
    Some(quote! {[kept, sample, bounds]
        ::flex_harness::__private::declared(
            &__FLEX_SITE,
            #kept,
            #sample,
            &[#bounds],
            __flex_extras,
        );
    })
}

fn worst_margin(pairs: &[&Pair], ascending: bool) -> TokenStream {
    let margins = pairs.iter().map(|pair| pair.margin());
    let margins = margins.collect::<Vec<_>>();
    let [first, second] = &margins[..] else {
        return margins.to_tokens();
    };
    let closer = if ascending {
        quote!([] >)
    } else {
        quote!([] <)
    };
    quote! {[first, second, closer]
        match (#first, #second) {
            (__flex_first, __flex_second) => {
                if __flex_first.value #closer __flex_second.value { __flex_first } else { __flex_second }
            }
        }
    }
}

impl Value<'_> {
    fn is_learned(&self) -> bool {
        self.operand.kind == OperandKind::Learned
    }

    /// What the expansion calls a reference to the value.
    fn name(&self, span: Span) -> Ident {
        Ident::new(&format!("__flex_{}", self.place), span)
    }

    /// The value; type errors point at the operand.
    fn used(&self) -> TokenStream {
        let (first, last) = ends(&self.operand.tokens);
        let name = self.name(last);
        quote_spanned!(first => [name] *#name)
    }

    /// A reference to the value; type errors point at the operand.
    fn reference(&self) -> TokenStream {
        let (first, _) = ends(&self.operand.tokens);
        let value = self.used();
        quote_spanned!(first => [value] &#value)
    }

    fn sample(self) -> TokenStream {
        let value = self.reference();
        quote!([value] ::flex_harness::__private::measured(#value))
    }
}

impl Pair<'_> {
    fn is_declared(&self) -> bool {
        !self.left.is_learned() && !self.right.is_learned()
    }

    /// The comparison itself, in the type of the operands.
    fn kept(&self) -> TokenStream {
        let (left, right) = (self.left.used(), self.right.used());
        let operator = &self.operator.tokens;
        quote!([left, operator, right] #left #operator #right)
    }

    /// By how much the left side is greater.
    fn margin(&self) -> TokenStream {
        let (left, right) = (self.left.reference(), self.right.reference());
        quote!([left, right] ::flex_harness::__private::margin(#left, #right))
    }

    /// The comparison of a value with its bound, if one side is a literal.
    fn end(&self) -> Option<TokenStream> {
        let Operator {
            ascending,
            is_strict,
            ..
        } = *self.operator;
        match (self.left.operand.kind, self.right.operand.kind) {
            (_, OperandKind::Literal(bound)) => Some(comparison(ascending, is_strict, bound)),
            (OperandKind::Literal(bound), _) => Some(comparison(!ascending, is_strict, bound)),
            _ => None,
        }
    }
}
