//! The distribution of an assertion's values as a picture: an SVG that needs nothing else.

use std::fmt::Write;

use flex_core::words::short;

use crate::menu::Menu;
use crate::xml;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
/// Around the histogram, for its axis and its labels.
const MARGIN: f64 = 40.0;
const BARS: usize = 40;

/// A histogram with the number in the source, and the one that is to replace it.
pub fn histogram(menu: &Menu, title: &str, new: Option<f64>) -> String {
    let values: Vec<f64> = menu.samples.finite().iter().map(|s| s.value).collect();
    let marks = [("now", menu.bound, "#b00020"), ("new", new, "#00703c")];
    let shown = values
        .iter()
        .copied()
        .chain(marks.iter().filter_map(|(_, value, _)| *value))
        .filter(|value| value.is_finite());
    let low = shown.clone().fold(f64::INFINITY, f64::min);
    let high = shown.fold(f64::NEG_INFINITY, f64::max);
    // All in one place: a bar in the middle.
    let (low, high) = match (high - low).is_finite() && high > low {
        true => (low, high),
        false => (low - 0.5, low + 0.5),
    };
    let x = |value: f64| MARGIN + (value - low) / (high - low) * (WIDTH - 2.0 * MARGIN);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n",
        xml::text(title)
    );
    let base = HEIGHT - MARGIN;
    let counts = counts(&values, low, high);
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = (WIDTH - 2.0 * MARGIN) / BARS as f64;
    for (i, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = *count as f64 / most * (base - MARGIN);
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"#7a9cc6\"/>",
            MARGIN + i as f64 * width,
            base - height,
            width - 1.0
        );
    }
    let _ = writeln!(
        svg,
        "<line x1=\"{MARGIN}\" y1=\"{base}\" x2=\"{:.1}\" y2=\"{base}\" stroke=\"black\"/>",
        WIDTH - MARGIN
    );
    for (place, anchor) in [(low, "start"), (high, "end")] {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            x(place),
            base + 16.0,
            short(place)
        );
    }
    for (i, (word, value, colour)) in marks.iter().enumerate() {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            continue;
        };
        let (place, top) = (x(value), 14.0 + 14.0 * i as f64);
        let anchor = if place < 0.5 * WIDTH { "start" } else { "end" };
        let _ = writeln!(
            svg,
            "<line x1=\"{place:.1}\" y1=\"{:.1}\" x2=\"{place:.1}\" y2=\"{base}\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <text x=\"{place:.1}\" y=\"{top:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{word}: {}</text>",
            top + 3.0,
            short(value)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} values, most in one bar: {most}</text>\n</svg>",
        0.5 * WIDTH,
        HEIGHT - 8.0,
        values.len()
    );
    svg
}

/// How many values each bar holds.
fn counts(values: &[f64], low: f64, high: f64) -> [usize; BARS] {
    let mut counts = [0; BARS];
    for value in values {
        let place = (value - low) / (high - low) * BARS as f64;
        counts[(place as usize).min(BARS - 1)] += 1;
    }
    counts
}
