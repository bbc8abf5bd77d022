use super::*;
use crate::TestId;

#[test]
fn everything_that_the_attribute_takes_can_be_said() {
    let text = r#"
        version = 1
        confidence = 0.999
        runs = 50
        max-runs = 500
        tail = "light"
        effort = 0
        on-ceiling = "warn"
        overlap = true
        entropy = "controlled"
        attempts = 4
        timeout = 90
        [[test]]
        path = "tests::*"
        target = "lib"
        tail = "any"
        [[test]]
        path = "*::slow"
        tail = "light"
        runs = 10
        [[variant]]
        name = "mac"
        os = "macos"
        [[variant]]
        name = "arm"
        arch = "aarch64"
    "#;
    let config: Config = text.parse().unwrap();
    let options = config.options(&TestId::cargo("test:x", "slow"));
    assert_eq!(options, config.defaults);
    assert_eq!((options.confidence, options.runs), (Some(0.999), Some(50)));
    assert!(options.is_light() && options.ceiling_warns());
    assert!(options.may_overlap() && options.controls_entropy());
    assert_eq!(options.attempts(), 4);
    assert_eq!(options.timeout, Some(90.0));
    let slow = config.options(&TestId::cargo("lib", "tests::slow"));
    assert!(
        !slow.is_light(),
        "the first rule that says something counts"
    );
    assert_eq!(slow.runs, Some(10), "and others for what it does not say");
    assert!(
        config.options(&TestId::pytest("tests::slow")).is_light(),
        "pytest has no targets"
    );
    assert_eq!(config.variant("macos", "aarch64"), Some("mac"));
    assert_eq!(config.variant("linux", "aarch64"), Some("arm"));
    assert_eq!(config.variant("linux", "x86_64"), None);
    assert_eq!(config.tests[1].line, 17);
}

fn wrong(text: &str, line: usize, expected: &str) {
    let error = text.parse::<Config>().unwrap_err();
    assert_eq!(error.line, line, "{error}");
    assert!(error.message.contains(expected), "{error}");
}

#[test]
fn what_cannot_be_understood_names_its_line_and_what_to_do() {
    wrong("\nconfidense = 0.9", 2, "did you mean `confidence`?");
    wrong("max_runs = 9", 1, "did you mean `max-runs`?");
    wrong("[[test]]\npaht = 'x'", 2, "did you mean `path`?");
    wrong("[[variant]]\nname = 'x'\ncpu = 'y'", 3, "known here are");
    wrong("confidence = 1", 1, "strictly between 0 and 1");
    wrong("confidence = 'high'", 1, "must be a number");
    wrong("runs = 0", 1, "at least 1");
    wrong("attempts = 0", 1, "at least 1");
    wrong("effort = nan", 1, "extra runs per run");
    wrong("tail = 'heavy'", 1, "\"any\" or \"light\", not \"heavy\"");
    wrong("overlap = 'yes'", 1, "`true` or `false`");
    wrong("false-alarms = '1 in 10'", 1, "1 in 10000 runs");
    wrong(
        "false-alarms = '1 in 9 runs'\nconfidence = 0.9",
        1,
        "leave `confidence` out",
    );
    wrong("[[test]]\nruns = 3", 1, "path");
    wrong(
        "[[test]]\npath = 'x'\nruns = 3\nmax-runs = 2",
        1,
        "more than",
    );
    wrong("[test]\npath = 'x'", 1, "double brackets");
    wrong("test = [1]", 1, "[[test]]");
    wrong("[[variant]]\nos = 'linux'", 1, "name");
    wrong("[[variant]]\nname = ''", 2, "empty");
    wrong("version = 2", 1, "upgrade flex");
    wrong("runs = 3\n<<<<<<< HEAD\nruns = 4", 2, "merge conflict");
    wrong("runs = ", 1, "");
}

#[test]
fn a_manifest_has_it_under_metadata() {
    let manifest = "[package]\nname = 'x'\n\n[package.metadata.flex]\nruns = 7\n";
    let config = Config::from_manifest(manifest).unwrap().unwrap();
    assert_eq!(config.defaults.runs, Some(7));
    let none = |text: &str| assert_eq!(Config::from_manifest(text), Ok(None), "{text}");
    none("[package]\nname = 'x'");
    none("[package.metadata.docs]\nall = true");
    none("[workspace.metadata.flex]\nruns = 3");
    let error = Config::from_manifest(&manifest.replace("runs", "rnus")).unwrap_err();
    assert_eq!(error.line, 5);
    assert!(error.message.contains("did you mean `runs`?"), "{error}");
    let error = Config::from_manifest("[package.metadata]\nflex = 3").unwrap_err();
    assert_eq!(error.line, 2);
}
