//! Seeing the page: the first paint that a browser reports, which has the table by then.

use serde_json::Value;
use xtask::browser::Browser;
use xtask::process::{output, run};

use super::made::{SUITES, Suite, page_in, report};
use crate::page::{Bar, Section, Size};

/// Times that a page is opened, in a browser of its own each; the median counts.
const TIMES: usize = 5;

/// What a browser reported of one page, in milliseconds.
struct SeenPage {
    paint: f64,
    /// When the table is there.
    table: f64,
    /// From a click on the heading of a column to the sorted table.
    sorted: f64,
}

/// Opens the pages of both suites.
pub fn section(size: Size) -> Result<Section, String> {
    let browser = Browser::found()?;
    let [thousand, many] = SUITES.map(|suite| opened(&browser, suite.of(size)));
    let (thousand, many) = (thousand?, many?);
    let row = |suite: Suite, seen: &SeenPage| {
        format!(
            "| {} | {:.2} s | {:.2} s | {:.2} s |\n",
            suite.of(size).sites,
            seen.paint / 1e3,
            seen.table / 1e3,
            seen.sorted / 1e3
        )
    };
    let text = format!(
        "Chromium without a window, 1280 px wide; the median of {TIMES} times, each in a browser of its own. The first paint is what\n\
         the browser reports as `first-contentful-paint`.\n\n\
         | sites | first paint | table drawn | sorted by another column |\n|---|---|---|---|\n{}{}\n",
        row(SUITES[0], &thousand),
        row(SUITES[1], &many)
    );
    let bar = |sites: &str, seen: &SeenPage, most: f64| Bar {
        what: format!("{sites} sites: first paint"),
        measured: format!("{:.2} s", seen.paint / 1e3),
        bar: format!("≤ {most} s"),
        kept: seen.paint <= 1e3 * most,
    };
    let bars = [bar("1,000", &thousand, 1.0), bar("10,000", &many, 2.0)];
    Ok(Section::with_bars(text, &bars))
}

fn opened(browser: &Browser, suite: Suite) -> Result<SeenPage, String> {
    let folder = suite.made()?;
    let page = page_in(&folder);
    run(&mut report(&folder, "html", &page))?;
    let mut all = Vec::new();
    for _ in 0..TIMES {
        let said = output(browser.run("paint.mjs").arg(&page))?;
        if !said.status.success() {
            return Err(String::from_utf8_lossy(&said.stderr).into_owned());
        }
        let seen: Value =
            serde_json::from_slice(&said.stdout).map_err(|error| error.to_string())?;
        all.push(seen);
    }
    let median = |name: &str| {
        let times = all.iter().map(|seen| seen[name].as_f64());
        let times: Option<Vec<f64>> = times.collect();
        let mut times = times.ok_or_else(|| format!("the browser does not tell its {name}"))?;
        times.sort_by(f64::total_cmp);
        Ok::<f64, String>(times[TIMES / 2])
    };
    Ok(SeenPage {
        paint: median("paint")?,
        table: median("table")?,
        sorted: median("sorted")?,
    })
}
