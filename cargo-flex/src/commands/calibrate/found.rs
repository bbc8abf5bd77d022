//! What shards hold of a test, before it is calibrated from them.

use flex_run::calibrate::{Look, ReplayFirst};
use flex_run::model::{ProcessRecord, RecordedHit, Site};
use flex_shard::file::{ShardContent, ShardKind};

use crate::cargo::FoundTest;
use crate::shards::{Putting, key_of};

/// Whether a shard replayed all runs of the last calibration that tell whether a test is unchanged, and they were the same.
pub fn is_unchanged(putting: &Putting, test: &FoundTest<'_>, replay: &ReplayFirst) -> bool {
    let found = putting
        .shards
        .found(&key_of(test), |kind| matches!(kind, ShardKind::Replay(_)));
    let answered = |record: &ProcessRecord| replay.is_answered_by(record);
    found.unwrap_or_default().into_iter().any(|found| {
        let of_base = matches!(&found.frame.kind, ShardKind::Replay(base) if base == replay.base());
        let ShardContent::Recorded(recorded) = &found.frame.content else {
            return false;
        };
        of_base && recorded.records.iter().any(answered)
    })
}

/// What a test shows in its first run; `None` if no shard holds that.
pub fn look(putting: &Putting, test: &FoundTest<'_>) -> Option<Look> {
    let answers = putting.shards.answers(&key_of(test)).ok()?;
    let first = answers.first()?.only(|run| run == 0);
    let hits: Vec<RecordedHit> = first.runs().flat_map(|(_, hits)| hits.to_vec()).collect();
    let is_hit = |place: usize| hits.iter().any(|hit| hit.site as usize == place);
    let sites = first.sites.iter().enumerate();
    let sites: Vec<Site> = sites
        .filter(|(place, _)| is_hit(*place))
        .map(|(_, site)| site.clone())
        .collect();
    Some(Look {
        test: first.test.clone(),
        sites,
    })
}
