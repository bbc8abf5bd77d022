//! Waiting entries, the old beside the new: for people, and as JSON.

use std::fmt;

use flex_bounds::file::{Entry, Learned, QUANTILES};
use flex_core::paint::{Ink, Paint};
use flex_core::tail::Side;
use flex_core::visible::visible;
use flex_core::words::{percent, short};
use serde_json::{Value, json};

use super::json_of;
use super::waiting::WaitingEntry;

impl WaitingEntry {
    /// The entry for programs.
    pub fn json(&self) -> Value {
        let of_side = |entry: &Entry, side: Side, learned: &Learned| {
            json!({
                "side": side.as_str(),
                "strategy": learned.strategy().as_str(),
                "guard": learned.guard().map(|guard| guard.bound),
                "ceiling": learned.ceiling(),
                "bound": learned.held().map(|held| held.bound),
                "mean": learned.held().map(|held| held.mean),
                "margin": learned.held().map(|held| held.margin),
                "power": entry.power(side),
                "reason": learned.reason(),
            })
        };
        let entry = |entry: &Entry| {
            let sides = entry.sides.iter();
            json!({
                "sides": sides.map(|(side, learned)| of_side(entry, side, learned)).collect::<Vec<_>>(),
                "samples": entry.samples,
                "quantiles": entry.quantiles,
                "reached": entry.reached.as_str(),
                "calibrated": entry.calibrated,
            })
        };
        let waits = json!({
            "file": self.store.path(),
            "pending": self.is_pending,
            "old": self.old.as_ref().map(entry),
            "new": entry(&self.new),
        });
        json_of(&self.new.key, waits)
    }
}

impl fmt::Display for WaitingEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:#}` is for those who see weight and colour.
        let paint = Paint::when(f.alternate());
        writeln!(f, "{}", paint.word(Ink::Strong, &self.new.key.to_string()))?;
        for (side, new) in self.new.sides.iter() {
            if let (false, Learned::Refuse { reason }) = (self.is_pending, new) {
                let refused = paint.word(Ink::Look, "refused:");
                writeln!(f, "  {side:<5}  {refused} {}", visible(reason))?;
                continue;
            }
            let old = self.old.as_ref().and_then(|old| old.sides.get(side));
            let bounds = |learned: Option<&Learned>| match learned {
                None => "none".to_owned(),
                Some(Learned::Refuse { reason }) => format!("refused: {}", visible(reason)),
                Some(learned) => learned.tiers().replace("  ", ", "),
            };
            writeln!(f, "  {side:<5}  old  {}", bounds(old))?;
            let new = paint.word(Ink::Strong, &bounds(Some(new)));
            writeln!(f, "         new  {new}")?;
        }
        let quantiles = |entry: Option<&Entry>| {
            let all = entry.and_then(|entry| entry.quantiles);
            all.map_or("unknown".to_owned(), |q| {
                format!(
                    "5% {}, median {}, 95% {}",
                    short(q[3]),
                    short(q[8]),
                    short(q[13])
                )
            })
        };
        if !self.is_pending {
            return writeln!(f, "  values      {}", quantiles(Some(&self.new)));
        }
        writeln!(f, "  values old  {}", quantiles(self.old.as_ref()))?;
        writeln!(f, "         new  {}", quantiles(Some(&self.new)))?;
        if let Some(words) = self.old.as_ref().and_then(|old| moved(old, &self.new)) {
            writeln!(f, "  moved       {words}")?;
        }
        if let Some(old) = self
            .old
            .as_ref()
            .filter(|old| old.reached != self.new.reached)
        {
            let (before, now) = (old.reached.as_str(), self.new.reached.as_str());
            writeln!(f, "  reached     {before} before, {now} now")?;
        }
        if self.new.family().is_some() {
            return Ok(());
        }
        let power = |entry: Option<&Entry>| {
            let sides = entry.map_or(&[][..], |entry| entry.tail().sides());
            let mut powers = sides.iter().filter_map(|side| entry?.power(*side));
            powers
                .next()
                .map_or("unknown".to_owned(), |[one, two, three]| {
                    format!("{}, {}, {}", percent(one), percent(two), percent(three))
                })
        };
        writeln!(
            f,
            "  power  old  {} of runs caught, if moved by 1, 2, 3 sd",
            power(self.old.as_ref())
        )?;
        writeln!(f, "         new  {}", power(Some(&self.new)))
    }
}

/// Says how the values moved: their middle, and how far they spread.
fn moved(old: &Entry, new: &Entry) -> Option<String> {
    let (old, new) = (old.quantiles?, new.quantiles?);
    let spread = |q: [f64; QUANTILES]| q[12] - q[4];
    let by = new[8] - old[8];
    let mut words = format!("the median by {by:+.3e}");
    if spread(old) > 0.0 {
        let (share, wider) = (by.abs() / spread(old), spread(new) / spread(old));
        words = format!(
            "the median by {} of the middle 80%, now {wider:.2} times as wide",
            percent(share)
        );
    }
    Some(words)
}
