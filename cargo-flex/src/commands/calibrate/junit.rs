//! `--junit FILE`: what CI servers read, one suite for each test program and one case for each test.

use std::fmt::Write as _;
use std::path::Path;

use flex_core::words::count;

use super::findings::{Finding, TestFindings};
use crate::exit::Failure;

/// Writes the file.
pub fn write(path: &Path, tests: &[TestFindings<'_>]) -> Result<(), Failure> {
    std::fs::write(path, document(tests)).map_err(|error| {
        Failure::input(
            format!("cannot write {}: {error}", path.display()),
            "name a file in a folder that is there, with --junit",
        )
    })
}

fn document(tests: &[TestFindings<'_>]) -> String {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(xml, "<testsuites name=\"flex\" {}>", totals(tests));
    let program = |test: &TestFindings<'_>| {
        let program = test.test.program;
        format!("{} {}", program.package, program.target)
    };
    for suite in tests.chunk_by(|a, b| program(a) == program(b)) {
        let name = escaped(&program(&suite[0]));
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" {}>", totals(suite));
        for test in suite {
            case(&mut xml, test, &name);
        }
        xml += "  </testsuite>\n";
    }
    xml + "</testsuites>\n"
}

/// How many tests there are, how many have findings, how many could not be calibrated, and how long they took.
fn totals(tests: &[TestFindings<'_>]) -> String {
    let with = |errors: bool| {
        let is_it = |finding: &Finding| finding.is_error == errors;
        let has_one = |test: &&TestFindings<'_>| test.findings.iter().any(is_it);
        tests.iter().filter(has_one).count()
    };
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3}\"",
        tests.len(),
        with(false),
        with(true),
        tests.iter().map(seconds).sum::<f64>()
    )
}

fn seconds(test: &TestFindings<'_>) -> f64 {
    test.calibration
        .map_or(0.0, |c| f64::from(c.runs) * c.seconds_per_run)
}

fn case(xml: &mut String, test: &TestFindings<'_>, class: &str) {
    let name = escaped(&test.test.name);
    let _ = write!(
        xml,
        "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{:.3}\">",
        seconds(test)
    );
    for finding in &test.findings {
        let tag = if finding.is_error { "error" } else { "failure" };
        let first = finding.words.lines().next().unwrap_or_default();
        let _ = write!(
            xml,
            "\n      <{tag} type=\"{}\" message=\"{}\">{}</{tag}>",
            escaped(finding.kind),
            escaped(first),
            escaped(&finding.words)
        );
    }
    if let Some(calibration) = test.calibration {
        let runs = count(calibration.runs as usize, "run", "runs");
        let _ = write!(
            xml,
            "\n      <system-out>{runs}, base seed {}\n{}</system-out>",
            escaped(&calibration.base),
            escaped(&calibration.to_string())
        );
    }
    *xml += "\n    </testcase>\n";
}

/// Text of any kind within XML 1.0, which has no room for control characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_kind_fits_into_xml() {
        let check = |text: &str, expected: &str| assert_eq!(escaped(text), expected);
        check("x<_ && \"y\">_", "x&lt;_ &amp;&amp; &quot;y&quot;&gt;_");
        check("a\u{1b}[0m\nb", "a\u{fffd}[0m\nb");
    }
}
