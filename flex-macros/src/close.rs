//! `assert_close!`: two things that differ by no more than a tolerance.

use crate::quoted::{ToTokens as _, quote};
use crate::token::TokenStream;

use crate::details::Details;
use crate::settings::{Errors, number, number_tokens};
use crate::site::{SiteTexts, borrowed, items, take_number};
use crate::syntax::{Error, Expr, ExprKind, Input, Parse, Result, parse};
use crate::tokens::text;

/// Expands the macro.
pub fn expand(input: TokenStream) -> Result<TokenStream> {
    let (nth, input) = take_number(input);
    let close = parse::<Close>(input)?;
    let mut errors = Errors::default();
    let tolerance = close.tolerance();
    let is_declared = matches!(&tolerance, Ok((_, tolerance)) if !is_blank(tolerance));
    (close.details).check(!is_declared, &["abs", "rel"], &mut errors);
    errors.into_result()?;

    let (relative, tolerance) = tolerance?;
    let tolerance = tolerance_tokens(tolerance)?;
    let written = SiteTexts {
        text: &close.text()?,
        form: "assert_close!",
        distance: Some(if relative { "Relative" } else { "Absolute" }),
    };
    let items = items(written, nth, close.details.literal_name());
    let (got, want) = (borrowed(&close.got), borrowed(&close.want));
    let extras = close.details.extras();
    Ok(quote! {[items, got, want, relative, tolerance, extras] {
        #items
        ::flex_harness::__private::close(
            &__FLEX_SITE,
            #got,
            #want,
            #relative,
            ::flex_harness::__private::Tolerance::#tolerance,
            #extras,
        );
    }})
}

fn is_blank(tolerance: &Expr) -> bool {
    matches!(tolerance.kind, ExprKind::Infer)
}

/// The variant of `Tolerance`.
fn tolerance_tokens(tolerance: &Expr) -> Result<TokenStream> {
    Ok(match number(tolerance) {
        _ if is_blank(tolerance) => quote!([] Learned),
        Some(number) if number < 0.0 => {
            return Err(Error::new_spanned(
                tolerance,
                "a tolerance is not negative; write 0.0 if the two must be equal",
            ));
        }
        Some(number) => {
            let number = number_tokens(number);
            quote!([number] Literal(#number))
        }
        None => {
            let tolerance = borrowed(&tolerance.to_tokens());
            quote!([tolerance] Computed(::flex_harness::__private::measured(#tolerance).value))
        }
    })
}

/// `got, want, abs = _` and details.
pub struct Close {
    got: TokenStream,
    want: TokenStream,
    pub details: Details,
}

impl Parse for Close {
    fn parse(input: &mut Input) -> Result<Self> {
        const USAGE: &str = "write `assert_close!(got, want, abs = _)` to learn the tolerance";
        let missing = |input: &Input, what: &str| {
            Err(Error::new(
                input.span(),
                format!("expected {what}; {USAGE}"),
            ))
        };
        if input.is_empty() {
            return missing(input, "two values to compare");
        }
        let got = input.parse::<Expr>()?;
        if !input.take_punct(",") {
            return missing(input, "`,` and a value to compare with");
        }
        if input.is_empty() {
            return missing(input, "a value to compare with");
        }
        let want = input.parse::<Expr>()?;
        for value in [&got, &want] {
            if matches!(value.kind, ExprKind::Infer | ExprKind::Assign) {
                let message = format!("expected a value to compare; {USAGE}");
                return Err(Error::new_spanned(value, message));
            }
        }
        let mut third = input.clone();
        if third.take_punct(",")
            && let Ok(third) = third.parse::<Expr>()
            && number(&third).is_some()
        {
            return Err(Error::new_spanned(
                third,
                "which tolerance? Write `abs = ` or `rel = ` before this number",
            ));
        }
        let details = input.parse()?;
        Ok(Close {
            got: got.to_tokens(),
            want: want.to_tokens(),
            details,
        })
    }
}

impl Close {
    /// What identifies the site.
    pub fn text(&self) -> Result<String> {
        let (got, want) = (text(&self.got), text(&self.want));
        let (relative, tolerance) = self.tolerance()?;
        let key = if relative { "rel" } else { "abs" };
        let tolerance = text(&tolerance.to_tokens());
        Ok(format!("close({got},{want},{key}={tolerance})"))
    }

    /// Whether the tolerance is relative, and what it is.
    fn tolerance(&self) -> Result<(bool, &Expr)> {
        match (self.details.get("abs"), self.details.get("rel")) {
            (Some(tolerance), None) => Ok((false, tolerance)),
            (None, Some(tolerance)) => Ok((true, tolerance)),
            (None, None) => Err(Error::new_spanned(
                &self.want,
                "how close? Add `abs = _` or `rel = _` to learn the tolerance, or a number instead of `_`",
            )),
            (Some(_), Some(tolerance)) => Err(Error::new_spanned(
                tolerance,
                "either `abs` or `rel`, not both; write two assertions to ask for both",
            )),
        }
    }
}
