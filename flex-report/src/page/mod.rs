//! The page: one HTML file that needs nothing else. A script draws it from the data that it carries, when somebody looks.
//!
//! Names come from elsewhere. They reach the page as JSON, in which no `<` is left to close an element, and the script puts
//! them into the page as text. The page itself forbids every request, and every script but its own.

mod pack;

use flex_core::seed::sha256;
use flex_core::visible::visible;

use crate::model::Report;
use pack::base64;

const STYLE: &str = include_str!("style.css");

/// The parts of the script, in the order in which they need each other.
const SCRIPT: [&str; 8] = [
    include_str!("app/data.js"),
    include_str!("app/words.js"),
    include_str!("app/svg.js"),
    include_str!("app/shapes.js"),
    include_str!("app/plots.js"),
    include_str!("app/overview.js"),
    include_str!("app/detail.js"),
    include_str!("app/main.js"),
];

impl Report {
    /// The report as a page that needs nothing else.
    pub fn html(&self) -> String {
        let script = format!(
            "\"use strict\";\n(() => {{\n{}\n}})();\n",
            SCRIPT.join("\n")
        );
        let policy = format!(
            "default-src 'none'; img-src data:; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(&script)
        );
        let data = serde_json::to_string(&self.packed()).unwrap_or_default();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>flex report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the tests</a>\n\
             <header id=\"top\"><p class=\"brand\">flex <span>report</span></p><p id=\"made\"></p></header>\n\
             <main id=\"main\" tabindex=\"-1\"><noscript><p>This page is drawn by the script that it carries, which is \
             switched off here. <code>flex-harness report --format markdown</code> writes the same as text.</p></noscript></main>\n\
             <script type=\"application/json\" id=\"data\">{}</script>\n<script>{script}</script>\n</body>\n</html>\n",
            in_script(&data)
        )
    }
}

/// JSON for an element of a page: nothing in it ends the element, and no sign in it turns the direction of text.
fn in_script(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 64);
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            // Outside of texts JSON has none of these; the script shows them as they are written here.
            c if !c.is_ascii() && visible(c.encode_utf8(&mut [0; 4])).starts_with('\\') => {
                text.push_str(&format!("\\\\u{{{:x}}}", c as u32));
            }
            c => text.push(c),
        }
    }
    text
}

/// The source of a policy that allows exactly this text (Content Security Policy, level 3).
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&sha256(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_json_ends_its_element() {
        let json = serde_json::to_string("</script><!--\u{202e}\u{2028}\u{1b}ä").unwrap();
        let text = in_script(&json);
        assert!(!text.contains(['<', '>', '\u{202e}', '\u{2028}']), "{text}");
        let back: String = serde_json::from_str(&text).unwrap();
        assert_eq!(back, "</script><!--\\u{202e}\\u{2028}\u{1b}ä");
    }

    #[test]
    fn the_policy_names_what_the_page_has() {
        let report = Report {
            version: 1,
            made_at: 0,
            suites: Vec::new(),
            notes: Vec::new(),
        };
        let page = report.html();
        // printf '' | openssl dgst -sha256 -binary | base64
        assert_eq!(
            hash(""),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        );
        assert!(page.contains(&hash(STYLE)));
        for outward in ["http:", "https:", "@import", "src=", "innerHTML", "eval("] {
            let own = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!own.contains(outward), "{outward}");
        }
        assert!(page.find("<script>").unwrap() > page.find("id=\"data\"").unwrap());
    }
}
