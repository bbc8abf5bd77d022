//! The input of `bound`: a file or standard input, line by line, and numbers in it with white space or commas between
//! them and `#` before a comment.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flex_bounds::file::conflict_marker;

use crate::exit::Failure;

/// The input and its name for messages.
pub fn open(file: Option<&Path>) -> Result<(String, Box<dyn BufRead>), Failure> {
    match file {
        Some(path) if path.as_os_str() != "-" => {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
            Ok((name, Box::new(BufReader::new(file))))
        }
        _ => Ok(("standard input".to_owned(), Box::new(io::stdin().lock()))),
    }
}

/// Calls `take` with the number and the bytes of every line; `name` is what errors call the input.
pub fn each_line(
    name: &str,
    mut input: impl BufRead,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let read = input.read_until(b'\n', &mut bytes);
        if read.map_err(|error| unreadable(name, &error))? == 0 {
            break;
        }
        take(number, &bytes)?;
    }
    Ok(())
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::input(
        format!("cannot read {name}: {error}"),
        "name a file, or `-` for standard input",
    )
}

/// Reads all numbers; `name` is what errors call the input.
pub fn read_numbers(name: &str, input: impl BufRead) -> Result<Vec<f64>, Failure> {
    let mut numbers = Vec::new();
    each_line(name, input, |line, bytes| {
        // What is not UTF-8 is not a number either, and the message shows it.
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        let content = text.split('#').next().unwrap_or_default();
        let words = content.split(|c: char| c.is_whitespace() || c == ',');
        for word in words.filter(|word| !word.is_empty()) {
            numbers.push(word.parse().map_err(|_| not_a_number(name, line, word))?);
        }
        Ok(())
    })?;
    Ok(numbers)
}

fn not_a_number(name: &str, line: usize, word: &str) -> Failure {
    const SHOWN: usize = 40;
    let mut shown: String = word.chars().take(SHOWN).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    let conflict = conflict_marker(word).is_some();
    Failure::input(
        format!("{name}:{line}: `{shown}` is not a number"),
        if conflict {
            "the file holds a merge conflict; resolve it first".to_owned()
        } else {
            "numbers are separated by white space or commas; put `#` before a header or a comment"
                .to_owned()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[f64], &str>) {
        match (read_numbers("in.txt", text.as_bytes()), expected) {
            (Ok(numbers), Ok(expected)) => assert_eq!(numbers, expected, "{text:?}"),
            (Err(failure), Err(words)) => {
                let message = failure.to_string();
                assert!(message.contains(words), "{message}");
            }
            (got, expected) => panic!("{text:?}: {got:?}, not {expected:?}"),
        }
    }

    #[test]
    fn white_space_commas_and_comments_separate() {
        check(
            "1, 2\t3\r\n# four\n-4e-3,,5 # six\n",
            Ok(&[1.0, 2.0, 3.0, -0.004, 5.0]),
        );
        check("\u{feff}1\n2", Ok(&[1.0, 2.0]));
        check("inf -inf", Ok(&[f64::INFINITY, f64::NEG_INFINITY]));
        check("", Ok(&[]));
    }

    #[test]
    fn what_is_not_a_number_is_named_with_its_line() {
        check("x\n1\n", Err("in.txt:1: `x` is not a number"));
        check("1\n2\n1.5.2\n", Err("in.txt:3: `1.5.2`"));
        check("1\n<<<<<<< ours\n", Err("merge conflict"));
        check(
            &"9".repeat(10).replace('9', "ab"),
            Err("`abababababababababab`"),
        );
        check(&"z".repeat(99), Err("zz…`"));
        let bytes: &[u8] = b"1 \xff\xfe 2";
        assert!(read_numbers("in.txt", bytes).is_err());
    }
}
