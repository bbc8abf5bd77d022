//! JSON, as much of it as flex writes where nothing may be linked that knows all of it.

use std::fmt::Write as _;

/// An object under construction.
pub struct Object(String);

impl Object {
    /// One without fields.
    pub fn new() -> Self {
        Object("{".to_owned())
    }

    /// Adds a field that is JSON already.
    pub fn raw(&mut self, key: &str, value: &str) {
        let comma = if self.0.len() > 1 { "," } else { "" };
        let _ = write!(self.0, "{comma}\"{key}\":{value}");
    }

    /// Adds a text.
    pub fn text(&mut self, key: &str, value: &str) {
        self.raw(key, &text(value));
    }

    /// Adds a text, if there is one.
    pub fn maybe_text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// Adds a number.
    pub fn number(&mut self, key: &str, value: f64) {
        self.raw(key, &number(value));
    }

    /// The object, complete.
    pub fn end(self) -> String {
        self.0 + "}"
    }
}

/// A list of values that are JSON already.
pub fn list(values: impl Iterator<Item = String>) -> String {
    let mut list = "[".to_owned();
    for value in values {
        if list.len() > 1 {
            list.push(',');
        }
        list += &value;
    }
    list + "]"
}

/// A number, or nothing.
pub fn maybe_number(value: Option<f64>) -> String {
    value.map_or("null".to_owned(), number)
}

/// A number; those that JSON does not know are texts.
pub fn number(value: f64) -> String {
    match value {
        value if value.is_finite() => format!("{value:?}"),
        value if value.is_nan() => text("nan"),
        value if value > 0.0 => text("inf"),
        _ => text("-inf"),
    }
}

/// A text in quotes.
pub fn text(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '\n' => quoted += "\\n",
            c if (c as u32) < 0x20 => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_those_of_json() {
        assert_eq!(text("a \"b\" \\ \n\u{1}é"), r#""a \"b\" \\ \n\u0001é""#);
        assert_eq!(number(1e300), "1e300");
        assert_eq!(number(0.1), "0.1");
        assert_eq!(number(f64::NAN), "\"nan\"");
        assert_eq!(number(f64::NEG_INFINITY), "\"-inf\"");
        let mut object = Object::new();
        object.text("a", "b");
        object.maybe_text("c", None);
        object.number("d", 2.0);
        assert_eq!(object.end(), r#"{"a":"b","d":2.0}"#);
    }
}
