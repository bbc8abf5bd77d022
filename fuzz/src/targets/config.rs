//! `flex.toml`, and the same keys in `Cargo.toml`.

use flex_bounds::TestId;
use flex_bounds::config::Config;

/// A file is read or refused, and whatever it says answers every test.
pub fn flex_toml(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    match text.parse::<Config>() {
        Ok(config) => answers(&config),
        Err(error) => {
            let lines = text.split('\n').count();
            assert!((1..=lines).contains(&error.line), "{error} of {lines}");
            assert!(!error.message.is_empty());
        }
    }
    if let Ok(Some(config)) = Config::from_manifest(text) {
        answers(&config);
    }
}

fn answers(config: &Config) {
    for test in [
        TestId::cargo("test:sketch", "tests::slow_search"),
        TestId::pytest("tests/test_a.py::test_x[a-1]"),
    ] {
        let options = config.options(&test);
        // What a rule says is said again in the words of the file.
        assert_eq!(options, config.options(&test));
    }
    let variant = config.variant("linux", "x86_64");
    let known = |name: &str| config.variants.iter().any(|rule| rule.name == name);
    assert!(variant.is_none_or(known));
}
