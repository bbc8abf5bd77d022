//! What the run under way shows of a series.

use flex_detect::record::Series;

use super::cases::become_margin;

/// A series, as the run under way sees it.
#[derive(Debug)]
pub struct LiveSeries {
    pub site: usize,
    /// Its index among those of the site.
    pub index: usize,
    /// Of the run, the value nearest to failing.
    pub value: Option<f64>,
    /// Whether failures are about another series of the site.
    pub is_alternative: bool,
    /// Whether its bound turned out to be another one each time, so that distances from it are kept.
    pub was_bounded: bool,
}

impl LiveSeries {
    /// The bound is another than before: from now on distances count, and what was seen becomes such.
    pub fn become_margin(&mut self, series: &mut Series) {
        let bound = series.bound.unwrap_or_default();
        self.value = self.value.map(|value| value - bound);
        self.was_bounded = true;
        become_margin(series);
    }
}
