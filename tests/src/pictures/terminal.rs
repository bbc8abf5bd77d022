//! A failure as a terminal shows it: the block of a page, which the tests of the guide check, with its colours.

use std::fmt::Write;

const LINE: f64 = 17.0;
const COLUMN: f64 = 7.83;

/// The failure that the first tutorial shows.
pub fn failure(page: &str) -> String {
    let shown = page.split("```console\n").skip(1).find_map(|block| {
        let block = block.split("```").next()?;
        block.contains("regression").then_some(block)
    });
    let lines: Vec<&str> = shown
        .unwrap_or_default()
        .lines()
        .filter(|line| *line != "...")
        .collect();
    let width = lines.iter().map(|line| line.chars().count()).max();
    let width = COLUMN * width.unwrap_or(0) as f64 + 32.0;
    let height = LINE * lines.len() as f64 + 48.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <title>A test that fails, as the terminal shows it</title>\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"8\" fill=\"#1b1f24\"/>\n"
    );
    for (i, colour) in ["#ff5f57", "#febc2e", "#28c840"].iter().enumerate() {
        let x = 18.0 + 16.0 * i as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"16\" r=\"5\" fill=\"{colour}\"/>"
        );
    }
    for (i, line) in lines.iter().enumerate() {
        let y = 44.0 + LINE * i as f64;
        let _ = writeln!(
            svg,
            "<text x=\"16\" y=\"{y:.0}\" xml:space=\"preserve\">{}</text>",
            coloured(line)
        );
    }
    svg + "</svg>\n"
}

/// A line with the colours that a terminal gives it.
fn coloured(line: &str) -> String {
    let span = |text: &str, style: &str| format!("<tspan {style}>{}</tspan>", escaped(text));
    const PLAIN: &str = "fill=\"#d5dae0\"";
    const BOLD: &str = "fill=\"#ffffff\" font-weight=\"bold\"";
    for (word, style) in [
        ("regression", "fill=\"#ff7b72\" font-weight=\"bold\""),
        ("replay:", "fill=\"#79c0ff\""),
        ("hint:", "fill=\"#79c0ff\""),
    ] {
        if let Some((before, after)) = line.split_once(word) {
            return span(before, BOLD) + &span(word, style) + &span(after, PLAIN);
        }
    }
    match line.starts_with('$') {
        true => span(line, BOLD),
        false => span(line, PLAIN),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
