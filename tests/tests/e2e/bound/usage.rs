//! Where the numbers of `flex-harness bound` come from and its answer goes, and what is wrong with either.

use super::*;

#[test]
fn numbers_come_from_a_file_or_standard_input_with_comments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("errors.txt");
    let mut content = "# errors of 100 runs\n".to_owned();
    content += &text(&exponential(100)).replace('\n', ", ");
    std::fs::write(&path, content).unwrap();
    let from_file = flex_harness(&["bound", "--json", path.to_str().unwrap()], "");
    let from_input = bound(&["--json", "-"], &exponential(100));
    assert_eq!(from_file.json(), from_input.json());
}

#[test]
fn cargo_flex_is_the_same_program() {
    let input = text(&exponential(100));
    let expected = flex_harness(&["bound"], &input).out;
    for args in [&["flex", "bound"][..], &["bound"]] {
        let said = run(Command::new(program("cargo-flex")).args(args), &input);
        assert_eq!(said.out, expected);
    }
    // It calls itself, also in hints, what it was called.
    let asked = |args: &[&str]| run(Command::new(program("cargo-flex")).args(args), "1\n");
    assert!(asked(&["flex", "-V"]).out.starts_with("cargo flex "));
    assert!(flex_harness(&["-V"], "").out.starts_with("flex-harness "));
    let wrong = asked(&["flex", "bound", "--confidence", "0.9", "--method", "flex"]);
    assert!(!wrong.all().contains("flex-harness "), "{wrong}");
}

#[test]
fn wrong_input_is_an_error_with_a_hint_and_exit_code_2() {
    for (args, input, words) in [
        (
            &["bound"][..],
            "1\n2\nx\n",
            "standard input:3: `x` is not a number",
        ),
        (&["bound", "no-such-file"], "", "cannot read no-such-file"),
        (&["bound", "."], "", "cannot read ."),
        (&["bound", "--jsonl", "."], "", "cannot read ."),
        (
            &["bound", "--confidence", "1"],
            "",
            "strictly between 0 and 1",
        ),
        (&["bound", "--tail", "left"], "", "`left` is not a tail"),
        (
            &["bound", "--domain", "1..0"],
            "",
            "the lower end must be smaller",
        ),
        (&["bound", "--effort", "-1"], "", "cannot be negative"),
        (
            &["bound", "--tail", "both", "--declared", "1"],
            "",
            "a declared bound has one side",
        ),
        (&["bound", "--jsonl", "--light"], "", "cannot be used with"),
        (&["bond"], "", "unrecognized subcommand"),
    ] {
        let said = flex_harness(args, input);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
        assert!(said.err.starts_with("error: "), "{}", said.err);
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
}

#[test]
fn help_opens_with_a_sentence_and_an_example() {
    for (args, command) in [
        (&["--help"][..], "cargo flex calibrate"),
        (&["bound", "--help"], "flex-harness bound"),
    ] {
        let said = flex_harness(args, "");
        assert_eq!(said.code, 0);
        let (sentence, _) = said.out.split_once("\n\n").unwrap();
        assert!(sentence.ends_with('.'), "{sentence}");
        let example = said
            .out
            .lines()
            .find(|line| line.starts_with("Example: "))
            .unwrap();
        assert!(example.contains(command), "{example}");
    }
}

#[test]
fn a_full_disk_is_said() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    // Only some systems have such a device.
    let Ok(full) = full else { return };
    let mut command = Command::new(program("flex-harness"));
    let output = command
        .args(["bound", "--help"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(70));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("error: cannot write the answer"), "{err}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let line = format!("{{\"id\": 1, \"samples\": {:?}}}\n", exponential(100));
    let program = program("flex-harness");
    let script = format!("{} bound --jsonl | head -n 1", program.display());
    let said = run(
        Command::new("bash").args(["-o", "pipefail", "-c", &script]),
        &line.repeat(500),
    );
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}
