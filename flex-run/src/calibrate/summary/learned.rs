//! A site whose bound is learned: its numbers, what they catch, and what there is to say of them.

use std::fmt;

use flex_bounds::change::Change;
use flex_bounds::file::{Entry, Learned};
use flex_core::tail::{Side, Tail};
use flex_core::visible::visible;
use flex_core::words::{duration, short};

use super::super::outcome::{LearnedSite, Objection, TestCalibration};
use super::layout::{fitting, paragraph};

/// Columns of the site in the table.
const SITE: usize = 22;

impl TestCalibration {
    pub(super) fn site(&self, f: &mut fmt::Formatter<'_>, site: &LearnedSite) -> fmt::Result {
        let mut name = site.name.as_str();
        if name.chars().count() > SITE {
            writeln!(f, "  {name}")?;
            name = "";
        }
        let mut said = None;
        let tiers = |learned: &Learned| match site.is_time {
            true => learned.tiers_as(duration),
            false => learned.tiers(),
        };
        let has_both = site.in_force().tail() == Tail::Both;
        for (side, learned) in site.in_force().sides.iter() {
            let which = match has_both {
                true => format!("{side}  "),
                false => String::new(),
            };
            let strategy = learned.strategy();
            let row = format!("  {name:<SITE$} {strategy:<7} {which}");
            self.row(f, &row, &tiers(learned))?;
            name = "";
            let old = site.old.as_ref().filter(|_| site.change != Change::Kept);
            if let Some(old) = old.and_then(|old| changed(old, side, learned)) {
                let old = match old {
                    Learned::Refuse { .. } => "refused".to_owned(),
                    _ => tiers(old),
                };
                fitting(f, &format!("  {:<SITE$} {:<7} ", "", "was"), &old)?;
            }
            if let Some(power) = site.power_on(side) {
                let words = match site.is_time {
                    true => power.in_words(duration),
                    false => power.to_string(),
                };
                // What waits for a review is not in force.
                let verb = match site.change {
                    Change::Pending(_) => "would catch",
                    _ => "catches",
                };
                writeln!(f, "      {verb} {words}")?;
            }
            if let Some(reason) = learned.reason().filter(|reason| said != Some(*reason)) {
                said = Some(reason);
                let label = match learned {
                    Learned::Refuse { .. } => "refused",
                    _ => "no ceiling",
                };
                paragraph(f, label, &visible(reason))?;
            }
        }
        if let Some(outlook) = self.outlook(site) {
            self.claim(f, &outlook)?;
        }
        if let Some(limits) = site.assumed() {
            let words = format!(
                "nothing of the mean lies outside of {} to {}, half the range of these runs beyond the outermost; \
                 `domain` states what is known",
                short(limits.lower()),
                short(limits.upper())
            );
            paragraph(f, "assumed", &words)?;
        }
        match &site.change {
            Change::Kept if self.kept.is_none() => {
                paragraph(f, "kept", "the old numbers still fit, and stay")?;
            }
            Change::Pending(why) => {
                let look = match self.is_pytest() {
                    true => "`flex-harness review --pytest .`, or --flex-accept",
                    false => "`cargo flex review`, or --accept",
                };
                let words = format!("{why}. The old entry stays; see {look}");
                paragraph(f, "not written", &words)?;
            }
            Change::New | Change::Kept | Change::Replaced => {}
        }
        if let Some(objection) = site.objection.as_ref().filter(|_| site.entry.accepted) {
            paragraph(f, "accepted in spite of", &objection.to_string())?;
        }
        if let (Some(Objection::Suspected(suspicion)), true) =
            (&site.objection, site.is_objected_to())
        {
            for run in suspicion.named() {
                self.replay(f, *run)?;
            }
            let accept = match self.is_pytest() {
                true => "--flex-accept",
                false => "--accept",
            };
            let words = format!("if the values are as they should be, {accept} learns a bound");
            paragraph(f, "hint", &words)?;
        }
        if site.is_time {
            paragraph(
                f,
                "warning",
                "the site measures time: its bound holds for this machine",
            )?;
        }
        Ok(())
    }

    /// A line of the table, with the numbers that matter most.
    fn row(&self, f: &mut fmt::Formatter<'_>, row: &str, tiers: &str) -> fmt::Result {
        match tiers {
            "" => writeln!(f, "{}", row.trim_end()),
            tiers => fitting(f, row, tiers),
        }
    }
}

/// The old side, if its bounds were others.
fn changed<'a>(old: &'a Entry, side: Side, new: &Learned) -> Option<&'a Learned> {
    let old = old.sides.get(side)?;
    (old.tiers() != new.tiers()).then_some(old)
}
