//! A plot as an SVG that needs nothing else: axes with human numbers, lines, bars and marks.
//!
//! Colours are those of Okabe and Ito, which nobody confuses; every line also has its words beside it.

use std::fmt::Write;

use flex_core::words::{percent, short};

pub const BLUE: &str = "#0072b2";
pub const RED: &str = "#d55e00";
pub const GREEN: &str = "#00795a";
pub const GREY: &str = "#767676";

const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;

/// How an axis goes from one end to the other.
pub struct Axis {
    pub title: &'static str,
    pub from: f64,
    pub to: f64,
    pub ticks: Vec<f64>,
    pub is_log: bool,
    pub is_percent: bool,
}

impl Axis {
    /// A linear axis.
    pub fn linear(title: &'static str, from: f64, to: f64, ticks: &[f64]) -> Self {
        Axis {
            title,
            from,
            to,
            ticks: ticks.to_vec(),
            is_log: false,
            is_percent: false,
        }
    }

    /// A logarithmic axis with these ticks, which are its ends too.
    pub fn log(title: &'static str, ticks: &[f64]) -> Self {
        let (from, to) = (ticks[0], ticks[ticks.len() - 1]);
        Axis {
            is_log: true,
            ..Axis::linear(title, from, to, ticks)
        }
    }

    /// The same, with its numbers as percents.
    pub fn in_percent(self) -> Self {
        Axis {
            is_percent: true,
            ..self
        }
    }

    /// From 0 at the one end to 1 at the other.
    fn place(&self, value: f64) -> f64 {
        let on = |value: f64| if self.is_log { value.ln() } else { value };
        ((on(value) - on(self.from)) / (on(self.to) - on(self.from))).clamp(0.0, 1.0)
    }

    fn number(&self, value: f64) -> String {
        match self.is_percent {
            true => percent(value),
            false => short(value),
        }
    }
}

/// A picture under construction.
pub struct Plot {
    x: Axis,
    y: Axis,
    svg: String,
}

impl Plot {
    /// Axes, a title for those who cannot see, and nothing drawn yet.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        let mut plot = Plot {
            x,
            y,
            svg: String::new(),
        };
        plot.put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>"
        ));
        plot.axes();
        plot
    }

    /// A line through points.
    pub fn line(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1}", self.across(*x), self.up(*y)))
            .collect();
        self.put(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
            points.join(" ")
        ));
    }

    /// Bars side by side, each with its height, that fill the axis.
    pub fn bars(&mut self, heights: &[f64], colour: &str) {
        let step = (self.x.to - self.x.from) / heights.len() as f64;
        for (index, height) in heights.iter().enumerate().filter(|(_, h)| **h > 0.0) {
            let left = self.across(self.x.from + step * index as f64);
            let right = self.across(self.x.from + step * (index + 1) as f64);
            let top = self.up(*height);
            self.put(&format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
                right - left - 0.5,
                HEIGHT - BOTTOM - top
            ));
        }
    }

    /// A point.
    pub fn dot(&mut self, x: f64, y: f64, colour: &str) {
        let (x, y) = (self.across(x), self.up(y));
        self.put(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>"
        ));
    }

    /// A vertical line with words at its top, so many lines down.
    pub fn mark_x(&mut self, x: f64, words: &str, colour: &str, down: usize) {
        let place = self.across(x);
        let text = TOP - 22.0 + 14.0 * down as f64;
        let anchor = if place < 0.6 * WIDTH { "start" } else { "end" };
        let beside = if place < 0.6 * WIDTH { 4.0 } else { -4.0 };
        self.put(&format!(
            "<line x1=\"{place:.1}\" y1=\"{:.1}\" x2=\"{place:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{words}</text>",
            text - 9.0,
            HEIGHT - BOTTOM,
            place + beside,
            text
        ));
    }

    /// A dashed horizontal line with words at its right end.
    pub fn mark_y(&mut self, y: f64, words: &str, colour: &str) {
        let place = self.up(y);
        self.put(&format!(
            "<line x1=\"{LEFT}\" y1=\"{place:.1}\" x2=\"{:.1}\" y2=\"{place:.1}\" stroke=\"{colour}\" stroke-dasharray=\"6 4\"/>",
            WIDTH - RIGHT
        ));
        self.put(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{colour}\">{words}</text>",
            WIDTH - RIGHT - 4.0,
            place - 5.0
        ));
    }

    /// Words at a point.
    pub fn words(&mut self, x: f64, y: f64, words: &str, colour: &str) {
        let (x, y) = (self.across(x) + 6.0, self.up(y) - 5.0);
        self.put(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{words}</text>"
        ));
    }

    /// The SVG.
    pub fn done(mut self) -> String {
        self.put("</svg>");
        self.svg
    }

    fn axes(&mut self) {
        let (right, base) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        self.put(&format!(
            "<path d=\"M{LEFT} {TOP}V{base}H{right}\" fill=\"none\" stroke=\"black\"/>"
        ));
        for tick in self.x.ticks.clone() {
            let (x, number) = (self.across(tick), self.x.number(tick));
            self.put(&format!(
                "<path d=\"M{x:.1} {base}v4\" stroke=\"black\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{number}</text>",
                base + 17.0
            ));
        }
        for tick in self.y.ticks.clone() {
            let (y, number) = (self.up(tick), self.y.number(tick));
            self.put(&format!(
                "<path d=\"M{LEFT} {y:.1}h-4\" stroke=\"black\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{number}</text>",
                LEFT - 7.0,
                y + 4.0
            ));
        }
        let titles = format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            0.5 * (LEFT + right),
            HEIGHT - 10.0,
            self.x.title,
            0.5 * (TOP + base),
            self.y.title
        );
        self.put(&titles);
    }

    fn across(&self, x: f64) -> f64 {
        LEFT + self.x.place(x) * (WIDTH - LEFT - RIGHT)
    }

    fn up(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(y) * (HEIGHT - TOP - BOTTOM)
    }

    fn put(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.svg, "{line}");
    }
}
