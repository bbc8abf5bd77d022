//! Entropy that follows the seed, for code that takes none: `entropy = controlled` (docs/reference/entropy.md).
//!
//! Most of what is random without a seed was seeded by the operating system, once per thread, when the thread first
//! asked. A controlled run therefore has a thread of its own, on which the function that asks is ours.

#[cfg(all(feature = "entropy", target_os = "linux", not(miri)))]
pub(crate) mod stream;
#[cfg(all(feature = "entropy", target_os = "linux", not(miri)))]
pub(crate) use stream::Entropy;

#[cfg(not(all(feature = "entropy", target_os = "linux", not(miri))))]
mod elsewhere;
#[cfg(not(all(feature = "entropy", target_os = "linux", not(miri))))]
pub(crate) use elsewhere::Entropy;

/// Where probes count who asks for entropy, and the operating system alone answers.
#[cfg(all(
    feature = "probes",
    not(feature = "entropy"),
    target_os = "linux",
    not(miri)
))]
#[path = "uncontrolled.rs"]
pub(crate) mod stream;

/// Said where somebody asks for control without the feature.
#[cfg(not(feature = "entropy"))]
pub(crate) const NEEDS_FEATURE: &str =
    "`entropy = controlled` needs the feature `entropy` of flex-harness";

/// `true`, for a test that says `entropy = controlled`.
#[cfg(feature = "entropy")]
#[doc(hidden)]
#[macro_export]
macro_rules! __entropy_controlled {
    () => {
        true
    };
}

/// An error, for a test that says `entropy = controlled`.
#[cfg(not(feature = "entropy"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __entropy_controlled {
    () => {
        ::core::compile_error!(
            "`entropy = controlled` needs the feature `entropy`: flex-harness = { version = \"…\", features = [\"entropy\"] }"
        )
    };
}
