//! JUnit files: the properties called `flex` that pytest-flex adds to test cases, and `calibrate --junit`.

use super::is_line;

/// The property that has a line of a history.
const PROPERTY: &str = "flex";

/// The lines in a JUnit file, and how many test cases have none.
pub fn junit_lines(text: &str) -> Result<(Vec<String>, usize), String> {
    let document =
        roxmltree::Document::parse(text).map_err(|error| format!("it is no XML: {error}"))?;
    let cases = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let mut lines = Vec::new();
    let mut without = 0;
    for case in cases {
        let properties = case.descendants().filter(|node| {
            node.has_tag_name("property") && node.attribute("name") == Some(PROPERTY)
        });
        let before = lines.len();
        for property in properties {
            let value = property.attribute("value").or_else(|| property.text());
            lines.extend(
                value
                    .map(str::trim)
                    .filter(|value| is_line(value))
                    .map(str::to_owned),
            );
        }
        without += usize::from(lines.len() == before);
    }
    match lines.is_empty() && without == 0 {
        true => Err("it has no test cases".to_owned()),
        false => Ok((lines, without)),
    }
}
