//! From an outcome to the bounds file, and to the file of what somebody must look at.

use flex_bounds::change::{Change, is_refused};
use flex_bounds::file::{BoundsFile, Entry, Key, Reached};
use flex_core::words::count;

use super::{LearnedSite, TestCalibration, refused};

impl TestCalibration {
    /// Puts the entries into a bounds file, in the place of all entries of this test and variant; unless what was
    /// learned is worse than nothing.
    pub fn write_into(&mut self, file: &mut BoundsFile) {
        let mut old = Vec::new();
        for entry in file.entries() {
            if self.is_about(&entry.key) {
                old.push(entry.clone());
            }
        }
        let compared = file.entries().len();
        for site in &mut self.sites {
            site.old = old.iter().find(|old| old.key == site.entry.key).cloned();
            // Whoever accepted how its values are did so for more than one calibration.
            let was_accepted = site.old.as_ref().is_some_and(|old| old.accepted);
            site.settle(self.accept || was_accepted);
            site.entry.accepted |= was_accepted;
            let (old, seen) = (site.old.as_ref(), site.seen(self.promise));
            site.change = Change::between(old, &site.entry, seen, compared, self.accept);
        }
        self.kept = self.reason_to_keep(&old);
        if self.kept.is_some() {
            for site in &mut self.sites {
                site.change = Change::Kept;
            }
            return;
        }
        for entry in &old {
            file.remove(&entry.key);
        }
        // What was replayed and showed the same can be replayed again; else all sites know the same new runs.
        let all_kept = self.sites.iter().all(|site| site.change == Change::Kept);
        let keeps_replay = self.is_same && all_kept;
        for site in &mut self.sites {
            // Whoever decided that a site is not enforced did so for more than one calibration.
            site.entry.unenforced = site.old.as_ref().is_some_and(|old| old.unenforced);
            site.entry.seal();
            let entry = match (&site.change, &site.old) {
                (Change::Kept | Change::Pending(_), Some(old)) => {
                    let mut kept = old.clone();
                    if site.change == Change::Kept {
                        if !keeps_replay {
                            kept.replay = site.entry.replay.clone();
                        }
                        // A few misses may be chance, but an entry must not say that there are none.
                        if site.missed > 0 {
                            kept.reached = Reached::Sometimes;
                        }
                        // Kept is only what nobody edited; what has no checksum is not vouched for afterwards.
                        if kept.checksum.is_some() {
                            kept.seal();
                        }
                    }
                    kept
                }
                _ => site.entry.clone(),
            };
            if let Err(error) = file.insert(entry) {
                // The engine does not make such entries; one that it does make is a reason to refuse the site.
                site.entry.sides = refused(site.entry.tail(), &error.to_string());
                site.entry.quantiles = None;
                site.entry.seal();
                let _ = file.insert(site.entry.clone());
            }
        }
        self.removed.clear();
        for Entry { key, .. } in &old {
            if !self.has_site(key) {
                self.removed.push(key.site.to_string());
            }
        }
    }

    /// Whether a site of this key was hit.
    fn has_site(&self, key: &Key) -> bool {
        self.sites.iter().any(|site| site.entry.key == *key)
    }

    fn is_about(&self, key: &Key) -> bool {
        key.test == self.test.id && key.variant == self.variant
    }

    /// Whether an entry was learned here, or found to be no site's any more, and written.
    pub(in crate::calibrate) fn settles(&self, key: &Key) -> bool {
        self.is_about(key) && self.kept.is_none()
    }

    /// Says so if a bounds file, with the entries of this test in it, spends more than the suite may.
    pub(in crate::calibrate) fn overspends(&self, file: &BoundsFile) -> Option<String> {
        let suite = self.test.suite?;
        let spent = file.false_alarm_rate(self.variant.as_deref());
        (!suite.allows(spent)).then(|| {
            format!(
                "the bounds would spend {spent:.2e}, more than the suite's {suite} ({:.2e})",
                suite.rate()
            )
        })
    }

    /// The sites without an entry, by their names or, where they are many, counted.
    fn missing(&self, file: &BoundsFile) -> Vec<String> {
        let sites = self.sites.iter();
        let missing: Vec<&str> = sites
            .filter(|site| file.get(&site.entry.key).is_none())
            .map(|site| &*site.name)
            .collect();
        match &missing[..] {
            [first, _, _, _, ..] => vec![format!(
                "missing: {} of {} have no entry, such as {first}",
                missing.len(),
                count(self.sites.len(), "site", "sites")
            )],
            few => few
                .iter()
                .map(|site| format!("{site}: missing: it has no entry"))
                .collect(),
        }
    }

    /// What speaks against the entries that a bounds file has of this test, among so many sites that are compared.
    #[inline]
    pub fn contradictions(&self, file: &BoundsFile, compared: usize) -> Vec<String> {
        let mut found = self.missing(file);
        let mut is_stale = false;
        for site in &self.sites {
            let Some(old) = file.get(&site.entry.key) else {
                continue;
            };
            is_stale |= old.fingerprint != site.entry.fingerprint;
            if old.is_edited() {
                let words = "its entry is not what calibration wrote";
                found.push(format!("{}: edited by hand: {words}", site.name));
            }
            let mut new = site.entry.clone();
            if old.accepted {
                new.sides = site.learned.clone();
            }
            // What was refused is for enforcement to say; here it is about the numbers.
            let against = Change::contradiction(old, &new, site.seen(self.promise), compared);
            found.extend(
                against.map(|why| match (&site.objection, is_refused(&new)) {
                    (Some(objection), true) => {
                        let replays = objection.runs().iter();
                        let replays = replays.map(|run| format!("\n{}", self.replay_line(*run)));
                        let replays: String = replays.collect();
                        format!("{}: {why}: {objection}{replays}", site.name)
                    }
                    _ => format!("{}: {why}", site.name),
                }),
            );
        }
        if is_stale {
            found.push("stale: the test changed since calibration".to_owned());
        }
        found.extend(self.overspends(file));
        found
    }

    /// Puts what somebody must look at into a file of its own, and takes out what was decided by now.
    pub fn write_pending(&self, pending: &mut BoundsFile) {
        // What waits for a site that is gone would fail as not reached, if somebody accepted it.
        let mut gone = Vec::new();
        for Entry { key, .. } in pending.entries() {
            if self.settles(key) && !self.has_site(key) {
                gone.push(key.clone());
            }
        }
        for key in &gone {
            pending.remove(key);
        }
        for site in &self.sites {
            match site.change {
                // It was checked when it was made.
                Change::Pending(_) => drop(pending.insert(site.entry.clone())),
                _ => drop(pending.remove(&site.entry.key)),
            }
        }
    }

    /// Why these entries are better than what was learned, if they are.
    fn reason_to_keep(&self, old: &[Entry]) -> Option<&'static str> {
        let lost = |site: &LearnedSite| {
            site.is_refused() && site.old.as_ref().is_some_and(|old| !is_refused(old))
        };
        if old.is_empty() {
            None
        } else if self.failures.len() >= self.runs as usize {
            Some("every run failed by itself")
        } else if self.ran_out_of_time && self.sites.iter().any(lost) {
            Some("there was no time for enough runs")
        } else {
            None
        }
    }
}
