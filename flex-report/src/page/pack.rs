//! The report as the page carries it: samples in steps of a 65534th of their range, and of very many only the first.

use crate::model::{Report, Series, Site, Values};

/// Samples of all sites together that a page has room for: 2⅔ bytes each.
const MOST_SAMPLES: usize = 3_000_000;

/// Verdicts of all sites together that a page has room for: about a hundred bytes each.
const MOST_VERDICTS: usize = 30_000;

/// The number that stands for no value.
const NOTHING: u16 = u16::MAX;

impl Report {
    /// The same report, small enough for a page.
    pub(super) fn packed(&self) -> Report {
        let mut report = self.clone();
        let series: usize = self.sites().map(series_of).sum();
        let sites = self.sites().count().max(1);
        let room = Room {
            samples: (MOST_SAMPLES / series.max(1)).max(50),
            verdicts: (MOST_VERDICTS / sites).max(3),
        };
        let tests = report.suites.iter_mut().flat_map(|suite| &mut suite.tests);
        for test in tests {
            let numbers = [&mut test.seconds_per_run, &mut test.extra_runs];
            numbers.into_iter().flatten().for_each(shorten);
            shorten(&mut test.false_alarm_rate);
            for site in &mut test.sites {
                room.pack(site);
                spare(site);
            }
        }
        report
    }
}

fn series_of(site: &Site) -> usize {
    let pending = site.pending.iter().map(|pending| pending.series.len());
    site.series.len() + 2 * site.compared.len() + pending.sum::<usize>()
}

/// Leaves out what the page can tell from something else, and digits that nobody sees.
fn spare(site: &mut Site) {
    if site.text == site.site {
        site.text.clear();
    }
    // Reasons stand in the words, and quantiles follow from samples.
    if !site.series.is_empty() {
        site.quantiles.clear();
    }
    for side in &mut site.sides {
        side.reason = None;
    }
    if let Some(failure) = &mut site.failure {
        let ends = [&mut failure.low, &mut failure.high];
        ends.into_iter()
            .chain(&mut failure.estimate)
            .for_each(shorten);
    }
    if let Some(catches) = &mut site.catches {
        let numbers = [&mut catches.shift, &mut catches.probability];
        numbers
            .into_iter()
            .chain(&mut catches.power)
            .for_each(shorten);
    }
}

/// Five digits of a number.
fn shorten(number: &mut f64) {
    if let Ok(short) = format!("{number:.4e}").parse() {
        *number = short;
    }
}

/// What each has room for.
struct Room {
    samples: usize,
    verdicts: usize,
}

impl Room {
    fn pack(&self, site: &mut Site) {
        let pack = |values: &mut Values| *values = packed(values, self.samples);
        let series = |all: &mut Vec<Series>| all.iter_mut().for_each(|one| pack(&mut one.values));
        series(&mut site.series);
        if let Some(pending) = &mut site.pending {
            series(&mut pending.series);
        }
        for compared in &mut site.compared {
            pack(&mut compared.old);
            pack(&mut compared.new);
        }
        let older = site.history.len().saturating_sub(self.verdicts);
        site.history.drain(..older);
    }
}

fn packed(values: &Values, most: usize) -> Values {
    let Values::Exact { values } = values else {
        return values.clone();
    };
    let finite = || {
        values
            .iter()
            .flatten()
            .map(|value| value.0)
            .filter(|value| value.is_finite())
    };
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = match low <= high {
        true => (low, high),
        false => (0.0, 0.0),
    };
    let step = f64::from(NOTHING - 1);
    let number = |value: f64| match (value.is_finite(), high > low) {
        (false, _) => NOTHING,
        (true, false) => 0,
        // The range of finite values may be infinite, its halves are not.
        (true, true) => {
            let part = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
            (part * step).round() as u16
        }
    };
    let numbers = values.iter().take(most);
    let bytes: Vec<u8> = numbers
        .flat_map(|value| value.map_or(NOTHING, |value| number(value.0)).to_le_bytes())
        .collect();
    Values::Packed {
        count: values.len(),
        low,
        high,
        data: base64(&bytes),
    }
}

/// Bytes as text (RFC 4648, section 4).
pub(super) fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            match place <= three.len() {
                true => text.push(SIGNS[(all >> (18 - 6 * place) & 63) as usize] as char),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use flex_detect::record::Float;

    #[test]
    fn bytes_become_the_texts_of_the_standard() {
        // RFC 4648, section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn values_are_packed_between_their_ends() {
        let values = [Some(1.0), None, Some(f64::NAN), Some(3.0), Some(2.0)];
        let values = values.map(|value| value.map(Float)).to_vec();
        let Values::Packed {
            count,
            low,
            high,
            data,
        } = packed(&Values::Exact { values }, 4)
        else {
            panic!("it is packed");
        };
        assert_eq!((count, low, high), (5, 1.0, 3.0));
        // 0, 65535, 65535, 65534; the fifth has no room.
        assert_eq!(data, base64(&[0, 0, 255, 255, 255, 255, 254, 255]));
        let empty = packed(&Values::Exact { values: Vec::new() }, 4);
        assert!(matches!(empty, Values::Packed { count: 0, .. }));
    }
}
