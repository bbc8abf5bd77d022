//! What hosts have shown of themselves: where something failed that others could do, nothing more is sent.

use std::collections::BTreeMap;

/// The hosts that were seen.
#[derive(Debug, Default)]
pub struct Hosts(BTreeMap<String, Host>);

#[derive(Debug, Default)]
struct Host {
    failed: u32,
    made: u32,
}

impl Hosts {
    /// An attempt runs on this host.
    pub fn seen(&mut self, host: &str) {
        self.of(host);
    }

    /// An attempt on this host made a whole shard.
    pub fn made(&mut self, host: &str) {
        self.of(host).made += 1;
    }

    /// An attempt on this host failed by itself.
    pub fn failed(&mut self, host: &str) {
        self.of(host).failed += 1;
    }

    /// The hosts to avoid: these, and those on which more fails than succeeds; none if no other is known, since a worker
    /// that may fail is better than none.
    pub fn avoiding(&self, these: impl Iterator<Item = String>) -> Vec<String> {
        let is_bad = |(_, host): &(&String, &Host)| host.failed > host.made;
        let bad = self.0.iter().filter(is_bad).map(|(name, _)| name.clone());
        let mut avoid: Vec<String> = these.chain(bad).collect();
        avoid.sort();
        avoid.dedup();
        match self.0.keys().any(|known| !avoid.contains(known)) {
            true => avoid,
            false => Vec::new(),
        }
    }

    fn of(&mut self, host: &str) -> &mut Host {
        self.0.entry(host.to_owned()).or_default()
    }
}
