//! Reading tables of comma-separated values (RFC 4180).

/// The rows with the lines that they begin on, empty lines left out; the line of a quotation mark that is not closed.
pub fn rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, usize> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begins) = (1, 1);
    let mut quoted_since = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, quoted_since) {
            ('"', Some(_)) if letters.next_if_eq(&'"').is_some() => field.push('"'),
            ('"', Some(_)) => quoted_since = None,
            ('"', None) if field.is_empty() => quoted_since = Some(line),
            (',', None) => row.push(std::mem::take(&mut field)),
            ('\r', None) if letters.peek() == Some(&'\n') => {}
            ('\n', None) => {
                line += 1;
                end_row(&mut rows, &mut row, &mut field, begins);
                begins = line;
            }
            (letter, _) => {
                line += usize::from(letter == '\n');
                field.push(letter);
            }
        }
    }
    end_row(&mut rows, &mut row, &mut field, begins);
    match quoted_since {
        Some(line) => Err(line),
        None => Ok(rows),
    }
}

fn end_row(
    rows: &mut Vec<(usize, Vec<String>)>,
    row: &mut Vec<String>,
    field: &mut String,
    begins: usize,
) {
    if !row.is_empty() || !field.is_empty() {
        row.push(std::mem::take(field));
        rows.push((begins, std::mem::take(row)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_hold_commas_quotes_and_ends_of_lines() {
        let text = "a,b\r\n\"1,2\",\"say \"\"x\"\"\"\n\n\"two\nlines\",\n";
        let fields = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let expected: Vec<(usize, Vec<String>)> = vec![
            (1, fields(&["a", "b"])),
            (2, fields(&["1,2", "say \"x\""])),
            (4, fields(&["two\nlines", ""])),
        ];
        assert_eq!(rows(text), Ok(expected));
        assert_eq!(rows("a\nb,\"c"), Err(2));
        assert_eq!(rows(""), Ok(vec![]));
    }
}
