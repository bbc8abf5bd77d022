//! The features that the crate under test is compiled with, for the commands that run its tests again.

/// Returns the features of the crate that is being compiled, separated by commas. Macros run within the compiler, and
/// cargo names features to it as `--cfg feature="name"`; who else expands macros names none.
pub(crate) fn active() -> String {
    named(std::env::args())
}

fn named(args: impl IntoIterator<Item = String>) -> String {
    let feature = |arg: String| {
        let cfg = arg.strip_prefix("--cfg=").unwrap_or(&arg);
        let name = cfg.strip_prefix("feature=\"")?.strip_suffix('"')?;
        Some(name.to_owned())
    };
    let names: Vec<String> = args.into_iter().filter_map(feature).collect();
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_as_cargo_words_them() {
        let line = "rustc --crate-name a --cfg feature=\"default\" --cfg=feature=\"slow-tests\" --cfg unix src/lib.rs";
        let args = line.split(' ').map(str::to_owned);
        assert_eq!(named(args), "default,slow-tests");
    }
}
