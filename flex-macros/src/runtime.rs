//! What runs the future of an `async` stochastic test.

use crate::quoted::{ToTokens as _, quote, quote_spanned};
use crate::token::TokenStream;

use crate::settings::{Errors, Setting};
use crate::syntax::{Error, Expr, ExprKind, literal_text};
use crate::tokens::ends;

/// The options of the attribute that belong to no table: they are about source code.
pub const KEYS: [&str; 2] = ["runtime", "start_paused"];

/// What takes a future and returns what it returns.
pub enum Runtime<'a> {
    /// The test is not `async`.
    None,
    /// A runtime of tokio for each run, on the thread of the test.
    Tokio { word: &'a Expr, is_paused: bool },
    /// A function of a future, such as `smol::block_on`.
    Function(&'a Expr),
}

impl<'a> Runtime<'a> {
    /// The runtime that the settings name, for a function with or without `async`.
    pub fn of(settings: &'a [Setting], asyncness: &TokenStream, errors: &mut Errors) -> Self {
        let setting = |name| settings.iter().find(|setting| setting.is(name));
        let [runtime, paused] = KEYS.map(setting);
        let mut refuse = |tokens: TokenStream, message: &str| {
            errors.push(Error::new_spanned(tokens, message));
            Runtime::None
        };
        let is_paused = match paused.map(|setting| (&setting.key, &setting.value.kind)) {
            None => false,
            Some((_, ExprKind::Bool(is_paused))) => *is_paused,
            Some((key, _)) => {
                return refuse(
                    key.to_tokens(),
                    "write `start_paused = true` for a clock that jumps to the next timer, or leave it out",
                );
            }
        };
        let runtime = match (asyncness.is_empty(), runtime) {
            (false, Some(runtime)) => &runtime.value,
            (false, None) => {
                return refuse(
                    asyncness.clone(),
                    "an `async` stochastic test says what runs it: `runtime = \"tokio\"`, or a function of a future \
                     such as `runtime = smol::block_on`",
                );
            }
            (true, Some(Setting { key, .. })) => {
                return refuse(
                    key.to_tokens(),
                    "`runtime` is for an `async fn`; remove this",
                );
            }
            (true, None) => match paused {
                Some(Setting { key, .. }) => {
                    return refuse(
                        key.to_tokens(),
                        "`start_paused` is for an `async fn`; remove this",
                    );
                }
                None => return Runtime::None,
            },
        };
        match (&runtime.kind, paused) {
            (ExprKind::Literal(text), _) if literal_text(text).as_deref() == Some("tokio") => {
                Runtime::Tokio {
                    word: runtime,
                    is_paused,
                }
            }
            (ExprKind::Literal(_), _) => refuse(
                runtime.to_tokens(),
                "the runtime that flex knows by name is \"tokio\"; for any other write a function of a future, such \
                 as `runtime = smol::block_on`",
            ),
            (_, Some(Setting { key, .. })) => refuse(
                key.to_tokens(),
                "`start_paused` is for `runtime = \"tokio\"`; let your own runtime start that way",
            ),
            _ => Runtime::Function(runtime),
        }
    }

    /// What a call of the test's function returns, once it is done.
    pub fn run(&self, call: TokenStream) -> TokenStream {
        match self {
            Runtime::None => call,
            Runtime::Function(function) => quote!([function, call] (#function)(#call)),
            Runtime::Tokio { word, is_paused } => {
                let (first, _) = ends(&word.to_tokens());
                let paused = is_paused.then(|| quote_spanned!(first => [] .start_paused(true)));
                let runtime = quote_spanned! {first => [paused]
                    ::tokio::runtime::Builder::new_current_thread().enable_all()#paused.build()
                };
                quote!([runtime, call] #runtime.expect("tokio starts a runtime").block_on(#call))
            }
        }
    }
}
